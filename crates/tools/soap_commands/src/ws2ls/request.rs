//! The request of the parameters, checked against one another and against the mapping level.

use assistant::{BinaryData, CharVarying, DateTime, MappingLevel, NameTruncation, Options};
use web_service::{CHAR_MULTIPLIER_MAX, InterfaceKind, Level};

use super::make::CCSID_USUAL;
use crate::parameters::Parameters;

/// The most characters of a member before its number.
const MEMBER_CHARACTERS_MAX: usize = 6;

/// The bytes that a character of UTF-16 may have.
const UTF_16_BYTES: [u64; 2] = [2, 4];

/// The request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) wsdl: String,
    pub(crate) wsbind: String,
    pub(crate) request_member: String,
    pub(crate) response_member: Option<String>,
    pub(crate) library: Option<String>,
    pub(crate) log: Option<String>,
    /// The program of a provider; none for a requester.
    pub(crate) program: Option<String>,
    pub(crate) interface: InterfaceKind,
    pub(crate) container: Option<String>,
    pub(crate) uri: Option<String>,
    pub(crate) binding: Option<String>,
    pub(crate) service: Option<String>,
    pub(crate) operations: Vec<String>,
    pub(crate) level: Level,
    pub(crate) minimum_runtime_level: Level,
    pub(crate) transaction: Option<String>,
    pub(crate) ccsid: Option<u16>,
    /// The code page with which messages are tried, if none is given.
    pub(crate) usual_ccsid: u16,
    /// How copybooks are laid out; the name of the record is that of the member.
    pub(crate) options: Options,
    /// It is clear how many bytes a character has.
    pub(crate) says_bytes: bool,
}

impl Request {
    /// Reads the parameters.
    ///
    /// # Errors
    /// All that is wrong with them, each with its place.
    pub(crate) fn read(parameters: &Parameters) -> Result<Self, Vec<String>> {
        let mut reader = Reader { parameters, errors: Vec::new() };
        let request = reader.request();
        if reader.errors.is_empty() { Ok(request) } else { Err(reader.errors) }
    }

    /// Lays each message out in one record. Octets are the text that shows them: nothing else says how many there are.
    pub(crate) fn take_one_record(&mut self, array_max: Option<u64>) {
        self.options.one_record = true;
        self.options.default_array_max = array_max;
        self.options.binary_data = BinaryData::Text;
    }
}

struct Reader<'p> {
    parameters: &'p Parameters,
    errors: Vec<String>,
}

