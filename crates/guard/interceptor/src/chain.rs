//! Which interceptors run around the calls of an API, and in which order.

use std::fmt;

/// The highest sequence number, the same as in z/OS Connect: 2^31-1.
pub const SEQUENCE_MAX: u32 = i32::MAX as u32;

/// The place of an interceptor in chains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Its name.
    pub name: String,
    /// Its place in the order, 0 to [`SEQUENCE_MAX`]. Lower numbers come first before a call, and
    /// last after it. Interceptors with the same number come in the order of the configuration.
    pub sequence: u32,
    /// True if it runs for every API that does not exclude it.
    pub global: bool,
}

/// The choice of interceptors for an API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Interceptors that run for it, by name.
    pub names: Vec<String>,
    /// True if the global ones run for it, too.
    pub run_global: bool,
}

impl Default for Choice {
    fn default() -> Self {
        Self { names: Vec::new(), run_global: true }
    }
}

/// An API names an unknown interceptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The place of the name in [`Choice::names`].
    pub at: usize,
    /// The name.
    pub name: String,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no interceptor '{}'", self.name)
    }
}

impl std::error::Error for Unknown {}

/// The interceptors of an API, as places in `all`, in their order before a call. After the call
/// they run in the opposite order, as in z/OS Connect.
///
/// # Errors
/// Names that are not in `all`.
pub fn order(all: &[Placed], choice: &Choice) -> Result<Vec<usize>, Vec<Unknown>> {
    let unknown: Vec<Unknown> = choice
        .names
        .iter()
        .enumerate()
        .filter(|(_, name)| !all.iter().any(|placed| placed.name == **name))
        .map(|(at, name)| Unknown { at, name: name.clone() })
        .collect();
    if !unknown.is_empty() {
        return Err(unknown);
    }
    let runs = |placed: &Placed| (placed.global && choice.run_global) || choice.names.contains(&placed.name);
    let mut places: Vec<usize> = (0..all.len()).filter(|place| runs(&all[*place])).collect();
    places.sort_by_key(|place| all[*place].sequence);
    Ok(places)
}

/// The interceptors for requests that were refused before any API was known: the global ones, in
/// order.
#[must_use]
pub fn early(all: &[Placed]) -> Vec<usize> {
    order(all, &Choice::default()).unwrap_or_default()
}
