//! The JSON Schema of a message of XML, whose JSON has the names of its elements.

use ::xml::{trim, write_attribute};
use assistant::{
    Binary, BinaryData, CharVarying, Decimal, Encoding, Kind, Member, Number, NumberForm, Numbered, Options,
    Shape, Text, Xml, XmlForm,
};
use record::write_string;
use xsd::TextType;

use crate::octets;
use crate::values::without_spaces;

/// The most characters of a point in time.
const MOMENT_CHARACTERS_MAX: usize = 32;

/// The most octets of an example.
const EXAMPLE_OCTETS_MAX: u64 = 4_096;

/// The schema of the object that a shape is.
pub(crate) fn of(shape: &Shape, rules: &Options) -> String {
    let mut out = Vec::new();
    write(shape, Given::default(), rules, &mut out);
    // Names and texts are UTF-8, and so is all that stands between them.
    String::from_utf8(out).unwrap_or_default()
}

/// The schema of an answer of a program, whose record may have another value than the only one of the schema of the
/// message. None if it is the same.
pub(crate) fn of_answer(shape: &Shape, rules: &Options) -> Option<String> {
    if !has_fixed(shape) {
        return None;
    }
    let mut shape = shape.clone();
    free(&mut shape);
    Some(of(&shape, rules))
}

/// True if a member has only one value.
fn has_fixed(shape: &Shape) -> bool {
    let of_member =
        |member: &Member| member.xml.as_ref().is_some_and(|xml| xml.fixed) || has_fixed(&member.shape);
    match &shape.kind {
        Kind::Object(members) => members.iter().any(of_member),
        Kind::Choice(choice) => choice.options.iter().any(of_member),
        Kind::Array(array) => has_fixed(&array.items),
        _ => false,
    }
}

/// Lets each member have other values.
fn free(shape: &mut Shape) {
    let members = match &mut shape.kind {
        Kind::Object(members) => members,
        Kind::Choice(choice) => &mut choice.options,
        Kind::Array(array) => return free(&mut array.items),
        _ => return,
    };
    for member in members {
        if let Some(xml) = &mut member.xml {
            xml.fixed = false;
        }
        free(&mut member.shape);
    }
}

/// The value that the schema of a message gives to an element or attribute.
#[derive(Clone, Copy, Default)]
struct Given<'s> {
    value: Option<&'s str>,
    /// It is the only one.
    fixed: bool,
    /// Null may stand in its place.
    nullable: bool,
}

impl<'s> Given<'s> {
    fn of(member: &'s Member) -> Self {
        let Some(xml) = &member.xml else { return Self::default() };
        Self { value: xml.value.as_deref(), fixed: xml.fixed, nullable: false }
    }

    /// Writes the value in JSON: as an enumeration if it is the only one, else as an example.
    fn write(self, json: &[u8], out: &mut Vec<u8>) {
        push(out, if self.fixed { ",\"enum\":[" } else { ",\"example\":" });
        out.extend_from_slice(json);
        if self.fixed {
            push(out, if self.nullable { ",null]" } else { "]" });
        }
    }

    fn write_text(self, text: &str, out: &mut Vec<u8>) {
        let mut json = Vec::new();
        write_string(text, &mut json);
        self.write(&json, out);
    }
}

