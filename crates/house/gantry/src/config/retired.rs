//! Keys that became constants: for one version, a file that still sets one is loaded without it, and warned of it.

use region::Limits;
use region::link::definition::LinkLimits;
use settings::{GANTRY_FILE, Retired};

use super::outbound;

/// The folder of connections that have files of their own.
const CONNECTIONS: &str = "connections/";

/// The keys that are retired from one file.
pub(super) fn keys_of(path: &str) -> Vec<Retired> {
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
        key(&["interceptor", "answer_max_bytes"], recording::config::ANSWER_MAX_BYTES as u128),
        key(&["connections", "*", "idle_max"], outbound::IDLE_CONNECTIONS_MAX as u128),
        key(&["connections", "*", "retry_backoff_max_ms"], outbound::RETRY_BACKOFF_MAX.as_millis()),
        key(&["connections", "*", "auth", "refresh_before_s"], outbound::REFRESH_BEFORE.as_secs().into()),
    ]
}

#[cfg(test)]
mod tests {
    use settings::Files;

    use crate::config::load;

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
        let told = settings.warnings.lines();
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
