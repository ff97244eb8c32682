//! Tests `gantry import mqsc`: a script becomes a queue manager that serves, and hand edits stay.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::process::{Gantry, run, text};

const SCRIPT: &str = "\
* Queue manager name: QMA
ALTER QMGR DEADQ('SYSTEM.DEAD.LETTER.QUEUE') CHLAUTH(ENABLED)
DEFINE QLOCAL('ORDERS') +
   DESCR('Orders of today') +
   DEFPSIST(YES) +
*  CRDATE(2024-01-31) +
   MAXDEPTH(2) +
   NPMCLASS(HIGH) +
   REPLACE
DEFINE QALIAS('TO.ORDERS') TARGQ('ORDERS') REPLACE
DEFINE QREMOTE('FAR') RNAME('FAR') RQMNAME('QMB')
DEFINE SUB('news') TOPICSTR('orders/+/new') DEST('ORDERS') REPLACE
DEFINE CHANNEL('APP.SVRCONN') CHLTYPE(SVRCONN)
DEFINE LISTENER('TCP') TRPTYPE(TCP) PORT(1414)
START LISTENER('TCP')
";

fn import(folder: &Folder, more: &[&str]) -> Output {
    let (from, into) = (folder.path().join("scripts"), folder.path().join("conf"));
    let mut arguments = vec!["import", "mqsc", text(&from), "-o", text(&into)];
    arguments.extend(more);
    run(&arguments)
}

fn imported(folder: &Folder, more: &[&str]) -> String {
    let done = import(folder, more);
    let told = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{told}");
    told
}

fn written(folder: &Folder) -> String {
    fs::read_to_string(folder.path().join("conf/gantry.toml")).expect("gantry.toml")
}

#[test]
fn a_script_becomes_a_queue_manager_that_serves() {
    let folder =
        Folder::empty().with("scripts/qma.mqsc", SCRIPT).with("scripts/README.md", "DEFINE QLOCAL(NO)");
    let told = imported(&folder, &[]);
    let at = folder.path().join("scripts/qma.mqsc").display().to_string();
    for expected in [
        "new: queue_manager: name, dead_letter_queue\n".to_owned(),
        "new: queue_manager.queue: SYSTEM.DEAD.LETTER.QUEUE, ORDERS, TO.ORDERS\n".to_owned(),
        format!("note: {at}:2 QMGR: has no counterpart for CHLAUTH\n"),
        format!(
            "note: {at}:3 QLOCAL(ORDERS): NPMCLASS(HIGH) is left out: queues here have NPMCLASS(NORMAL)\n"
        ),
        format!("note: {at}:11 QREMOTE(FAR): its messages go to another queue manager, and there is none\n"),
        format!("note: {at}:13 CHANNEL(APP.SVRCONN): there are no channels: "),
    ] {
        assert!(told.contains(&expected), "{expected} in\n{told}");
    }
    let last = told.lines().rfind(|line| line.contains("definitions: ")).expect("a summary");
    assert!(
        last.starts_with("5 definitions: 6 sections new, 0 unchanged, 0 kept as they are; 6 notes"),
        "{told}"
    );
    let conf = folder.path().join("conf");
    let check = run(&["check", text(&conf)]);
    assert!(check.status.success() && check.stderr.is_empty(), "{}", String::from_utf8_lossy(&check.stderr));
    let own = "[[listener]]\naddress = '127.0.0.1:0'\n[store]\npath = 'all.store'\n";
    fs::write(conf.join("gantry.toml"), format!("{own}{}", written(&folder))).expect("a file");
    let gantry = Gantry::configured(&conf);
    let queue = |name: &str| format!("/ibmmq/rest/v2/messaging/qmgr/QMA/queue/{name}/message");
    let headers = "content-type: text/plain\r\nibm-mq-rest-csrf-token: x\r\n";
    assert_eq!(gantry.send("POST", &queue("TO.ORDERS"), headers, "one").status, 201);
    let topic = "/ibmmq/rest/v2/messaging/qmgr/QMA/topic/orders%2F7%2Fnew/message";
    assert_eq!(gantry.send("POST", topic, headers, "two").status, 201);
    // Two messages are as many as the queue takes.
    assert_eq!(gantry.send("POST", &queue("ORDERS"), headers, "three").status, 503);
    let got = [(); 2].map(|()| gantry.send("DELETE", &queue("ORDERS"), headers, ""));
    assert_eq!(got.map(|answer| String::from_utf8_lossy(&answer.body).into_owned()), ["one", "two"]);
}

#[test]
fn an_import_after_hand_edits_keeps_them() {
    let folder = Folder::empty().with("scripts/qma.mqsc", SCRIPT);
    imported(&folder, &[]);
    let first = written(&folder);
    let again = imported(&folder, &[]);
    assert_eq!(written(&folder), first);
    assert!(!again.contains("wrote ") && again.contains(" 0 sections new, 6 unchanged"), "{again}");
    let edited =
        first.replace("depth_max = 2", "depth_max = 3 # with room").replace("\"TO.ORDERS\"", "\"TO\"");
    fs::write(folder.path().join("conf/gantry.toml"), &edited).expect("an edit");
    let third = imported(&folder, &["--name", "QMB"]);
    assert!(third.contains("queue_manager.queue ORDERS: depth_max is 3; "), "{third}");
    assert!(third.contains("queue_manager name: name is \"QMA\"; "), "{third}");
    assert!(third.contains("1 section new, ") && third.contains(" 2 kept as they are"), "{third}");
    assert!(written(&folder).starts_with(&edited));
}

#[test]
fn a_dry_run_and_json_tell_what_would_be() {
    let folder = Folder::empty().with("scripts/qma.mqsc", SCRIPT);
    let told = imported(&folder, &["--dry-run"]);
    assert!(told.contains("[[queue_manager.queue]]\nname = \"ORDERS\""), "{told}");
    assert!(
        told.contains("dry run, nothing was written: ") && !folder.path().join("conf").exists(),
        "{told}"
    );
    let told = imported(&folder, &["--dry-run", "--json"]);
    let value: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(
        (&value["dryRun"], &value["new"], &value["definitions"]),
        (&json!(true), &json!(6), &json!(5))
    );
    assert_eq!(value["notes"][0]["line"], 2);
    assert!(value.get("programs").is_none());
}

#[test]
fn what_is_no_script_is_refused() {
    let folder = Folder::empty().with("a.sh", "runmqsc QM1 < b\n");
    let (from, into) = (folder.path().join("a.sh"), folder.path().join("conf"));
    let refused = run(&["import", "mqsc", text(&from), "-o", text(&into)]);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && told.contains("expected commands of MQSC, found none of them: "),
        "{told}"
    );
    assert!(!into.exists());
    let wrong = run(&["import", "mqsc", text(&from), "-o", text(&into), "--name", "Q M"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("1 to 48 letters"));
}
