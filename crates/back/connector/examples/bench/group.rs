//! Clients of a group that keeps the defaults of its configuration file.

use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use connector::config::GroupFiles;
use connector::{Act, Call, Group, Groups, Marks};
use settings::{Files, Loader, Problems};

use crate::figures::{Counts, clock_ns, memory_mb, window};
use crate::{Options, messages};

/// Longest time of a call in a benchmark.
const LONG: Duration = Duration::from_secs(10);

struct Unmarked;

impl Marks for Unmarked {
    fn is(&self, _: Act, _: &str) -> bool {
        false
    }
}

/// Starts a group with these endpoints. The two texts go before the endpoints and into each of
/// them.
pub(crate) fn start(addresses: &[SocketAddr], (lines, of_each): (&str, &str)) -> (Groups, Arc<Group>) {
    let mut text = format!("{lines}\n");
    for (number, address) in addresses.iter().enumerate() {
        text += &format!("[[endpoint]]\nname = \"E{number}\"\ndestination = \"{address}\"\n{of_each}\n");
    }
    let folder = tempfile::TempDir::new().expect("a folder");
    fs::create_dir(folder.path().join("endpoints")).expect("a folder");
    fs::write(folder.path().join("endpoints/BENCH.toml"), text).expect("written");
    let files = Files::at(folder.path().to_owned());
    let mut loader = Loader::new(&files, Problems::default(), |_| Vec::new());
    let plans = GroupFiles::read(&mut loader).into_plans();
    assert_eq!(loader.problems.error_count(), 0, "{}", loader.problems.render(false));
    let groups = Groups::default();
    groups.apply(&plans, &Unmarked);
    let group = groups.get("BENCH").expect("it runs");
    (groups, group)
}

