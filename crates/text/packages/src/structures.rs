//! API requesters for the Host API of z/OS Connect 3.0: schemas of structures with data areas, and their
//! copybooks.
//!
//! The members of a request and of a response, the names of copybooks (prefix, number, and Q01, P01 or I01)
//! and the area that describes an operation are those of the public sample of z/OS Connect. The sample does
//! not have names for headers and for the response `default`; these are ours.

use std::fmt::Write;

use assistant::{Apart, CharVarying, MappingLevel, Options, RootOptional};

use crate::draft::{Draft, Written};
use crate::fault::{Fault, FaultKind, Notes};
use crate::openapi::HostApiChoices;
use crate::requester::{Operation, Requester, copybook, request_section};
use crate::{File, json, toml};

/// Members of a request's schema, their parameters, and the body.
pub(crate) const GROUPS: [(&str, &str); 4] = [
    ("requestPathParameters", "path"),
    ("requestQueryParameters", "query"),
    ("requestHeaders", "header"),
    ("requestBody", "body"),
];

/// Names of copybooks have 8 characters: a prefix, two digits and `Q01`.
const PREFIX_CHARACTERS_MAX: usize = 3;

/// Two digits number the operations.
const OPERATIONS_MAX: usize = 100;

/// The bytes of each text in BAQ-API-INFO.
const INFO_TEXT_BYTES: usize = 255;

/// The responses of an operation.
#[derive(Clone, Debug)]
pub(crate) struct Responses {
    /// The schema of the structure with all of them; none if no status has a body.
    pub(crate) schema: Option<String>,
    /// Each status with the member of its body, if it has one.
    pub(crate) statuses: Vec<(String, Option<String>)>,
}

/// The member of a status in the structure of responses.
pub(crate) fn response_member(status: &str) -> String {
    match status {
        "default" => "responseDefault".to_owned(),
        status => format!("responseCode{}", status.to_ascii_uppercase()),
    }
}

/// Checks the prefix of the names of copybooks.
pub(crate) fn check_prefix(prefix: &str) -> Result<(), String> {
    let is_name = prefix.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && prefix.starts_with(|first: char| first.is_ascii_uppercase());
    match is_name && prefix.len() <= PREFIX_CHARACTERS_MAX {
        true => Ok(()),
        false => Err(format!(
            "expected a prefix of 1 to {PREFIX_CHARACTERS_MAX} upper-case letters and digits, a letter first, found \
             '{prefix}'"
        )),
    }
}

/// Writes the requester's file, its schemas and its copybooks.
pub(crate) fn write(requester: &Requester, choices: &HostApiChoices, notes: &mut Notes) -> Written {
    let mut draft = Draft::new(requester, notes);
    options(choices, &mut draft.out);
    for operation in &requester.operations {
        let member = format!("{}{:02}", choices.prefix, operation.number);
        draft.operation(operation, |draft| {
            if operation.number >= OPERATIONS_MAX {
                let found = operation.number + 1;
                let message = format!(
                    "expected at most {OPERATIONS_MAX} operations, which two digits number, found {found} or more"
                );
                return Err(vec![Fault::at(FaultKind::Content, &operation.file, operation.line, message)]);
            }
            Writer { draft, choices, operation, member }.operation()
        });
    }
    draft.finish(&["the copybooks are for programs that call the Host API; those that z/OS Connect made of the same \
                       document, with the same options, lay out the same bytes, but for bodies of PATCH and additional \
                       properties"])
}

fn options(choices: &HostApiChoices, out: &mut String) {
    let HostApiChoices { default_character_max_length, default_fraction_digits, inline_max_occurs, .. } =
        choices;
    let _ = writeln!(out, "\n[structures]");
    let _ = writeln!(out, "default_character_max_length = {default_character_max_length}");
    let _ = writeln!(out, "default_fraction_digits = {default_fraction_digits}");
    let _ = writeln!(out, "inline_max_occurs = {inline_max_occurs}");
    // A schema that does not forbid further members allows them, and APIs grow over time.
    let _ = writeln!(out, "unknown_fields = \"ignore\"");
}

