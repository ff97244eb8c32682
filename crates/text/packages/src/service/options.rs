//! The options of a service in manifest and service definition, as keys of our service files.

use codepage::Encoding;

use crate::fault::Notes;
use crate::manifest::Manifest;
use crate::toml;
use crate::xml::Element;

/// The default code page of services: that of the United States, as in the tools.
const CCSID_DEFAULT: u16 = 37;

/// Options that have a counterpart here.
#[derive(Debug)]
pub(super) struct Options {
    pub(super) ccsid: u16,
    /// True if fields that a request leaves out have blanks and zeros, false if they have low-values. None if
    /// neither file says it.
    pub(super) initialise: Option<bool>,
    enforce_minimum: bool,
    enforce_minimum_response: bool,
    trim_leading: bool,
    trim_trailing: bool,
    /// The byte of fields that are left out.
    omit_byte: Option<u8>,
    omit_empty: bool,
    /// True if text in a request is a number for a numeric field.
    text_numbers: bool,
}

/// Keys and values of TOML.
type Keys = Vec<(String, String)>;

impl Options {
    pub(super) fn read(manifest: &Manifest, definition: Option<&Element>, notes: &mut Notes) -> Self {
        let text = |name: &str| {
            let told = manifest.property(name).map(str::to_owned);
            told.or_else(|| definition?.child_text(name).map(str::to_owned))
        };
        let flag = |name: &str| text(name).is_some_and(|value| value.eq_ignore_ascii_case("true"));
        let file = &manifest.file;
        for option in ["ldsStartsWithLLZZ", "ldsStartsWithLLZZTRANCODE"] {
            if flag(option) {
                notes.add(file, 0, format!("{option}: the length and transaction in front are not imported"));
            }
        }
        if flag("truncateInputLastCharField") {
            let reason = "truncateInputLastCharField: requests have their full length here";
            notes.add(file, 0, reason);
        }
        if text("bidiConfigRef").is_some() {
            notes.add(file, 0, "bidiConfigRef: bidirectional text is not imported");
        }
        if flag("trimOutputLeadingWhitespace") && !flag("trimOutputTrailingWhitespace") {
            let reason =
                "trimOutputLeadingWhitespace alone has no counterpart: blanks are kept on both sides";
            notes.add(file, 0, reason);
        }
        let omit_byte = if flag("omitOutputFieldsByValue") { omit_byte(&text, file, notes) } else { None };
        Self {
            ccsid: ccsid(&text, file, notes),
            initialise: match text("initializeInputFields") {
                Some(value) => Some(value.eq_ignore_ascii_case("true")),
                None => definition.map(|_| false),
            },
            enforce_minimum: flag("enforceMinArrayOccurrence"),
            enforce_minimum_response: flag("enforceMinArrayOccurrenceResponse"),
            trim_leading: flag("trimOutputLeadingWhitespace"),
            // A missing option has the default of the tools.
            trim_trailing: text("trimOutputTrailingWhitespace").is_none()
                || flag("trimOutputTrailingWhitespace"),
            omit_byte,
            omit_empty: flag("omitOutputEmptyTags"),
            text_numbers: manifest.by_mappings,
        }
    }

    /// True if binary fields with 0, which is all bytes 00, are left out.
    pub(super) fn omits_zero(&self) -> bool {
        self.omit_byte == Some(0)
    }

    /// The keys of `[request]` or `[response]` and those of its `values`.
    pub(super) fn keys(&self, request: bool) -> (Keys, Keys) {
        let pair = |key: &str, value: &str| (key.to_owned(), toml::string(value));
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        if request {
            if self.enforce_minimum {
                keys.push(pair("zero_occurs", "refuse"));
            } else {
                keys.push(pair("missing_rows", "initial"));
            }
            if self.text_numbers {
                values.push(pair("text_numbers", "accept"));
            }
            return (keys, values);
        }
        if self.enforce_minimum_response {
            keys.push(pair("zero_occurs", "refuse"));
        }
        match (self.trim_leading, self.trim_trailing) {
            (true, true) => values.push(pair("trim_text", "both")),
            (_, false) => values.push(pair("trim_text", "keep")),
            (false, true) => {}
        }
        match self.omit_byte {
            Some(0) => {
                values.push(pair("low_value_text", "null"));
                values.push(pair("low_value_numbers", "null"));
            }
            Some(_) => values.push(pair("blank_numbers", "null")),
            None => {}
        }
        match (self.omit_empty, self.omit_byte) {
            (true, _) => values.push(pair("omit_empty", "text")),
            (false, Some(0)) => values.push(pair("omit_empty", "null")),
            (false, Some(_)) => values.push(pair("omit_empty", "text")),
            (false, None) => {}
        }
        (keys, values)
    }
}

/// The byte of omitted fields: 00, or the blank of the EBCDIC pages.
fn omit_byte(text: &impl Fn(&str) -> Option<String>, file: &str, notes: &mut Notes) -> Option<u8> {
    let told = text("omitOutputFieldsByValueByte").unwrap_or_else(|| "0x00".to_owned());
    let digits = told.trim_start_matches("0x").trim_start_matches("0X");
    match u8::from_str_radix(digits, 16) {
        Ok(byte @ (0x00 | 0x40)) => Some(byte),
        _ => {
            let reason = format!(
                "omitOutputFieldsByValueByte = '{told}': only fields of 0x00 or of blanks (0x40) can be omitted"
            );
            notes.add(file, 0, reason);
            None
        }
    }
}

/// `IBM037`, `IBM-930`, `Cp1047`, `37` or `UTF-8`.
fn ccsid(text: &impl Fn(&str) -> Option<String>, file: &str, notes: &mut Notes) -> u16 {
    let Some(told) = text("ccsid") else {
        notes.add(file, 0, format!("the code page is missing; assuming {CCSID_DEFAULT}"));
        return CCSID_DEFAULT;
    };
    if let Some(encoding) = Encoding::by_charset(&told) {
        return encoding.ccsid();
    }
    let digits = told.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.parse().unwrap_or_else(|_| {
        notes.add(file, 0, format!("the code page '{told}' is unknown; assuming {CCSID_DEFAULT}"));
        CCSID_DEFAULT
    })
}
