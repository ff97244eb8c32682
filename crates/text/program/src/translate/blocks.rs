//! Finds EXEC blocks, and comment paragraphs, in which nothing is a block.

use std::ops::Range;

use super::codes;
use super::output::Edit;
use super::units::{Region, starts_sentence};
use super::{Message, Translator};

/// The paragraphs of an IDENTIFICATION DIVISION that hold comments. cobc's preprocessor removes them, so its
/// replacement must do so too.
const COMMENT_PARAGRAPHS: &[&str] =
    &["AUTHOR", "INSTALLATION", "DATE-WRITTEN", "DATE-COMPILED", "DATE-MODIFIED", "SECURITY", "REMARKS"];

/// The owner of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Cics,
    Sql,
}

/// A block from EXEC to END-EXEC.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) language: Language,
    /// The token EXEC.
    pub(super) first: usize,
    /// The token after END-EXEC.
    pub(super) end: usize,
    /// The program whose code has it, if it is in code.
    pub(super) unit_code: Option<usize>,
}

impl Block {
    /// The tokens between `EXEC CICS` and `END-EXEC`.
    pub(super) fn inside(&self) -> Range<usize> {
        self.first + 2..self.end - 1
    }
}

/// The tokens outside of blocks, each with its region.
pub(super) fn outside_of_blocks(
    regions: &[Region],
    blocks: &[Block],
) -> impl Iterator<Item = (usize, Region)> {
    let mut blocks = blocks.iter().peekable();
    regions.iter().copied().enumerate().filter(move |(at, _)| {
        while blocks.next_if(|block| block.end <= *at).is_some() {}
        blocks.peek().is_none_or(|block| block.first > *at)
    })
}

impl Translator<'_> {
    /// All blocks that can be read.
    pub(super) fn blocks(&mut self, regions: &[Region]) -> Vec<Block> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let in_comments = matches!(regions[at], Region::Outside | Region::Identification(_));
            if in_comments || !self.tokens[at].is_any(&["EXEC", "EXECUTE"]) {
                at += 1;
                continue;
            }
            let first = at;
            let Some(end) = self.block_end(first) else {
                let message = "the EXEC block is not closed: expected END-EXEC".to_owned();
                self.error(codes::NOT_CLOSED, first..first + 1, (message, None));
                at += 1;
                continue;
            };
            at = end;
            let language = match self.language(first..end) {
                Ok(language) => language,
                Err(message) => {
                    self.error(codes::OTHER_LANGUAGE, first..first + 2, message);
                    continue;
                }
            };
            let unit_code = if let Region::Code(unit) = regions[first] { Some(unit) } else { None };
            found.push(Block { language, first, end, unit_code });
        }
        found
    }

    /// The token after the END-EXEC of a block. None if another block begins before it, or the text ends.
    fn block_end(&self, first: usize) -> Option<usize> {
        let rest = self.tokens[first + 1..].iter();
        let mut ends = rest.enumerate().filter(|(_, token)| token.is_any(&["END-EXEC", "EXEC", "EXECUTE"]));
        let (after, token) = ends.next()?;
        token.is("END-EXEC").then_some(first + 1 + after + 1)
    }

    fn language(&self, block: Range<usize>) -> Result<Language, Message> {
        let second = &self.tokens[block.start + 1];
        match () {
            () if second.is("CICS") => Ok(Language::Cics),
            () if second.is("SQL") => Ok(Language::Sql),
            () if second.is("END-EXEC") => Err(("expected CICS or SQL after EXEC".to_owned(), None)),
            () => Err((format!("EXEC {} is not supported: expected CICS or SQL", second.text), None)),
        }
    }

    /// Removes the comment paragraphs of IDENTIFICATION DIVISIONs.
    pub(super) fn drop_comment_paragraphs(&mut self, regions: &[Region]) {
        let mut at = 0;
        while at < self.tokens.len() {
            if !matches!(regions[at], Region::Identification(_)) || !self.is_comment_paragraph(at) {
                at += 1;
                continue;
            }
            let ends = |next: &usize| {
                regions[*next] != regions[at] || self.is_comment_paragraph(*next) || self.is_program_id(*next)
            };
            let next = (at + 1..self.tokens.len()).find(ends).unwrap_or(self.tokens.len());
            let end = self.tokens[next - 1].span.end;
            self.edits.push(Edit::inline(self.tokens[at].span.start..end, String::new()));
            at = next;
        }
    }

    fn is_comment_paragraph(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        token.first_on_line && token.is_any(COMMENT_PARAGRAPHS)
    }

    fn is_program_id(&self, at: usize) -> bool {
        starts_sentence(self.tokens, at) && self.tokens[at].is("PROGRAM-ID")
    }
}
