//! A data description entry as written: its level, name and clauses, not yet checked against other entries.

use std::ops::Range;

use crate::Literal;
use crate::picture::Picture;
use crate::renames::RenamesClause;

/// Values and ranges (THRU), as in [`crate::Condition`].
pub(crate) type Values = Vec<(Literal, Option<Literal>)>;

/// A value with its bytes in the original text.
#[derive(Clone, Debug)]
pub(crate) struct Spanned<T> {
    pub(crate) value: T,
    pub(crate) span: Range<usize>,
}

/// One entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) level: u8,
    /// In upper case; none for FILLER and for an entry without a name.
    pub(crate) name: Option<String>,
    /// The name as the text spells it.
    pub(crate) spelling: Option<String>,
    /// From the level number to the name.
    pub(crate) span: Range<usize>,
    pub(crate) picture: Option<Spanned<Picture>>,
    pub(crate) usage: Option<Spanned<Usage>>,
    pub(crate) occurs: Option<Spanned<OccursClause>>,
    pub(crate) redefines: Option<Spanned<String>>,
    pub(crate) sign: Option<Spanned<SignClause>>,
    pub(crate) synchronized: Option<Range<usize>>,
    pub(crate) justified: Option<Range<usize>>,
    pub(crate) blank_when_zero: Option<Range<usize>>,
    pub(crate) renames: Option<RenamesClause>,
    /// The literals of VALUE, or the values and ranges of a level 88.
    pub(crate) values: Option<Spanned<Values>>,
    /// The entries within an SQL host variable.
    pub(crate) parts: Vec<Entry>,
    /// True if an error was reported within the entry, so that missing clauses are not errors as well.
    pub(crate) broken: bool,
}

impl Entry {
    /// A clause that describes storage. A condition name must not have one.
    pub(crate) fn clause_of_item(&self) -> Option<&Range<usize>> {
        let picture = self.picture.as_ref().map(|picture| &picture.span);
        let usage = self.usage.as_ref().map(|usage| &usage.span);
        let occurs = self.occurs.as_ref().map(|occurs| &occurs.span);
        let redefines = self.redefines.as_ref().map(|redefines| &redefines.span);
        let marks = [&self.synchronized, &self.justified, &self.blank_when_zero].into_iter().flatten();
        [picture, usage, occurs, redefines].into_iter().flatten().chain(marks).next()
    }

    /// True if it can only be a group, or if its clauses are missing.
    pub(crate) fn is_bare(&self) -> bool {
        self.picture.is_none() && self.usage.is_none()
    }

    /// The name for messages.
    pub(crate) fn shown(&self) -> &str {
        self.name.as_deref().unwrap_or("FILLER")
    }
}

/// OCCURS as written.
#[derive(Clone, Debug)]
pub(crate) struct OccursClause {
    pub(crate) min: u32,
    pub(crate) max: u32,
    /// The counter's name, then the groups that qualify it, innermost first.
    pub(crate) depending_on: Option<Spanned<Vec<String>>>,
}

/// SIGN as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SignClause {
    pub(crate) leading: bool,
    pub(crate) separate: bool,
}

/// The encoding of an item's value in its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Usage {
    Display,
    Display1,
    National,
    Utf8,
    Binary,
    NativeBinary,
    Packed,
    PackedUnsigned,
    /// BINARY-CHAR, BINARY-SHORT, BINARY-LONG, BINARY-DOUBLE.
    Integer {
        bytes: u8,
        signed: bool,
    },
    /// Micro Focus' COMP-X: binary, with the bytes that the digits need, or one for each X of the picture.
    Narrow,
    /// COMP-N: the same in the machine's byte order.
    NativeNarrow,
    Float,
    Double,
    Index,
    Pointer,
    /// An address of 4 bytes, also with LP(64).
    Pointer32,
    ProcedurePointer,
    FunctionPointer,
    ObjectReference,
}

impl Usage {
    /// The usage of a word in the USAGE clause.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        let upper = word.to_ascii_uppercase();
        // For the compiler, COMPUTATIONAL-3 and COMP-3 are the same word.
        let short = upper.replacen("COMPUTATIONAL", "COMP", 1);
        Some(match short.as_str() {
            "DISPLAY" => Usage::Display,
            "DISPLAY-1" => Usage::Display1,
            "NATIONAL" => Usage::National,
            "UTF-8" => Usage::Utf8,
            "COMP" | "COMP-4" | "BINARY" => Usage::Binary,
            "COMP-5" => Usage::NativeBinary,
            "COMP-3" | "PACKED-DECIMAL" => Usage::Packed,
            "COMP-6" => Usage::PackedUnsigned,
            "BINARY-CHAR" => Usage::Integer { bytes: 1, signed: true },
            "BINARY-SHORT" => Usage::Integer { bytes: 2, signed: true },
            "BINARY-LONG" => Usage::Integer { bytes: 4, signed: true },
            "BINARY-DOUBLE" => Usage::Integer { bytes: 8, signed: true },
            "BINARY-INT" | "SIGNED-INT" => Usage::Integer { bytes: 4, signed: true },
            "UNSIGNED-INT" => Usage::Integer { bytes: 4, signed: false },
            "SIGNED-SHORT" => Usage::Integer { bytes: 2, signed: true },
            "UNSIGNED-SHORT" => Usage::Integer { bytes: 2, signed: false },
            // In programs with 64 bits.
            "BINARY-LONG-LONG" | "SIGNED-LONG" => Usage::Integer { bytes: 8, signed: true },
            "UNSIGNED-LONG" => Usage::Integer { bytes: 8, signed: false },
            "COMP-X" => Usage::Narrow,
            "COMP-N" => Usage::NativeNarrow,
            "COMP-1" | "FLOAT-SHORT" => Usage::Float,
            "COMP-2" | "FLOAT-LONG" => Usage::Double,
            "INDEX" => Usage::Index,
            "POINTER" => Usage::Pointer,
            "POINTER-32" => Usage::Pointer32,
            "PROCEDURE-POINTER" => Usage::ProcedurePointer,
            "FUNCTION-POINTER" => Usage::FunctionPointer,
            "OBJECT" => Usage::ObjectReference,
            _ => return None,
        })
    }

    /// The usual spelling, for messages.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Usage::Display => "DISPLAY",
            Usage::Display1 => "DISPLAY-1",
            Usage::National => "NATIONAL",
            Usage::Utf8 => "UTF-8",
            Usage::Binary => "COMP",
            Usage::NativeBinary => "COMP-5",
            Usage::Packed => "COMP-3",
            Usage::PackedUnsigned => "COMP-6",
            Usage::Integer { bytes: 1, .. } => "BINARY-CHAR",
            Usage::Integer { bytes: 2, .. } => "BINARY-SHORT",
            Usage::Integer { bytes: 4, .. } => "BINARY-LONG",
            Usage::Integer { .. } => "BINARY-DOUBLE",
            Usage::Narrow => "COMP-X",
            Usage::NativeNarrow => "COMP-N",
            Usage::Float => "COMP-1",
            Usage::Double => "COMP-2",
            Usage::Index => "INDEX",
            Usage::Pointer => "POINTER",
            Usage::Pointer32 => "POINTER-32",
            Usage::ProcedurePointer => "PROCEDURE-POINTER",
            Usage::FunctionPointer => "FUNCTION-POINTER",
            Usage::ObjectReference => "OBJECT REFERENCE",
        }
    }
}
