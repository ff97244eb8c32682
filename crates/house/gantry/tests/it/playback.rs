//! Tests playback of vectors: the answers come from a file, and faults in the file have their line.

use crate::folder::{Folder, service};
use crate::process::{Gantry, run, text};

/// Makes a service that plays `vectors/notes.jsonl`.
fn folder(more: &str, vectors: &str) -> Folder {
    let provider = format!("vectors = \"notes.jsonl\"\n{more}");
    Folder::echo("")
        .with("services/echo.toml", &service("playback", &provider))
        .with("vectors/notes.jsonl", vectors)
}

/// Makes a record of NOTE in CCSID 37: four digits, and one letter before blanks.
fn note(digits: &str, letter: &str) -> String {
    let digits: String = digits.chars().map(|digit| format!("F{digit}")).collect();
    format!("{digits}{letter}{}", "40".repeat(19))
}

#[test]
fn the_vector_of_a_request_is_its_answer() {
    let line = |request: &str, response: &str| {
        format!("{{\"request\": {{\"hex\": \"{request}\"}}, \"response\": {response}}}\n")
    };
    let hex = |record: &str| format!("{{\"hex\": \"{record}\"}}");
    let vectors = [
        line(&note("0007", "81"), &hex(&note("0008", "82"))),
        line(&note("0009", "81"), r#"{"failure": "refused"}"#),
        line(&note("0010", "81"), r#"{"failure": "failed"}"#),
        line(&note("0011", "81"), r#"{"failure": "timed_out"}"#),
    ]
    .concat();
    let folder = folder("", &vectors);
    let gantry = Gantry::folder(folder.path());
    let body = r#"{"words":"a"}"#;
    let answer = gantry.put("/echo/7", body);
    assert_eq!((answer.status, answer.text()), (200, r#"{"number_of":8,"words":"b"}"#));
    gantry.put("/echo/9", body).fails(503, "GTY0503E");
    gantry.put("/echo/10", body).fails(502, "GTY0500E");
    gantry.put("/echo/11", body).fails(503, "BAQR0405I");
    gantry.put("/echo/7", r#"{"words":"c"}"#).fails(502, "GTY0500E");
    let log = gantry.stop();
    assert!(log.contains("no vector matches the request, a record of 24 bytes"), "{log}");
}

#[test]
fn recorded_lines_of_one_api_are_played() {
    let recorded = |kind: &str, api: &str, record: &str| {
        format!(r#"{{"kind":"{kind}","api":"{api}","method":"PUT","path":"/x","ccsid":37,"hex":"{record}"}}"#)
            + "\n"
    };
    let vectors = [
        recorded("response", "other", &note("0001", "81")),
        recorded("request", "notes", &note("0007", "81")),
        recorded("response", "notes", &note("0002", "82")),
        recorded("response", "notes", &note("0003", "83")),
    ]
    .concat();
    let folder = folder("vectors_api = \"notes\"", &vectors);
    let gantry = Gantry::folder(folder.path());
    let answer = |path| gantry.put(path, r#"{"words":"a"}"#).text().to_owned();
    assert_eq!(answer("/echo/7"), r#"{"number_of":2,"words":"b"}"#);
    assert_eq!(answer("/echo/8"), r#"{"number_of":3,"words":"c"}"#);
}

#[test]
fn faults_of_vectors_are_told_with_file_and_line() {
    let said = |folder: &Folder| {
        let output = run(&["check", text(folder.path())]);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).expect("messages are UTF-8")
    };
    let faults =
        said(&folder("", "{\"response\": {\"hex\": \"00\"}}\n\n{\"response\": {\"hex\": \"0\"}}\n{}\n"));
    for part in
        ["vectors/notes.jsonl:3: 'hex' is not an even", "vectors/notes.jsonl:4: missing field `response`"]
    {
        assert!(faults.contains(part), "{faults}");
    }
    let provider =
        |answer: &str, more: &str| Folder::echo("").with("services/echo.toml", &service(answer, more));
    for (folder, part) in [
        (provider("playback", ""), "answer = \"playback\" needs a file as 'vectors'"),
        (provider("playback", "vectors = \"../x\""), "expected a file below vectors/, found '../x'"),
        (provider("playback", "vectors = \"none.jsonl\""), "vectors/none.jsonl cannot be read"),
        (provider("echo", "vectors = \"notes.jsonl\""), "'vectors' goes with answer = \"playback\""),
        (provider("echo", "vectors_api = \"x\""), "'vectors_api' goes with answer = \"playback\""),
        (provider("echo", "hex = \"00\""), "'hex' goes with answer = \"constant\""),
        (folder("vectors_api = \"x\"", "{\"kind\":\"response\",\"hex\":\"\"}"), "of the API 'x', found none"),
    ] {
        let faults = said(&folder);
        assert!(faults.contains(part), "{part}: {faults}");
    }
}
