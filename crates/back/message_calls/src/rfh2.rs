//! MQRFH2: the properties of a message as a header before its body, for programs without a message handle.
//!
//! Source: IBM MQ, "MQRFH2 - Rules and formatting header 2", "Mapping property data types to MQRFH2 data types".

use std::collections::HashMap;
use std::fmt::Write as _;

use message::{Ccsid, Encoding, Format, Message, Property, PropertyValue};
use mqi::{Fields, RULES_HEADER_2, padded};

use crate::property_name::plain;

/// MQFMT-RF-HEADER-2.
const FORMAT: Format = Format(*b"MQHRF2  ");

/// The folder of a property whose name names no other one.
const USERS: &str = "usr";

/// The header of a message.
pub(crate) struct Header {
    folders: Vec<u8>,
}

impl Header {
    /// The header with these properties; none without properties.
    pub(crate) fn of(properties: &[Property]) -> Option<Self> {
        folders(properties).map(|folders| Self { folders })
    }

    /// Its bytes.
    pub(crate) fn length(&self) -> usize {
        FIXED_BYTES + self.folders.len()
    }

    /// Puts it before the body, in place of the message's properties. Its texts are in the code page
    /// of the region, the properties in UTF-8.
    pub(crate) fn put_before(self, message: &mut Message, ccsid: u16) {
        let Some(mut header) = Fields::initial(&RULES_HEADER_2, 2, padded) else { return };
        let of = &mut message.descriptor;
        let number = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        header.set_number("STRUCLENGTH", i32::try_from(self.length()).unwrap_or(i32::MAX));
        header.set_number("ENCODING", number(of.encoding.0));
        header.set_number("CODEDCHARSETID", number(of.ccsid.0));
        header.set_bytes("FORMAT", &of.format.0);
        let mut body = header.into_bytes();
        body.extend(self.folders);
        body.append(&mut message.body);
        message.body = body;
        message.properties.clear();
        (of.format, of.encoding, of.ccsid) = (FORMAT, Encoding::S390, Ccsid(ccsid.into()));
    }
}

/// The bytes before the folders.
const FIXED_BYTES: usize = 36;

/// The folders, each with its length before it; none without properties.
fn folders(properties: &[Property]) -> Option<Vec<u8>> {
    let mut folders: Vec<(&str, String)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for property in properties.iter().filter(|property| is_xml(property.value())) {
        let (folder, name) = split(property.name());
        let place = *places.entry(folder).or_insert_with(|| {
            let content = if folder == USERS { "" } else { " content='properties'" };
            folders.push((folder, format!("<{folder}{content}>")));
            folders.len() - 1
        });
        write_property(&mut folders[place].1, name, property.value());
    }
    let mut bytes = Vec::new();
    for (folder, mut text) in folders {
        let _ = write!(text, "</{folder}>");
        // Lengths are multiples of four.
        let length = text.len().next_multiple_of(4);
        bytes.extend(u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
        bytes.extend(text.bytes());
        bytes.resize(bytes.len() + length - text.len(), b' ');
    }
    (!bytes.is_empty()).then_some(bytes)
}

/// False for a text with characters that XML 1.0 does not have, not even as references.
fn is_xml(value: &PropertyValue) -> bool {
    let is_known = |character: char| match character {
        '\t' | '\n' | '\r' => true,
        '\0'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => false,
        _ => true,
    };
    !matches!(value, PropertyValue::Text(text) if !text.chars().all(is_known))
}

/// The folder of a name, and the name in it. A name with a part that cannot be an element is an element as a whole.
fn split(name: &str) -> (&str, &str) {
    let name = plain(name);
    match name.split_once('.').filter(|_| has_levels(name)) {
        Some((folder, rest)) => (folder, rest),
        None => (USERS, name),
    }
}

/// True if each part of a name between dots can be the name of an element.
fn has_levels(name: &str) -> bool {
    name.split('.')
        .all(|level| level.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '$')))
}

