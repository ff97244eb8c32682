//! The right files of keys that stand in a wrong file of the configuration. Only keys that people mix up are here.

use settings::GANTRY_FILE;

const API: &str = "apis/NAME/api.toml";
const SERVICE: &str = "services/NAME.toml";
const GROUP: &str = "endpoints/NAME.toml";

/// The file that a key belongs in, if the key is not known at the top of the file of this path.
pub(super) fn place_of(path: &str, key: &str) -> Option<&'static str> {
    let place = match key {
        "cors" | "operation" | "base_path" | "interceptors" | "check_responses" | "document" => API,
        "limits" | "mcp" if path != GANTRY_FILE => API,
        "provider" | "ccsid" => SERVICE,
        "endpoint" | "framing" => GROUP,
        "admin" | "connections" | "interceptor" | "listener" | "messaging" | "pipeline" | "queue_manager"
        | "region" | "server" | "store" | "traces" => GANTRY_FILE,
        _ => return None,
    };
    // A key of a known section that its own file does not take is not in a wrong file.
    let own = match (path.split('/').next(), place) {
        (Some("apis" | "soap"), API) | (Some("services"), SERVICE) | (Some("endpoints"), GROUP) => true,
        _ => path == place,
    };
    (!own).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_in_a_wrong_file_leads_to_the_right_one() {
        for (path, key, place) in [
            ("gantry.toml", "cors", Some(API)),
            ("gantry.toml", "provider", Some(SERVICE)),
            ("gantry.toml", "limits", None),
            ("gantry.toml", "listener", None),
            ("services/a.toml", "cors", Some(API)),
            ("services/a.toml", "limits", Some(API)),
            ("services/a.toml", "queue_manager", Some(GANTRY_FILE)),
            ("services/a.toml", "provider", None),
            ("apis/a/api.toml", "queue_manager", Some(GANTRY_FILE)),
            ("apis/a/api.toml", "operation", None),
            ("gantry.toml", "colour", None),
        ] {
            assert_eq!(place_of(path, key), place, "{path} {key}");
        }
    }
}
