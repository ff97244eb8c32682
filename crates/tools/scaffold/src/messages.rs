//! The queue manager that programs need: the queues that they name for calls of the Message Queue Interface. Also the START
//! that a program needs which takes its data with RETRIEVE.
//!
//! The name of a queue is a literal that the program moves to MQOD-OBJECTNAME or MQMD-REPLYTOQ, perhaps through other fields.
//! Names in messages and trigger messages are those of other programs, and need no queue here.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use program::reachable::MESSAGE_QUEUES;
use program::verbs::VERBS;

use crate::backs::is_queue_name;
use crate::commands::{all_literals, commands};
use crate::texts::quoted;
use crate::used::Definitions;

/// The needs of programs that use queues or take data of a START.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    /// A program calls a queue manager.
    calls: bool,
    /// A program opens objects by their names.
    opens: bool,
    queues: BTreeSet<String>,
    /// Names of queue managers.
    managers: BTreeSet<String>,
    /// Fields whose content is the name of a queue that the program does not tell.
    unknown: BTreeSet<String>,
    /// The first program takes data of a START.
    retrieves: bool,
    /// This data is a trigger message.
    is_triggered: bool,
    /// The folder has a queue manager.
    has_manager: bool,
}

/// The queue and the transaction of a trigger. The program does not tell their names.
pub(crate) struct Trigger {
    pub(crate) queue: String,
    pub(crate) transaction: String,
}

/// Fields that get names of queues.
const QUEUE_FIELDS: [&str; 2] = ["MQOD-OBJECTNAME", "MQMD-REPLYTOQ"];
/// The field that gets the name of a queue manager.
const MANAGER_FIELD: &str = "MQOD-OBJECTQMGRNAME";
/// Calls whose first argument is the name of a queue manager.
const CONNECTS: [&str; 2] = ["MQCONN", "MQCONNX"];
/// Calls that name objects.
const OPENS: [&str; 2] = ["MQOPEN", "MQPUT1"];
/// The beginnings of fields of messages and of trigger messages.
const FROM_OUTSIDE: [&str; 3] = ["MQMD-", "MQTM-", "MQTMC"];
/// The beginning of fields of trigger messages.
const OF_TRIGGERS: &str = "MQTM";
/// Words that are values and no fields.
const FIGURATIVE: [&str; 9] =
    ["SPACE", "SPACES", "ZERO", "ZEROS", "ZEROES", "LOW-VALUE", "LOW-VALUES", "HIGH-VALUE", "HIGH-VALUES"];
/// The name of a queue manager if the program does not tell another.
const MANAGER: &str = "QM1";
/// The queue of messages that cannot be delivered.
pub(crate) const DEAD_LETTERS: &str = "DEAD.LETTER";
/// The ending of the queue that triggers.
const REQUESTS: &str = ".REQUEST";
/// The most characters of the name of a queue.
pub(crate) const QUEUE_NAME_MAX: usize = 48;
/// The characters of a transaction's name.
const TRANSACTION_NAME_MAX: usize = 4;
/// The transaction of a trigger, if the program itself starts the one with the usual name.
const OTHER_TRANSACTION: &str = "TRIG";

impl Trigger {
    /// The command that starts the program.
    pub(crate) fn put_line(&self) -> String {
        format!("gantry queue put {} TEXT", self.queue)
    }
}

impl Messages {
    /// The needs that the words of a program tell.
    pub(crate) fn of_words(words: &[String]) -> Self {
        let mut found = Self::default();
        let flows = flows(words);
        let calls = words.windows(2).enumerate().filter(|(_, two)| two[0] == "CALL");
        for (at, two) in calls {
            let Some(name) = quoted_text(&two[1]).map(|name| name.trim_end().to_ascii_uppercase()) else {
                continue;
            };
            found.calls |= MESSAGE_QUEUES.contains(&name.as_str());
            found.opens |= OPENS.contains(&name.as_str());
            if let (true, Some(using), Some(manager)) =
                (CONNECTS.contains(&name.as_str()), words.get(at + 2), words.get(at + 3))
                && using == "USING"
            {
                found.managers.extend(Names::of(words, &flows, manager).texts);
            }
        }
        if !found.calls {
            found.managers.clear();
        } else {
            found.managers.extend(Names::of(words, &flows, MANAGER_FIELD).texts);
            for field in QUEUE_FIELDS {
                let names = Names::of(words, &flows, field);
                found.queues.extend(names.texts);
                found.unknown.extend(names.unknown);
            }
        }
        let is_queue = |name: &String| is_queue_name(name, QUEUE_NAME_MAX);
        found.queues.retain(is_queue);
        found.managers.retain(is_queue);
        // RETRIEVE REATTACH EVENT and RETRIEVE SUBEVENT are about activities.
        found.retrieves = commands(words).any(|command| {
            let word = |at: usize| command.get(at).map(String::as_str);
            word(0) == Some("RETRIEVE") && !matches!(word(1), Some("REATTACH" | "SUBEVENT"))
        });
        found.is_triggered =
            found.retrieves && found.calls && words.iter().any(|word| word.starts_with(OF_TRIGGERS));
        found
    }

