//! Regions in processes of their own that are linked to each other, for tests.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::programs::{example, folder};

/// No call may take longer: it hangs.
pub(crate) const ANSWER_MAX: Duration = Duration::from_secs(60);

type Waiting = Arc<Mutex<HashMap<u64, Sender<String>>>>;

/// The settings of a region.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) sysid: &'static str,
    pub(crate) ccsid: u16,
    pub(crate) store: PathBuf,
    pub(crate) socket: PathBuf,
    pub(crate) peer: &'static str,
    pub(crate) peers_socket: PathBuf,
    /// Further regions that it is linked to, and where they listen.
    pub(crate) others: Vec<(&'static str, PathBuf)>,
}

/// Two plans that fit together.
pub(crate) fn pair(at: &Path) -> (Plan, Plan) {
    named_pair(at, "REGA", "REGB")
}

/// Two plans that fit together, of regions with these names.
pub(crate) fn named_pair(at: &Path, first: &'static str, other: &'static str) -> (Plan, Plan) {
    let plan = |sysid: &'static str, peer: &'static str, ccsid| Plan {
        sysid,
        ccsid,
        store: at.join(format!("{sysid}.store")),
        socket: at.join(format!("{sysid}.socket")),
        peer,
        peers_socket: at.join(format!("{peer}.socket")),
        others: Vec::new(),
    };
    (plan(first, other, 819), plan(other, first, 37))
}

/// A region in a process.
#[derive(Debug)]
pub(crate) struct Linked {
    child: Mutex<Child>,
    input: Mutex<ChildStdin>,
    waiting: Waiting,
    next: AtomicU64,
}

/// What came of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Came {
    Ok(Vec<u8>),
    Failed(String),
    Unknown(String),
    /// The region has died.
    Gone,
}

