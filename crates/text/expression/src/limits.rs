//! Limits for the cost of an expression, so that it cannot hang, exhaust the stack or fill the memory.

/// The limits of one expression: its text when it is compiled, its work each time it is evaluated.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Limits {
    /// Bytes of the expression's text; beyond it, L0001.
    pub text_max_bytes: usize,
    /// Levels of nesting in the text; beyond it, L0002.
    pub nesting_max: usize,
    /// Memory of one compiled regular expression; beyond it, L0003.
    pub regex_max_bytes: usize,
    /// Evaluated nodes, and elements that functions read; beyond it, L1001.
    pub steps_max: u64,
    /// Levels of nodes in evaluation at a time, which is the cost of recursion; beyond it, L1002.
    pub depth_max: usize,
    /// Levels of arrays and objects in a value; beyond it, L1005.
    pub value_depth_max: u16,
    /// Bytes of all texts built in one evaluation, and of any one value's JSON text; beyond it, L1003.
    pub built_max_bytes: usize,
    /// Elements of all arrays and members of all objects built in one evaluation; beyond it, L1004.
    pub elements_max: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            text_max_bytes: 64 * 1024,
            nesting_max: 100,
            regex_max_bytes: 1024 * 1024,
            steps_max: 10_000_000,
            depth_max: 500,
            value_depth_max: 256,
            built_max_bytes: 64 * 1024 * 1024,
            elements_max: 2_000_000,
        }
    }
}
