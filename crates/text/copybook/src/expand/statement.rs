//! The statements that insert or change text: COPY, REPLACE, and similar ones.

use std::ops::Range;

use super::replace::{Pair, Side};
use super::words::{PSEUDO, Word, folded, is_literal};

/// The most REPLACING pairs that one statement may have.
pub const MAX_REPLACEMENTS: usize = 1_000;

/// The action of a statement.
pub(super) enum Action {
    /// COPY, ++INCLUDE, -INC or EXEC SQL INCLUDE.
    Copy { member: String, library: Option<String>, pairs: Vec<Pair> },
    /// REPLACE with pairs, from here on. ALSO adds them to those in force.
    Replace { pairs: Vec<Pair>, also: bool },
    /// REPLACE OFF, or LAST OFF, which ends the latest one only.
    Off { last: bool },
}

/// A statement and its end.
pub(super) struct Statement {
    pub(super) action: Action,
    /// The words of the statement, with its period.
    pub(super) words: Range<usize>,
    /// True if its period is missing.
    pub(super) unfinished: bool,
}

/// The fault of a statement.
pub(super) struct Malformed {
    /// The word at which reading stopped.
    pub(super) at: usize,
    pub(super) message: String,
}

/// The statement that begins at a word, if there is one.
pub(super) fn at(text: &str, words: &[Word], start: usize) -> Option<Result<Statement, Malformed>> {
    let mut reader = Reader { text, words, at: start };
    let first = reader.next()?;
    // The first letter shows that most words do not begin a statement.
    if !first.starts_with(['C', 'c', 'R', 'r', 'E', 'e', '+', '-']) {
        return None;
    }
    let action = match first.to_ascii_uppercase().as_str() {
        "COPY" => reader.copy(),
        "++INCLUDE" | "-INC" => reader.include(),
        "EXEC" if reader.accept("SQL") && reader.accept("INCLUDE") => reader.embedded(),
        "REPLACE" => reader.replace()?,
        _ => return None,
    };
    Some(action.map(|action| {
        let needs_period = ["COPY", "REPLACE"].iter().any(|word| word.eq_ignore_ascii_case(first));
        let unfinished = !reader.accept(".") && needs_period;
        Statement { action, words: start..reader.at, unfinished }
    }))
}

struct Reader<'t> {
    text: &'t str,
    words: &'t [Word],
    at: usize,
}

impl<'t> Reader<'t> {
    /// COPY member [OF library] [SUPPRESS] [REPLACING pairs].
    fn copy(&mut self) -> Result<Action, Malformed> {
        let member = self.member("the name of a member after COPY")?;
        let library = match self.accept("OF") || self.accept("IN") {
            true => Some(self.member("the name of a library")?),
            false => None,
        };
        if self.accept("SUPPRESS") {
            self.accept("PRINTING");
        }
        let pairs = if self.accept("REPLACING") { self.pairs()? } else { Vec::new() };
        Ok(Action::Copy { member, library, pairs })
    }

    /// A library manager's statement. The rest of its line is a remark.
    fn include(&mut self) -> Result<Action, Malformed> {
        let member = self.member("the name of a member")?;
        while let [_, last, next, ..] = &self.words[self.at - 2..]
            && !self.text[last.end..next.start].contains('\n')
        {
            self.at += 1;
        }
        Ok(Action::Copy { member, library: None, pairs: Vec::new() })
    }

    fn embedded(&mut self) -> Result<Action, Malformed> {
        let member = self.member("the name of a member")?;
        if !self.accept("END-EXEC") {
            return Err(self.expected("END-EXEC"));
        }
        Ok(Action::Copy { member, library: None, pairs: Vec::new() })
    }

    /// REPLACE [ALSO] pairs, or REPLACE [LAST] OFF. None if the word does not begin a statement here.
    fn replace(&mut self) -> Option<Result<Action, Malformed>> {
        let last = self.accept("LAST");
        if self.accept("OFF") {
            return Some(Ok(Action::Off { last }));
        }
        let also = self.accept("ALSO");
        let follows = [PSEUDO, "LEADING", "TRAILING"];
        if !self.peek().is_some_and(|word| follows.iter().any(|first| first.eq_ignore_ascii_case(word))) {
            return None;
        }
        Some(self.pairs().map(|pairs| Action::Replace { pairs, also }))
    }

