//! Connections of imported API requesters. Their archives name the connections, but not the
//! addresses of the APIs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use toml::Table;

use super::GANTRY_FILE;

/// An address that does not exist.
const PLACEHOLDER: &str = "https://api.example";

/// The names of connections that requesters in these files use, but that neither the files nor the
/// folder have.
pub(super) fn missing(files: &BTreeMap<String, String>, into: &Path) -> BTreeSet<String> {
    let requesters =
        files.iter().filter(|(path, _)| path.starts_with("requesters/") && path.ends_with("/requester.toml"));
    let named = requesters.filter_map(|(_, text)| {
        let file: Table = text.parse().ok()?;
        Some(file.get("connection")?.as_str()?.to_owned())
    });
    let on_disk = fs::read_to_string(into.join(GANTRY_FILE)).unwrap_or_default();
    let settings: Vec<Table> = [Some(&on_disk), files.get(GANTRY_FILE)]
        .into_iter()
        .flatten()
        .filter_map(|text| text.parse().ok())
        .collect();
    let is_there = |name: &str| {
        let in_settings =
            |settings: &Table| settings.get("connections").is_some_and(|all| all.get(name).is_some());
        settings.iter().any(in_settings) || files.contains_key(&path(name)) || into.join(path(name)).exists()
    };
    named.filter(|name| settings::is_safe(name) && !name.contains('/') && !is_there(name)).collect()
}

/// The path of a connection's file.
pub(super) fn path(name: &str) -> String {
    format!("connections/{name}.toml")
}

/// The file of a connection, for a person to complete.
pub(super) fn file(name: &str) -> (String, String) {
    let text =
        format!("# The archive does not say where the API is: put its URL here.\nurl = \"{PLACEHOLDER}\"\n");
    (path(name), text)
}
