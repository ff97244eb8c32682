//! Makes names of JSON different: equal names get numbers. Names of COBOL have rules of their own.

use std::collections::{HashMap, HashSet};

/// Names in use. An equal name gets a number: `group`, `group2`.
#[derive(Clone, Debug, Default)]
pub struct Numbered {
    taken: HashSet<String>,
    /// The number for the next name that is equal. Lower numbers are in use, so thousands of equal names do not try them again.
    next: HashMap<String, u32>,
}

impl Numbered {
    /// A name that no earlier one is equal to: this one, or this one with the first free number.
    pub fn take(&mut self, name: &str) -> String {
        if self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        let next = self.next.entry(name.to_owned()).or_insert(2);
        loop {
            let numbered = format!("{name}{next}");
            *next += 1;
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Numbered;

    #[test]
    fn equal_names_are_numbered_past_names_that_are_there() {
        let mut names = Numbered::default();
        let given = ["group", "group3", "group", "group", "other", "group", "group2", "other"];
        let expected = ["group", "group3", "group2", "group4", "other", "group5", "group22", "other2"];
        assert_eq!(given.map(|name| names.take(name)), expected);
    }

    /// One by one from the first number, this would be five thousand million tries.
    #[test]
    fn many_equal_names_take_one_try_each() {
        let mut names = Numbered::default();
        let last = (0..100_000).map(|_| names.take("group")).last();
        assert_eq!(last.as_deref(), Some("group100000"));
    }
}
