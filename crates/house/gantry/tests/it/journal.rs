//! Tests files of records in trouble: rotation, full queues, disks that are full or missing. A
//! named pipe without a reader acts as a slow file.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::audit::{interceptor, lines};
use crate::folder::Folder;
use crate::process::Gantry;

const FILE: &str = ".gantry/audit.jsonl";
const LOST: &str = "gantry_journal_lost_lines_total{interceptor=\"audit\",reason=\"overflow\"}";
const WRITTEN: &str = "gantry_journal_written_lines_total{interceptor=\"audit\"}";

fn folder(file: &str) -> Folder {
    Folder::echo(&interceptor("audit", "early_failures = false", file))
}

/// Makes the same with a pipe in place of the file.
fn piped(file: &str) -> (Folder, PathBuf) {
    let folder = folder(file);
    let path = folder.path().join(FILE);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).expect("a pipe");
    (folder, path)
}

fn put(gantry: &Gantry) -> u16 {
    gantry.put("/echo/7", "{}").status
}

#[test]
fn files_are_put_aside_by_size_and_the_oldest_go() {
    let folder = folder("rotate_bytes = 2000\nfiles_max = 2");
    let gantry = Gantry::folder(folder.path());
    for _ in 0..20 {
        assert_eq!(put(&gantry), 200);
    }
    gantry.stop();
    let path = folder.path().join(FILE);
    let aside = |number: usize| PathBuf::from(format!("{}.{number}", path.display()));
    for file in [path.clone(), aside(1), aside(2)] {
        assert!(!lines(&file).is_empty());
        assert!(fs::metadata(&file).expect("a file").len() <= 2000);
    }
    assert!(!aside(3).exists());
}

#[test]
fn files_are_put_aside_by_time() {
    let folder = folder("rotate_s = 1");
    let aside = folder.path().join(format!("{FILE}.1"));
    let gantry = Gantry::folder(folder.path());
    let mut sent = 0;
    crate::reload::wait(|| {
        assert_eq!(put(&gantry), 200);
        sent += 1;
        aside.exists()
    });
    assert!(sent > 1);
    gantry.stop();
    assert!(!lines(&aside).is_empty());
}

#[test]
fn a_file_that_others_put_aside_is_made_again() {
    let folder = folder("");
    let (path, moved) = (folder.path().join(FILE), folder.path().join(".gantry/moved"));
    let gantry = Gantry::folder(folder.path());
    assert_eq!(put(&gantry), 200);
    crate::reload::wait(|| path.exists() && fs::metadata(&path).expect("the file").len() > 0);
    fs::rename(&path, &moved).expect("it can be moved");
    // The writer checks the file about once a second.
    crate::reload::wait(|| {
        assert_eq!(put(&gantry), 200);
        std::thread::sleep(std::time::Duration::from_millis(1_100));
        path.exists()
    });
    gantry.stop();
    assert!(!lines(&path).is_empty());
}

#[test]
fn drop_lets_requests_go_on_and_tells_what_is_lost() {
    let (folder, _) = piped("queue_max_lines = 2\noverflow = \"drop\"");
    let gantry = Gantry::folder(folder.path());
    for _ in 0..10 {
        assert_eq!(put(&gantry), 200);
    }
    // The writer may take some lines before the pipe stops it. At least two lines wait.
    assert!(gantry.metric(LOST) >= 4.0);
    assert!(gantry.metric("gantry_journal_queue_lines{interceptor=\"audit\"}") >= 2.0);
    let log = gantry.stop();
    assert!(log.contains("the queue is full") && log.contains("lines are lost so far"), "{log}");
    assert!(log.contains("they could not be written in time"), "{log}");
}

#[test]
fn refuse_lets_nothing_run_that_cannot_be_recorded() {
    let (folder, path) = piped("queue_max_lines = 2\noverflow = \"refuse\"");
    let gantry = Gantry::folder(folder.path());
    let mut answered = 0;
    crate::reload::wait(|| {
        let answer = gantry.put("/echo/7", "{}");
        answered += usize::from(answer.status == 200);
        if answer.status != 200 {
            answer.fails(503, "GTY0508E");
        }
        answer.status == 503
    });
    let calls = gantry.metric("gantry_provider_calls_total{service=\"echo\"}");
    assert_eq!(calls, answered as f64, "what is refused is not called");
    let reader = std::thread::spawn(move || read_all(&path));
    crate::reload::wait(|| put(&gantry) == 200);
    answered += 1;
    gantry.stop();
    let read = reader.join().expect("the reader ends");
    let recorded = read.lines().filter(|line| line.contains("\"httpStatus\":200")).count();
    assert_eq!(recorded, answered, "{read}");
}

