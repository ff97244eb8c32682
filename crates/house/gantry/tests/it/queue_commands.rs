//! Tests `gantry queue`: operators look at the queues of a running gateway, and change them.

use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

use crate::folder::Folder;
use crate::process::{Gantry, run};

const GANTRY: &str = r#"[store]
path = ".state/all.store"

[queue_manager]
name = "QM1"

[[queue_manager.queue]]
name = "ORDERS"
persistent = true

[[queue_manager.queue]]
name = "OLD/ORDERS"
"#;

const COPYBOOK: &str = "       01 ORDER.
          05 ITEM PIC X(5).
          05 QTY PIC 9(3).
";

fn folder() -> Folder {
    Folder::empty().with("gantry.toml", GANTRY).with("copybooks/ORDER.cpy", COPYBOOK)
}

struct Operator<'g>(&'g Gantry);

impl Operator<'_> {
    fn types(&self, words: &[&str]) -> Output {
        let admin = format!("--admin=http://{}", self.0.admin);
        let words: Vec<&str> = ["queue"].iter().chain(words).copied().chain([admin.as_str()]).collect();
        run(&words)
    }

    /// Runs a command that works; gives its output.
    #[track_caller]
    fn sees(&self, words: &[&str]) -> String {
        let output = self.types(words);
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }

    /// Runs a command that the gateway refuses; gives its message.
    #[track_caller]
    fn is_told(&self, words: &[&str]) -> String {
        let output = self.types(words);
        assert!(!output.status.success(), "{words:?} was not refused");
        String::from_utf8(output.stderr).expect("text")
    }

    #[track_caller]
    fn depth(&self, queue: &str) -> u64 {
        let answer: serde_json::Value =
            serde_json::from_str(&self.sees(&["display", queue, "--json"])).expect("JSON");
        answer["queues"][0]["depth"].as_u64().expect("a number")
    }
}

#[test]
fn messages_are_put_browsed_moved_and_removed() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    let operator = Operator(&gantry);
    operator.sees(&["put", "ORDERS", "PEARS007", "--reply-to", "OLD/ORDERS"]);
    operator.sees(&["put", "ORDERS", "short"]);
    let list = operator.sees(&[]);
    assert!(
        list.starts_with("queue manager QM1\nQUEUE") && list.contains("ORDERS      local      2"),
        "{list}"
    );
    let text = operator.sees(&["browse", "ORDERS"]);
    assert!(text.contains("PEARS007") && text.contains("persistent") && text.contains("reply to"), "{text}");
    let hex = operator.sees(&["browse", "ORDERS", "--hex", "--limit", "1"]);
    assert!(hex.contains("50 45 41 52 53 30 30 37") && !hex.contains("short"), "{hex}");
    let copybook = folder.path().join("copybooks/ORDER.cpy").display().to_string();
    let fields = operator.sees(&["browse", "ORDERS", "--copybook", &copybook]);
    assert!(fields.contains("\"qty\": 7") && fields.contains("the copybook does not fit"), "{fields}");
    assert_eq!(operator.sees(&["browse", "ORDERS", "--bytes"]), "PEARS007");
    assert_eq!(
        operator.sees(&["move", "ORDERS", "OLD/ORDERS", "--limit", "1"]),
        "moved from ORDERS to OLD/ORDERS: 1 message\n"
    );
    assert_eq!((operator.depth("ORDERS"), operator.depth("OLD/ORDERS")), (1, 1));
    assert_eq!(gantry.metric("gantry_queue_depth{queue=\"OLD/ORDERS\"}"), 1.0);
    assert_eq!(gantry.metric("gantry_queue_puts_total{queue=\"ORDERS\"}"), 2.0);
    assert!(operator.is_told(&["purge", "ORDERS"]).contains("--yes"));
    assert_eq!(operator.sees(&["purge", "ORDERS", "--yes"]), "removed from ORDERS: 1 message\n");
    assert_eq!(operator.sees(&["browse", "ORDERS"]), "ORDERS: the queue is empty\n");
    assert_eq!(operator.sees(&["browse", "ORDERS", "--bytes"]), "");
    let gone = ["browse", "ORDERS", "--id", &"ab".repeat(24)];
    assert!(operator.is_told(&gone).contains("no such message"));
    assert!(operator.is_told(&["put", "NOWHERE", "x"]).contains("2085 MQRC_UNKNOWN_OBJECT_NAME"));
}

