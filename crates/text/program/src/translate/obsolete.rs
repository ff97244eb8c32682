//! Words without a meaning for the mainframe's compilers of today, which GnuCOBOL does not know. SERVICE
//! RELOAD and SERVICE LABEL were for older compilers, where addresses changed. The clause DATE FORMAT is a
//! comment without DATEPROC.

use copybook::TokenKind;

use super::Translator;
use super::output::Edit;
use super::units::Region;

impl Translator<'_> {
    /// Removes the clauses `DATE FORMAT IS YYXXXX`.
    pub(super) fn drop_date_formats(&mut self, regions: &[Region]) {
        for (at, region) in regions.iter().enumerate() {
            let [first, second, third, ..] = &self.tokens[at..] else { return };
            if !matches!(region, Region::Data(_)) || !first.is("DATE") || !second.is("FORMAT") {
                continue;
            }
            let last = if third.is("IS") { self.tokens.get(at + 3).unwrap_or(third) } else { third };
            self.edits.push(Edit::inline(first.span.start..last.span.end, String::new()));
        }
    }

    /// Puts CONTINUE in place of statements, so that an IF around them keeps its branch.
    pub(super) fn drop_obsolete_statements(&mut self, regions: &[Region]) {
        for (at, region) in regions.iter().enumerate() {
            let [first, second, ..] = &self.tokens[at..] else { return };
            if !matches!(region, Region::Code(_)) || !first.is("SERVICE") {
                continue;
            }
            let named = self.tokens.get(at + 2).filter(|name| name.kind == TokenKind::Word);
            let last = match named {
                Some(name) if second.is("RELOAD") => name,
                _ if second.is("LABEL") => second,
                _ => continue,
            };
            self.edits.push(Edit::inline(first.span.start..last.span.end, "CONTINUE".to_owned()));
        }
    }
}
