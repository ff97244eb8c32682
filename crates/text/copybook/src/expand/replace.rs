//! Replaces text words, for COPY REPLACING and for REPLACE.

use std::collections::HashMap;
use std::ops::Range;

use super::words::{Word, folded, is_literal};
use super::{Budget, Exceeded};
use crate::source::Source;

/// `==from== BY ==to==`.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    /// The words to find, in the form for comparisons; at least one.
    pub(super) from: Vec<String>,
    /// The text of the replacement, as written.
    pub(super) to: String,
    /// LEADING or TRAILING: `from` is a part of a word.
    pub(super) side: Option<Side>,
}

/// The end of a word where a partial word is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Leading,
    Trailing,
}

/// The pairs for a text, found by their first words. An earlier pair wins.
pub(super) struct Rules<'p> {
    pairs: Vec<&'p Pair>,
    by_first: HashMap<&'p str, Vec<usize>>,
    partial: Vec<usize>,
}

/// A place where a pair fits.
struct Match<'p> {
    /// The number of words.
    words: usize,
    /// The replaced part, in bytes of the text.
    part: Range<usize>,
    to: &'p str,
}

impl<'p> Rules<'p> {
    pub(super) fn new(pairs: impl IntoIterator<Item = &'p Pair>) -> Self {
        let pairs: Vec<&Pair> = pairs.into_iter().collect();
        let mut by_first: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut partial = Vec::new();
        for (index, pair) in pairs.iter().enumerate() {
            match pair.side {
                None => by_first.entry(&pair.from[0]).or_default().push(index),
                Some(_) => partial.push(index),
            }
        }
        Rules { pairs, by_first, partial }
    }

    /// Copies `part` of a text, whose words are `words`, with the replacements of the pairs. A replacement is
    /// not searched again.
    pub(super) fn apply(
        &self,
        from: &Source,
        words: &[Word],
        part: Range<usize>,
        out: &mut Output<'_>,
    ) -> Result<(), Exceeded> {
        let mut copied = part.start;
        let mut at = 0;
        while at < words.len() {
            let Some(found) = self.find(&from.text, &words[at..], out.budget)? else {
                at += 1;
                continue;
            };
            out.source.push_part(from, copied..found.part.start);
            out.source.push_replacement(found.to, from, found.part.clone());
            out.budget.check_size(out.source.text.len())?;
            copied = found.part.end;
            at += found.words;
        }
        out.source.push_part(from, copied..part.end);
        out.budget.check_size(out.source.text.len())
    }

    /// The first pair that fits at the first of these words.
    fn find(&self, text: &str, words: &[Word], budget: &mut Budget) -> Result<Option<Match<'p>>, Exceeded> {
        let first = &text[words[0].clone()];
        let whole = self.by_first.get(folded(first).as_str()).map_or(&[][..], Vec::as_slice);
        let (mut whole, mut partial) = (whole.iter().peekable(), self.partial.iter().peekable());
        loop {
            let index = match (whole.peek(), partial.peek()) {
                (Some(a), Some(b)) if a < b => whole.next(),
                (_, Some(_)) => partial.next(),
                (_, None) => whole.next(),
            };
            let Some(&index) = index else { return Ok(None) };
            let pair = self.pairs[index];
            let found = match pair.side {
                None => whole_words(pair, text, words, budget)?,
                Some(side) => {
                    budget.compare(1)?;
                    part_of_word(pair, side, text, &words[0])
                }
            };
            if let Some(part) = found {
                let words = if pair.side.is_some() { 1 } else { pair.from.len() };
                return Ok(Some(Match { words, part, to: &pair.to }));
            }
        }
    }
}

/// A logical text during its construction, and its remaining budget.
pub(super) struct Output<'b> {
    pub(super) source: Source,
    pub(super) budget: &'b mut Budget,
}

fn whole_words(
    pair: &Pair,
    text: &str,
    words: &[Word],
    budget: &mut Budget,
) -> Result<Option<Range<usize>>, Exceeded> {
    let Some(words) = words.get(..pair.from.len()) else { return Ok(None) };
    for (word, from) in words.iter().zip(&pair.from) {
        budget.compare(1 + from.len() / 64)?;
        let word = &text[word.clone()];
        let same = if is_literal(from) { word == from } else { word.eq_ignore_ascii_case(from) };
        if !same {
            return Ok(None);
        }
    }
    Ok(Some(words[0].start..words[words.len() - 1].end))
}

fn part_of_word(pair: &Pair, side: Side, text: &str, word: &Word) -> Option<Range<usize>> {
    let bytes = pair.from[0].len();
    if is_literal(&text[word.clone()]) || word.len() < bytes {
        return None;
    }
    let part = match side {
        Side::Leading => word.start..word.start + bytes,
        Side::Trailing => word.end - bytes..word.end,
    };
    text.get(part.clone()).filter(|found| found.eq_ignore_ascii_case(&pair.from[0])).map(|_| part)
}
