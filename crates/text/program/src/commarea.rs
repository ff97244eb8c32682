//! The length of the DFHCOMMAREA in a program.

use copybook::{Diagnostic, Field, Layout, Library, Options, PointerBytes, Section, parse_with};

use crate::OwnMembers;

/// The record of the commarea.
const COMMAREA: &str = "DFHCOMMAREA";

/// The faults of a text without a record in its LINKAGE SECTION, and of one without the record of the
/// commarea.
const NOT_DECLARED: [&str; 2] = ["CPY030", "CPY031"];

/// The warning of a table whose counter is not in its record.
const UNKNOWN_COUNTER: &str = "CPY064";

/// The bytes of a program's own DFHCOMMAREA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommareaBytes {
    /// With the fewest rows of all tables.
    pub least: usize,
    /// With the most rows of all tables whose counters are in the record. Other counters, such as EIBCALEN,
    /// follow the actual length.
    pub most: usize,
}

/// The bytes of the DFHCOMMAREA of a program's LINKAGE SECTION, as GnuCOBOL lays it out here; 0 if the
/// program does not declare one. None if the record cannot be read.
#[must_use]
pub fn commarea_bytes(member: &str, text: &str, library: &dyn Library) -> Option<CommareaBytes> {
    let options = Options {
        pointer_bytes: PointerBytes::EightAndIndexFour,
        section: Some(Section::Linkage),
        record: Some(COMMAREA.to_owned()),
        ..Options::default()
    };
    let parsed = match parse_with(member, text, &options, &OwnMembers(library)) {
        Ok(parsed) => parsed,
        Err(faults) => {
            let declares_none = faults.iter().all(|fault| NOT_DECLARED.contains(&fault.code));
            return declares_none.then_some(CommareaBytes { least: 0, most: 0 });
        }
    };
    let layout = parsed.layouts.first()?;
    let mut bytes = CommareaBytes { least: layout.max_bytes(), most: layout.max_bytes() };
    for field in counted_elsewhere(layout, &parsed.warnings) {
        // The counter is the actual length, so the table does not reach further.
        let spare = field.occurs.map_or(0, |occurs| occurs.max as usize - 1) * field.bytes;
        bytes = CommareaBytes {
            least: bytes.least.saturating_sub(spare),
            most: bytes.most.saturating_sub(spare),
        };
    }
    for (id, field) in layout.iter() {
        let Some(occurs) = field.occurs.filter(|occurs| occurs.min < occurs.max) else { continue };
        // Rows inside of rows are counted with the table around them.
        if !layout.around(id).skip(1).any(|around| layout.field(around).occurs.is_some()) {
            bytes.least = bytes.least.saturating_sub((occurs.max - occurs.min) as usize * field.bytes);
        }
    }
    Some(bytes)
}

/// The tables whose counter is not in the record, such as EIBCALEN. The reader gives a warning for each of
/// them.
fn counted_elsewhere<'l>(layout: &'l Layout, warnings: &'l [Diagnostic]) -> impl Iterator<Item = &'l Field> {
    let warnings = warnings.iter().filter(|warning| warning.code == UNKNOWN_COUNTER);
    warnings.filter_map(|warning| {
        let tables = layout.iter().map(|(_, field)| field).filter(|field| field.occurs.is_some());
        tables.filter(|field| field.place.line <= warning.place.line).max_by_key(|field| field.place.line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(linkage: &str) -> Option<(usize, usize)> {
        let text = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. A.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       01  W PIC X(7).\n       LINKAGE SECTION.\n       01  LK-OTHER PIC X(5).\n{linkage}       PROCEDURE DIVISION.\n           EXEC CICS RETURN END-EXEC.\n           GOBACK.\n"
        );
        let none = |_: &str, _: Option<&str>| Err("there are no members".to_owned());
        commarea_bytes("A", &text, &none).map(|bytes| (bytes.least, bytes.most))
    }

    #[test]
    fn the_record_is_measured_as_the_program_has_it() {
        assert_eq!(found(""), Some((0, 0)));
        assert_eq!(found("       01  DFHCOMMAREA PIC X(.\n"), None);
        assert_eq!(found("       01  DFHCOMMAREA PIC X(90).\n"), Some((90, 90)));
        let record =
            "       01  DFHCOMMAREA.\n           05  A PIC S9(5) COMP-3.\n           05  B USAGE POINTER.\n";
        assert_eq!(found(record), Some((11, 11)));
        let rows = "           05  R PIC X(4) OCCURS 1 TO 9 DEPENDING ON N.\n";
        let counted = format!("       01  DFHCOMMAREA.\n           05  N PIC 9.\n{rows}");
        assert_eq!(found(&counted), Some((5, 37)));
        let by_length =
            "       01  DFHCOMMAREA.\n           05  R PIC X OCCURS 1 TO 9000 DEPENDING ON EIBCALEN.\n";
        assert_eq!(found(by_length), Some((1, 1)));
    }
}