#[test]
fn the_list_is_shown_again_and_again() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    let admin = format!("--admin=http://{}", gantry.admin);
    let mut child = Command::new(env!("CARGO_BIN_EXE_gantry"))
        .args(["queue", "list", "--watch", "1", &admin])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut lines =
        BufReader::new(child.stdout.take().expect("piped")).lines().map(|line| line.expect("a line"));
    let mut until = |part: &str| while !lines.next().expect("the list").contains(part) {};
    until("ORDERS      local      0");
    Operator(&gantry).sees(&["put", "ORDERS", "one"]);
    until("ORDERS      local      1");
    drop(lines);
    assert!(child.wait().expect("it ends").success(), "nobody reads it");
    let told = Operator(&gantry).is_told(&["browse", "ORDERS", "--watch", "1"]);
    assert!(told.contains("--watch is for list, display and definitions"), "{told}");
}

#[test]
fn an_export_comes_back_as_it_was() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    let operator = Operator(&gantry);
    let id = "ab".repeat(24);
    operator.sees(&[
        "put",
        "ORDERS",
        "größer",
        "--correlation-id",
        &id,
        "--priority",
        "7",
        "--ccsid",
        "1208",
    ]);
    for number in 0..3 {
        operator.sees(&["put", "ORDERS", &number.to_string()]);
    }
    let [first, second] =
        ["first.jsonl", "second.jsonl"].map(|name| folder.path().join(name).display().to_string());
    operator.sees(&["export", "ORDERS", "--output", &first]);
    assert_eq!(operator.depth("ORDERS"), 4);
    operator.sees(&["purge", "ORDERS", "--yes"]);
    assert_eq!(operator.sees(&["import", "ORDERS", &first]), "imported to ORDERS: 4 messages\n");
    operator.sees(&["export", "ORDERS", "--output", &second]);
    let read = |path: &str| std::fs::read_to_string(path).expect("an export");
    assert_eq!(read(&first), read(&second));
    assert!(operator.is_told(&["export", "ORDERS", "--output", &first]).contains("exists"));
    // If one line is wrong, the import puts nothing of its batch.
    let wrong = folder.path().join("wrong.jsonl");
    std::fs::write(&wrong, format!("{}{{\"priority\":11}}\n", read(&first))).expect("a file");
    let told = operator.is_told(&["import", "OLD/ORDERS", &wrong.display().to_string()]);
    assert!(told.contains("message 5: priority: expected 0 to 9, found 11"), "{told}");
    assert_eq!(operator.depth("OLD/ORDERS"), 0);
}

#[test]
fn queues_are_defined_changed_and_deleted() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    let operator = Operator(&gantry);
    operator.sees(&["define", "NEW", "depth_max=1", "persistent=true"]);
    assert!(operator.is_told(&["define", "NEW"]).contains("NEW"));
    operator.sees(&["put", "NEW", "one"]);
    assert!(operator.is_told(&["put", "NEW", "two"]).contains("2053 MQRC_Q_FULL"));
    operator.sees(&["define", "NEW", "--replace", "depth_max=2"]);
    operator.sees(&["put", "NEW", "two"]);
    let told = operator.is_told(&["define", "ORDERS", "--replace", "depth_max=1"]);
    assert!(told.contains("gantry.toml:8 defines the queue"), "{told}");
    let told = operator.is_told(&["define", "X", "deph_max=1"]);
    assert!(
        told.contains("'deph_max' is not known here") && told.contains("did you mean 'depth_max'?"),
        "{told}"
    );
    let text = operator.sees(&["definitions"]);
    let own = text.split("# defined by command\n").nth(1).expect("one that a command has defined");
    assert!(
        own.starts_with("[[queue_manager.queue]]\nname = \"NEW\"\ndepth_max = 2\npersistent = true\n"),
        "{text}"
    );
    assert!(operator.is_told(&["delete", "NEW"]).contains("2 messages"));
    operator.sees(&["delete", "NEW", "--purge"]);
    assert!(operator.is_told(&["display", "NEW"]).contains("no such queue"));
}

#[test]
fn a_copy_of_the_store_is_restored_elsewhere() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    let operator = Operator(&gantry);
    operator.sees(&["put", "ORDERS", "kept"]);
    let admin = format!("--admin=http://{}", gantry.admin);
    let backup = |name: &str| run(&["backup", name, &admin]);
    let copied = backup("monday.store");
    assert!(copied.status.success(), "{}", String::from_utf8_lossy(&copied.stderr));
    let copy = folder.path().join(".state/backups/monday.store");
    assert!(String::from_utf8_lossy(&copied.stdout).trim_end().ends_with(".state/backups/monday.store"));
    for (name, reason) in [("monday.store", "expected a new file"), ("../x", "name: expected letters")] {
        let again = backup(name);
        assert!(
            !again.status.success() && String::from_utf8_lossy(&again.stderr).contains(reason),
            "{again:?}"
        );
    }
    // The copy does not have later messages.
    operator.sees(&["put", "ORDERS", "later"]);

    let elsewhere = Folder::empty().with("gantry.toml", GANTRY).with(".state/README", "");
    std::fs::copy(copy, elsewhere.path().join(".state/all.store")).expect("a copy");
    let restored = Gantry::folder(elsewhere.path());
    let operator = Operator(&restored);
    assert_eq!(
        (operator.depth("ORDERS"), operator.sees(&["browse", "ORDERS", "--bytes"])),
        (1, "kept".to_owned())
    );
}

