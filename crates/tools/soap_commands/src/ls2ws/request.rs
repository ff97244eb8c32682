//! The request of the parameters, checked against one another and against the mapping level.

use web_service::{CharOccurs, CharVarying, Choices, DateTime, InterfaceKind, Level, NullRows, SoapVersions};

use crate::parameters::{Parameters, Value};

/// The code page of the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WsdlPage {
    #[default]
    Utf8,
    /// 37.
    Ebcdic,
}

/// The carrier of one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// A copybook.
    Member(String),
    /// A description of containers.
    Channel(String),
}

/// The request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub(crate) program: String,
    pub(crate) interface: InterfaceKind,
    pub(crate) container: Option<String>,
    pub(crate) request: Option<Carrier>,
    pub(crate) response: Option<Carrier>,
    pub(crate) library: Option<String>,
    pub(crate) uri: String,
    pub(crate) wsbind: String,
    pub(crate) wsdl: Option<String>,
    pub(crate) wsdl_page: WsdlPage,
    pub(crate) log: Option<String>,
    pub(crate) level: Level,
    pub(crate) minimum_runtime_level: Level,
    pub(crate) choices: Choices,
    pub(crate) versions: SoapVersions,
    pub(crate) request_namespace: Option<String>,
    pub(crate) response_namespace: Option<String>,
    pub(crate) wsdl_namespace: Option<String>,
    pub(crate) operation: String,
    pub(crate) transaction: Option<String>,
    pub(crate) ccsid: Option<u16>,
    pub(crate) warnings: Vec<String>,
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
}

struct Reader<'p> {
    parameters: &'p Parameters,
    errors: Vec<String>,
}