/// Writes the schema of a value, for which the schema of the message may give one.
fn write(shape: &Shape, given: Given<'_>, rules: &Options, out: &mut Vec<u8>) {
    let given = Given { nullable: shape.nullable, ..given };
    out.push(b'{');
    match &shape.kind {
        Kind::Object(members) => object(members, rules, out),
        Kind::Array(array) => {
            push(out, "\"type\":\"array\",\"items\":");
            write(&array.items, given, rules, out);
            push(out, &format!(",\"minItems\":{}", array.min));
            if let Some(max) = array.max {
                push(out, &format!(",\"maxItems\":{max}"));
            }
        }
        Kind::Choice(choice) => {
            object(
                &choice
                    .options
                    .iter()
                    .map(|option| Member { required: false, ..option.clone() })
                    .collect::<Vec<_>>(),
                rules,
                out,
            );
            push(out, ",\"minProperties\":1,\"maxProperties\":1");
        }
        Kind::Text(text) => textual(text, given, rules, out),
        Kind::Binary(binary) => {
            let encoding = match binary.encoding {
                Encoding::Base64 => ",\"contentEncoding\":\"base64\"",
                Encoding::Hex => ",\"contentEncoding\":\"base16\"",
                Encoding::Raw => "",
            };
            push(out, &format!("\"type\":\"string\"{encoding}"));
            octets_as_text(binary, given, rules, out);
        }
        Kind::Moment(moment) => {
            // The schema says no format, because values may have a time zone that the formats of JSON Schema lack.
            push(out, &format!("\"type\":\"string\",\"maxLength\":{MOMENT_CHARACTERS_MAX}"));
            let kind = moment.text_type();
            match given.value.map(|value| kind.value(value, MOMENT_CHARACTERS_MAX)) {
                Some(value) if kind.check(&value).is_ok() => given.write_text(&value, out),
                _ => Given::default().write_text(kind.example(), out),
            }
        }
        Kind::Boolean => {
            push(out, "\"type\":\"boolean\"");
            match given.value.map(trim) {
                Some("true" | "1") => given.write(b"true", out),
                Some("false" | "0") => given.write(b"false", out),
                _ => {}
            }
        }
        Kind::Number(number) => numeric(number, given, out),
    }
    if shape.nullable {
        push(out, ",\"nullable\":true");
    }
    if let Some(description) = &shape.description {
        push(out, ",\"description\":");
        write_string(description, out);
    }
    out.push(b'}');
}

fn textual(text: &Text, given: Given<'_>, rules: &Options, out: &mut Vec<u8>) {
    push(out, "\"type\":\"string\"");
    if text.min > 0 && text.values.is_empty() {
        push(out, &format!(",\"minLength\":{}", text.min));
    }
    if let Some(max) = text.max.or_else(|| assumed_max(text, rules)) {
        push(out, &format!(",\"maxLength\":{max}"));
    }
    let value = given.value.map(|value| text.kind.map_or(value.into(), |kind| kind.value(value, usize::MAX)));
    let value = value.filter(|value| fits(value, text));
    // Fields may lose blanks at the end, and answers then have another text.
    let is_kept = value.as_ref().is_some_and(|value| !value.ends_with(' '));
    let given = Given { fixed: given.fixed && is_kept, ..given };
    if !text.values.is_empty() && !given.fixed {
        push(out, ",\"enum\":[");
        list(&text.values, out, |value, out| write_string(value, out));
        push(out, if given.nullable { ",null]" } else { "]" });
    }
    if let Some(value) = value {
        given.write_text(&value, out);
    } else if text.values.is_empty()
        && let Some(example) = text.kind.and_then(|kind| example_of_text(kind, text))
    {
        push(out, ",\"example\":");
        write_string(example, out);
    }
}

/// The most characters of text whose schema says no limit; none if the text goes into a container, which holds any length.
fn assumed_max(text: &Text, rules: &Options) -> Option<u64> {
    let bytes = rules.default_char_max.saturating_mul(rules.char_multiplier);
    let fits_record = bytes <= rules.char_varying_max;
    (fits_record && text.values.is_empty()).then(|| rules.default_char_max.max(text.min))
}

fn object(members: &[Member], rules: &Options, out: &mut Vec<u8>) {
    push(out, "\"type\":\"object\",\"additionalProperties\":false,\"properties\":{");
    let names = unique(members.iter().map(|member| member.name.as_str()));
    let named: Vec<(&Member, String)> = members.iter().zip(names).collect();
    list(&named, out, |(member, name), out| {
        write_string(name, out);
        out.push(b':');
        write(&member.shape, Given::of(member), rules, out);
        if let Some(example) = member.xml.as_ref().and_then(example_of_xml) {
            // Behind the members of the schema that has just been closed.
            out.pop();
            push(out, ",\"example\":");
            write_string(&example, out);
            out.push(b'}');
        }
    });
    out.push(b'}');
    let required: Vec<&String> =
        named.iter().filter_map(|(member, name)| member.required.then_some(name)).collect();
    if !required.is_empty() {
        push(out, ",\"required\":[");
        list(&required, out, |name, out| write_string(name, out));
        out.push(b']');
    }
}

