//! Tests that `gantry call` runs the whole configuration on a store of its own: queues, listeners,
//! started tasks and files. The command reports the things left over, and the gateway's store stays as it is.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Output};

use crate::folder::Folder;
use crate::listeners::folder as listening;
use crate::process::{Gantry, run, text};

/// Calls a service. Its temporary files are in the folder `tmp` of the configuration, which is empty
/// afterwards.
fn call(folder: &Folder, arguments: &[&str]) -> Output {
    let tmp = folder.path().join("tmp");
    std::fs::create_dir_all(&tmp).expect("a folder");
    let called = Command::new(env!("CARGO_BIN_EXE_gantry"))
        .arg("call")
        .args(arguments)
        .args(["--in", text(folder.path())])
        .env("TMPDIR", &tmp)
        .output()
        .expect("the binary starts");
    let left: Vec<_> = std::fs::read_dir(&tmp).expect("a folder").flatten().collect();
    assert!(left.is_empty(), "{left:?}: {called:?}");
    called
}

/// Standard output and standard error of a call that succeeds.
#[track_caller]
fn said(called: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(called.status.success(), "{called:?}");
    (text(&called.stdout), text(&called.stderr))
}

fn source(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
    std::fs::read_to_string(path).expect("a text")
}

const SERVICE: &str = r#"
ccsid = 819
[provider]
kind = "program"
program = "BEGINS"
[request]
copybook = "BEGINS.cpy"
wrapper = ""
[response]
copybook = "BEGINS.cpy"
wrapper = ""
"#;

/// Uses everything that a store has.
const BEGINS: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. BEGINS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-ROW          PIC X(16).
       01  WS-ITEM         PIC X(4) VALUE 'ITEM'.
       01  WS-RESP         PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY BEGINS.
       PROCEDURE DIVISION.
           EVALUATE BE-ACT
               WHEN 'ALL'
                   EXEC CICS START TRANSID('SOON') END-EXEC
                   EXEC CICS START TRANSID('LATE') INTERVAL(010000)
                       END-EXEC
                   EXEC CICS START TRANSID('LATE') INTERVAL(020000)
                       PROTECT END-EXEC
                   MOVE 'A001' TO WS-ROW
                   EXEC CICS WRITE FILE('ROWS') FROM(WS-ROW)
                       RIDFLD(WS-ROW(1:4)) END-EXEC
                   EXEC CICS WRITEQ TS QUEUE('NOTES') FROM(WS-ITEM)
                       END-EXEC
                   EXEC CICS WRITEQ TS QUEUE('KEPT') FROM(WS-ITEM)
                       AUXILIARY END-EXEC
                   EXEC CICS WRITEQ TD QUEUE('JRNL') FROM(WS-ITEM)
                       END-EXEC
               WHEN 'ABEND'
                   MOVE 'A001' TO WS-ROW
                   EXEC CICS WRITE FILE('ROWS') FROM(WS-ROW)
                       RIDFLD(WS-ROW(1:4)) END-EXEC
                   EXEC CICS ABEND ABCODE('OOPS') END-EXEC
               WHEN 'FAILS'
                   EXEC CICS START TRANSID('FAIL') END-EXEC
           END-EVALUATE
           MOVE BE-KEY TO WS-ROW
           EXEC CICS READ FILE('ROWS') INTO(WS-ROW)
               RIDFLD(WS-ROW(1:4)) RESP(WS-RESP) END-EXEC
           MOVE WS-RESP TO BE-RESP
           EXEC CICS RETURN END-EXEC.
";

const COPYBOOK: &str = "           05  BE-ACT      PIC X(8).
           05  BE-KEY      PIC X(4).
           05  BE-RESP     PIC 9(4).
";

/// Runs after a second, so that the command must wait for it.
const RUNS: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. RUNS.
       PROCEDURE DIVISION.
           EXEC CICS DELAY FOR MILLISECS(300) END-EXEC
           DISPLAY 'RUNS HAS RUN'
           EXEC CICS RETURN END-EXEC.
";

const FAILING: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. FAILING.
       PROCEDURE DIVISION.
           EXEC CICS ABEND ABCODE('LATR') END-EXEC.
";

