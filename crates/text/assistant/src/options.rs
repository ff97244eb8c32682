//! The choices of the assistant: the parameters of DFHJS2LS by their names, and further ones for Gantry.

use std::fmt;
use std::str::FromStr;

/// The set of rules of the CICS assistants. Each level has the rules of those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum MappingLevel {
    /// The first rules.
    V1_0,
    /// Attributes, lists and unions.
    V1_1,
    /// Floating point.
    V1_2,
    /// As 1.2, from a later release.
    V2_0,
    /// Any XML, and groups of elements that may be missing.
    V2_1,
    /// Groups in choices, substitution groups and abstract types.
    V2_2,
    /// The first JSON rules.
    V3_0,
    /// Tables of varying length in copybooks.
    V4_0,
    /// Better rules for simple arrays.
    V4_1,
    /// Additional properties.
    V4_2,
    /// Arrays of arrays.
    #[default]
    V4_3,
    /// `-existence` in place of `-num` for optional fields.
    V5_0,
}

const LEVELS: &[(MappingLevel, &str)] = &[
    (MappingLevel::V1_0, "1.0"),
    (MappingLevel::V1_1, "1.1"),
    (MappingLevel::V1_2, "1.2"),
    (MappingLevel::V2_0, "2.0"),
    (MappingLevel::V2_1, "2.1"),
    (MappingLevel::V2_2, "2.2"),
    (MappingLevel::V3_0, "3.0"),
    (MappingLevel::V4_0, "4.0"),
    (MappingLevel::V4_1, "4.1"),
    (MappingLevel::V4_2, "4.2"),
    (MappingLevel::V4_3, "4.3"),
    (MappingLevel::V5_0, "5.0"),
];

impl fmt::Display for MappingLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = LEVELS.iter().find(|(level, _)| level == self).map_or("", |(_, name)| name);
        f.write_str(name)
    }
}

impl FromStr for MappingLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        LEVELS.iter().find(|(_, name)| *name == text).map(|(level, _)| *level).ok_or_else(|| {
            let names: Vec<&str> = LEVELS.iter().map(|(_, name)| *name).collect();
            format!("expected one of {}, found '{text}'", names.join(", "))
        })
    }
}

/// The CICS assistant whose rules are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Assistant {
    /// DFHJS2LS: JSON.
    #[default]
    Js2ls,
    /// DFHWS2LS: XML. Names of optional members leave room for `-cont`.
    Ws2ls,
}

impl Assistant {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Assistant::Js2ls => "DFHJS2LS",
            Assistant::Ws2ls => "DFHWS2LS",
        }
    }
}

/// The end of a name that is cut off if the name is too long (NAME-TRUNCATION).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NameTruncation {
    /// The right end.
    #[default]
    Right,
    /// The left end.
    Left,
}

/// The layout of text of varying length (CHAR-VARYING).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CharVarying {
    /// `PIC X(m)`, filled up with blanks.
    #[default]
    No,
    /// As `No`; blanks at the end are not part of the value.
    Collapse,
    /// `PIC X(m+1)`: a null character ends the value.
    Null,
    /// `name-length PIC S9999 COMP-5 SYNC` before `name PIC X(m)`.
    Yes,
}

/// The layout of an array with a varying number of elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VaryingArrays {
    /// `name-num` and a table of the greatest size, up to [`Options::inline_max_occurs`] rows; beyond that as
    /// `Container`. The assistants' rule.
    #[default]
    Inline,
    /// `name-num` and a table OCCURS DEPENDING ON it.
    DependingOn,
    /// `name-num` and `name-cont PIC X(16)`, the name of a container whose rows have a structure of their own.
    Container,
}

/// The layout of an optional member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Optional {
    /// A counter before it, which is 0 if the member is missing: `name-num`, from level 5.0 `name-existence`.
    /// The assistants' rule.
    #[default]
    Counter,
    /// Only the field. It has its initial value if the member is missing.
    Plain,
}

/// The place of optional members of the outermost object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RootOptional {
    /// In the record, as everywhere else. The assistants' rule.
    #[default]
    Inline,
    /// Each has a container, or a data area, of its own: `name-existence` and `name-cont PIC X(16)`. z/OS
    /// Connect lays out the answers of an operation in this way, because a program gives only one of them.
    Container,
}

/// The kind of storage for the rows of an array, or for a value, that is not in the record itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Apart {
    /// A container of the channel, which a field `name-cont PIC X(16)` names.
    #[default]
    Containers,
    /// A data area of z/OS Connect's Host API, which a field `name-dataarea PIC X(16)` names. API requesters
    /// of z/OS Connect are laid out in this way. Text longer than [`Options::char_varying_max`] has no area
    /// of its own: its field is that long.
    DataAreas,
}

impl Apart {
    /// The suffix of the field with its name.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Apart::Containers => "-cont",
            Apart::DataAreas => "-dataarea",
        }
    }

    /// Its name for people.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Apart::Containers => "container",
            Apart::DataAreas => "data area",
        }
    }
}

/// The layout of numbers without `multipleOf`, limits or `format: decimal`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Floats {
    /// COMP-1 and COMP-2. The assistants' rule.
    #[default]
    Float,
    /// COMP-1 SYNC and COMP-2 SYNC, on their boundaries, as z/OS Connect's build toolkit lays out API requesters.
    Synchronized,
    /// COMP-3, exact, with [`Options::default_fraction_digits`].
    Packed,
}

/// The layout of whole numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integers {
    /// COMP-5 SYNC, with the range of its bytes. The assistants' rule.
    #[default]
    Native,
    /// BINARY, with the digits that the range needs.
    Binary,
}

