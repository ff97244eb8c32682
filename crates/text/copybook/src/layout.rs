//! The layout of a record: the place, the length and the encoding of each field.
//!
//! All later readers and writers of a record start from here, and never need the COBOL text again. Offsets
//! count from 0, in bytes, with every variable table at its largest; a field in a table has the offset of its
//! first row.

use std::collections::HashMap;

use crate::{Place, Rename};

/// A field's number in its layout: its position in the order of the copybook's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldId(pub(crate) u32);

impl FieldId {
    /// The position in [`Layout::fields`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One record: a tree of fields in the order of the text, the root first.
#[derive(Clone, Debug)]
pub struct Layout {
    pub(crate) name: String,
    pub(crate) fields: Vec<Field>,
    pub(crate) renames: Vec<Rename>,
    pub(crate) redefines: Option<String>,
}

/// One field: a group or an elementary item.
#[derive(Clone, Debug)]
pub struct Field {
    /// The COBOL name in upper case; `FILLER` for a field without a name.
    pub name: String,
    /// The name as the copybook spells it.
    pub spelling: String,
    /// True for `FILLER` and for a field without a name. Other clauses cannot refer to it.
    pub filler: bool,
    /// The level number as written (1 for a root that the copybook leaves out).
    pub level: u8,
    /// The group that holds this field; none for the root.
    pub parent: Option<FieldId>,
    /// The fields of this group, in order; empty for an elementary item.
    pub children: Vec<FieldId>,
    /// Bytes from the start of the record, tables before it at their largest, in the first row of tables around it.
    pub offset: usize,
    /// Bytes of one occurrence, tables within it at their largest.
    pub bytes: usize,
    /// The field's OCCURS clause.
    pub occurs: Option<Occurs>,
    /// The field that this one redefines.
    pub redefines: Option<FieldId>,
    /// The content of the bytes.
    pub kind: Kind,
    /// True with SYNCHRONIZED, given to the field or to a group around it.
    pub synchronized: bool,
    /// The literal of the VALUE clause.
    pub value: Option<Literal>,
    /// The level-88 condition names of this field.
    pub conditions: Vec<Condition>,
    /// The place of the field's entry.
    pub place: Place,
}

/// The number of times that a field occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurs {
    /// The least number of rows; equal to `max` for a table of fixed length.
    pub min: u32,
    /// The greatest number of rows.
    pub max: u32,
    /// The field that holds the number of rows (OCCURS DEPENDING ON).
    pub depending_on: Option<FieldId>,
}

/// The content of a field's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A group: its bytes are those of its children.
    Group,
    /// PIC X or A: one byte a character of the record's code page.
    Text {
        /// JUSTIFIED RIGHT: padded on the left.
        justified: bool,
    },
    /// A picture with editing characters: text that shows a number or text.
    Edited(Edited),
    /// PIC 9 with USAGE DISPLAY: one digit for each byte.
    Zoned {
        /// Digit positions stored.
        digits: u8,
        /// Digits right of the decimal point. It is negative if P stands for digits that are not stored.
        scale: i8,
        /// The place and the form of the sign.
        sign: Sign,
    },
    /// COMP-3, PACKED-DECIMAL: two digits a byte, the sign in the last half byte.
    Packed {
        /// Digits of the picture.
        digits: u8,
        /// Digits right of the decimal point.
        scale: i8,
        /// False: the sign half byte is F.
        signed: bool,
    },
    /// COMP, COMP-4, BINARY, COMP-5: two's complement of 2, 4 or 8 bytes. BINARY-CHAR and COMP-X may also have
    /// one byte, and COMP-X any number up to 8.
    Binary {
        /// Digits of the picture.
        digits: u8,
        /// Digits right of the decimal point.
        scale: i8,
        /// Two's complement, or unsigned.
        signed: bool,
        /// COMP-5, COMP-N, BINARY-CHAR and similar types: the bytes are in the machine's order, and the range
        /// is that of the bytes, not of the picture. This does not include COMP-X with a picture of X. Such a
        /// field has the digits that its bytes can need, and its highest byte comes first.
        native: bool,
    },
    /// COMP-6: packed without a sign half byte.
    PackedUnsigned {
        /// Digits of the picture.
        digits: u8,
        /// Digits right of the decimal point.
        scale: i8,
    },
    /// COMP-1 (4 bytes) or COMP-2 (8 bytes).
    Float,
    /// PIC N: UTF-16, two bytes a character.
    National {
        /// JUSTIFIED RIGHT: padded on the left.
        justified: bool,
    },
    /// PIC U: UTF-8, padded with blanks.
    Utf8 {
        /// The number of characters, with four bytes for each. None with BYTE-LENGTH: the number that fits.
        characters: Option<usize>,
    },
    /// PIC 9 with USAGE NATIONAL: one digit a UTF-16 character.
    NationalNumber {
        /// Digit positions stored.
        digits: u8,
        /// Digits right of the decimal point. It is negative if P stands for digits that are not stored.
        scale: i8,
        /// [`Sign::None`] or a separate sign. No other sign is allowed.
        sign: Sign,
    },
    /// PIC G or USAGE DISPLAY-1: double-byte characters.
    Dbcs {
        /// JUSTIFIED RIGHT: padded on the left.
        justified: bool,
    },
    /// POINTER, PROCEDURE-POINTER, FUNCTION-POINTER, INDEX, OBJECT REFERENCE: bytes without a meaning outside
    /// of the program.
    Pointer,
}

