//! Statements of Enterprise COBOL that GnuCOBOL 3 accepts but does not carry out. It only gives a warning,
//! and the program would go on with its old data.

use copybook::Severity;

use super::Translator;
use super::codes;
use super::units::Region;

/// The statements, by their two words, with the alternative for each.
const STATEMENTS: &[(&str, &str, &str)] = &[("JSON", "PARSE", "EXEC CICS TRANSFORM JSONTODATA reads JSON")];

impl Translator<'_> {
    /// Reports each of them.
    pub(super) fn refuse_missing_statements(&mut self, regions: &[Region]) {
        for (at, region) in regions.iter().enumerate() {
            let [first, second, ..] = &self.tokens[at..] else { return };
            if matches!(region, Region::Code(_)) && first.is("JSON") && second.is("GENERATE") {
                let message = "JSON GENERATE needs a GnuCOBOL that was built with a JSON library".to_owned();
                self.report(codes::NO_JSON, at..at + 2, (message, None), Severity::Warning);
            }
            let found = STATEMENTS.iter().find(|(one, two, _)| first.is(one) && second.is(two));
            if let (Region::Code(_), Some((one, two, help))) = (region, found) {
                let message = format!("{one} {two} is not in GnuCOBOL 3");
                self.error(codes::NOT_IN_GNUCOBOL, at..at + 2, (message, Some((*help).to_owned())));
            }
        }
    }
}
