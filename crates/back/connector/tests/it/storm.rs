//! Faults under load: servers are killed, stopped and slowed down, the link to one goes silent, and
//! the group is reloaded.
//!
//! The variable `KILLS` sets the number of faults. If it is set, the test also judges the times of
//! calls and the share of requests to faulty servers. This needs a machine with little other work.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use connector::config::GroupFiles;
use connector::{Act, Call, Group, Groups, Marks, State};
use rustix::process::{Pid, Signal, kill_process};
use settings::{Files, Loader, Problems};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::judge::{Called, Faulty, Stall, faults_of_calls, late_calls, sent_to_faulty};

/// The default number of faults.
const FAULTS: usize = 8;

/// Callers at one time.
const CALLERS: u64 = 16;

/// Servers: two direct ones, and one behind the forwarder.
const SERVERS: [&str; 3] = ["A", "B", "C"];
const FORWARDED: usize = 2;

/// Random numbers that differ from run to run. `SEED` repeats those of an earlier run.
struct Chance(u64);

impl Chance {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % below
    }
}

fn variable(name: &str) -> Option<u64> {
    let text = std::env::var(name).unwrap_or_default();
    (!text.is_empty()).then(|| text.parse().unwrap_or_else(|_| panic!("{name} is not a number")))
}

/// A process that notes the requests that it carries out. After a kill it is started again.
struct Noting {
    number: usize,
    address: SocketAddr,
    notes: PathBuf,
    child: Mutex<Child>,
}

impl Noting {
    fn start(number: usize, folder: &Path) -> Self {
        let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let (address, notes) = (free.expect("a port is free"), folder.join(format!("notes-{number}")));
        let child = Mutex::new(spawn(number, address, &notes));
        Self { number, address, notes, child }
    }

    fn signal(&self, signal: Signal) {
        let pid = self.child.lock().expect("no holder panics").id();
        let pid = Pid::from_raw(pid.cast_signed()).expect("a process id");
        kill_process(pid, signal).expect("it runs");
    }

    /// Kills it, and starts it again after a time.
    fn kill(&self, away: Duration) {
        let mut child = self.child.lock().expect("no holder panics");
        child.kill().expect("it runs");
        child.wait().expect("it has ended");
        thread::sleep(away);
        *child = spawn(self.number, self.address, &self.notes);
    }

    fn noted(&self) -> Vec<u64> {
        let bytes = fs::read(&self.notes).expect("its notes");
        assert!(bytes.len().is_multiple_of(9), "a note is cut");
        bytes.chunks(9).map(|note| u64::from_be_bytes(note[..8].try_into().expect("8 bytes"))).collect()
    }
}

impl Drop for Noting {
    fn drop(&mut self) {
        let child = self.child.get_mut().expect("no holder panics");
        let _ = child.kill();
        let _ = child.wait();
    }
}

fn spawn(number: usize, address: SocketAddr, notes: &Path) -> Child {
    let own = std::env::current_exe().expect("this test");
    let program = own.parent().and_then(Path::parent).expect("a folder").join("examples/noting");
    assert!(program.exists(), "{} is missing: `cargo test -p connector` builds it", program.display());
    let mut child = Command::new(program)
        .args([number.to_string(), address.to_string(), notes.display().to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut ready = [0; 6];
    std::io::Read::read_exact(child.stdout.as_mut().expect("it is piped"), &mut ready).expect("it listens");
    child
}

/// The link to a server. It can be slow or silent: then nothing passes, and nothing is closed.
struct Forwarder {
    address: SocketAddr,
    silent: watch::Sender<bool>,
    slow_ms: Arc<AtomicU64>,
}

impl Forwarder {
    fn start(to: SocketAddr) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        listener.set_nonblocking(true).expect("set");
        let address = listener.local_addr().expect("an address");
        let (silent, watched) = watch::channel(false);
        let slow_ms = Arc::new(AtomicU64::new(0));
        let slow = Arc::clone(&slow_ms);
        // It has its own thread, so that its faults do not slow the group down.
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async move {
                let listener = TcpListener::from_std(listener).expect("a listener");
                while let Ok((near, _)) = listener.accept().await {
                    let Ok(far) = TcpStream::connect(to).await else { continue };
                    let _ = (near.set_nodelay(true), far.set_nodelay(true));
                    let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
                    tokio::spawn(pass((near_in, far_out), watched.clone(), Arc::clone(&slow)));
                    tokio::spawn(pass((far_in, near_out), watched.clone(), Arc::clone(&slow)));
                }
            });
        });
        Self { address, silent, slow_ms }
    }
}

type Ends = (tokio::net::tcp::OwnedReadHalf, tokio::net::tcp::OwnedWriteHalf);

