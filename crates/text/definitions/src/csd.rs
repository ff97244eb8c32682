//! Commands of DFHCSDUP: those that people write to define resources, and those that EXTRACT writes.
//!
//! A command is its verb with attributes, `NAME(value)`, over any number of lines, until the next verb. An
//! asterisk in the first column makes a line a comment. An open value goes on in the next line: without a
//! blank if the line is full or ends with an asterisk, else with a blank.

use std::sync::Arc;

use crate::attributes::whole_name;
use crate::cards::{Line, card, is_full};
use crate::limits::Limits;
use crate::place::{Fault, Note, Place};

/// The definition of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    /// The kind, in full and in upper case: `TRANSACTION`.
    pub(crate) kind: String,
    /// The name, as written.
    pub(crate) name: String,
    /// The group, in upper case; empty if it has none.
    pub(crate) group: String,
    /// The attributes in their order, without kind and group.
    pub(crate) attributes: Vec<Attribute>,
    /// The place of the definition.
    pub(crate) place: Place,
}

/// An attribute of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attribute {
    /// The name, in upper case.
    pub(crate) name: String,
    /// The value, as written, without quotes around it.
    pub(crate) value: String,
}

impl Definition {
    /// The value of an attribute, if it is there and not empty.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|attribute| attribute.name == name)?;
        Some(found.value.as_str()).filter(|value| !value.is_empty())
    }

    /// The value in upper case.
    pub(crate) fn word(&self, name: &str) -> Option<String> {
        self.value(name).map(str::to_uppercase)
    }

    /// True if the attribute has this value.
    pub(crate) fn is(&self, name: &str, value: &str) -> bool {
        self.value(name).is_some_and(|given| given.eq_ignore_ascii_case(value))
    }

    /// Its form in messages: `FILE(ACCTDAT)`.
    pub(crate) fn shown(&self) -> String {
        format!("{}({})", self.kind, self.name)
    }

    /// Sets an attribute.
    fn set(&mut self, name: &str, value: &str) {
        match self.attributes.iter_mut().find(|attribute| attribute.name == name) {
            Some(known) => known.value = value.to_owned(),
            None => self.attributes.push(Attribute { name: name.to_owned(), value: value.to_owned() }),
        }
    }
}

/// The definitions of commands.
#[derive(Debug, Default)]
pub(crate) struct Defined {
    pub(crate) definitions: Vec<Definition>,
    /// The groups of lists: list, group.
    pub(crate) lists: Vec<(String, String)>,
    pub(crate) notes: Vec<Note>,
}

/// The kinds of resources, by their whole names. A kind may be cut, as long as it is unambiguous.
const KINDS: &[&str] = &[
    "ATOMSERVICE",
    "BUNDLE",
    "CONNECTION",
    "CORBASERVER",
    "DB2CONN",
    "DB2ENTRY",
    "DB2TRAN",
    "DJAR",
    "DOCTEMPLATE",
    "DUMPCODE",
    "ENQMODEL",
    "EVENTBINDING",
    "FILE",
    "IPCONN",
    "JOURNALMODEL",
    "JVMSERVER",
    "LIBRARY",
    "LSRPOOL",
    "MAPSET",
    "MQCONN",
    "MQINI",
    "MQMONITOR",
    "PARTITIONSET",
    "PARTNER",
    "PIPELINE",
    "PROCESSTYPE",
    "PROFILE",
    "PROGRAM",
    "REQUESTMODEL",
    "SESSIONS",
    "TCPIPSERVICE",
    "TDQUEUE",
    "TERMINAL",
    "TRANCLASS",
    "TRANSACTION",
    "TSMODEL",
    "TYPETERM",
    "URIMAP",
    "WEBSERVICE",
];

