//! Puts sections into an existing `gantry.toml`: new ones go to its end, and the text of a person stays
//! unchanged.

use std::collections::HashMap;

use document::{Lines, line_of};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::section::{Section, Table, Value, clean, folded, value_has_case};

/// The result for a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is new, and is written.
    New,
    /// The file has it with the same values.
    Same {
        /// Its line in the file.
        line: usize,
    },
    /// The file has it with other values, which stay.
    Kept {
        /// Its line in the file.
        line: usize,
        /// The differences.
        differences: Vec<Difference>,
    },
}

/// A key whose value differs from the definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The key.
    pub key: String,
    /// Its value in the file, as text; none if the file does not have it.
    pub written: Option<String>,
    /// The value of the definition.
    pub defined: String,
}

/// A file with the new sections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The whole text.
    pub text: String,
    /// The result for each section, in their order.
    pub outcomes: Vec<Outcome>,
}

/// Puts sections into the text of a `gantry.toml`. `of` names their source and the command.
///
/// # Errors
/// The text is not TOML, or sections cannot be added to it as it is written: the line, and the reason.
pub fn merge(text: &str, sections: &[Section], of: &str) -> Result<Merged, (usize, String)> {
    let wrong = |text: &str, error: &toml::de::Error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        (line, format!("is not TOML: {}", error.message()))
    };
    let root = DeTable::parse(text).map_err(|error| wrong(text, &error))?;
    let (lines, mut known) = (Lines::of(text), Known::default());
    let outcomes: Vec<Outcome> =
        sections.iter().map(|section| outcome(&lines, root.get_ref(), section, &mut known)).collect();
    let new = || {
        let pairs = sections.iter().zip(&outcomes);
        pairs.filter(|(_, outcome)| **outcome == Outcome::New).map(|(section, _)| section)
    };
    let mut out = text.to_owned();
    for name in KEYS {
        let is_there = root.get_ref().contains_key(name);
        out = with_keys(&out, name, is_there, new().filter(|one| one.table == Table::Keys(name)));
    }
    let is_block = |one: &&Section| !matches!(one.table, Table::Keys(_));
    let blocks: Vec<String> = new().filter(is_block).map(Section::text).collect();
    if !blocks.is_empty() {
        if !out.is_empty() {
            out.push_str(if out.ends_with('\n') { "\n" } else { "\n\n" });
        }
        let of = clean(of);
        out.push_str(&format!(
            "# Imported from {of}. Change what you like: an import keeps what is here.\n\n"
        ));
        out.push_str(&blocks.join("\n"));
    }
    // An unusual form in the file, such as dotted keys, may not fit the added text.
    if let Err(error) = DeTable::parse(&out) {
        let (line, reason) = wrong(&out, &error);
        let line = line.min(text.lines().count().max(1));
        return Err((
            line,
            format!(
                "new sections cannot be added, because [region], [queue_manager] or [messaging] is not written as a table of its own: {reason}"
            ),
        ));
    }
    Ok(Merged { text: out, outcomes })
}

/// The sections that have keys of their own.
const KEYS: [&str; 2] = ["region", "queue_manager"];

/// The text with keys in a section. A missing section is made.
fn with_keys<'s>(text: &str, name: &str, is_there: bool, keys: impl Iterator<Item = &'s Section>) -> String {
    let mut lines = String::new();
    for section in keys {
        for (key, value) in &section.pairs {
            let place = section.places.first().map(ToString::to_string).unwrap_or_default();
            lines.push_str(&format!(
                "{key} = {}   # {}: {}\n",
                value.toml(),
                clean(&section.subject),
                clean(&place)
            ));
        }
    }
    if lines.is_empty() {
        return text.to_owned();
    }
    let header = format!("[{name}]");
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if is_there && line.trim_start().starts_with(&header) {
            let (before, after) = text.split_at(at);
            let end = if before.ends_with('\n') { "" } else { "\n" };
            return format!("{before}{end}{lines}{after}");
        }
    }
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{text}{gap}{header}\n{lines}")
}

