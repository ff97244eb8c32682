//! Names of tools: what a name may be, and one for each operation that no other tool has.

use std::collections::HashSet;

/// Characters of a name (MCP 2026-07-28, Tool Names).
pub const TOOL_NAME_CHARS_MAX: usize = 128;
/// Characters of a name that is made here, and of a property: the most that widespread hosts of models take.
const MADE_CHARS_MAX: usize = 64;

/// An operation that needs a name.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'w> {
    /// The name of its API.
    pub api: &'w str,
    /// Its id.
    pub id: &'w str,
    /// The name that somebody chose for it.
    pub chosen: Option<&'w str>,
}

/// Checks a name that somebody chose.
///
/// # Errors
/// The rule that the name breaks.
pub fn check_name(name: &str) -> Result<(), String> {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || name.len() > TOOL_NAME_CHARS_MAX || !name.chars().all(good) {
        return Err(format!(
            "'{name}' is not a name of a tool: expected 1 to {TOOL_NAME_CHARS_MAX} of the characters A-Z, a-z, 0-9, '_', '-' and '.'"
        ));
    }
    Ok(())
}

/// The name of each tool, in their order. Chosen names are taken as they are; the others are the operation's id, with the
/// API's name in front where two ids are alike, and a number behind where that is not enough.
///
/// Names depend on all tools that are offered, never on who asks for them.
#[must_use]
pub fn names(wanted: &[Wanted<'_>]) -> Vec<String> {
    let mut taken: HashSet<String> =
        wanted.iter().filter_map(|tool| tool.chosen).map(str::to_owned).collect();
    let ids: Vec<String> = wanted.iter().map(|tool| clean(tool.id)).collect();
    let is_alone = |at: usize| {
        let others = wanted.iter().zip(&ids).enumerate().filter(|(other, _)| *other != at);
        !others.into_iter().any(|(_, (other, id))| other.chosen.is_none() && *id == ids[at])
    };
    // Ids that are alone come first, so that no name that is made from two words takes one of them.
    let mut names: Vec<Option<String>> = wanted.iter().map(|tool| tool.chosen.map(str::to_owned)).collect();
    for (at, name) in names.iter_mut().enumerate().filter(|(_, name)| name.is_none()) {
        if is_alone(at) && taken.insert(ids[at].clone()) {
            *name = Some(ids[at].clone());
        }
    }
    let made = wanted.iter().zip(names).map(|(tool, name)| {
        name.unwrap_or_else(|| distinct(&clean(&format!("{}_{}", tool.api, tool.id)), &mut taken))
    });
    made.collect()
}

/// Text with only letters, digits, '_' and '-', of a bounded length.
pub(crate) fn clean(text: &str) -> String {
    let good = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let cleaned: String = text.chars().map(good).take(MADE_CHARS_MAX).collect();
    if cleaned.is_empty() { "_".to_owned() } else { cleaned }
}

/// The name, with a number behind if it is taken; it is taken then.
pub(crate) fn distinct(name: &str, taken: &mut HashSet<String>) -> String {
    let mut candidate = name.to_owned();
    let mut number = 1_usize;
    while !taken.insert(candidate.clone()) {
        number += 1;
        let suffix = format!("_{number}");
        let kept: String = name.chars().take(MADE_CHARS_MAX - suffix.len()).collect();
        candidate = kept + &suffix;
    }
    candidate
}
