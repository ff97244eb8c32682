//! From a schema to a plan: the structures that the assistant makes of it, and where their fields lie.

use std::collections::HashMap;
use std::sync::Arc;

use assistant::{BinaryData, Content, Copybook, Diagnostic, Holds, Kind, Shape, Side, Source, XmlForm};
use copybook::{FieldId, Layout, Paths};
use record::NumberField;

use crate::error::Error;
use crate::limits::{NumberLimits, TextLimits};
use crate::options::{CHANNEL_BYTES_MAX, Options};
use crate::plan::{
    Area, Choice, End, Field, Member, Node, Number, Object, Octets, Place, Root, Rows, Table, Text,
};
use crate::schema;
use crate::wrapper::{Wrapper, check_name, finding};
use crate::xml::Prefixes;
use crate::{Element, Interface, text};

/// The greatest length that the field beside a text can hold, PIC S9999 COMP-5.
const LENGTH_MAX: u64 = 32_767;

/// The least bytes of dates and times as text.
const MOMENT_BYTES: usize = 32;

/// Compiles one direction.
pub(crate) fn interface(schema: &str, side: Side, options: &Options) -> Result<Interface, Vec<Diagnostic>> {
    check(options).map_err(|message| vec![finding("#", message)])?;
    let channel = Wrapper::read(schema).map_err(|found| vec![found])?;
    let (root, pointer) = channel.root(options).map_err(|found| vec![found])?;
    let mut interface = empty(root, options);
    if let Some(pointer) = pointer {
        lay_out(&mut interface, schema, &Source::Pointer(pointer), side, options)?;
    }
    Ok(interface)
}

/// Compiles one record with its data areas.
pub(crate) fn record_interface(
    schema: &str,
    side: Side,
    options: &Options,
) -> Result<Interface, Vec<Diagnostic>> {
    check(options).map_err(|message| vec![finding("#", message)])?;
    // No data area can have this name, so none takes the record's place.
    let mut interface = empty(Root::Bare { container: String::new() }, options);
    lay_out(&mut interface, schema, &Source::Schema, side, options)?;
    Ok(interface)
}

/// Compiles the shape of a message, laid out by the rules of the assistant that `rules` has. Its record is in the container of
/// the options.
pub(crate) fn message_interface(
    shape: &Shape,
    element: Element<'_>,
    rules: &assistant::Options,
    options: &Options,
) -> Result<Interface, Vec<Diagnostic>> {
    check(options).map_err(|message| vec![finding("", message)])?;
    let mut interface = empty(Root::Bare { container: options.container.clone() }, options);
    if shape.kind == Kind::Object(Vec::new()) {
        interface.areas = vec![without_content(options)];
        interface.xml = Some(Prefixes::of(element, &[]).root(element));
        put_schemas(&mut interface, shape, rules);
        interface.copybook = assistant::without_content(&rules.name, element.local);
        return Ok(interface);
    }
    let made = assistant::write(shape, rules)?;
    let prefixes = Prefixes::of(element, &made.areas);
    let options = Options { char_varying: rules.char_varying, record: rules.name.clone(), ..options.clone() };
    let form = Form {
        prefixes: &prefixes,
        octets_are_text: rules.binary_data == BinaryData::Text,
        slack: text::blank(options.encoding),
    };
    let areas = areas(&made, form, &options);
    interface.areas = areas.map_err(|message| vec![finding("", message)])?;
    interface.xml = Some(prefixes.root(element));
    put_schemas(&mut interface, shape, rules);
    interface.copybook = made.text;
    interface.warnings = made.warnings;
    Ok(interface)
}

fn put_schemas(interface: &mut Interface, shape: &Shape, rules: &assistant::Options) {
    interface.schema = schema::of(shape, rules).into();
    interface.answer_schema = match schema::of_answer(shape, rules) {
        Some(schema) => schema.into(),
        None => Arc::clone(&interface.schema),
    };
}

/// The area of a message in which nothing is: a blank that means nothing, as a bind has it.
fn without_content(options: &Options) -> Area {
    let node = Node::Object(Object { members: Vec::new(), any_order: false, by_name: HashMap::new() });
    Area { bytes: 1, filler_bytes: 0, template: vec![text::blank(options.encoding)], node }
}

fn empty(root: Root, options: &Options) -> Interface {
    Interface {
        xml: None,
        checks_fixed: options.check_types,
        schema: "".into(),
        answer_schema: "".into(),
        root,
        areas: Vec::new(),
        encoding: options.encoding,
        unknown_members: options.unknown_members,
        prefix: options.prefix(),
        channel_max_bytes: options.channel_max_bytes.min(CHANNEL_BYTES_MAX),
        copybook: String::new(),
        warnings: Vec::new(),
    }
}

fn lay_out(
    interface: &mut Interface,
    schema: &str,
    source: &Source,
    side: Side,
    options: &Options,
) -> Result<(), Vec<Diagnostic>> {
    let made = assistant::from_json(schema, source, &options.for_assistant(side))?;
    let form = Form { prefixes: &Prefixes::default(), octets_are_text: false, slack: 0 };
    let areas = areas(&made, form, options);
    interface.areas = areas.map_err(|message| vec![finding("#", message)])?;
    interface.copybook = made.text;
    interface.warnings = made.warnings;
    Ok(())
}

