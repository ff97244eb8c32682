//! From the section of a record and the layouts of its copybook to an interface. Errors are reported with
//! their place.

use std::ops::Range;
use std::sync::Arc;

use codepage::Encoding;
use copybook::{FieldId, Layout, Paths, PointerBytes};
use record::{
    Bind, ByteOrder, CENTURY_WINDOW_DEFAULT, DateFormat, FieldOptions, Format, Naming, Options, ViewRule,
};
use toml::Spanned;
use xsd::TextType;

use crate::Interface;
use crate::section::{BytesWord, CharacterTables, FieldSection, InterfaceSection, Scalar};

/// Takes each error: its place in the file's text, and what was expected there.
pub type Tell<'t> = dyn FnMut(Range<usize>, String) + 't;

/// The code pages of a file's records.
#[derive(Clone, Copy, Debug)]
pub struct Pages<'p> {
    /// Of text.
    pub ccsid: &'p Spanned<u16>,
    /// Of PIC N; the one of [`Options::new`] if the configuration has none.
    pub national: Option<&'p Spanned<u16>>,
    /// Of PIC G, where `ccsid` has no double-byte part.
    pub dbcs: Option<&'p Spanned<u16>>,
}

impl Pages<'_> {
    /// Options with the encodings of the records and the naming profile. An unknown page is reported, and
    /// gives none.
    pub fn options(self, naming: Naming, tell: &mut Tell<'_>) -> Option<Options> {
        let mut options = encoding(self.ccsid, tell).map(Options::new)?;
        options.naming = naming;
        if let Some(ccsid) = self.national {
            options.national = encoding(ccsid, tell)?;
        }
        if let Some(ccsid) = self.dbcs {
            options.dbcs = Some(encoding(ccsid, tell)?);
        }
        Some(options)
    }
}

/// The encoding of a CCSID. An unknown CCSID is reported, and gives none.
pub fn encoding(ccsid: &Spanned<u16>, tell: &mut Tell<'_>) -> Option<Encoding> {
    let encoding = Encoding::by_ccsid(*ccsid.get_ref());
    if encoding.is_none() {
        tell(ccsid.span(), format!("CCSID {} is not known", ccsid.get_ref()));
    }
    encoding
}

/// Which byte of COMP-1 and COMP-2 comes first in programs of a region: GnuCOBOL leaves them to the machine.
pub const IEEE_ORDER_OF_PROGRAMS: ByteOrder =
    if cfg!(target_endian = "little") { ByteOrder::Little } else { ByteOrder::Big };

/// The options for records of a region's programs.
#[must_use]
pub fn as_programs_have(options: Options) -> Options {
    Options { ieee_order: Some(IEEE_ORDER_OF_PROGRAMS), ..options }
}

/// True for the options of records of a region's programs.
fn is_of_programs(options: &Options) -> bool {
    options.ieee_order.is_some()
}

/// The settings for compiling a section.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The options that the section adds to.
    pub options: Options,
    /// The object around the fields, where the profile makes names of services; none if there is no such
    /// object.
    pub wrapper: Option<String>,
    /// How long a record may be: `limits.record_max_bytes`.
    pub record_max_bytes: usize,
}

impl InterfaceSection {
    /// The settings for reading the copybook of such records.
    #[must_use]
    pub fn copybook_options(&self, options: &Options) -> copybook::Options {
        let usual = match is_of_programs(options) {
            true => PointerBytes::EightAndIndexFour,
            false => PointerBytes::Four,
        };
        let pointer_bytes = self.pointer_bytes.map_or(usual, |key| key.0);
        copybook::Options {
            format: self.format,
            decimal_comma: self.decimal_comma,
            pointer_bytes,
            ..copybook::Options::default()
        }
    }

    /// The record of the copybook that the section names. If the copybook lacks it, an error is reported and
    /// the result is none.
    pub fn choose(&self, mut layouts: Vec<Layout>, tell: &mut Tell<'_>) -> Option<Layout> {
        let names: Vec<String> = layouts.iter().map(|layout| layout.name().to_owned()).collect();
        let position = match &self.record {
            Some(name) => names.iter().position(|known| known.eq_ignore_ascii_case(name.get_ref())),
            None => (layouts.len() == 1).then_some(0),
        };
        match (position, &self.record) {
            (Some(position), _) => {
                let layout = layouts.swap_remove(position);
                Some(match self.character_tables {
                    CharacterTables::Rows => layout,
                    CharacterTables::Text => layout.with_joined_characters(),
                })
            }
            (None, Some(name)) => {
                tell(
                    name.span(),
                    format!("the copybook has no record '{}'; it has: {}", name.get_ref(), names.join(", ")),
                );
                None
            }
            (None, None) => {
                tell(
                    self.copybook.span(),
                    format!(
                        "the copybook has several records; choose one: record = one of {}",
                        names.join(", ")
                    ),
                );
                None
            }
        }
    }
}

