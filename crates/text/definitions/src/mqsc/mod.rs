//! Scripts of MQSC, in the form of runmqsc and dmpmqcfg, become sections of a queue manager.
//!
//! The commands run one after the other on [`Objects`], as a queue manager would run them. Only the final
//! state of the objects counts. `queues`, `others` and `grants` make sections of them.

mod existing;
mod grants;
mod objects;
mod others;
mod queues;

use std::sync::Arc;

use ::mqsc::{OTHER_OBJECTS, Syntax, VERBS, Words};

use crate::cards::{Line, card, lines};
use crate::jcl;
use crate::limits::Limits;
use crate::place::{Fault, Note, Place};
use crate::read::{Import, Source, check_size};
use crate::section::{Section, Table};
use existing::Existing;
use objects::{Class, Objects};

/// The target of the sections.
#[derive(Clone, Copy, Debug, Default)]
pub struct Target<'t> {
    /// The text of the existing `gantry.toml`.
    pub before: &'t str,
    /// The name of the queue manager, if neither the file nor a script has it.
    pub name: Option<&'t str>,
}

/// The default name of a queue manager.
const USUAL_NAME: &str = "QM1";
/// The text of dmpmqcfg in front of the name of the queue manager.
const NAME_IN_COMMENT: &str = "Queue manager name:";
/// The most bytes of a command that are shown.
const SHOWN_MAX: usize = 60;

/// Runs scripts of MQSC, and makes sections of their objects.
///
/// # Errors
/// All files that exceed a limit.
pub fn read_mqsc(sources: &[Source<'_>], target: &Target<'_>, limits: &Limits) -> Result<Import, Vec<Fault>> {
    let mut reader = Reader { limits, objects: Objects::default(), name: None, unread: Vec::new() };
    let mut faults = check_size(sources, limits);
    for source in sources {
        faults.extend(reader.source(source).err());
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let Reader { mut objects, name, unread, .. } = reader;
    let existing = Existing::of(target.before);
    objects.tell_existing(&existing);
    let definition_count = objects.len();
    let mut made = Made { existing, sections: Vec::new(), notes: std::mem::take(&mut objects.notes) };
    made.manager(&objects, target.name, name);
    made.queues(&objects);
    made.subscriptions(&objects);
    made.grants(&objects);
    let Made { mut sections, mut notes, .. } = made;
    sections.sort_by_key(|section| !matches!(section.table, Table::Keys(_)));
    notes.sort_by(|one, other| (&one.place, &one.subject).cmp(&(&other.place, &other.subject)));
    Ok(Import { sections, notes, definition_count, unread, ..Import::default() })
}

struct Reader<'l> {
    limits: &'l Limits,
    objects: Objects,
    /// The name of the queue manager in a comment, and its place.
    name: Option<(String, Place)>,
    unread: Vec<String>,
}

impl Reader<'_> {
    fn source(&mut self, source: &Source<'_>) -> Result<(), Fault> {
        let file: Arc<str> = Arc::from(source.name);
        if source.text.len() > self.limits.file_max_bytes {
            let message = format!("has more than file_max_bytes, {}", self.limits.file_max_bytes);
            return Err(Fault { place: Place { file, line: 1 }, message });
        }
        let lines = lines(source.text);
        let mut is_read = false;
        if jcl::is_job(&lines) {
            for step in jcl::steps(&lines) {
                for dd in &step.files {
                    let cards: Vec<Line<'_>> = dd.data.iter().map(|(at, line)| (*at, card(line))).collect();
                    is_read |= self.script(&file, &cards)?;
                }
            }
        } else {
            is_read = self.script(&file, &lines)?;
        }
        if !is_read {
            self.unread.push(source.name.to_owned());
        }
        Ok(())
    }

    /// Runs a script; false if it does not have any command of MQSC.
    fn script(&mut self, file: &Arc<str>, lines: &[Line<'_>]) -> Result<bool, Fault> {
        let commands: Vec<(usize, Result<Words, Syntax>, String)> = ::mqsc::script(lines.iter().copied())
            .into_iter()
            .map(|(line, text)| (line, ::mqsc::parse(&text), text))
            .collect();
        let is_command = |words: &Words| VERBS.contains(&&*words.verb) && is_object(&words.object);
        if !commands.iter().any(|(_, words, _)| words.as_ref().is_ok_and(is_command)) {
            return Ok(false);
        }
        let at = |line| Place { file: Arc::clone(file), line };
        if commands.len() > self.limits.definition_count_max {
            let message =
                format!("has more than definition_count_max, {} commands", self.limits.definition_count_max);
            return Err(Fault { place: at(1), message });
        }
        let named = lines.iter().find_map(|(line, text)| {
            let name = text.strip_prefix('*')?.trim().strip_prefix(NAME_IN_COMMENT)?.trim();
            is_mq_name(name).then(|| (name.to_owned(), at(*line)))
        });
        self.name = self.name.take().or(named);
        for (line, words, text) in commands {
            let place = at(line);
            match words {
                Ok(words) if ends(&words) => break,
                Ok(words) => {
                    self.check_limits(&words, &place)?;
                    if is_command(&words) {
                        self.objects.run(words, place);
                    } else {
                        let reason = "is not a command of MQSC: a line that goes on ends with + or -";
                        self.objects.note(&place, shown(&text), reason);
                    }
                }
                Err(_) => {
                    let reason = "cannot be read: a quote or a parenthesis is not closed, or a line does not go on with + or -";
                    self.objects.note(&place, shown(&text), reason);
                }
            }
        }
        Ok(true)
    }

    fn check_limits(&self, words: &Words, place: &Place) -> Result<(), Fault> {
        let limits = self.limits;
        let is_long =
            |value: &Option<String>| value.as_ref().is_some_and(|v| v.len() > limits.value_max_bytes);
        let message = if words.parameters.len() > limits.attribute_count_max {
            format!("has more than attribute_count_max, {} attributes", limits.attribute_count_max)
        } else if is_long(&words.name) || words.parameters.iter().any(|parameter| is_long(&parameter.value)) {
            format!("a value has more than value_max_bytes, {}", limits.value_max_bytes)
        } else {
            return Ok(());
        };
        Err(Fault { place: place.clone(), message })
    }
}

/// The word that ends a script.
fn ends(words: &Words) -> bool {
    matches!(&*words.verb, "END" | "EXIT" | "QUIT") && words.object.is_empty()
}

fn is_object(word: &str) -> bool {
    const MORE: [&str; 8] = ["QUEUE", "Q", "QSTATUS", "QS", "CHSTATUS", "CHS", "CONN", "QMSTATUS"];
    const CHANNELS: [&str; 2] = ["CHANNEL", "CHL"];
    OTHER_OBJECTS.contains(&word)
        || Class::of(word).is_some()
        || CHANNELS.contains(&word)
        || MORE.contains(&word)
        || matches!(word, "TOPICSTR" | "TPSTATUS" | "SBSTATUS")
}

/// The start of a command.
fn shown(text: &str) -> String {
    let text = text.trim();
    let end = text.char_indices().map(|(at, _)| at).find(|at| *at >= SHOWN_MAX);
    match end {
        Some(end) => format!("{}...", crate::section::clean(&text[..end])),
        None => crate::section::clean(text),
    }
}

/// True for the name of a queue manager or a queue.
#[must_use]
pub fn is_mq_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"./_%".contains(&byte);
    (1..=48).contains(&name.len()) && name.bytes().all(is_part)
}

