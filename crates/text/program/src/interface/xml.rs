//! The interface between a program with XML PARSE and the runtime: one function, and the special registers.
//!
//! The layout is that of `GANTRY-XML`, an item that the translator declares in such programs.

/// The function that gives the next event: `int gantry_xml(struct gantry_frame *frame, struct gantry_xml
/// *parse)`. It answers like [`ENTRY_POINT`](super::ENTRY_POINT).
pub const NEXT_EVENT: &str = "gantry_xml";

/// The most bytes of XML-TEXT in an encoding of single bytes: longer texts come in several events. COBOL
/// passes the copy of an item on the stack.
pub const TEXT_BYTES_MAX: usize = 1_048_576;

/// Set in the flags if the document is in a national item.
pub const FLAG_NATIONAL_DOCUMENT: i32 = 1;

/// Set in the flags for RETURNING NATIONAL.
pub const FLAG_RETURNING_NATIONAL: i32 = 2;

/// No parse is under way. It is about to begin, or has ended, and the code says how.
pub const STATE_NONE: i32 = 0;

/// The registers have an event, and the processing procedure is to run.
pub const STATE_EVENT: i32 = 1;

/// The bytes of XML-EVENT.
pub const EVENT_BYTES: usize = 30;

/// A register whose length changes from event to event.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// The address of the text; never null.
    pub address: *mut u8,
    /// Its length in bytes.
    pub bytes: i64,
    /// Its length in characters of its usage: for a national register, half of the bytes.
    pub units: i64,
}

/// The registers whose length changes, in the order of [`Parse::texts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Register {
    /// XML-TEXT.
    Text,
    /// XML-NTEXT.
    NationalText,
    /// XML-NAMESPACE.
    Namespace,
    /// XML-NNAMESPACE.
    NationalNamespace,
    /// XML-NAMESPACE-PREFIX.
    Prefix,
    /// XML-NNAMESPACE-PREFIX.
    NationalPrefix,
    /// The result of FUNCTION DISPLAY-OF (XML-NTEXT).
    Shown,
}

impl Register {
    /// All of them, in the order of [`Parse::texts`].
    pub const ALL: [Register; 7] = [
        Register::Text,
        Register::NationalText,
        Register::Namespace,
        Register::NationalNamespace,
        Register::Prefix,
        Register::NationalPrefix,
        Register::Shown,
    ];

    /// Its name in programs; none if it is not a register.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Register::Text => Some("XML-TEXT"),
            Register::NationalText => Some("XML-NTEXT"),
            Register::Namespace => Some("XML-NAMESPACE"),
            Register::NationalNamespace => Some("XML-NNAMESPACE"),
            Register::Prefix => Some("XML-NAMESPACE-PREFIX"),
            Register::NationalPrefix => Some("XML-NNAMESPACE-PREFIX"),
            Register::Shown => None,
        }
    }

    /// The item in its place in a translated program.
    #[must_use]
    pub fn item(self) -> &'static str {
        match self {
            Register::Text => "GANTRY-XML-TEXT",
            Register::NationalText => "GANTRY-XML-NTEXT",
            Register::Namespace => "GANTRY-XML-SPACE",
            Register::NationalNamespace => "GANTRY-XML-NSPACE",
            Register::Prefix => "GANTRY-XML-PREFIX",
            Register::NationalPrefix => "GANTRY-XML-NPREFIX",
            Register::Shown => "GANTRY-XML-SHOWN",
        }
    }

    /// True if it holds UTF-16.
    #[must_use]
    pub fn is_national(self) -> bool {
        matches!(self, Register::NationalText | Register::NationalNamespace | Register::NationalPrefix)
    }
}

/// A parse: the data of the program, and the results.
#[repr(C)]
#[derive(Debug)]
pub struct Parse {
    /// The address of the document, or of the next part of it.
    pub document: *mut u8,
    /// Its length in bytes.
    pub bytes: i64,
    /// The registers whose length changes.
    pub texts: [Text; Register::ALL.len()],
    /// The CCSID of the ENCODING phrase; 0 without one.
    pub ccsid: i32,
    /// [`FLAG_NATIONAL_DOCUMENT`] and [`FLAG_RETURNING_NATIONAL`].
    pub flags: i32,
    /// [`STATE_NONE`] or [`STATE_EVENT`]. The program sets [`STATE_NONE`] before a parse begins.
    pub state: i32,
    /// XML-CODE, both ways.
    pub code: i32,
    /// XML-INFORMATION.
    pub information: i32,
    /// The line of the statement.
    pub line: i32,
    /// XML-EVENT.
    pub event: [u8; EVENT_BYTES],
}

/// The declaration of a parse in WORKING-STORAGE.
pub(crate) fn storage() -> Vec<String> {
    let mut lines = vec![
        "01 GANTRY-XML GLOBAL.".to_owned(),
        "05 GANTRY-XML-DOCUMENT USAGE POINTER.".to_owned(),
        "05 GANTRY-XML-BYTES PIC S9(18) COMP-5.".to_owned(),
    ];
    for register in Register::ALL {
        let item = register.item();
        lines.push(format!("05 {item}-AT USAGE POINTER."));
        lines.push(format!("05 {item}-BYTES PIC S9(18) COMP-5."));
        lines.push(format!("05 {item}-UNITS PIC S9(18) COMP-5."));
    }
    for number in ["CCSID", "FLAGS", "STATE", "CODE", "INFORMATION", "LINE"] {
        lines.push(format!("05 GANTRY-XML-{number} PIC S9(9) COMP-5."));
    }
    lines.push(format!("05 GANTRY-XML-EVENT PIC X({EVENT_BYTES})."));
    lines
}
