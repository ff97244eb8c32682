//! Foreign names turned into our names: safe file names, and COBOL words, each once in a record.

use std::collections::{HashMap, HashSet};

/// The longest COBOL word.
const WORD_MAX: usize = 30;

/// The longest name of a service or API. File names have at most 255 bytes.
const NAME_MAX_BYTES: usize = 200;

/// Checks that a name can be that of a service or API, which is also a file's name.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err("is missing".to_owned());
    }
    if name.len() > NAME_MAX_BYTES {
        return Err(format!("has more than {NAME_MAX_BYTES} bytes"));
    }
    if name.starts_with('.') || name.ends_with('.') || name.trim() != name || name.contains(is_strange) {
        return Err(format!("'{}' cannot be that of a file", name.escape_default()));
    }
    Ok(())
}

/// True for characters that file names cannot have, or should not have.
pub(crate) fn is_strange(c: char) -> bool {
    c.is_control() || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|')
}

/// Gives out COBOL words, each once.
#[derive(Debug, Default)]
pub(crate) struct Words {
    taken: HashSet<String>,
    /// The last number that a word got.
    numbers: HashMap<String, usize>,
}

impl Words {
    /// A COBOL word for a name: letters, digits and hyphens, 30 characters at most.
    pub(crate) fn word(&mut self, name: &str) -> String {
        let mut word: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '-' })
            .collect::<String>()
            .trim_matches('-')
            .to_owned();
        if !word.bytes().any(|byte| byte.is_ascii_uppercase()) || word == "FILLER" {
            word = format!("F-{word}");
        }
        word.truncate(WORD_MAX);
        let word = word.trim_end_matches('-').to_owned();
        if self.taken.insert(word.clone()) {
            return word;
        }
        let number = self.numbers.entry(word.clone()).or_insert(1);
        loop {
            *number += 1;
            let suffix = format!("-{number}");
            let mut start = word.clone();
            start.truncate(WORD_MAX - suffix.len());
            let candidate = format!("{}{suffix}", start.trim_end_matches('-'));
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cobol_words_each_once() {
        let mut words = Words::default();
        assert_eq!(words.word("COMM_ACCNO"), "COMM-ACCNO");
        assert_eq!(words.word("COMM-ACCNO"), "COMM-ACCNO-2");
        assert_eq!(words.word("_1"), "F-1");
        assert_eq!(words.word("FILLER"), "F-FILLER");
        assert_eq!(words.word(&"X".repeat(40)).len(), 30);
        assert_eq!(words.word(&"X".repeat(41)), format!("{}-2", "X".repeat(28)));
        assert_eq!(words.word("ÄÖ"), "F");
    }

    #[test]
    fn names_are_safe_as_files() {
        assert!(check_name("Sample-Node.js-Claims-Rule-API_1.0").is_ok());
        for name in ["", "a/b", "..", ".x", "a\\b", " a", "a\nb", &"x".repeat(300)] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
