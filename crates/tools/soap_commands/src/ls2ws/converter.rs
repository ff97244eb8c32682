//! The C handler of one structure: C source that converts the XML of an operation to its record and back, without a library.
//!
//! `converter.c` is the part that is the same for all. This module writes what differs: the code page and the tables of
//! elements. Fields that C cannot convert as the bind does are refused by name.

use std::fmt::Write;

use codepage::{CodePage, Family};
use copybook::Sign;
use interface::Interface;
use record::{Bind, XmlContent, XmlMember, XmlNumber, XmlOutline, XmlValue};

/// The same part of all converters.
const RUNTIME: &str = include_str!("converter.c");

/// The most decimal places that the C part writes.
const SCALE_MAX: u32 = 38;

/// One direction: its name in the functions, and the record.
pub(crate) type Direction<'i> = (&'static str, &'i Interface);

/// Writes the source.
///
/// # Errors
/// All that it cannot convert, each with its place.
pub(crate) fn write(program: &str, directions: &[Direction<'_>]) -> Result<String, Vec<String>> {
    let mut errors = Vec::new();
    let mut messages = Vec::new();
    for (direction, interface) in directions {
        match message(program, direction, interface) {
            Ok(message) => messages.push(message),
            Err(found) => errors.extend(found),
        }
    }
    let page = directions.first().and_then(|(_, interface)| interface.options.encoding.code_page());
    let Some(page) = page else {
        errors.push(
            "a code page of several bytes a character cannot be converted outside of Gantry".to_owned(),
        );
        return Err(errors);
    };
    if !errors.is_empty() {
        return Err(errors);
    }
    let depth = messages.iter().map(|message| depth(&message.outline.members)).max().unwrap_or_default() + 2;
    let mut source = String::new();
    head(program, &messages, depth, page, &mut source);
    source.push_str(RUNTIME);
    messages.iter().for_each(|message| message.write(&mut source));
    Ok(source)
}

/// One direction of the source.
struct Message {
    function: String,
    name: String,
    namespace: String,
    outline: XmlOutline,
    initial: Vec<u8>,
}

fn message(program: &str, direction: &str, interface: &Interface) -> Result<Message, Vec<String>> {
    let Interface { layout, options } = interface;
    let told = |errors: Vec<record::CompileError>| {
        let told = errors.iter().map(|error| match error.line {
            0 => format!("{direction}: {error}"),
            line => format!("{direction}, {}, line {line}: {error}", layout.name()),
        });
        told.collect::<Vec<_>>()
    };
    let bind = Bind::compile(layout, options).map_err(told)?;
    let outline = bind.xml_outline(layout).map_err(told)?;
    let mut wrong = Vec::new();
    check(&outline.members, &mut |name| {
        wrong.push(format!("{direction}: {name} has more than {SCALE_MAX} decimal places"));
    });
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let mut initial = Vec::new();
    bind.start(&mut initial);
    let (namespace, name) = bind.xml_element();
    Ok(Message {
        function: format!("{}_{direction}", identifier(program)),
        name: name.to_owned(),
        namespace: namespace.to_owned(),
        outline,
        initial,
    })
}

fn check(members: &[XmlMember], wrong: &mut impl FnMut(&str)) {
    for member in members {
        match &member.content {
            XmlContent::Group(inner) => check(inner, &mut *wrong),
            XmlContent::Value { value: XmlValue::Number { scale, .. }, .. } if *scale > SCALE_MAX => {
                wrong(&member.name);
            }
            XmlContent::Value { .. } => {}
        }
    }
}

/// A program's name as C has names.
fn identifier(program: &str) -> String {
    let name: String = program
        .chars()
        .map(|character| if character.is_ascii_alphanumeric() { character.to_ascii_lowercase() } else { '_' })
        .collect();
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("_{name}") } else { name }
}

fn depth(members: &[XmlMember]) -> usize {
    let of = |member: &XmlMember| match &member.content {
        XmlContent::Group(inner) => 1 + depth(inner),
        XmlContent::Value { .. } => 1,
    };
    members.iter().map(of).max().unwrap_or_default()
}

/// The head of a converter, before the part that is the same in all.
fn head(program: &str, messages: &[Message], depth: usize, page: &CodePage, out: &mut String) {
    let ccsid = page.ccsid();
    let _ = write!(
        out,
        "/* The messages of {program}, converted from XML to records of CCSID {ccsid} and back.\n   \
         Made by gantry soap ls2ws --converter; do not edit.\n\n   \
         ..._read makes a record of a message in UTF-8, ..._write a message of a record. Both give 0, or one of the\n   \
         codes below; what they wrote is then of no use. ..._write tells how long the message is, even if there\n   \
         is no room for it. */\n\n#include <stddef.h>\n#include <stdint.h>\n\n"
    );
    for Message { function, initial, .. } in messages {
        let name = function.to_ascii_uppercase();
        let _ = write!(
            out,
            "#define {name}_BYTES {}\nint {function}_read(const char *xml, size_t length, unsigned char *record);\n\
             int {function}_write(const unsigned char *record, size_t bytes, char *xml, size_t room, size_t *length);\n\n",
            initial.len()
        );
    }
    let (ebcdic, zero, plus, minus, separate) = match page.family() {
        Family::Ebcdic => (1, 0xF0, (0xC0..=0xC9).collect(), (0xD0..=0xD9).collect(), (0x4E, 0x60)),
        Family::Ascii => (0, 0x30, b"{ABCDEFGHI".to_vec(), b"}JKLMNOPQR".to_vec(), (b'+', b'-')),
    };
    let _ = write!(
        out,
        "#define GANTRY_DEPTH {depth}\n#define GANTRY_EBCDIC {ebcdic}\n#define GANTRY_ZERO {zero}\n\
         #define GANTRY_BLANK {}\n#define GANTRY_SEPARATE_PLUS {}\n#define GANTRY_SEPARATE_MINUS {}\n\
         #define GANTRY_PLUS {{{}}}\n#define GANTRY_MINUS {{{}}}\n",
        page.space(),
        separate.0,
        separate.1,
        numbers(&plus),
        numbers(&minus)
    );
    write_page(page, out);
}

