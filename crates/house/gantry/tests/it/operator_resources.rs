//! Tests what `gantry region` shows and does about STARTs that wait and about files. These tests need
//! GnuCOBOL 3.

use serde_json::{Value, json};

use crate::administration::key;
use crate::audit::lines;
use crate::folder::Folder;
use crate::operator::{REFUSED, region, shown, told};
use crate::process::{Gantry, request};
use crate::region::folder;
use crate::security::KEYS;

/// Starts two tasks that begin in an hour, and adds a record to a file.
const STARTS: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. STARTS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RECORD         PIC X(20) VALUE 'first'.
       01  WS-RBA            PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY WAITREC.
       PROCEDURE DIVISION.
           EXEC CICS START TRANSID('LATE') REQID('PAY 1')
               FROM('HELLO') RTERMID('T001') AFTER HOURS(1) END-EXEC.
           EXEC CICS START TRANSID('LATE') REQID('SAFE')
               PROTECT AFTER HOURS(2) END-EXEC.
           EXEC CICS WRITE FILE('JOURNAL') FROM(WS-RECORD)
               RIDFLD(WS-RBA) RBA END-EXEC.
           EXEC CICS RETURN END-EXEC.
";

const RESOURCES: &str = r#"
[[region.transaction]]
name = "LATE"
program = "STARTS"

[[region.file]]
name = "ACCOUNTS"
organization = "ksds"
record_bytes = 80
record_format = "fixed"
key_offset = 2
key_bytes = 10
allow = ["read", "browse"]

[[region.file]]
name = "BYNAME"
path_of = "ACCOUNTS"
key_offset = 12
key_bytes = 30
status = "disabled"

[[region.file]]
name = "JOURNAL"
organization = "esds"
record_bytes = 20
recoverable = false
"#;

fn with_resources(more: &str) -> Folder {
    let folder = folder(&format!("store = \"region.store\"\n{RESOURCES}{more}"));
    let service = std::fs::read_to_string(folder.path().join("services/wait.toml")).expect("a text");
    folder
        .with("programs/STARTS.cbl", STARTS)
        .with("services/wait.toml", &service.replace("WAITER", "STARTS"))
}