fn outcome<'t, 'i>(
    lines: &Lines,
    root: &'t DeTable<'i>,
    section: &Section,
    known: &mut Known<'t, 'i>,
) -> Outcome {
    let table = |name: &str| root.get(name).map(Spanned::get_ref).and_then(DeValue::as_table);
    let found = match section.table {
        Table::Keys(name) => {
            let Some(region) = table(name) else { return Outcome::New };
            let written = section.pairs.iter().filter_map(|(key, _)| region.get(*key));
            let Some(line) = written.map(|value| lines.line(value.span().start)).min() else {
                return Outcome::New;
            };
            return compared(line, region, section);
        }
        Table::Entry(parent, name, key) => {
            let list = table(parent).and_then(|parent| parent.get(name));
            list.and_then(|list| known.named(list, section, key))
        }
        Table::Unnamed(parent, name, keys) => {
            table(parent).and_then(|parent| parent.get(name)).and_then(|list| alike(list, section, keys))
        }
        Table::List(name, key) => root.get(name).and_then(|list| known.named(list, section, key)),
        Table::Map(name) => table(name).and_then(|map| map.get(section.name.as_str())),
    };
    match found.and_then(|found| Some((found, found.get_ref().as_table()?))) {
        Some((found, table)) => compared(lines.line(found.span().start), table, section),
        None => Outcome::New,
    }
}

/// The entries of lists by their names. If several have the same name, the first one counts.
type Entries<'t, 'i> = HashMap<String, &'t Spanned<DeValue<'i>>>;

/// The lists that have been read, by their paths.
#[derive(Default)]
struct Known<'t, 'i>(HashMap<String, Entries<'t, 'i>>);

impl<'t, 'i> Known<'t, 'i> {
    /// The entry of a list with the section's name.
    fn named(
        &mut self,
        list: &'t Spanned<DeValue<'i>>,
        section: &Section,
        key: &str,
    ) -> Option<&'t Spanned<DeValue<'i>>> {
        let entries = self.0.entry(section.path()).or_insert_with(|| {
            let mut entries = Entries::new();
            for entry in list.get_ref().as_array().into_iter().flat_map(|list| list.iter()) {
                let table = entry.get_ref().as_table();
                let name = table.and_then(|table| table.get(key)).and_then(|name| name.get_ref().as_str());
                if let Some(name) = name {
                    entries.entry(folded(section.table, name)).or_insert(entry);
                }
            }
            entries
        });
        entries.get(&folded(section.table, &section.name)).copied()
    }
}

/// The entry of a list with the section's values of these keys.
fn alike<'t, 'i>(
    list: &'t Spanned<DeValue<'i>>,
    section: &Section,
    keys: &[&str],
) -> Option<&'t Spanned<DeValue<'i>>> {
    list.get_ref().as_array()?.iter().find(|entry| {
        entry.get_ref().as_table().is_some_and(|table| {
            section.pairs.iter().filter(|(key, _)| keys.contains(key)).all(|(key, value)| {
                let has_case = value_has_case(section.table, key);
                table.get(*key).is_some_and(|written| is_same(written.get_ref(), value, has_case))
            })
        })
    })
}

fn compared(line: usize, table: &DeTable<'_>, section: &Section) -> Outcome {
    let mut differences = Vec::new();
    for (key, value) in &section.pairs {
        let written = table.get(*key).map(Spanned::get_ref);
        let has_case = value_has_case(section.table, key);
        if !written.is_some_and(|written| is_same(written, value, has_case)) {
            let written = written.map(shown);
            differences.push(Difference {
                key: (*key).to_owned(),
                written,
                defined: value.toml().to_string(),
            });
        }
    }
    match differences.is_empty() {
        true => Outcome::Same { line },
        false => Outcome::Kept { line, differences },
    }
}

fn is_same(written: &DeValue<'_>, value: &Value, has_case: bool) -> bool {
    match value {
        Value::Text(text) if has_case => written.as_str() == Some(text),
        Value::Text(text) => written.as_str().is_some_and(|written| written.eq_ignore_ascii_case(text)),
        Value::Bool(flag) => written.as_bool() == Some(*flag),
        Value::Number(number) => written
            .as_integer()
            .is_some_and(|written| written.as_str().replace('_', "") == number.to_string()),
        Value::List(texts) => written.as_array().is_some_and(|list| {
            list.len() == texts.len()
                && list.iter().zip(texts).all(|(one, text)| one.get_ref().as_str() == Some(text))
        }),
    }
}

fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => toml::Value::String(text.to_string()).to_string(),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Array(list) => {
            format!("[{}]", list.iter().map(|one| shown(one.get_ref())).collect::<Vec<_>>().join(", "))
        }
        other => format!("a {}", other.type_str()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::place::Place;

    fn file(name: &str, bytes: u64) -> Section {
        let place = Place { file: Arc::from("a.csd"), line: 3 };
        let table = Table::Entry("region", "file", "name");
        Section::new(table, name, format!("FILE({name})"), &place).with("record_bytes", bytes)
    }

    fn region(key: &'static str, value: &str) -> Section {
        let place = Place { file: Arc::from("sit"), line: 1 };
        Section::new(Table::Keys("region"), key, key.to_uppercase(), &place).with(key, value)
    }

    #[test]
    fn what_is_there_stays_and_what_is_new_is_added() {
        let text = "# mine\n[region]\nccsid = 819\n\n[[region.file]]\nname = \"a\"\nrecord_bytes = 80\n[[region.file]]\nname = \"B\"\nrecord_bytes = 9_0";
        let sections =
            [file("A", 100), file("B", 90), file("C", 70), region("applid", "BANK"), region("ccsid", "x")];
        let Merged { text: merged, outcomes } = merge(text, &sections, "a.csd").expect("merged");
        let differs = |key: &str, written: &str, defined: &str| {
            let (key, written, defined) = (key.to_owned(), Some(written.to_owned()), defined.to_owned());
            vec![Difference { key, written, defined }]
        };
        assert_eq!(
            outcomes,
            [
                Outcome::Kept { line: 5, differences: differs("record_bytes", "80", "100") },
                Outcome::Same { line: 8 },
                Outcome::New,
                Outcome::New,
                Outcome::Kept { line: 3, differences: differs("ccsid", "819", "\"x\"") },
            ]
        );
        assert!(
            merged.starts_with("# mine\n[region]\napplid = \"BANK\"   # APPLID: sit:1\nccsid = 819\n"),
            "{merged}"
        );
        assert!(
            merged.ends_with("# FILE(C): a.csd:3\n[[region.file]]\nname = \"C\"\nrecord_bytes = 70\n"),
            "{merged}"
        );
        let again = merge(&merged, &sections, "a.csd").expect("merged");
        assert_eq!(again.text, merged);
    }

    #[test]
    fn names_of_queue_managers_and_of_transactions_keep_their_case() {
        let place = Place { file: Arc::from("x"), line: 1 };
        let section = |table, name: &str| Section::new(table, name, name.to_owned(), &place);
        let queue = Table::Entry("queue_manager", "queue", "name");
        let outcome = |text: &str, section: Section| {
            let mut merged = merge(text, &[section], "x").expect("merged");
            merged.outcomes.remove(0)
        };
        let text = "[[queue_manager.queue]]\nname = 'orders'\nbackout_queue = 'back'\n";
        assert_eq!(outcome(text, section(queue, "ORDERS")), Outcome::New);
        assert_eq!(outcome(text, section(queue, "orders")), Outcome::Same { line: 1 });
        let other = section(queue, "orders").with("backout_queue", "BACK");
        assert!(matches!(outcome(text, other), Outcome::Kept { line: 1, .. }));
        let manager = section(Table::Keys("queue_manager"), "name").with("name", "qm1");
        assert!(matches!(outcome("[queue_manager]\nname = 'QM1'\n", manager), Outcome::Kept { .. }));
        let grant = section(Table::Unnamed("messaging", "grant", &["groups"]), "").with("groups", "A");
        assert_eq!(outcome("[[messaging.grant]]\ngroups = 'a'\n", grant), Outcome::New);

        let text = "[[region.tdqueue]]\nname = 'logs'\ntransaction = 'abcd'\n";
        let tdqueue = section(Table::Entry("region", "tdqueue", "name"), "LOGS");
        assert_eq!(outcome(text, tdqueue.clone().with("transaction", "abcd")), Outcome::Same { line: 1 });
        assert!(matches!(outcome(text, tdqueue.with("transaction", "ABCD")), Outcome::Kept { .. }));
        let text = "[[region.transaction]]\nname = 'abcd'\nprogram = 'pgm'\n";
        let transaction =
            |name| section(Table::Entry("region", "transaction", "name"), name).with("program", "PGM");
        assert_eq!(outcome(text, transaction("abcd")), Outcome::Same { line: 1 });
        assert_eq!(outcome(text, transaction("ABCD")), Outcome::New);
    }

    #[test]
    fn a_file_that_is_empty_or_odd_is_no_trap() {
        let merged = merge("", &[region("applid", "A"), file("C", 1)], "x\ny").expect("merged").text;
        assert!(merged.starts_with("[region]\napplid = \"A\""), "{merged}");
        assert!(merged.contains("# Imported from x y. Change"), "{merged}");
        let (line, reason) = merge("a = 1\nb = [", &[], "x").expect_err("no TOML");
        assert!(line >= 2 && reason.contains("not TOML"), "{line} {reason}");
        let (line, reason) = merge("region.ccsid = 819", &[region("applid", "A")], "x").expect_err("dotted");
        assert!(line == 1 && reason.contains("cannot be added"), "{line} {reason}");
    }
}
