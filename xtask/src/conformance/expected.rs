//! The scores that the conformance run expects, from `xtask/conformance.toml`.
//!
//! A file or folder of cases that is not listed, or has another number of cases, must agree in full. Where we knowingly
//! differ the case is listed with the reason.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

/// The expected score of one file or folder of cases.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expected {
    /// How many cases agree.
    pub(super) passed: usize,
    /// How many cases there are.
    pub(super) of: usize,
    /// Cases that differ, and why that is right or still to be done.
    #[serde(default)]
    pub(super) differs: BTreeMap<String, String>,
}

/// All that is expected, by the end of the path.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(super) struct Expectations(BTreeMap<String, Expected>);

impl Expectations {
    /// Reads the list.
    ///
    /// # Errors
    /// It is not TOML, has unknown keys, or its numbers contradict each other.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let all: Self = toml::from_str(text).map_err(|error| format!("conformance.toml: {error}"))?;
        for (name, expected) in &all.0 {
            if expected.passed + expected.differs.len() != expected.of {
                return Err(format!(
                    "conformance.toml: {name}: {} passed and {} that differ are not {}",
                    expected.passed,
                    expected.differs.len(),
                    expected.of
                ));
            }
        }
        Ok(all)
    }

    /// The expected score of a path that ends with a listed name.
    pub(super) fn of(&self, path: &Path) -> Option<&Expected> {
        self.0.iter().find(|(name, _)| path.ends_with(name)).map(|(_, expected)| expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_well_formed() {
        Expectations::parse(include_str!("../../conformance.toml")).expect("conformance.toml");
    }

    #[test]
    fn numbers_must_add_up_and_paths_end_alike() {
        let text = "[\"a/b.jsonl\"]\npassed = 1\nof = 2\ndiffers = { x = \"why\" }\n";
        let all = Expectations::parse(text).expect("a list");
        assert_eq!(all.of(Path::new("/c/a/b.jsonl")).map(|expected| expected.of), Some(2));
        assert!(all.of(Path::new("/c/ba/b.jsonl")).is_none());
        assert!(Expectations::parse("[a]\npassed = 1\nof = 2\n").is_err());
        assert!(Expectations::parse("[a]\npassed = 1\nof = 1\nextra = 1\n").is_err());
    }
}
