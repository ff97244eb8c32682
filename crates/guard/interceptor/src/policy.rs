//! Policies: rule sets that turn headers of a request into properties for the provider, as z/OS Connect has them.
//!
//! The format and its meaning are those of z/OS Connect ("Format of a rule set", "How rule sets are
//! applied"). All headers of a rule must match; of a header's values, one must match. More specific
//! rules come first. Two things differ from z/OS Connect. A rule set is checked when it is loaded.
//! And if two rules set the same property, the first in this order decides.

mod read;

use std::borrow::Cow;
use std::fmt;

use http::{HeaderMap, HeaderName};

pub use read::RULE_SET_MAX_BYTES;

/// The properties that z/OS Connect knows. Providers may know others, so another name is only a
/// warning.
pub const PROPERTIES: [&str; 12] = [
    "cicsCcsid",
    "cicsConnectionRef",
    "cicsTransId",
    "db2CollectionID",
    "db2ConnectionRef",
    "imsConnectionRef",
    "imsInteractionRef",
    "imsInteractionTimeout",
    "imsLtermOverrideName",
    "imsTranCode",
    "imsTranExpiration",
    "imsTranExpirationTime",
];

/// A fault of a rule set, or a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The line, from 1.
    pub line: usize,
    /// The expected and the found text.
    pub message: String,
    /// True for a warning, which does not stop the rule set.
    pub is_warning: bool,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// A rule set, ready for use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSet {
    /// Rules with more headers come first. Rules with the same number keep the order of the file.
    rules: Vec<Rule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    name: String,
    line: usize,
    conditions: Vec<Condition>,
    actions: Vec<Action>,
}

/// A header that a request must have.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    header: HeaderName,
    /// The header must have one of these values; none for any value.
    values: Option<Vec<Box<str>>>,
}

/// A property to set.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Action {
    property: Box<str>,
    value: Vec<Piece>,
    line: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(Box<str>),
    /// The value of the header in this condition.
    Header(usize),
}

/// A property that a request gets: its name and its value.
pub type Property<'r> = (&'r str, Cow<'r, str>);

impl RuleSet {
    /// Reads a rule set. Gives it with its warnings.
    ///
    /// # Errors
    /// All its faults, and the warnings.
    pub fn parse(text: &str) -> Result<(Self, Vec<Finding>), Vec<Finding>> {
        read::parse(text)
    }

    /// The properties that a request gets by its headers. Mostly there are none, and then nothing
    /// is allocated.
    #[must_use]
    pub fn apply<'r>(&'r self, headers: &'r HeaderMap) -> Vec<Property<'r>> {
        let mut properties: Vec<Property<'r>> = Vec::new();
        for rule in &self.rules {
            let Some(found) = rule.matches(headers) else { continue };
            for action in &rule.actions {
                if properties.iter().all(|(known, _)| **known != *action.property) {
                    properties.push((&action.property, action.value(&found)));
                }
            }
        }
        properties
    }
}

impl Rule {
    /// The values of the headers, in the order of the conditions, if all conditions hold.
    fn matches<'r>(&self, headers: &'r HeaderMap) -> Option<Vec<&'r str>> {
        // Most rules fail because a header is missing. So check this before any allocation.
        if !self.conditions.iter().all(|condition| headers.contains_key(&condition.header)) {
            return None;
        }
        self.conditions.iter().map(|condition| condition.matches(headers)).collect()
    }
}

impl Condition {
    /// The first value of the header that matches.
    fn matches<'r>(&self, headers: &'r HeaderMap) -> Option<&'r str> {
        let values = headers.get_all(&self.header).iter();
        let mut values = values.filter_map(|value| value.to_str().ok()).map(str::trim);
        values.find(|value| match &self.values {
            Some(allowed) => allowed.iter().any(|allowed| **allowed == **value),
            None => true,
        })
    }

    /// Whether no request can meet both conditions: they name the same header and have no value in
    /// common.
    fn excludes(&self, other: &Self) -> bool {
        match (&self.values, &other.values) {
            (Some(own), Some(others)) if self.header == other.header => {
                own.iter().all(|value| !others.contains(value))
            }
            _ => false,
        }
    }
}

impl Action {
    fn value<'r>(&'r self, found: &[&'r str]) -> Cow<'r, str> {
        match self.value.as_slice() {
            [Piece::Text(text)] => Cow::Borrowed(text),
            [Piece::Header(at)] => Cow::Borrowed(found[*at]),
            pieces => pieces
                .iter()
                .map(|piece| match piece {
                    Piece::Text(text) => text,
                    Piece::Header(at) => found[*at],
                })
                .collect(),
        }
    }
}
