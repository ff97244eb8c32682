//! Tests disks that are full, fail or lose data, and clocks that go on: the answers to clients, and
//! the messages that stay.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::login::{cookie, log_in};
use super::{CSRF, MESSAGE, TEXT, delete, get, put, trouble};
use crate::client::Client;
use crate::folder::Folder;
use crate::process::Gantry;

const PERSISTENT: &str = "ibm-mq-md-persistence: persistent\r\n";
/// The engines that take the batches of the store.
const ENGINES: [&str; 2] = ["log", "file"];

/// Gives the library of `tests/disk`, and compiles it once.
fn library() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/disk/failing.c");
        let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("failing-{}.so", std::process::id()));
        let mut command = Command::new("cc");
        command
            .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"])
            .arg(&made)
            .arg(source)
            .arg("-ldl");
        assert!(command.status().expect("there is a C compiler").success());
        made
    })
}

/// The faults of the disk and the clock of a gateway.
#[derive(Clone, Copy)]
struct Faults {
    /// How many bytes files may still grow by.
    room: i64,
    syncs_fail: bool,
    clock_ahead_s: i64,
}

const NONE: Faults = Faults { room: -1, syncs_fail: false, clock_ahead_s: 0 };

/// A folder, and the file that sets the faults.
struct Failing {
    folder: Folder,
    control: PathBuf,
}

impl Failing {
    fn new(folder: Folder) -> Self {
        let control = folder.path().join("control");
        let failing = Self { folder, control };
        failing.set(NONE);
        failing
    }

    /// Makes one queue, and a store with this engine and this much memory.
    fn queue((engine, cache): (&str, usize)) -> Self {
        let store =
            format!("[store]\npath = \"queues.store\"\nengine = \"{engine}\"\ncache_bytes_max = {cache}\n");
        let queue = "[queue_manager]\nname = \"QM1\"\n[[queue_manager.queue]]\nname = \"DEV.QUEUE.1\"\n";
        Self::new(Folder::empty().with("gantry.toml", &format!("{store}{queue}")))
    }

    fn set(&self, faults: Faults) {
        let numbers = [faults.room, i64::from(faults.syncs_fail), faults.clock_ahead_s];
        let bytes: Vec<u8> = numbers.into_iter().flat_map(i64::to_ne_bytes).collect();
        // The process has mapped this file, so keep the file and change its bytes.
        let file = std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(&self.control);
        std::os::unix::fs::FileExt::write_all_at(&file.expect("a file"), &bytes, 0).expect("three numbers");
    }

    fn serve(&self) -> Gantry {
        Gantry::preloaded(self.folder.path(), library(), ("FAILING_CONTROL", &self.control))
    }

    /// Changes all places in the store's file that have these bytes.
    fn damage(&self, mark: &[u8]) {
        let path = self.folder.path().join("queues.store");
        let bytes = std::fs::read(&path).expect("a store");
        let places: Vec<usize> = bytes
            .windows(mark.len())
            .enumerate()
            .filter(|(_, found)| *found == mark)
            .map(|(at, _)| at)
            .collect();
        assert!(!places.is_empty(), "the message is in the file");
        let file = std::fs::OpenOptions::new().write(true).open(path).expect("a store");
        for at in places {
            std::os::unix::fs::FileExt::write_all_at(&file, b"X", at as u64).expect("a byte");
        }
    }
}

/// Makes a message of 50,000 bytes that begins with its number.
fn long(number: usize) -> String {
    format!("{number:05}{}", "x".repeat(50_000))
}

#[test]
fn a_full_disk_refuses_puts_and_gets_go_on() {
    for engine in ENGINES {
        let failing = Failing::queue((engine, 64 << 20));
        let gantry = failing.serve();
        put(&gantry, MESSAGE, PERSISTENT, &long(0));
        failing.set(Faults { room: 0, ..NONE });
        let mut count = 1;
        let full = loop {
            let answer = gantry.send("POST", MESSAGE, &format!("{TEXT}{PERSISTENT}"), &long(count));
            if answer.status != 201 {
                break answer;
            }
            count += 1;
            assert!(count < 5_000, "{engine}: the disk is never full");
        };
        assert_eq!((full.status, trouble(&full)), (503, ("GTY0516E".to_owned(), 2056)), "{engine}");
        assert_eq!(full.header("retry-after"), Some("1"));
        for number in 0..count {
            assert_eq!(get(&gantry, MESSAGE).text(), long(number), "{engine}: {number} of {count}");
        }
        assert_eq!(delete(&gantry, MESSAGE, "").status, 204, "what was refused is not there");
        failing.set(NONE);
        let begun = Instant::now();
        while gantry.send("POST", MESSAGE, &format!("{TEXT}{PERSISTENT}"), "room again").status != 201 {
            assert!(begun.elapsed() < Duration::from_secs(60), "{engine}: there is room again");
            std::thread::sleep(Duration::from_millis(50));
        }
        gantry.kill();
        assert_eq!(get(&failing.serve(), MESSAGE).text(), "room again", "{engine}");
    }
}