/// Writes one operation.
struct Writer<'w, 'a> {
    draft: &'w mut Draft<'a>,
    choices: &'w HostApiChoices,
    operation: &'w Operation,
    /// The prefix and the operation's number.
    member: String,
}

impl Writer<'_, '_> {
    fn operation(&mut self) -> Result<(), Vec<Fault>> {
        let (operation, member) = (self.operation, &self.member);
        let out = &mut self.draft.out;
        let _ =
            writeln!(out, "\n# Copybooks {member}I01, {member}Q01 and {member}P01, as far as there are any.");
        let _ = writeln!(out, "[[operation]]\nname = {}", toml::string(&operation.name));
        let mut faults: Vec<Fault> = self.info().err().into_iter().collect();
        if let Some(schema) = &operation.request {
            let found = self.schema("request", schema, "Q01", RootOptional::Inline);
            faults.extend(found.err().into_iter().flatten());
        }
        let responses = operation.response.as_ref();
        if let Some(schema) = responses.and_then(|responses| responses.schema.as_ref()) {
            let found = self.schema("response", schema, "P01", RootOptional::Container);
            faults.extend(found.err().into_iter().flatten());
        }
        let out = &mut self.draft.out;
        request_section(operation, out);
        for (status, member) in responses.iter().flat_map(|responses| &responses.statuses) {
            let _ = writeln!(out, "\n[[operation.http.responses]]\nstatus = {}", toml::string(status));
            if let Some(member) = member {
                let _ = writeln!(out, "member = {}", toml::string(member));
            }
        }
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    /// Writes a schema and its copybook, and names the schema in the requester's file.
    fn schema(
        &mut self,
        side: &str,
        schema: &str,
        suffix: &str,
        root_optional: RootOptional,
    ) -> Result<(), Vec<Fault>> {
        let (operation, choices) = (self.operation, self.choices);
        let name = format!("{}{suffix}", self.member);
        let options = Options {
            record_prefix: "BAQBASE-",
            origin: format!("{}, {side}", operation.name),
            mapping_level: MappingLevel::V5_0,
            char_varying: CharVarying::Yes,
            default_char_max: choices.default_character_max_length,
            default_fraction_digits: choices.default_fraction_digits,
            inline_max_occurs: choices.inline_max_occurs,
            root_optional,
            apart: Apart::DataAreas,
            ..Options::assistant(&name)
        };
        let schema = json::indented(schema);
        let copybook = copybook(operation, side, &schema, &options, &mut *self.draft.notes)?;
        let file = format!("{}-{side}.json", operation.name);
        let _ = writeln!(self.draft.out, "{side}_schema = {}", toml::string(&file));
        let path = format!("requesters/{}/{file}", self.draft.requester.name);
        self.draft.files.push(File { path, text: schema });
        self.draft.files.push(File { path: format!("copybooks/{name}.cpy"), text: copybook.text });
        Ok(())
    }

    /// The area that describes the operation for BAQEXEC.
    fn info(&mut self) -> Result<(), Fault> {
        let (operation, member, requester) = (self.operation, &self.member, self.draft.requester);
        let path = format!("{}{}", requester.base_path, operation.path);
        let path = percent::escaped(&path).to_string();
        let texts = [
            ("NAME", requester.name.as_str()),
            ("PATH", path.as_str()),
            ("METHOD", operation.method.as_str()),
            ("OPERATION", operation.name.as_str()),
            ("MEDIA-TYPE", operation.media_type.as_deref().unwrap_or_default()),
        ];
        if let Some((_, text)) = texts.iter().find(|(_, text)| text.len() > INFO_TEXT_BYTES) {
            let message = format!("expected at most {INFO_TEXT_BYTES} bytes in BAQ-API-INFO, found '{text}'");
            return Err(Fault::at(FaultKind::Content, &operation.file, operation.line, message));
        }
        let mut text = format!(
            "      * {name}, made by Gantry: the operation for BAQEXEC.\n       01  BAQ-API-INFO-{member}I01.\n",
            name = operation.name
        );
        let mut entry = |name: &str, picture: &str, value: &str| {
            let _ = writeln!(text, "           03  BAQ-API-{name:<20} {picture}\n{value}");
        };
        let number = |value: usize| format!("               VALUE {value}.");
        const NUMBER: &str = "PIC 9(9) COMP-5 SYNC";
        entry("INFO-EYE", "PIC X(4)", &literal("BAQA"));
        entry("INFO-LENGTH", NUMBER, &number(INFO_BYTES));
        entry("INFO-VERSION", NUMBER, &number(2));
        entry("INFO-RESERVED01", NUMBER, &number(0));
        for (name, value) in texts {
            entry(name, "PIC X(255)", &literal(value));
            entry(&format!("{name}-LEN"), NUMBER, &number(value.len()));
        }
        self.draft.files.push(File { path: format!("copybooks/{member}I01.cpy"), text });
        Ok(())
    }
}

/// The bytes of BAQ-API-INFO: four words, then five texts, each with a length on its boundary.
const INFO_BYTES: usize = 16 + 5 * (INFO_TEXT_BYTES + 1 + 4);

/// The last column of a line.
const LAST_COLUMN: usize = 72;

/// The text in front of a literal, and in front of each further line of it.
const VALUE: &str = "               VALUE '";
const CONTINUED: &str = "      -    '";

/// The end of a literal and of its entry.
const END: &str = "'.";

/// The VALUE clause at the end of an entry. Long text continues on further lines, as in fixed format: a
/// continued line is full to column 72, and the last one has room for its end.
fn literal(value: &str) -> String {
    let value = if value.is_empty() { " " } else { value };
    let quoted = value.replace('\'', "''");
    let columns = quoted.chars().count();
    let (first, further) = (LAST_COLUMN - VALUE.len(), LAST_COLUMN - CONTINUED.len());
    if columns + END.len() <= first {
        return format!("{VALUE}{quoted}{END}");
    }
    // The columns that the last line would take. If the end has no room behind them, the first line begins
    // further right, so that one more line is used.
    let last = if columns <= first { columns } else { (columns - first - 1) % further + 1 };
    let is_narrow = columns <= first || last + END.len() > further;
    let (mut text, mut room) = match is_narrow {
        true => (format!("{}{VALUE}", " ".repeat(END.len())), first - END.len()),
        false => (VALUE.to_owned(), first),
    };
    for character in quoted.chars() {
        if room == 0 {
            text.push('\n');
            text.push_str(CONTINUED);
            room = further;
        }
        text.push(character);
        room -= 1;
    }
    text.push_str(END);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a literal by the rules of fixed format: a continued line counts to column 72, and
    /// continues behind the quote of the next line.
    fn value(literal: &str) -> String {
        let mut joined = String::new();
        let lines: Vec<&str> = literal.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            assert!(line.len() <= LAST_COLUMN, "column {} in {literal}", line.len());
            let part = match at {
                0 => line.split_once("VALUE '").expect("a VALUE").1,
                _ => line.strip_prefix("      -    '").expect("a continuation"),
            };
            match at + 1 == lines.len() {
                true => joined += part.strip_suffix("'.").expect("the end of the entry"),
                false => {
                    assert_eq!(line.len(), LAST_COLUMN, "blanks would count: {literal}");
                    joined += part;
                }
            }
            assert!(part.len() > if at == 0 { 0 } else { END.len() }, "nothing on line {at}: {literal}");
        }
        let value = joined.replace("''", "\u{0}");
        assert!(!value.contains('\''), "a quote alone in {literal}");
        value.replace('\u{0}', "'")
    }

    #[test]
    fn literals_of_every_length_end_before_column_72() {
        for length in 1..=INFO_TEXT_BYTES {
            for pattern in ["abcdefg", "'", "x'", "''z"] {
                let text: String = pattern.chars().cycle().take(length).collect();
                assert_eq!(value(&literal(&text)), text, "{length} of {pattern}");
            }
        }
        assert_eq!(literal(""), "               VALUE ' '.");
    }
}
