//! Simple types of XML Schema (part 2) whose values records keep as text: white space, lexical forms, texts of the
//! same value, and points in time in fewer characters.
//!
//! Only types whose values have a form of their own are here. Numbers and booleans become other bytes, so
//! their codecs read them. Deliberately absent: facets, lists, unions, and the meaning of the texts.
//!
//! ```
//! use xsd::TextType;
//! let date = TextType::by_name("date").expect("a type of XML Schema");
//! let text = date.value(" 2026-01-31+01:00\n", 32);
//! assert_eq!(text, "2026-01-31+01:00");
//! assert!(date.check(&text).is_ok() && date.check("31.01.2026").is_err());
//! ```

mod lexical;
mod moment;
mod value;

use std::borrow::Cow;

use ::xml::{collapse, is_space, trim};

/// The most characters of a faulty text in messages.
const SHOWN_CHARACTERS_MAX: usize = 40;

/// A simple type whose values are text in a record. All but [`TextType::Normalized`] drop white space around a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextType {
    /// A date with a time.
    DateTime,
    /// A date.
    Date,
    /// A time of the day.
    Time,
    /// A length of time.
    Duration,
    /// A year.
    Year,
    /// A month of a year.
    YearMonth,
    /// A month of every year.
    Month,
    /// A day of a month of every year.
    MonthDay,
    /// A day of every month.
    Day,
    /// A language, by its name in RFC 3066.
    Language,
    /// A name, which may have colons.
    Name,
    /// A name without a colon. `ID`, `IDREF` and `ENTITY` are such names.
    NcName,
    /// A name, or a prefix, a colon and a name.
    QName,
    /// Characters of names.
    NmToken,
    /// Pairs of hexadecimal digits.
    HexBinary,
    /// Octets in base64.
    Base64Binary,
    /// Any text. White space around it is not part of it, and a run of white space inside is one blank:
    /// `token`, `anyURI`, lists.
    Token,
    /// Any text. A tab or the end of a line is one blank, and no blank is dropped.
    Normalized,
}

/// All types, with their names in XML Schema and a value of each.
const TYPES: [(TextType, &str, &str); 18] = [
    (TextType::DateTime, "dateTime", "2026-01-31T12:00:00Z"),
    (TextType::Date, "date", "2026-01-31"),
    (TextType::Time, "time", "12:00:00Z"),
    (TextType::Duration, "duration", "P1D"),
    (TextType::Year, "gYear", "2026"),
    (TextType::YearMonth, "gYearMonth", "2026-01"),
    (TextType::Month, "gMonth", "--01"),
    (TextType::MonthDay, "gMonthDay", "--01-31"),
    (TextType::Day, "gDay", "---31"),
    (TextType::Language, "language", "en"),
    (TextType::Name, "Name", "a"),
    (TextType::NcName, "NCName", "a"),
    (TextType::QName, "QName", "a"),
    (TextType::NmToken, "NMTOKEN", "a"),
    (TextType::HexBinary, "hexBinary", "00"),
    (TextType::Base64Binary, "base64Binary", "AAAA"),
    (TextType::Token, "token", "a"),
    (TextType::Normalized, "normalizedString", "a"),
];

