//! Text words: the units that COPY REPLACING and REPLACE compare.
//!
//! Enterprise COBOL Language Reference, "Text words" and "COPY statement": parentheses, colons, literals and
//! the period at the end of a sentence are words of their own. Comma, semicolon and blanks only separate
//! words.

use std::ops::Range;

/// A text word, by its bytes in the logical text.
pub(super) type Word = Range<usize>;

/// The delimiter of pseudo-text.
pub(super) const PSEUDO: &str = "==";

/// Splits a text into its text words.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut splitter = Splitter { text, at: 0 };
    let mut found = Vec::new();
    while splitter.skip_separators() {
        let start = splitter.at;
        splitter.word();
        found.push(start..splitter.at);
    }
    found
}

/// The form for comparisons: upper case, but literals unchanged.
pub(super) fn folded(word: &str) -> String {
    if is_literal(word) { word.to_owned() } else { word.to_ascii_uppercase() }
}

pub(super) fn is_literal(word: &str) -> bool {
    word.ends_with(['\'', '"'])
}

struct Splitter<'t> {
    text: &'t str,
    at: usize,
}

impl Splitter<'_> {
    /// Moves to the next word; false at the end of the text.
    fn skip_separators(&mut self) -> bool {
        while let Some(c) = self.peek() {
            let separates = c.is_whitespace() || (matches!(c, ',' | ';') && self.ends_word(self.at + 1));
            if !separates {
                return true;
            }
            self.at += c.len_utf8();
        }
        false
    }

    fn word(&mut self) {
        let rest = &self.text[self.at..];
        if rest.starts_with(PSEUDO) {
            self.at += PSEUDO.len();
            return;
        }
        let start = self.at;
        while let Some(c) = self.peek() {
            match c {
                '\'' | '"' if self.at == start || is_prefix(&self.text[start..self.at]) => {
                    self.literal(c);
                    return;
                }
                '\'' | '"' => return,
                '(' | ')' | ':' if self.at > start => return,
                '(' | ')' | ':' => {
                    self.at += 1;
                    return;
                }
                '.' if self.ends_word(self.at + 1) => {
                    self.at += usize::from(self.at == start);
                    return;
                }
                ',' | ';' if self.ends_word(self.at + 1) => return,
                '=' if self.text[self.at..].starts_with(PSEUDO) => return,
                c if c.is_whitespace() => return,
                c => self.at += c.len_utf8(),
            }
        }
    }

    /// A literal up to its closing quote, or to the end of the line if there is no quote.
    fn literal(&mut self, quote: char) {
        self.at += quote.len_utf8();
        while let Some(c) = self.peek().filter(|c| *c != '\n') {
            self.at += c.len_utf8();
            if c == quote {
                if self.peek() != Some(quote) {
                    return;
                }
                self.at += quote.len_utf8();
            }
        }
    }

    /// True if a word ends here: at a blank, at the end, or before a pseudo-text delimiter.
    fn ends_word(&self, at: usize) -> bool {
        let rest = &self.text[at..];
        rest.starts_with(PSEUDO) || rest.chars().next().is_none_or(char::is_whitespace)
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }
}

/// The letters that may stand before the opening quote of a literal.
fn is_prefix(word: &str) -> bool {
    ["X", "Z", "N", "NX", "G", "U", "UX", "B", "BX", "H"]
        .iter()
        .any(|prefix| prefix.eq_ignore_ascii_case(word))
}