const DEFINITIONS: &str = "workers = 2
[[region.transaction]]
name = 'SOON'
program = 'RUNS'
[[region.transaction]]
name = 'LATE'
program = 'RUNS'
[[region.transaction]]
name = 'FAIL'
program = 'FAILING'
[[region.file]]
name = 'ROWS'
organization = 'ksds'
record_bytes = 16
key_bytes = 4
[[region.file]]
name = 'UNUSED'
organization = 'ksds'
record_bytes = 16
key_bytes = 4
load = 'rows.txt'
load_format = 'lines'
[[region.tdqueue]]
name = 'JRNL'
";

fn folder() -> Folder {
    let folder = Folder::empty();
    let place = text(folder.path()).to_owned();
    let ends = "[[listener]]\naddress = '127.0.0.1:0'\n[admin]\naddress = '127.0.0.1:0'\n";
    let gantry =
        format!("{ends}[store]\npath = '.state/store'\n[region]\ncache = '{place}/.cache'\n{DEFINITIONS}");
    folder
        .with("programs/BEGINS.cbl", BEGINS)
        .with("programs/RUNS.cbl", RUNS)
        .with("programs/FAILING.cbl", FAILING)
        .with("copybooks/BEGINS.cpy", COPYBOOK)
        .with("services/begins.toml", SERVICE)
        .with("rows.txt", "Z001one\n")
        .with("gantry.toml", &gantry)
}

const ALL: &str = r#"{"be_act":"ALL","be_key":"A001"}"#;
const READ: &str = r#"{"be_act":"READ","be_key":"A001"}"#;

