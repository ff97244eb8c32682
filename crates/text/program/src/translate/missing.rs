//! Statements of Enterprise COBOL that GnuCOBOL 3 accepts but does not carry out. It only gives a warning,
//! and the program would go on with its old data.

use copybook::Severity;

use super::Translator;
use super::codes;
use super::units::{Region, Units, starts_sentence};
use crate::translate::TokenKind;

/// Sections of the DATA DIVISION that programs begin it with.
const DATA_SECTIONS: [&str; 4] = ["FILE", "WORKING-STORAGE", "LOCAL-STORAGE", "LINKAGE"];

/// The statements, by their two words, with the alternative for each.
const STATEMENTS: &[(&str, &str, &str)] = &[("JSON", "PARSE", "EXEC CICS TRANSFORM JSONTODATA reads JSON")];

impl Translator<'_> {
    /// Reports sections of data without a DATA DIVISION in front of them. The compiler would report each of their lines.
    pub(super) fn refuse_data_outside_of_its_division(&mut self, units: &Units) {
        let mut known = vec![false; units.programs.len()];
        for (at, region) in units.regions.iter().enumerate() {
            let [first, second, third, ..] = &self.tokens[at..] else { return };
            let begins = starts_sentence(self.tokens, at) && third.kind == TokenKind::Period;
            let (unit, message) = match region {
                Region::Identification(unit) | Region::Data(unit)
                    if begins && second.is("SECTION") && first.is_any(&DATA_SECTIONS) =>
                {
                    let division = units.programs[*unit].data_division;
                    if division.is_some_and(|division| division < at) {
                        continue;
                    }
                    let section = first.text.to_ascii_uppercase();
                    (*unit, format!("{section} SECTION stands outside of a DATA DIVISION"))
                }
                Region::Code(unit) if begins && first.is("DATA") && second.is("DIVISION") => {
                    (*unit, "DATA DIVISION stands behind PROCEDURE DIVISION".to_owned())
                }
                _ => continue,
            };
            if !std::mem::replace(&mut known[unit], true) {
                self.error(codes::NO_DATA_DIVISION, at..at + 2, (message, None));
            }
        }
    }

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
