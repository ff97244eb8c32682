//! Checks a layout against the rules of a mapping level.
//!
//! Some fields have no element at any level. Others have one from some level on; the message then names that
//! level.

use copybook::{Edited, Field, Kind, Layout, Sign};

use crate::{CharVarying, Choices, Level, Problem};

/// The most digits of a number: the limit of COBOL with ARITH(EXTEND).
const DIGITS_MAX: u8 = 31;

/// All faults of a record. `copybook` names its text.
#[must_use]
pub fn check(layout: &Layout, copybook: &str, level: Level, choices: &Choices) -> Vec<Problem> {
    let mut checker = Checker { copybook, level, problems: Vec::new() };
    for (id, field) in layout.iter() {
        checker.field(field);
        if let Some(occurs) = field.occurs
            && occurs.depending_on.is_some()
            && !choices.full_tables
        {
            checker.depending_on(layout, id, field, choices);
        }
    }
    if let Some(rename) = layout.renames().first() {
        let place = format!("{copybook}, line {}", rename.place.line);
        checker.problems.push(Problem::error(place, "RENAMES (level 66) has no element at any level"));
    }
    if choices.char_varying == CharVarying::Null {
        checker.room_for_an_end(layout);
    }
    checker.problems
}

struct Checker<'c> {
    copybook: &'c str,
    level: Level,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    fn fail(&mut self, field: &Field, message: &str) {
        let place = format!("{}, line {}", self.copybook, field.place.line);
        self.problems.push(Problem::error(place, format!("{}: {message}", field.name)));
    }

    /// Reports a feature that needs a later level than the chosen one.
    fn from(&mut self, field: &Field, level: Level, what: &str) {
        if self.level < level {
            let chosen = self.level;
            self.fail(field, &format!("{what} needs mapping level {level} or later; the level is {chosen}"));
        }
    }

    fn field(&mut self, field: &Field) {
        if field.redefines.is_some() {
            self.fail(field, "REDEFINES has no element at any level; remove one of the descriptions");
            return;
        }
        if field.level == 77 {
            self.fail(field, "level 77 has no element at any level");
        }
        match &field.kind {
            Kind::Group if field.children.is_empty() => self.fail(field, "the group has no fields"),
            Kind::Group | Kind::Text { .. } | Kind::Dbcs { .. } => {}
            Kind::Pointer => self.fail(field, "pointers and indexes have no element at any level"),
            Kind::Utf8 { .. } => self.fail(field, "PIC U has no element at any level"),
            Kind::PackedUnsigned { .. } => self.fail(field, "COMP-6 has no element at any level"),
            Kind::National { .. } | Kind::NationalNumber { .. } => self.from(field, Level::V4_0, "UTF-16"),
            Kind::Float => self.from(field, Level::V1_2, "COMP-1 or COMP-2"),
            Kind::Edited(edited) => self.edited(field, edited),
            Kind::Zoned { digits, scale, sign } => {
                self.digits(field, *digits);
                if !matches!(sign, Sign::None | Sign::Trailing) {
                    self.from(field, Level::V1_2, "SIGN LEADING or SEPARATE");
                }
                if *scale != 0 {
                    self.from(field, Level::V1_2, "a decimal point in USAGE DISPLAY");
                }
            }
            Kind::Packed { digits, .. } => self.digits(field, *digits),
            Kind::Binary { scale, .. } => {
                if *scale != 0 {
                    self.fail(field, "a binary number with a decimal point has no element at any level");
                }
            }
        }
    }

    fn digits(&mut self, field: &Field, digits: u8) {
        if digits > DIGITS_MAX {
            self.fail(field, &format!("expected at most {DIGITS_MAX} digits, found {digits}"));
        }
    }

    /// Only edited pictures of 9 and Z have elements.
    fn edited(&mut self, field: &Field, edited: &Edited) {
        let other = edited.symbols.iter().find(|(symbol, _)| !matches!(symbol, '9' | 'Z'));
        if let Some((symbol, _)) = other {
            let shown = if *symbol == '$' { &edited.currency } else { &symbol.to_string() };
            let message =
                format!("PIC {}: an edited picture may have 9 and Z only, found '{shown}'", edited.picture);
            self.fail(field, &message);
        }
    }

    fn depending_on(&mut self, layout: &Layout, id: copybook::FieldId, field: &Field, choices: &Choices) {
        self.from(field, Level::V4_0, "OCCURS DEPENDING ON");
        if !choices.data_truncation {
            self.fail(field, "OCCURS DEPENDING ON needs DATA-TRUNCATION=ENABLED");
        }
        let end = field.offset + field.bytes * field.occurs.map_or(1, |occurs| occurs.max as usize);
        let nested = layout.around(id).any(|at| at != id && layout.field(at).occurs.is_some());
        if nested || end != layout.max_bytes() {
            self.fail(field, "OCCURS DEPENDING ON must be the last field of the record");
        }
    }

    /// A text that ends with 00 needs a byte for it.
    fn room_for_an_end(&mut self, layout: &Layout) {
        for field in layout.fields() {
            if matches!(field.kind, Kind::Text { .. }) && field.bytes < 2 && field.occurs.is_none() {
                let place = format!("{}, line {}", self.copybook, field.place.line);
                let message = format!("{}: CHAR-VARYING=NULL leaves no room for a character", field.name);
                self.problems.push(Problem::warning(place, message));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, level: Level, choices: &Choices) -> Vec<String> {
        let text: String = text.lines().map(|line| format!("       {line}\n")).collect();
        let parsed = copybook::parse("T", &text, &copybook::Options::default()).expect("a copybook");
        check(&parsed.layouts[0], "T", level, choices).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_a_level_does_not_have_is_refused_with_the_level_that_has_it() {
        let cases = [
            ("COMP-1", Level::V1_2, "COMP-1 or COMP-2"),
            ("PIC S9(3) SIGN LEADING", Level::V1_2, "SIGN LEADING or SEPARATE"),
            ("PIC S9(3) SIGN TRAILING SEPARATE", Level::V1_2, "SIGN LEADING or SEPARATE"),
            ("PIC S9(3)V9", Level::V1_2, "a decimal point in USAGE DISPLAY"),
            ("PIC N(3) NATIONAL", Level::V4_0, "UTF-16"),
        ];
        for (clauses, from, what) in cases {
            let text = format!("01 T.\n 03 A {clauses}.");
            for level in Level::all() {
                let found = found(&text, level, &Choices::default());
                if level >= from {
                    assert!(found.is_empty(), "{clauses} at {level}: {found:?}");
                } else {
                    let expected = format!(
                        "T, line 2: A: {what} needs mapping level {from} or later; the level is {level}"
                    );
                    assert_eq!(found, [expected]);
                }
            }
        }
    }

    #[test]
    fn what_no_level_has_is_refused_at_all() {
        let cases = [
            ("03 A PIC X.\n 03 B REDEFINES A PIC 9.", "B: REDEFINES has no element"),
            ("03 A POINTER.", "A: pointers and indexes"),
            ("03 A PIC $9.99.", "found '$'"),
            ("03 A PIC S9(3)V9 COMP.", "a binary number with a decimal point"),
            ("03 A PIC U(3).", "PIC U"),
            ("03 A PIC X.\n 66 B RENAMES A.", "RENAMES (level 66)"),
        ];
        for (fields, expected) in cases {
            let found = found(&format!("01 T.\n {fields}"), Level::V4_3, &Choices::default());
            assert!(found.len() == 1 && found[0].contains(expected), "{fields}: {found:?}");
        }
        assert!(found("01 T.\n 03 A PIC ZZ9.", Level::V1_0, &Choices::default()).is_empty());
    }

    #[test]
    fn a_table_of_varying_length_is_the_last_field_and_needs_data_truncation() {
        let last = "01 T.\n 03 N PIC 99.\n 03 A PIC X OCCURS 1 TO 5 DEPENDING ON N.";
        let choices = Choices { data_truncation: true, ..Choices::default() };
        assert!(found(last, Level::V4_0, &choices).is_empty());
        assert_eq!(
            found(last, Level::V4_0, &Choices::default()),
            ["T, line 3: A: OCCURS DEPENDING ON needs DATA-TRUNCATION=ENABLED"]
        );
        assert!(found(last, Level::V3_0, &choices)[0].contains("needs mapping level 4.0"));
        let middle = format!("{last}\n 03 B PIC X.");
        assert_eq!(
            found(&middle, Level::V4_0, &choices),
            ["T, line 3: A: OCCURS DEPENDING ON must be the last field of the record"]
        );
    }
}