async fn pass((mut from, mut to): Ends, mut silent: watch::Receiver<bool>, slow_ms: Arc<AtomicU64>) {
    let mut bytes = vec![0; 4096];
    loop {
        let read = from.read(&mut bytes).await.unwrap_or(0);
        tokio::time::sleep(Duration::from_millis(slow_ms.load(Ordering::Relaxed))).await;
        if silent.wait_for(|silent| !silent).await.is_err() || read == 0 {
            return;
        }
        if to.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}

/// Measures how long a sleep of a millisecond takes, in a thread and in a task. A longer time is a
/// stall of the machine.
fn watch_stalls(stop: &Arc<AtomicBool>) -> Arc<Mutex<Vec<Stall>>> {
    let stalls: Arc<Mutex<Vec<Stall>>> = Arc::default();
    let note = |stalls: &Mutex<Vec<Stall>>, from: Instant| {
        if from.elapsed() > Duration::from_millis(3) {
            stalls.lock().expect("no holder panics").push(Stall { from, until: Instant::now() });
        }
    };
    let (noted, stopped) = (Arc::clone(&stalls), Arc::clone(stop));
    tokio::spawn(async move {
        while !stopped.load(Ordering::Relaxed) {
            let from = Instant::now();
            tokio::time::sleep(Duration::from_millis(1)).await;
            note(&noted, from);
        }
    });
    stalls
}

/// One caller. It sends one request after another until `stop` is set.
async fn caller(number: u64, group: Arc<Group>, (stop, seed): (Arc<AtomicBool>, u64)) -> Vec<Called> {
    let (mut chance, mut calls) =
        (Chance(seed ^ (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)), Vec::new());
    for count in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let id = (number << 32 | count) << 8 | chance.next(256);
        let payload: Vec<u8> = (0..chance.next(2_000)).map(|at| (id ^ at) as u8).collect();
        let timeout = Duration::from_millis(50 + chance.next(350));
        let is_idempotent = chance.next(3) == 0;
        let begun = Instant::now();
        let call = Call { endpoint: None, deadline: begun + timeout, is_idempotent, is_one_way: false };
        let reply = group.send([&id.to_be_bytes()[..], &payload].concat(), call).await;
        let came = reply.map_err(|trouble| (trouble.kind, trouble.message)).map(|reply| {
            assert!(reply[..8] == id.to_be_bytes() && reply[9..] == payload, "the reply of another request");
            reply[8]
        });
        calls.push(Called { id, is_idempotent, begun, ended: Instant::now(), timeout, came });
        tokio::time::sleep(Duration::from_micros(500 + chance.next(3_000))).await;
    }
    calls
}

struct Unmarked;

impl Marks for Unmarked {
    fn is(&self, _: Act, _: &str) -> bool {
        false
    }
}

/// Applies a configuration. Every other one has fewer sockets and another length of the queue. The
/// order changes, too.
fn apply(groups: &Groups, addresses: &[SocketAddr], (turn, in_flight): (usize, usize)) {
    let folder = tempfile::TempDir::new().expect("a folder");
    let (queue_max, sockets) = if turn.is_multiple_of(2) { (200, 20) } else { (300, 12) };
    let mut text =
        format!("queue_max = {queue_max}\nejection_failures = 3\nejection_ms = 200\nslow_start_ms = 200\n");
    text += &format!("in_flight_max = {in_flight}\n");
    let mut order: Vec<usize> = (0..addresses.len()).collect();
    order.rotate_left(turn % addresses.len());
    for at in order {
        let (name, address) = (SERVERS[at], addresses[at]);
        text += &format!(
            "[[endpoint]]\nname = \"{name}\"\ndestination = \"{address}\"\nstart_sockets = 2\nmax_sockets = {sockets}\n"
        );
    }
    fs::create_dir(folder.path().join("endpoints")).expect("a folder");
    fs::write(folder.path().join("endpoints/GROUP.toml"), text).expect("written");
    let files = Files::at(folder.path().to_owned());
    let mut loader = Loader::new(&files, Problems::default(), |_| Vec::new());
    let plans = GroupFiles::read(&mut loader).into_plans();
    assert_eq!(loader.problems.error_count(), 0, "{}", loader.problems.render(false));
    groups.apply(&plans, &Unmarked);
}

