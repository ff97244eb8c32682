//! The options of a case. Their names mean the same with `-` and `_`, in upper and lower case.

use std::collections::BTreeMap;

use codepage::{CodePage, Encoding};
use record::{ByteOrder, FloatForm, Options, PaddedNumbers};

/// The options of a case, names in lower case with `_`.
#[derive(Clone, Debug, Default)]
pub(super) struct CaseOptions(BTreeMap<String, String>);

/// Options that change what comes out in ways that have no counterpart here.
const WITHOUT_COUNTERPART: &[&str] = &[
    "occurs_mappings",
    "record_extractor",
    "record_header_parser",
    "copybooks",
    "non_terminals",
    "field_code_page",
    "ebcdic_code_page_class",
];

impl CaseOptions {
    pub(super) fn new(given: &BTreeMap<String, String>) -> Self {
        let folded = |name: &String| name.to_ascii_lowercase().replace('-', "_");
        Self(given.iter().map(|(name, value)| (folded(name), value.clone())).collect())
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub(super) fn is_true(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<usize>, String> {
        self.get(name).map(|value| value.parse().map_err(|_| format!("{name} is {value}"))).transpose()
    }

    /// The values of `name:0`, `name:1` and so on.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let numbered = self.0.iter().filter(move |(key, _)| key.split(':').next() == Some(name));
        numbered.map(|(_, value)| value.as_str())
    }

    /// The first option that nothing here corresponds to.
    pub(super) fn without_counterpart(&self) -> Option<&str> {
        WITHOUT_COUNTERPART.iter().copied().find(|name| self.0.contains_key(*name))
    }

    /// The letter code of the record format.
    pub(super) fn format(&self) -> &str {
        match self.get("record_format") {
            Some(format) => format,
            None if self.is_true("is_text") => "D",
            None if self.is_true("is_record_sequence") || self.is_true("is_xcom") => "V",
            None => "F",
        }
    }

    pub(super) fn is_lines(&self) -> bool {
        matches!(self.format(), "D" | "D2" | "T")
    }

    /// True if text is one of ASCII's relatives.
    pub(super) fn is_ascii(&self) -> bool {
        match self.get("encoding") {
            Some(encoding) => encoding.eq_ignore_ascii_case("ascii"),
            None => self.is_lines(),
        }
    }

    /// True if the other project shows characters beyond ASCII as blanks.
    pub(super) fn shows_ascii_only(&self) -> bool {
        self.is_ascii() || self.get("ebcdic_code_page").is_none_or(|page| page == "common")
    }

    /// The code page of the data.
    pub(super) fn page(&self) -> Result<&'static CodePage, String> {
        let ccsid = if self.is_ascii() {
            819
        } else {
            match self.get("ebcdic_code_page") {
                None | Some("common" | "common_extended") => 37,
                Some(name) => {
                    let digits = name.trim_start_matches("cp").trim_end_matches("_extended");
                    digits.parse().map_err(|_| format!("ebcdic_code_page is {name}"))?
                }
            }
        };
        CodePage::by_ccsid(ccsid).ok_or_else(|| format!("CCSID {ccsid} is no single-byte page"))
    }

    /// How records are read: blanks around digits are left out, as the other project does, and what the options say of
    /// UTF-16 and floating point.
    pub(super) fn record_options(&self, page: &'static CodePage) -> Options {
        let mut options = Options::new(page);
        options.policies.padded_numbers = PaddedNumbers::Accept;
        let little = self.get("is_utf16_big_endian") == Some("false");
        options.national = Encoding::by_ccsid(if little { 1202 } else { 1200 }).expect("UTF-16 is known");
        let float = self.get("floating_point_format").unwrap_or("IBM").to_ascii_lowercase();
        options.float = Some(if float.starts_with("ieee") { FloatForm::Ieee } else { FloatForm::Ibm });
        if float.ends_with("little_endian") {
            options.native_order = ByteOrder::Little;
        }
        options
    }

    /// True if the JSON has the record's name around its fields.
    pub(super) fn keeps_root(&self) -> bool {
        self.get("schema_retention_policy") == Some("keep_original")
    }
}
