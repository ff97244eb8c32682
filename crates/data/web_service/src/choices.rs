//! The choices of an assistant that still count when the service runs.

use serde::{Deserialize, Serialize};

/// The form of text fields (CHAR-VARYING).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CharVarying {
    /// Text of fixed length: blanks at its end are part of the value.
    #[default]
    No,
    /// A character 00 ends the text, and takes one byte of the field.
    Null,
    /// Blanks at the end are left out.
    Collapse,
    /// Bytes, in base64.
    Binary,
}

/// The form of a table of single characters (CHAR-OCCURS).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CharOccurs {
    /// As one element for each character.
    #[default]
    Array,
    /// As one text.
    String,
}

/// The meaning of packed numbers of 15 digits (DATETIME).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DateTime {
    /// Numbers.
    #[default]
    Unused,
    /// Points in time: milliseconds since 1900, as ASKTIME gives them.
    Packed15,
}

/// Rows without values at the end of a table of fixed length that do not become elements
/// (TRUNCATE-NULL-ARRAYS and TRUNCATE-NULL-ARRAY-VALUES).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NullRows {
    /// All rows are elements.
    #[default]
    Keep,
    /// Rows of groups do not.
    OmitGroups,
    /// Rows of single values do not, either.
    Omit,
}

/// The choices. A choice that is left out has the assistants' default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Choices {
    /// See [`CharVarying`].
    #[serde(skip_serializing_if = "is_default")]
    pub char_varying: CharVarying,
    /// See [`CharOccurs`].
    #[serde(skip_serializing_if = "is_default")]
    pub char_occurs: CharOccurs,
    /// See [`DateTime`].
    #[serde(skip_serializing_if = "is_default")]
    pub datetime: DateTime,
    /// A record may end before its layout does (DATA-TRUNCATION=ENABLED).
    #[serde(skip_serializing_if = "is_default")]
    pub data_truncation: bool,
    /// Bad numbers in a record are 0 instead of a fault (DATA-SCREENING=DISABLED).
    #[serde(skip_serializing_if = "is_default")]
    pub bad_numbers_are_zero: bool,
    /// See [`NullRows`].
    #[serde(skip_serializing_if = "is_default")]
    pub null_rows: NullRows,
    /// A table that depends on a counter takes the room of its greatest number of rows. The program's
    /// structure has a table of that size, and a counter for the used rows.
    #[serde(skip_serializing_if = "is_default")]
    pub full_tables: bool,
}

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
