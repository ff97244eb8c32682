//! Changes the names of programs to capitals, like the mainframe's compiler (Enterprise COBOL's option
//! PGMNAME(COMPAT)). For GnuCOBOL and for files, `order` and `ORDER` are two names.

use copybook::{Severity, TokenKind};

use super::output::Edit;
use super::units::{Region, Units, starts_sentence};
use super::{Translator, codes};

/// The most characters of a program's name in LINK. Longer names in CALL are those of C functions.
const NAME_MAX: usize = 8;

impl Translator<'_> {
    /// Changes PROGRAM-ID, END PROGRAM, and the literals of CALL and CANCEL. Gives the first program the name
    /// in the settings.
    pub(super) fn fold_names(&mut self, units: &mut Units) {
        let own = units.programs.first().map(|unit| unit.name.clone()).unwrap_or_default();
        let wanted = self.settings.name.map(str::to_ascii_uppercase).filter(|wanted| *wanted != own);
        let mut told = false;
        for (at, region) in units.regions.iter().enumerate() {
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
            let is_call = token.is_any(&["CALL", "CANCEL"]);
            match &wanted {
                Some(wanted) if !is_call && self.name_at(name).as_ref() == Some(&own) => {
                    if !told {
                        let message = format!("the program is known as {wanted}, and PROGRAM-ID says {own}");
                        let message = (message, None);
                        self.report(codes::OTHER_NAME, name..name + 1, message, Severity::Warning);
                    }
                    told = true;
                    // It is quoted, because names of files may have characters that words must not have.
                    let text = format!("\"{wanted}\"");
                    self.edits.push(Edit::inline(self.tokens[name].span.clone(), text));
                }
                _ => self.fold(name),
            }
        }
        if let (Some(wanted), Some(first), true) = (wanted, units.programs.first_mut(), told) {
            first.name = wanted;
        }
    }

    /// The name in a token, in capitals.
    fn name_at(&self, at: usize) -> Option<String> {
        let token = self.tokens.get(at)?;
        match &token.kind {
            TokenKind::Word => Some(token.text.to_ascii_uppercase()),
            TokenKind::Text(text) => Some(text.to_ascii_uppercase()),
            _ => None,
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
