//! Keys that became constants. For one version, a file that still sets such a key is loaded without
//! it, with a warning.

use settings::{GANTRY_FILE, Retired};

/// The retired keys of a file. Each capability knows its own.
pub(super) fn keys_of(path: &str) -> Vec<Retired> {
    let mut keys = region_config::retired_keys(path);
    if path == GANTRY_FILE {
        let key = |place, constant| Retired { place, constant };
        keys.extend([
            key(&["server", "provider_cpu_sample_every"], metrics::CPU_SAMPLE_EVERY.into()),
            key(&["limits", "response_write_min_bytes"], server::RESPONSE_WRITE_MIN_BYTES as u128),
        ]);
    }
    keys.extend(recording::config::retired_keys(path));
    keys.extend(remote::config::retired_keys(path));
    keys
}

#[cfg(test)]
mod tests {
    use settings::Files;

    use crate::load;

    #[test]
    fn a_key_that_became_a_constant_is_warned_of_and_does_not_count() {
        let gantry = "
[server]
provider_cpu_sample_every = 0
[traces]
batch_max_spans = 1
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
        let settings = load(&Files::at(folder.path().to_owned())).expect("no faults");
        let told = settings.warnings.lines();
        for expected in [
            "'worker_area_bytes' is no longer a key: it is always 16777216",
            "'counter_reserve' is no longer a key: it is always 100",
            "'hello_max_ms' is no longer a key: it is always 5000",
            "'idle_max' is no longer a key: it is always 32",
            "'retry_backoff_max_ms' is no longer a key: it is always 2000",
            "'provider_cpu_sample_every' is no longer a key: it is always 16",
            "'batch_max_spans' is no longer a key: it is always 512",
            "gantry.toml:3: ",
            "connections/far.toml:2: ",
        ] {
            assert!(told.contains(expected), "{expected}: {told}");
        }
    }
}
