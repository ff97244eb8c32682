//! Lays a shape out as COBOL entries: groups, tables, counters, lengths and containers, by the chosen rules.

mod attribute;
mod choice;
mod field;
mod one;
mod slack;
mod table;

use std::collections::{BTreeMap, VecDeque};

use crate::area::{self, Area, Content, Placed};
use crate::decimal::Decimal;
use crate::diagnostic::Report;
use crate::name::Names;
use crate::options::{Assistant, Enums, MappingLevel, Optional, Options, RootOptional};
use crate::picture::{self, Digits};
use crate::shape::{Kind, Member, Shape, Xml, XmlForm};
use field::{comments, counter_field, values_of};
use table::Occurs;

/// The most levels of groups: level numbers increase by three and end with 49.
pub const DEPTH_MAX: usize = 16;

/// The most rows of a table.
pub const OCCURS_MAX: u64 = 16_777_215;

/// The most entries of a copybook.
pub const ENTRIES_MAX: usize = 40_000;

/// The most bytes of one structure.
pub const RECORD_BYTES_MAX: u64 = 64 << 20;

/// The most characters of a condition's value. Longer values stand only in the comment.
const CONDITION_CHARACTERS_MAX: usize = 14;

/// The purpose of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It has the value of a member, or the members of an object.
    Value,
    /// A table, with a row for each element of an array.
    Rows,
    /// The number of rows of the table that depends on it. A bind fills it.
    Counter,
    /// The number of used rows of a table, or of rows in a container.
    Count,
    /// 0 if an optional member is missing.
    Presence,
    /// The number of used characters of the next field.
    Length,
    /// The name of a container.
    Container,
    /// The number of the chosen member of a choice.
    Choice,
}

/// A field and its member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldName {
    /// The names of the members that lead to it, `[]` after arrays: `orderLines[].sku`.
    pub json: String,
    /// The member's own name.
    pub name: String,
    /// The 01 level.
    pub record: String,
    /// The COBOL name; unique in the copybook.
    pub field: String,
    /// The COBOL names that lead to it below the 01 level: `ORDER-LINES.SKU`.
    pub path: String,
    /// The purpose of the field.
    pub role: Role,
    /// JSON without it does not fit the schema.
    pub required: bool,
    /// It is true or false.
    pub boolean: bool,
    /// The least value, if the schema has one that can be enforced for a record.
    pub minimum: Option<String>,
    /// The greatest value, in the same way.
    pub maximum: Option<String>,
    /// The member in XML.
    pub xml: Option<Xml>,
}

/// An entry, with the entries below it.
#[derive(Debug, Default)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) clauses: Vec<String>,
    pub(crate) comments: Vec<String>,
    /// Condition names with their literals.
    pub(crate) conditions: Vec<(String, String)>,
    pub(crate) children: Vec<Field>,
    /// Bytes of one elementary field.
    pub(crate) bytes: u64,
    /// Its place is a multiple of this number (SYNC); 0 stands for 1.
    pub(crate) boundary: u64,
    /// The number of its rows; 0 stands for 1.
    pub(crate) rows: u64,
}

impl Field {
    /// The number of its entries, with its condition names and the entries below it.
    fn entries(&self) -> usize {
        1 + self.conditions.len() + self.children.iter().map(Field::entries).sum::<usize>()
    }
}

/// A record with an 01 level.
#[derive(Debug)]
pub(crate) struct Structure {
    pub(crate) name: String,
    pub(crate) comment: Option<String>,
    pub(crate) fields: Vec<Field>,
}

/// All structures of a copybook.
#[derive(Debug)]
pub(crate) struct Laid {
    pub(crate) structures: Vec<Structure>,
    pub(crate) names: Vec<FieldName>,
    pub(crate) areas: Vec<Area>,
}

/// The result for one member.
#[derive(Debug)]
struct Made {
    /// Its bytes, without those between fields.
    bytes: u64,
    content: Content,
}