/// The interface of a record, with the bind of all its fields. An error is reported, and gives none.
pub fn compile(
    section: &Spanned<InterfaceSection>,
    layout: Layout,
    rules: Rules,
    tell: &mut Tell<'_>,
) -> Option<(Interface, Bind)> {
    let layout = Arc::new(layout);
    let Rules { mut options, wrapper, record_max_bytes } = rules;
    if layout.max_bytes() > record_max_bytes {
        let message = format!(
            "its records have up to {} bytes, more than limits.record_max_bytes, {}",
            layout.max_bytes(),
            record_max_bytes
        );
        tell(section.get_ref().copybook.span(), message);
        return None;
    }
    let section_span = section.span();
    let section = section.get_ref();
    options.wrapper = match &section.wrapper {
        Some(name) if name.is_empty() => None,
        Some(name) => Some(name.clone()),
        None if wrapper.is_none() => None,
        None => Some(match options.naming {
            Naming::Ls2js | Naming::Ls2ws => wrapper?,
            naming => naming.apply(layout.name()),
        }),
    };
    policies(&mut options, section);
    let mut complete = true;
    let mut reader = FieldReader { paths: Paths::of(&layout), tell: &mut *tell };
    for (name, choice) in &section.fields {
        let chosen = reader.field(name).zip(reader.options(name, choice));
        complete &= chosen.is_some();
        options.fields.extend(chosen);
    }
    if !complete {
        return None;
    }
    // Each operation has a bind of its own. This one is for direct calls, and finds errors of the service
    // alone.
    match Bind::compile(&layout, &options) {
        Ok(bind) => Some((Interface { layout, options }, bind)),
        Err(errors) => {
            for error in errors {
                let line = if error.line > 0 {
                    format!(" ({} line {})", section.copybook.get_ref(), error.line)
                } else {
                    String::new()
                };
                let is_of_field = |name: &&Spanned<String>| {
                    layout.resolve(name.get_ref()).is_ok_and(|id| layout.path(id) == error.field)
                };
                let own = section.fields.keys().find(is_of_field);
                let span = own.map_or_else(|| section_span.clone(), Spanned::span);
                tell(span, format!("{error}{line}"));
            }
            None
        }
    }
}

/// The interface of a side that a service does not have: a record without fields, and a JSON object without
/// members.
pub fn nothing(name: &str, options: Options, tell: &mut Tell<'_>) -> Option<(Interface, Bind)> {
    let layout = Arc::new(Layout::nothing(name));
    let options = Options { wrapper: None, ..options };
    match Bind::compile(&layout, &options) {
        Ok(bind) => Some((Interface { layout, options }, bind)),
        Err(errors) => {
            errors.iter().for_each(|error| tell(0..0, error.to_string()));
            None
        }
    }
}

/// Reads the choices for the fields of one record.
struct FieldReader<'a, 't> {
    paths: Paths<'a>,
    tell: &'a mut Tell<'t>,
}

impl FieldReader<'_, '_> {
    fn field(&mut self, name: &Spanned<String>) -> Option<FieldId> {
        let message = match self.paths.resolve(name.get_ref()) {
            Ok(id) => return Some(id),
            Err(error) => error.explain(name.get_ref()),
        };
        (self.tell)(name.span(), message);
        None
    }

    fn options(&mut self, name: &Spanned<String>, section: &FieldSection) -> Option<FieldOptions> {
        let when = match &section.when {
            Some(when) => {
                let field = self.field(&when.field)?;
                Some(ViewRule { field, values: when.is.iter().map(Scalar::text).collect() })
            }
            None => None,
        };
        let text = |value: &Option<Scalar>| value.as_ref().map(Scalar::text);
        Some(FieldOptions {
            name: section.name.clone(),
            included: section.included,
            removed: false,
            minimum: text(&section.minimum),
            maximum: text(&section.maximum),
            required: section.required,
            default: text(&section.default),
            description: section.description.clone(),
            format: self.format(name, section)?,
            omit: text(&section.omit),
            policies: section.values,
            xml: section.xml.clone(),
            when,
        })
    }

    /// The form of a field's value. The inner option is none for the form of its type; the outer one is none
    /// after an error.
    fn format(&mut self, name: &Spanned<String>, section: &FieldSection) -> Option<Option<Format>> {
        let window = section.century_window.unwrap_or(CENTURY_WINDOW_DEFAULT);
        match (&section.date, &section.boolean, section.bytes, &section.xsd) {
            (None, None, None, None) => Some(None),
            (Some(picture), None, None, None) => match DateFormat::parse(picture.get_ref(), window) {
                Ok(format) => Some(Some(Format::Date(format))),
                Err(message) => {
                    (self.tell)(picture.span(), message);
                    None
                }
            },
            (None, Some(boolean), None, None) => {
                let (yes, no) = (boolean.r#true.text(), boolean.r#false.text());
                Some(Some(Format::Boolean { yes, no }))
            }
            (None, None, Some(BytesWord::Hex), None) => Some(Some(Format::Hex)),
            (None, None, Some(BytesWord::Base64), None) => Some(Some(Format::Base64)),
            (None, None, None, Some(kind)) => match TextType::by_name(kind.get_ref()) {
                Some(kind) => Some(Some(Format::Typed(kind))),
                None => {
                    let known = TextType::names().collect::<Vec<_>>().join(", ");
                    let message = format!("expected one of {known}, found '{}'", kind.get_ref());
                    (self.tell)(kind.span(), message);
                    None
                }
            },
            _ => {
                let message = "a field is only one of 'date', 'boolean', 'bytes' and 'xsd'";
                (self.tell)(name.span(), message.to_owned());
                None
            }
        }
    }
}

fn policies(options: &mut Options, section: &InterfaceSection) {
    options.unknown_fields = section.unknown_fields;
    options.missing_fields = section.missing_fields;
    options.duplicate_fields = section.duplicate_fields;
    options.zero_occurs = section.zero_occurs;
    options.missing_rows = section.missing_rows;
    options.empty_rows = section.empty_rows;
    options.unmatched_views = section.unmatched_views;
    options.table_room = section.table_room;
    options.xml.other_attributes = section.other_attributes.clone();
    options.filler = section.filler;
    options.counters = section.counters;
    options.data_truncation = section.data_truncation;
    options.binary_range = section.binary_range;
    options.native_order = section.native_order;
    options.float = section.float;
    options.edited = section.edited;
    options.initialise = section.initialise;
    options.conditions = section.conditions;
    options.policies = section.values;
}
