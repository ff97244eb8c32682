//! Checks a command that has been read against the rules of its table entry.

use super::command::{Parsed, Target};
use super::{Translator, codes};
use crate::commands::{OptionName, Rule};

impl Translator<'_> {
    /// Reports every rule that the options break. `verb` is the token of the command's first word.
    pub(super) fn check_rules(&mut self, parsed: &Parsed, verb: usize) {
        let command = parsed.command.name();
        for rule in parsed.command.rules {
            match rule {
                Rule::Need(names) if names.iter().all(|name| word_of(parsed, *name).is_none()) => {
                    let message = (format!("{command} needs {}", list(names, "or")), None);
                    self.error(codes::MISSING_OPTION, verb..verb + 1, message);
                }
                Rule::Exclusive(names) => {
                    let mut words: Vec<usize> =
                        names.iter().filter_map(|name| word_of(parsed, *name)).collect();
                    words.sort_unstable();
                    if let [first, second, ..] = words[..] {
                        let (first, shown) = (self.tokens[first].text, self.tokens[second].text);
                        let message = format!("{shown} is not allowed with {first} in {command}");
                        self.error(codes::OPTIONS_EXCLUDE, second..second + 1, (message, None));
                    }
                }
                Rule::With(name, others) => {
                    let Some(word) = word_of(parsed, *name) else { continue };
                    if others.iter().all(|other| word_of(parsed, *other).is_none()) {
                        let message = format!("{} needs {}", name.text, list(others, "or"));
                        self.error(codes::MISSING_OPTION, word..word + 1, (message, None));
                    }
                }
                Rule::Need(_) => {}
            }
        }
    }
}

/// The token of an option, if the command has it.
fn word_of(parsed: &Parsed, name: OptionName) -> Option<usize> {
    let found = parsed
        .options
        .iter()
        .find(|option| matches!(option.target, Target::Option(known) if known.name == name));
    found.map(|option| option.word)
}

fn list(names: &[OptionName], last: &str) -> String {
    match names {
        [] => String::new(),
        [only] => only.text.to_owned(),
        [first @ .., end] => {
            let first: Vec<&str> = first.iter().map(|name| name.text).collect();
            format!("{} {last} {}", first.join(", "), end.text)
        }
    }
}
