//! The interface of a record in a configuration: `[request]` and `[response]` of a service, and similar
//! sections.

use std::collections::BTreeMap;
use std::ops::Range;

use copybook::{FieldId, Layout, PointerBytes};
use record::{
    BinaryRange, ByteOrder, Conditions, Counters, DataTruncation, DuplicateFields, EditedValue, EmptyRows,
    Filler, FloatForm, Initialise, MissingFields, MissingRows, Policies, TableRoom, UnknownFields,
    UnmatchedViews, XmlField, ZeroOccurs,
};
use serde::Deserialize;
use toml::Spanned;
use xml::OtherAttributes;

/// The words of `format`: the columns of a COBOL text.
#[derive(Deserialize)]
#[serde(remote = "copybook::Format", rename_all = "lowercase")]
enum FormatWord {
    Auto,
    Fixed,
    Free,
}

/// `character_tables`: the JSON form of tables of single characters (PIC X OCCURS).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CharacterTables {
    /// As arrays.
    #[default]
    Rows,
    /// As one text each.
    Text,
}

/// `[request]` and `[response]` of a service: a copybook and its form in JSON.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterfaceSection {
    /// A file in `copybooks/`.
    pub copybook: Spanned<String>,
    /// The 01 level, if the copybook has several.
    pub(crate) record: Option<Spanned<String>>,
    /// Text that is replaced in the copybook, in phrases of COPY REPLACING.
    #[serde(default)]
    pub replacing: Vec<Spanned<String>>,
    /// The reference format of the copybook.
    #[serde(default, with = "FormatWord")]
    pub(crate) format: copybook::Format,
    /// The comma is the decimal point of pictures, as after DECIMAL-POINT IS COMMA.
    #[serde(default)]
    pub(crate) decimal_comma: bool,
    /// The bytes of an address; by default, the number that the user of the records has.
    pub(crate) pointer_bytes: Option<PointerBytesKey>,
    /// The name of the object around the fields; empty for none.
    pub(crate) wrapper: Option<String>,
    /// The containers for the groups of the record, by the names of the groups, if the program has a channel.
    #[serde(default)]
    pub containers: BTreeMap<Spanned<String>, String>,
    #[serde(default)]
    pub(crate) unknown_fields: UnknownFields,
    #[serde(default)]
    pub(crate) missing_fields: MissingFields,
    #[serde(default)]
    pub(crate) duplicate_fields: DuplicateFields,
    #[serde(default)]
    pub(crate) zero_occurs: ZeroOccurs,
    #[serde(default)]
    pub(crate) missing_rows: MissingRows,
    #[serde(default)]
    pub(crate) empty_rows: EmptyRows,
    #[serde(default)]
    pub(crate) unmatched_views: UnmatchedViews,
    #[serde(default)]
    pub(crate) table_room: TableRoom,
    /// The attributes that the element of a message may have although no field has them.
    #[serde(default)]
    pub(crate) other_attributes: OtherAttributes,
    #[serde(default)]
    pub(crate) filler: Filler,
    #[serde(default)]
    pub(crate) counters: Counters,
    #[serde(default)]
    pub(crate) character_tables: CharacterTables,
    #[serde(default)]
    pub(crate) data_truncation: DataTruncation,
    #[serde(default)]
    pub(crate) binary_range: BinaryRange,
    #[serde(default)]
    pub(crate) native_order: ByteOrder,
    pub(crate) float: Option<FloatForm>,
    #[serde(default)]
    pub(crate) edited: EditedValue,
    #[serde(default)]
    pub(crate) initialise: Initialise,
    #[serde(default)]
    pub(crate) conditions: Conditions,
    /// Policies for the values of all fields.
    #[serde(default)]
    pub(crate) values: Policies,
    /// Choices for fields, by COBOL name or path.
    #[serde(default)]
    pub(crate) fields: BTreeMap<Spanned<String>, FieldSection>,
}

impl InterfaceSection {
    /// The place of the choices for a field, or else of the copybook.
    #[must_use]
    pub fn place_of(&self, layout: &Layout, field: FieldId) -> Range<usize> {
        let is_it = |name: &&Spanned<String>| layout.resolve(name.get_ref()).is_ok_and(|id| id == field);
        self.fields.keys().find(is_it).map_or_else(|| self.copybook.span(), Spanned::span)
    }
}

/// `pointer_bytes`: 4 or 8.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "u8")]
pub(crate) struct PointerBytesKey(pub(crate) PointerBytes);

impl TryFrom<u8> for PointerBytesKey {
    type Error = String;

    fn try_from(bytes: u8) -> Result<Self, String> {
        match bytes {
            4 => Ok(Self(PointerBytes::Four)),
            8 => Ok(Self(PointerBytes::EightAndIndexFour)),
            other => Err(format!("expected 4 or 8, found {other}")),
        }
    }
}

/// A choice for one field: `COUNT-OUT = { minimum = 1, maximum = 32, required = true }`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldSection {
    pub(crate) name: Option<String>,
    pub(crate) included: Option<bool>,
    pub(crate) minimum: Option<Scalar>,
    pub(crate) maximum: Option<Scalar>,
    #[serde(default)]
    pub(crate) required: bool,
    pub(crate) default: Option<Scalar>,
    pub(crate) description: Option<String>,
    /// The picture of the date or time in the field.
    pub(crate) date: Option<Spanned<String>>,
    /// The first of the hundred years that `YY` in the picture means.
    pub(crate) century_window: Option<u16>,
    pub(crate) boolean: Option<BooleanSection>,
    /// The field's bytes as text.
    pub(crate) bytes: Option<BytesWord>,
    /// The simple type of XML Schema that the text has.
    pub(crate) xsd: Option<Spanned<String>>,
    /// JSON leaves the field out if it has this value.
    pub(crate) omit: Option<Scalar>,
    /// The element or attribute of a web service, if its schema is not made from the copybook.
    pub(crate) xml: Option<XmlField>,
    /// Policies for this field, in place of those of the interface.
    pub(crate) values: Option<Policies>,
    pub(crate) when: Option<WhenSection>,
}

/// `boolean = { true = "Y", false = "N" }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BooleanSection {
    pub(crate) r#true: Scalar,
    pub(crate) r#false: Scalar,
}

/// `bytes`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BytesWord {
    /// Two hexadecimal digits for each byte.
    Hex,
    /// Base64 (RFC 4648, section 4).
    Base64,
}

/// `when = { field = "KIND", is = ["A", "B"] }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WhenSection {
    pub(crate) field: Spanned<String>,
    pub(crate) is: Vec<Scalar>,
}

/// A value: text, or an integer; a number with decimal places is written as text, because it must stay exact.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected text or an integer (write decimal numbers as text: \"1.50\")")]
pub enum Scalar {
    /// As it is written.
    Text(String),
    /// A whole number.
    Integer(i64),
}

impl Scalar {
    /// It as text.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Scalar::Text(text) => text.clone(),
            Scalar::Integer(integer) => integer.to_string(),
        }
    }
}