fn check(options: &Options) -> Result<(), String> {
    let ccsid = options.encoding.ccsid();
    if options.encoding.family().is_none() || options.encoding.blank().len() != 1 {
        return Err(format!("expected a CCSID in which a blank and a digit are one byte, found {ccsid}"));
    }
    if !(1..=LENGTH_MAX).contains(&options.char_varying_max) {
        let found = options.char_varying_max;
        return Err(format!("expected at most {LENGTH_MAX} characters in a field, found {found}"));
    }
    check_name(&options.container)
}

/// The settings that messages of XML have, and JSON alone does not.
#[derive(Clone, Copy)]
struct Form<'p> {
    prefixes: &'p Prefixes,
    /// Octets are encoded as text.
    octets_are_text: bool,
    /// The value of bytes that belong to no field. A message has the value that its bind has.
    slack: u8,
}

/// The areas of a copybook that the assistant made.
fn areas(made: &Copybook, form: Form<'_>, options: &Options) -> Result<Vec<Area>, String> {
    // The assistant's copybooks are valid. A failure here is a fault of ours, and the text says so.
    let fault = |what: String| format!("the structure that was made is faulty: {what}");
    let parsed = copybook::parse(&options.record, &made.text, &copybook::Options::default())
        .map_err(|found| fault(found.first().map(ToString::to_string).unwrap_or_default()))?;
    let numbers =
        record::Options { ieee_order: options.ieee_order, ..record::Options::new(options.encoding) };
    let mut areas = Vec::with_capacity(made.areas.len());
    let by_name: HashMap<String, &Layout> =
        parsed.layouts.iter().map(|layout| (layout.name().to_ascii_uppercase(), layout)).collect();
    for area in &made.areas {
        let layout = by_name
            .get(&area.record.to_ascii_uppercase())
            .ok_or_else(|| fault(format!("there is no record {}", area.record)))?;
        let compiler = Compiler { layout, paths: Paths::of(layout), numbers: &numbers, options, form };
        let node = compiler.node(&area.content).map_err(fault)?;
        let bytes = layout.max_bytes();
        let mut template = vec![form.slack; bytes];
        layout.root().children.iter().for_each(|id| clear(layout, *id, &mut template, 0));
        initial(&node, options, &mut template, 0).map_err(|error| fault(error.to_string()))?;
        areas.push(Area { bytes, filler_bytes: area.filler_bytes as usize, template, node });
    }
    Ok(areas)
}

/// Makes the bytes of a field zeros, in all rows. Bytes of no field stay, and so do fields without a name.
fn clear(layout: &Layout, id: FieldId, template: &mut [u8], delta: usize) {
    let field = layout.field(id);
    for row in 0..field.occurs.map_or(1, |occurs| occurs.max as usize) {
        let delta = delta + row * field.bytes;
        match field.children.as_slice() {
            [] if field.filler => {}
            [] => template[field.offset + delta..][..field.bytes].fill(0),
            children => children.iter().for_each(|child| clear(layout, *child, template, delta)),
        }
    }
}

struct Compiler<'c> {
    layout: &'c Layout,
    paths: Paths<'c>,
    numbers: &'c record::Options,
    options: &'c Options,
    form: Form<'c>,
}

