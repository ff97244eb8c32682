//! API requester archives (`.ara`): the way out of programs. What is known is kept in a file for the requester to come.

use std::fmt::Write;

use crate::archive::Tree;
use crate::description::{Description, FILE};
use crate::fault::Notes;
use crate::{File, toml};

pub(crate) fn read(tree: &Tree, description: &Description, notes: &mut Notes) -> Vec<File> {
    let mut out = String::new();
    toml::comment(&mut out, &format!("Made of the API requester archive {}.", description.id));
    toml::comment(&mut out, "Nothing reads this file yet: API requesters are still to come.");
    for (key, value) in [
        ("title", description.title.as_str()),
        ("version", &description.version),
        ("description", &description.description),
        ("base_path", &description.base_path),
        ("connection", description.connection.as_deref().unwrap_or_default()),
    ] {
        if !value.is_empty() {
            let _ = writeln!(out, "{key} = {}", toml::string(value));
        }
    }
    for operation in &description.operations {
        let _ = writeln!(out, "\n[[operation]]\nmethod = {}", toml::string(&operation.method));
        let _ = writeln!(out, "path = {}", toml::string(&operation.path));
        let Some(id) = &operation.id else { continue };
        let _ = writeln!(out, "operation_id = {}", toml::string(id));
        for (key, path) in [
            ("request_schema", format!("services/{id}/schemas/{id}_request.json")),
            ("bind_file", format!("ws-binds/{id}.wsbind")),
        ] {
            if tree.has(&path) {
                let _ = writeln!(out, "{key} = {}", toml::string(&path));
            } else {
                notes.add(FILE, operation.line, format!("{id}: the archive has no {path}"));
            }
        }
        let prefix = format!("services/{id}/schemas/{id}_");
        let responses: Vec<(&str, &str)> = tree
            .paths()
            .filter_map(|path| Some((path.strip_prefix(&prefix)?.strip_suffix("_response.json")?, path)))
            .collect();
        for (status, path) in responses {
            let _ = writeln!(out, "response_schemas.{} = {}", toml::key(status), toml::string(path));
        }
    }
    let reason = "API requesters are still to come: the file under requesters/ keeps what is known; the schemas and \
                  bind files stay in the archive, and the copybooks of the programs are theirs";
    notes.add(FILE, 0, reason);
    vec![File { path: format!("requesters/{}.toml", description.id), text: out }]
}
