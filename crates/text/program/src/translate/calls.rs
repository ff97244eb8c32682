//! After a CALL of COBOL, a program asks the runtime where to go on. The called program may have ended the
//! task's program, or abended into a label of this one.

use copybook::{Token, TokenKind};

use super::Translator;
use super::blocks::{Block, outside_of_blocks};
use super::codes;
use super::frame::Frame;
use super::message_queue::is_message_queue;
use super::output::{Edit, Origin};
use super::units::{Region, Unit};
use crate::interface::AFTER_CALL;
use crate::reachable;
use crate::verbs::VERBS;

/// The verbs of the words that end a statement, as END-IF.
const ENDED: &[&str] = &[
    "ACCEPT", "ADD", "CALL", "COMPUTE", "DELETE", "DISPLAY", "DIVIDE", "EVALUATE", "EXEC", "IF", "INVOKE",
    "JSON", "MULTIPLY", "PERFORM", "READ", "RETURN", "REWRITE", "SEARCH", "START", "STRING", "SUBTRACT",
    "UNSTRING", "WRITE", "XML",
];

/// The end of a CALL statement.
enum End {
    /// After this token. More of the sentence follows.
    After(usize),
    /// With the sentence: it has an exception phrase without END-CALL. The token is the sentence's period.
    Sentence(usize),
}

impl Translator<'_> {
    /// Finds the CALL statements of all programs, and marks these programs as users of a frame.
    pub(super) fn find_calls(
        &self,
        regions: &[Region],
        blocks: &[Block],
        frames: &mut [Frame],
    ) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (at, region) in outside_of_blocks(regions, blocks) {
            if let Region::Code(unit) = region
                && self.tokens[at].is("CALL")
            {
                frames[unit].used = true;
                found.push((at, unit));
            }
        }
        found
    }

    /// Reports a CALL of a literal whose program is missing, unless the program handles that.
    pub(super) fn check_called(&mut self, call: usize, programs: &[Unit]) {
        let Some(callable) = self.settings.callable else { return };
        // CALL STATIC 'NAME' and CALL C 'NAME' have a word before the literal.
        let literal = self.tokens[call + 1..].iter().take(2).find_map(|token| match &token.kind {
            TokenKind::Text(text) => Some(text.trim_end().to_owned()),
            _ => None,
        });
        let Some(name) = literal else { return };
        let is_same = |known: &str| known.eq_ignore_ascii_case(&name);
        let is_known = reachable::is_provided(name.as_bytes())
            || is_message_queue(&name)
            || callable.iter().any(|known| is_same(known))
            || programs.iter().any(|program| is_same(&program.name));
        if is_known || self.has_exception(call) {
            return;
        }
        let message = format!("expected the name of a program that is here, found CALL '{name}'");
        let help = "put the program beside this one, or list the name in region.callable";
        self.error(codes::UNREACHABLE, call..call + 2, (message, Some(help.to_owned())));
    }

    /// True if a CALL has a phrase for a missing program.
    fn has_exception(&self, call: usize) -> bool {
        let last = match end(self.tokens, call) {
            Some(End::After(last) | End::Sentence(last)) => last,
            None => return false,
        };
        self.tokens[call..last].iter().any(|token| token.is_any(&["EXCEPTION", "OVERFLOW"]))
    }

    /// Adds the call of the runtime after a CALL.
    pub(super) fn after_call(&mut self, call: usize, frame: &Frame) {
        let (last, sentence) = match end(self.tokens, call) {
            Some(End::After(last)) => (last, ""),
            Some(End::Sentence(period)) => (period, "."),
            // The text ends within the statement. The compiler reports this.
            None => return,
        };
        let origin = Origin::Text(self.tokens[call].span.start);
        let asked = format!("CALL \"{AFTER_CALL}\" USING GANTRY-FRAME RETURNING GANTRY-NEXT");
        let at = self.tokens[last].span.end;
        let lines = vec![(origin, asked), (origin, format!("{}{sentence}", frame.go_on()))];
        self.edits.push(Edit::lines(at..at, lines));
    }
}

/// True for a verb, which begins the next statement, and for words such as END-IF.
pub(super) fn ends_statement(token: &Token<'_>) -> bool {
    token.is_any(VERBS) || ended_verb(token).is_some()
}

/// The verb whose statement a word such as END-IF ends. Other words that begin so, as END-DATE, name data.
pub(super) fn ended_verb(token: &Token<'_>) -> Option<&'static str> {
    let verb =
        token.text.get(..4).filter(|start| start.eq_ignore_ascii_case("END-")).map(|_| &token.text[4..])?;
    ENDED.iter().find(|known| verb.eq_ignore_ascii_case(known)).copied()
}

fn end(tokens: &[Token<'_>], call: usize) -> Option<End> {
    let mut exceptions = false;
    for (at, token) in tokens.iter().enumerate().skip(call + 1) {
        if token.kind == TokenKind::Period {
            return Some(if exceptions { End::Sentence(at) } else { End::After(at - 1) });
        }
        if token.kind != TokenKind::Word {
            continue;
        }
        if token.is("END-CALL") {
            return Some(End::After(at));
        }
        if ends_statement(token) && !exceptions {
            return Some(End::After(at - 1));
        }
        if token.is_any(&["EXCEPTION", "OVERFLOW"]) {
            exceptions = true;
        }
    }
    None
}