/// The verbs of DFHCSDUP. A verb may be cut, to three letters at least.
const VERBS: &[&str] = &[
    "ADD",
    "ALTER",
    "APPEND",
    "COPY",
    "DEFINE",
    "DELETE",
    "EXTRACT",
    "INITIALIZE",
    "LIST",
    "MIGRATE",
    "PROCESS",
    "REMOVE",
    "SCAN",
    "SERVICE",
    "UPGRADE",
    "USERDEFINE",
    "VERIFY",
];

/// The fewest letters of a word that is cut.
const CUT_MIN_LETTERS: usize = 3;

/// The kind that a word means.
pub(crate) fn kind(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_uppercase();
    let exact = KINDS.iter().find(|kind| **kind == word);
    let mut fitting = KINDS.iter().filter(|kind| word.len() >= CUT_MIN_LETTERS && kind.starts_with(&word));
    let only = |first: Option<&'static &'static str>, second: Option<_>| first.filter(|_| second.is_none());
    exact.copied().or_else(|| only(fitting.next(), fitting.next()).copied())
}

/// True for the whole name of a kind.
pub(crate) fn is_kind(word: &str) -> bool {
    KINDS.contains(&word)
}

/// The verb that a word means.
pub(crate) fn verb(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_uppercase();
    VERBS.iter().find(|verb| word.len() >= CUT_MIN_LETTERS && verb.starts_with(&word)).copied()
}

/// Reads the commands of a file.
///
/// # Errors
/// More than a limit.
pub(crate) fn read(file: &Arc<str>, lines: &[Line<'_>], limits: &Limits) -> Result<Defined, Fault> {
    let mut defined = Defined::default();
    for command in commands(file, lines, limits)? {
        defined.carry_out(command);
        if defined.definitions.len() > limits.definition_count_max {
            let message =
                format!("more than definition_count_max, {} definitions", limits.definition_count_max);
            let place = Place { file: Arc::clone(file), line: lines.first().map_or(1, |(line, _)| *line) };
            return Err(Fault { place, message });
        }
    }
    Ok(defined)
}

/// A verb with its attributes.
#[derive(Debug)]
struct Command {
    verb: &'static str,
    attributes: Vec<Attribute>,
    place: Place,
}

impl Command {
    fn value(&self, name: &str) -> Option<String> {
        let found = self.attributes.iter().find(|attribute| attribute.name == name)?;
        Some(found.value.to_uppercase())
    }

    /// Adds an attribute of a line.
    fn push(&mut self, attribute: Attribute, line: usize, limits: &Limits) -> Result<(), Fault> {
        if self.attributes.len() >= limits.attribute_count_max {
            let message = format!("more than attribute_count_max, {} attributes", limits.attribute_count_max);
            return Err(Fault { place: Place { file: Arc::clone(&self.place.file), line }, message });
        }
        self.attributes.push(attribute);
        Ok(())
    }

    /// The definition that it makes or changes. Its first attribute that is a kind names it.
    fn definition(&self) -> Option<Definition> {
        let group = self.value("GROUP").unwrap_or_default();
        let mut attributes = self.attributes.clone();
        let at = attributes.iter().position(|attribute| attribute.name != "GROUP")?;
        let first = attributes.remove(at);
        attributes.retain(|attribute| attribute.name != "GROUP");
        let kind = kind(&first.name).map_or(first.name, str::to_owned);
        attributes.iter_mut().for_each(|one| one.name = whole_name(&kind, &one.name));
        Some(Definition { kind, name: first.value, group, attributes, place: self.place.clone() })
    }
}

/// The definition in the lines of a listed resource. Words without a value are headings.
///
/// # Errors
/// More than a limit.
pub(crate) fn listed(
    file: &Arc<str>,
    lines: &[Line<'_>],
    limits: &Limits,
) -> Result<Option<Definition>, Fault> {
    let place = Place { file: Arc::clone(file), line: lines.first().map_or(1, |(line, _)| *line) };
    let mut command = Command { verb: "DEFINE", attributes: Vec::new(), place };
    let mut tokens = tokens(file, lines, limits)?.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let Token::Word(word, line) = token else { continue };
        let Some(Token::Value(value)) = tokens.next_if(|next| matches!(next, Token::Value(_))) else {
            continue;
        };
        if !value.is_empty() {
            command.push(Attribute { name: word.to_uppercase(), value }, line, limits)?;
        }
    }
    Ok(command.definition())
}

/// A name with an asterisk stands for all names with that start.
fn covers(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.get(..beginning.len()).is_some_and(|own| own.eq_ignore_ascii_case(beginning)),
        None => pattern.eq_ignore_ascii_case(name),
    }
}

