//! What a service of a program can do beside its record: context containers, statuses, several containers, rights.

use std::path::Path;

use crate::folder::Folder;
use crate::process::{Gantry, run, text};
use crate::security::{BASIC, JOHN, MARY, user};

/// A file of `tests/programs`.
fn source(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
    std::fs::read_to_string(path).expect("a text")
}

/// A configuration with these programs and copybooks of `tests/programs`, and a cache of its own; `gantry` follows the section
/// `[region]`.
fn folder(files: &[&str], gantry: &str) -> Folder {
    let mut folder = Folder::empty();
    for name in files {
        let to = if name.ends_with(".cpy") { "copybooks" } else { "programs" };
        folder = folder.with(&format!("{to}/{name}"), &source(name));
    }
    // A folder whose name begins with a dot is no part of the configuration.
    let cache = format!("{}/.cache", text(folder.path()));
    let listener = "[[listener]]\naddress = \"127.0.0.1:0\"\n[admin]\naddress = \"127.0.0.1:0\"\n";
    folder.with("gantry.toml", &format!("{listener}[region]\ncache = \"{cache}\"\nworkers = 1\n{gantry}"))
}

/// What `gantry check` says of a folder that is not right.
fn faults(folder: &Folder) -> String {
    let output = run(&["check", text(folder.path())]);
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const CONTEXT_API: &str = r#"
base_path = "/context"
[[operation]]
method = "GET"
path = "/of/{number}"
service = "context"
[operation.request]
move = [{ from = "path.number", to = "CX-LENGTH" }]
"#;

fn context_service(provider: &str) -> String {
    format!(
        r#"
ccsid = 819
[provider]
kind = "program"
program = "CONTEXT"
{provider}
[request]
copybook = "CONTEXTR.cpy"
wrapper = ""
[response]
copybook = "CONTEXTR.cpy"
wrapper = ""
"#
    )
}

fn context_folder(provider: &str) -> Folder {
    let users = format!("{}{}", user("mary", "staff", "secret"), user("john", "", "word"));
    folder(&["CONTEXT.cbl", "CONTEXTR.cpy"], &format!("[security]\nrequire_auth = false\n{BASIC}"))
        .with("users.txt", &users)
        .with("apis/context/api.toml", CONTEXT_API)
        .with("services/context.toml", &context_service(provider))
}

fn get(gantry: &Gantry, path: &str, headers: &str) -> crate::client::Response {
    gantry.request(format!("GET {path} HTTP/1.1\r\nhost: a.test:80\r\n{headers}\r\n").as_bytes())
}

#[test]
fn a_program_gets_context_containers_if_it_asks_for_them() {
    let wanted = "channel = \"C\"\nuse_context_containers = true\nhttp_headers = [\"X-Note\", \"X-None\"]";
    let folder = context_folder(wanted);
    let gantry = Gantry::folder(folder.path());
    let headers = format!("{MARY}x-note: caf\u{e9}\r\nx-note: 2\r\n");
    get(&gantry, "/context/of/7?n=%201", &headers).is_json(
        200,
        r#"{"cx_method":"GET","cx_length":8,"cx_uri":"http://a.test:80/context/of/7?n=%201","cx_query":"n=%201","cx_headers":"{\"httpHeaders\":{\"X-Note\":\"café, 2\"}}","cx_caller":"mary","cx_userid":"MARY"}"#,
    );
    get(&gantry, "/context/of/7", "").is_json(
        200,
        r#"{"cx_method":"GET","cx_length":8,"cx_uri":"http://a.test:80/context/of/7","cx_query":"NONE","cx_headers":"{\"httpHeaders\":{}}","cx_caller":"NONE","cx_userid":"GANTRY"}"#,
    );
}

#[test]
fn without_being_asked_for_there_are_no_context_containers() {
    let folder = context_folder("channel = \"C\"");
    let gantry = Gantry::folder(folder.path());
    get(&gantry, "/context/of/7", JOHN).is_json(
        200,
        r#"{"cx_method":"NONE","cx_length":120,"cx_uri":"NONE","cx_query":"NONE","cx_headers":"NONE","cx_caller":"NONE","cx_userid":"JOHN"}"#,
    );
}

#[test]
fn context_containers_that_cannot_be_are_told() {
    for (provider, expected) in [
        ("use_context_containers = true", "context containers go with 'channel'"),
        ("channel = \"C\"\nhttp_headers = [\"A\"]", "'http_headers' goes with use_context_containers = true"),
        (
            "channel = \"C\"\nuse_context_containers = true\nhttp_headers = [\"A B\"]",
            "expected names of headers in 'http_headers', found 'A B'",
        ),
        (
            "channel = \"C\"\nuse_context_containers = true\nrequest_container = \"DFHWS-URI\"",
            "DFHWS-URI is a context container",
        ),
    ] {
        let said = faults(&context_folder(provider));
        assert!(said.contains(expected) && said.contains("services/context.toml"), "{provider}: {said}");
    }
}