fn write_property(text: &mut String, name: &str, value: &PropertyValue) {
    let (head, tail) = name.rsplit_once('.').filter(|_| has_levels(name)).unwrap_or(("", name));
    let above: Vec<&str> = head.split('.').filter(|level| !level.is_empty()).collect();
    above.iter().for_each(|level| text.push_str(&format!("<{level}>")));
    let (attribute, shown) = match value {
        PropertyValue::Null => (" xsi:nil='true'", String::new()),
        PropertyValue::Boolean(is_true) => (" dt='boolean'", u8::from(*is_true).to_string()),
        PropertyValue::Int8(number) => (" dt='i1'", number.to_string()),
        PropertyValue::Int16(number) => (" dt='i2'", number.to_string()),
        PropertyValue::Int32(number) => (" dt='i4'", number.to_string()),
        PropertyValue::Int64(number) => (" dt='i8'", number.to_string()),
        PropertyValue::Float32(number) => (" dt='r4'", format!("{number:?}")),
        PropertyValue::Float64(number) => (" dt='r8'", format!("{number:?}")),
        PropertyValue::Bytes(bytes) => {
            (" dt='bin.hex'", bytes.iter().map(|byte| format!("{byte:02X}")).collect())
        }
        PropertyValue::Text(value) => ("", escaped(value)),
    };
    let _ = write!(text, "<{tail}{attribute}>{shown}</{tail}>");
    above.iter().rev().for_each(|level| text.push_str(&format!("</{level}>")));
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn property(name: &str, value: PropertyValue) -> Property {
        Property::new(name, value).expect("a name")
    }

    #[test]
    fn properties_are_in_the_folders_of_their_names() {
        let properties = [
            property("colour", PropertyValue::Text("a<b".to_owned())),
            property("usr.n", PropertyValue::Int32(-1)),
            property("app.x.y", PropertyValue::Boolean(true)),
            property("none", PropertyValue::Null),
            property("raw", PropertyValue::Bytes(vec![0xAF])),
        ];
        let mut message = Message { body: b"BODY".to_vec(), ..Message::default() };
        message.descriptor.format = Format::STRING;
        message.descriptor.ccsid = Ccsid(1208);
        let header = Header::of(&properties).expect("a header");
        let length = header.length();
        header.put_before(&mut message, 1252);
        let of = &message.descriptor;
        assert_eq!((of.format, of.ccsid, of.encoding), (FORMAT, Ccsid(1252), Encoding::S390));
        assert!(message.body.ends_with(b"BODY"));
        assert_eq!(length + 4, message.body.len());
        let header = Fields::read(&RULES_HEADER_2, &message.body).unwrap();
        assert_eq!(header.as_bytes().len(), FIXED_BYTES);
        assert_eq!(header.number("STRUCLENGTH") as usize, message.body.len() - 4);
        let fields = ["VERSION", "CODEDCHARSETID", "NAMEVALUECCSID"].map(|name| header.number(name));
        assert_eq!((fields, header.text("FORMAT")), ([2, 1208, 1208], Some("MQSTR")));
        let users = u32::from_be_bytes(message.body[36..40].try_into().unwrap()) as usize;
        assert_eq!(users % 4, 0);
        let text = std::str::from_utf8(&message.body[40..40 + users]).unwrap();
        assert_eq!(
            text.trim_end(),
            "<usr><colour>a&lt;b</colour><n dt='i4'>-1</n><none xsi:nil='true'></none><raw dt='bin.hex'>AF</raw></usr>"
        );
        let text = std::str::from_utf8(&message.body[44 + users..message.body.len() - 4]).unwrap();
        assert_eq!(text.trim_end(), "<app content='properties'><x><y dt='boolean'>1</y></x></app>");
    }

    #[test]
    fn every_name_and_text_makes_xml() {
        let text = |value: &str| PropertyValue::Text(value.to_owned());
        let properties = [
            property("a.b.", text("1")),
            property("a..b", text("2")),
            property("a.9b", text("3")),
            property("bad", text("\0")),
            property("good", text("\t")),
        ];
        let bytes = folders(&properties).expect("folders");
        let told = String::from_utf8_lossy(&bytes[4..]);
        assert_eq!(told.trim_end(), "<usr><a.b.>1</a.b.><a..b>2</a..b><a.9b>3</a.9b><good>\t</good></usr>");
        assert!(folders(&properties[3..4]).is_none());
    }

    #[test]
    fn a_message_without_properties_has_no_header() {
        assert!(Header::of(&[]).is_none());
    }
}
