//! Limits of everything that a package can make the reader hold. A package beyond a limit is refused with the
//! limit's name.

/// The limits of a package. Sizes are in bytes. Every limit holds by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of an archive, or of all files of a folder together.
    pub package_max_bytes: usize,
    /// Entries of an archive, with its folders, or files of a folder.
    pub entry_count_max: usize,
    /// Bytes of one unpacked entry.
    pub entry_max_bytes: usize,
    /// Bytes of all unpacked entries together.
    pub unpacked_max_bytes: usize,
    /// The greatest ratio of an entry's unpacked size to its size in the archive. Entries of up to
    /// [`RATIO_FREE_BYTES`] are exempt.
    pub unpacked_ratio_max: usize,
    /// Bytes of an entry's name.
    pub entry_name_max_bytes: usize,
    /// The most levels of elements of XML, and of lists and maps of YAML and JSON.
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

/// Small texts may have any ratio.
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
