//! Settings for packages. `packages/NAME.toml`, beside the package NAME, has settings such as the allowed
//! callers and the provider. It need not repeat the content of the package.

use std::collections::BTreeMap;

use settings::{Files, Problems};
use toml::{Spanned, Table, Value};

use crate::overlay::{FOLDER, Texts};

/// The ending of files of settings.
const ENDING: &str = ".toml";

/// The settings of services in a package that has an API.
const SERVICES: &str = "services";

/// The keys that are settings, for each kind of file, by the folder of the file.
const KEYS: [(&str, &[&str]); 3] = [
    (
        "apis/",
        &["security", "limits", "cors", "mcp", "interceptors", "policy", "statuses", "check_responses"],
    ),
    ("services/", &["security", "provider", "http", "timeout_ms"]),
    ("requesters/", &["security", "connection", "timeout_ms"]),
];

/// True for the name of a file of settings in the folder of packages.
pub(crate) fn is_one(name: &str) -> bool {
    name.ends_with(ENDING)
}

/// Puts the settings beside packages into the files that the packages stand for.
pub(crate) fn apply(files: &Files, texts: &mut Texts, problems: &mut Problems) {
    let names = files.list(FOLDER).unwrap_or_default();
    let (settings, packages): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| is_one(name));
    for name in settings {
        let path = format!("{FOLDER}/{name}");
        let stem = name.trim_end_matches(ENDING);
        let is_of = |package: &&String| {
            package.as_str() == stem || package.rsplit_once('.').is_some_and(|(known, _)| known == stem)
        };
        let of: Vec<&String> = packages.iter().filter(is_of).collect();
        let shown = files.display(&path);
        match of.as_slice() {
            [package] => Settings { files, path: &path, package, problems }.apply(texts),
            [] => problems.add(&shown, None, format!("there is no package '{stem}' beside these settings")),
            several => {
                let names: Vec<String> = several.iter().map(|name| format!("{name}{ENDING}")).collect();
                let message =
                    format!("several packages have this name; call the settings {}", names.join(" or "));
                problems.add(&shown, None, message);
            }
        }
    }
}

struct Settings<'s> {
    files: &'s Files,
    path: &'s str,
    package: &'s str,
    problems: &'s mut Problems,
}

type Sections = BTreeMap<Spanned<String>, Value>;

impl Settings<'_> {
    fn apply(&mut self, texts: &mut Texts) {
        let origin = format!("{FOLDER}/{}", self.package);
        let own: Vec<String> =
            texts.iter().filter(|(_, (_, from))| *from == origin).map(|(path, _)| path.clone()).collect();
        // A package with faults has no files. Its faults have been reported.
        let Some((main, keys)) = main_file(&own) else { return };
        let Some(sections) = self.sections() else { return };
        let mut settings = Table::new();
        for (key, value) in sections {
            let name = key.get_ref();
            match value {
                Value::Table(services) if name == SERVICES && main.starts_with("apis/") => {
                    self.services(&key, services, texts);
                }
                value if keys.contains(&name.as_str()) => {
                    settings.insert(name.clone(), value);
                }
                _ => {
                    let services = if main.starts_with("apis/") { ", and services.NAME" } else { "" };
                    let message = format!(
                        "'{name}' is not a setting of a package; known: {}{services}",
                        keys.join(", ")
                    );
                    self.problems.add(&self.files.display(self.path), Some(key.span()), message);
                }
            }
        }
        self.put(&main, settings, texts);
    }

    fn sections(&mut self) -> Option<Sections> {
        let shown = self.files.display(self.path);
        let text = match self.files.read(self.path) {
            Ok(text) => text,
            Err(error) => {
                self.problems.add(&shown, None, format!("cannot be read: {error}"));
                return None;
            }
        };
        self.problems.text(&shown, &text);
        match toml::from_str(&text) {
            Ok(sections) => Some(sections),
            Err(error) => {
                self.problems.add(&shown, error.span(), settings::plain_words(error.message()));
                None
            }
        }
    }

    /// The settings of services that the package carries.
    fn services(&mut self, key: &Spanned<String>, services: Table, texts: &mut Texts) {
        let keys = keys_of("services/").unwrap_or_default();
        for (name, value) in services {
            let path = format!("services/{name}.toml");
            let fault = match (&value, texts.contains_key(&path)) {
                (_, false) => Some(format!("service '{name}' does not exist in the package")),
                (Value::Table(table), true) => {
                    let unknown = table.keys().find(|key| !keys.contains(&key.as_str()));
                    unknown.map(|key| {
                        format!("'{key}' is not a setting of a service; known: {}", keys.join(", "))
                    })
                }
                _ => Some(format!("services.{name} is a table of settings")),
            };
            match (fault, value) {
                (None, Value::Table(table)) => self.put(&path, table, texts),
                (Some(fault), _) => {
                    self.problems.add(&self.files.display(self.path), Some(key.span()), fault);
                }
                (None, _) => {}
            }
        }
    }

    /// Puts settings into a file. They override the settings of the package.
    fn put(&mut self, path: &str, settings: Table, texts: &mut Texts) {
        let Some((text, _)) = texts.get_mut(path).filter(|_| !settings.is_empty()) else { return };
        let merged = text.parse::<Table>().map_err(|error| error.to_string()).and_then(|mut table| {
            table.extend(settings);
            toml::to_string(&table).map_err(|error| error.to_string())
        });
        match merged {
            Ok(merged) => *text = merged,
            Err(error) => {
                let message = format!("cannot be put into {path}: {error}");
                self.problems.add(&self.files.display(self.path), None, message);
            }
        }
    }
}

/// The main file of a package (an API, service or API requester), and the keys that are its settings.
fn main_file(paths: &[String]) -> Option<(String, &'static [&'static str])> {
    let find = |start: &str, end: &str| {
        paths.iter().find(|path| path.starts_with(start) && path.ends_with(end)).cloned()
    };
    let main = find("apis/", "/api.toml").or_else(|| find("requesters/", "/requester.toml"));
    let main = main.or_else(|| find("services/", ENDING))?;
    let keys = keys_of(&main)?;
    Some((main, keys))
}

fn keys_of(path: &str) -> Option<&'static [&'static str]> {
    KEYS.iter().find(|(start, _)| path.starts_with(start)).map(|(_, keys)| *keys)
}