#[test]
fn block_waits_for_room() {
    let (folder, path) = piped("queue_max_lines = 1\noverflow = \"block\"\nblock_max_ms = 60000");
    let gantry = Gantry::folder(folder.path());
    let address = gantry.address();
    let clients: Vec<_> = (0..6)
        .map(|_| {
            let request =
                crate::process::request("PUT", "/echo/7", "content-type: application/json\r\n", "{}");
            std::thread::spawn(move || crate::client::Client::connect(address).ask(request.as_bytes()).status)
        })
        .collect();
    crate::reload::wait(|| gantry.metric("gantry_provider_calls_total{service=\"echo\"}") == 6.0);
    let waiting = clients.iter().filter(|client| !client.is_finished()).count();
    assert!(waiting >= 1, "six lines do not go into a queue of one and a writer that stands still");
    let reader = std::thread::spawn(move || read_all(&path));
    for client in clients {
        assert_eq!(client.join().expect("a client ends"), 200);
    }
    assert_eq!(gantry.metric(LOST), 0.0);
    gantry.stop();
    assert_eq!(reader.join().expect("the reader ends").lines().count(), 6);
}

#[test]
fn block_does_not_wait_longer_than_it_may() {
    let (folder, _) = piped("queue_max_lines = 1\noverflow = \"block\"\nblock_max_ms = 10");
    let gantry = Gantry::folder(folder.path());
    for _ in 0..6 {
        assert_eq!(put(&gantry), 200);
    }
    assert!(gantry.metric(LOST) >= 1.0);
}

#[test]
fn a_full_disk_loses_lines_by_policy_and_never_the_gateway() {
    let full = "/dev/full";
    for (policy, reason) in [("drop", Some("write_error")), ("retry", None)] {
        let text = interceptor("audit", "", &format!("on_write_error = \"{policy}\""));
        let folder = Folder::echo(&text.replace(".gantry/audit.jsonl", full));
        let gantry = Gantry::folder(folder.path());
        for _ in 0..3 {
            assert_eq!(put(&gantry), 200);
        }
        let failures = "gantry_journal_write_failures_total{interceptor=\"audit\"}";
        crate::reload::wait(|| gantry.metric(failures) >= 1.0);
        match reason {
            Some(reason) => {
                let lost =
                    format!("gantry_journal_lost_lines_total{{interceptor=\"audit\",reason=\"{reason}\"}}");
                crate::reload::wait(|| gantry.metric(&lost) == 3.0);
            }
            None => assert_eq!(gantry.metric("gantry_journal_queue_lines{interceptor=\"audit\"}"), 3.0),
        }
        assert_eq!(gantry.metric(WRITTEN), 0.0);
        let log = gantry.stop();
        assert!(log.contains("cannot be written"), "{log}");
        assert_eq!(log.contains("3 lines for /dev/full are lost"), policy == "retry", "{log}");
    }
}

#[test]
fn lines_wait_for_a_folder_that_comes_back() {
    let folder = Folder::echo(&interceptor("audit", "", "").replace(".gantry/", ".records/"));
    let blocker = folder.path().join(".records");
    fs::write(&blocker, "no folder").expect("a file");
    let gantry = Gantry::folder(folder.path());
    for _ in 0..3 {
        assert_eq!(put(&gantry), 200);
    }
    let failures = "gantry_journal_write_failures_total{interceptor=\"audit\"}";
    crate::reload::wait(|| gantry.metric(failures) >= 1.0);
    fs::remove_file(&blocker).expect("it can be removed");
    crate::reload::wait(|| gantry.metric(WRITTEN) == 3.0);
    let log = gantry.stop();
    assert!(log.contains("is written again"), "{log}");
    assert_eq!(lines(&folder.path().join(".records/audit.jsonl")).len(), 3);
}

#[test]
fn a_changed_configuration_writes_on() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(put(&gantry), 200);
    let folder = folder.with(
        "gantry.toml",
        &interceptor("audit", "server = \"second\"", "sync = \"write\"\nrotate_bytes = 0"),
    );
    gantry.signal(rustix::process::Signal::HUP);
    crate::reload::wait(|| gantry.metric("gantry_configuration_reloads_total{outcome=\"applied\"}") == 1.0);
    assert_eq!(put(&gantry), 200);
    gantry.stop();
    let records = lines(&folder.path().join(FILE));
    let mut servers: Vec<&str> = records.iter().filter_map(|record| record["server"].as_str()).collect();
    // The new configuration serves before the record of the reload is written. So the second call
    // may come first.
    servers.sort_unstable();
    assert_eq!(servers, ["gantry", "gantry", "second"], "a call, the reload, a call");
}

fn read_all(path: &Path) -> String {
    let mut text = String::new();
    File::open(path).expect("the pipe").read_to_string(&mut text).expect("text");
    text
}