    /// Adds the needs of a program that is linked to. It takes no data of a START, as only the first program is started.
    pub(crate) fn merge(&mut self, other: Self) {
        self.calls |= other.calls;
        self.opens |= other.opens;
        self.queues.extend(other.queues);
        self.managers.extend(other.managers);
        self.unknown.extend(other.unknown);
    }

    /// True if `gantry.toml` needs a queue manager, or more of one.
    pub(crate) fn has_sections(&self) -> bool {
        self.calls && (!self.has_manager || self.is_triggered || !self.queues.is_empty())
    }

    /// Leaves out what a folder has. `starts` is true if one of its transactions begins with the program.
    pub(crate) fn take_away(&mut self, there: &Definitions<'_>, starts: bool) {
        self.has_manager = there.has("queue_manager");
        let queues = there.names("queue_manager", "queue");
        if self.has_manager && !queues.is_empty() && self.queues.is_empty() {
            // The program opens one that is there, whatever its name comes from.
            self.opens = false;
        }
        self.queues.retain(|name| !queues.contains(name));
        self.retrieves &= !starts;
        self.is_triggered &= !starts;
    }

    /// The trigger of the program, if it needs one. `taken` are the transactions that programs start.
    pub(crate) fn trigger(&self, name: &str, taken: &BTreeSet<String>) -> Option<Trigger> {
        if !self.is_triggered {
            return None;
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let upper = name.to_ascii_uppercase();
        let queue: String = upper
            .chars()
            .map(|c| if is_plain(c) { c } else { '.' })
            .take(QUEUE_NAME_MAX - REQUESTS.len())
            .chain(REQUESTS.chars())
            .collect();
        let own: String =
            upper.chars().filter(char::is_ascii_alphanumeric).take(TRANSACTION_NAME_MAX).collect();
        let transaction = if taken.contains(&own) { OTHER_TRANSACTION.to_owned() } else { own };
        Some(Trigger { queue, transaction })
    }

    /// The sections of the queue manager, and the transaction of its trigger. `program` is the one that it starts.
    pub(crate) fn sections(&self, program: &str, trigger: Option<&Trigger>) -> String {
        let manager = match self.managers.first() {
            Some(only) if self.managers.len() == 1 => only,
            _ => MANAGER,
        };
        let mut text = match self.has_manager {
            true => String::new(),
            false => format!(
                "\n# Queues, as the calls of programs tell.\n[queue_manager]\nname = {}\ndead_letter_queue = {}\n",
                quoted(manager),
                quoted(DEAD_LETTERS)
            ),
        };
        let of_trigger = trigger.map(|trigger| trigger.queue.as_str());
        let queues = self.queues.iter().map(String::as_str);
        for queue in queues.filter(|name| *name != DEAD_LETTERS && Some(*name) != of_trigger) {
            // Queues are made of a model.
            let model = if queue.to_ascii_uppercase().contains("MODEL") { "type = \"model\"\n" } else { "" };
            // Writing to a text cannot fail.
            let _ = write!(text, "\n[[queue_manager.queue]]\nname = {}\n{model}", quoted(queue));
        }
        if !self.has_manager {
            let _ = write!(text, "\n[[queue_manager.queue]]\nname = {}\n", quoted(DEAD_LETTERS));
        }
        if let Some(Trigger { queue, transaction }) = trigger {
            let (queue, transaction, program) = (quoted(queue), quoted(transaction), quoted(program));
            let _ = write!(
                text,
                "\n# The program takes a trigger message with RETRIEVE, and gets its messages itself. It does not tell the names of\n\
                 # the queue and of the transaction: correct them.\n\
                 [[queue_manager.queue]]\nname = {queue}\ntrigger = \"first\"\nprocess = {transaction}\n\n\
                 [[region.transaction]]\nname = {transaction}\nprogram = {program}\n"
            );
        }
        text
    }

    /// The missing parts, one a line.
    pub(crate) fn lacks(&self, trigger: Option<&Trigger>) -> Vec<String> {
        let mut lacks = Vec::new();
        let unknown = self.unknown.iter();
        lacks.extend(unknown.map(|field| {
            format!("the queue that {field} names: add [[queue_manager.queue]] to gantry.toml")
        }));
        if self.opens && self.queues.is_empty() && self.unknown.is_empty() && trigger.is_none() {
            lacks.push("the queues that it opens: add [[queue_manager.queue]] to gantry.toml".to_owned());
        }
        match trigger {
            Some(Trigger { queue, transaction }) => lacks.push(format!(
                "the names of the queue and the transaction that start it: correct {queue} and {transaction} in gantry.toml"
            )),
            None if self.retrieves => lacks.push(
                "a START, whose data RETRIEVE takes: add [[region.transaction]] to gantry.toml for the program that starts \
                 it. A call of the service brings no such data"
                    .to_owned(),
            ),
            None => {}
        }
        lacks
    }
}

/// The texts that a field may have.
#[derive(Default)]
struct Names {
    texts: BTreeSet<String>,
    /// The fields that they come from and whose content is not known.
    unknown: BTreeSet<String>,
}

impl Names {
    /// Follows the moves to a field backwards.
    fn of(words: &[String], flows: &[Flow<'_>], field: &str) -> Self {
        let mut names = Self::default();
        if let Some(text) = quoted_text(field) {
            names.texts.insert(text.trim().to_owned());
            return names;
        }
        let (mut open, mut looked) = (vec![field], BTreeSet::new());
        while let Some(name) = open.pop() {
            if !looked.insert(name) {
                continue;
            }
            let own = all_literals(words, &[name.to_owned()]);
            let to_it = flows.iter().filter(|flow| flow.to.contains(&name));
            let is_open = name != field && own.is_empty() && to_it.clone().next().is_none();
            if is_open {
                names.unknown.insert(name.to_owned());
            }
            names.texts.extend(own);
            for from in to_it.map(|flow| flow.from) {
                match quoted_text(from) {
                    Some(text) => _ = names.texts.insert(text.trim().to_owned()),
                    None if FIGURATIVE.contains(&from) || is_from_outside(from) => {}
                    None => open.push(from),
                }
            }
        }
        names.texts.remove("");
        names
    }
}

fn is_from_outside(field: &str) -> bool {
    FROM_OUTSIDE.iter().any(|begin| field.starts_with(begin))
}

/// A MOVE: a literal or the name of a field, and the names of fields that get it.
struct Flow<'w> {
    from: &'w str,
    to: Vec<&'w str>,
}

fn flows(words: &[String]) -> Vec<Flow<'_>> {
    let moves = words.iter().enumerate().filter(|(_, word)| *word == "MOVE");
    moves
        .filter_map(|(at, _)| {
            let rest = &words[at + 1..];
            let end = rest.iter().position(|word| ends_move(word)).unwrap_or(rest.len());
            let to = rest[..end].iter().position(|word| word == "TO")?;
            Some(Flow { from: rest.first()?, to: fields(&rest[to + 1..end]) })
        })
        .collect()
}

