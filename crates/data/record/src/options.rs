//! The form of a layout in JSON and XML: names, hidden fields, forms of values, limits.

use std::collections::HashMap;

use codepage::{Encoding, Family};
use copybook::FieldId;
use serde::Deserialize;
use xsd::TextType;

use crate::date::DateFormat;
use crate::float::FloatCodec;
use crate::policies::Policies;
use crate::xml::{XmlField, XmlOptions};

/// How COBOL names become JSON names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Naming {
    /// As the batch utilities of the z/OS Connect family make them: lower case, underscores (`count_in`).
    #[default]
    Ls2js,
    /// As DFHLS2WS makes them for elements: as `Ls2js`, but a second `year` becomes `year1`, and fields without a name that
    /// are shown are `filler1`, `filler2`.
    Ls2ws,
    /// As the API toolkit makes them: case kept, underscores (`COUNT_IN`).
    Toolkit,
    /// As written in the copybook (`COUNT-IN`).
    Cobol,
}

/// What to do with a field of the request that the interface does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownFields {
    /// It is an error.
    #[default]
    Refuse,
    /// The field is ignored.
    Ignore,
}

/// What to do with a field that the request does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingFields {
    /// It has its initial value, unless it is required by its own options.
    #[default]
    Initial,
    /// It is an error: every field that is not a view of a REDEFINES is required, and tables that may be empty are not.
    Refuse,
}

/// What to do with a field that stands twice in one object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DuplicateFields {
    /// It is an error.
    #[default]
    Refuse,
    /// Of a single value the last one counts, as in most libraries for JSON; a group or an array is still an error.
    Last,
}

/// What to do with the counters of tables (OCCURS DEPENDING ON).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counters {
    /// They do not show, and are filled from the number of rows.
    #[default]
    Hide,
    /// They show as other fields do, as DFHLS2WS has them. A request may leave one out; one that it gives must be the number of
    /// rows that it gives.
    Show,
}

/// The use of a counter of 0 (OCCURS DEPENDING ON) if the table's minimum is greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ZeroOccurs {
    /// The table has no rows: the array is left out of the JSON, and an array that is left out gives a counter of 0.
    #[default]
    Accept,
    /// Reading it is an error, and an array that is left out gives the minimum of rows with initial values.
    Refuse,
}

/// What to do with an array that has fewer rows than the table's fixed number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingRows {
    /// It is an error.
    #[default]
    Refuse,
    /// The rows that are missing have their initial values.
    Initial,
}

/// The rows at the end of a table of fixed length that do not show: rows that are all 00, or have their
/// initial values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmptyRows {
    /// All rows show.
    #[default]
    Keep,
    /// Those of groups do not.
    OmitGroups,
    /// Those of single values do not, either.
    Omit,
}

impl EmptyRows {
    /// True if a table shows fewer rows; of groups, or of single values.
    pub(crate) fn omits(self, of_groups: bool) -> bool {
        match self {
            EmptyRows::Keep => false,
            EmptyRows::OmitGroups => of_groups,
            EmptyRows::Omit => true,
        }
    }
}

/// The use of a record that holds none of the views for which there are rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnmatchedViews {
    /// It is an error, because these bytes would not show.
    #[default]
    Refuse,
    /// None of the views shows.
    Omit,
}

/// How much room a table of varying length (OCCURS DEPENDING ON) takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableRoom {
    /// Only the room of its rows: the fields behind it move up.
    #[default]
    Rows,
    /// The room of its greatest number of rows: every record has the same length, and every field its place.
    Full,
}

/// Which fields without a name are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Filler {
    /// None.
    #[default]
    Hide,
    /// All, as `FILL_0`, `FILL_1`, ... in the order of the copybook.
    Expose,
}

/// What to do with a record that ends before its layout does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataTruncation {
    /// It is an error, with the first field that is missing.
    #[default]
    Refuse,
    /// Fields beyond the end have their initial values, and rows beyond the end do not exist. A field or row
    /// that is cut in two is still an error.
    Accept,
}

/// Which numbers a binary field may hold (COMP, COMP-4, BINARY; COMP-5 always has the range of its bytes).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BinaryRange {
    /// As many digits as the picture has: the compiler's TRUNC(STD).
    #[default]
    Picture,
    /// Every value that fits the bytes: TRUNC(BIN).
    Bytes,
}