impl Defined {
    fn carry_out(&mut self, command: Command) {
        match command.verb {
            "DEFINE" | "USERDEFINE" => self.define(&command),
            "ALTER" => self.alter(&command),
            "DELETE" => self.delete(&command),
            "ADD" => {
                if let (Some(group), Some(list)) = (command.value("GROUP"), command.value("LIST")) {
                    self.lists.push((list, group));
                }
            }
            "REMOVE" => {
                let (group, list) = (command.value("GROUP"), command.value("LIST"));
                self.lists.retain(|(own, of)| Some(own) != list.as_ref() || Some(of) != group.as_ref());
            }
            "COPY" | "APPEND" => self.note(
                &command.place,
                command.verb,
                "is not carried out: import the groups and lists that it copies from",
            ),
            _ => {}
        }
    }

    fn note(&mut self, place: &Place, subject: &str, reason: &str) {
        let (place, subject, reason) = (place.clone(), subject.to_owned(), reason.to_owned());
        self.notes.push(Note { place, subject, reason });
    }

    fn define(&mut self, command: &Command) {
        let Some(mut made) = command.definition() else {
            self.note(&command.place, command.verb, "has no resource, and is not imported");
            return;
        };
        if command.verb == "USERDEFINE" {
            // Its defaults are those of the resource USER in the group USERDEF.
            let is_default = |known: &&Definition| {
                known.kind == made.kind && known.group == "USERDEF" && known.name.eq_ignore_ascii_case("USER")
            };
            let defaults = self.definitions.iter().find(is_default).map(|known| known.attributes.clone());
            if defaults.is_none() {
                let reason = "USERDEFINE takes its defaults from USER in the group USERDEF, which is not in this file: those of CICS are taken";
                self.note(&command.place, &made.shown(), reason);
            }
            for Attribute { name, value } in defaults.unwrap_or_default() {
                if made.value(&name).is_none() {
                    made.set(&name, &value);
                }
            }
        }
        self.definitions.push(made);
    }

    fn alter(&mut self, command: &Command) {
        let Some(change) = command.definition() else { return };
        let mut changed = false;
        for known in &mut self.definitions {
            let is_meant = known.kind == change.kind
                && covers(&change.name, &known.name)
                && covers(&change.group, &known.group);
            if is_meant {
                change.attributes.iter().for_each(|new| known.set(&new.name, &new.value));
                changed = true;
            }
        }
        if !changed {
            self.note(
                &command.place,
                &format!("ALTER {}", change.shown()),
                "no such definition is in this file",
            );
        }
    }

    /// Removes earlier definitions of the file.
    fn delete(&mut self, command: &Command) {
        let Some(group) = command.value("GROUP") else { return };
        let one = command.definition().filter(|one| self::kind(&one.kind).is_some());
        self.definitions.retain(|known| {
            let is_meant =
                one.as_ref().is_none_or(|one| known.kind == one.kind && covers(&one.name, &known.name));
            !(is_meant && covers(&group, &known.group))
        });
    }
}

/// A word, or the value in parentheses behind one.
#[derive(Debug)]
enum Token {
    Word(String, usize),
    Value(String),
}

