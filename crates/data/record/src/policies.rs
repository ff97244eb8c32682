//! Policies for values that are not plain: blanks, low-values, control characters, null, very large numbers.

use codepage::Unmappable;
use serde::Deserialize;

/// Policies for the values of all fields, or of one. The defaults are strict: bytes that are not a value of
/// the field's type are an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policies {
    /// Blanks around text.
    pub trim_text: TrimText,
    /// Low-values (00) in text.
    pub low_value_text: LowValueText,
    /// Control characters in text, in both directions; low-values are among them.
    pub control_characters: ControlCharacters,
    /// Text longer than its field.
    pub long_text: LongText,
    /// Characters that the record's encoding does not have, and codes without a character.
    pub unmappable: Substitution,
    /// Numbers whose bytes are all blanks.
    pub blank_numbers: BadNumber,
    /// Zoned, packed and edited numbers whose bytes are all 00.
    pub low_value_numbers: BadNumber,
    /// Blanks and low-values around the digits of a zoned or national number.
    pub padded_numbers: PaddedNumbers,
    /// Other bytes that are not a number of the field's type, or a number beyond its limits.
    pub bad_numbers: BadNumber,
    /// Null in a request: JSON's null, `xsi:nil` in XML.
    pub nulls: Nulls,
    /// Values that are left out of the JSON: members of objects, not rows of arrays.
    pub omit_empty: OmitEmpty,
    /// How numbers are written.
    pub numbers: NumberStyle,
    /// Text in a request for a number.
    pub text_numbers: TextNumbers,
}

/// What to do with blanks around text in a record. Text is padded with blanks at its end, or at its start if the field
/// is JUSTIFIED.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrimText {
    /// The blanks that pad the field are left out of the JSON.
    #[default]
    Trailing,
    /// The blanks on both sides are left out.
    Both,
    /// They are part of the value.
    Keep,
}

/// What to do with low-values (00) in text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LowValueText {
    /// They are characters, U+0000, and go by the policy for control characters.
    #[default]
    Keep,
    /// Those at the end of a field are left out, with blanks among them.
    Trim,
    /// A field that has only low-values is null. In other fields they are characters.
    Null,
    /// The first one ends the text, and the bytes behind it do not count. Writing adds one at the end, so the
    /// text must have at least one character less than its field. This is for PIC X; other text keeps them.
    /// JUSTIFIED does not count.
    End,
}

/// What to do with control characters: U+0000 to U+001F, U+007F to U+009F.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlCharacters {
    /// They are kept, escaped as JSON demands. XML has no escape for most of them, and refuses those.
    #[default]
    Escape,
    /// Each becomes a blank.
    Blank,
    /// They are left out.
    Remove,
    /// They are an error.
    Refuse,
}

/// What to do with text longer than its field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LongText {
    /// It is an error.
    #[default]
    Refuse,
    /// It is cut at the end, or at the start if the field is JUSTIFIED, at a whole character.
    Cut,
}

/// What to do with a character or a code that the other side does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Substitution {
    /// It is an error.
    #[default]
    Refuse,
    /// It becomes the encoding's substitution character; U+FFFD in JSON.
    Substitute,
}

impl From<Substitution> for Unmappable {
    fn from(choice: Substitution) -> Self {
        match choice {
            Substitution::Refuse => Unmappable::Error,
            Substitution::Substitute => Unmappable::Substitute,
        }
    }
}

/// The use of bytes in a record that are not a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BadNumber {
    /// They are an error.
    #[default]
    Refuse,
    /// They are null.
    Null,
    /// They are zero.
    Zero,
}

/// What to do with blanks and low-values (00) in front of the digits of a number, or behind them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaddedNumbers {
    /// The bytes are not a number.
    #[default]
    Refuse,
    /// They are left out: `  5` and `5  ` are both 5.
    Accept,
}

/// What to do with text where a request must have a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextNumbers {
    /// It is an error.
    #[default]
    Refuse,
    /// Text of digits is that number, also with zeros in front: `"0010"` is 10.
    Accept,
}

/// What to do with null in a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nulls {
    /// It is an error.
    #[default]
    Refuse,
    /// The field keeps its initial value, as if it were not there.
    Initial,
    /// The field is filled with blanks.
    Blanks,
    /// The field is filled with 00.
    LowValues,
}

/// Which values are left out of the JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OmitEmpty {
    /// None.
    #[default]
    Never,
    /// Null.
    Null,
    /// Null and empty text.
    Text,
    /// Null, empty text and zero.
    Zero,
}

/// How numbers are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NumberStyle {
    /// As JSON numbers, of any size.
    #[default]
    Number,
    /// Numbers of fields that may hold more than 15 digits are text, which every reader keeps exactly.
    LargeAsText,
    /// All as text.
    Text,
}
