//! Tests two gateways with linked regions: requests over REST, programs of both, and kills of
//! either.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::client::Client;
use crate::folder::Folder;
use crate::linked::{FAR_LINK, Pair, Phoenix, call, items, resp, until, wait_for_link};
use crate::process::{Gantry, request};

const CALLERS: usize = 3;
const KILLS: usize = 6;

const SYSIDERR: u64 = 53;
const NOTAUTH: u64 = 70;

/// Makes an application id that no other run of these tests has at the same time.
fn own_applid(letter: char) -> String {
    format!("{letter}{:07}", std::process::id() % 10_000_000)
}

/// Calls a service, and expects an answer.
fn told(gantry: &Gantry, service: &str, words: (&str, &str)) -> (u16, String) {
    call(gantry, service, words).expect("an answer")
}

#[test]
fn a_call_reaches_programs_queues_and_transactions_of_the_other_gateway() {
    let pair = Pair::new(["NEARAPPL", "FARAPPL"]);
    let (near, far) = (Phoenix::new(&pair.near), Phoenix::new(&pair.far));
    wait_for_link(&near.now());
    let (status, body) = told(&near.now(), "move", ("BOTH", "one"));
    assert_eq!(status, 200, "{body}");
    assert!(body.contains(r#""MV-SYSID":"FARR","MV-USER":"GANTRY""#), "{body}");
    // If a service's program is in the other region, this region needs no program.
    let (status, body) = told(&near.now(), "take", ("", "two"));
    assert_eq!(status, 200, "{body}");
    assert_eq!(resp(&told(&near.now(), "move", ("START", "three")).1), 0);
    until("the task does not begin", || items(&far.now(), "RECIN").len() == 3);
    assert_eq!(items(&far.now(), "RECIN"), ["one", "two", "three"]);
    assert_eq!(items(&near.now(), "RECOUT"), ["one"]);
    assert_eq!(items(&far.now(), "FARQUEUE").last().map(String::as_str), Some("x"));
}

#[test]
fn callers_are_told_the_truth_when_the_other_gateway_dies_and_all_mends_itself() {
    let pair = Pair::new(["NEARAPPL", "FARAPPL"]);
    let (near, far) = (Phoenix::new(&pair.near), Phoenix::new(&pair.far));
    wait_for_link(&near.now());
    let (waits, waiting) = (near.now(), near.now());
    let (in_unit, alone) = std::thread::scope(|scope| {
        // Both calls wait in the other region.
        let in_unit = scope.spawn(move || told(&waits, "move", ("SLOW", "never")));
        let alone = scope.spawn(move || told(&waiting, "take", ("SLOW", "never")));
        std::thread::sleep(Duration::from_millis(500));
        far.kill(|| {
            // Now there is no link. The program gets a condition. The gateway refuses a service
            // without a program here.
            let (status, body) = told(&near.now(), "move", ("LINK", "none"));
            assert_eq!((status, resp(&body)), (200, SYSIDERR), "{body}");
            let (status, body) = told(&near.now(), "take", ("", "none"));
            assert!(status == 503 && body.contains("GTY0503E"), "{status} {body}");
            // If the program does not handle the condition, it ends with an abend.
            let (status, body) = told(&near.now(), "move", ("BOTH", "none"));
            assert!(status == 502 && body.contains("GTY0509E"), "{status} {body}");
        });
        (in_unit.join().expect("an answer"), alone.join().expect("an answer"))
    });
    // The link broke before the commit, so the unit of work was backed out.
    assert!(in_unit.0 == 502 && in_unit.1.contains("GTY0509E"), "{in_unit:?}");
    // The program commits alone, so nobody knows what it has done.
    assert!(alone.0 == 502 && alone.1.contains("GTY0510E"), "{alone:?}");
    wait_for_link(&near.now());
    assert_eq!(told(&near.now(), "move", ("BOTH", "after")).0, 200);
    assert_eq!(
        (items(&near.now(), "RECOUT"), items(&far.now(), "RECIN").last().cloned()),
        (vec!["after".to_owned()], Some("after".to_owned()))
    );
}

#[test]
fn text_in_commareas_changes_its_code_page_by_the_copybook() {
    let pair = Pair::new(["NEARAPPL", "FARAPPL"]);
    let copybook = "[[region.program]]\ncopybook = \"MOVEREC.cpy\"";
    write(&pair.near, &pair.near_toml(&pair.near_link().replace("[[region.program]]", copybook)));
    write(&pair.far, &pair.far_toml(FAR_LINK).replace("workers = 2", "workers = 2\nccsid = 850"));
    let (near, far) = (Gantry::folder(pair.near.path()), Gantry::folder(pair.far.path()));
    wait_for_link(&near);
    let (status, body) = told(&near, "take", ("", "caf\u{e9}"));
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("\"MV-ID\":\"caf\u{e9}\"") && body.contains("\"MV-SYSID\":\"FARR\""), "{body}");
    // Operators see the text in the code page of the other region.
    assert_eq!(items(&far, "RECIN"), ["caf\u{e9}"]);
}

#[test]
fn strangers_at_a_link_do_not_fill_the_log() {
    const STRANGERS: usize = 40;
    let pair = Pair::new(["NEARAPPL", "FARAPPL"]);
    let far = Gantry::folder(pair.far.path());
    for _ in 0..STRANGERS {
        let mut stream = UnixStream::connect(pair.far.path().join(".link")).expect("the link listens");
        stream.write_all(&[0xff; 64]).expect("a socket");
        let _ = stream.read_to_end(&mut Vec::new());
    }
    let log = far.stop();
    let is_it = |line: &&str| line.contains("a connection of another region: ") && !line.contains(" DEBUG ");
    let lines = log.lines().filter(is_it).count();
    assert!((1..=STRANGERS / 2).contains(&lines), "{lines}: {log}");
}

fn write(folder: &Folder, gantry: &str) {
    std::fs::write(folder.path().join("gantry.toml"), gantry).expect("a file");
}

/// Waits until a LINK to the other region raises this condition.
fn until_link_raises(near: &Gantry, expected: (u64, u64)) {
    until(&format!("LINK does not raise {expected:?}"), || {
        let (status, body) = told(near, "move", ("LINK", "link"));
        let body: serde_json::Value = serde_json::from_str(&body).expect("JSON");
        status == 200
            && (body["MV-RESP"].as_u64(), body["MV-RESP2"].as_u64()) == (Some(expected.0), Some(expected.1))
    });
}

#[test]
fn links_change_without_a_restart_and_calls_under_way_keep_theirs() {
    let pair = Pair::new(["NEARAPPL", "FARAPPL"]);
    // A service of a remote program needs the link. So remove the service.
    std::fs::remove_file(pair.near.path().join("services/take.toml")).expect("a file");
    std::fs::remove_dir_all(pair.near.path().join("apis/take")).expect("a folder");
    let (near, far) = (Gantry::folder(pair.near.path()), Gantry::folder(pair.far.path()));
    wait_for_link(&near);
    // A gateway without services and links has no region.
    let other = pair.far_toml(&FAR_LINK.replace("NEAR", "ELSE"));
    for (folder, without, resp2) in [(&pair.near, pair.near_toml(""), 3072), (&pair.far, other, 2048)] {
        let with = std::fs::read_to_string(folder.path().join("gantry.toml")).expect("a file");
        let kept = std::thread::scope(|scope| {
            let kept = scope.spawn(|| told(&near, "move", ("PAUSE", "kept")));
            until("the call does not begin", || {
                let tasks =
                    Client::connect(far.admin).ask(request("GET", "/region/tasks", "", "").as_bytes());
                tasks.text().contains("TAKER")
            });
            write(folder, &without);
            until_link_raises(&near, (SYSIDERR, resp2));
            kept.join().expect("an answer")
        });
        assert_eq!((kept.0, resp(&kept.1)), (200, 0), "{kept:?}");
        write(folder, &with);
        wait_for_link(&near);
    }
    assert_eq!(items(&far, "RECIN").iter().filter(|item| *item == "kept").count(), 2);
    // A change of rights holds for the next request.
    write(&pair.far, &pair.far_toml(&FAR_LINK.replace("TAKER", "OTHER")));
    until_link_raises(&near, (NOTAUTH, 101));
    // A faulty configuration changes nothing.
    let nowhere = pair.far_toml(FAR_LINK).replace("/.link\"", "/nowhere/link\"");
    write(&pair.far, &nowhere);
    crate::reload::wait(|| far.metric("gantry_configuration_current") == 0.0);
    until_link_raises(&near, (NOTAUTH, 101));
    write(&pair.far, &pair.far_toml(FAR_LINK));
    until_link_raises(&near, (0, 0));
}

/// The answers to the callers.
#[derive(Debug, Default)]
struct Counts {
    acknowledged: Mutex<Vec<String>>,
    failed: AtomicUsize,
    gone: AtomicUsize,
    /// The time of the last good answer.
    last: Mutex<Option<Instant>>,
}

fn call_on(caller: usize, near: &Phoenix<'_>, (counts, stop): (&Counts, &AtomicBool)) {
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let id = format!("C{caller}N{number}");
        match call(&near.now(), "move", ("BOTH", &id)) {
            Some((200, _)) => {
                counts.acknowledged.lock().expect("no holder panics").push(id);
                *counts.last.lock().expect("no holder panics") = Some(Instant::now());
            }
            // A program's LINK failed, or its worker was killed. Both cause an abend.
            Some((502, body)) => {
                assert!(body.contains("GTY0509E"), "{body}");
                counts.failed.fetch_add(1, Ordering::Relaxed);
            }
            Some(other) => panic!("{other:?}"),
            None => {
                counts.gone.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

/// Kills the workers of a gateway; gives their number.
fn kill_workers(applid: &str) -> usize {
    let wanted = format!("gantry-worker-{applid}\0");
    let processes = std::fs::read_dir("/proc").expect("/proc");
    let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let of_region = |pid: &i32| {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        command.starts_with(wanted.as_bytes())
    };
    let killed = pids.filter(of_region).filter_map(Pid::from_raw);
    killed.filter(|pid| rustix::process::kill_process(*pid, Signal::KILL).is_ok()).count()
}

/// Kills one process after another. Gives the numbers of gateways and workers, and the longest time
/// without good answers.
fn kill(
    kills: usize,
    (near, far): (&Phoenix<'_>, &Phoenix<'_>),
    (counts, applids): (&Counts, [&str; 2]),
) -> (usize, usize, Duration) {
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let (mut gateways, mut workers, mut longest) = (0, 0, Duration::ZERO);
    for _ in 0..kills {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        std::thread::sleep(Duration::from_millis(seed % 60));
        let killed = Instant::now();
        match seed >> 32 & 3 {
            0 => near.kill(|| {}),
            1 => far.kill(|| {}),
            which => workers += kill_workers(applids[(which & 1) as usize]),
        }
        gateways += usize::from(seed >> 32 & 3 < 2);
        until("calls do not come back", || {
            counts.last.lock().expect("no holder panics").is_some_and(|last| last > killed)
        });
        longest = longest.max(killed.elapsed());
    }
    (gateways, workers, longest)
}

fn counted(items: &[String]) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    items.iter().for_each(|item| *counts.entry(item.as_str()).or_default() += 1);
    counts
}

/// Gives the number of kills: the variable `KILLS`, or a small number.
fn kills() -> usize {
    let text = std::env::var("KILLS").unwrap_or_default();
    if text.is_empty() { KILLS } else { text.parse().expect("KILLS is a number") }
}

/// Runs a storm of kills. It finds its workers by its own letters.
fn storm(kills: usize, letters: [char; 2]) {
    let applids = letters.map(own_applid);
    let applids = [applids[0].as_str(), applids[1].as_str()];
    let pair = Pair::new(applids);
    let (near, far) = (Phoenix::new(&pair.near), Phoenix::new(&pair.far));
    wait_for_link(&near.now());
    let (counts, stop) = (Counts::default(), AtomicBool::new(false));
    let (gateways, workers, longest) = std::thread::scope(|scope| {
        for caller in 0..CALLERS {
            let (near, counts, stop) = (&near, &counts, &stop);
            scope.spawn(move || call_on(caller, near, (counts, stop)));
        }
        let killed = kill(kills, (&near, &far), (&counts, applids));
        stop.store(true, Ordering::Relaxed);
        killed
    });
    wait_for_link(&near.now());
    // The units in doubt are resolved when the queue takes items again.
    until("the unit of work is not free", || {
        call(&near.now(), "move", ("BOTH", "last")).is_some_and(|(status, _)| status == 200)
    });
    let (out, taken) = (items(&near.now(), "RECOUT"), items(&far.now(), "RECIN"));
    let acknowledged = counts.acknowledged.into_inner().expect("no holder panics");
    println!(
        "{kills} kills ({gateways} of gateways, {workers} workers): {} acknowledged, {} failed, {} without an answer, \
         {} in both, back after {longest:?} at most",
        acknowledged.len(),
        counts.failed.into_inner(),
        counts.gone.into_inner(),
        out.len(),
    );
    let (out, taken) = (counted(&out), counted(&taken));
    assert_eq!(out, taken, "both regions have the same");
    assert!(out.values().all(|count| *count == 1), "nothing is doubled");
    for id in acknowledged {
        assert!(out.contains_key(id.as_str()), "{id} is lost");
    }
}

#[test]
fn a_unit_of_work_is_in_both_gateways_or_in_none_whoever_is_killed() {
    storm(kills(), ['N', 'F']);
}