/// The byte that comes first in a native number: COMP-5, BINARY-LONG and similar types, floating point. COMP,
/// COMP-4 and BINARY always have the highest byte first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ByteOrder {
    /// The highest, as on IBM Z.
    #[default]
    Big,
    /// The lowest, as on x86.
    Little,
}

/// The form of COMP-1 and COMP-2 in their bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FloatForm {
    /// IBM's hexadecimal floating point, the compiler's FLOAT(HEX): the default for EBCDIC.
    Ibm,
    /// IEEE 754 binary32 and binary64: the default for other pages.
    Ieee,
}

/// The value of a field with an edited picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EditedValue {
    /// The text as it stands, without blanks at the end.
    #[default]
    Text,
    /// The value that the program moved to the field: the number of a numeric edited field, or else the text
    /// without insertions. Writing edits it by the picture. Reading takes only text that the picture can
    /// make.
    Value,
}

/// The content of fields that have no default and are missing in the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Initialise {
    /// VALUE clauses, else blanks and zeros by type.
    #[default]
    Values,
    /// Blanks and zeros by type; VALUE clauses do not count.
    Types,
    /// Low-values, all bytes 00.
    LowValues,
    /// VALUE clauses, else low-values.
    ValuesOrLowValues,
}

impl Initialise {
    /// True if VALUE clauses count.
    pub(crate) fn takes_values(self) -> bool {
        matches!(self, Self::Values | Self::ValuesOrLowValues)
    }

    /// True if bytes without another initial value are 00.
    pub(crate) fn is_low(self) -> bool {
        matches!(self, Self::LowValues | Self::ValuesOrLowValues)
    }
}

/// The use of the condition names (level 88) of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conditions {
    /// Nothing.
    #[default]
    Ignore,
    /// Their values are listed in the schema, as an enumeration or as ranges.
    Schema,
    /// The same, and a request with another value is refused.
    Enforce,
}

/// Another form for a field's value than the form of its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// A date, a time or both, kept by a picture.
    Date(DateFormat),
    /// True and false, kept as these two values. They are written in the same way as the field's default.
    Boolean {
        /// The value for true.
        yes: String,
        /// The value for false.
        no: String,
    },
    /// The bytes unchanged, two hexadecimal digits each, whatever the field's type.
    Hex,
    /// The bytes unchanged, in base64 (RFC 4648, with padding).
    Base64,
    /// Text of a simple type of XML Schema. The text in a request must be a value of the type. The text in a record is taken as it is.
    Typed(TextType),
}

/// The condition under which a record holds a view of a REDEFINES: a field has one of some values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewRule {
    /// The field that tells. It must lie outside of the area that is described several times, in the same
    /// tables or outside of them. It must not lie behind a table of varying length that starts after the
    /// area.
    pub field: FieldId,
    /// The values, as text. If a request chooses the view and does not give the field, the field gets the
    /// first value.
    pub values: Vec<String>,
}

/// A choice for one field.
#[derive(Clone, Debug, Default)]
pub struct FieldOptions {
    /// The JSON name in place of the profile's.
    pub name: Option<String>,
    /// Shows or hides the field against the rule: `Some(true)` chooses a REDEFINES view in place of the
    /// first, or shows a FILLER; `Some(false)` hides the field and all below it.
    pub included: Option<bool>,
    /// A mapping has taken the field, and all below it, out of the JSON. No other view takes the place of a
    /// removed view.
    pub removed: bool,
    /// The least number that is accepted, as decimal text.
    pub minimum: Option<String>,
    /// The greatest number that is accepted, as decimal text.
    pub maximum: Option<String>,
    /// JSON without this field is refused.
    pub required: bool,
    /// The value if JSON gives none, as text. It is encoded once, when the bind is made.
    pub default: Option<String>,
    /// A sentence for the schema.
    pub description: Option<String>,
    /// See [`Format`].
    pub format: Option<Format>,
    /// JSON leaves the field out if it has this value, as text; `Some("")` is blank text.
    pub omit: Option<String>,
    /// Policies of this field in place of [`Options::policies`].
    pub policies: Option<Policies>,
    /// The form of the field in XML, if it does not follow from [`Options::xml`].
    pub xml: Option<XmlField>,
    /// For a view of a REDEFINES: the condition for it. A view with a rule shows beside others with rules.
    pub when: Option<ViewRule>,
}