impl Linked {
    pub(crate) fn start(plan: &Plan) -> Self {
        let mut child = Command::new(example("linked"))
            .arg(folder())
            .args([plan.sysid, &plan.ccsid.to_string()])
            .args([&plan.store, &plan.socket])
            .arg(plan.peer)
            .arg(&plan.peers_socket)
            .args(plan.others.iter().flat_map(|(sysid, socket)| [sysid.as_ref(), socket.as_os_str()]))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the example");
        let input = child.stdin.take().expect("a pipe");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        loop {
            let line = lines.next().expect("the region becomes ready").expect("a line");
            // Its workers write here too.
            if line == "ready" {
                break;
            }
        }
        let waiting = Waiting::default();
        let tell = waiting.clone();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let Some((number, said)) = line.split_once(' ') else { continue };
                let Ok(number) = number.parse() else { continue };
                let waits: Option<Sender<String>> = tell.lock().expect("no holder panics").remove(&number);
                let _ = waits.map(|waits| waits.send(said.to_owned()));
            }
            tell.lock().expect("no holder panics").clear();
        });
        Self { child: Mutex::new(child), input: Mutex::new(input), waiting, next: AtomicU64::new(1) }
    }

    fn say(&self, what: &str) -> Receiver<String> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (tell, told) = channel();
        self.waiting.lock().expect("no holder panics").insert(number, tell);
        let mut input = self.input.lock().expect("no holder panics");
        if writeln!(input, "{number} {what}").and_then(|()| input.flush()).is_err() {
            self.waiting.lock().expect("no holder panics").remove(&number);
        }
        told
    }

    /// Gives the region something to do, and waits for what comes of it.
    pub(crate) fn call(&self, what: &str) -> Came {
        let told = self.say(what);
        match told.recv_timeout(ANSWER_MAX) {
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("{what} hangs"),
            Err(_) => Came::Gone,
            Ok(said) => match said.split_once(' ') {
                Some(("ok", hex)) => Came::Ok(bytes(hex)),
                Some(("failed", text)) => Came::Failed(text.to_owned()),
                Some(("unknown", text)) => Came::Unknown(text.to_owned()),
                _ => panic!("{said}"),
            },
        }
    }

    /// Runs FAR.
    pub(crate) fn far(&self, far: &Far) -> Came {
        self.call(&format!("FAR {}", hex(&far.commarea())))
    }

    /// Runs FAR, which must return.
    pub(crate) fn far_back(&self, far: &Far) -> Back {
        match self.far(far) {
            Came::Ok(bytes) => Back::read(&bytes),
            other => panic!("{far:?}: {other:?}"),
        }
    }

    /// How many units are in doubt here.
    pub(crate) fn in_doubt(&self) -> usize {
        let told = self.say("doubt").recv_timeout(ANSWER_MAX).expect("the region lives");
        told.strip_prefix("ok ").expect("a number").parse().expect("a number")
    }

    /// RESP of writing an item to a queue.
    pub(crate) fn write(&self, queue: &str) -> String {
        let mut commarea = format!("001WQ      {queue:16}{:16}", "").into_bytes();
        commarea.extend(format!("{:09}{:05}{:40}000000", 0, 20, "").bytes());
        match self.call(&format!("STATE {}", hex(&commarea))) {
            Came::Ok(bytes) => String::from_utf8_lossy(&bytes[97..100]).into_owned(),
            other => panic!("{other:?}"),
        }
    }

    /// All items of a queue.
    pub(crate) fn items(&self, queue: &str) -> Vec<String> {
        let mut items = Vec::new();
        loop {
            let mut commarea = format!("001RQI     {queue:16}{:16}", "").into_bytes();
            commarea.extend(format!("{:09}{:05}{:40}000000", items.len() + 1, 20, "").bytes());
            match self.call(&format!("STATE {}", hex(&commarea))) {
                Came::Ok(bytes) => {
                    let text =
                        |from: usize, to: usize| String::from_utf8_lossy(&bytes[from..to]).into_owned();
                    if text(97, 100) != "000" {
                        return items;
                    }
                    items.push(text(57, 77).trim_end().to_owned());
                }
                // A worker may have been killed.
                Came::Failed(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    pub(crate) fn kill(&self) {
        let mut child = self.child.lock().expect("no holder panics");
        let _ = child.kill();
        let _ = child.wait();
    }

    /// Waits until LINK reaches the other region.
    pub(crate) fn wait_for_link(&self, to: &str) {
        until("the link is not mended", || {
            let far = Far { program: "NOSUCH", ..Far::new("JOIN", to, "") };
            matches!(self.far(&far), Came::Ok(bytes) if Back::read(&bytes).resp == 27)
        });
    }
}

impl Drop for Linked {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Waits until something is so.
pub(crate) fn until(what: &str, done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < ANSWER_MAX, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What FAR gets.
#[derive(Clone, Debug)]
pub(crate) struct Far {
    pub(crate) how: &'static str,
    pub(crate) sysid: String,
    pub(crate) program: &'static str,
    pub(crate) id: String,
    pub(crate) what: &'static str,
    pub(crate) then: &'static str,
}

/// What FAR gives back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Back {
    pub(crate) id: String,
    pub(crate) resp: u32,
    pub(crate) resp2: u32,
    pub(crate) then_resp: u32,
    pub(crate) out: Vec<u8>,
}

impl Far {
    pub(crate) fn new(how: &'static str, sysid: &str, id: &str) -> Self {
        Self { how, sysid: sysid.to_owned(), program: "TAKE", id: id.to_owned(), what: "", then: "" }
    }

    pub(crate) fn commarea(&self) -> Vec<u8> {
        let Self { how, sysid, program, id, what, then } = self;
        format!("{how:8}{sysid:4}{program:8}{id:20}{what:8}{then:8}{:015}{:40}", 0, "").into_bytes()
    }
}

impl Back {
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let number = |from: usize| {
            let text = std::str::from_utf8(&bytes[from..from + 5]).expect("digits");
            text.parse().unwrap_or_else(|_| panic!("{text}"))
        };
        let id = String::from_utf8_lossy(&bytes[20..40]).trim_end().to_owned();
        Self { id, resp: number(56), resp2: number(61), then_resp: number(66), out: bytes[71..111].to_vec() }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).trim_end().to_owned()
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks_exact(2).filter_map(|pair| std::str::from_utf8(pair).ok());
    digits.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect()
}
