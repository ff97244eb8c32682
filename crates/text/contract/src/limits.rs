//! Limits for everything that a document or a request can make this crate hold or compute.

/// The limits of a document. A document beyond a limit is refused with the limit's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Operations of one document.
    pub operation_count_max: usize,
    /// Schemas of one document, with the schemas inside of others.
    pub schema_count_max: usize,
    /// Bytes of one regular expression.
    pub pattern_max_bytes: usize,
    /// Bytes of memory of one compiled regular expression.
    pub pattern_program_max_bytes: usize,
    /// Steps back of one regular expression that looks ahead or behind, for one text. A text that needs more does not fit it.
    pub pattern_step_max: usize,
    /// The most reported problems. Of further ones, only their number is given.
    pub problem_count_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            operation_count_max: 2_000,
            schema_count_max: 50_000,
            pattern_max_bytes: 4 * 1024,
            pattern_program_max_bytes: 1024 * 1024,
            pattern_step_max: 100_000,
            problem_count_max: 100,
        }
    }
}
