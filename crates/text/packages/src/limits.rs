//! Limits of everything that a package can make the reader hold; a package beyond one is refused with the limit's name.

/// What a package may have. Sizes are in bytes; every limit holds by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of an archive, or of all files of a folder together.
    pub package_max_bytes: usize,
    /// Entries of an archive, folders among them, or files of a folder.
    pub entry_count_max: usize,
    /// Bytes of one entry when it is unpacked.
    pub entry_max_bytes: usize,
    /// Bytes of all entries together when they are unpacked.
    pub unpacked_max_bytes: usize,
    /// How many times larger than in the archive an entry may be. Entries of up to [`RATIO_FREE_BYTES`] are free of it.
    pub unpacked_ratio_max: usize,
    /// Bytes of an entry's name.
    pub entry_name_max_bytes: usize,
    /// How deep elements of XML, and lists and maps of YAML and JSON, may nest.
    pub depth_max: usize,
    /// Elements, attributes and values of one document.
    pub node_count_max: usize,
    /// Fields of one interface.
    pub field_count_max: usize,
    /// Operations of one document.
    pub operation_count_max: usize,
    /// Parameters of one operation.
    pub parameter_count_max: usize,
}

/// Small texts may be packed as well as they can be.
pub const RATIO_FREE_BYTES: usize = 64 * 1024;

impl Default for Limits {
    fn default() -> Self {
        Self {
            package_max_bytes: 16 * 1024 * 1024,
            entry_count_max: 4_096,
            entry_max_bytes: 8 * 1024 * 1024,
            unpacked_max_bytes: 64 * 1024 * 1024,
            unpacked_ratio_max: 100,
            entry_name_max_bytes: 1_024,
            depth_max: 64,
            node_count_max: 500_000,
            field_count_max: 20_000,
            operation_count_max: 2_000,
            parameter_count_max: 500,
        }
    }
}
