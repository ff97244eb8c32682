//! Puts the names of programs into capitals, as the mainframe's compiler does (Enterprise COBOL's option PGMNAME(COMPAT)):
//! to GnuCOBOL, and to files, `order` and `ORDER` are two.

use copybook::TokenKind;

use super::Translator;
use super::output::Edit;
use super::units::{Region, starts_sentence};

/// The most characters of a program's name that LINK can say. Longer names of CALL are those of functions in C.
const NAME_MAX: usize = 8;

impl Translator<'_> {
    /// Changes PROGRAM-ID, END PROGRAM, and the literals of CALL and CANCEL.
    pub(super) fn fold_names(&mut self, regions: &[Region]) {
        for (at, region) in regions.iter().enumerate() {
            let token = &self.tokens[at];
            let name = match region {
                _ if token.is("PROGRAM-ID") && starts_sentence(self.tokens, at) => {
                    let period = self.tokens.get(at + 1).is_some_and(|next| next.kind == TokenKind::Period);
                    at + 1 + usize::from(period)
                }
                _ if token.is("PROGRAM") && at > 0 && self.tokens[at - 1].is("END") => at + 1,
                Region::Code(_) if token.is_any(&["CALL", "CANCEL"]) && self.is_name(at + 1) => at + 1,
                _ => continue,
            };
            self.fold(name);
        }
    }

    fn fold(&mut self, at: usize) {
        let Some(token) = self.tokens.get(at) else { return };
        let is_name = matches!(token.kind, TokenKind::Word | TokenKind::Text(_));
        if is_name && token.text.contains(|c: char| c.is_ascii_lowercase()) {
            self.edits.push(Edit::inline(token.span.clone(), token.text.to_ascii_uppercase()));
        }
    }

    /// True if a token is a literal that can be the name of a program under CICS.
    fn is_name(&self, at: usize) -> bool {
        let Some(TokenKind::Text(text)) = self.tokens.get(at).map(|token| &token.kind) else { return false };
        text.len() <= NAME_MAX
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-@#$".contains(&byte))
    }
}
