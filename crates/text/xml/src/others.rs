//! The attributes that an element may have beside those that somebody reads: the wildcards of XML Schema (`xsd:anyAttribute`), and
//! single names.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The namespaces of attributes, and single names of them. Wildcards of elements have the same rules.
///
/// As text, each pattern stands for itself: `*` is any attribute, `{urn:a}*` any of a namespace, `{}*` any without one, `{urn:a}b` and
/// `b` are single ones. With `*` in front, `!{urn:a}*` takes a namespace away.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct OtherAttributes {
    namespaces: Namespaces,
    /// Namespaces, empty for none, with local names.
    names: BTreeSet<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Namespaces {
    Only(BTreeSet<String>),
    AllBut(BTreeSet<String>),
}

impl Default for Namespaces {
    fn default() -> Self {
        Self::Only(BTreeSet::new())
    }
}

impl From<OtherAttributes> for Vec<String> {
    fn from(set: OtherAttributes) -> Self {
        set.patterns()
    }
}

impl TryFrom<Vec<String>> for OtherAttributes {
    type Error = String;

    fn try_from(patterns: Vec<String>) -> Result<Self, String> {
        Self::parse(&patterns)
    }
}

impl OtherAttributes {
    /// Attributes of these namespaces. The empty text stands for none.
    pub fn only<N: Into<String>>(namespaces: impl IntoIterator<Item = N>) -> Self {
        Self::of(Namespaces::Only(namespaces.into_iter().map(Into::into).collect()))
    }

    /// Attributes of all namespaces but these. The empty text stands for none.
    pub fn all_but<N: Into<String>>(namespaces: impl IntoIterator<Item = N>) -> Self {
        Self::of(Namespaces::AllBut(namespaces.into_iter().map(Into::into).collect()))
    }

    fn of(namespaces: Namespaces) -> Self {
        Self { namespaces, names: BTreeSet::new() }
    }

    /// Adds a single attribute.
    pub fn add(&mut self, namespace: &str, local: &str) {
        self.names.insert((namespace.to_owned(), local.to_owned()));
    }

