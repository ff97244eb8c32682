//! Tests services with a record in one direction only, or without records.

use crate::folder::Folder;
use crate::process::{Gantry, run, text};

/// Takes nothing, and adds an item to a queue.
const ADD: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. ADDONE.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  ITEM-TEXT PIC X VALUE 'A'.
       PROCEDURE DIVISION.
           IF EIBCALEN NOT = 0
               EXEC CICS ABEND ABCODE('LONG') END-EXEC
           END-IF.
           EXEC CICS WRITEQ TS QNAME('COUNTED') FROM(ITEM-TEXT)
               LENGTH(1) END-EXEC.
           EXEC CICS RETURN END-EXEC.
";

/// Takes a text, and adds it to the queue.
const NOTE: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. ADDTEXT.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  NOTE-TEXT PIC X(4).
       PROCEDURE DIVISION.
           EXEC CICS WRITEQ TS QNAME('COUNTED') FROM(NOTE-TEXT)
               LENGTH(4) END-EXEC.
           EXEC CICS RETURN END-EXEC.
";

/// Gives the number of items, in a commarea and in a container.
const COUNT: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. COUNTER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  ITEM-TEXT PIC X(4).
       01  ITEM-LENGTH PIC S9(4) COMP VALUE 4.
       01  FOUND PIC S9(4) COMP VALUE 0.
       01  COUNTED.
           05  ITEMS-COUNTED PIC 9(4).
       01  GIVEN PIC X(16).
       LINKAGE SECTION.
       01  DFHCOMMAREA PIC X(4).
       PROCEDURE DIVISION.
           EXEC CICS READQ TS QNAME('COUNTED') INTO(ITEM-TEXT)
               LENGTH(ITEM-LENGTH) ITEM(1) NUMITEMS(FOUND) END-EXEC.
           MOVE FOUND TO ITEMS-COUNTED.
           EXEC CICS ASSIGN CHANNEL(GIVEN) END-EXEC.
           IF GIVEN = SPACES
               MOVE COUNTED TO DFHCOMMAREA
           ELSE
               EXEC CICS PUT CONTAINER('HOW-MANY')
                   FROM(COUNTED) END-EXEC
           END-IF.
           EXEC CICS RETURN END-EXEC.
";

const RECORD: &str = "           05  ITEMS-COUNTED PIC 9(4).\n";
const TEXT: &str = "           05  NOTE-TEXT PIC X(4).\n";

fn folder() -> Folder {
    let service = |program: &str, more: &str| {
        format!("ccsid = 819\n[provider]\nkind = \"program\"\nprogram = \"{program}\"\n{more}")
    };
    let counted = "[response]\ncopybook = \"COUNTED.cpy\"\nwrapper = \"\"\n";
    let noted = "[request]\ncopybook = \"NOTED.cpy\"\nwrapper = \"\"\n";
    let operation = |method: &str, name: &str| {
        format!("[[operation]]\nmethod = \"{method}\"\npath = \"/{name}\"\nservice = \"{name}\"\n")
    };
    let api = [
        "base_path = \"/items\"\n".to_owned(),
        operation("POST", "add"),
        operation("PUT", "note"),
        operation("GET", "count"),
        operation("GET", "count-channel"),
    ];
    Folder::empty()
        .with("gantry.toml", "[region]\nworkers = 1\n")
        .with("programs/ADDONE.cbl", ADD)
        .with("programs/ADDTEXT.cbl", NOTE)
        .with("programs/COUNTER.cbl", COUNT)
        .with("copybooks/COUNTED.cpy", RECORD)
        .with("copybooks/NOTED.cpy", TEXT)
        .with("services/add.toml", &service("ADDONE", ""))
        .with("services/note.toml", &service("ADDTEXT", noted))
        .with("services/count.toml", &service("COUNTER", counted))
        .with(
            "services/count-channel.toml",
            &service(
                "COUNTER",
                &format!("channel = \"ITEMS\"\nresponse_container = \"HOW-MANY\"\n{counted}"),
            ),
        )
        .with("apis/items/api.toml", &api.concat())
}

#[test]
fn a_program_may_take_or_give_nothing() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    let json = "content-type: application/json\r\n";
    for body in ["", "{}"] {
        let answer = gantry.send("POST", "/items/add", json, body);
        assert_eq!((answer.status, answer.text()), (204, ""), "{body}");
        assert_eq!(answer.header("content-type"), None);
    }
    gantry.send("POST", "/items/add", json, r#"{"a":1}"#).fails(400, "GTY0420W");
    let answer = gantry.send("PUT", "/items/note", json, r#"{"note_text":"moon"}"#);
    assert_eq!((answer.status, answer.text()), (204, ""));
    gantry.send("PUT", "/items/note", json, "").fails(400, "GTY0402W");
    for path in ["/items/count", "/items/count-channel"] {
        gantry.get(path).is_json(200, r#"{"items_counted":3}"#);
    }
}

#[test]
fn documents_tell_of_the_side_that_is_missing() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    for (path, has_schema) in [("/items/openapi.json", "content"), ("/items/api-docs", "schema")] {
        let document: serde_json::Value = serde_json::from_slice(&gantry.get(path).body).expect("JSON");
        let answers = |path: &str, method: &str| document["paths"][path][method]["responses"].clone();
        let nothing = answers("/add", "post");
        assert!(nothing["204"]["description"].as_str().is_some_and(|text| text.contains("nothing back")));
        assert!(nothing["204"].get(has_schema).is_none() && nothing.get("200").is_none(), "{nothing}");
        assert!(answers("/count", "get")["200"].get(has_schema).is_some());
    }
}

#[test]
fn without_records_a_service_is_called_directly_with_an_object_of_nothing() {
    let folder = folder();
    let called = |name: &str, json: &str| {
        let output = run(&["call", name, "--in", text(folder.path()), "--json", json]);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    assert_eq!(called("add", "{}"), (Some(0), "{}".to_owned()));
    assert_eq!(called("note", r#"{"note_text":"moon"}"#), (Some(0), "{}".to_owned()));
    let checked = run(&["check", text(folder.path())]);
    assert_eq!((checked.status.code(), String::from_utf8_lossy(&checked.stderr).as_ref()), (Some(0), ""));
}