#[test]
fn a_failed_sync_is_told_as_unknown_and_opening_tells() {
    for engine in ENGINES {
        let failing = Failing::queue((engine, 64 << 20));
        let gantry = failing.serve();
        let ready = || {
            let mut admin = Client::connect(gantry.admin);
            admin.ask(b"GET /health/ready HTTP/1.1\r\nhost: localhost\r\n\r\n")
        };
        put(&gantry, MESSAGE, PERSISTENT, "kept");
        assert_eq!(ready().status, 200);
        failing.set(Faults { syncs_fail: true, ..NONE });
        let post = |body: &str| gantry.send("POST", MESSAGE, &format!("{TEXT}{PERSISTENT}"), body);
        let unknown = post("perhaps");
        assert_eq!((unknown.status, trouble(&unknown).0.as_str()), (500, "MQWB0303E"), "{}", unknown.text());
        assert!(unknown.text().contains("Find out whether it was done before you repeat it."), "{engine}");
        assert_eq!(unknown.header("retry-after"), None);
        // The store has stopped. It stays so even if the disk works again.
        failing.set(NONE);
        for stopped in [post("later"), delete(&gantry, MESSAGE, "")] {
            assert_eq!((stopped.status, trouble(&stopped).1), (503, 2059), "{engine}: {}", stopped.text());
        }
        assert_eq!((ready().status, ready().text()), (503, "the store has stopped\n"));
        gantry.kill();
        let again = failing.serve();
        assert_eq!(get(&again, MESSAGE).text(), "kept", "{engine}");
        let rest = delete(&again, MESSAGE, "");
        assert!(rest.status == 204 || rest.text() == "perhaps", "{engine}: {}", rest.text());
        assert_eq!(delete(&again, MESSAGE, "").status, 204, "{engine}");
    }
}

#[test]
fn a_damaged_message_fails_alone() {
    let texts = ["the first message", "the second message", "the third message"];
    // The gateway runs: the get that reads the bad message fails.
    let failing = Failing::queue(("file", 0));
    let gantry = failing.serve();
    for text in texts {
        put(&gantry, MESSAGE, PERSISTENT, text);
    }
    failing.damage(texts[1].as_bytes());
    assert_eq!(get(&gantry, MESSAGE).text(), texts[0]);
    let damaged = delete(&gantry, MESSAGE, "");
    assert_eq!((damaged.status, trouble(&damaged).1), (500, 2101), "{}", damaged.text());
    assert_eq!(get(&gantry, MESSAGE).text(), texts[2]);
    assert_eq!(delete(&gantry, MESSAGE, "").status, 204);
    let metric = "gantry_queue_damaged_total{queue=\"DEV.QUEUE.1\"}";
    assert_eq!(gantry.metric(metric), 1.0);
    put(&gantry, MESSAGE, PERSISTENT, texts[2]);
    gantry.stop();
    // The gateway starts: the log names the message, and gets go on after it.
    let gantry = failing.serve();
    assert_eq!(gantry.metric(metric), 1.0);
    assert_eq!(get(&gantry, MESSAGE).text(), texts[2]);
    assert_eq!(delete(&gantry, MESSAGE, "").status, 204);
    let log = gantry.stop();
    assert!(log.contains("a message is damaged; nobody can get it"), "{log}");
}

#[test]
fn a_token_whose_time_is_over_is_refused() {
    let failing = Failing::new(super::login::closed_folder(""));
    let gantry = failing.serve();
    let token = cookie(&log_in(&gantry, "mary", "secret"));
    let put = || gantry.send("POST", MESSAGE, &format!("{TEXT}{token}"), "a");
    failing.set(Faults { clock_ahead_s: 119 * 60, ..NONE });
    assert_eq!(put().status, 201);
    failing.set(Faults { clock_ahead_s: 121 * 60, ..NONE });
    for refused in [put(), gantry.send("DELETE", MESSAGE, &format!("{CSRF}{token}"), "")] {
        assert_eq!((refused.status, trouble(&refused).0.as_str()), (401, "MQWB0112E"), "{}", refused.text());
    }
    let fresh = cookie(&log_in(&gantry, "mary", "secret"));
    let got = gantry.send("DELETE", MESSAGE, &format!("{CSRF}{fresh}"), "");
    assert_eq!((got.status, got.text()), (200, "a"), "only one was put, and it was not got");
}