#[test]
fn a_call_begins_with_an_empty_store_waits_for_its_tasks_and_tells_what_is_left() {
    let folder = folder();
    let (shown, told) = said(&call(&folder, &["begins", "--json", ALL]));
    assert!(shown.contains(r#""be_resp":0"#), "{shown}");
    assert!(told.contains("RUNS HAS RUN"), "{told}");
    let line = told.lines().find(|line| line.starts_with("left over, and gone now: ")).expect("a line");
    for expected in [
        "changed records in the file ROWS",
        "1 item in the TS queue KEPT",
        "1 item in the TS queue NOTES (MAIN)",
        "1 record in the TD queue JRNL",
        "--store FOLDER keeps",
    ] {
        assert!(line.contains(expected), "{expected} in {line}");
    }
    assert_eq!(line.matches("a START of LATE, whose time has not come").count(), 2, "{line}");
    assert!(!line.contains("UNUSED") && !line.contains("SOON"), "{line}");
    // The next call finds nothing of it, and leaves nothing.
    let (shown, told) = said(&call(&folder, &["begins", "--json", READ]));
    assert!(shown.contains(r#""be_resp":13"#), "NOTFND: {shown}");
    assert_eq!(told, "");
    assert!(!folder.path().join(".state").exists(), "the store of the gateway was made");
}

#[test]
fn a_store_in_a_folder_is_kept_and_loaded_beside_a_gateway() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    let trial = folder.path().join("trial");
    let store = text(&trial);
    let (_, told) = said(&call(&folder, &["begins", "--json", ALL, "--store", store]));
    let line = told.lines().find(|line| line.starts_with("kept in ")).expect("a line");
    let (kept, gone) = line.split_once("; left over, and gone now: ").expect("two parts");
    for (part, expected) in [
        (kept, "1 item in the TS queue KEPT"),
        (kept, "a START of LATE"),
        (gone, "1 item in the TS queue NOTES (MAIN)"),
        (gone, "a START of LATE"),
    ] {
        assert!(part.contains(expected), "{expected} in {line}");
    }
    let (shown, _) = said(&call(&folder, &["begins", "--json", READ, "--store", store]));
    assert!(shown.contains(r#""be_resp":0"#), "{shown}");
    // Files of the same store, from flat files and into them.
    let rows = folder.path().join("rows.txt");
    std::fs::write(&rows, "B001\n").expect("written");
    let place = ["--in", text(folder.path()), "--store", store];
    let loaded = run(&[&["file", "load", "ROWS", text(&rows), "--recfm", "lines"][..], &place].concat());
    assert!(loaded.status.success(), "{loaded:?}");
    let loaded = r#"{"be_act":"READ","be_key":"B001"}"#;
    let (shown, _) = said(&call(&folder, &["begins", "--json", loaded, "--store", store]));
    assert!(shown.contains(r#""be_resp":0"#), "{shown}");
    // The gateway has none of it.
    let listed = run(&["file", "list", "ROWS", "--in", text(folder.path())]);
    assert!(!listed.status.success(), "the gateway holds its store: {listed:?}");
    gantry.stop();
    let listed = run(&["file", "list", "ROWS", "--in", text(folder.path())]);
    assert!(listed.status.success() && listed.stdout.is_empty(), "{listed:?}");
    let refused = call(&folder, &["begins", "--json", READ, "--store", text(&folder.path().join(".state"))]);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && told.contains("has the store of the gateway"), "{told}");
}

#[test]
fn failures_of_the_call_and_of_started_tasks_are_told() {
    let folder = folder();
    let failed = call(&folder, &["begins", "--json", r#"{"be_act":"ABEND"}"#]);
    let told = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert!(!failed.status.success() && told.contains("OOPS"), "{told}");
    // The unit of work was backed out.
    assert!(!told.contains("left over"), "{told}");
    let (_, told) = said(&call(&folder, &["begins", "--json", r#"{"be_act":"FAILS"}"#]));
    assert!(told.contains("started transaction FAIL: abend LATR in program FAILING"), "{told}");
    let unknown = call(&folder, &["nothing"]);
    let told = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(told.contains("service 'nothing' does not exist; known: begins"), "{told}");
}

const MESSAGES: &str = "[queue_manager]\nname = \"QM1\"\n[[queue_manager.queue]]\nname = \"DEV.QUEUE.1\"\n";

#[test]
fn a_program_puts_and_gets_messages() {
    let folder = folder();
    let gantry = std::fs::read_to_string(folder.path().join("gantry.toml")).expect("a text");
    let folder = folder
        .with("programs/MQCALLS.cbl", &source("MQCALLS.cbl"))
        .with("copybooks/MQCALLSR.cpy", &source("MQCALLSR.cpy"))
        .with(
            "services/calls.toml",
            &SERVICE.replace("BEGINS.cpy", "MQCALLSR.cpy").replace("BEGINS", "MQCALLS"),
        )
        .with("gantry.toml", &(gantry + MESSAGES));
    let store = folder.path().join("trial");
    let put = r#"{"mc_act":"PUT","mc_queue":"DEV.QUEUE.1","mc_text":"first"}"#;
    let get = r#"{"mc_act":"GET","mc_queue":"DEV.QUEUE.1"}"#;
    let (shown, told) = said(&call(&folder, &["calls", "--json", put]));
    assert!(shown.contains(r#""mc_reason":0"#), "{shown}");
    assert!(told.contains("left over, and gone now: 1 message on DEV.QUEUE.1"), "{told}");
    let (shown, told) = said(&call(&folder, &["calls", "--json", get]));
    assert!(shown.contains(r#""mc_reason":2033"#) && told.is_empty(), "{shown}{told}");
    let (_, told) = said(&call(&folder, &["calls", "--json", put, "--store", text(&store)]));
    assert!(told.contains(": 1 message on DEV.QUEUE.1") && !told.contains("gone"), "{told}");
    let (shown, told) = said(&call(&folder, &["calls", "--json", get, "--store", text(&store)]));
    assert!(shown.contains(r#""mc_text":"first""#) && told.is_empty(), "{shown}{told}");
}

const LISTENER: &str = "[[queue_manager.listener]]\nqueue = 'IN'\nprogram = 'LISTENER'\nbackoff_ms = 10\n";

/// A service that puts a request on IN, and waits for no reply.
const SENDS: &str = "ccsid = 1252\n[provider]\nkind = \"queue\"\ndestination = \"IN\"\n\
                     [request]\ncopybook = \"LISTENER.cpy\"\nwrapper = \"\"\n[response]\ncopybook = \"LISTENER.cpy\"\nwrapper = \"\"\n";

#[test]
fn a_listener_of_the_configuration_answers_a_request_over_queues() {
    let replies = "destination = \"IN\"\nreply_destination = \"REPLIES\"\nwait_ms = 60000\n";
    let request = &SENDS.replace("destination = \"IN\"\n", replies);
    let folder = listening(LISTENER).with("services/asks.toml", request);
    let json = r#"{"li_act":"GO","li_text":"over queues"}"#;
    let (shown, told) = said(&call(&folder, &["asks", "--json", json]));
    assert!(shown.contains(r#""li_act":"DONE""#), "{shown}{told}");
    assert!(told.contains("1 message on WORK"), "{told}");
    // A message that nobody waits for is worked on, too, before the command ends.
    let folder = folder.with("services/sends.toml", SENDS);
    let (shown, told) = said(&call(&folder, &["sends", "--json", r#"{"li_act":"SLOW","li_text":"alone"}"#]));
    assert!(shown.is_empty() && told.contains("status \"204\""), "{shown}{told}");
    assert!(told.contains("1 message on WORK") && !told.contains(" on IN"), "{told}");
}

#[test]
fn a_message_that_no_listener_can_take_is_left_over() {
    let folder = listening(LISTENER).with("services/sends.toml", SENDS);
    let gantry = std::fs::read_to_string(folder.path().join("gantry.toml")).expect("a text");
    let stopped = gantry.replacen("name = 'IN'", "name = 'IN'\nget_enabled = false", 1);
    assert_ne!(stopped, gantry);
    let folder = folder.with("gantry.toml", &stopped);
    let (shown, told) = said(&call(&folder, &["sends", "--json", r#"{"li_act":"GO","li_text":"stays"}"#]));
    assert!(
        shown.is_empty() && told.contains("and for listeners to take 1 message; Ctrl-C ends it"),
        "{told}"
    );
    assert!(told.contains("left over, and gone now: 1 message on IN"), "{told}");
}

#[test]
fn data_on_standard_input_that_is_not_read_is_told_of() {
    let folder = Folder::echo("");
    let file = folder.path().join("request.json");
    std::fs::write(&file, r#"{"words":"hi"}"#).expect("a file");
    let told = |input: std::process::Stdio, arguments: &[&str]| {
        let called = Command::new(env!("CARGO_BIN_EXE_gantry"))
            .args(["call", "echo", "--in", text(folder.path())])
            .args(arguments)
            .stdin(input)
            .output()
            .expect("the binary starts");
        said(&called)
    };
    let piped = |data: &str| {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        writer.write_all(data.as_bytes()).expect("room in the pipe");
        std::process::Stdio::from(reader)
    };
    let opened = || std::fs::File::open(&file).expect("a file");
    let hint = "standard input has data, which was not read: --json - takes the request from it\n";
    let mut begun = opened();
    begun.read_exact(&mut [0; 2]).expect("two bytes");
    for (input, arguments, expected) in [
        (piped("{}"), [].as_slice(), hint),
        (opened().into(), &[], hint),
        (piped(""), &[], ""),
        (std::process::Stdio::null(), &[], ""),
        (begun.into(), &[], ""),
        (opened().into(), &["--json", "-"], ""),
        (opened().into(), &["--json", "{}"], ""),
    ] {
        assert_eq!(told(input, arguments).1, expected, "{arguments:?}");
    }
    assert_eq!(told(opened().into(), &["--json", "-"]).0, "{\"number_of\":0,\"words\":\"hi\"}\n");
}

#[test]
fn a_request_may_be_in_a_file_and_an_answer_needs_a_place() {
    let folder = Folder::echo("").with("request.json", "\u{feff}{\"words\":\"hi\"}");
    let at = |name: &str| format!("@{}", text(&folder.path().join(name)));
    let told = said(&call(&folder, &["echo", "--json", &at("request.json")])).0;
    assert_eq!(told, "{\"number_of\":0,\"words\":\"hi\"}\n");
    for (arguments, expected) in [
        (["--json", &at("none.json")], "none.json: No such file"),
        (["--out", "/nowhere/at/all"], "--out: /nowhere/at does not exist"),
        (["--out", text(folder.path())], "is a folder"),
        (["words", "-q"], "echo is a service, which has no operations: leave out words"),
    ] {
        let refused = call(&folder, &[&["echo"], arguments.as_slice()].concat());
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && told.contains(expected), "{expected}: {told}");
    }
}