fn commands(file: &Arc<str>, lines: &[Line<'_>], limits: &Limits) -> Result<Vec<Command>, Fault> {
    let place = |line: usize| Place { file: Arc::clone(file), line };
    let mut commands: Vec<Command> = Vec::new();
    let mut tokens = tokens(file, lines, limits)?.into_iter().peekable();
    while let Some(token) = tokens.next() {
        // A value without a word before it is ignored.
        let Token::Word(word, line) = token else { continue };
        let value = tokens.next_if(|next| matches!(next, Token::Value(_)));
        match (value, commands.last_mut()) {
            (Some(Token::Value(value)), Some(command)) => {
                command.push(Attribute { name: word.to_uppercase(), value }, line, limits)?;
            }
            // Text in front of the first command is ignored.
            (Some(_), None) => {}
            (None, _) => {
                if let Some(verb) = verb(&word) {
                    commands.push(Command { verb, attributes: Vec::new(), place: place(line) });
                }
            }
            (Some(Token::Word(..)), _) => {}
        }
    }
    Ok(commands)
}

/// The part of an open value that has been read.
#[derive(Debug)]
struct Open {
    text: String,
    depth: usize,
    is_quoted: bool,
    line: usize,
}

impl Open {
    /// Takes a character; true if it closes the value.
    fn take(&mut self, character: char) -> bool {
        match character {
            // Outside of quotes it is an apostrophe.
            '\'' if self.is_quoted => self.is_quoted = false,
            '\'' if self.text.trim_start().is_empty() || self.text.starts_with('\'') => self.is_quoted = true,
            '(' if !self.is_quoted => self.depth += 1,
            ')' if !self.is_quoted && self.depth == 0 => return true,
            ')' if !self.is_quoted => self.depth -= 1,
            _ => {}
        }
        self.text.push(character);
        false
    }

    /// The line ends: the value goes on in the next one.
    fn go_on(&mut self, card: &str) {
        if self.text.ends_with('*') {
            self.text.pop();
        } else if !is_full(card) {
            self.text.push(' ');
        }
    }

    fn value(self) -> String {
        let text = self.text.trim();
        let inner = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
        inner.map_or_else(|| text.to_owned(), |inner| inner.replace("''", "'"))
    }
}

fn tokens(file: &Arc<str>, lines: &[Line<'_>], limits: &Limits) -> Result<Vec<Token>, Fault> {
    let mut tokens = Vec::new();
    let mut open: Option<Open> = None;
    for (number, line) in lines {
        if line.starts_with('*') {
            continue;
        }
        let card = card(line);
        let mut word = String::new();
        let mut rest = card.chars();
        if open.is_some() {
            rest = card.trim_start().chars();
        }
        for character in rest {
            match &mut open {
                Some(value) => {
                    if value.text.len() > limits.value_max_bytes {
                        let message = format!(
                            "the value that begins here has more than value_max_bytes, {} bytes: is a parenthesis missing?",
                            limits.value_max_bytes
                        );
                        let place = Place { file: Arc::clone(file), line: value.line };
                        return Err(Fault { place, message });
                    }
                    if value.take(character)
                        && let Some(value) = open.take()
                    {
                        tokens.push(Token::Value(value.value()));
                    }
                }
                None if character == '(' => {
                    push_word(&mut tokens, &mut word, *number);
                    open = Some(Open { text: String::new(), depth: 0, is_quoted: false, line: *number });
                }
                None if character.is_whitespace() || matches!(character, ',' | ';' | ')') => {
                    push_word(&mut tokens, &mut word, *number);
                }
                None => word.push(character),
            }
        }
        push_word(&mut tokens, &mut word, *number);
        if let Some(value) = &mut open {
            value.go_on(card);
        }
    }
    match open {
        None => Ok(tokens),
        Some(value) => {
            let place = Place { file: Arc::clone(file), line: value.line };
            Err(Fault { place, message: "the parenthesis that opens here is not closed".to_owned() })
        }
    }
}

fn push_word(tokens: &mut Vec<Token>, word: &mut String, line: usize) {
    if !word.is_empty() {
        tokens.push(Token::Word(std::mem::take(word), line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::lines;

    fn defined(text: &str) -> Defined {
        read(&Arc::from("T.csd"), &lines(text), &Limits::default()).expect("commands")
    }

    #[test]
    fn a_definition_goes_over_lines_until_the_next_verb() {
        let text = "* a comment\n Define File(ACCT) Group(bank)\n   DESCRIPTION(It's (one))\n  Add(Yes) READ (NO)\n\
                    DEF TRANS(Ab1)\n GROUP(BANK) PROGRAM(PGM)\nADD GROUP(BANK) LIST(ALL1)";
        let Defined { definitions, lists, notes } = defined(text);
        let [file, transaction] = definitions.as_slice() else { panic!("{definitions:?}") };
        assert_eq!((file.kind.as_str(), file.name.as_str(), file.group.as_str()), ("FILE", "ACCT", "BANK"));
        assert_eq!(file.value("DESCRIPTION"), Some("It's (one)"));
        assert!(file.is("ADD", "YES") && file.is("READ", "no") && file.place.line == 2);
        assert_eq!((transaction.shown().as_str(), transaction.place.line), ("TRANSACTION(Ab1)", 5));
        assert_eq!(lists, [("ALL1".to_owned(), "BANK".to_owned())]);
        assert!(notes.is_empty());
    }

    #[test]
    fn long_values_go_on_in_the_next_line() {
        let full = format!("{:<72}", format!(" WSDIR(/u/{}", "x".repeat(62)));
        let text = format!(
            "DEFINE PIPELINE(P) GROUP(G)\n CONFIGFILE(/usr/basic*\n  provider.xml)\n{full}\n end)\n DESCRIPTION(two\n words)"
        );
        let Defined { definitions, .. } = defined(&text);
        assert_eq!(definitions[0].value("CONFIGFILE"), Some("/usr/basicprovider.xml"));
        assert!(definitions[0].value("WSDIR").is_some_and(|path| path.ends_with("xxend")), "{definitions:?}");
        assert_eq!(definitions[0].value("DESCRIPTION"), Some("two words"));
    }

    #[test]
    fn alter_delete_and_userdefine_are_carried_out_in_order() {
        let text = "DEFINE FILE(A) GROUP(OLD)\nDELETE GROUP(OLD)\nDEFINE FILE(USER) GROUP(USERDEF) ADD(YES)\n\
                    USERDEFINE FILE(B) GROUP(G) READ(YES)\nALTER FILE(B*) GROUP(G) KEYLENGTH(4)\nUSERDEFINE PROGRAM(C) GROUP(G)";
        let Defined { definitions, notes, .. } = defined(text);
        let names: Vec<&str> = definitions.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["USER", "B", "C"]);
        assert!(definitions[1].is("ADD", "YES") && definitions[1].is("KEYLENGTH", "4"));
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].to_string().starts_with("T.csd:6: PROGRAM(C): USERDEFINE takes"), "{}", notes[0]);
    }

    #[test]
    fn what_is_not_closed_is_a_fault_with_its_line() {
        let fault =
            |text: &str| read(&Arc::from("T"), &lines(text), &Limits::default()).expect_err(text).to_string();
        assert_eq!(fault("DEFINE FILE(A)\n GROUP(G"), "T:2: the parenthesis that opens here is not closed");
        let long = format!("DEFINE FILE(A\n{}", "long line\n".repeat(1_000));
        assert!(fault(&long).contains("value_max_bytes"), "{}", fault(&long));
    }

    #[test]
    fn words_may_be_cut() {
        assert_eq!((kind("TRAN"), kind("PRO"), kind("TR")), (None, None, None));
        assert_eq!(
            (kind("TRANS"), kind("prog"), kind("TDQ")),
            (Some("TRANSACTION"), Some("PROGRAM"), Some("TDQUEUE"))
        );
        assert_eq!((verb("def"), verb("ALL"), verb("ADD")), (Some("DEFINE"), None, Some("ADD")));
    }
}