fn write_page(page: &CodePage, out: &mut String) {
    out.push_str("\n/* The character of each byte; 65533 where it has none. */\nstatic const uint16_t gantry_characters[256] = {\n");
    rows(page.to_unicode().iter().map(ToString::to_string), out);
    out.push_str("};\n\n/* The byte of each character, in the order of the characters. */\n");
    out.push_str("static const struct { uint16_t character; unsigned char byte; } gantry_bytes[] = {\n");
    let pairs = (0..=u16::MAX).filter_map(|unit| {
        let character = char::from_u32(unit.into())?;
        page.encode_char(character).map(|byte| format!("{{{unit}, {byte}}}"))
    });
    rows(pairs, out);
    out.push_str("};\n");
}

fn rows(items: impl Iterator<Item = String>, out: &mut String) {
    for (at, item) in items.enumerate() {
        out.push_str(if at % 12 == 0 { "    " } else { " " });
        out.push_str(&item);
        out.push_str(if at % 12 == 11 { ",\n" } else { "," });
    }
    out.push('\n');
}

fn numbers(bytes: &[u8]) -> String {
    bytes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A text as a literal of C.
fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' | 0..0x20 | 0x7F.. => {
                let _ = write!(literal, "\\{byte:03o}");
            }
            other => literal.push(char::from(other)),
        }
    }
    literal.push('"');
    literal
}

/// An integer of 128 bits, for which C has no literals.
fn wide(value: i128) -> String {
    let bits = value.cast_unsigned();
    let (high, low) = (bits >> 64, bits & u128::from(u64::MAX));
    format!("(__int128)((unsigned __int128){high}u << 64 | {low}u)")
}

impl Message {
    fn write(&self, out: &mut String) {
        let Message { function, name, namespace, outline, initial } = self;
        let _ = write!(out, "\nstatic const unsigned char {function}_initial[] = {{\n");
        rows(initial.iter().map(ToString::to_string), out);
        out.push_str("};\n\n");
        let mut tables = 0;
        let fields = write_fields(function, &outline.members, &mut tables, out);
        let _ = write!(
            out,
            "static const struct gantry_message {function} = {{\n    {}, {}, {},\n    {}, {}, {function}_initial, {fields}, {}\n}};\n\n\
             int {function}_read(const char *xml, size_t length, unsigned char *record)\n{{\n    \
             return gantry_read(&{function}, xml, length, record);\n}}\n\n\
             int {function}_write(const unsigned char *record, size_t bytes, char *xml, size_t room, size_t *length)\n{{\n    \
             return gantry_write(&{function}, record, bytes, xml, room, length);\n}}\n",
            literal(name),
            literal(namespace),
            literal(&outline.open),
            literal(&outline.close),
            initial.len(),
            outline.members.len()
        );
    }
}

/// Writes the tables of a group, inner ones first; gives the name of its own.
fn write_fields(function: &str, members: &[XmlMember], tables: &mut usize, out: &mut String) -> String {
    let mut lines = String::new();
    for XmlMember { name, rows, content } in members {
        let name = literal(name);
        let (rows, stride) = rows.unwrap_or((1, 0));
        let line = match content {
            XmlContent::Group(inner) => {
                let table = write_fields(function, inner, tables, out);
                let count = inner.len();
                format!("{name}, GANTRY_GROUP, 0, 0, 0, 0, 0, 0, {rows}, {stride}, 0, 0, {table}, {count}")
            }
            XmlContent::Value { offset, bytes, value } => {
                let (kind, least, greatest) = typed(value);
                format!("{name}, {kind}, {offset}, {bytes}, {rows}, {stride}, {least}, {greatest}, NULL, 0")
            }
        };
        let _ = writeln!(lines, "    {{{line}}},");
    }
    let table = format!("{function}_{tables}");
    *tables += 1;
    let _ = write!(out, "static const struct gantry_field {table}[] = {{\n{lines}}};\n\n");
    table
}

/// Kind, sign, justified, trimmed and decimal places; and the limits.
fn typed(value: &XmlValue) -> (String, String, String) {
    match value {
        XmlValue::Text { justified, trim } => {
            let (justified, trim) = (u8::from(*justified), u8::from(*trim));
            (format!("GANTRY_TEXT, 0, {justified}, {trim}, 0"), "0".to_owned(), "0".to_owned())
        }
        XmlValue::Number { form, scale, least, greatest } => {
            let form = match form {
                XmlNumber::Zoned(sign) => format!("GANTRY_ZONED, {}", sign_name(*sign)),
                XmlNumber::Packed { signed } => format!("GANTRY_PACKED, {}", u8::from(*signed)),
                XmlNumber::Binary { signed } => format!("GANTRY_BINARY, {}", u8::from(*signed)),
            };
            (format!("{form}, 0, 0, {scale}"), wide(*least), wide(*greatest))
        }
    }
}

fn sign_name(sign: Sign) -> &'static str {
    match sign {
        Sign::None => "SIGN_NONE",
        Sign::Trailing => "SIGN_TRAILING",
        Sign::Leading => "SIGN_LEADING",
        Sign::TrailingSeparate => "SIGN_TRAILING_SEPARATE",
        Sign::LeadingSeparate => "SIGN_LEADING_SEPARATE",
    }
}
