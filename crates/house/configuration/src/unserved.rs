//! Finds parts of a configuration without effect: services without a provider, folders that nothing
//! reads, nothing to serve.

use std::path::Path;

use settings::GANTRY_FILE;
use web_service::pipeline::of_configuration;

use super::loader::Loader;
use super::services::Services;

/// The folders of a configuration.
pub const FOLDERS: [&str; 12] = [
    "apis",
    "connections",
    "copybooks",
    "packages",
    "pipelines",
    "policies",
    "programs",
    "requesters",
    "services",
    "soap",
    "templates",
    "vectors",
];

/// The folder of bodies to try, which is for people.
const REQUESTS: &str = "requests";

/// The most wrong letters in a folder's name that is taken for one of these.
const LETTERS_WRONG_MAX: usize = 2;

/// The extension of bind files.
const BIND_FILE_ENDING: &str = ".wsbind";
/// The kind of the provider that refuses every call.
const UNBOUND: &str = "unbound";

impl Loader<'_> {
    /// Warns of these parts. `serves` is true if there are APIs, requesters, or programs for other
    /// regions.
    pub(super) fn warn_of_unserved(&mut self, services: &Services, serves: bool) {
        for (name, running) in &services.running {
            if running.service.provider.kind() == UNBOUND {
                let path = format!("services/{name}.toml");
                let place = if self.files.read(&path).is_ok() { &path } else { GANTRY_FILE };
                let key = packages::toml_key(name);
                let message = format!(
                    "the service '{name}' has no provider: each of its calls is answered with 503 and GTY0503E; give it [provider] in its file, or \
                     [providers.{key}] in gantry.toml"
                );
                self.warn(place, message);
            }
        }
        for folder in self.folders() {
            if let Some(meant) = meant(&folder) {
                self.warn(&folder, format!("nothing reads this folder; is it meant to be '{meant}'?"));
            }
        }
        // The reported faults explain the rest.
        let serves = serves || self.waits_in_pickup();
        if !serves && services.running.is_empty() && self.problems.error_count() == 0 {
            let message = "the gateway has nothing to serve: no API (apis/, packages/), no service (services/) and no API requester (requesters/)";
            self.warn(GANTRY_FILE, message);
        }
    }

    /// True if a bind file waits in the pickup folder of a pipeline. The gateway takes it at the
    /// start.
    fn waits_in_pickup(&self) -> bool {
        let text = self.files.read(GANTRY_FILE).unwrap_or_default();
        let pipelines = of_configuration(&text).unwrap_or_default();
        pipelines.iter().any(|pipeline| {
            let names = self.files.list(&pipeline.pickup()).unwrap_or_default();
            names.iter().any(|name| name.ends_with(BIND_FILE_ENDING))
        })
    }

    fn folders(&self) -> Vec<String> {
        let Some(root) = self.files.folder().map(Path::to_owned) else { return Vec::new() };
        let mut names = self.files.list("").unwrap_or_default();
        names.retain(|name| !name.starts_with('.') && root.join(name).is_dir());
        names
    }
}

/// The folder that a wrong name probably means.
fn meant(name: &str) -> Option<&'static str> {
    if FOLDERS.contains(&name) || name == REQUESTS {
        return None;
    }
    let lower = name.to_lowercase();
    FOLDERS.into_iter().find(|known| {
        let near = copybook::edit_distance(known, &lower) <= LETTERS_WRONG_MAX.min(known.len() / 3);
        near && lower.starts_with(&known[..1])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_are_nearly_right_are_found() {
        for (name, known) in [
            ("service", "services"),
            ("api", "apis"),
            ("Copybooks", "copybooks"),
            ("copybook", "copybooks"),
            ("polices", "policies"),
            ("program", "programs"),
            ("conections", "connections"),
            ("vector", "vectors"),
        ] {
            assert_eq!(meant(name), Some(known), "{name}");
        }
        for name in ["apis", "requests", "certificates", "docs", "app", "schemas", "tests", "a"] {
            assert_eq!(meant(name), None, "{name}");
        }
    }
}
