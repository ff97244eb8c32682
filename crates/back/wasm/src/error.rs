//! Faults of a module, and of a call of it.

use std::fmt;

use wasmtime::Trap;

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The text is not WebAssembly text.
    Text,
    /// The bytes are not a module that can be taken.
    Module,
    /// It imports something that does not exist.
    Imports,
    /// It lacks an export.
    Exports,
    /// It trapped.
    Trap,
    /// It has used up its fuel.
    Fuel,
    /// It ran longer than it may.
    Time,
    /// It pointed out of its memory, or gave more than it may.
    Bounds,
    /// The machine lacks a needed resource.
    System,
}

/// A module that cannot be taken, or a call without a usable end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
    message: String,
    offset: Option<usize>,
}

impl Error {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), offset: None }
    }

    pub(crate) fn at(self, offset: usize) -> Self {
        Self { offset: Some(offset), ..self }
    }

    /// The end of a call, in the engine's words.
    pub(crate) fn of_call(error: &wasmtime::Error) -> Self {
        if let Some(error) = error.downcast_ref::<Error>() {
            return error.clone();
        }
        match error.downcast_ref::<Trap>() {
            Some(Trap::OutOfFuel) => Self::new(Kind::Fuel, "it has used up the fuel of its call"),
            Some(Trap::Interrupt) => Self::new(Kind::Time, "it ran longer than its time limit"),
            Some(trap) => Self::new(Kind::Trap, trap.to_string()),
            None => Self::new(Kind::Trap, error.root_cause().to_string()),
        }
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Of [`Kind::Text`]: where in the text, in bytes.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        self.offset
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
