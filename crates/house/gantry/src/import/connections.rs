//! Connections of imported API requesters. Their archives name the connections, but not the
//! addresses of the APIs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use toml::{Table, Value};

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

/// The file of a connection to the server that an OpenAPI document names; else one to complete.
pub(super) fn file_of_document(name: &str, document: &[u8]) -> (String, String) {
    match server(document) {
        Some(url) => {
            (path(name), format!("# The server that the document names.\nurl = {}\n", Value::from(url)))
        }
        None => {
            let text = "# Put the URL of the API here: the document names none over TLS.";
            (path(name), format!("{text}\nurl = \"{PLACEHOLDER}\"\n"))
        }
    }
}

/// The first server of a JSON document, if it is a whole URL over TLS.
fn server(document: &[u8]) -> Option<String> {
    let document: serde_json::Value = serde_json::from_slice(document).ok()?;
    let url = document.pointer("/servers/0/url")?.as_str()?;
    let is_plain = !url.contains(['{', '?', '#', '@']);
    (url.starts_with("https://") && is_plain).then(|| url.trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::file_of_document;

    #[test]
    fn a_connection_has_the_server_of_the_document() {
        let file = |server: &str| {
            file_of_document("stock", format!("{{\"servers\":[{{\"url\":\"{server}\"}}]}}").as_bytes())
        };
        let (path, text) = file("https://api.shop.example/v1/");
        assert_eq!(path, "connections/stock.toml");
        assert!(text.ends_with("\nurl = \"https://api.shop.example/v1\"\n"), "{text}");
        for other in ["/v1", "http://api.shop.example", "https://{host}/v1", ""] {
            assert!(file(other).1.contains("https://api.example\""), "{other}");
        }
    }
}