impl Compiler<'_> {
    fn node(&self, content: &Content) -> Result<Node, String> {
        match content {
            Content::Object(placed) => {
                let mut members = Vec::with_capacity(placed.len());
                let names = schema::unique(placed.iter().map(|member| member.name.as_str()));
                for (member, name) in placed.iter().zip(names) {
                    let mut node = self.node(&member.content)?;
                    let form = member.xml.as_ref().map(|xml| xml.form);
                    if let Node::LongText { may_be_none, .. } = &mut node {
                        *may_be_none = matches!(form, Some(XmlForm::Any | XmlForm::Prefixes));
                    }
                    members.push(Member {
                        name: name.into(),
                        required: member.required,
                        nullable: member.nullable,
                        presence: member.presence.as_deref().map(|path| self.place(path)).transpose()?,
                        node,
                        xml: member.xml.as_ref().map(|xml| Box::new(self.form.prefixes.name(xml))),
                    });
                }
                let by_name: HashMap<Box<str>, usize> =
                    members.iter().enumerate().map(|(index, member)| (member.name.clone(), index)).collect();
                let any_order =
                    placed.iter().any(|member| member.xml.as_ref().is_some_and(|xml| xml.any_order));
                Ok(Node::Object(Object { members, any_order, by_name }))
            }
            Content::Value(value) => self.value(value),
            Content::Table(table) => {
                let row_bytes = self.layout.field(self.find(&table.field)?).bytes;
                Ok(Node::Table(Box::new(Table {
                    count: table.count.as_deref().map(|path| self.place(path)).transpose()?,
                    row_bytes,
                    min: table.min as usize,
                    max: table.max as usize,
                    row: self.node(&table.row)?,
                })))
            }
            Content::Container(container) => {
                let name = self.place(&container.field)?;
                Ok(match &container.holds {
                    Holds::Rows { count, min, max, area } => {
                        let count = self.place(count)?;
                        Node::Rows(Rows { count, name, min: *min, max: *max, area: *area })
                    }
                    Holds::One { area } => Node::One { name, area: *area },
                    Holds::Choice { which, areas } => {
                        Node::Choice(Choice { which: self.place(which)?, name, areas: areas.clone() })
                    }
                    Holds::Text { kind: Kind::Binary(binary) } => {
                        Node::LongOctets { name, encoding: binary.encoding, most: binary.max_characters }
                    }
                    Holds::Text { kind } => {
                        Node::LongText { name, limits: self.text_limits(kind, u64::MAX), may_be_none: false }
                    }
                })
            }
        }
    }

    fn value(&self, value: &assistant::Value) -> Result<Node, String> {
        let place = self.place(&value.field)?;
        let length = value.length.as_deref().map(|path| self.place(path)).transpose()?;
        Ok(match &value.kind {
            Kind::Boolean => Node::Boolean(place),
            Kind::Number(number) => {
                let id = self.find(&value.field)?;
                let codec =
                    NumberField::new(self.layout, id, self.numbers).map_err(|error| error.to_string())?;
                Node::Number(Box::new(Number { place, codec, limits: NumberLimits::of(number) }))
            }
            Kind::Binary(binary) if !self.form.octets_are_text => {
                // Blanks may be octets too: only a length or a null says that there are fewer octets.
                let end = match (length, self.options.char_varying) {
                    (Some(length), _) => End::Length(length),
                    (None, assistant::CharVarying::Null) => End::Null,
                    (None, _) => End::Fixed,
                };
                Node::Octets(Octets { field: Field { place, end }, encoding: binary.encoding })
            }
            Kind::Moment(_) if place.bytes < MOMENT_BYTES => {
                return Err(format!("{}: a point in time as a number (DATETIME=PACKED15)", value.field));
            }
            kind => {
                let varies = match kind {
                    Kind::Text(text) => text.min != place.bytes as u64 || !text.values.is_empty(),
                    _ => true,
                };
                let end = match (length, self.options.char_varying) {
                    (Some(length), _) => End::Length(length),
                    (None, assistant::CharVarying::Null) if varies => End::Null,
                    (None, _) if varies => End::Blanks,
                    (None, _) => End::Fixed,
                };
                let room = place.bytes as u64 - u64::from(matches!(end, End::Null));
                Node::Text(Text { limits: self.text_limits(kind, room), field: Field { place, end } })
            }
        })
    }

    /// The limits of text in a field with this number of characters.
    fn text_limits(&self, kind: &Kind, room: u64) -> TextLimits {
        let checks_kind = self.options.check_types;
        match kind {
            Kind::Text(text) => {
                let limits = TextLimits::of(text);
                // If only the field can hold the text, its room may allow less than the schema does.
                let max = limits.max.map(|max| max.min(room)).or((room < u64::MAX).then_some(room));
                TextLimits { max, checks_kind, ..limits }
            }
            // Dates, times, and octets as text.
            _ => TextLimits {
                max: (room < u64::MAX).then_some(room),
                kind: match kind {
                    Kind::Moment(moment) => Some(moment.text_type()),
                    Kind::Binary(binary) => binary.encoding.text_type(),
                    _ => None,
                },
                checks_kind,
                ..TextLimits::default()
            },
        }
    }

    fn find(&self, path: &str) -> Result<FieldId, String> {
        self.paths.resolve(path).map_err(|error| error.explain(path))
    }

    fn place(&self, path: &str) -> Result<Place, String> {
        let field = self.layout.field(self.find(path)?);
        Ok(Place { offset: field.offset, bytes: field.bytes, field: path.into() })
    }
}

/// Puts the initial values into a template: blanks, and zeros of the field's type. Text that a length or a null
/// character ends is null behind its end: programs of z/OS Connect's public sample look for that.
fn initial(node: &Node, options: &Options, template: &mut [u8], delta: usize) -> Result<(), Error> {
    let blank = text::blank(options.encoding);
    match node {
        Node::Object(object) => {
            for member in &object.members {
                initial(&member.node, options, template, delta)?;
            }
        }
        Node::Text(text) if matches!(text.field.end, End::Blanks | End::Fixed) => {
            template[text.field.place.range(delta)].fill(blank)
        }
        Node::Text(_) | Node::Octets(_) | Node::Boolean(_) => {}
        Node::Number(number) => number.codec.write("0", &mut template[number.place.range(delta)])?,
        Node::Table(table) => {
            for row in 0..table.max {
                initial(&table.row, options, template, delta + row * table.row_bytes)?;
            }
        }
        Node::Rows(Rows { name, .. })
        | Node::One { name, .. }
        | Node::LongText { name, .. }
        | Node::LongOctets { name, .. }
        | Node::Choice(Choice { name, .. }) => template[name.range(delta)].fill(blank),
    }
    Ok(())
}