#[test]
fn a_damaged_store_is_refused_until_it_is_salvaged() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    let operator = Operator(&gantry);
    for text in ["first", "second", "third"] {
        operator.sees(&["put", "ORDERS", text]);
    }
    gantry.kill();
    drop(gantry);
    // Change a byte of the second message in the log.
    let state = folder.path().join(".state");
    let log = state.join("all.store.log1");
    let mut bytes = std::fs::read(&log).expect("a log");
    let at = bytes.windows(6).position(|window| window == b"second").expect("the message");
    bytes[at] ^= 1;
    std::fs::write(&log, bytes).expect("a log");
    let folder_path = folder.path().to_str().expect("UTF-8");
    let refused = run(&["serve", folder_path, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success(), "{told}");
    assert!(told.contains("the log is damaged: record") && told.contains("gantry store salvage"), "{told}");

    let (damaged, new) = (state.join("all.store"), state.join("new.store"));
    let command = ["store", "salvage", damaged.to_str().expect("UTF-8"), new.to_str().expect("UTF-8")];
    let salvaged = run(&command);
    let told = String::from_utf8_lossy(&salvaged.stdout).into_owned();
    assert_eq!(salvaged.status.code(), Some(3), "{told}");
    assert!(told.contains("lost: 1 records of the log are missing"), "{told}");
    let again = run(&command);
    assert!(String::from_utf8_lossy(&again.stderr).contains("expected a new file, found one"), "{again:?}");

    for end in ["", ".log1", ".log2"] {
        std::fs::remove_file(state.join(format!("all.store{end}"))).expect("it was there");
    }
    std::fs::rename(new, damaged).expect("its name");
    let gantry = Gantry::folder(folder.path());
    let operator = Operator(&gantry);
    assert_eq!(operator.depth("ORDERS"), 2);
    let text = operator.sees(&["browse", "ORDERS"]);
    assert!(text.contains("first") && text.contains("third") && !text.contains("second"), "{text}");
}

/// The standard error of a gateway until it serves, or ends.
fn said_at_start(folder: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gantry"))
        .args(["serve", folder, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // It may serve in spite of the damage, because the page was free.
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let _ = lines.find(|line| line.as_ref().is_ok_and(|line| line.starts_with("gantry serves on ")));
    child.kill().expect("it ends");
    String::from_utf8_lossy(&child.wait_with_output().expect("it ends").stderr).into_owned()
}

#[test]
fn a_store_whose_structure_is_damaged_is_told_in_one_line() {
    let folder = folder();
    let state = folder.path().join(".state");
    let gantry = Gantry::folder(folder.path());
    let operator = Operator(&gantry);
    for _ in 0..20 {
        operator.sees(&["put", "ORDERS", &"text".repeat(500)]);
    }
    gantry.stop();
    let (store, whole) = (state.join("all.store"), std::fs::read(state.join("all.store")).expect("a store"));
    let pages = whole.len() / 4_096;
    let path = folder.path().to_str().expect("UTF-8");
    let mut damaged = 0;
    for page in 1..pages {
        let mut bytes = whole.clone();
        bytes[page * 4_096..(page + 1) * 4_096].fill(0xA5);
        std::fs::write(&store, bytes).expect("a store");
        let told = said_at_start(path);
        assert!(!told.contains("panicked"), "page {page}: {told}");
        if told.contains("the file is damaged") {
            damaged += 1;
            let help = format!(
                "Restore a backup, or copy what can be read with `gantry store salvage {}",
                store.display()
            );
            assert!(told.contains(&help), "page {page}: {told}");
            let line = told.lines().filter(|line| line.contains("damaged")).count();
            assert_eq!(line, 1, "page {page}: {told}");
        }
    }
    assert!(damaged > 0);
    std::fs::write(&store, b"something else").expect("a file");
    let output = run(&["serve", path, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("is not a store of Gantry, or its beginning is damaged"), "{told}");
}
