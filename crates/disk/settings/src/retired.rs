//! Keys that became constants. For one version, a file that still sets such a key is loaded without it, with
//! a warning.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

/// A key that no longer counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retired {
    /// The key's place; `*` stands for any name, and elements of arrays are searched too.
    pub place: &'static [&'static str],
    /// The constant in its place.
    pub constant: u128,
}

/// Gives the retired keys of the file with this path.
pub type KeysOf = fn(path: &str) -> Vec<Retired>;

/// Takes the retired keys out of a file. Gives their places, and the constants that hold now.
pub(crate) fn take(keys: &[Retired], root: &mut DeTable<'_>) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    for retired in keys {
        let mut spans = Vec::new();
        take_from(root, retired.place, &mut spans);
        let key = retired.place.last().unwrap_or(&"");
        let message = format!("'{key}' is no longer a key: it is always {}", retired.constant);
        found.extend(spans.into_iter().map(|span| (span, message.clone())));
    }
    found
}

fn take_from(table: &mut DeTable<'_>, place: &[&str], spans: &mut Vec<Range<usize>>) {
    match place {
        [] => {}
        [key] => spans.extend(table.remove_entry(*key).map(|(key, _)| key.span())),
        ["*", rest @ ..] => {
            for (_, value) in table.iter_mut() {
                take_within(value.get_mut(), rest, spans);
            }
        }
        [name, rest @ ..] => {
            if let Some(value) = table.get_mut(*name) {
                take_within(value.get_mut(), rest, spans);
            }
        }
    }
}

fn take_within(value: &mut DeValue<'_>, place: &[&str], spans: &mut Vec<Range<usize>>) {
    match value {
        DeValue::Table(table) => take_from(table, place, spans),
        DeValue::Array(items) => {
            for item in items.iter_mut() {
                take_within(item.get_mut(), place, spans);
            }
        }
        _ => {}
    }
}