impl Reader<'_> {
    fn request(&mut self) -> Request {
        let program = self.required("PGMNAME").to_ascii_uppercase();
        let interface = self.interface();
        let level = self.level();
        let mut warnings = Vec::new();
        self.fixed(&mut warnings);
        let is_channel = interface == InterfaceKind::Channel;
        let container = self.container(is_channel);
        let request = self.carrier("REQMEM", "REQUEST-CHANNEL", is_channel, level);
        if request.is_none() {
            self.errors.push("REQMEM is missing: the copybook of the request".to_owned());
        }
        let response = self.carrier("RESPMEM", "RESPONSE-CHANNEL", is_channel, level);
        let is_channel_of = |carrier: &Option<Carrier>| matches!(carrier, Some(Carrier::Channel(_)));
        if response.is_some() && is_channel_of(&request) != is_channel_of(&response) {
            let message = "REQUEST-CHANNEL and RESPONSE-CHANNEL go together: a program has several containers both ways, or one";
            self.errors.push(message.to_owned());
        }
        let uri = self.uri(&program);
        let operation = self.operation(&program);
        Request {
            interface,
            container,
            request,
            response,
            library: self.text("PDSLIB"),
            uri,
            wsbind: self.required("WSBIND"),
            wsdl: self.wsdl(),
            wsdl_page: self.wsdl_page(),
            log: self.text("LOGFILE"),
            level,
            minimum_runtime_level: self.minimum_runtime_level(level),
            choices: self.choices(level),
            versions: self.word(
                "SOAPVER",
                &[("1.1", SoapVersions::V11), ("1.2", SoapVersions::V12), ("ALL", SoapVersions::All)],
            ),
            request_namespace: self.text("REQUEST-NAMESPACE"),
            response_namespace: self.text("RESPONSE-NAMESPACE"),
            wsdl_namespace: self.text("WSDL-NAMESPACE"),
            operation,
            transaction: self.transaction(),
            ccsid: self.ccsid(),
            program,
            warnings,
        }
    }

    /// The path or address of the service. Names of programs may have `$`, `@` and `#`, which paths do not have.
    fn uri(&mut self, program: &str) -> String {
        self.text("URI").unwrap_or_else(|| {
            if let Some(sign) = program.chars().find(|sign| !sign.is_ascii_alphanumeric()) {
                self.errors.push(format!(
                    "URI is missing: the program's name has '{sign}', which the path of the service cannot have"
                ));
            }
            format!("/cics/services/{program}")
        })
    }

    fn operation(&mut self, program: &str) -> String {
        let given = self.text("OPERATION-NAME");
        let name = given.clone().unwrap_or_else(|| format!("{program}Operation"));
        match given {
            _ if xml::is_name(&name) || program.is_empty() => {}
            Some(_) => self.fail("OPERATION-NAME", &format!("expected a name of XML, found '{name}'")),
            None => self.errors.push(format!("OPERATION-NAME is missing: '{name}' is not a name of XML")),
        }
        name
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.parameters.get(name)
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
        let place = self.get(name).map(|value| format!("{}: ", value.place)).unwrap_or_default();
        self.errors.push(format!("{place}{name}: {message}"));
    }

    /// One of some words; the first, if the parameter is not given.
    fn word<T: Copy>(&mut self, name: &str, words: &[(&str, T)]) -> T {
        let Some(text) = self.text(name) else { return words[0].1 };
        match words.iter().find(|(word, _)| word.eq_ignore_ascii_case(&text)) {
            Some((_, value)) => *value,
            None => {
                let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                self.fail(name, &format!("expected {}, found '{text}'", known.join(" or ")));
                words[0].1
            }
        }
    }

    /// A word that only counts from some level on. The first word is the default, and is allowed at all levels.
    fn word_from<T: Copy + PartialEq>(
        &mut self,
        name: &str,
        words: &[(&str, T)],
        from: Level,
        level: Level,
    ) -> T {
        let value = self.word(name, words);
        if level < from && value != words[0].1 {
            self.fail(name, &format!("needs mapping level {from} or later; the level is {level}"));
        }
        value
    }

    /// Parameters with a single possible value.
    fn fixed(&mut self, warnings: &mut Vec<String>) {
        let lang = self.text("LANG").unwrap_or_else(|| "COBOL".to_owned());
        if !lang.eq_ignore_ascii_case("COBOL") {
            self.fail("LANG", &format!("only COBOL is read, found '{lang}'"));
        }
        if self.parameters.text("CHAR-MULTIPLIER").is_some_and(|text| text != "1") {
            self.fail(
                "CHAR-MULTIPLIER",
                "only 1 is possible: a code page says how many bytes a character has",
            );
        }
        for word in
            self.text("MAPPING-OVERRIDES").unwrap_or_default().split(',').filter(|word| !word.is_empty())
        {
            match word.trim().to_ascii_uppercase().as_str() {
                "HYPHENS-AS-UNDERSCORES" => {
                    warnings.push("MAPPING-OVERRIDES: HYPHENS-AS-UNDERSCORES holds anyway".to_owned());
                }
                other @ ("UNDERSCORES-AS-HYPHENS"
                | "NO-ARRAY-NAME-INDEXING"
                | "INTEGER-AS-PIC9"
                | "LESS-DUP-NAMES") => {
                    self.fail(
                        "MAPPING-OVERRIDES",
                        &format!("{other} is for ws2ls: it changes names and types of copybooks"),
                    );
                }
                other => self.fail("MAPPING-OVERRIDES", &format!("there is no '{other}'")),
            }
        }
    }

    fn interface(&mut self) -> InterfaceKind {
        self.required("PGMINT");
        if self.get("PGMINT").is_none() {
            return InterfaceKind::Commarea;
        }
        self.word("PGMINT", &[("COMMAREA", InterfaceKind::Commarea), ("CHANNEL", InterfaceKind::Channel)])
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
            self.fail(
                "MINIMUM-RUNTIME-LEVEL",
                &format!("expected {level} or later, because MAPPING-LEVEL is {level}, found {found}"),
            );
        }
        found
    }

    fn container(&mut self, is_channel: bool) -> Option<String> {
        let container = self.text("CONTID");
        if container.is_some() && !is_channel {
            self.fail("CONTID", "a program with a commarea has no container");
        }
        for name in ["REQUEST-CHANNEL", "RESPONSE-CHANNEL"] {
            if container.is_some() && self.get(name).is_some() {
                self.fail("CONTID", &format!("{name} names the containers"));
            }
        }
        container
    }

    /// The copybook or the description of one direction.
    fn carrier(&mut self, member: &str, channel: &str, is_channel: bool, level: Level) -> Option<Carrier> {
        let (found, described) = (self.text(member), self.text(channel));
        if described.is_some() {
            if !is_channel {
                self.fail(channel, "a program with a commarea has no containers; say PGMINT=CHANNEL");
            }
            if found.is_some() {
                self.fail(channel, &format!("{member} is given too; only one of them can describe the data"));
            }
            if level < Level::V3_0 {
                self.fail(channel, &format!("needs mapping level 3.0 or later; the level is {level}"));
            }
        }
        described.map(Carrier::Channel).or(found.map(Carrier::Member))
    }

    fn wsdl(&mut self) -> Option<String> {
        let (plain, versioned) = (self.text("WSDL"), self.text("WSDL_1.1"));
        match (&plain, &versioned) {
            (Some(_), Some(_)) => self.fail("WSDL_1.1", "WSDL is given too; both mean the same file"),
            (None, None) => self.errors.push("WSDL is missing".to_owned()),
            _ => {}
        }
        plain.or(versioned)
    }

    fn wsdl_page(&mut self) -> WsdlPage {
        let words =
            [("UTF-8", WsdlPage::Utf8), ("LOCAL", WsdlPage::Utf8), ("EBCDIC-CP-US", WsdlPage::Ebcdic)];
        self.word("WSDLCP", &words)
    }

    fn choices(&mut self, level: Level) -> Choices {
        let varying = [
            ("NO", CharVarying::No),
            ("NULL", CharVarying::Null),
            ("COLLAPSE", CharVarying::Collapse),
            ("BINARY", CharVarying::Binary),
        ];
        let datetime = [("UNUSED", DateTime::Unused), ("PACKED15", DateTime::Packed15)];
        let occurs = [("ARRAY", CharOccurs::Array), ("STRING", CharOccurs::String)];
        Choices {
            char_varying: self.word_from("CHAR-VARYING", &varying, Level::V1_2, level),
            char_occurs: self.word_from("CHAR-OCCURS", &occurs, Level::V4_0, level),
            datetime: self.word_from("DATETIME", &datetime, Level::V3_0, level),
            data_truncation: self.word_from(
                "DATA-TRUNCATION",
                &[("DISABLED", false), ("ENABLED", true)],
                Level::V3_0,
                level,
            ),
            bad_numbers_are_zero: self.word("DATA-SCREENING", &[("ENABLED", false), ("DISABLED", true)]),
            null_rows: self.null_rows(level),
            full_tables: false,
        }
    }

    fn null_rows(&mut self, level: Level) -> NullRows {
        let words = [("DISABLED", false), ("ENABLED", true)];
        let groups = self.word_from("TRUNCATE-NULL-ARRAYS", &words, Level::V4_1, level);
        let values = self.word_from("TRUNCATE-NULL-ARRAY-VALUES", &words, Level::V4_1, level);
        match (groups, values) {
            (false, true) => {
                self.fail("TRUNCATE-NULL-ARRAY-VALUES", "needs TRUNCATE-NULL-ARRAYS=ENABLED");
                NullRows::Keep
            }
            (false, false) => NullRows::Keep,
            (true, false) => NullRows::OmitGroups,
            (true, true) => NullRows::Omit,
        }
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