/// Sends `in_flight` requests at a time. Each starts after the reply to the one before.
pub(crate) async fn group(options: &Options) {
    let (messages, counts) = (messages(options), Arc::new(Counts::default()));
    let repeat = options.number("repeat", 1) as usize;
    let both = |message: Vec<u8>| (message.clone(), message.repeat(repeat));
    let messages: Arc<Vec<_>> = Arc::new(messages.into_iter().map(both).collect());
    let times = [
        ("rto_min_ms", options.number("rto_min_ms", 20)),
        ("rto_max_ms", options.number("rto_max_ms", 1_000)),
    ];
    let lines = times.map(|(key, ms)| format!("{key} = {ms}\n")).concat();
    let (_groups, group) = start(&options.addresses(), (&lines, ""));
    let timeout = options.seconds("timeout_s", LONG.as_secs_f64());
    let longest_gap = if options.number("gaps", 0) == 1 { watch_gaps(&counts) } else { Arc::default() };
    for number in 0..options.number("in_flight", 1) as usize {
        let (group, messages, counts) = (Arc::clone(&group), Arc::clone(&messages), Arc::clone(&counts));
        tokio::spawn(async move {
            for (message, expected) in messages.iter().cycle().skip(number) {
                let call = Call {
                    endpoint: None,
                    deadline: Instant::now() + timeout,
                    is_idempotent: false,
                    is_one_way: false,
                };
                match group.send(message.clone(), call).await {
                    Ok(reply) => counts.compare(&reply, expected),
                    Err(_) => {
                        counts.errors.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
        });
    }
    window(&counts, options, tokio::time::sleep).await;
    if options.number("gaps", 0) == 1 {
        eprintln!("{}", longest_gap.load(Ordering::Relaxed));
    }
}

/// Watches for the longest time without a reply, in milliseconds.
fn watch_gaps(counts: &Arc<Counts>) -> Arc<AtomicU64> {
    let (counts, longest) = (Arc::clone(counts), Arc::new(AtomicU64::new(0)));
    let noted = Arc::clone(&longest);
    tokio::spawn(async move {
        let (mut seen, mut since) = (0, Instant::now());
        loop {
            tokio::time::sleep(Duration::from_millis(5)).await;
            let now = counts.replies.load(Ordering::Relaxed);
            if now != seen {
                noted.fetch_max(since.elapsed().as_millis() as u64, Ordering::Relaxed);
                (seen, since) = (now, Instant::now());
            }
        }
    });
    longest
}

/// Opens 10,000 connections to 100 endpoints. Measures their memory and the time of a display.
pub(crate) async fn many(options: &Options) {
    let (endpoints, each) = (options.number("endpoints", 100) as usize, options.number("each", 100));
    let addresses: Vec<SocketAddr> = options.addresses().into_iter().cycle().take(endpoints).collect();
    let before = memory_mb();
    let of_each = format!("start_sockets = {each}\nmax_sockets = {each}");
    let (groups, _group) = start(&addresses, ("connect_timeout_ms = 5000", &of_each));
    let wanted = endpoints * each as usize;
    let begun = Instant::now();
    let sessions = || groups.view()[0].endpoints.iter().map(|endpoint| endpoint.sessions).sum::<usize>();
    while sessions() < wanted && begun.elapsed() < Duration::from_secs(60) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let open = sessions();
    let mut displays: Vec<f64> = Vec::new();
    for _ in 0..21 {
        let begun = Instant::now();
        let shown = groups.view();
        displays.push(begun.elapsed().as_secs_f64() * 1e3);
        assert_eq!(shown.len(), 1);
    }
    displays.sort_by(f64::total_cmp);
    let memory = memory_mb() - before;
    println!(
        "{{\"connections\": {open}, \"memory_mb\": {memory:.1}, \"display_ms\": {:.2}, \"display_ms_most\": {:.2}}}",
        displays[10], displays[20]
    );
}

/// Sends requests at a fixed rate, with or without replies. The first bytes of each request hold
/// its deadline.
pub(crate) async fn overload(options: &Options) {
    let sockets = options.number("sockets", 8);
    let (rate, timeout) =
        (options.number("rate", 1_000), Duration::from_millis(options.number("timeout_ms", 100)));
    let of_each = format!("start_sockets = {sockets}\nmax_sockets = {sockets}");
    let (_groups, group) = start(&options.addresses(), ("queue_max = 10000", &of_each));
    let counts = Arc::new(Counts::default());
    let (pace, counted, rest) = (Duration::from_millis(1), Arc::clone(&counts), vec![7; 1_016]);
    let late = Arc::new(AtomicU64::new(0));
    let noted = Arc::clone(&late);
    let kinds: Arc<Mutex<BTreeMap<String, u64>>> = Arc::default();
    let met = Arc::clone(&kinds);
    tokio::spawn(async move {
        let begun = Instant::now();
        let mut sent = 0;
        loop {
            let due = (begun.elapsed().as_secs_f64() * rate as f64) as u64;
            for _ in sent..due {
                let (group, counts, late) = (Arc::clone(&group), Arc::clone(&counted), Arc::clone(&noted));
                let kinds = Arc::clone(&met);
                let deadline = Instant::now() + timeout;
                let stamp = clock_ns() + timeout.as_nanos() as u64;
                let request = [&stamp.to_be_bytes()[..], &rest].concat();
                tokio::spawn(async move {
                    let call = Call { endpoint: None, deadline, is_idempotent: false, is_one_way: false };
                    let reply = group.send(request.clone(), call).await;
                    match reply {
                        Ok(reply) => counts.compare(&reply, &request),
                        Err(trouble) => {
                            counts.errors.fetch_add(1, Ordering::Relaxed);
                            *kinds
                                .lock()
                                .expect("no holder panics")
                                .entry(format!("{:?}", trouble.kind))
                                .or_default() += 1;
                        }
                    }
                    late.fetch_add(
                        u64::from(Instant::now() > deadline + Duration::from_millis(10)),
                        Ordering::Relaxed,
                    );
                });
            }
            sent = due;
            tokio::time::sleep(pace).await;
        }
    });
    window(&counts, options, tokio::time::sleep).await;
    let late = late.load(Ordering::Relaxed);
    eprintln!(
        "{late} calls ended later than 10 ms after their deadline; without a reply: {:?}",
        kinds.lock()
    );
}
