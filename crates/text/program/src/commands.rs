//! The table of EXEC CICS commands, for the checks of the translator and for the runtime.
//!
//! Options, argument kinds and conditions are those of IBM's CICS Transaction Server application programming
//! reference. A command's `function` is the value of EIBFN after it. Functions from [`OWN_FUNCTIONS`] up are
//! our own, for commands whose documented code we do not know.

mod containers;
mod documents;
mod facilities;
mod files;
pub mod names;
mod programs;
mod queues;
mod refused;
mod resources;
mod security;
mod services;
mod tasks;
mod times;
mod web;
mod web_client;

use std::cmp::Reverse;

use crate::conditions::{Condition, INVREQ};
pub use facilities::{absent, absent_option};
pub use names::OptionName;
pub use refused::{Refusal, instead, refusal};
pub(crate) use refused::{is_refused_pair, verbs};
pub use security::RESID_MAX_BYTES;

/// The first function code that is not one of IBM's.
pub const OWN_FUNCTIONS: u16 = 0xF000;

/// A command that can be translated.
#[derive(Debug)]
pub struct Command {
    /// The verb, then the words that tell it from other commands with that verb. Such a word may be an option with an
    /// argument, as CONTAINER in PUT CONTAINER(name).
    pub words: &'static [&'static str],
    /// The value of EIBFN after the command, by which the runtime knows it.
    pub function: u16,
    /// All options except NOHANDLE, RESP and RESP2, which every command has.
    pub options: &'static [CommandOption],
    /// The rules about options that need or exclude each other.
    pub rules: &'static [Rule],
    /// The conditions that the command may raise, besides ERROR.
    pub conditions: &'static [&'static Condition],
}

impl Command {
    /// The command's form in messages.
    pub fn name(&self) -> String {
        self.words.join(" ")
    }

    /// The option of a name, or of a synonym of it.
    pub fn option(&self, name: &str) -> Option<&'static CommandOption> {
        let name = if name.eq_ignore_ascii_case("DATASET") { "FILE" } else { name };
        self.options.iter().find(|option| option.name.text.eq_ignore_ascii_case(name))
    }
}

/// An option of a command.
#[derive(Debug)]
pub struct CommandOption {
    /// Its name and number.
    pub name: OptionName,
    /// The content of its brackets.
    pub argument: Argument,
}

/// The kind of an option's argument, and its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// None: the option is a keyword.
    None,
    /// A name or text that the program gives: a literal or a data item, `max_bytes` long at most. Shorter
    /// ones are as if they were filled with blanks.
    Text {
        /// The most bytes that count.
        max_bytes: u16,
    },
    /// One character. It may be left out with its brackets; then it is the usual one.
    Separator,
    /// Data of any length.
    Data(Way),
    /// Data of any length that the program gives. It may be left out with its brackets.
    Optional,
    /// Characters that the command gives, always this number.
    Characters {
        /// The number of bytes that the command writes, if there is room.
        bytes: u16,
    },
    /// A binary number.
    Number(Way, Width),
    /// A packed number of 8 bytes, S9(15) COMP-3, in the given place, whatever the type of the item there.
    Packed(Way),
    /// An address.
    Pointer(Way),
    /// A paragraph or section.
    Label,
}

/// The direction of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the program to the command.
    In,
    /// From the command to the program.
    Out,
    /// Both.
    Both,
}

/// The length of a binary number in CICS's documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// S9(4) COMP.
    Half,
    /// S9(8) COMP.
    Full,
    /// S9(18) COMP.
    Double,
    /// S9(8) COMP holding a CVDA.
    Cvda,
    /// S9(7) COMP-3, `0hhmmss`.
    Time,
}

/// A rule for the options of a command.
#[derive(Debug)]
pub enum Rule {
    /// One of them must be given.
    Need(&'static [OptionName]),
    /// At most one of them may be given.
    Exclusive(&'static [OptionName]),
    /// The first must be given together with one of the others.
    With(OptionName, &'static [OptionName]),
}

/// The replacement for a command that needs a terminal, if it may fail at run time: INVREQ with RESP2 200.
pub const TERMINAL_COMMAND: Command = Command {
    words: &["terminal command"],
    function: 0xFFFF,
    options: &[],
    rules: &[],
    conditions: &[&INVREQ],
};

/// All commands that can be translated, and [`TERMINAL_COMMAND`].
pub fn all() -> impl Iterator<Item = &'static Command> {
    let tables = [
        programs::COMMANDS,
        resources::COMMANDS,
        containers::COMMANDS,
        documents::COMMANDS,
        facilities::COMMANDS,
        queues::COMMANDS,
        files::COMMANDS,
        tasks::COMMANDS,
        times::COMMANDS,
        services::COMMANDS,
        web::COMMANDS,
        web_client::COMMANDS,
        security::COMMANDS,
        std::slice::from_ref(&TERMINAL_COMMAND),
    ];
    tables.into_iter().flatten()
}

/// Verbs whose second word is always that of the resource. In other commands, the same word may be an option.
const BY_RESOURCE: &[&str] = &["INQUIRE", "SET"];

/// The command of a verb whose other words are all given. Of several commands, it is the most specific one,
/// and then the first. A word may be the name of an option. `resource` is the first word behind the verb that
/// no browse has.
pub fn find(verb: &str, resource: Option<&str>, has: impl Fn(&str) -> bool) -> Option<&'static Command> {
    let fits = |command: &&Command| {
        let (verb_of, others) = (command.words[0], &command.words[1..]);
        let is_resource = || {
            others
                .first()
                .is_some_and(|word| resource.is_some_and(|resource| word.eq_ignore_ascii_case(resource)))
        };
        verb_of.eq_ignore_ascii_case(verb)
            && others.iter().all(|word| has(word))
            && (!BY_RESOURCE.contains(&verb_of) || is_resource())
    };
    all().filter(fits).min_by_key(|command| Reverse(command.words.len()))
}

/// The command of a function code.
pub fn by_function(function: u16) -> Option<&'static Command> {
    all().find(|command| command.function == function)
}

