//! The constants of the MQI, by the names of the COBOL copybooks.

use std::collections::HashMap;
use std::sync::LazyLock;

/// One constant on each line: its name, and a number, `long` and a number of eight bytes, a text in quotes, `low` and a count
/// of bytes, or `hex` and the bytes.
const TEXT: &str = include_str!("constants.txt");

/// The value of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A number of four bytes.
    Number(i32),
    /// A number of eight bytes.
    Long(i64),
    /// Text.
    Text(&'static str),
    /// This number of bytes of X'00'.
    Low(usize),
    /// Bytes in hexadecimal.
    Hex(&'static str),
}

static NUMBERS: LazyLock<HashMap<&'static str, i32>> = LazyLock::new(|| {
    constants()
        .filter_map(|(name, value)| match value {
            Value::Number(number) => Some((name, number)),
            _ => None,
        })
        .collect()
});

/// All constants in the order of CMQV.
pub(crate) fn constants() -> impl Iterator<Item = (&'static str, Value)> {
    TEXT.lines().filter_map(|line| {
        let (name, rest) = line.split_once(' ')?;
        let value = if let Some(text) = rest.strip_prefix('\'') {
            Value::Text(text.strip_suffix('\'')?)
        } else if let Some(number) = rest.strip_prefix("long ") {
            Value::Long(number.parse().ok()?)
        } else if let Some(count) = rest.strip_prefix("low ") {
            Value::Low(count.parse().ok()?)
        } else if let Some(digits) = rest.strip_prefix("hex ") {
            Value::Hex(digits)
        } else {
            Value::Number(rest.parse().ok()?)
        };
        Some((name, value))
    })
}

/// The number of a constant, by its name in CMQV (`MQGMO-WAIT`); none for unknown names and for texts.
#[must_use]
pub fn constant(name: &str) -> Option<i32> {
    NUMBERS.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_constant_with_a_name_that_cobol_takes() {
        assert_eq!(constants().count(), TEXT.lines().count());
        let mut seen = std::collections::HashSet::new();
        for (name, _) in constants() {
            assert!(name.len() <= 30 && seen.insert(name), "{name}");
            assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'), "{name}");
        }
    }

    #[test]
    fn numbers_are_found_by_name() {
        assert_eq!(constant("MQGMO-WAIT"), Some(1));
        assert_eq!(constant("MQRC-NO-MSG-AVAILABLE"), Some(2033));
        assert_eq!(constant("MQENC-NATIVE"), Some(785));
        assert_eq!(constant("MQFMT-STRING"), None);
    }
}
