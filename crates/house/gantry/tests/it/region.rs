//! Tests the region on the admin address: its tasks, its queues, and the purge of a task. These
//! tests need GnuCOBOL 3.

use serde_json::{Value, json};

use crate::administration::key;
use crate::client::{Client, Response};
use crate::folder::Folder;
use crate::process::{Gantry, request, text};
use crate::security::KEYS;

/// Writes two items, and waits until somebody ends it.
const WAITER: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WAITER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-ITEM           PIC X(4).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY WAITREC.
       PROCEDURE DIVISION.
           MOVE 'ONE' TO WS-ITEM.
           EXEC CICS WRITEQ TS QUEUE('LOOKED') FROM(WS-ITEM) END-EXEC.
           MOVE X'C1C2000A' TO WS-ITEM.
           EXEC CICS WRITEQ TS QUEUE('LOOKED') FROM(WS-ITEM) END-EXEC.
           EXEC CICS DELAY FOR HOURS(1) REQID('WAITER') END-EXEC.
           EXEC CICS RETURN END-EXEC.
";

const SERVICE: &str = r#"
ccsid = 819
naming = "cobol"
provider = { kind = "program", program = "WAITER" }
[request]
copybook = "WAITREC.cpy"
wrapper = ""
[response]
copybook = "WAITREC.cpy"
wrapper = ""
"#;

const API: &str =
    "base_path = \"/wait\"\n[[operation]]\nmethod = \"POST\"\npath = \"/\"\nservice = \"wait\"\n";

/// Makes a region with the program WAITER behind `/wait/`. `more` follows the section `[region]`.
pub(crate) fn folder(more: &str) -> Folder {
    let folder = Folder::empty();
    let cache = format!("{}/.cache", text(folder.path()));
    let listener = "[[listener]]\naddress = \"127.0.0.1:0\"\n[admin]\naddress = \"127.0.0.1:0\"\n";
    let region = format!("[region]\ncache = \"{cache}\"\nworkers = 2\napplid = \"SHOWN\"\n");
    folder
        .with("gantry.toml", &format!("{listener}{region}{more}"))
        .with("programs/WAITER.cbl", WAITER)
        .with("copybooks/WAITREC.cpy", "           05  WT-TEXT  PIC X(4).\n")
        .with("services/wait.toml", SERVICE)
        .with("apis/wait/api.toml", API)
}

pub(crate) fn ask(gantry: &Gantry, method: &str, path: &str, headers: &str) -> Response {
    Client::connect(gantry.admin).ask(request(method, path, headers, "").as_bytes())
}

pub(crate) fn get(gantry: &Gantry, path: &str) -> Value {
    let answer = ask(gantry, "GET", path, "");
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    serde_json::from_str(answer.text()).expect("JSON")
}