/// A picture with editing symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The picture string as written, in upper case.
    pub picture: String,
    /// The symbols in order, each with its number of repetitions. They are those of the language reference in
    /// upper case, whatever the program's own are: `$` for any currency sign, `.` for the decimal point and
    /// `,` for the other of the two, `C` for CR, `D` for DB.
    pub symbols: Vec<(char, u32)>,
    /// True if it is numeric edited and shows a number.
    pub numeric: bool,
    /// BLANK WHEN ZERO.
    pub blank_when_zero: bool,
    /// The currency sign of `$`.
    pub currency: String,
    /// DECIMAL-POINT IS COMMA: the decimal point is shown as a comma, and the comma as a point.
    pub decimal_comma: bool,
    /// USAGE NATIONAL: the characters are UTF-16, two bytes each.
    pub national: bool,
}

/// The place of a zoned number's sign (SIGN clause).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Unsigned.
    None,
    /// In the zone of the last digit.
    Trailing,
    /// In the zone of the first digit.
    Leading,
    /// A `+` or `-` after the digits.
    TrailingSeparate,
    /// A `+` or `-` before the digits.
    LeadingSeparate,
}

/// A literal or figurative constant of a VALUE clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// A number as written, such as `-1.50`, always with a decimal point, never a comma.
    Number(String),
    /// Text without its quotes.
    Text(String),
    /// A hexadecimal literal, `X'0D25'`.
    Hex(Vec<u8>),
    /// ZERO, ZEROS, ZEROES.
    Zeros,
    /// SPACE, SPACES.
    Spaces,
    /// LOW-VALUE, LOW-VALUES.
    LowValues,
    /// HIGH-VALUE, HIGH-VALUES.
    HighValues,
    /// QUOTE, QUOTES.
    Quotes,
    /// NULL, NULLS.
    Nulls,
    /// ALL literal: repeated to fill the field.
    All(Box<Literal>),
}

/// A level-88 entry: a name for values of the field above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The condition name in upper case.
    pub name: String,
    /// The values, or ranges (THRU), that make it true.
    pub values: Vec<(Literal, Option<Literal>)>,
}

/// The reason why a name does not lead to a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolveError {
    /// No field has this name.
    Unknown {
        /// A field with a similar name.
        nearest: Option<String>,
    },
    /// Several fields have the name; their full paths.
    Ambiguous(Vec<String>),
}

impl ResolveError {
    /// The reason why `name` does not lead to a field, in words.
    #[must_use]
    pub fn explain(&self, name: &str) -> String {
        match self {
            ResolveError::Unknown { nearest: Some(nearest) } => {
                format!("the copybook has no field '{name}'; did you mean '{nearest}'?")
            }
            ResolveError::Unknown { nearest: None } => format!("the copybook has no field '{name}'"),
            ResolveError::Ambiguous(paths) => format!("'{name}' may be any of: {}", paths.join(", ")),
        }
    }
}

impl Layout {
    /// The record of a side without data: no fields, no bytes.
    #[must_use]
    pub fn nothing(name: &str) -> Self {
        let root = Field {
            name: name.to_owned(),
            spelling: name.to_owned(),
            filler: false,
            level: 1,
            parent: None,
            children: Vec::new(),
            offset: 0,
            bytes: 0,
            occurs: None,
            redefines: None,
            kind: Kind::Group,
            synchronized: false,
            value: None,
            conditions: Vec::new(),
            place: Place { line: 0, column: 1, span: 0..0, file: 0 },
        };
        Self { name: name.to_owned(), fields: vec![root], renames: Vec::new(), redefines: None }
    }

    /// The record's name: that of its 01 level, or the copybook member's if there is no 01.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The record itself: the first field.
    #[must_use]
    pub fn root(&self) -> &Field {
        &self.fields[0]
    }