impl Reader<'_> {
    fn request(&mut self) -> Request {
        let level = self.level();
        self.word("LANG", &[("COBOL", ())]);
        self.word("WSADDR-EPR-ANY", &[("TRUE", ())]);
        let program = self.text("PGMNAME").map(|name| name.to_ascii_uppercase());
        let interface = self.interface(program.is_some());
        let container = self.text("CONTID");
        if container.is_some() && interface == InterfaceKind::Commarea {
            self.fail("CONTID", "a program with a commarea has no container");
        }
        let operations = self.text("OPERATIONS").unwrap_or_default();
        let operations = operations.split(',').map(str::trim).filter(|name| !name.is_empty());
        Request {
            wsdl: self.required("WSDL"),
            wsbind: self.required("WSBIND"),
            request_member: self.member("REQMEM").unwrap_or_else(|| self.required("REQMEM")),
            response_member: self.member("RESPMEM"),
            library: self.text("PDSLIB"),
            log: self.text("LOGFILE"),
            program,
            interface,
            container,
            uri: self.text("URI"),
            binding: self.text("BINDING"),
            service: self.text("WSDL-SERVICE"),
            operations: operations.map(str::to_owned).collect(),
            level,
            minimum_runtime_level: self.minimum_runtime_level(level),
            transaction: self.transaction(),
            ccsid: self.ccsid(),
            usual_ccsid: CCSID_USUAL,
            options: self.options(level),
            says_bytes: self.text("CHAR-MULTIPLIER").is_some() || self.utf16().is_some(),
        }
    }

    fn options(&mut self, level: Level) -> Options {
        let rules = Options::web_service("");
        let varying = [
            ("NO", CharVarying::No),
            ("COLLAPSE", CharVarying::Collapse),
            ("NULL", CharVarying::Null),
            ("YES", CharVarying::Yes),
        ];
        let datetime =
            [("UNUSED", DateTime::Text), ("STRING", DateTime::Text), ("PACKED15", DateTime::Packed15)];
        let truncation = [("RIGHT", NameTruncation::Right), ("LEFT", NameTruncation::Left)];
        let wide = self.word("WIDE-COMP3", &[("NO", false), ("YES", true)]);
        let most_digits = if wide { 30 } else { 17 };
        Options {
            // Both lists have the same names.
            mapping_level: level.name().parse().unwrap_or(MappingLevel::V4_3),
            char_varying: self.word_from("CHAR-VARYING", &varying, Level::V1_2, level),
            char_varying_max: self.number("CHAR-VARYING-LIMIT", (0, 32_767), rules.char_varying_max),
            default_char_max: self.number(
                "DEFAULT-CHAR-MAXLENGTH",
                (1, 2_147_483_647),
                rules.default_char_max,
            ),
            char_multiplier: self.char_multiplier(level, rules.char_multiplier),
            default_fraction_digits: self.number(
                "DEFAULT-FRACTION-DIGITS",
                (0, most_digits),
                rules.default_fraction_digits.into(),
            ) as u8,
            inline_max_occurs: self.inline_max_occurs(level, rules.inline_max_occurs),
            name_truncation: self.word("NAME-TRUNCATION", &truncation),
            datetime: self.word_from("DATETIME", &datetime, Level::V3_0, level),
            underscores_as_hyphens: self.underscores_as_hyphens(),
            wide_comp3: wide,
            ..rules
        }
    }

    fn char_multiplier(&mut self, level: Level, otherwise: u64) -> u64 {
        if self.text("CHAR-MULTIPLIER").is_some() && level < Level::V1_2 {
            self.fail("CHAR-MULTIPLIER", &format!("needs mapping level 1.2 or later; the level is {level}"));
        }
        let Some(ccsid) = self.utf16() else {
            return self.number("CHAR-MULTIPLIER", (1, CHAR_MULTIPLIER_MAX), otherwise);
        };
        // DFHWS2LS has the same rule (DFHPI9722): a character of UTF-16 has 2 bytes, or 4.
        let found = self.number("CHAR-MULTIPLIER", (1, CHAR_MULTIPLIER_MAX), UTF_16_BYTES[0]);
        if !UTF_16_BYTES.contains(&found) {
            let [least, most] = UTF_16_BYTES;
            let message =
                format!("expected {least} or {most}, because CCSID {ccsid} is UTF-16, found '{found}'");
            self.fail("CHAR-MULTIPLIER", &message);
        }
        found
    }

    /// The CCSID, if it is one of UTF-16. Characters have two bytes at least then.
    fn utf16(&self) -> Option<u16> {
        let ccsid = self.text("CCSID")?.parse().ok()?;
        let encoding = codepage::Encoding::by_ccsid(ccsid)?;
        (encoding.form() == codepage::Form::Utf16).then_some(ccsid)
    }

    fn inline_max_occurs(&mut self, level: Level, otherwise: u64) -> u64 {
        if self.text("INLINE-MAXOCCURS-LIMIT").is_some() && level < Level::V2_1 {
            self.fail(
                "INLINE-MAXOCCURS-LIMIT",
                &format!("needs mapping level 2.1 or later; the level is {level}"),
            );
        }
        self.number("INLINE-MAXOCCURS-LIMIT", (0, 32_767), otherwise)
    }

    fn underscores_as_hyphens(&mut self) -> bool {
        let text = self.text("MAPPING-OVERRIDES").unwrap_or_default().to_ascii_uppercase();
        let mut found = false;
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word {
                "UNDERSCORES-AS-HYPHENS" => found = true,
                "SAME-AS-MAPPING-LEVEL" => {}
                "HYPHENS-AS-UNDERSCORES" => {
                    self.fail(
                        "MAPPING-OVERRIDES",
                        "HYPHENS-AS-UNDERSCORES is for ls2ws: it changes names of elements",
                    );
                }
                "NO-ARRAY-NAME-INDEXING" | "LESS-DUP-NAMES" => {
                    let message = format!("{word} is not possible: each name stands once in a copybook");
                    self.fail("MAPPING-OVERRIDES", &message);
                }
                "INTEGER-AS-PIC9" => {
                    self.fail(
                        "MAPPING-OVERRIDES",
                        "INTEGER-AS-PIC9 is not possible: whole numbers are binary",
                    );
                }
                other => self.fail("MAPPING-OVERRIDES", &format!("there is no '{other}'")),
            }
        }
        found
    }

    fn text(&self, name: &str) -> Option<String> {
        self.parameters.text(name).map(str::to_owned)
    }

    fn required(&mut self, name: &str) -> String {
        self.text(name).unwrap_or_else(|| {
            self.errors.push(format!("{name} is missing"));
            String::new()
        })
    }

    fn fail(&mut self, name: &str, message: &str) {
        let place = self.parameters.get(name).map(|value| format!("{}: ", value.place)).unwrap_or_default();
        self.errors.push(format!("{place}{name}: {message}"));
    }

    /// One of some words; the first, if the parameter is not given.
    fn word<T: Copy>(&mut self, name: &str, words: &[(&str, T)]) -> T {
        let Some(text) = self.text(name) else { return words[0].1 };
        match words.iter().find(|(word, _)| word.eq_ignore_ascii_case(&text)) {
            Some((_, value)) => *value,
            None => {
                let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                self.fail(name, &format!("expected {}, found '{text}'", known.join(", ")));
                words[0].1
            }
        }
    }

    /// One of some words that need a level.
    fn word_from<T: Copy>(&mut self, name: &str, words: &[(&str, T)], from: Level, level: Level) -> T {
        if self.text(name).is_some() && level < from {
            self.fail(name, &format!("needs mapping level {from} or later; the level is {level}"));
        }
        self.word(name, words)
    }

    fn number(&mut self, name: &str, (least, most): (u64, u64), otherwise: u64) -> u64 {
        let Some(text) = self.text(name) else { return otherwise };
        match text.parse() {
            Ok(number) if (least..=most).contains(&number) => number,
            _ => {
                self.fail(name, &format!("expected a number from {least} to {most}, found '{text}'"));
                otherwise
            }
        }
    }

    fn member(&mut self, name: &str) -> Option<String> {
        let text = self.text(name)?.to_ascii_uppercase();
        let starts = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
        let fits =
            text.len() <= MEMBER_CHARACTERS_MAX && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !starts || !fits {
            let most = MEMBER_CHARACTERS_MAX;
            self.fail(
                name,
                &format!("expected a letter and at most {} letters or digits, found '{text}'", most - 1),
            );
        }
        Some(text)
    }

    fn interface(&mut self, provider: bool) -> InterfaceKind {
        match (provider, self.text("PGMINT").is_some()) {
            (true, false) => {
                self.errors.push("PGMINT is missing; a program has a COMMAREA or a CHANNEL".to_owned());
                InterfaceKind::Commarea
            }
            (false, true) => {
                self.fail("PGMINT", "it needs PGMNAME; a requester has no program");
                InterfaceKind::Channel
            }
            (false, false) => InterfaceKind::Channel,
            (true, true) => self.word(
                "PGMINT",
                &[("COMMAREA", InterfaceKind::Commarea), ("CHANNEL", InterfaceKind::Channel)],
            ),
        }
    }

    fn level(&mut self) -> Level {
        match self.text("MAPPING-LEVEL").map(|text| text.parse()) {
            None => Level::default(),
            Some(Ok(level)) => level,
            Some(Err(message)) => {
                self.fail("MAPPING-LEVEL", &message);
                Level::CURRENT
            }
        }
    }

    fn minimum_runtime_level(&mut self, level: Level) -> Level {
        let found = match self.text("MINIMUM-RUNTIME-LEVEL").as_deref() {
            None | Some("MINIMUM") => level,
            Some("CURRENT") => Level::CURRENT,
            Some(text) => match text.parse() {
                Ok(found) => found,
                Err(message) => {
                    self.fail("MINIMUM-RUNTIME-LEVEL", &format!("MINIMUM, CURRENT or a level: {message}"));
                    level
                }
            },
        };
        if found < level {
            let message =
                format!("expected {level} or later, because MAPPING-LEVEL is {level}, found {found}");
            self.fail("MINIMUM-RUNTIME-LEVEL", &message);
        }
        found
    }

    fn transaction(&mut self) -> Option<String> {
        let name = self.text("TRANSACTION")?;
        if !(1..=4).contains(&name.chars().count()) || !name.is_ascii() {
            self.fail("TRANSACTION", &format!("expected 1 to 4 characters, found '{name}'"));
        }
        Some(name)
    }

    fn ccsid(&mut self) -> Option<u16> {
        let text = self.text("CCSID")?;
        let found = text.parse().ok().filter(|ccsid| codepage::Encoding::by_ccsid(*ccsid).is_some());
        if found.is_none() {
            self.fail("CCSID", &format!("CCSID {text} is not known"));
        }
        found
    }
}
