//! A command in words, whichever form it came in.

/// A command: `DEFINE QLOCAL(A) MAXDEPTH(5) REPLACE`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    /// In upper case.
    pub(super) verb: String,
    /// The kind of object, in upper case.
    pub(super) object: String,
    pub(super) name: Option<String>,
    pub(super) parameters: Vec<Parameter>,
    /// The attributes that a display shows, where the form has a place of its own for them.
    pub(super) wanted: Vec<String>,
}

/// A parameter: a name in upper case, with a value or without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) value: Option<String>,
}

/// What of a command cannot be understood: the piece at which it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Syntax(pub(crate) String);
