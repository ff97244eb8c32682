//! The copybooks, written from the tables.

use std::fmt::Write as _;

use crate::constants::{Value, constants};
use crate::handles::{
    CREATE_HANDLE, DELETE_HANDLE, DELETE_PROPERTY, INQUIRE_PROPERTY, PROPERTY, RULES_HEADER_2, SET_PROPERTY,
    VARYING_TEXT,
};
use crate::structures::{
    CONNECT_OPTIONS, DEAD_LETTER, GET_OPTIONS, IMS, Kind, MESSAGE, OBJECT, PUT_OPTIONS, SUBSCRIPTION,
    SUBSCRIPTION_REQUEST, Structure, TRIGGER, TRIGGER_TEXT, TRIGGER_TEXT_2,
};

const STRUCTURES: [&Structure; 20] = [
    &CONNECT_OPTIONS,
    &CREATE_HANDLE,
    &DEAD_LETTER,
    &DELETE_HANDLE,
    &DELETE_PROPERTY,
    &GET_OPTIONS,
    &IMS,
    &INQUIRE_PROPERTY,
    &MESSAGE,
    &OBJECT,
    &PROPERTY,
    &PUT_OPTIONS,
    &RULES_HEADER_2,
    &SET_PROPERTY,
    &SUBSCRIPTION,
    &SUBSCRIPTION_REQUEST,
    &TRIGGER,
    &TRIGGER_TEXT,
    &TRIGGER_TEXT_2,
    &VARYING_TEXT,
];

/// The members that [`copybook`] writes.
pub const MEMBERS: [&str; 41] = [
    "CMQCHRVL", "CMQCHRVV", "CMQCMHOL", "CMQCMHOV", "CMQCNOL", "CMQCNOV", "CMQDLHL", "CMQDLHV", "CMQDMHOL",
    "CMQDMHOV", "CMQDMPOL", "CMQDMPOV", "CMQGMOL", "CMQGMOV", "CMQIIHL", "CMQIIHV", "CMQIMPOL", "CMQIMPOV",
    "CMQMDL", "CMQMDV", "CMQODL", "CMQODV", "CMQPDL", "CMQPDV", "CMQPMOL", "CMQPMOV", "CMQRFH2L", "CMQRFH2V",
    "CMQSDL", "CMQSDV", "CMQSMPOL", "CMQSMPOV", "CMQSROL", "CMQSROV", "CMQTMC2L", "CMQTMC2V", "CMQTMCL",
    "CMQTMCV", "CMQTML", "CMQTMV", "CMQV",
];

/// A member that programs COPY, in fixed form; none if the MQI here does not have the member.
#[must_use]
pub fn copybook(member: &str) -> Option<String> {
    let member = member.to_ascii_uppercase();
    if member == "CMQV" {
        return Some(of_constants());
    }
    let (middle, last) = member.strip_prefix("CMQ")?.split_at_checked(member.len().checked_sub(4)?)?;
    let structure = STRUCTURES.iter().find(|structure| structure.member == middle)?;
    match last {
        "V" => Some(of_structure(structure, true)),
        "L" => Some(of_structure(structure, false)),
        _ => None,
    }
}

/// A structure, with or without the initial values of its fields.
fn of_structure(structure: &Structure, has_values: bool) -> String {
    let mut text = format!("       10 {}.\n", structure.name);
    for (field, part) in structure.parts() {
        let (picture, value) = declaration(part.kind);
        let name = format!("{}-{}{}", structure.name, field.name, part.suffix);
        let value = if has_values { format!(" VALUE {value}") } else { String::new() };
        put_line(&mut text, 15, &name, picture.trim_end(), &value);
    }
    text
}

/// The COBOL declaration of a kind, and its initial value.
fn declaration(kind: Kind) -> (String, String) {
    match kind {
        Kind::Text(bytes, "") => (format!("PIC X({bytes})"), "SPACES".to_owned()),
        Kind::Text(bytes, initial) => (format!("PIC X({bytes})"), format!("'{initial}'")),
        Kind::Bytes(bytes) => (format!("PIC X({bytes})"), "LOW-VALUES".to_owned()),
        Kind::Number(initial) => ("PIC S9(9) BINARY".to_owned(), initial.to_string()),
        Kind::Long(initial) => ("PIC S9(18) BINARY".to_owned(), initial.to_string()),
        Kind::Address | Kind::Varying => ("POINTER".to_owned(), "NULL".to_owned()),
    }
}

/// CMQV: all constants.
fn of_constants() -> String {
    let mut text = String::new();
    for (name, value) in constants() {
        let (picture, value) = match value {
            Value::Number(number) => ("PIC S9(9) BINARY".to_owned(), number.to_string()),
            Value::Long(number) => ("PIC S9(18) BINARY".to_owned(), number.to_string()),
            Value::Text(value) => (format!("PIC X({})", value.len()), format!("'{value}'")),
            Value::Low(bytes) => (format!("PIC X({bytes})"), "LOW-VALUES".to_owned()),
            Value::Hex(digits) => (format!("PIC X({})", digits.len() / 2), format!("X'{digits}'")),
        };
        put_line(&mut text, 10, name, &picture, &format!(" VALUE {value}"));
    }
    text
}

/// An entry on one line, or on two lines if one would go beyond column 72.
fn put_line(text: &mut String, level: u8, name: &str, picture: &str, value: &str) {
    let line = format!("       {level} {name} {picture}{value}.");
    let written = if line.len() <= 72 {
        writeln!(text, "{line}")
    } else {
        writeln!(text, "       {level} {name} {picture}\n          {value}.")
    };
    written.expect("a String takes what is written");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_fits_its_columns() {
        for member in MEMBERS {
            let text = copybook(member).unwrap_or_else(|| panic!("no {member}"));
            for line in text.lines() {
                assert!(line.len() <= 72, "{member}: {line}");
            }
        }
        assert_eq!(copybook("CMQXYZV"), None);
        assert_eq!(copybook("CMQ"), None);
        assert_eq!(copybook("cmqv"), copybook("CMQV"));
    }

    #[test]
    fn the_object_descriptor_reads_as_documented() {
        let text = copybook("CMQODV").unwrap();
        let head = "       10 MQOD.\n       15 MQOD-STRUCID PIC X(4) VALUE 'OD'.\n       15 MQOD-VERSION PIC S9(9) BINARY VALUE 1.\n";
        assert!(text.starts_with(head), "{text}");
        assert!(text.contains("       15 MQOD-OBJECTSTRING-VSPTR POINTER VALUE NULL.\n"), "{text}");
        assert!(!copybook("CMQODL").unwrap().contains("VALUE"));
    }

    #[test]
    fn the_trigger_message_as_text_has_the_queue_manager_in_its_second_version() {
        let text = copybook("CMQTMC2V").unwrap();
        let head = "       10 MQTMC.\n       15 MQTMC-STRUCID PIC X(4) VALUE 'TMC'.\n       15 MQTMC-VERSION PIC X(4) VALUE '   2'.\n";
        assert!(text.starts_with(head), "{text}");
        assert!(text.ends_with("       15 MQTMC-QMGRNAME PIC X(48) VALUE SPACES.\n"), "{text}");
        assert!(text.contains("       15 MQTMC-APPLTYPE PIC X(4) VALUE SPACES.\n"), "{text}");
        assert!(!copybook("CMQTMCL").unwrap().contains("QMGRNAME"));
    }
}
