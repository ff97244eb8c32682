//! COBOL names for the names of a schema. They have letters, digits and hyphens, are not reserved words, are
//! short enough, and are unique.

use std::collections::{HashMap, HashSet};

use crate::options::{NameTruncation, Options};
use crate::reserved::is_reserved;

/// The most characters of a COBOL name.
pub const NAME_CHARACTERS_MAX: usize = 30;

/// The most characters of a name with its suffix: the assistants' limit.
const SUFFIXED_CHARACTERS_MAX: usize = 28;

/// The names of one copybook.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// In upper case.
    taken: HashSet<String>,
    /// The number that the next name of this beginning gets.
    next: HashMap<String, usize>,
    underscores_as_hyphens: bool,
    truncation: NameTruncation,
}

impl Names {
    pub(crate) fn new(options: &Options) -> Self {
        let (underscores_as_hyphens, truncation) = (options.underscores_as_hyphens, options.name_truncation);
        Self { underscores_as_hyphens, truncation, ..Self::default() }
    }

    /// Takes a name for a field, together with all suffixes of its companions. The name is cut so that the
    /// longest suffix fits. A name that is already taken gets a number, from 1.
    pub(crate) fn take(&mut self, name: &str, suffixes: &[&str]) -> String {
        self.take_numbered(name, suffixes, None)
    }

    /// As [`Names::take`], with a number that is tried first.
    pub(crate) fn take_numbered(&mut self, name: &str, suffixes: &[&str], first: Option<usize>) -> String {
        let longest = suffixes.iter().map(|suffix| suffix.len()).max().unwrap_or(0);
        let room = SUFFIXED_CHARACTERS_MAX - longest;
        let wanted = self.shortened(spell(name, self.underscores_as_hyphens), room);
        let mut number = first;
        loop {
            let digits = number.map(|number| number.to_string()).unwrap_or_default();
            let base = without_end_hyphen(cut(&wanted, room - digits.len())) + &digits;
            // Cutting or numbering may have made a reserved word, or one of the names with a suffix.
            let base = if is_word(&base) { base } else { format!("X{}", cut(&base, room - 1)) };
            let all: Vec<String> = std::iter::once("")
                .chain(suffixes.iter().copied())
                .map(|suffix| format!("{base}{suffix}").to_ascii_uppercase())
                .collect();
            if all.iter().all(|name| !self.taken.contains(name) && !is_reserved(name)) {
                self.taken.extend(all);
                return base;
            }
            number = Some(self.next_number(cut(&wanted, room)));
        }
    }

    /// A condition name, which may be as long as COBOL allows.
    pub(crate) fn take_condition(&mut self, field: &str, value: &str) -> String {
        let wanted = spell(&format!("{field}-{value}"), self.underscores_as_hyphens);
        let mut number = None::<usize>;
        loop {
            let digits = number.map(|number| number.to_string()).unwrap_or_default();
            let name = without_end_hyphen(cut(&wanted, NAME_CHARACTERS_MAX - digits.len())) + &digits;
            if !is_reserved(&name) && self.taken.insert(name.to_ascii_uppercase()) {
                return name;
            }
            number = Some(self.next_number(cut(&wanted, NAME_CHARACTERS_MAX)));
        }
    }

    /// The name without its left end, if the left end is to be cut off.
    fn shortened(&self, word: String, room: usize) -> String {
        match self.truncation {
            NameTruncation::Left if word.len() > room => {
                let rest = &word[word.len() - room..];
                rest.strip_prefix('-').map_or_else(|| rest.to_owned(), |rest| format!("X{rest}"))
            }
            _ => word,
        }
    }

    /// The next number for names with this start, from 1.
    fn next_number(&mut self, beginning: &str) -> usize {
        let next = self.next.entry(beginning.to_ascii_uppercase()).or_insert(0);
        *next += 1;
        *next
    }
}

/// Makes a word of letters, digits and hyphens out of a name. Other characters become `X`; so do hyphens at the ends.
/// A reserved word, and a word without a letter, gets an `X` in front.
fn spell(name: &str, underscores_as_hyphens: bool) -> String {
    let mut word: String = name
        .chars()
        .map(|character| match character {
            '_' if underscores_as_hyphens => '-',
            '-' => '-',
            letter if letter.is_ascii_alphanumeric() => letter,
            _ => 'X',
        })
        .collect();
    if word.starts_with('-') {
        word.replace_range(..1, "X");
    }
    if word.ends_with('-') {
        word.replace_range(word.len() - 1.., "X");
    }
    if !is_word(&word) {
        word.insert(0, 'X');
    }
    word
}

/// A data name must have a letter, and must not be reserved.
fn is_word(word: &str) -> bool {
    !is_reserved(word) && word.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn cut(word: &str, room: usize) -> &str {
    &word[..word.len().min(room)]
}

fn without_end_hyphen(word: &str) -> String {
    match word.strip_suffix('-') {
        Some(rest) => format!("{rest}X"),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rules_of_the_assistants() {
        for (name, expected) in [
            ("DISPLAY", "XDISPLAY"),
            ("title", "Xtitle"),
            ("monthly_total", "monthlyXtotal"),
            ("ca-request-", "ca-requestX"),
            ("-x", "Xx"),
            ("größe", "grXXe"),
            ("2024", "X2024"),
            ("9a", "9a"),
            ("", "X"),
            ("a.b c", "aXbXc"),
            ("abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijklmnopqrstuvwxyz01"),
        ] {
            assert_eq!(Names::default().take(name, &[]), expected, "{name}");
        }
        let mut hyphens = Names { underscores_as_hyphens: true, ..Names::default() };
        assert_eq!(hyphens.take("monthly_total", &[]), "monthly-total");
    }

    #[test]
    fn names_are_unique_with_their_suffixes_and_fit() {
        let mut names = Names::default();
        assert_eq!(names.take("year", &[]), "year");
        assert_eq!(names.take("Year", &[]), "Year1");
        assert_eq!(names.take("year", &[]), "year2");
        assert_eq!(names.take("rows-num", &[]), "rows-num");
        assert_eq!(names.take("rows", &["-num"]), "rows1");
        let long = "abcdefghijklmnopqrstuvwxyz0123456789";
        assert_eq!(names.take(long, &["-existence"]), "abcdefghijklmnopqr");
        assert_eq!(names.take(long, &["-length"]), "abcdefghijklmnopqrstu");
        assert_eq!(names.take(long, &["-existence"]), "abcdefghijklmnopq1");
    }

    #[test]
    fn names_lose_their_left_end_if_asked_to() {
        let mut names = Names { truncation: NameTruncation::Left, ..Names::default() };
        assert_eq!(names.take("abcdefghijklmnopqrstuvwxyz0123456789", &[]), "ijklmnopqrstuvwxyz0123456789");
        assert_eq!(names.take("abcdefgh-ijklmnopqrstuvwxyz012345678", &[]), "Xijklmnopqrstuvwxyz012345678");
        assert_eq!(names.take("short", &[]), "short");
    }

    #[test]
    fn a_name_that_is_cut_to_a_reserved_word_or_a_hyphen_is_mended() {
        let mut names = Names::default();
        assert_eq!(names.take("abcdefghijklmnopqrstuvwxyza-b", &[]), "abcdefghijklmnopqrstuvwxyzaX");
        assert_eq!(names.take(&("1".repeat(40) + "a"), &[]), format!("X{}", "1".repeat(27)));
        let name = names.take_condition("Xstatus", "very long value that goes on");
        assert_eq!(name, "Xstatus-veryXlongXvalueXthatXg");
    }
}
