//! DFHRESP(condition) and DFHVALUE(name) become numbers, wherever they stand.

use std::collections::HashMap;

use copybook::{TokenKind, edit_distance};

use super::blocks::{Block, Language};
use super::codes;
use super::output::Edit;
use super::{Message, Translator};
use crate::{conditions, cvda};

/// The replacements of tokens, by the first token of each.
pub(super) type Substitutes = HashMap<usize, Substitute>;

/// The replacement of some tokens.
pub(super) struct Substitute {
    pub(super) text: String,
    pub(super) tokens: usize,
}

/// The tokens of `DFHRESP ( NAME )`.
const FUNCTION_TOKENS: usize = 4;

impl Translator<'_> {
    /// Finds all functions, and replaces those outside of blocks.
    pub(super) fn replace_functions(&mut self, blocks: &[Block]) -> Substitutes {
        let mut found = Substitutes::new();
        let mut block = blocks.iter().peekable();
        let mut at = 0;
        // When the limit of findings is reached, nothing is written either.
        while at < self.tokens.len() && !self.is_full() {
            while block.next_if(|block| block.end <= at).is_some() {}
            let inside = block.peek().filter(|block| block.first <= at).map(|block| block.language);
            if inside == Some(Language::Sql) || !self.tokens[at].is_any(&["DFHRESP", "DFHVALUE"]) {
                at += 1;
                continue;
            }
            match self.function(at) {
                Ok(number) => {
                    let text = number.to_string();
                    found.insert(at, Substitute { text, tokens: FUNCTION_TOKENS });
                    if inside.is_none() {
                        let span = self.tokens[at].span.start..self.tokens[at + FUNCTION_TOKENS - 1].span.end;
                        self.edits.push(Edit::inline(span, number.to_string()));
                    }
                    at += FUNCTION_TOKENS;
                }
                Err((code, message)) => {
                    let end = (at + FUNCTION_TOKENS).min(self.tokens.len());
                    self.error(code, at..end, message);
                    at += 1;
                }
            }
        }
        found
    }

    fn function(&self, at: usize) -> Result<u16, (copybook::Code, Message)> {
        let function = self.tokens[at].text.to_ascii_uppercase();
        let is_resp = function == "DFHRESP";
        let code = if is_resp { codes::UNKNOWN_CONDITION } else { codes::UNKNOWN_VALUE };
        let name = match self.tokens.get(at + 1..at + FUNCTION_TOKENS) {
            Some([open, name, close])
                if open.text == "(" && name.kind == TokenKind::Word && close.text == ")" =>
            {
                name.text
            }
            _ => return Err((code, (format!("expected {function}(name)"), None))),
        };
        if is_resp {
            let condition = conditions::by_name(name).ok_or_else(|| (code, unknown_condition(name)))?;
            return Ok(condition.number);
        }
        cvda::value(name).ok_or_else(|| {
            (code, (format!("DFHVALUE({name}) has an unknown value"), similar(name, cvda::names())))
        })
    }
}

/// The message for a word that is not a condition.
pub(super) fn unknown_condition(name: &str) -> Message {
    let names = conditions::ALL.iter().map(|condition| condition.name);
    (format!("{} is not a condition of CICS", name.to_ascii_uppercase()), similar(name, names))
}

/// A hint to the most similar of some names, if one is similar.
pub(super) fn similar<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let name = name.to_ascii_uppercase();
    let near = names.map(|known| (edit_distance(&name, known), known)).min()?;
    (near.0 <= name.len().div_ceil(3).min(3)).then(|| format!("did you mean {}?", near.1))
}
