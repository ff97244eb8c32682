//! Changes COMP-5 into BINARY. On a mainframe both have their highest byte first and at least 2 bytes, while
//! GnuCOBOL's COMP-5 follows the machine. Both hold the same values, because GnuCOBOL does not truncate
//! BINARY to its picture under `-std=ibm-strict`.

use super::Translator;
use super::output::Edit;
use super::units::Region;

impl Translator<'_> {
    /// Changes the usage of all data. With a precompiler for SQL it stays, because the precompiler's library
    /// reads COMP-5 in the byte order of the machine.
    pub(super) fn keep_byte_order(&mut self, regions: &[Region]) {
        if self.settings.sql.is_some() {
            return;
        }
        for (token, region) in self.tokens.iter().zip(regions) {
            if matches!(region, Region::Data(_)) && token.is_any(&["COMP-5", "COMPUTATIONAL-5"]) {
                self.edits.push(Edit::inline(token.span.clone(), "BINARY".to_owned()));
            }
        }
    }
}
