//! Sections of `gantry.toml`: the text for a definition.

use std::fmt::Write;

use crate::place::Place;

/// A value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Text.
    Text(String),
    /// A number.
    Number(u64),
    /// True or false.
    Bool(bool),
    /// A list of texts.
    List(Vec<String>),
}

impl Value {
    /// The value in TOML.
    pub(crate) fn toml(&self) -> toml::Value {
        match self {
            Value::Text(text) => toml::Value::String(text.clone()),
            Value::Number(number) => toml::Value::Integer(i64::try_from(*number).unwrap_or(i64::MAX)),
            Value::Bool(flag) => toml::Value::Boolean(*flag),
            Value::List(texts) => texts.iter().cloned().map(toml::Value::String).collect::<Vec<_>>().into(),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Value::Number(number)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Value::Bool(flag)
    }
}

/// The kind of the section, and the way to tell it from others of the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    /// `[NAME]`, which has keys of its own.
    Keys(&'static str),
    /// `[[NAME.OTHER]]`, identified by the key of the third name.
    Entry(&'static str, &'static str, &'static str),
    /// `[[NAME.OTHER]]`, identified by the values of these keys.
    Unnamed(&'static str, &'static str, &'static [&'static str]),
    /// `[[NAME]]`, identified by the key of the second name.
    List(&'static str, &'static str),
    /// `[NAME.OTHER]`, identified by the other name.
    Map(&'static str),
}

/// A section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Which one.
    pub table: Table,
    /// The name that identifies it; for [`Table::Keys`] the key.
    pub name: String,
    /// Its keys and values, in the order in which they are written.
    pub pairs: Vec<(&'static str, Value)>,
    /// Lines of comment under it.
    pub comments: Vec<String>,
    /// Its definition: `FILE(ACCTDAT)`.
    pub subject: String,
    /// The places of that definition.
    pub places: Vec<Place>,
}

impl Section {
    pub(crate) fn new(table: Table, name: &str, subject: String, place: &Place) -> Self {
        let mut pairs = Vec::new();
        if let Table::Entry(.., key) | Table::List(_, key) = table {
            pairs.push((key, Value::from(name)));
        }
        let places = vec![place.clone()];
        Self { table, name: name.to_owned(), pairs, comments: Vec::new(), subject, places }
    }

    pub(crate) fn set(&mut self, key: &'static str, value: impl Into<Value>) {
        self.pairs.push((key, value.into()));
    }

    pub(crate) fn with(mut self, key: &'static str, value: impl Into<Value>) -> Self {
        self.set(key, value);
        self
    }

    /// True if the other one defines the same thing.
    pub(crate) fn is_same_thing(&self, other: &Section) -> bool {
        self.table == other.table && same_name(self.table, &self.name, &other.name)
    }

    /// The path of its table: `region.file`.
    #[must_use]
    pub fn path(&self) -> String {
        match self.table {
            Table::Keys(name) => name.to_owned(),
            Table::Entry(parent, name, _) | Table::Unnamed(parent, name, _) => format!("{parent}.{name}"),
            Table::List(name, _) => name.to_owned(),
            Table::Map(name) => format!("{name}.{}", key(&self.name)),
        }
    }

    /// The text of the section, with its definition in front.
    #[must_use]
    pub fn text(&self) -> String {
        let places: Vec<String> = self.places.iter().map(ToString::to_string).collect();
        let mut out = format!("# {}: {}\n", clean(&self.subject), clean(&places.join(", ")));
        let path = self.path();
        let _ = match self.table {
            Table::Entry(..) | Table::Unnamed(..) | Table::List(..) => writeln!(out, "[[{path}]]"),
            Table::Keys(_) | Table::Map(_) => writeln!(out, "[{path}]"),
        };
        for (key, value) in &self.pairs {
            let _ = writeln!(out, "{key} = {}", value.toml());
        }
        for comment in &self.comments {
            let _ = writeln!(out, "# {}", clean(comment));
        }
        out
    }
}

/// True if two names are the same. Names of transactions, and names in queue managers, have case. All others
/// do not.
pub(crate) fn same_name(table: Table, one: &str, other: &str) -> bool {
    if has_case(table) { one == other } else { one.eq_ignore_ascii_case(other) }
}

/// A name in the form in which the same names are equal.
pub(crate) fn folded(table: Table, name: &str) -> String {
    if has_case(table) { name.to_owned() } else { name.to_ascii_uppercase() }
}

fn has_case(table: Table) -> bool {
    is_of_queue_manager(table)
        || matches!(table, Table::Entry("region", "transaction" | "tsmodel", _) | Table::Map(_))
}

/// True if a text under a key of a section has case: it names a transaction, or an object of a queue manager.
pub(crate) fn value_has_case(table: Table, key: &str) -> bool {
    is_of_queue_manager(table) || key == "transaction"
}

/// True for sections about queue managers. In IBM MQ, two names that differ only in case are two objects.
fn is_of_queue_manager(table: Table) -> bool {
    matches!(
        table,
        Table::Keys("queue_manager") | Table::Entry("queue_manager", ..) | Table::Unnamed("messaging", ..)
    )
}

/// A key, without quotes if it needs none.
fn key(text: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    match !text.is_empty() && text.bytes().all(is_bare) {
        true => text.to_owned(),
        false => toml::Value::String(text.to_owned()).to_string(),
    }
}

/// Text that cannot end a comment.
pub(crate) fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
