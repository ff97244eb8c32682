//! Rules on the fields of an answer, which select one of the operation's responses.

use failure::Failure;
use record::{Bind, Decimal, FieldSlot};

/// How a field's value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The same value; numbers are compared as numbers.
    Equal,
    /// Another value.
    NotEqual,
    /// Less than.
    Less,
    /// At most.
    AtMost,
    /// Greater than.
    Greater,
    /// At least.
    AtLeast,
    /// The text starts with the value.
    StartsWith,
    /// The text ends with the value.
    EndsWith,
    /// The value stands in the text.
    Contains,
    /// The field is not blank, which `value` then does not say.
    Exists,
}

impl Comparison {
    /// Every comparison with the word that files have for it.
    pub const WORDS: [(&'static str, Comparison); 10] = [
        ("=", Comparison::Equal),
        ("!=", Comparison::NotEqual),
        ("<", Comparison::Less),
        ("<=", Comparison::AtMost),
        (">", Comparison::Greater),
        (">=", Comparison::AtLeast),
        ("starts_with", Comparison::StartsWith),
        ("ends_with", Comparison::EndsWith),
        ("contains", Comparison::Contains),
        ("exists", Comparison::Exists),
    ];

    /// The comparison of a word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, comparison)| *comparison)
    }
}

/// One rule: a field, a comparison, a value.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) slot: FieldSlot,
    pub(crate) comparison: Comparison,
    pub(crate) value: String,
}

/// Rules: all must hold, or one is enough.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) rules: Vec<Rule>,
    /// All must hold; else one.
    pub(crate) all: bool,
}

impl Rules {
    /// True if a record fulfils the rules.
    pub(crate) fn hold(&self, bind: &Bind, record: &[u8]) -> Result<bool, Failure> {
        for rule in &self.rules {
            if rule.holds(bind, record)? != self.all {
                return Ok(!self.all);
            }
        }
        Ok(self.all)
    }
}

impl Rule {
    fn holds(&self, bind: &Bind, record: &[u8]) -> Result<bool, Failure> {
        let found = bind.get(&self.slot, record).map_err(|error| Failure::from_response(&error))?;
        Ok(compare(&found, self.comparison, &self.value))
    }
}

fn compare(found: &str, comparison: Comparison, value: &str) -> bool {
    use std::cmp::Ordering;
    let order = || {
        let number = |text: &str| Decimal::from_text(text.as_bytes()).ok();
        match (number(found), number(value)) {
            (Some(found), Some(value)) => order_of(found, value),
            _ => found.cmp(value),
        }
    };
    match comparison {
        Comparison::Equal => order() == Ordering::Equal,
        Comparison::NotEqual => order() != Ordering::Equal,
        Comparison::Less => order() == Ordering::Less,
        Comparison::AtMost => order() != Ordering::Greater,
        Comparison::Greater => order() == Ordering::Greater,
        Comparison::AtLeast => order() != Ordering::Less,
        Comparison::StartsWith => found.starts_with(value),
        Comparison::EndsWith => found.ends_with(value),
        Comparison::Contains => found.contains(value),
        Comparison::Exists => !found.trim_matches([' ', '\0']).is_empty(),
    }
}

/// Compares two decimal numbers exactly, at the finer scale of the two. A number that is too large for that scale is
/// farther from zero than the other, which has it.
fn order_of(a: Decimal, b: Decimal) -> std::cmp::Ordering {
    let scale = a.scale.max(b.scale);
    match (a.scaled_to(scale), b.scaled_to(scale)) {
        (Ok(a), Ok(b)) => a.cmp(&b),
        (Err(_), _) => a.mantissa.cmp(&0),
        (_, Err(_)) => 0.cmp(&b.mantissa),
    }
}

#[cfg(test)]
mod tests {
    use super::{Comparison, compare};

    #[test]
    fn comparisons() {
        let cases = [
            ("20", "=", "20", true),
            ("20", "=", "020.0", true),
            ("-1", "<", "0", true),
            ("9", "<", "10", true),
            ("9x", "<", "10", false),
            ("abc", "!=", "abd", true),
            ("1.5", ">=", "1.50", true),
            ("2", ">", "1.5", true),
            ("2", "<=", "1.5", false),
            ("SPECIFIED PERSON NOT FOUND", "starts_with", "SPECIFIED PERSON", true),
            ("SPECIFIED PERSON NOT FOUND", "ends_with", "NOT FOUND", true),
            ("SPECIFIED PERSON NOT FOUND", "contains", "PERSON WAS", false),
            ("", "exists", "", false),
            ("\0\0", "exists", "", false),
            ("0", "exists", "", true),
            ("10000000000000000000000000000000", "=", "0.0000000001", false),
            ("10000000000000000000000000000000", ">", "0.0000000001", true),
            ("-10000000000000000000000000000000", "<", "0.0000000001", true),
            ("-10000000000000000000000000000000", "<", "-0.0000000001", true),
            ("-0.0000000001", ">", "-10000000000000000000000000000000", true),
            ("0.0000000001", ">", "-10000000000000000000000000000000", true),
            ("0", ">", "-0.0000000001", true),
        ];
        for (found, word, value, expected) in cases {
            let comparison = Comparison::of(word).expect("a word");
            assert_eq!(compare(found, comparison, value), expected, "{found:?} {word} {value:?}");
        }
        assert_eq!(Comparison::of("=="), None);
    }
}