    /// True if no attribute may be there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.namespaces == Namespaces::default()
    }

    /// True for an attribute that is one of these. Its namespace is empty for none.
    #[must_use]
    pub fn has(&self, namespace: &str, local: &str) -> bool {
        let by_namespace = match &self.namespaces {
            Namespaces::Only(known) => known.contains(namespace),
            Namespaces::AllBut(known) => !known.contains(namespace),
        };
        by_namespace || self.names.iter().any(|(space, name)| space == namespace && name == local)
    }

    /// A namespace, empty for none, and a name in it that are among these: the given ones if possible. None if there are
    /// none, or if no name is known.
    #[must_use]
    pub fn example<'s>(&'s self, namespace: &'s str, local: &'s str) -> Option<(&'s str, &'s str)> {
        if self.has(namespace, local) {
            return Some((namespace, local));
        }
        let of_namespace = match &self.namespaces {
            Namespaces::Only(known) => known.first().map(|known| (known.as_str(), local)),
            Namespaces::AllBut(_) => None,
        };
        of_namespace.or_else(|| self.names.first().map(|(space, name)| (space.as_str(), name.as_str())))
    }

    /// The attributes that are in one of the two (XML Schema part 1, 3.10.6).
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        use Namespaces::{AllBut, Only};
        let namespaces = match (self.namespaces, other.namespaces) {
            (Only(one), Only(other)) => Only(&one | &other),
            (AllBut(one), AllBut(other)) => AllBut(&one & &other),
            (AllBut(all_but), Only(only)) | (Only(only), AllBut(all_but)) => AllBut(&all_but - &only),
        };
        Self { namespaces, names: &self.names | &other.names }
    }

    /// The namespaces that are in both. Single names are not looked at: wildcards have none.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        use Namespaces::{AllBut, Only};
        Self::of(match (self.namespaces, other.namespaces) {
            (Only(one), Only(other)) => Only(&one & &other),
            (AllBut(one), AllBut(other)) => AllBut(&one | &other),
            (AllBut(all_but), Only(only)) | (Only(only), AllBut(all_but)) => Only(&only - &all_but),
        })
    }

    /// The patterns that say the same.
    #[must_use]
    pub fn patterns(&self) -> Vec<String> {
        let mut patterns: Vec<String> = match &self.namespaces {
            Namespaces::Only(known) => known.iter().map(|namespace| format!("{{{namespace}}}*")).collect(),
            Namespaces::AllBut(known) => {
                let but = known.iter().map(|namespace| format!("!{{{namespace}}}*"));
                std::iter::once("*".to_owned()).chain(but).collect()
            }
        };
        patterns.extend(self.names.iter().map(|(namespace, local)| match namespace.as_str() {
            "" => local.clone(),
            namespace => format!("{{{namespace}}}{local}"),
        }));
        patterns
    }

    /// Reads patterns.
    ///
    /// # Errors
    /// One of them is not a pattern. The error says what was expected.
    pub fn parse<P: AsRef<str>>(patterns: &[P]) -> Result<Self, String> {
        let mut read = Self::default();
        let (mut all, mut but) = (false, BTreeSet::new());
        for pattern in patterns.iter().map(AsRef::as_ref) {
            let refusal = || {
                format!(
                    "expected *, {{NAMESPACE}}*, !{{NAMESPACE}}*, {{NAMESPACE}}NAME or NAME, found '{pattern}'"
                )
            };
            let (taken_away, rest) = pattern.strip_prefix('!').map_or((false, pattern), |rest| (true, rest));
            let (namespace, local) = match rest.strip_prefix('{') {
                Some(rest) => {
                    let (namespace, local) = rest.rsplit_once('}').ok_or_else(refusal)?;
                    (Some(namespace), local)
                }
                None => (None, rest),
            };
            match (taken_away, namespace, local) {
                (false, None, "*") => all = true,
                (false, Some(namespace), "*") => read = read.or(Self::only([namespace])),
                (true, Some(namespace), "*") => {
                    but.insert(namespace.to_owned());
                }
                (false, namespace, local) if crate::is_name(local) => {
                    read.add(namespace.unwrap_or_default(), local);
                }
                _ => return Err(refusal()),
            }
        }
        match (all, but.is_empty()) {
            (true, _) => Ok(read.or(Self::all_but(but))),
            (false, true) => Ok(read),
            (false, false) => Err("expected * before a pattern with !, found none".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMESPACES: [&str; 4] = ["", "urn:a", "urn:b", "urn:c"];

    fn sets() -> Vec<OtherAttributes> {
        let lists: [&[&str]; 5] = [&[], &[""], &["urn:a"], &["", "urn:b"], &["urn:a", "urn:c"]];
        let only = lists.iter().map(|list| OtherAttributes::only(list.iter().copied()));
        only.chain(lists.iter().map(|list| OtherAttributes::all_but(list.iter().copied()))).collect()
    }

    #[test]
    fn unions_and_intersections_have_the_attributes_of_one_and_of_both() {
        for one in sets() {
            for other in sets() {
                for namespace in NAMESPACES {
                    let (in_one, in_other) = (one.has(namespace, "x"), other.has(namespace, "x"));
                    let told = format!("{one:?} {other:?} {namespace}");
                    assert_eq!(
                        one.clone().or(other.clone()).has(namespace, "x"),
                        in_one || in_other,
                        "{told}"
                    );
                    assert_eq!(
                        one.clone().and(other.clone()).has(namespace, "x"),
                        in_one && in_other,
                        "{told}"
                    );
                }
            }
        }
    }

    #[test]
    fn patterns_say_the_same() {
        for mut set in sets() {
            for _ in 0..2 {
                let patterns = set.patterns();
                assert_eq!(OtherAttributes::parse(&patterns).as_ref(), Ok(&set), "{patterns:?}");
                set.add("", "lang");
                set.add("urn:a", "b");
            }
        }
        let read = OtherAttributes::parse(&["*", "!{}*", "lang"]).expect("patterns");
        assert!(read.has("urn:a", "x") && !read.has("", "x") && read.has("", "lang"));
        assert!(OtherAttributes::default().is_empty() && !read.is_empty());
    }

    #[test]
    fn other_patterns_are_refused() {
        for (patterns, message) in [
            (&["a b"][..], "found 'a b'"),
            (&["{urn:a"], "found '{urn:a'"),
            (&["{urn:a}"], "found '{urn:a}'"),
            (&["!a"], "found '!a'"),
            (&["!*"], "found '!*'"),
            (&[""], "found ''"),
            (&["!{}*"], "expected * before"),
        ] {
            let error = OtherAttributes::parse(patterns).expect_err(message);
            assert!(error.contains(message), "{error}");
        }
    }
}
