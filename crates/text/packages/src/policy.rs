//! A rule set of policies (`<ruleset>`): the same file serves here, in `policies/`.

use crate::File;

/// The outermost element.
pub(crate) const ELEMENT: &str = "ruleset";

/// The name of a rule set by the name of its file.
pub(crate) fn name(file: &str) -> String {
    let last = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = last.strip_suffix(".xml").unwrap_or(last);
    let keep = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    stem.chars().map(keep).collect()
}

/// The file that stands for a rule set.
pub(crate) fn file(name: &str, text: &str) -> File {
    File { path: format!("policies/{name}.xml"), text: text.to_owned() }
}
