//! Limits of everything that a document or a request can make this crate hold or compute.

/// What a document may have. A document beyond a limit is refused with the limit's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Operations of one document.
    pub operation_count_max: usize,
    /// Schemas of one document, those inside of others counted too.
    pub schema_count_max: usize,
    /// Bytes of one regular expression.
    pub pattern_max_bytes: usize,
    /// Bytes of memory that one compiled regular expression may take.
    pub pattern_program_max_bytes: usize,
    /// Problems that are told; of more there is only the number.
    pub problem_count_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            operation_count_max: 2_000,
            schema_count_max: 50_000,
            pattern_max_bytes: 4 * 1024,
            pattern_program_max_bytes: 1024 * 1024,
            problem_count_max: 100,
        }
    }
}