/// How a bind is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// The encoding of the record's text. A digit must be one byte in it.
    pub encoding: Encoding,
    /// The encoding of PIC N and USAGE NATIONAL: UTF-16, 1200 or 1202.
    pub national: Encoding,
    /// The encoding of PIC G and USAGE DISPLAY-1; none takes the double-byte part of a mixed `encoding`.
    pub dbcs: Option<Encoding>,
    /// The naming profile.
    pub naming: Naming,
    /// The name of the object around the record's fields; none puts the fields at the top.
    pub wrapper: Option<String>,
    /// See [`UnknownFields`].
    pub unknown_fields: UnknownFields,
    /// See [`MissingFields`].
    pub missing_fields: MissingFields,
    /// See [`DuplicateFields`].
    pub duplicate_fields: DuplicateFields,
    /// See [`Counters`].
    pub counters: Counters,
    /// See [`ZeroOccurs`].
    pub zero_occurs: ZeroOccurs,
    /// See [`MissingRows`].
    pub missing_rows: MissingRows,
    /// See [`EmptyRows`].
    pub empty_rows: EmptyRows,
    /// Records that hold none of several views.
    pub unmatched_views: UnmatchedViews,
    /// See [`TableRoom`].
    pub table_room: TableRoom,
    /// See [`Filler`].
    pub filler: Filler,
    /// See [`DataTruncation`].
    pub data_truncation: DataTruncation,
    /// See [`BinaryRange`].
    pub binary_range: BinaryRange,
    /// See [`ByteOrder`].
    pub native_order: ByteOrder,
    /// See [`FloatForm`]. None means the default of the encoding.
    pub float: Option<FloatForm>,
    /// The byte that comes first in a number in [`FloatForm::Ieee`]; none means `native_order`. A compiler
    /// may keep integers as on a mainframe, and leave floating-point numbers to the machine.
    pub ieee_order: Option<ByteOrder>,
    /// See [`EditedValue`].
    pub edited: EditedValue,
    /// See [`Initialise`].
    pub initialise: Initialise,
    /// See [`Conditions`].
    pub conditions: Conditions,
    /// The policies for reading and writing values that are not plain.
    pub policies: Policies,
    /// The settings that only XML has.
    pub xml: XmlOptions,
    /// Choices for single fields.
    pub fields: HashMap<FieldId, FieldOptions>,
}

impl Options {
    /// Options with all defaults for an encoding, or a single-byte code page.
    #[must_use]
    pub fn new(encoding: impl Into<Encoding>) -> Self {
        let national = Encoding::by_ccsid(1200).expect("UTF-16 is known");
        Self {
            encoding: encoding.into(),
            national,
            dbcs: None,
            naming: Naming::default(),
            wrapper: None,
            unknown_fields: UnknownFields::default(),
            missing_fields: MissingFields::default(),
            duplicate_fields: DuplicateFields::default(),
            counters: Counters::default(),
            zero_occurs: ZeroOccurs::default(),
            missing_rows: MissingRows::default(),
            empty_rows: EmptyRows::default(),
            unmatched_views: UnmatchedViews::default(),
            table_room: TableRoom::default(),
            filler: Filler::default(),
            data_truncation: DataTruncation::default(),
            binary_range: BinaryRange::default(),
            native_order: ByteOrder::default(),
            float: None,
            ieee_order: None,
            edited: EditedValue::default(),
            initialise: Initialise::default(),
            conditions: Conditions::default(),
            policies: Policies::default(),
            xml: XmlOptions::default(),
            fields: HashMap::new(),
        }
    }

    /// The digits and signs of zoned numbers. A bind refuses an encoding without them.
    #[must_use]
    pub fn family(&self) -> Family {
        self.encoding.family().unwrap_or(Family::Ebcdic)
    }

    pub(crate) fn float_codec(&self) -> FloatCodec {
        let form = self.float.unwrap_or(match self.family() {
            Family::Ebcdic => FloatForm::Ibm,
            Family::Ascii => FloatForm::Ieee,
        });
        let own = self.ieee_order.filter(|_| form == FloatForm::Ieee);
        FloatCodec { form, order: own.unwrap_or(self.native_order) }
    }

    /// The policies of a field.
    pub(crate) fn policies_of(&self, field: FieldId) -> Policies {
        self.fields.get(&field).and_then(|choice| choice.policies).unwrap_or(self.policies)
    }
}
