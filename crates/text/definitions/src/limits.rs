//! Limits of everything that files can make the reader hold. A file beyond a limit is refused with the
//! limit's name.

/// The limits of files. Every limit holds by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file.
    pub file_max_bytes: usize,
    /// Bytes of all files together.
    pub files_max_bytes: usize,
    /// Files.
    pub file_count_max: usize,
    /// Definitions of all files together.
    pub definition_count_max: usize,
    /// Attributes of one definition.
    pub attribute_count_max: usize,
    /// Bytes of one value.
    pub value_max_bytes: usize,
    /// The most levels of parameters of IDCAMS.
    pub depth_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_max_bytes: 8 * 1024 * 1024,
            files_max_bytes: 64 * 1024 * 1024,
            file_count_max: 4_096,
            definition_count_max: 100_000,
            attribute_count_max: 1_000,
            value_max_bytes: 4_096,
            depth_max: 16,
        }
    }
}