fn call(gantry: &Gantry, key: &str) {
    let headers = format!("content-type: application/json\r\n{key}");
    let answer = gantry.send("POST", "/wait/", &headers, r#"{"WT-TEXT":"here"}"#);
    assert_eq!(answer.status, 200, "{}", answer.text());
}

fn json_of(gantry: &Gantry, what: &str) -> Value {
    serde_json::from_str(&shown(gantry, &[what, "--json"])).expect("JSON")
}

#[test]
fn starts_that_wait_are_shown_and_cancelled() {
    let folder = with_resources("");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(shown(&gantry, &["starts"]), "no START waits\n");
    call(&gantry, "");
    let starts = json_of(&gantry, "starts");
    let [pay, safe] = &starts["starts"].as_array().expect("a list")[..] else { panic!("{starts}") };
    assert_eq!((&pay["request"], &pay["requestHex"]), (&json!("PAY 1"), &json!("5041592031202020")));
    assert_eq!(
        (&pay["transaction"], &pay["user"], &pay["isDue"]),
        (&json!("LATE"), &json!("GANTRY"), &json!(false))
    );
    assert_eq!(
        (&pay["dataBytes"], &pay["returnTerminal"], &pay["protected"]),
        (&json!(5), &json!("T001"), &json!(false))
    );
    let apart = |of: &Value| of["dueUnixSeconds"].as_u64().expect("a time");
    assert!((3_599..=3_601).contains(&(apart(safe) - apart(pay))), "{starts}");
    assert_eq!((&safe["dataBytes"], &safe["protected"]), (&Value::Null, &json!(true)));
    let table = shown(&gantry, &["starts"]);
    assert!(table.starts_with("REQUEST  TRAN  DUE "), "{table}");
    let row = table.lines().nth(1).expect("a row");
    assert!(
        row.starts_with("PAY 1    LATE  ") && row.contains("  waits  GANTRY     5        -  T001     no "),
        "{table}"
    );

    assert_eq!(
        shown(&gantry, &["cancel", "PAY 1"]),
        "cancelled START PAY 1: transaction LATE, user GANTRY\n"
    );
    let again = told(&region(&gantry, &["cancel", "PAY 1"]));
    assert_eq!(again, (REFUSED, "gantry: no START 'PAY 1' waits\n".to_owned()));
    // SAFE, in hexadecimal.
    shown(&gantry, &["cancel", "5341464520202020"]);
    assert_eq!(shown(&gantry, &["starts"]), "no START waits\n");
    gantry.stop();
    let gantry = Gantry::folder(folder.path());
    assert_eq!(json_of(&gantry, "starts")["starts"], json!([]), "a cancelled START does not come back");
}

#[test]
fn files_are_shown_with_what_is_defined_of_them() {
    let folder = with_resources("");
    let gantry = Gantry::folder(folder.path());
    call(&gantry, "");
    let answer = json_of(&gantry, "files");
    assert!(answer["store"].as_str().is_some_and(|store| store.ends_with("region.store")), "{answer}");
    let [accounts, byname, journal] = &answer["files"].as_array().expect("a list")[..] else {
        panic!("{answer}")
    };
    assert_eq!(
        accounts,
        &json!({
            "name": "ACCOUNTS", "organization": "ksds", "pathOf": null, "openStatus": "open",
            "enableStatus": "enabled", "recoverable": true, "recordFormat": "fixed", "recordBytes": 80,
            "keyOffset": 2, "keyBytes": 10, "allow": ["read", "browse"], "records": null,
            "lockedRecords": 0, "tasksWaiting": 0,
        })
    );
    assert_eq!(
        (&byname["pathOf"], &byname["keyOffset"], &byname["enableStatus"]),
        (&json!("ACCOUNTS"), &json!(12), &json!("disabled"))
    );
    assert_eq!(
        (&journal["organization"], &journal["records"], &journal["recoverable"]),
        (&json!("esds"), &json!(1), &json!(false))
    );
    let table = shown(&gantry, &["files"]);
    assert!(table.starts_with("FILE      ORGANIZATION      OPEN    ENABLED"), "{table}");
    let row = table.lines().find(|line| line.starts_with("BYNAME")).expect("a row");
    assert!(row.contains("path of ACCOUNTS  closed  disabled"), "{table}");
    assert!(
        table.lines().last().is_some_and(|line| line.starts_with("the records are in the store ")),
        "{table}"
    );
    let without = Gantry::folder(crate::region::folder("").path());
    assert_eq!(shown(&without, &["files"]), "there are no files\n");
}

#[test]
fn cancelling_needs_the_right_and_is_recorded() {
    let roles = "[security.roles]\noperations = [\"operators\"]\nreader = [\"readers\"]\n";
    let audit = "[[interceptor]]\nkind = \"audit\"\nname = \"audit\"\nglobal = true\n[interceptor.file]\n\
                 path = \".gantry/audit.jsonl\"\n";
    let folder = with_resources(&format!("{KEYS}\n{roles}{audit}"));
    let (reader, operator) = (key(&folder, "r", "readers"), key(&folder, "o", "operators"));
    let gantry = Gantry::folder(folder.path());
    let send = |method: &str, path: &str, key: &str| {
        crate::client::Client::connect(gantry.admin).ask(request(method, path, key, "").as_bytes()).status
    };
    for path in ["/region/starts", "/region/files"] {
        assert_eq!([&reader, &operator, ""].map(|key| send("GET", path, key)), [200, 200, 401], "{path}");
    }
    let path = "/region/starts/PAY%201/cancel";
    assert_eq!([&reader, &operator, ""].map(|key| send("POST", path, key)), [403, 404, 401]);
    let records = folder.path().join(".gantry/audit.jsonl");
    gantry.stop();
    let acts: Vec<Value> = lines(&records).into_iter().filter(|line| line["action"] == "cancel").collect();
    assert!(
        acts.iter().any(|act| (&act["kind"], &act["name"], &act["succeeded"])
            == (&json!("start"), &json!("PAY 1"), &json!(false))),
        "{acts:?}"
    );
}