    /// Pairs of operands up to the period.
    fn pairs(&mut self) -> Result<Vec<Pair>, Malformed> {
        let mut pairs = Vec::new();
        while pairs.is_empty() || self.peek().is_some_and(|word| word != ".") {
            if pairs.len() >= MAX_REPLACEMENTS {
                return Err(self.expected(&format!("at most {MAX_REPLACEMENTS} replacements")));
            }
            let side = match () {
                () if self.accept("LEADING") => Some(Side::Leading),
                () if self.accept("TRAILING") => Some(Side::Trailing),
                () => None,
            };
            let first = self.at;
            let from = self.operand()?;
            let from: Vec<String> =
                self.words[from].iter().map(|word| folded(&self.text[word.clone()])).collect();
            if from.is_empty() || (side.is_some() && from.len() > 1) {
                let wanted = if side.is_some() { "one partial word" } else { "text to look for" };
                let message = format!("expected {wanted} before BY");
                return Err(Malformed { at: first, message });
            }
            if !self.accept("BY") {
                return Err(self.expected("BY"));
            }
            let to = self.operand()?;
            pairs.push(Pair { from, to: self.between(&to).to_owned(), side });
        }
        Ok(pairs)
    }

    /// Pseudo-text, an identifier with its qualifiers and subscripts, a literal or a word: the words of it.
    fn operand(&mut self) -> Result<Range<usize>, Malformed> {
        if self.accept(PSEUDO) {
            return self.pseudo_text();
        }
        let start = self.at;
        match self.next() {
            Some(".") | None => {
                self.at = start;
                return Err(self.expected("==text==, an identifier, a literal or a word"));
            }
            Some(literal) if is_literal(literal) => return Ok(start..self.at),
            Some(_) => {}
        }
        while self.accept("OF") || self.accept("IN") {
            self.next();
        }
        // A subscript, or the count of a PICTURE string.
        while self.peek() == Some("(") || self.adjoins() {
            let opens = self.next() == Some("(");
            while opens && self.peek().is_some_and(|word| word != "." && self.next() != Some(")")) {}
        }
        Ok(start..self.at)
    }

    /// The words of pseudo-text; the opening delimiter has been read.
    fn pseudo_text(&mut self) -> Result<Range<usize>, Malformed> {
        let start = self.at;
        while let Some(word) = self.next() {
            if word == PSEUDO {
                return Ok(start..self.at - 1);
            }
        }
        Err(Malformed { at: start - 1, message: "the pseudo-text is not closed; expected ==".to_owned() })
    }

    /// True if the next word follows the last one without a separator, and is not a period or pseudo-text.
    fn adjoins(&self) -> bool {
        let (Some(next), Some(last)) = (self.words.get(self.at), self.words.get(self.at.wrapping_sub(1)))
        else {
            return false;
        };
        next.start == last.end && !matches!(&self.text[next.clone()], "." | PSEUDO)
    }

    /// A member's or library's name: a word or a literal.
    fn member(&mut self, what: &str) -> Result<String, Malformed> {
        match self.peek() {
            Some(word) if is_literal(word) && word.starts_with(['\'', '"']) && word.len() > 2 => {
                self.at += 1;
                Ok(word[1..word.len() - 1].to_owned())
            }
            Some(word) if word.starts_with(|c: char| c.is_alphanumeric() || "@#$_".contains(c)) => {
                self.at += 1;
                Ok(word.to_owned())
            }
            _ => Err(self.expected(what)),
        }
    }

    /// The text of a range of words, as written, without blanks around it.
    fn between(&self, words: &Range<usize>) -> &'t str {
        match self.words.get(words.clone()) {
            Some([first, .., last]) => &self.text[first.start..last.end],
            Some([only]) => &self.text[only.clone()],
            _ => "",
        }
    }

    fn peek(&self) -> Option<&'t str> {
        self.words.get(self.at).map(|word| &self.text[word.clone()])
    }

    fn next(&mut self) -> Option<&'t str> {
        let word = self.peek()?;
        self.at += 1;
        Some(word)
    }

    fn accept(&mut self, wanted: &str) -> bool {
        let found = self.peek().is_some_and(|word| word.eq_ignore_ascii_case(wanted));
        self.at += usize::from(found);
        found
    }

    fn expected(&self, what: &str) -> Malformed {
        let found = self.peek().map_or_else(|| "the end of the text".to_owned(), |word| format!("'{word}'"));
        Malformed {
            at: self.at.min(self.words.len().saturating_sub(1)),
            message: format!("expected {what}, found {found}"),
        }
    }
}