/// Makes one fault after another. Gives those after which an endpoint must be left out.
fn make_faults(
    count: usize,
    (servers, forwarder): (&[Noting], &Forwarder),
    reload: impl Fn(usize),
    chance: &mut Chance,
) -> Vec<Faulty> {
    let mut faulty = Vec::new();
    for turn in 1..=count {
        thread::sleep(Duration::from_millis(20 + chance.next(150)));
        let (server, long) = (chance.next(2) as usize, Duration::from_millis(60 + chance.next(340)));
        let from = Instant::now();
        let server = match chance.next(5) {
            0 => {
                servers[server].kill(long);
                server
            }
            1 => {
                servers[server].signal(Signal::STOP);
                thread::sleep(long);
                servers[server].signal(Signal::CONT);
                server
            }
            2 => {
                forwarder.silent.send_replace(true);
                thread::sleep(long);
                forwarder.silent.send_replace(false);
                FORWARDED
            }
            3 => {
                forwarder.slow_ms.store(5 + chance.next(30), Ordering::Relaxed);
                thread::sleep(long);
                forwarder.slow_ms.store(0, Ordering::Relaxed);
                continue;
            }
            _ => {
                reload(turn);
                continue;
            }
        };
        faulty.push(Faulty { server: server as u8, from, until: Instant::now() });
    }
    faulty
}

/// Waits until all endpoints serve again by themselves.
async fn all_serve(group: &Group) {
    let begun = Instant::now();
    while group.view().endpoints.iter().any(|endpoint| endpoint.state != State::Active) {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "an endpoint does not come back: {:?}",
            group.view()
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The results of a storm.
struct Storm {
    calls: Vec<Called>,
    notes: Vec<u64>,
    faulty: Vec<Faulty>,
    stalls: Vec<Stall>,
}

/// A storm of `count` faults, with `in_flight` requests on a connection.
async fn storm(count: usize, seed: u64, in_flight: usize) -> Storm {
    let folder = tempfile::TempDir::new().expect("a folder");
    let servers: Arc<Vec<Noting>> = Arc::new((0..3).map(|at| Noting::start(at, folder.path())).collect());
    let forwarder = Forwarder::start(servers[FORWARDED].address);
    let addresses = [servers[0].address, servers[1].address, forwarder.address];
    let groups = Arc::new(Groups::default());
    apply(&groups, &addresses, (0, in_flight));
    let group = groups.get("GROUP").expect("it runs");
    let stop = Arc::new(AtomicBool::new(false));
    let stalls = watch_stalls(&stop);
    let begin = |number| tokio::spawn(caller(number, Arc::clone(&group), (Arc::clone(&stop), seed)));
    let callers: Vec<_> = (0..CALLERS).map(begin).collect();
    let (faulted, reloaded) = (Arc::clone(&servers), Arc::clone(&groups));
    let making = tokio::task::spawn_blocking(move || {
        let reload = |turn| apply(&reloaded, &addresses, (turn, in_flight));
        make_faults(count, (&faulted, &forwarder), reload, &mut Chance(seed))
    });
    let faulty = making.await.expect("the faults");
    all_serve(&group).await;
    stop.store(true, Ordering::Relaxed);
    let mut calls = Vec::new();
    for caller in callers {
        calls.extend(caller.await.expect("a caller"));
    }
    // A server may still carry out requests that are on their way, although nobody waits for them.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let notes = servers.iter().flat_map(Noting::noted).collect();
    let stalls = stalls.lock().expect("no holder panics").clone();
    Storm { calls, notes, faulty, stalls }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_ends_truly_whatever_fails() {
    judged(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_ends_truly_where_requests_share_connections() {
    judged(4).await;
}

async fn judged(in_flight: usize) {
    let count = variable("KILLS");
    let started = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a time of day");
    let seed = variable("SEED").unwrap_or(started.as_nanos() as u64 | 1);
    let Storm { calls, notes, faulty, stalls } =
        storm(count.map_or(FAULTS, |count| count as usize), seed, in_flight).await;
    let failed = calls.iter().filter(|call| call.came.is_err()).count();
    let server_of =
        |name: &str| SERVERS.iter().position(|known| *known == name).map_or(u8::MAX, |at| at as u8);
    let (all, there) = sent_to_faulty(&calls, &faulty, server_of);
    println!(
        "seed {seed}: {} faults, {} calls, {failed} without a reply, {} carried out, {there} of {all} calls went to a faulty server",
        count.unwrap_or(FAULTS as u64),
        calls.len(),
        notes.len(),
    );
    let faults = faults_of_calls(&calls, &notes);
    assert!(faults.is_empty(), "{} faults, as: {:#?}", faults.len(), &faults[..faults.len().min(10)]);
    assert!(failed < calls.len() / 2, "most calls fail");
    if count.is_some() {
        let late = late_calls(&calls, &stalls);
        assert!(late.is_empty(), "{} calls ended late, as: {:#?}", late.len(), &late[..late.len().min(10)]);
        assert!(there * 100 <= all, "{there} of {all} calls went to a faulty server");
    }
}