impl TextType {
    /// The type with this name in XML Schema, if it is one of these.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        TYPES.iter().find(|(_, known, _)| *known == name).map(|(found, ..)| *found)
    }

    /// Its name in XML Schema.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().1
    }

    /// The names of all types.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TYPES.iter().map(|(_, name, _)| *name)
    }

    /// A value of the type.
    #[must_use]
    pub fn example(self) -> &'static str {
        self.entry().2
    }

    fn entry(self) -> &'static (Self, &'static str, &'static str) {
        TYPES.iter().find(|(known, ..)| *known == self).unwrap_or(&TYPES[0])
    }

    /// The value of text in XML, without the white space around it. A `dateTime` of more than `most`
    /// characters is shortened if possible: without zeros at the end of its seconds, or as the same instant
    /// in UTC.
    #[must_use]
    pub fn value(self, text: &str, most: usize) -> Cow<'_, str> {
        match self {
            TextType::DateTime => {
                let text = trim(text);
                let shorter = if text.len() > most { moment::shorter(text, most) } else { None };
                shorter.map_or(Cow::Borrowed(text), Cow::Owned)
            }
            TextType::Base64Binary if trim(text).bytes().any(is_space) => {
                Cow::Owned(text.split([' ', '\t', '\n', '\r']).collect())
            }
            TextType::Normalized => replaced(text),
            _ => collapse(text),
        }
    }

    /// Checks that a text without needless white space is a value of the type. The empty text is a value of
    /// every type, because a record without a value has blanks.
    ///
    /// # Errors
    /// It is not a value. The error says what was expected and what was found.
    pub fn check(self, text: &str) -> Result<(), String> {
        if text.is_empty() || lexical::holds(self, text) { Ok(()) } else { Err(self.refusal(text)) }
    }

    /// True if two texts without needless white space are the same value of the type: `12:00:00Z` and `13:00:00+01:00` are.
    #[must_use]
    pub fn is_same(self, left: &str, right: &str) -> bool {
        value::is_same(self, left, right)
    }

    #[cold]
    fn refusal(self, text: &str) -> String {
        let (_, name, example) = self.entry();
        let shown = match text.char_indices().nth(SHOWN_CHARACTERS_MAX) {
            Some((end, _)) => format!("{}...", &text[..end]),
            None => text.to_owned(),
        };
        format!("expected a value of the type {name}, such as {example}, found '{shown}'")
    }
}

/// The text with a blank for each tab and each end of a line (`whiteSpace="replace"`).
fn replaced(text: &str) -> Cow<'_, str> {
    match text.contains(['\t', '\n', '\r']) {
        true => Cow::Owned(text.replace(['\t', '\n', '\r'], " ")),
        false => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_its_name_and_a_value() {
        for name in TextType::names() {
            let found = TextType::by_name(name).expect(name);
            assert_eq!(found.name(), name);
            assert!(!found.example().is_empty() && found.check(found.example()).is_ok(), "{name}");
            assert!(found.check("").is_ok(), "{name}");
        }
        for name in ["string", "decimal", "Date", ""] {
            assert_eq!(TextType::by_name(name), None, "{name}");
        }
    }

    #[test]
    fn white_space_is_no_part_of_a_value() {
        for (kind, text, expected) in [
            (TextType::Date, "\n 2026-01-31\t", "2026-01-31"),
            (TextType::DateTime, " 2026-01-31T12:00:00Z ", "2026-01-31T12:00:00Z"),
            (TextType::Base64Binary, " AA\n8Q AA==\t", "AA8QAA=="),
            (TextType::Base64Binary, " AA8Q\n", "AA8Q"),
            (TextType::Token, " a \r\n b ", "a b"),
            (TextType::HexBinary, "\n00FF ", "00FF"),
            (TextType::Normalized, " a\t\tb\n", " a  b "),
        ] {
            assert_eq!(kind.value(text, 32), expected, "{text:?}");
        }
    }

    #[test]
    fn a_value_that_needs_no_other_form_is_not_copied() {
        for name in TextType::names() {
            let kind = TextType::by_name(name).expect(name);
            let text = format!(" {}\n", kind.example());
            if kind == TextType::DateTime {
                assert!(matches!(kind.value(&text, 32), Cow::Borrowed(_)), "{name}");
            }
            assert!(matches!(kind.value(kind.example(), 32), Cow::Borrowed(_)), "{name}");
        }
    }

    #[test]
    fn a_refusal_shows_what_was_expected_and_the_start_of_what_was_found() {
        let refused = TextType::Date.check("not a date").expect_err("no date");
        assert_eq!(refused, "expected a value of the type date, such as 2026-01-31, found 'not a date'");
        let refused = TextType::Day.check(&"é".repeat(50)).expect_err("no day");
        assert!(refused.ends_with(&format!("found '{}...'", "é".repeat(40))), "{refused}");
    }
}