impl Made {
    /// The result after a reported error. There is no copybook then.
    fn nothing() -> Self {
        Self { bytes: 0, content: Content::Object(Vec::new()) }
    }
}

/// Lays out a shape; none if an error is reported.
pub(crate) fn lay_out(shape: &Shape, options: &Options, report: &mut Report) -> Option<Laid> {
    let Kind::Object(members) = &shape.kind else {
        report.error_with_help(
            &shape.place,
            "expected an object, which becomes the record",
            "put the value into an object with one member",
        );
        return None;
    };
    let mut layouter = Layouter {
        options,
        report,
        names: Names::new(options),
        found: Vec::new(),
        containers: Vec::new(),
        areas: 1,
    };
    let record = layouter.names.take(&format!("{}{}", options.record_prefix, options.name), &[]);
    let (root, placed) = layouter.structure(&record, None, members);
    let mut structures = vec![root];
    let mut areas = BTreeMap::new();
    areas.insert(0, Area { record, content: Content::Object(placed), filler_bytes: 0 });
    let mut waiting = VecDeque::from(std::mem::take(&mut layouter.containers));
    while let Some(container) = waiting.pop_front() {
        let members = std::slice::from_ref(&container.row);
        let (mut structure, placed) = layouter.structure(&container.record, Some(&container), members);
        let filler_bytes = slack::fill(&mut structure);
        structures.push(structure);
        let content = match container.holds {
            Held::Option => Content::Object(placed),
            Held::Rows | Held::Value => {
                placed.into_iter().next().map_or(Content::Object(Vec::new()), |row| row.content)
            }
        };
        areas.insert(container.area, Area { record: container.record, content, filler_bytes });
        // Containers that a structure names come behind it, before those beside its own container.
        std::mem::take(&mut layouter.containers)
            .into_iter()
            .rev()
            .for_each(|inner| waiting.push_front(inner));
    }
    let names = layouter.found;
    let entries: usize = structures.iter().flat_map(|structure| &structure.fields).map(Field::entries).sum();
    if entries > ENTRIES_MAX {
        report.error(&shape.place, format!("expected at most {ENTRIES_MAX} entries, found {entries}"));
    }
    (!report.has_errors()).then_some(Laid { structures, names, areas: areas.into_values().collect() })
}

/// Rows, or one value, with a structure of their own.
struct Container {
    record: String,
    field: String,
    json: String,
    /// The path around the array.
    outer: String,
    row: Member,
    /// The number of its structure.
    area: usize,
    holds: Held,
}

/// The content of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    /// The elements of an array.
    Rows,
    /// One value.
    Value,
    /// A member of a choice.
    Option,
}

/// The place of a member.
struct Layer<'a> {
    record: &'a str,
    depth: usize,
    json: String,
    path: String,
    /// Every object around the member always exists, up to the next array.
    certain: bool,
    /// The member is in a row of a table.
    in_row: bool,
    /// The member is the row of a container.
    of_container: bool,
}

impl Layer<'_> {
    fn below(&self, json: String, field: &str, certain: bool) -> Layer<'_> {
        let path = join(&self.path, field);
        let depth = self.depth + 1;
        Layer { record: self.record, depth, json, path, certain, in_row: self.in_row, of_container: false }
    }

    /// The place of the content of a row.
    fn row(&self, json: String, field: &str) -> Layer<'_> {
        Layer { in_row: true, ..self.below(json, field, true) }
    }
}

/// The suffixes of fields that stand beside other fields.
const COUNT: &str = "-num";
const LENGTH: &str = "-length";
const EXISTENCE: &str = "-existence";

struct Layouter<'o> {
    options: &'o Options,
    report: &'o mut Report,
    names: Names,
    found: Vec<FieldName>,
    /// The containers that the present structure names.
    containers: Vec<Container>,
    /// The number of structures, with the waiting ones.
    areas: usize,
}