// Short forms for the tables.

const fn flag(name: OptionName) -> CommandOption {
    CommandOption { name, argument: Argument::None }
}

const fn text(name: OptionName, max_bytes: u16) -> CommandOption {
    CommandOption { name, argument: Argument::Text { max_bytes } }
}

const fn characters(name: OptionName, bytes: u16) -> CommandOption {
    CommandOption { name, argument: Argument::Characters { bytes } }
}

const fn data(name: OptionName, way: Way) -> CommandOption {
    CommandOption { name, argument: Argument::Data(way) }
}

const fn half(name: OptionName, way: Way) -> CommandOption {
    CommandOption { name, argument: Argument::Number(way, Width::Half) }
}

const fn full(name: OptionName, way: Way) -> CommandOption {
    CommandOption { name, argument: Argument::Number(way, Width::Full) }
}

const fn double(name: OptionName, way: Way) -> CommandOption {
    CommandOption { name, argument: Argument::Number(way, Width::Double) }
}

const fn cvda(name: OptionName, way: Way) -> CommandOption {
    CommandOption { name, argument: Argument::Number(way, Width::Cvda) }
}

const fn time(name: OptionName) -> CommandOption {
    CommandOption { name, argument: Argument::Number(Way::In, Width::Time) }
}

const fn packed(name: OptionName, way: Way) -> CommandOption {
    CommandOption { name, argument: Argument::Packed(way) }
}

const fn pointer(name: OptionName, way: Way) -> CommandOption {
    CommandOption { name, argument: Argument::Pointer(way) }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn function_codes_are_unique_and_lead_back() {
        for command in all() {
            let found = by_function(command.function).expect("a command");
            assert!(std::ptr::eq(found, command), "{} and {}", found.name(), command.name());
        }
    }

    #[test]
    fn options_are_named_once_and_rules_name_options() {
        for command in all() {
            let mut seen = HashSet::new();
            for option in command.options {
                assert!(seen.insert(option.name.number), "{}: {}", command.name(), option.name.text);
            }
            let named = command.rules.iter().flat_map(|rule| match rule {
                Rule::Need(names) | Rule::Exclusive(names) => names.to_vec(),
                Rule::With(name, names) => [&[*name], *names].concat(),
            });
            for name in named {
                assert!(seen.contains(&name.number), "{}: the rule's {}", command.name(), name.text);
            }
        }
    }

    #[test]
    fn the_most_specific_command_is_found() {
        let found = |verb: &str, words: &[&str]| {
            find(verb, words.first().copied(), |word| words.contains(&word))
                .map(|command| command.name())
                .unwrap_or_default()
        };
        assert_eq!(found("READQ", &["QUEUE"]), "READQ");
        assert_eq!(found("readq", &["QUEUE", "TD"]), "READQ TD");
        assert_eq!(found("DELETE", &["CONTAINER", "CHANNEL"]), "DELETE CONTAINER");
        assert_eq!(found("DELETE", &["CHANNEL"]), "DELETE CHANNEL");
        assert_eq!(found("DELETE", &["FILE"]), "DELETE");
        assert_eq!(found("SEND", &["MAP"]), "");
        assert_eq!(found("INQUIRE", &["TRANSACTION", "PROGRAM"]), "INQUIRE TRANSACTION");
        assert_eq!(found("INQUIRE", &["TASK", "TRANSACTION", "PROGRAM"]), "INQUIRE TASK");
        assert_eq!(found("INQUIRE", &["PROGRAM", "STATUS"]), "INQUIRE PROGRAM");
        assert_eq!(found("INQUIRE", &["TRANSACTION", "NEXT", "PROGRAM"]), "INQUIRE TRANSACTION NEXT");
        assert_eq!(found("INQUIRE", &["ASSOCIATION", "TRANSACTION"]), "");
    }
}
