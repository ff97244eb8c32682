//! Data sets by their names. An installation may fill in a part of a name: `<HLQ>.BANK.FILE`, `@HLQ@.FILE`,
//! `&HLQ..FILE`.

use crate::idcams::{AlternateIndex, Catalog, Cluster};

/// The result of looking up a data set's name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found<'c> {
    /// A cluster, by its own name or by a path without an alternate index.
    Cluster(&'c Cluster),
    /// A path over an alternate index of a cluster.
    Index(&'c AlternateIndex, &'c Cluster),
    /// Nothing that was read has the name.
    Nothing,
    /// Several that the name could mean.
    Several,
}

impl Catalog {
    /// The result for a FILE with this data set.
    pub(crate) fn find(&self, data_set: &str) -> Found<'_> {
        match one(&self.paths, data_set, |path| &path.name) {
            Many::One(path) => return self.entry(&path.entry),
            Many::Several => return Found::Several,
            Many::None => {}
        }
        self.entry(data_set)
    }

    fn entry(&self, name: &str) -> Found<'_> {
        match one(&self.clusters, name, |cluster| &cluster.name) {
            Many::One(cluster) => return Found::Cluster(cluster),
            Many::Several => return Found::Several,
            Many::None => {}
        }
        let index = match one(&self.indexes, name, |index| &index.name) {
            Many::One(index) => index,
            Many::Several => return Found::Several,
            Many::None => return Found::Nothing,
        };
        match one(&self.clusters, &index.cluster, |cluster| &cluster.name) {
            Many::One(cluster) => Found::Index(index, cluster),
            Many::Several => Found::Several,
            Many::None => Found::Nothing,
        }
    }
}

enum Many<T> {
    None,
    One(T),
    Several,
}

/// The entry with the same name, or else one whose name fits.
fn one<'t, T>(all: &'t [T], name: &str, of: impl Fn(&T) -> &String) -> Many<&'t T> {
    if let Some(same) = all.iter().find(|one| of(one).eq_ignore_ascii_case(name)) {
        return Many::One(same);
    }
    let mut fitting = all.iter().filter(|one| fits(of(one), name));
    match (fitting.next(), fitting.next()) {
        (None, _) => Many::None,
        (Some(one), None) => Many::One(one),
        (Some(one), Some(other)) if of(one) == of(other) => Many::One(one),
        _ => Many::Several,
    }
}

/// True if two names may be the same after their open parts are filled in.
pub(crate) fn fits(one: &str, other: &str) -> bool {
    let (one, other) = (pattern(one), pattern(other));
    let is_open = |text: &[char]| text.contains(&OPEN);
    match (is_open(&one), is_open(&other)) {
        (false, false) | (true, true) => one == other,
        (true, false) => matches(&one, &other),
        (false, true) => matches(&other, &one),
    }
}

/// The character for an open part.
const OPEN: char = '*';

/// A name with its open parts as asterisks.
fn pattern(name: &str) -> Vec<char> {
    let mut out = Vec::new();
    let mut rest = name.trim().to_uppercase();
    while let Some((before, after)) = open_part(&rest) {
        out.extend(before.chars());
        out.push(OPEN);
        rest = after;
    }
    out.extend(rest.chars());
    out
}

/// The text before and behind the first open part.
fn open_part(text: &str) -> Option<(String, String)> {
    let at = text.find(['<', '@', '&', '{', '%'])?;
    let (before, part) = text.split_at(at);
    let mut characters = part.chars();
    let first = characters.next()?;
    let inside = characters.as_str();
    let after = match first {
        '<' => inside.split_once('>')?.1,
        '{' => inside.split_once('}')?.1,
        '&' => {
            let end = inside.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inside.len());
            let after = &inside[end..];
            // The period at the end belongs to the symbol.
            after.strip_prefix('.').unwrap_or(after)
        }
        quote => match inside.split_once(quote) {
            Some((name, after)) if !name.contains('.') => after,
            // The character is part of the name.
            _ => return None,
        },
    };
    Some((before.to_owned(), after.to_owned()))
}

/// True if a name fits a pattern. An open part is at least one character.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut parts = pattern.split(|c| *c == OPEN).enumerate().peekable();
    while let Some((number, part)) = parts.next() {
        let is_last = parts.peek().is_none();
        let found = match (number, is_last) {
            (0, _) => name.starts_with(part).then_some(0),
            (_, true) => {
                (name.len() >= from + part.len() && name.ends_with(part)).then(|| name.len() - part.len())
            }
            _ => (from..=name.len().saturating_sub(part.len())).find(|at| name[*at..].starts_with(part)),
        };
        match found {
            Some(found) if found >= from => at = found + part.len(),
            _ => return false,
        }
        from = at + 1;
    }
    at == name.len() || pattern.last() == Some(&OPEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_parts_fit_what_fills_them() {
        for (one, other, expected) in [
            ("A.B", "a.b", true),
            ("A.B", "A.C", false),
            ("<HLQ>.GENAPP.CUST", "<HLQ>.GENAPP.CUST", true),
            ("@PREFIX@.CUSTOMER", "CBSA.CICSBSA.CUSTOMER", true),
            ("&HLQ..CUSTOMER", "CBSA.CUSTOMER", true),
            ("&HLQ..CUSTOMER", "CBSA.XCUSTOMERS", false),
            ("<A>.X.<B>", "ONE.X.TWO", true),
            ("<A>.X.<B>", "ONE.Y.TWO", false),
            ("A.@B", "A.@B", true),
            ("A.@B", "A.C", false),
        ] {
            assert_eq!(fits(one, other), expected, "{one} {other}");
            assert_eq!(fits(other, one), expected, "{other} {one}");
        }
    }
}
