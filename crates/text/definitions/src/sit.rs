//! Overrides of the system initialization table: `NAME=value`, until `.END`.

use std::sync::Arc;

use crate::cards::{Line, card};
use crate::place::Place;

/// An override.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Override {
    /// In upper case.
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) place: Place,
}

/// Names of known overrides.
const KNOWN: &[&str] = &[
    "APPLID",
    "SYSIDNT",
    "GRPLIST",
    "DFLTUSER",
    "START",
    "SIT",
    "TCPIP",
    "SEC",
    "ISC",
    "IRCSTRT",
    "MXT",
    "EDSALIM",
    "DSALIM",
    "ICVR",
    "USSHOME",
    "USSCONFIG",
    "PLTPI",
    "GMTEXT",
    "GMTRAN",
    "STATRCD",
    "LOCALCCSID",
    "AUXTR",
    "KEYRING",
];

/// The number of known names that makes a text a list of overrides.
const KNOWN_MIN: usize = 3;

/// True if the lines are overrides.
pub(crate) fn is_overrides(lines: &[Line<'_>]) -> bool {
    let names = lines.iter().filter_map(|(_, line)| line.trim_start().split_once('='));
    names.filter(|(name, _)| KNOWN.contains(&name.trim().to_uppercase().as_str())).count() >= KNOWN_MIN
}

/// Reads overrides. A value ends at a blank, a comma, or the end of its parentheses or quotes.
pub(crate) fn read(file: &Arc<str>, lines: &[Line<'_>]) -> Vec<Override> {
    let mut overrides = Vec::new();
    for (number, line) in lines {
        let text = card(line).trim_start();
        if text.to_uppercase().starts_with(".END") {
            break;
        }
        if text.starts_with('*') {
            continue;
        }
        let Some((name, value)) = text.split_once('=') else { continue };
        let name = name.trim();
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            continue;
        }
        let place = Place { file: Arc::clone(file), line: *number };
        overrides.push(Override { name: name.to_uppercase(), value: value_of(value.trim_start()), place });
    }
    overrides
}

fn value_of(text: &str) -> String {
    let inner = |close: char| text[1..].split(close).next().unwrap_or_default().to_owned();
    match text.chars().next() {
        Some('(') => inner(')'),
        Some('\'') => inner('\''),
        _ => text.split(|c: char| c.is_whitespace() || c == ',').next().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::lines;

    #[test]
    fn values_end_where_comments_begin() {
        let text = "* comment\nAPPLID=(CICSA,CICSB)   DEFAULT\nSYSIDNT=S730,     SYSID\nGRPLIST=XYZLIST\nGMTEXT='A, B'\n.END\nMXT=5";
        let read = read(&Arc::from("SIT"), &lines(text));
        let pairs: Vec<(&str, &str)> =
            read.iter().map(|one| (one.name.as_str(), one.value.as_str())).collect();
        let expected =
            [("APPLID", "CICSA,CICSB"), ("SYSIDNT", "S730"), ("GRPLIST", "XYZLIST"), ("GMTEXT", "A, B")];
        assert_eq!(pairs, expected);
        assert!(is_overrides(&lines(text)) && !is_overrides(&lines("A=B\nC=D\nE=F")));
    }
}
