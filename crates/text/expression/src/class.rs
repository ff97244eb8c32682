//! Classes of regular expressions, such as `[a-z]`, and their hyphens: JavaScript and the engine read some of them differently.

use std::iter::Peekable;
use std::str::Chars;

/// The meaning of a hyphen in a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hyphen {
    /// It makes a range, or stands for itself, in both languages.
    Plain,
    /// It stands for itself, and the engine needs an escape: no range begins or ends with a set.
    Literal,
    /// Two hyphens are a difference of sets to the engine. It would take more code to find out which of the two makes a range.
    Double,
}

impl Hyphen {
    /// The meaning of a hyphen that stands before `rest`. `is_behind_set` is true if a set, such as `\d`, stands before the hyphen.
    #[must_use]
    pub fn of(is_behind_set: bool, mut rest: impl Iterator<Item = char>) -> Self {
        match rest.next() {
            Some('-') => Self::Double,
            Some('\\') if rest.next().is_some_and(is_set) => Self::Literal,
            _ if is_behind_set => Self::Literal,
            _ => Self::Plain,
        }
    }
}

/// True for the letter of an escape that stands for more than one character.
#[must_use]
pub fn is_set(escaped: char) -> bool {
    matches!(escaped, 'd' | 'D' | 'w' | 'W' | 's' | 'S' | 'p' | 'P')
}

/// Copies the name of a property, which is a part of its escape `\p`.
pub fn property(characters: &mut Peekable<Chars<'_>>, out: &mut String) {
    // The engine reports errors in the name.
    let has_braces = characters.peek() == Some(&'{');
    for character in characters.by_ref() {
        out.push(character);
        if !has_braces || character == '}' {
            break;
        }
    }
}