impl Layouter<'_> {
    fn structure(
        &mut self,
        record: &str,
        of: Option<&Container>,
        members: &[Member],
    ) -> (Structure, Vec<Placed>) {
        let layer = Layer {
            record,
            depth: 1,
            json: of.map_or_else(String::new, |container| container.outer.clone()),
            path: String::new(),
            certain: true,
            in_row: false,
            of_container: of.is_some_and(|container| container.holds == Held::Rows),
        };
        let comment = of.map(|container| {
            let what = if container.holds == Held::Rows { "The rows" } else { "The value" };
            format!("{what} of {} {}: {}.", self.options.apart.word(), container.field, container.json)
        });
        let mut fields = Vec::new();
        let mut placed = Vec::new();
        for member in members {
            let apart = of.is_none() && self.options.root_optional == RootOptional::Container;
            placed.push(if apart && self.is_optional(member) && !is_varying(member) {
                self.one_container(member, &layer, &mut fields)
            } else {
                self.member(member, &layer, &mut fields).1
            });
        }
        (Structure { name: record.to_owned(), comment, fields }, placed)
    }

    /// True if a counter says whether the member is there.
    fn is_optional(&self, member: &Member) -> bool {
        self.options.optional == Optional::Counter && (!member.required || member.shape.nullable)
    }

    /// Lays out one member: its companions, then its own field. Returns its bytes and its place.
    fn member(&mut self, member: &Member, layer: &Layer<'_>, out: &mut Vec<Field>) -> (u64, Placed) {
        let mut presence = None;
        let made = self.made(member, layer, &mut presence, out);
        let placed = Placed {
            name: member.name.clone(),
            required: member.required,
            nullable: member.shape.nullable,
            presence,
            xml: member.xml.clone(),
            content: made.content,
        };
        (made.bytes, placed)
    }

    fn made(
        &mut self,
        member: &Member,
        layer: &Layer<'_>,
        presence: &mut Option<String>,
        out: &mut Vec<Field>,
    ) -> Made {
        let shape = &member.shape;
        if layer.depth > DEPTH_MAX {
            let message =
                format!("expected at most {DEPTH_MAX} levels of objects and arrays, COBOL has no more");
            self.report.error(&shape.place, message);
            return Made::nothing();
        }
        if shape.nullable && self.options.optional == Optional::Plain {
            let help = Some("counters for optional fields tell it apart");
            self.report.warning(&shape.place, "null has no place in the record", help);
        }
        match &shape.kind {
            Kind::Array(array) if Some(array.min) != array.max => {
                self.varying_array(member, array, layer, out)
            }
            Kind::Choice(choice) => self.choice(member, choice, layer, out),
            _ if member.xml.as_ref().is_some_and(|xml| xml.form == XmlForm::Attribute) => {
                self.attribute(member, layer, presence, out)
            }
            _ if self.is_optional(member) => self.with_presence(member, layer, presence, out),
            Kind::Array(array) => {
                let name = self.names.take(&member.name, self.suffixes(&array.items));
                self.table(member, array, Occurs::fixed(array, &name), layer, out)
            }
            _ => {
                let name = self.names.take(&member.name, self.suffixes(shape));
                self.value(member, &name, None, layer, out)
            }
        }
    }

    /// A counter and the field. If the field has a length, the two go into a group, so that one name stands
    /// for both.
    fn with_presence(
        &mut self,
        member: &Member,
        layer: &Layer<'_>,
        presence: &mut Option<String>,
        out: &mut Vec<Field>,
    ) -> Made {
        let suffix = self.presence_suffix();
        let paired = self.is_paired(&member.shape);
        let own = if paired { &[][..] } else { self.suffixes(&member.shape) };
        let mut suffixes: Vec<&str> = own.iter().copied().chain([suffix]).collect();
        if self.options.assistant == Assistant::Ws2ls {
            suffixes.push(self.options.apart.suffix());
        }
        let name = self.names.take(&member.name, &suffixes);
        let json = join(&layer.json, &member.name);
        let counter = format!("{name}{suffix}");
        let says = format!("{json} is optional; {counter} is 0 where it is missing.");
        out.push(counter_field(&counter, says));
        let depends = self.options.presence_tables;
        let role = if depends { Role::Counter } else { Role::Presence };
        self.note(layer, &json, &format!("{}{suffix}", member.name), &counter, role);
        *presence = Some(join(&layer.path, &counter));
        let made = match &member.shape.kind {
            Kind::Array(array) if depends => {
                let rows = array.max.unwrap_or(array.min);
                self.table(member, array, Occurs::all_or_none(rows, &name, &counter), layer, out)
            }
            Kind::Array(array) => self.table(member, array, Occurs::fixed(array, &name), layer, out),
            _ if paired => {
                let mut group = Field { name: name.clone(), ..Field::default() };
                let inner = layer.below(layer.json.clone(), &name, false);
                let base = self.names.take_numbered(&member.name, &[LENGTH], Some(2));
                let made = self.value(member, &base, None, &inner, &mut group.children);
                out.push(group);
                made
            }
            _ => {
                let occurs = depends.then(|| Occurs::all_or_none(1, &name, &counter));
                self.value(member, &name, occurs.as_ref(), layer, out)
            }
        };
        Made { bytes: made.bytes + 4, ..made }
    }

    /// The suffix of the field that says whether a member is there.
    fn presence_suffix(&self) -> &'static str {
        if self.options.mapping_level >= MappingLevel::V5_0 { EXISTENCE } else { COUNT }
    }

    /// A group, or an elementary field with its companions.
    fn value(
        &mut self,
        member: &Member,
        name: &str,
        occurs: Option<&Occurs>,
        layer: &Layer<'_>,
        out: &mut Vec<Field>,
    ) -> Made {
        let in_table = occurs.is_some();
        let json = join(&layer.json, &member.name);
        let json = if in_table || layer.of_container { format!("{json}[]") } else { json };
        let (mut clauses, rows) =
            occurs.map(|occurs| (occurs.clauses.clone(), occurs.rows)).unwrap_or_default();
        let shape = &member.shape;
        let mut length = None;
        let scalar = match &shape.kind {
            Kind::Object(members) => {
                let group = Field { name: name.to_owned(), clauses, rows, ..Field::default() };
                return self.group((member, members), group, (&json, in_table), layer, out);
            }
            // Tables and choices are laid out elsewhere.
            Kind::Array(_) | Kind::Choice(_) => return Made::nothing(),
            Kind::Text(_) | Kind::Binary(_) | Kind::Moment(_) => match self.characters(&shape.kind) {
                Ok(scalar) => scalar,
                Err(characters) if characters.most > self.options.char_varying_max => {
                    return self.text_container(member, name, &characters, occurs, layer, out);
                }
                Err(characters) => {
                    self.warn_of_less_room(shape, &characters);
                    if self.is_paired(shape) {
                        length = Some(self.length(member, name, &json, layer, out));
                    }
                    picture::characters(&characters, self.options)
                }
            },
            Kind::Boolean => picture::boolean(),
            Kind::Number(number) => match picture::number(number, self.options) {
                Ok(scalar) => scalar,
                Err((message, help)) => {
                    self.report.error_with_help(&shape.place, message, help.unwrap_or_default());
                    return Made::nothing();
                }
            },
        };
        self.note_value(member, name, &json, layer);
        self.note_limits(member, scalar.digits);
        let values = values_of(&shape.kind);
        let mut field = Field {
            name: name.to_owned(),
            comments: comments(member, &json, &scalar.says, &values),
            bytes: scalar.bytes,
            boundary: slack::boundary(&scalar),
            rows,
            ..Field::default()
        };
        field.clauses = scalar.clauses;
        field.clauses.append(&mut clauses);
        if self.options.enums == Enums::Conditions {
            field.conditions = self.conditions(name, &shape.kind);
        }
        out.push(field);
        let value = area::Value { field: join(&layer.path, name), length, kind: shape.kind.clone() };
        let bytes = scalar.bytes + if value.length.is_some() { 2 } else { 0 };
        Made { bytes, content: Content::Value(value) }
    }

    /// A group and its members. `json` is its path, and says whether it is in a table.
    fn group(
        &mut self,
        (member, members): (&Member, &[Member]),
        mut group: Field,
        (json, in_table): (&str, bool),
        layer: &Layer<'_>,
        out: &mut Vec<Field>,
    ) -> Made {
        let name = group.name.clone();
        self.note_value(member, &name, json, layer);
        let below = if in_table {
            layer.row(json.to_owned(), &name)
        } else {
            layer.below(json.to_owned(), &name, member.required && layer.certain)
        };
        let what = if in_table { "array of objects" } else { "object" };
        group.comments = comments(member, json, what, &[]);
        let mut bytes = 0_u64;
        let mut placed = Vec::new();
        for member in members {
            let (more, at) = self.member(member, &below, &mut group.children);
            bytes = bytes.saturating_add(more);
            placed.push(at);
        }
        out.push(group);
        if bytes > RECORD_BYTES_MAX {
            let message = format!("expected at most {RECORD_BYTES_MAX} bytes, found {bytes}");
            self.report.error(&member.shape.place, message);
        }
        Made { bytes: bytes.min(RECORD_BYTES_MAX), content: Content::Object(placed) }
    }

    fn note(&mut self, layer: &Layer<'_>, json: &str, name: &str, field: &str, role: Role) {
        self.found.push(FieldName {
            json: json.to_owned(),
            name: name.to_owned(),
            record: layer.record.to_owned(),
            field: field.to_owned(),
            path: join(&layer.path, field),
            role,
            required: false,
            boolean: false,
            minimum: None,
            maximum: None,
            xml: None,
        });
    }

    fn note_value(&mut self, member: &Member, field: &str, json: &str, layer: &Layer<'_>) {
        self.note(layer, json, &member.name, field, Role::Value);
        if let Some(noted) = self.found.last_mut() {
            noted.required = member.required && layer.certain;
            noted.boolean = member.shape.kind == Kind::Boolean;
        }
        self.note_xml(member);
    }

    /// Keeps the XML of the member of the last field.
    fn note_xml(&mut self, member: &Member) {
        if let Some(noted) = self.found.last_mut() {
            noted.xml.clone_from(&member.xml);
        }
    }

    /// Keeps the limits that the field can hold. If the field may be left out, its initial zero must be
    /// within them.
    fn note_limits(&mut self, member: &Member, digits: Option<Digits>) {
        let (Kind::Number(number), Some(digits), Some(noted)) =
            (&member.shape.kind, digits, self.found.last_mut())
        else {
            return;
        };
        let zero = Decimal::integer(0);
        let holds_zero = number.least.is_none_or(|least| least <= zero)
            && number.greatest.is_none_or(|greatest| greatest >= zero);
        let kept = |limit: Option<Decimal>| {
            let limit = limit.filter(|limit| {
                (holds_zero || noted.required)
                    && u32::from(limit.fraction_digits()) <= digits.fraction
                    && limit.integer_digits() <= digits.whole
            });
            limit.map(|limit| limit.to_string())
        };
        (noted.minimum, noted.maximum) = (kept(number.least), kept(number.greatest));
    }
}

/// True for an array with a varying number of elements.
fn is_varying(member: &Member) -> bool {
    matches!(&member.shape.kind, Kind::Array(array) if Some(array.min) != array.max)
}

fn join(outer: &str, name: &str) -> String {
    if outer.is_empty() { name.to_owned() } else { format!("{outer}.{name}") }
}
