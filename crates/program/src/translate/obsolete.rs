//! Statements that mean nothing to today's compilers of the mainframe, and that GnuCOBOL does not know: SERVICE RELOAD and
//! SERVICE LABEL, which older compilers needed where addresses changed.

use copybook::TokenKind;

use super::Translator;
use super::output::Edit;
use super::units::Region;

impl Translator<'_> {
    /// Puts CONTINUE in their place, so that an IF around them keeps its branch.
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
