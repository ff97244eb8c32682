//! The path to the value that is checked: links on the stack, which become text only for a violation.

use std::fmt::Write;

/// One step, and the path to it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Path<'p> {
    /// A whole body, or a parameter by its name.
    Root(&'p str),
    /// A member.
    Member(&'p Path<'p>, &'p str),
    /// An element, from 0.
    Element(&'p Path<'p>, usize),
}

/// The most characters of a name or a text that messages show.
const SHOWN_CHARACTERS_MAX: usize = 60;

impl Path<'_> {
    /// The form for messages: `order.items[2].price`.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        match self {
            Path::Root(name) => text.push_str(&shortened(name)),
            Path::Member(before, name) => {
                before.write(text);
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(&shortened(name));
            }
            Path::Element(before, at) => {
                before.write(text);
                // Writing to a String does not fail.
                let _ = write!(text, "[{at}]");
            }
        }
    }
}

/// The start of a text, for messages, on one line whatever characters it has.
pub(crate) fn shortened(text: &str) -> String {
    let mut shown = String::new();
    for (at, character) in text.chars().enumerate() {
        if at == SHOWN_CHARACTERS_MAX {
            shown.push_str("...");
            break;
        }
        match character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') {
            true => shown.extend(character.escape_default()),
            false => shown.push(character),
        }
    }
    shown
}