/// The use of a list of values besides a comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Enums {
    /// Nothing. The assistants' rule.
    #[default]
    Comments,
    /// A condition name of level 88 for each value.
    Conditions,
}

/// The layout of a date with a time (DATETIME).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DateTime {
    /// `PIC X(32)`.
    #[default]
    Text,
    /// `PIC S9(15) COMP-3`: milliseconds since 1900.
    Packed15,
}

/// The content of a field for octets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BinaryData {
    /// The octets. The assistants' rule.
    #[default]
    Octets,
    /// The text that encodes them.
    Text,
}

/// The use of a schema with several alternative shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alternatives {
    /// It is an error.
    #[default]
    Refuse,
    /// The first is taken, with a warning.
    First,
}

/// The decimal places that DFHWS2LS gives numbers if the schema does not have them.
const WS2LS_FRACTION_DIGITS: u8 = 3;

/// How a copybook is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the 01 level. It becomes a COBOL name in the same way as names of members.
    pub name: String,
    /// The prefix of the name of the record's 01 level, but not of the 01 levels of rows and values outside
    /// of it: `BAQBASE-` in the structures of z/OS Connect's API requesters.
    pub record_prefix: &'static str,
    /// The source of the copybook, for the comment at its head.
    pub origin: String,
    /// See [`Assistant`].
    pub assistant: Assistant,
    /// See [`MappingLevel`].
    pub mapping_level: MappingLevel,
    /// See [`CharVarying`].
    pub char_varying: CharVarying,
    /// The most characters of a field for text, or bytes if characters have several; longer text goes into a container, if there are any
    /// (CHAR-VARYING-LIMIT).
    pub char_varying_max: u64,
    /// The characters of text without a limit (DEFAULT-CHAR-MAXLENGTH).
    pub default_char_max: u64,
    /// The bytes of each character of text (CHAR-MULTIPLIER).
    pub char_multiplier: u64,
    /// See [`VaryingArrays`].
    pub varying_arrays: VaryingArrays,
    /// The most rows of a varying array that has no container (INLINE-MAXOCCURS-LIMIT).
    pub inline_max_occurs: u64,
    /// The rows of an array without a limit, if it has no container. Without this number, such an array is an
    /// error.
    pub default_array_max: Option<u64>,
    /// See [`Optional`].
    pub optional: Optional,
    /// Nothing goes into a container: a table has room for the greatest number of rows, and a schema gives no choice.
    pub one_record: bool,
    /// A member with a counter of [`Optional::Counter`] is a table of no row or one, which depends on the
    /// counter. The bytes are the same, if such a table takes its full room; a bind then reads and writes the
    /// counter.
    pub presence_tables: bool,
    /// See [`RootOptional`].
    pub root_optional: RootOptional,
    /// See [`Apart`].
    pub apart: Apart,
    /// See [`Integers`].
    pub integers: Integers,
    /// See [`Floats`].
    pub floats: Floats,
    /// Decimal places of decimal numbers without `multipleOf` (DEFAULT-FRACTION-DIGITS).
    pub default_fraction_digits: u8,
    /// Packed numbers may have 31 digits, not 18 (WIDE-COMP3).
    pub wide_comp3: bool,
    /// See [`Enums`].
    pub enums: Enums,
    /// See [`DateTime`].
    pub datetime: DateTime,
    /// See [`BinaryData`].
    pub binary_data: BinaryData,
    /// See [`Alternatives`].
    pub alternatives: Alternatives,
    /// Underscores become hyphens, not `X` (MAPPING-OVERRIDES=UNDERSCORES-AS-HYPHENS).
    pub underscores_as_hyphens: bool,
    /// See [`NameTruncation`].
    pub name_truncation: NameTruncation,
}

impl Options {
    /// The rules of DFHJS2LS: the structure that programs made for CICS expect.
    #[must_use]
    pub fn assistant(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            record_prefix: "",
            origin: String::new(),
            assistant: Assistant::default(),
            mapping_level: MappingLevel::default(),
            char_varying: CharVarying::default(),
            char_varying_max: 32_767,
            default_char_max: 255,
            char_multiplier: 1,
            varying_arrays: VaryingArrays::default(),
            inline_max_occurs: 1,
            default_array_max: None,
            optional: Optional::default(),
            one_record: false,
            presence_tables: false,
            root_optional: RootOptional::default(),
            apart: Apart::default(),
            integers: Integers::default(),
            floats: Floats::default(),
            default_fraction_digits: 2,
            wide_comp3: false,
            enums: Enums::default(),
            datetime: DateTime::default(),
            binary_data: BinaryData::default(),
            alternatives: Alternatives::default(),
            underscores_as_hyphens: false,
            name_truncation: NameTruncation::default(),
        }
    }

    /// The rules of DFHWS2LS: the structure that programs made for CICS web services expect.
    #[must_use]
    pub fn web_service(name: &str) -> Self {
        Self {
            assistant: Assistant::Ws2ls,
            default_fraction_digits: WS2LS_FRACTION_DIGITS,
            ..Self::assistant(name)
        }
    }

    /// The rules for a service of Gantry: one record without containers, in which every field is a member of
    /// the JSON or the counter of a table, so that the bind alone can fill it.
    #[must_use]
    pub fn gateway(name: &str) -> Self {
        Self {
            varying_arrays: VaryingArrays::DependingOn,
            optional: Optional::Plain,
            floats: Floats::Packed,
            wide_comp3: true,
            binary_data: BinaryData::Text,
            underscores_as_hyphens: true,
            ..Self::assistant(name)
        }
    }
}
