//! Limits of everything that a source can make the reader hold. A source beyond one is refused with the
//! limit's name.

/// The limits of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a source.
    pub source_max_bytes: usize,
    /// Bytes of one statement with its continuation lines.
    pub statement_max_bytes: usize,
    /// Maps of a source.
    pub map_count_max: usize,
    /// Fields with names of a map. It is the limit of CICS.
    pub field_count_max: usize,
    /// Bytes of a field.
    pub field_max_bytes: usize,
    /// Repetitions of a field.
    pub occurs_max: usize,
    /// Bytes of a name. A suffix is added to it, and names of COBOL have 30.
    pub name_max_bytes: usize,
    /// Bytes of PICIN and PICOUT.
    pub picture_max_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            source_max_bytes: 4 * 1024 * 1024,
            statement_max_bytes: 32 * 1024,
            map_count_max: 1_000,
            field_count_max: 1_023,
            field_max_bytes: 4_096,
            occurs_max: 4_096,
            name_max_bytes: 29,
            picture_max_bytes: 50,
        }
    }
}