/// Octets, with the value that the schema fixes in the form that answers have.
fn octets_as_text(binary: &Binary, given: Given<'_>, rules: &Options, out: &mut Vec<u8>) {
    let fixed = given.value.filter(|_| given.fixed);
    match fixed.and_then(|fixed| octets::decode(binary.encoding, &without_spaces(fixed)).ok()) {
        Some(octets) => {
            let mut text = String::new();
            octets::encode(binary.encoding, &octets, &mut text);
            given.write_text(&text, out);
        }
        None => length_of_octets(binary, rules, out),
    }
}

/// The length of octets in a field of the record. If nothing says where they end, they fill their field. An
/// example then shows a value that fits.
fn length_of_octets(binary: &Binary, rules: &Options, out: &mut Vec<u8>) {
    let Some(room) = binary.max_octets.filter(|octets| *octets <= rules.char_varying_max) else { return };
    let characters = match binary.encoding {
        Encoding::Base64 => room.div_ceil(3) * 4,
        Encoding::Hex => room * 2,
        Encoding::Raw => room,
    };
    push(out, &format!(",\"maxLength\":{characters}"));
    let varies = matches!(rules.char_varying, CharVarying::Yes | CharVarying::Null);
    if varies || rules.binary_data == BinaryData::Text {
        return;
    }
    push(out, &format!(",\"minLength\":{characters}"));
    if room <= EXAMPLE_OCTETS_MAX {
        let mut example = String::new();
        octets::encode(binary.encoding, &vec![0; room as usize], &mut example);
        push(out, ",\"example\":");
        write_string(&example, out);
    }
}

/// An example for a type that not every text fits; none if no known example fits the limits.
fn example_of_text(kind: TextType, text: &Text) -> Option<&'static str> {
    let example = kind.example();
    let fits = example.len() as u64 >= text.min && text.max.is_none_or(|max| example.len() as u64 <= max);
    (fits && !matches!(kind, TextType::Token | TextType::Normalized)).then_some(example)
}

/// The example of any XML, and of its prefixes.
fn example_of_xml(xml: &Xml) -> Option<String> {
    match xml.form {
        XmlForm::Any => {
            let usual = ("urn:any", "any");
            let (namespace, name) = match &xml.wildcard {
                Some(wildcard) => wildcard.names.example(usual.0, usual.1)?,
                None => usual,
            };
            let mut example = format!("<{name} xmlns=\"");
            write_attribute(namespace, &mut example);
            example.push_str("\"/>");
            Some(example)
        }
        XmlForm::Prefixes => Some(String::new()),
        XmlForm::Element | XmlForm::Attribute | XmlForm::Text | XmlForm::Group | XmlForm::Type => None,
    }
}

/// The names of the members of an object, each one unique: `group`, `group2`. A group of XML without a name
/// gets the name of the element around it.
pub(crate) fn unique<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut taken = Numbered::default();
    names.map(|name| taken.take(name)).collect()
}

fn numeric(number: &Number, given: Given<'_>, out: &mut Vec<u8>) {
    let is_integer = number.form == NumberForm::Integer;
    push(out, if is_integer { "\"type\":\"integer\"" } else { "\"type\":\"number\"" });
    for (word, limit) in [("minimum", &number.least), ("maximum", &number.greatest)] {
        if let Some(limit) = limit {
            push(out, &format!(",\"{word}\":{limit}"));
        }
    }
    let value = given.value.and_then(|value| Decimal::parse(trim(value).trim_start_matches('+')));
    let is_within = |given: &Decimal| {
        number.least.is_none_or(|least| *given >= least)
            && number.greatest.is_none_or(|greatest| *given <= greatest)
            && (number.values.is_empty() || number.values.contains(given))
    };
    let Some(value) = value.filter(is_within) else { return };
    let json = match is_integer {
        true => value.to_integer().map(|value| value.to_string()),
        false => Some(value.to_string()),
    };
    if let Some(json) = json {
        given.write(json.as_bytes(), out);
    }
}

/// True if the value that a schema gives fits the limits of its type.
fn fits(given: &str, text: &Text) -> bool {
    let characters = given.chars().count() as u64;
    (text.min..=text.max.unwrap_or(u64::MAX)).contains(&characters)
        && (text.values.is_empty() || text.values.iter().any(|value| value == given))
        && text.kind.is_none_or(|kind| kind.check(given).is_ok())
}

fn list<T>(items: &[T], out: &mut Vec<u8>, mut item: impl FnMut(&T, &mut Vec<u8>)) {
    for (index, one) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        item(one, out);
    }
}

fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}
