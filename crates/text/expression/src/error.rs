//! Faults of an expression, its data or its cost, with a code, a place and a message.

use std::fmt;

/// A fault of an expression, of JSON, or of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Error(Box<Fault>);

#[derive(Clone, Debug, PartialEq)]
struct Fault {
    code: &'static str,
    message: String,
    at: Option<usize>,
    place: Option<Place>,
}

/// A place in the text of an expression.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Place {
    /// The number of characters before it.
    pub offset: usize,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

/// The kind of a fault.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// The text is not an expression; codes `S…`.
    Syntax,
    /// A value does not have the type that an operator or a function needs; codes `T…`.
    Type,
    /// A value of the right type cannot be used; codes `D…`.
    Value,
    /// A limit is exceeded; codes `L…`.
    Limit,
    /// JSON text is wrong; codes `J…`.
    Json,
}

impl Error {
    /// A fault without a place yet.
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Error {
        Error(Box::new(Fault { code, message: message.into(), at: None, place: None }))
    }

    /// Adds the byte of the expression, unless a better place is known already.
    pub(crate) fn at(mut self, byte: usize) -> Error {
        self.0.at.get_or_insert(byte);
        self
    }

    /// Turns the byte into a place of the text.
    pub(crate) fn within(mut self, text: &str) -> Error {
        if let Some(byte) = self.0.at {
            self.0.place = Some(Place::of(text, byte));
        }
        self
    }

    /// The same fault, for an expression that begins at this byte of a longer text.
    pub(crate) fn moved(mut self, bytes: usize, text: &str) -> Error {
        self.0.at = self.0.at.map(|at| at + bytes);
        self.within(text)
    }

    /// The code: JSONata's own if it has one.
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// Says what was expected and what was found.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The place in the expression; none for JSON text, whose faults have the byte in the message.
    pub fn place(&self) -> Option<Place> {
        self.0.place
    }

    /// The kind of the fault.
    pub fn kind(&self) -> Kind {
        match self.0.code.as_bytes()[0] {
            b'S' => Kind::Syntax,
            b'T' => Kind::Type,
            b'L' => Kind::Limit,
            b'J' => Kind::Json,
            _ => Kind::Value,
        }
    }
}

impl Place {
    fn of(text: &str, byte: usize) -> Place {
        let mut end = byte.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Place {
            offset: before.chars().count(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code, self.0.message)?;
        match self.0.place {
            Some(Place { line: 1, column, .. }) => write!(f, " (character {column})"),
            Some(Place { line, column, .. }) => write!(f, " (line {line}, character {column})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