    /// All fields in the order of the text, a group before its children.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// All fields with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (FieldId, &Field)> {
        self.fields.iter().enumerate().map(|(index, field)| (FieldId(index as u32), field))
    }

    /// One field.
    #[must_use]
    pub fn field(&self, id: FieldId) -> &Field {
        &self.fields[id.index()]
    }

    /// The name of the record that this one redefines (level 01 with REDEFINES).
    #[must_use]
    pub fn redefines(&self) -> Option<&str> {
        self.redefines.as_deref()
    }

    /// The level-66 entries: other names for ranges of bytes. They are not fields, and no path leads to them.
    #[must_use]
    pub fn renames(&self) -> &[Rename] {
        &self.renames
    }

    /// The same bytes, but each table of single characters (PIC X OCCURS n) becomes one text of n characters.
    /// Tables of varying length stay tables.
    #[must_use]
    pub fn with_joined_characters(mut self) -> Self {
        for field in &mut self.fields {
            if let (Kind::Text { justified: false }, 1, Some(Occurs { max, depending_on: None, .. })) =
                (&field.kind, field.bytes, field.occurs)
            {
                field.bytes = max as usize;
                field.occurs = None;
            }
        }
        self
    }

    /// The greatest length of the record in bytes.
    #[must_use]
    pub fn max_bytes(&self) -> usize {
        self.root().bytes
    }

    /// A field and the groups around it, the field first and the record last.
    pub fn around(&self, id: FieldId) -> impl Iterator<Item = FieldId> {
        std::iter::successors(Some(id), |at| self.field(*at).parent)
    }

    /// True if a field is this group, or is in it.
    #[must_use]
    pub fn is_within(&self, id: FieldId, group: FieldId) -> bool {
        self.around(id).any(|at| at == group)
    }

    /// True if a field's bytes are described more than once: it redefines another one, or another one redefines it.
    #[must_use]
    pub fn is_overlaid(&self, id: FieldId) -> bool {
        self.field(id).redefines.is_some() || self.fields.iter().any(|other| other.redefines == Some(id))
    }

    /// The COBOL names from below the record down to the field, joined by dots: `COMM-KEY.COMM-NUMBER`.
    #[must_use]
    pub fn path(&self, id: FieldId) -> String {
        let mut names = vec![self.field(id).name.as_str()];
        let mut at = self.field(id).parent;
        while let Some(parent) = at {
            let field = self.field(parent);
            if field.parent.is_none() {
                break;
            }
            names.push(&field.name);
            at = field.parent;
        }
        names.reverse();
        names.join(".")
    }

    /// Finds a field by its COBOL name, with enough groups in front to make it unique: `COMM-NUMBER` or
    /// `COMM-KEY.COMM-NUMBER`. Case is ignored, and the record's own name may stand in front.
    ///
    /// # Errors
    /// The name does not lead to a field, or leads to several.
    pub fn resolve(&self, name: &str) -> Result<FieldId, ResolveError> {
        let wanted: Vec<String> = name.split('.').map(str::to_ascii_uppercase).collect();
        let found: Vec<FieldId> = self
            .iter()
            .filter(|(id, field)| !field.filler && self.is_qualified_by(*id, &wanted))
            .map(|(id, _)| id)
            .collect();
        // A complete path wins over a longer one with the same end.
        let exact: Vec<FieldId> =
            found.iter().copied().filter(|id| self.path(*id) == wanted.join(".")).collect();
        match (found.as_slice(), exact.as_slice()) {
            ([one], _) | (_, [one]) => Ok(*one),
            ([], _) => {
                Err(ResolveError::Unknown { nearest: self.nearest(wanted.last().map_or("", String::as_str)) })
            }
            (several, _) => Err(ResolveError::Ambiguous(several.iter().map(|id| self.path(*id)).collect())),
        }
    }

    /// True if the field's own name is the last of `wanted` and the others name groups around it, outermost first.
    fn is_qualified_by(&self, id: FieldId, wanted: &[String]) -> bool {
        let Some((last, qualifiers)) = wanted.split_last() else { return false };
        if self.field(id).name != *last {
            return false;
        }
        let mut qualifiers = qualifiers.iter().rev().peekable();
        let mut at = self.field(id).parent;
        while let (Some(qualifier), Some(parent)) = (qualifiers.peek(), at) {
            if self.field(parent).name == **qualifier {
                qualifiers.next();
            }
            at = self.field(parent).parent;
        }
        qualifiers.next().is_none()
    }

    fn nearest(&self, name: &str) -> Option<String> {
        self.fields
            .iter()
            .filter(|field| !field.filler)
            .map(|field| (edit_distance(&field.name, name), &field.name))
            .filter(|(distance, _)| *distance <= 1 + name.len() / 4)
            .min()
            .map(|(_, name)| name.clone())
    }
}

/// The paths of a layout, for finding many of its fields.
#[derive(Clone, Debug)]
pub struct Paths<'l> {
    layout: &'l Layout,
    /// The fields by their paths; none for a path of several fields.
    by_path: HashMap<String, Option<FieldId>>,
}

impl<'l> Paths<'l> {
    /// The paths of all fields with names.
    #[must_use]
    pub fn of(layout: &'l Layout) -> Self {
        let mut by_path = HashMap::with_capacity(layout.fields.len());
        for (id, _) in layout.iter().filter(|(_, field)| !field.filler) {
            by_path.entry(layout.path(id)).and_modify(|known| *known = None).or_insert(Some(id));
        }
        Self { layout, by_path }
    }

    /// Finds a field like [`Layout::resolve`], and fast if the name is its whole path.
    ///
    /// # Errors
    /// As [`Layout::resolve`].
    pub fn resolve(&self, name: &str) -> Result<FieldId, ResolveError> {
        match self.by_path.get(&name.to_ascii_uppercase()) {
            Some(Some(id)) => Ok(*id),
            _ => self.layout.resolve(name),
        }
    }
}

/// The number of single-character changes that turn one name into the other (Levenshtein), to find the name that
/// was meant.
#[must_use]
pub fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
