//! The elements, places and types in the XML of a bind, for code that converts it elsewhere.

use copybook::{Layout, Sign};

use super::ElementOrder;
use super::plan::XmlPlan;
use crate::error::CompileError;
use crate::model::{Member, Node, Table};
use crate::number::NumberForm;
use crate::slot::{Codec, NumberCodec, Slot};

/// The elements of a record whose fields are all there, in their order, each with a plain type.
#[derive(Clone, Debug)]
pub struct XmlOutline {
    /// The start tag of the outermost element, as a record is written.
    pub open: String,
    /// The end tag.
    pub close: String,
    /// The elements in it.
    pub members: Vec<XmlMember>,
}

/// An element, or the elements of a table's rows.
#[derive(Clone, Debug)]
pub struct XmlMember {
    /// The name of each.
    pub name: String,
    /// The number of rows, and the bytes from one row to the next; none for an element that occurs once.
    pub rows: Option<(usize, usize)>,
    /// The content of each element.
    pub content: XmlContent,
}

/// The content of an element.
#[derive(Clone, Debug)]
pub enum XmlContent {
    /// More elements.
    Group(Vec<XmlMember>),
    /// A value.
    Value {
        /// Where it starts in the record, in the first row of every table around it.
        offset: usize,
        /// Its length.
        bytes: usize,
        /// The value in the bytes.
        value: XmlValue,
    },
}

/// A value that is converted by its type alone.
#[derive(Clone, Copy, Debug)]
pub enum XmlValue {
    /// Text in the code page of the record.
    Text {
        /// Padded on the left.
        justified: bool,
        /// Blanks at the padded end are not part of the text.
        trim: bool,
    },
    /// A number in units of its last decimal place.
    Number {
        /// The form of its digits and its sign in the bytes.
        form: XmlNumber,
        /// Decimal places.
        scale: u32,
        /// The least value.
        least: i128,
        /// The greatest value.
        greatest: i128,
    },
}

/// The form of a number in its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XmlNumber {
    /// A digit in each byte.
    Zoned(Sign),
    /// Two digits in each byte, and a sign in the last half.
    Packed {
        /// It may be negative.
        signed: bool,
    },
    /// Two's complement, highest byte first.
    Binary {
        /// It may be negative.
        signed: bool,
    },
}

impl XmlPlan {
    /// The outline. Elements with names of their own, prefixes and attributes are errors.
    pub(crate) fn outline(&self, json: &[Member], layout: &Layout) -> Result<XmlOutline, Vec<CompileError>> {
        let mut found = Outline { layout, errors: Vec::new() };
        if self.names.is_some() || !self.prefix.is_empty() || self.has_attributes {
            found.refuse_record("elements with names, prefixes or attributes of a foreign schema");
        }
        if self.order != ElementOrder::Schema {
            found.refuse_record("elements in any order");
        }
        let members = found.members(self.members(json));
        if found.errors.is_empty() {
            let open = format!("<{}{}>", self.root, self.declarations);
            Ok(XmlOutline { open, close: format!("</{}>", self.root), members })
        } else {
            Err(found.errors)
        }
    }
}

struct Outline<'l> {
    layout: &'l Layout,
    errors: Vec<CompileError>,
}

impl Outline<'_> {
    fn refuse_record(&mut self, what: &str) {
        self.errors.push(CompileError { field: String::new(), line: 0, message: not_plain(what) });
    }

    fn refuse(&mut self, member: &Member, what: &str) {
        let field = self.layout.field(member.field);
        let (path, line) = (self.layout.path(member.field), field.place.line);
        self.errors.push(CompileError { field: path, line, message: not_plain(what) });
    }

    fn members(&mut self, members: &[Member]) -> Vec<XmlMember> {
        members.iter().filter_map(|member| self.member(member)).collect()
    }

    fn member(&mut self, member: &Member) -> Option<XmlMember> {
        let rows = match member.table {
            None => None,
            Some(Table { counter: None, min, max, stride, .. }) if min == max => Some((max, stride)),
            Some(_) => {
                self.refuse(member, "a table with OCCURS DEPENDING ON");
                return None;
            }
        };
        if member.view.is_some() {
            self.refuse(member, "a view of redefined bytes");
        } else if !member.required {
            self.refuse(member, "a field that may be missing");
        }
        let content = match &member.node {
            Node::Object(inner) => XmlContent::Group(self.members(inner)),
            Node::Scalar(slot) => {
                let Slot { offset, bytes, codec } = slot;
                XmlContent::Value { offset: *offset, bytes: *bytes, value: self.value(member, codec)? }
            }
        };
        Some(XmlMember { name: member.name.clone(), rows, content })
    }

    fn value(&mut self, member: &Member, codec: &Codec) -> Option<XmlValue> {
        let (form, limits) = match codec {
            Codec::Text(codec) => {
                return Some(XmlValue::Text { justified: codec.justified, trim: codec.trim });
            }
            Codec::Number(NumberCodec { form, limits }) => (form, limits),
            Codec::Rich(_) => {
                let kind = &self.layout.field(member.field).kind;
                self.refuse(member, &format!("the type of this field ({})", kind_name(kind)));
                return None;
            }
        };
        let form = match *form {
            NumberForm::Zoned { sign, .. } => XmlNumber::Zoned(sign),
            NumberForm::Packed { signed } => XmlNumber::Packed { signed },
            NumberForm::Binary { signed } => XmlNumber::Binary { signed },
            NumberForm::PackedUnsigned | NumberForm::LittleBinary { .. } | NumberForm::National { .. } => {
                self.refuse(
                    member,
                    "a number that is neither zoned, packed nor binary with the highest byte first",
                );
                return None;
            }
        };
        let Ok(scale) = u32::try_from(limits.scale) else {
            self.refuse(member, "a picture that ends in P");
            return None;
        };
        Some(XmlValue::Number { form, scale, least: limits.least, greatest: limits.greatest })
    }
}

fn kind_name(kind: &copybook::Kind) -> &'static str {
    use copybook::Kind;
    match kind {
        Kind::Float => "floating point",
        Kind::Edited(_) => "an edited picture",
        Kind::Text { .. } => "text with policies or a form of its own",
        Kind::Zoned { .. } | Kind::Packed { .. } | Kind::Binary { .. } => {
            "a number with policies or a form of its own"
        }
        _ => "neither text nor a number",
    }
}

fn not_plain(what: &str) -> String {
    format!("{what} cannot be converted outside of Gantry")
}