#[test]
fn a_task_is_seen_and_purged_and_its_queue_is_read() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    let headers = "content-type: application/json\r\nconnection: close\r\n";
    let mut caller = gantry.connect();
    caller.send(request("POST", "/wait/", headers, r#"{"WT-TEXT":""}"#).as_bytes());
    let waits = json!({ "what": "interval", "name": "WAITER" });
    crate::reload::wait(|| get(&gantry, "/region/tasks")["tasks"][0]["waitsFor"] == waits);
    let task = &get(&gantry, "/region/tasks")["tasks"][0];
    assert_eq!((&task["program"], &task["user"]), (&json!("WAITER"), &json!("GANTRY")));
    let summary = get(&gantry, "/region");
    assert_eq!((&summary["applid"], &summary["tasks"]), (&json!("SHOWN"), &json!(1)));
    let workers = get(&gantry, "/region/workers");
    let workers = workers["workers"].as_array().expect("a list");
    assert!(workers.iter().any(|worker| worker["pid"] == task["worker"] && worker["task"] == task["number"]));

    let queues = get(&gantry, "/region/queues");
    assert_eq!(queues["queues"][0]["name"], "LOOKED");
    assert_eq!((&queues["queues"][0]["items"], &queues["isCut"]), (&json!(2), &json!(false)));
    let item = get(&gantry, "/region/queues/LOOKED?item=2");
    let data =
        json!({ "bytes": 4, "hex": "C1C2000A", "ccsid": 819, "text": "\u{c1}\u{c2}..", "text037": "AB.." });
    assert_eq!(item["data"], data);
    assert_eq!(get(&gantry, "/region/queues/LOOKED")["data"]["text"], "ONE ");

    let purge = format!("/region/tasks/{}/purge", task["number"]);
    assert_eq!(ask(&gantry, "POST", &purge, "").status, 200);
    assert!(caller.rest().starts_with("HTTP/1.1 502"));
    assert_eq!(ask(&gantry, "POST", &purge, "").status, 404);
    let programs = get(&gantry, "/region/programs");
    let program = &programs["programs"][0];
    assert_eq!((&program["name"], &program["abends"]), (&json!("WAITER"), &json!(1)));
    assert_eq!(
        (&program["lastAbend"]["code"], &program["lastAbend"]["task"]),
        (&json!("AKC3"), &task["number"])
    );
}

#[test]
fn what_is_not_there_is_told() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    for (method, path, status, expected) in [
        ("GET", "/region/queues/NONE", 404, "there is no queue 'NONE'"),
        ("GET", "/region/queues/NONE?item=x", 400, "expected the number of an item in 'item', found 'x'"),
        ("GET", "/region/other", 404, "the region has no such URL"),
        ("POST", "/region/tasks/none/purge", 404, "no task none runs"),
        ("GET", "/region/tasks/1/purge", 405, "POST only"),
        ("POST", "/region/queues", 405, "GET only"),
        ("POST", "/region/units/01/commit", 404, "no unit '01' is in doubt"),
        ("GET", "/region/units/01/backout", 405, "POST only"),
    ] {
        let answer = ask(&gantry, method, path, "");
        assert_eq!((answer.status, answer.text().trim_end()), (status, expected), "{method} {path}");
    }
    let without = Gantry::folder(Folder::echo("").path());
    assert_eq!(ask(&without, "GET", "/region", "").text(), "there is no region\n");
}

#[test]
fn readers_look_and_operators_purge() {
    let roles = "[security.roles]\noperations = [\"operators\"]\nreader = [\"readers\"]\n";
    let folder = folder(&format!("{KEYS}\n{roles}"));
    let (reader, operator) = (key(&folder, "r", "readers"), key(&folder, "o", "operators"));
    let gantry = Gantry::folder(folder.path());
    let purge = "/region/tasks/1/purge";
    let statuses = |key: &str| {
        let look = ask(&gantry, "GET", "/region/queues", key).status;
        (look, ask(&gantry, "POST", purge, key).status)
    };
    let force = ask(&gantry, "POST", "/region/units/01/commit", &reader);
    assert_eq!((force.status, ask(&gantry, "GET", "/region/units", &reader).status), (403, 200));
    assert_eq!(statuses(""), (401, 401));
    assert_eq!(statuses(&reader), (200, 403));
    assert_eq!(statuses(&operator), (200, 404));
}

#[test]
fn programs_that_wait_have_more_workers_than_cores() {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let folder = folder("");
    let toml = std::fs::read_to_string(folder.path().join("gantry.toml")).expect("a text");
    let unsaid = toml.replace("workers = 2\n", "");
    let folder = folder.with("gantry.toml", &unsaid);
    let count = |gantry: &Gantry| get(gantry, "/region/workers")["workers"].as_array().map_or(0, Vec::len);
    let gantry = Gantry::folder(folder.path());
    crate::reload::wait(|| count(&gantry) == 4 * cores);
    drop(gantry);
    // A number in the configuration wins.
    let folder = folder.with("gantry.toml", &toml);
    let gantry = Gantry::folder(folder.path());
    crate::reload::wait(|| count(&gantry) == 2);
}
