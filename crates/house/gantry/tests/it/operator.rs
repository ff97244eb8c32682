//! Tests `gantry region`: tables and JSON of a running region, and exit codes. These tests need
//! GnuCOBOL 3.

use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use store::{Collation, Definition, GlobalId, Options, Organization, Preparation, Recovery, Store, Vote};

use crate::administration::key;
use crate::folder::Folder;
use crate::process::{Gantry, request, run, text};
use crate::region::folder;
use crate::security::{BASIC, KEYS, user};

/// The exit codes of the command.
pub(crate) const REFUSED: Option<i32> = Some(1);
const NOT_REACHED: Option<i32> = Some(3);
const NOT_AUTHORIZED: Option<i32> = Some(4);

/// Runs `gantry region` with these arguments against this gateway.
pub(crate) fn region(gantry: &Gantry, arguments: &[&str]) -> Output {
    let admin = format!("http://{}", gantry.admin);
    run(&[&["region", "--admin", &admin], arguments].concat())
}

/// Gives what the command shows.
#[track_caller]
pub(crate) fn shown(gantry: &Gantry, arguments: &[&str]) -> String {
    let output = region(gantry, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Gives the exit code and the message.
pub(crate) fn told(output: &Output) -> (Option<i32>, String) {
    assert!(output.stdout.is_empty(), "nothing is shown");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_task_is_shown_and_purged_from_the_command_line() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    let headers = "content-type: application/json\r\nconnection: close\r\n";
    let mut caller = gantry.connect();
    caller.send(request("POST", "/wait/", headers, r#"{"WT-TEXT":""}"#).as_bytes());
    crate::reload::wait(|| shown(&gantry, &["tasks"]).contains("interval WAITER"));
    let tasks: Value = serde_json::from_str(&shown(&gantry, &["tasks", "--json"])).expect("JSON");
    let task = tasks["tasks"][0]["number"].to_string();
    let table = shown(&gantry, &["tasks"]);
    assert!(table.starts_with("TASK  TRAN  PROGRAM  USER    SINCE"), "{table}");
    assert!(shown(&gantry, &[]).starts_with("region SHOWN (GTRY), code page 819: 1 task runs, "));
    let workers = shown(&gantry, &["workers"]);
    assert!(
        workers.lines().next().is_some_and(|line| line.trim() == "PID  TASK  TASKS ENDED  MEMORY"),
        "{workers}"
    );
    let queues = shown(&gantry, &["queues"]);
    assert!(queues.lines().any(|line| line.starts_with("LOOKED  main       2  ")), "{queues}");
    let item = shown(&gantry, &["queue", "LOOKED", "--item", "2"]);
    assert!(item.starts_with("queue LOOKED (main), item 2 of 2, 4 bytes\n"), "{item}");
    assert!(item.contains("00000000  C1C2000A") && item.contains("ÁÂ..") && item.contains("AB.."), "{item}");
    assert_eq!(shown(&gantry, &["links"]), "there are no links\n");
    assert_eq!(shown(&gantry, &["units"]), "no unit of work is in doubt\n");

    assert_eq!(
        shown(&gantry, &["purge", &task]),
        format!("purged task {task}: transaction GTRY, program WAITER, user GANTRY\n")
    );
    assert!(caller.rest().starts_with("HTTP/1.1 502"));
    let again = told(&region(&gantry, &["purge", &task]));
    assert_eq!(again, (REFUSED, format!("gantry: no task {task} runs\n")));
    let programs = shown(&gantry, &["programs"]);
    assert!(programs.contains("AKC3") && programs.contains("an operator has purged the task"), "{programs}");
    assert_eq!(shown(&gantry, &["tasks"]), "no task runs\n");
    let missing = told(&region(&gantry, &["queue", "../units"]));
    assert_eq!(missing, (REFUSED, "gantry: there is no queue '../units'\n".to_owned()));
}

#[test]
fn a_table_is_shown_again_and_again_until_nobody_reads_it() {
    let gantry = Gantry::folder(folder("").path());
    let admin = format!("http://{}", gantry.admin);
    let mut child = Command::new(env!("CARGO_BIN_EXE_gantry"))
        .args(["region", "tasks", "--admin", &admin, "--watch", "1"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let lines = BufReader::new(child.stdout.take().expect("piped")).lines().take(2);
    let lines: Vec<String> = lines.map(|line| line.expect("a line")).collect();
    assert_eq!(lines, ["no task runs", "no task runs"]);
    // Now the command's output is closed.
    assert!(child.wait().expect("it ends").success());
    // The command makes a change only once.
    let once = region(&gantry, &["trace", "on", "user", "MARY", "--watch", "1"]);
    assert!(once.status.success(), "{}", String::from_utf8_lossy(&once.stderr));
}

#[test]
fn how_the_command_ends_tells_what_was_wrong() {
    let nowhere = run(&["region", "tasks", "--admin", "http://127.0.0.1:1"]);
    let (code, said) = told(&nowhere);
    assert_eq!(code, NOT_REACHED);
    assert!(said.contains("could not reach the gateway: http://127.0.0.1:1"), "{said}");
    assert!(said.contains("with [admin] in its gantry.toml"), "{said}");
    for (arguments, expected) in [
        (
            &["--admin", "http://gateway.example:2223"][..],
            "is not https; http is for servers on this machine",
        ),
        (&["--admin", "nonsense"], "has no scheme"),
        (&["--user", "mary"], "--user and --password-file go together"),
        (&["--key-file", "/no/such/key"], "/no/such/key: "),
    ] {
        let (code, said) = told(&run(&[&["region", "tasks"], arguments].concat()));
        assert!(code == REFUSED && said.contains(expected), "{arguments:?}: {code:?} {said}");
    }
    let without = Gantry::folder(Folder::echo("").path());
    assert_eq!(told(&region(&without, &["programs"])), (REFUSED, "gantry: there is no region\n".to_owned()));
    // The listener is a server too, but not an admin address.
    let listener = format!("http://{}", without.address());
    let (code, said) = told(&run(&["region", "--admin", &listener]));
    assert!(code == REFUSED && said.contains("GTY"), "{code:?} {said}");
}

#[test]
fn who_asks_is_known_by_a_password_or_a_key() {
    let roles = "[security.roles]\noperations = [\"operators\"]\nreader = [\"readers\"]\n";
    let folder = folder(&format!("{BASIC}\n{KEYS}\n{roles}"))
        .with("users.txt", &user("mary", "readers", "secret"))
        .with(".mary", "secret\nsecond line")
        .with(".wrong", "guessed\n")
        .with(".nokey", "no-key-of-this-gateway\n");
    let header = key(&folder, "o", "operators");
    let folder = folder.with(".key", header.trim_start_matches("x-api-key: ").trim());
    let gantry = Gantry::folder(folder.path());
    let file = |name: &str| format!("{}/{name}", text(folder.path()));
    let (mary, wrong, key) = (file(".mary"), file(".wrong"), file(".key"));
    let mary = ["--user", "mary", "--password-file", &mary];
    assert_eq!(shown(&gantry, &[&["tasks"], &mary[..]].concat()), "no task runs\n");
    let (code, said) = told(&region(&gantry, &[&mary[..], &["purge", "1"]].concat()));
    assert!(code == NOT_AUTHORIZED && said.contains("this user is not authorized"), "{code:?} {said}");
    assert_eq!(told(&region(&gantry, &["purge", "1", "--key-file", &key])).0, REFUSED, "no such task");
    let nokey = file(".nokey");
    for (credentials, expected) in [
        (&["--user", "mary", "--password-file", &wrong][..], "the user or the password is wrong"),
        (&["--key-file", &nokey], "the API key is wrong, or is not accepted here"),
        (&[], "the gateway needs credentials"),
    ] {
        let (code, said) = told(&region(&gantry, &[&["tasks"], credentials].concat()));
        assert!(code == NOT_AUTHORIZED && said.contains(expected), "{said}");
        assert!(!said.contains("guessed") && !said.contains("no-key"), "{said}");
    }
}

/// Makes a store with two units in doubt. One of them continues in a further region.
fn leave_in_doubt(path: &std::path::Path) {
    let store = Store::open(path, Options::default()).expect("a store");
    let organization = Organization::KeySequenced(Collation::default());
    let definition =
        Definition { name: "ACCOUNTS".to_owned(), organization, recovery: Recovery::Recoverable };
    let file = store.keyed(&definition).expect("a file");
    for (id, record) in [(&b"UNIT/1"[..], b"1"), (b"\x01\xFF", b"2")] {
        let mut unit = store.unit().expect("a unit");
        unit.insert(&file, record, record.to_vec()).expect("a record");
        let id = GlobalId::new(id).expect("an id");
        unit.coordinate(&id).expect("a new id");
        let participants = if record == b"1" { vec!["REGC".to_owned()] } else { Vec::new() };
        let preparation = Preparation { id: &id, coordinator: "REGB", participants: &participants };
        let (tell, told) = std::sync::mpsc::channel();
        unit.prepare_then(preparation, move |vote| tell.send(vote).expect("somebody waits"));
        assert!(matches!(told.recv(), Ok(Ok(Vote::Prepared(_)))));
    }
}

#[test]
fn a_unit_in_doubt_is_forced_to_an_end() {
    let link = "[region.links]\n[[region.link]]\nsysid = \"REGB\"\naddress = \"unix:{}/.none\"\n";
    let folder = folder("");
    let path = text(folder.path());
    let toml = std::fs::read_to_string(folder.path().join("gantry.toml")).expect("a text");
    let link = link.replace("{}", path);
    let folder = folder.with("gantry.toml", &format!("{toml}store = \".store\"\n{link}"));
    leave_in_doubt(&folder.path().join(".store"));
    let gantry = Gantry::folder(folder.path());
    let links = shown(&gantry, &["links"]);
    assert!(
        links.lines().nth(1).is_some_and(|line| line.starts_with("REGB   no         -              0  ")),
        "{links}"
    );
    let units: Value = serde_json::from_str(&shown(&gantry, &["units", "--json"])).expect("JSON");
    let ids: Vec<&Value> =
        units["units"].as_array().expect("a list").iter().map(|unit| &unit["id"]).collect();
    assert_eq!(ids.len(), 2);
    assert!(ids.contains(&&json!("UNIT/1")) && ids.contains(&&json!("01FF")), "{units}");
    let unit = units["units"].as_array().and_then(|units| units.iter().find(|unit| unit["id"] == "UNIT/1"));
    assert_eq!(unit.map(|unit| &unit["decidesFor"]), Some(&json!(["REGC"])), "{units}");
    let table = shown(&gantry, &["units"]);
    let line = |id: &str| table.lines().find(|line| line.starts_with(id)).unwrap_or_default();
    assert!(line("UNIT/1").starts_with("UNIT/1  REGB              1      "), "{table}");
    assert!(line("UNIT/1").ends_with("  REGC") && line("01FF").ends_with("  -"), "{table}");

    assert_eq!(shown(&gantry, &["force", "UNIT/1", "commit"]), "unit UNIT/1 is committed\n");
    assert_eq!(shown(&gantry, &["force", "01ff", "backout"]), "unit 01ff is backed out\n");
    let gone = told(&region(&gantry, &["force", "UNIT/1", "commit"]));
    assert_eq!(gone, (REFUSED, "gantry: no unit 'UNIT/1' is in doubt\n".to_owned()));
    let table = shown(&gantry, &["units"]);
    assert!(table.starts_with("no unit of work is in doubt\n\nFORCED UNIT  TO\n"), "{table}");
    assert!(table.contains("UNIT/1       commit") && table.contains("01FF         backout"), "{table}");
}

/// Fails after two commands.
const FAILER: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. FAILER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-ITEM           PIC X(6) VALUE 'SECRET'.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY WAITREC.
       PROCEDURE DIVISION.
           EXEC CICS WRITEQ TS QUEUE('FAILQ') FROM(WS-ITEM) END-EXEC.
           MOVE 'GONE' TO WT-TEXT.
           EXEC CICS ABEND ABCODE('FAIL') END-EXEC.
";

/// Makes a region whose program behind `/wait/` fails at once. `region` stands in the section
/// `[region]`.
fn failing(region: &str, more: &str) -> Folder {
    let folder = folder("");
    let toml = std::fs::read_to_string(folder.path().join("gantry.toml")).expect("a text");
    let service = std::fs::read_to_string(folder.path().join("services/wait.toml")).expect("a text");
    folder
        .with("gantry.toml", &format!("{toml}{region}\n{more}"))
        .with("programs/FAILER.cbl", FAILER)
        .with("services/wait.toml", &service.replace("WAITER", "FAILER"))
}

fn call(gantry: &Gantry) -> u16 {
    gantry.send("POST", "/wait/", "content-type: application/json\r\n", r#"{"WT-TEXT":"here"}"#).status
}

#[test]
fn an_abend_leaves_a_dump_that_is_shown() {
    let folder = failing("dumps_max = 2\ndump_max_bytes = 3", "");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(shown(&gantry, &["dumps"]), "there are no dumps\n");
    let listed = |gantry: &Gantry| -> Vec<Value> {
        let dumps: Value = serde_json::from_str(&shown(gantry, &["dumps", "--json"])).expect("JSON");
        dumps["dumps"].as_array().expect("a list").clone()
    };
    let mut last = Value::Null;
    for _ in 0..3 {
        assert_eq!(call(&gantry), 502);
        crate::reload::wait(|| listed(&gantry).last().is_some_and(|newest| newest["id"] != last));
        last = listed(&gantry).last().expect("a dump")["id"].clone();
    }
    assert_eq!(listed(&gantry).len(), 2, "the oldest is gone");
    let id = last.as_str().expect("an id");
    assert!(shown(&gantry, &["dumps"]).contains("FAILER   FAIL  "), "{}", shown(&gantry, &["dumps"]));
    let dump = shown(&gantry, &["dump", id]);
    for expected in [
        "abend    FAIL in program FAILER, line 12\n",
        "transaction GTRY, user GANTRY, program FAILER\n",
        "as it was at the abend:\n\ncommarea, 4 bytes, 3 of them shown\n000000  474F4E  ",
        "WRITEQ   FAILQ  NORMAL",
        "abend FAIL",
    ] {
        assert!(dump.contains(expected), "{expected}: {dump}");
    }
    // The file has the same text as the admin address gives. It lies in the configured folder, and
    // only its owner may read it.
    let file = folder.path().join(".gantry/dumps").join(format!("{id}.json"));
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), shown(&gantry, &["dump", id, "--json"]));
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).expect("a file").permissions());
    assert_eq!(mode & 0o777, 0o600);
    let missing = told(&region(&gantry, &["dump", "../../gantry.toml"]));
    assert_eq!(missing, (REFUSED, "gantry: there is no dump '../../gantry.toml'\n".to_owned()));
    let programs: Value = serde_json::from_str(&shown(&gantry, &["programs", "--json"])).expect("JSON");
    let [failer, waiter] = [&programs["programs"][0], &programs["programs"][1]];
    assert_eq!(
        (&failer["state"], &failer["tasks"], &failer["abends"]),
        (&json!("enabled"), &json!(3), &json!(3))
    );
    assert!(failer["cpuNanosecondsMean"].as_u64() > Some(0) && failer["memoryMaxBytes"].as_u64() > Some(0));
    assert_eq!(
        (&waiter["name"], &waiter["tasks"], &waiter["memoryMaxBytes"]),
        (&json!("WAITER"), &json!(0), &Value::Null)
    );
}

#[test]
fn without_a_limit_of_dumps_there_are_none() {
    let folder = failing("dumps_max = 0", "");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(call(&gantry), 502);
    gantry.stop();
    assert!(!folder.path().join(".gantry").exists());
}

#[test]
fn a_source_with_faults_is_told_while_the_program_before_it_serves() {
    let folder = failing("", "");
    let gantry = Gantry::folder(folder.path());
    std::fs::write(folder.path().join("programs/FAILER.cbl"), FAILER.replace("MOVE", "MOVVE"))
        .expect("a file");
    assert_eq!(crate::region::ask(&gantry, "POST", "/configuration/reload", "").status, 409);
    let programs = shown(&gantry, &["programs"]);
    assert!(programs.lines().any(|line| line.starts_with("FAILER   faulty ")), "{programs}");
    assert!(programs.lines().any(|line| line.starts_with("WAITER   enabled ")), "{programs}");
    assert_eq!(call(&gantry), 502, "it runs as it did");
}

#[test]
fn tasks_are_traced_from_the_command_line() {
    let folder = failing("", "");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(shown(&gantry, &["trace", "show"]), "nothing was traced yet\nthe trace has no commands\n");
    assert_eq!(
        told(&region(&gantry, &["trace", "off"])),
        (REFUSED, "gantry: nothing is traced\n".to_owned())
    );
    let wrong = told(&region(&gantry, &["trace", "on", "program", "PAY", "--seconds", "3601"]));
    assert_eq!(
        wrong,
        (REFUSED, "gantry: the trace: expected 1 to 3600 in 'seconds', found 3601\n".to_owned())
    );
    let on = shown(&gantry, &["trace", "on", "program", "FAILER", "--seconds", "600"]);
    assert!(
        on.starts_with("trace of tasks of program FAILER: on for ")
            && on.ends_with("; 0 tasks, 0 records dropped\n"),
        "{on}"
    );
    assert_eq!(call(&gantry), 502);
    let trace = shown(&gantry, &["trace", "show"]);
    assert!(trace.contains("  1  FAILER     10  WRITEQ   NORMAL          0  "), "{trace}");
    assert!(trace.contains("QUEUE('FAILQ') FROM(6 bytes)"), "{trace}");
    assert!(trace.contains("  2  FAILER     12  ABEND    abend FAIL      -  "), "{trace}");
    let on = shown(&gantry, &["trace", "on", "user", "gantry", "--data"]);
    assert!(on.starts_with("trace of tasks of user GANTRY, with data: on for "), "{on}");
    assert_eq!(call(&gantry), 502);
    assert!(shown(&gantry, &["trace", "show"]).contains("FROM(6 bytes: 534543524554 'SECRET')"));
    assert!(shown(&gantry, &["trace", "off"]).contains(", with data: off; 1 tasks"));
    assert_eq!(call(&gantry), 502);
    let after: Value = serde_json::from_str(&shown(&gantry, &["trace", "show", "--json"])).expect("JSON");
    assert_eq!((after["records"].as_array().map(Vec::len), &after["on"]), (Some(2), &json!(false)));
}

#[test]
fn operators_see_what_programs_work_with_and_readers_what_there_is() {
    let roles = "[security.roles]\noperations = [\"operators\"]\nreader = [\"readers\"]\n";
    let folder = folder(&format!("{KEYS}\n{roles}"));
    let (reader, operator) = (key(&folder, "r", "readers"), key(&folder, "o", "operators"));
    let gantry = Gantry::folder(folder.path());
    let send = |method: &str, path: &str, key: &str, body: &str| {
        crate::client::Client::connect(gantry.admin).ask(request(method, path, key, body).as_bytes())
    };
    let wanted = r#"{"program":"WAITER"}"#;
    for (path, body) in [("/region/trace", wanted), ("/region/trace/off", "")] {
        assert_eq!(
            [send("POST", path, "", body).status, send("POST", path, &reader, body).status],
            [401, 403]
        );
        assert_eq!(send("POST", path, &operator, body).status, 200);
    }
    let look = |path: &str| [&reader, &operator, ""].map(|key| send("GET", path, key, "").status);
    for path in ["/region/dumps", "/region/queues", "/region/messages"] {
        assert_eq!(look(path), [200, 200, 401], "{path}");
    }
    assert_eq!(look("/region/trace"), [403, 200, 401]);
    for path in ["/region/dumps/20260101T000000-1-P-ASRA", "/region/queues/ANY?item=1"] {
        assert_eq!(look(path), [403, 404, 401], "{path}");
    }
    assert_eq!(send("DELETE", "/region/trace", &operator, "").text(), "GET and POST only\n");
    assert_eq!(send("POST", "/region/trace", &operator, &" ".repeat(5_000)).status, 413);
    let refused = send("POST", "/region/trace", &operator, "{}");
    assert_eq!((refused.status, refused.text()), (400, "the trace: expected either 'program' or 'user'\n"));
}

#[test]
fn an_abend_is_told_with_its_program_and_line_also_of_a_direct_call() {
    // The first program of the task links to the one that fails.
    let linker = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. LINKER.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA     PIC X(20).
       PROCEDURE DIVISION.
           EXEC CICS LINK PROGRAM('FAILER') COMMAREA(DFHCOMMAREA)
               LENGTH(20) END-EXEC
           EXEC CICS RETURN END-EXEC.
";
    let folder = failing("", "");
    let service = std::fs::read_to_string(folder.path().join("services/wait.toml")).expect("a text");
    let folder = folder
        .with("programs/LINKER.cbl", linker)
        .with("services/wait.toml", &service.replace("FAILER", "LINKER"));
    let gantry = Gantry::folder(folder.path());
    assert_eq!(call(&gantry), 502);
    let programs: Value = serde_json::from_str(&shown(&gantry, &["programs", "--json"])).expect("JSON");
    let of = |name: &str| {
        programs["programs"].as_array().expect("a list").iter().find(|known| known["name"] == name)
    };
    let last = &of("LINKER").expect("the program")["lastAbend"];
    assert_eq!((&last["program"], &last["code"]), (&json!("FAILER"), &json!("FAIL")), "{last}");
    assert!(last["message"].as_str().is_some_and(|message| message.contains("line ")), "{last}");
    let table = shown(&gantry, &["programs"]);
    let row = table.lines().find(|line| line.starts_with("LINKER")).expect("a row");
    assert!(row.contains("FAIL  FAILER"), "{table}");

    let direct = "PUT /zosConnect/services/wait?action=invoke HTTP/1.1\r\nhost: localhost\r\n\
                  content-type: application/json\r\ncontent-length: 15\r\n\r\n{\"WT-TEXT\":\"a\"}";
    let answer = crate::client::Client::connect(gantry.admin).ask(direct.as_bytes());
    assert_eq!(answer.status, 502, "{}", answer.text());
    let log = gantry.stop();
    let line = log.lines().find(|line| line.contains("direct call failed")).expect("a line");
    assert!(
        line.contains("WARN") && line.contains("wait") && line.contains("abend FAIL in program FAILER"),
        "{line}"
    );
}
