//! Keys that became constants: for one version, a file that still sets one is loaded without it, and warned of it.

use std::ops::Range;

use region::Limits;
use region::link::definition::LinkLimits;
use toml::de::{DeTable, DeValue};

use super::loader::GANTRY_FILE;
use super::{interceptors, outbound};

/// A key that no longer counts.
struct Retired {
    /// Where it stood; `*` is any name, and arrays are looked through.
    place: &'static [&'static str],
    /// What holds in its place.
    constant: u128,
}

/// The folder of connections that have files of their own.
const CONNECTIONS: &str = "connections/";

/// Takes the retired keys out of a file. Says where they stood, and what holds in their place.
pub(super) fn take(path: &str, root: &mut DeTable<'_>) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    for retired in keys_of(path) {
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

/// The keys that are retired from one file.
fn keys_of(path: &str) -> Vec<Retired> {
    let key = |place, constant| Retired { place, constant };
    if path.starts_with(CONNECTIONS) {
        return vec![
            key(&["idle_max"], outbound::IDLE_CONNECTIONS_MAX as u128),
            key(&["retry_backoff_max_ms"], outbound::RETRY_BACKOFF_MAX.as_millis()),
            key(&["auth", "refresh_before_s"], outbound::REFRESH_BEFORE.as_secs().into()),
        ];
    }
    if path != GANTRY_FILE {
        return Vec::new();
    }
    let (limits, links) = (Limits::default(), LinkLimits::default());
    vec![
        key(&["region", "worker_area_bytes"], limits.area_bytes as u128),
        key(&["region", "starts_max_bytes"], limits.starts_max_bytes as u128),
        key(&["region", "task_children_max"], limits.children_max as u128),
        key(&["region", "counters_max"], limits.counters_max as u128),
        key(&["region", "counter_reserve"], limits.counter_reserve.into()),
        key(&["region", "operator_messages_max"], limits.operator_messages_max as u128),
        key(&["region", "display_line_max_bytes"], limits.display_line_max_bytes as u128),
        key(&["region", "links", "waiting_max"], links.waiting_max as u128),
        key(&["region", "links", "frame_max_bytes"], links.frame_max_bytes as u128),
        key(&["region", "links", "hello_max_ms"], links.hello_max.as_millis()),
        key(&["region", "links", "reconnect_max_ms"], links.reconnect_max.as_millis()),
        key(&["interceptor", "answer_max_bytes"], interceptors::ANSWER_MAX_BYTES as u128),
        key(&["connections", "*", "idle_max"], outbound::IDLE_CONNECTIONS_MAX as u128),
        key(&["connections", "*", "retry_backoff_max_ms"], outbound::RETRY_BACKOFF_MAX.as_millis()),
        key(&["connections", "*", "auth", "refresh_before_s"], outbound::REFRESH_BEFORE.as_secs().into()),
    ]
}

#[cfg(test)]
mod tests {
    use crate::config::{Files, load};

    #[test]
    fn a_key_that_became_a_constant_is_warned_of_and_does_not_count() {
        let gantry = "
[region]
worker_area_bytes = 1
counter_reserve = 0
links = { hello_max_ms = 1 }
[connections.shop]
url = 'http://127.0.0.1:1'
idle_max = 1
";
        let far = "url = 'http://127.0.0.1:1'\nretry_backoff_max_ms = 1\n";
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("connections")).expect("a folder");
        std::fs::write(path("gantry.toml"), gantry).expect("a file");
        std::fs::write(path("connections/far.toml"), far).expect("a file");
        let settings = load(&Files::Folder(folder.path().to_owned())).expect("no faults");
        let told = settings.gateway.warnings.lines();
        for expected in [
            "'worker_area_bytes' is no longer a key: it is always 16777216",
            "'counter_reserve' is no longer a key: it is always 100",
            "'hello_max_ms' is no longer a key: it is always 5000",
            "'idle_max' is no longer a key: it is always 32",
            "'retry_backoff_max_ms' is no longer a key: it is always 2000",
            "gantry.toml:3: ",
            "connections/far.toml:2: ",
        ] {
            assert!(told.contains(expected), "{expected}: {told}");
        }
    }
}