/// True for a word that a MOVE does not have.
fn ends_move(word: &str) -> bool {
    word == "." || word.starts_with("END-") || VERBS.contains(&word)
}

/// The names of fields without their qualifiers, subscripts and parts.
fn fields(words: &[String]) -> Vec<&str> {
    let (mut found, mut depth, mut is_qualifier) = (Vec::new(), 0_usize, false);
    for word in words {
        match word.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            "OF" | "IN" => is_qualifier = true,
            "," => {}
            _ if std::mem::take(&mut is_qualifier) => {}
            name => found.push(name),
        }
    }
    found
}

/// The text between the quotes of a literal.
fn quoted_text(word: &str) -> Option<&str> {
    word.strip_prefix(['\'', '"'])?.strip_suffix(['\'', '"'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::words;

    fn found(code: &str) -> Messages {
        Messages::of_words(&words(&format!("       ID DIVISION.\n{code}\n")))
    }

    fn queues(code: &str) -> Vec<String> {
        found(code).queues.into_iter().collect()
    }

    #[test]
    fn names_of_queues_come_through_fields() {
        let open = "           CALL 'MQOPEN' USING H OD OPTS HOBJ CC RC.";
        for (code, expected) in [
            ("           MOVE 'A.B' TO MQOD-OBJECTNAME.", "A.B"),
            ("           MOVE 'A.B' TO MQOD-OBJECTNAME OF OD-ONE.", "A.B"),
            ("           MOVE 'A.B ' TO Q1\n           MOVE Q1 OF W TO OTHER MQOD-OBJECTNAME OF X.", "A.B"),
            ("           MOVE 'A.B' TO OTHER (1) Q1.\n           MOVE Q1(1:48) TO MQOD-OBJECTNAME.", "A.B"),
            ("       01  Q1 PIC X(48) VALUE 'A.B'.\n           MOVE Q1 TO MQMD-REPLYTOQ.", "A.B"),
            (
                "           MOVE SPACES TO Q1. MOVE 'A.B' TO Q1. MOVE Q1 TO Q2. MOVE Q2 TO Q1.\n           MOVE Q2 TO MQOD-OBJECTNAME.",
                "A.B",
            ),
        ] {
            assert_eq!(queues(&format!("{code}\n{open}")), [expected], "{code}");
            assert_eq!(queues(code), [""; 0], "no call: {code}");
        }
        let told = found(&format!(
            "           MOVE MQTM-QNAME TO Q1. MOVE Q1 TO MQOD-OBJECTNAME.\n           MOVE MQMD-REPLYTOQ TO Q2.\n           MOVE Q2 TO MQOD-OBJECTNAME.\n           MOVE 'no queue!' TO MQOD-OBJECTNAME.\n           MOVE CA-QUEUE TO MQOD-OBJECTNAME.\n{open}"
        ));
        assert!(told.queues.is_empty(), "{:?}", told.queues);
        assert_eq!(
            told.lacks(None),
            ["the queue that CA-QUEUE names: add [[queue_manager.queue]] to gantry.toml"]
        );
        assert_eq!(
            found(open).lacks(None),
            ["the queues that it opens: add [[queue_manager.queue]] to gantry.toml"]
        );
    }

    #[test]
    fn the_manager_has_the_name_that_the_program_connects_to() {
        let connect = "           CALL 'MQCONN' USING QM-NAME H CC RC.\n";
        let sections = |code: &str| found(&format!("{connect}{code}")).sections("P", None);
        assert!(sections("           MOVE 'CSQ1' TO QM-NAME.").contains("name = \"CSQ1\"\n"));
        assert!(sections("           MOVE SPACES TO QM-NAME.").contains("name = \"QM1\"\n"));
        let two = "           MOVE 'A' TO QM-NAME. MOVE 'B' TO MQOD-OBJECTQMGRNAME.";
        assert!(sections(two).contains("name = \"QM1\"\n"));
        let model = "           MOVE 'MY.MODEL' TO MQOD-OBJECTNAME.";
        assert!(sections(model).contains("name = \"MY.MODEL\"\ntype = \"model\"\n"));
    }

    #[test]
    fn a_trigger_message_needs_a_queue_and_a_transaction() {
        let code = "           EXEC CICS RETRIEVE INTO(MQTM) END-EXEC.\n           CALL 'MQOPEN' USING H OD OPTS HOBJ CC RC.";
        let found_one = found(code);
        let trigger = found_one.trigger("my-shop", &BTreeSet::new()).expect("a trigger");
        assert_eq!((trigger.queue.as_str(), trigger.transaction.as_str()), ("MY.SHOP.REQUEST", "MYSH"));
        let taken = BTreeSet::from(["MYSH".to_owned()]);
        assert_eq!(found_one.trigger("my-shop", &taken).expect("a trigger").transaction, "TRIG");
        let sections = found_one.sections("TAKER", Some(&trigger));
        assert!(
            sections.ends_with("[[region.transaction]]\nname = \"MYSH\"\nprogram = \"TAKER\"\n"),
            "{sections}"
        );
        let long = found_one.trigger(&"n".repeat(90), &taken).expect("a trigger");
        assert!(is_queue_name(&long.queue, QUEUE_NAME_MAX), "{}", long.queue);
        let plain = found("           EXEC CICS RETRIEVE INTO(WS-DATA) END-EXEC.");
        assert!(
            plain.trigger("shop", &BTreeSet::new()).is_none() && plain.lacks(None)[0].starts_with("a START")
        );
        let other = found("           EXEC CICS WEB RETRIEVE DOCTOKEN(A) END-EXEC.");
        assert!(other.lacks(None).is_empty());
    }
}
