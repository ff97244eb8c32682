//! How a layout shows itself to JSON: names, hidden fields, limits, policies.

use std::collections::HashMap;

use codepage::CodePage;
use copybook::FieldId;

/// How COBOL names become JSON names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Naming {
    /// As the batch utilities of the z/OS Connect family make them: lower case, underscores (`count_in`).
    #[default]
    Ls2js,
    /// As the API toolkit makes them: case kept, underscores (`COUNT_IN`).
    Toolkit,
    /// As written in the copybook (`COUNT-IN`).
    Cobol,
}

/// What to do with a field of the request that the interface does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownFields {
    /// It is an error.
    #[default]
    Refuse,
    /// It is passed over.
    Ignore,
}

/// What to do with a counter of 0 (OCCURS DEPENDING ON) where the table's minimum is greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ZeroOccurs {
    /// The table has no rows: the array is left out of the JSON, and an array that is left out gives a counter of 0.
    #[default]
    Accept,
    /// Reading it is an error, and an array that is left out gives the minimum of rows with initial values.
    Refuse,
}

/// Which fields without a name are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filler {
    /// None.
    #[default]
    Hide,
    /// All, as `FILL_0`, `FILL_1`, ... in the order of the copybook.
    Expose,
}

/// What to do with a record that ends before its layout does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataTruncation {
    /// It is an error, with the first field that is missing.
    #[default]
    Refuse,
    /// Fields beyond the end have their initial values and rows beyond it are not there; a field or row that is
    /// cut in two is still an error.
    Accept,
}

/// What to do with blanks at the end of text in a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrimText {
    /// They are left out of the JSON.
    #[default]
    Trailing,
    /// They are part of the value.
    Keep,
}

/// Which numbers a binary field may hold (COMP, COMP-4, BINARY; COMP-5 always has the range of its bytes).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BinaryRange {
    /// As many digits as the picture has: the compiler's TRUNC(STD).
    #[default]
    Picture,
    /// Whatever the bytes can hold: TRUNC(BIN).
    Bytes,
}

/// A choice for one field.
#[derive(Clone, Debug, Default)]
pub struct FieldOptions {
    /// The JSON name in place of the profile's.
    pub name: Option<String>,
    /// Shown or hidden against the rule: `Some(true)` chooses a REDEFINES view in place of the first, or shows a
    /// FILLER; `Some(false)` hides the field and all below it.
    pub included: Option<bool>,
    /// Taken out of the JSON by a mapping, with all below it. Of a chosen view no other takes its place.
    pub removed: bool,
    /// The least number that is accepted, as decimal text.
    pub minimum: Option<String>,
    /// The greatest number that is accepted, as decimal text.
    pub maximum: Option<String>,
    /// JSON without this field is refused.
    pub required: bool,
    /// The value where JSON gives none, as text; it is encoded once, when the bind is made.
    pub default: Option<String>,
    /// A sentence for the schema.
    pub description: Option<String>,
}

/// How a bind is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// The code page of the record's text.
    pub page: &'static CodePage,
    /// The naming profile.
    pub naming: Naming,
    /// The name of the object around the record's fields; none puts the fields at the top.
    pub wrapper: Option<String>,
    /// See [`UnknownFields`].
    pub unknown_fields: UnknownFields,
    /// See [`ZeroOccurs`].
    pub zero_occurs: ZeroOccurs,
    /// See [`Filler`].
    pub filler: Filler,
    /// See [`DataTruncation`].
    pub data_truncation: DataTruncation,
    /// See [`TrimText`].
    pub trim_text: TrimText,
    /// See [`BinaryRange`].
    pub binary_range: BinaryRange,
    /// Choices for single fields.
    pub fields: HashMap<FieldId, FieldOptions>,
}

impl Options {
    /// Options with all defaults for a code page.
    #[must_use]
    pub fn new(page: &'static CodePage) -> Self {
        Self {
            page,
            naming: Naming::default(),
            wrapper: None,
            unknown_fields: UnknownFields::default(),
            zero_occurs: ZeroOccurs::default(),
            filler: Filler::default(),
            data_truncation: DataTruncation::default(),
            trim_text: TrimText::default(),
            binary_range: BinaryRange::default(),
            fields: HashMap::new(),
        }
    }
}
