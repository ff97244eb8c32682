//! Naming profiles: how COBOL names become the names of JSON members.

use std::collections::{HashMap, HashSet};

use crate::options::Naming;

impl Naming {
    /// The JSON name of a COBOL name. Duplicates do not have their numbers yet.
    #[must_use]
    pub fn apply(self, cobol: &str) -> String {
        match self {
            Naming::Cobol => cobol.to_owned(),
            Naming::Toolkit => cobol.replace('-', "_"),
            Naming::Ls2js | Naming::Ls2ws => ls2js(cobol),
        }
    }

    /// The names of one object, with no name taken yet.
    pub(crate) fn unique(self) -> UniqueNames {
        let first = if self == Naming::Ls2ws { 1 } else { 2 };
        UniqueNames { taken: HashSet::new(), first, next: HashMap::new() }
    }

    /// The JSON name of the `index`th field without a name, counted from 0.
    pub(crate) fn filler(self, index: usize) -> String {
        match self {
            Naming::Ls2js => format!("fill_{index}"),
            Naming::Ls2ws => format!("filler{}", index + 1),
            Naming::Toolkit => format!("FILL_{index}"),
            Naming::Cobol => format!("FILLER-{index}"),
        }
    }
}

/// Hyphens become underscores, segments all in upper case become lower case, a leading digit gets an underscore.
fn ls2js(cobol: &str) -> String {
    let segments: Vec<String> = cobol
        .split('-')
        .map(|segment| {
            if segment.bytes().any(|byte| byte.is_ascii_lowercase()) {
                segment.to_owned()
            } else {
                segment.to_ascii_lowercase()
            }
        })
        .collect();
    let name = segments.join("_");
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("_{name}") } else { name }
}

/// Gives out the names of one object, each once: a second `name` becomes `name2`, or `name1` as the profile
/// has it, or the next number that is free.
pub(crate) struct UniqueNames {
    taken: HashSet<String>,
    /// The number that the second field of a name gets.
    first: usize,
    /// The number for the next field of a name. Lower numbers are in use, so thousands of equal names do not try them
    /// again.
    next: HashMap<String, usize>,
}

impl UniqueNames {
    pub(crate) fn add(&mut self, name: String) -> String {
        if self.taken.insert(name.clone()) {
            return name;
        }
        let next = self.next.entry(name.clone()).or_insert(self.first);
        loop {
            let candidate = format!("{name}{next}");
            *next += 1;
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }

    /// Takes a name that a user chose; false if it is taken.
    pub(crate) fn reserve(&mut self, name: &str) -> bool {
        self.taken.insert(name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_get_the_next_number_that_is_free() {
        let given = ["a", "a3", "a", "a", "b", "a", "a2", "b"];
        for (naming, expected) in [
            (Naming::Ls2js, ["a", "a3", "a2", "a4", "b", "a5", "a22", "b2"]),
            (Naming::Ls2ws, ["a", "a3", "a1", "a2", "b", "a4", "a21", "b1"]),
        ] {
            let mut names = naming.unique();
            assert_eq!(given.map(|name| names.add(name.to_owned())), expected);
        }
    }

    /// One by one from the first number, this would be five thousand million tries.
    #[test]
    fn many_equal_names_take_one_try_each() {
        let mut names = Naming::Ls2js.unique();
        let last = (0..100_000).map(|_| names.add("same".to_owned())).last();
        assert_eq!(last.as_deref(), Some("same100000"));
    }
}
