//! Kills a gateway again and again while clients work: they put, get, and call over queues, and
//! programs change a file and queues together. The clients keep ledgers. A judge compares these
//! with the messages that are left.
//!
//! The variable `KILLS` sets the number of kills.

mod actors;
mod judge;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::folder::{Folder, NOTE};
use crate::linked::{Phoenix, until};
use crate::process::text;
use actors::Actor;

const KILLS: usize = 5;

/// The answers to clients, as they note them.
#[derive(Default)]
struct Ledger {
    /// Bodies whose put was acknowledged.
    put: Mutex<Vec<String>>,
    /// Messages that came back, in order, each with the number of kills before.
    got: Mutex<Vec<(String, usize)>>,
    /// Reserved messages in order, and whether they were confirmed.
    reserved: Mutex<Vec<(String, bool)>>,
    /// Gets without an answer, or whose answer leaves the result open.
    open_gets: AtomicUsize,
}

/// The queues that clients use, each with its ledger.
const ORDERED: usize = 0;
const SHARED: usize = 1;
const RESERVED: usize = 2;
const MQI_IN: usize = 3;
const QUEUES: [&str; 4] = ["ORDERED", "SHARED", "RESERVED", "MQI.IN"];

/// A gateway, and the notes of all its clients.
struct Storm<'f> {
    gantry: Phoenix<'f>,
    ledgers: [Ledger; 4],
    /// Keys of tasks whose put was acknowledged.
    tasks: Mutex<Vec<String>>,
    /// The numbers of calls with and without an answer.
    calls: [AtomicUsize; 2],
    kills: AtomicUsize,
    stop: AtomicBool,
    lazy: bool,
}

fn folder(lazy: bool) -> Folder {
    let program = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
        std::fs::read_to_string(path).expect("a text")
    };
    let sides = |copybook: &str| {
        let side = |side: &str| format!("[{side}]\ncopybook = \"{copybook}\"\nwrapper = \"\"\n");
        format!("{}{}", side("request"), side("response"))
    };
    let ask = "ccsid = 819\n[provider]\nkind = \"queue\"\ndestination = \"REQUESTS\"\nreply_destination = \"REPLIES\"\nwait_ms = 2000\n";
    let file = "ccsid = 819\n[provider]\nkind = \"program\"\nprogram = \"MQFILE\"\n";
    let api = |name: &str| {
        format!(
            "base_path = \"/{name}\"\n[[operation]]\nmethod = \"POST\"\npath = \"/\"\nservice = \"{name}\"\n"
        )
    };
    let folder = Folder::empty()
        .with("copybooks/NOTE.cpy", NOTE)
        .with("copybooks/MQFILER.cpy", &program("MQFILER.cpy"))
        .with("services/ask.toml", &format!("{ask}{}", sides("NOTE.cpy")))
        .with("apis/ask/api.toml", &api("ask"));
    let folder = if lazy {
        folder
    } else {
        folder
            .with("programs/MQFILE.cbl", &program("MQFILE.cbl"))
            .with("services/file.toml", &format!("{file}{}", sides("MQFILER.cpy")))
            .with("apis/file/api.toml", &api("file"))
    };
    let at = text(folder.path()).to_owned();
    let region = format!(
        "[region]\ncache = \"{at}/.cache\"\nworkers = 2\nccsid = 819\n[[region.file]]\nname = \"LEDGER\"\n\
         organization = \"ksds\"\nrecord_bytes = 20\nkey_bytes = 12\n"
    );
    let queues = QUEUES.iter().chain(&["REQUESTS", "REPLIES", "MQI.OUT"]);
    let queues: String = queues
        .map(|name| format!("[[queue_manager.queue]]\nname = \"{name}\"\ndepth_max = 1000000\n"))
        .collect();
    let gantry = format!(
        "[[listener]]\naddress = \"127.0.0.1:0\"\n[admin]\naddress = \"127.0.0.1:0\"\n[store]\npath = \"{at}/.state/store\"\n\
         {}[queue_manager]\nname = \"QM1\"\nget_sync = \"{}\"\n{queues}",
        if lazy { "" } else { &region },
        if lazy { "lazy" } else { "strict" },
    );
    folder.with("gantry.toml", &gantry)
}

/// Gives the number of kills: the variable `KILLS`, or a small number.
fn kills() -> usize {
    let text = std::env::var("KILLS").unwrap_or_default();
    if text.is_empty() { KILLS } else { text.parse().expect("KILLS is a number") }
}

/// Kills the gateway several times. Before each kill, every client has been served again.
fn kill(storm: &Storm<'_>, served: &[AtomicUsize], kills: usize) {
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    for number in 1..=kills {
        let before: Vec<usize> = served.iter().map(|count| count.load(Ordering::SeqCst)).collect();
        until("somebody is not served any more", || {
            served.iter().zip(&before).all(|(count, before)| count.load(Ordering::SeqCst) > *before)
        });
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        std::thread::sleep(Duration::from_micros(seed % 40_000));
        storm.gantry.kill(|| {
            storm.kills.store(number, Ordering::SeqCst);
        });
    }
}

fn storm(kills: usize, lazy: bool) {
    let folder = folder(lazy);
    let storm = Storm {
        gantry: Phoenix::new(&folder),
        ledgers: Default::default(),
        tasks: Mutex::default(),
        calls: Default::default(),
        kills: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
        lazy,
    };
    let actors = Actor::all(lazy);
    let served: Vec<AtomicUsize> = actors.iter().map(|_| AtomicUsize::new(0)).collect();
    std::thread::scope(|scope| {
        for (number, (actor, served)) in actors.iter().zip(&served).enumerate() {
            let storm = &storm;
            std::thread::Builder::new()
                .name(format!("{actor:?} {number}"))
                .spawn_scoped(scope, move || actor.act(number, storm, served))
                .expect("a thread");
        }
        kill(&storm, &served, kills);
        storm.stop.store(true, Ordering::SeqCst);
    });
    judge::judge(&storm, &folder, kills);
}

#[test]
fn nothing_acknowledged_is_lost_or_doubled_and_file_and_queue_agree() {
    storm(kills(), false);
}

#[test]
fn lazy_gets_lose_nothing_and_double_only_what_a_kill_has_cut() {
    storm(kills().div_ceil(4), true);
}
