//! The members of a JSON object with their values as they were written.

use document::RawMembers;
use serde_json::value::RawValue;

/// Members in their order; no name stands twice.
#[derive(Debug, Default)]
pub(crate) struct Members<'a>(pub(crate) Vec<(String, &'a RawValue)>);

/// Why a text is not an object.
#[derive(Debug)]
pub(crate) enum Fault {
    /// It is something else.
    Json(serde_json::Error),
    /// This member stands twice.
    Twice(String),
}

impl<'a> Members<'a> {
    pub(crate) fn parse(text: &'a str) -> Result<Self, Fault> {
        let members: RawMembers<'a> = serde_json::from_str(text).map_err(Fault::Json)?;
        match twice(&members.0) {
            Some(name) => Err(Fault::Twice(name.to_owned())),
            None => Ok(Self(members.0)),
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }
}

/// Names that are looked through one by one to find one that stands twice; more are sorted.
const FEW: usize = 32;

fn twice<'m>(members: &'m [(String, &RawValue)]) -> Option<&'m str> {
    let mut names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    if names.len() <= FEW {
        return names
            .iter()
            .enumerate()
            .find(|(at, name)| names[..*at].contains(name))
            .map(|(_, name)| *name);
    }
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// Writes an object of members whose values are JSON text.
pub(crate) fn write<'m>(members: impl IntoIterator<Item = (&'m str, &'m str)>) -> String {
    let mut text = String::from("{");
    for (name, value) in members {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&quoted(name));
        text.push(':');
        text.push_str(value);
    }
    text.push('}');
    text
}

/// Text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text serialises")
}