/// True for text that can be passed to a started transaction.
fn is_printable(text: &str, most: usize) -> bool {
    text.len() <= most && text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
}

/// The sections and notes for objects.
struct Made {
    existing: Existing,
    sections: Vec<Section>,
    notes: Vec<Note>,
}

impl Made {
    fn note(&mut self, place: &Place, subject: impl Into<String>, reason: impl Into<String>) {
        self.notes.push(Note { place: place.clone(), subject: subject.into(), reason: reason.into() });
    }

    /// The keys of `[queue_manager]`, except the dead-letter queue.
    fn manager(&mut self, objects: &Objects, given: Option<&str>, found: Option<(String, Place)>) {
        let first = Place { file: Arc::from("gantry import mqsc"), line: 1 };
        let nowhere = objects.first_place().cloned().unwrap_or(first);
        let (name, place) = match (given, found) {
            (Some(name), _) => (name.to_owned(), nowhere.clone()),
            (None, Some(found)) => found,
            (None, None) if self.existing.has_name() => (String::new(), nowhere.clone()),
            (None, None) => {
                let reason = "no script says its name: change it in gantry.toml, or give --name";
                self.note(&nowhere, format!("QMGR({USUAL_NAME})"), reason);
                (USUAL_NAME.to_owned(), nowhere.clone())
            }
        };
        if !name.is_empty() {
            self.own_name(&name);
            let table = Table::Keys("queue_manager");
            self.sections.push(Section::new(table, "name", "QMGR".to_owned(), &place).with("name", name));
        }
        self.manager_attributes(objects);
    }
}
