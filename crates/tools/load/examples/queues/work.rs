//! Clients that put and get in a closed loop.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::brokers::Client;
use crate::measure::{Phase, Reading, Times};
use crate::{Mode, Options};

/// Bytes of a request and of its reply.
const REQUEST_BYTES: usize = 50;
const REPLY_BYTES: usize = 1024;
/// Blocks of a note that comes back.
const NOTE_BLOCKS: usize = 20;
/// How long a get waits where it may.
const WAIT: &str = "?wait=1000";

/// A body that no other message has, of exactly this number of bytes.
fn body(client: usize, number: u64, bytes: usize) -> Vec<u8> {
    let mut text = format!("{client:04} {number:019} ");
    let mut seed = (client as u64) << 40 ^ number ^ bytes as u64;
    while text.len() < bytes {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text += &format!("{seed:016x}");
    }
    text.truncate(bytes);
    text.into_bytes()
}

/// The state that all clients of a run share.
struct Run<'o> {
    options: &'o Options,
    phase: Phase,
    /// Messages that are still to be put or got.
    left: AtomicUsize,
    /// Clients that may still ask: those who reply stay as long.
    asking: AtomicUsize,
}

/// A client that asks, until it is dropped.
struct Asking<'r>(&'r AtomicUsize);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}

impl Run<'_> {
    /// Takes one of the messages that are left.
    fn next(&self) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }

    fn is_counted(&self) -> bool {
        matches!(self.options.mode, Mode::Get | Mode::Fill)
    }
}

/// Runs the clients; what was measured, as JSON.
pub(crate) fn run(options: &Options) -> Result<String, String> {
    let run = Run {
        options,
        phase: Phase::new(),
        left: AtomicUsize::new(options.count),
        asking: AtomicUsize::new(options.clients),
    };
    if options.login.is_some() {
        // Once the gateway knows the password, it checks it fast: all clients may come at once then.
        drop(Client::new(options, "first".to_owned())?);
    }
    let measured = std::thread::scope(|scope| {
        let mut clients = Vec::new();
        for number in 0..options.clients {
            let run = &run;
            clients.push(scope.spawn(move || client(run, number)));
            if matches!(options.mode, Mode::Exchange | Mode::TwoWay) {
                clients.push(scope.spawn(move || reply(run, number)));
            }
        }
        if !run.is_counted() {
            std::thread::sleep(options.warmup());
        }
        let before = Reading::take(options.group)?;
        run.phase.begin();
        if !run.is_counted() {
            std::thread::sleep(options.duration());
            let window = before.since(&Times::new())?;
            run.phase.end();
            let times = collect(clients)?;
            return Ok::<_, String>(with_counts(window, &times));
        }
        let times = collect(clients)?;
        before.since(&times)
    })?;
    Ok(measured.to_string())
}

/// The figures of a window, with the number of what was done in it.
fn with_counts(mut window: serde_json::Value, times: &Times) -> serde_json::Value {
    let seconds = window["seconds"].as_f64().unwrap_or(1.0);
    let cores = window["broker_cores"].as_f64().unwrap_or(0.0);
    let count = times.count();
    window["count"] = count.into();
    window["per_s"] = (count as f64 / seconds).into();
    window["broker_us_each"] = (cores * seconds * 1e6 / count.max(1) as f64).into();
    for (name, quantile) in [("p50_ms", 0.5), ("p99_ms", 0.99), ("max_ms", 1.0)] {
        window[name] = times.at(quantile).into();
    }
    window
}

fn collect(clients: Vec<std::thread::ScopedJoinHandle<'_, Result<Times, String>>>) -> Result<Times, String> {
    let mut all = Times::new();
    for client in clients {
        all.add(&client.join().map_err(|_| "a client has panicked")??);
    }
    Ok(all)
}

fn client(run: &Run<'_>, number: usize) -> Result<Times, String> {
    let options = run.options;
    let _asking = Asking(&run.asking);
    let mut client = Client::new(options, format!("c{number}"))?;
    let mut times = Times::new();
    let mut last = None;
    // Later runs have higher numbers, so that messages which one leaves are older than those of the next.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|error| error.to_string())?;
    let first = u64::try_from(now.as_millis()).unwrap_or_default() * 1_000_000;
    while run.is_counted() && !run.phase.is_measuring() {
        std::thread::yield_now();
    }
    for count in first.. {
        let over = if run.is_counted() { !run.next() } else { run.phase.is_over() };
        if over {
            break;
        }
        let begun = Instant::now();
        let measured = run.phase.is_measuring();
        match options.mode {
            Mode::RoundTrip => round_trip(&mut client, number, count)?,
            Mode::Exchange => exchange(&mut client, number, count)?,
            Mode::TwoWay => two_way(&mut client, number, count)?,
            Mode::Note | Mode::Call => note(&mut client, options, number, count)?,
            Mode::Put | Mode::Fill => {
                client.put(&options.queue, &body(number, count, options.bytes), None)?;
            }
            Mode::GetById => get_by_id(&mut client, options, number, count)?,
            Mode::Get => last = Some(in_order(&mut client, options, last)?),
            Mode::Waits => unreachable!("it has clients of its own"),
        }
        if measured && !run.phase.is_over() {
            times.note(begun.elapsed());
        }
    }
    if options.mode == Mode::RoundTrip {
        client.ends_empty(&format!("REQ{number}"))?;
        client.ends_empty(&format!("REP{number}"))?;
    }
    Ok(times)
}

fn got<T>(message: Option<T>, queue: &str) -> Result<T, String> {
    message.ok_or_else(|| format!("{queue}: a message is lost: the queue is empty"))
}

/// Fails unless this body has come back.
fn check(queue: &str, found: &[u8], expected: &[u8]) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    let shown = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
    Err(format!("{queue}: expected {:?}, found {:?} ({} bytes)", shown(expected), shown(found), found.len()))
}

fn round_trip(client: &mut Client, number: usize, count: u64) -> Result<(), String> {
    for (queue, bytes) in [(format!("REQ{number}"), REQUEST_BYTES), (format!("REP{number}"), REPLY_BYTES)] {
        let sent = body(number, count, bytes);
        client.put(&queue, &sent, None)?;
        check(&queue, &got(client.get(&queue, "")?, &queue)?.body, &sent)?;
    }
    Ok(())
}

/// A correlation id that no other request has.
fn correlation(number: usize, count: u64) -> String {
    format!("{:032x}{count:016x}", number + 1)
}

fn exchange(client: &mut Client, number: usize, count: u64) -> Result<(), String> {
    let asked = body(number, count, REQUEST_BYTES);
    let id = client.put("REQUESTS", &asked, Some(&correlation(number, count)))?;
    let reply = client.get("REPLIES", &format!("?correlationId={id}&wait=10000"))?;
    check("REPLIES", &got(reply, "REPLIES")?.body, &reply_to(&asked))
}

fn two_way(client: &mut Client, number: usize, count: u64) -> Result<(), String> {
    let asked = body(number, count, REQUEST_BYTES);
    let found = client.call(&String::from_utf8_lossy(&asked))?;
    let found: serde_json::Value =
        serde_json::from_slice(&found).map_err(|error| format!("the service's answer: {error}"))?;
    check("ask", found["text"].as_str().unwrap_or_default().as_bytes(), &reply_to(&asked))
}

/// Sends a note, by messages or to a service, and checks what comes back: the same note with its blocks.
fn note(client: &mut Client, options: &Options, number: usize, count: u64) -> Result<(), String> {
    if let Some(user) = options.login.as_ref().filter(|_| options.login_each) {
        client.log_in(user)?;
    }
    let key = format!("{:012x}-{count:023}", number + 1);
    let asked = serde_json::json!({ "key_of": key }).to_string();
    let found = match options.mode {
        Mode::Call => client.post(&options.path, asked.as_bytes())?,
        _ => {
            let id = client.put_request("REQUESTS", "REPLIES", asked.as_bytes())?;
            let reply = client.get("REPLIES", &format!("?correlationId={id}&wait=10000"))?;
            got(reply, "REPLIES")?.body
        }
    };
    let reply: serde_json::Value =
        serde_json::from_slice(&found).map_err(|error| format!("the reply: {error}"))?;
    let blocks = reply["block"].as_array().map_or(0, Vec::len);
    if reply["key_of"].as_str() == Some(&key) && blocks == NOTE_BLOCKS {
        return Ok(());
    }
    let shown = String::from_utf8_lossy(&found[..found.len().min(100)]).into_owned();
    Err(format!("the reply: expected the note {key} with {NOTE_BLOCKS} blocks, found {shown}"))
}

/// The reply to a request: its text, over and over.
fn reply_to(asked: &[u8]) -> Vec<u8> {
    let mut reply = asked.repeat(REPLY_BYTES / asked.len().max(1) + 1);
    reply.truncate(REPLY_BYTES);
    // Blanks at the end belong to the record, not to the text.
    while reply.last() == Some(&b' ') {
        *reply.last_mut().expect("it has bytes") = b'.';
    }
    reply
}

/// Gets requests and puts replies until the last client has its reply.
fn reply(run: &Run<'_>, number: usize) -> Result<Times, String> {
    let mut client = Client::new(run.options, format!("r{number}"))?;
    while run.asking.load(Ordering::Acquire) > 0 {
        if let Some(asked) = client.get("REQUESTS", WAIT)? {
            client.put("REPLIES", &reply_to(&asked.body), Some(&asked.id))?;
        }
    }
    Ok(Times::new())
}

fn get_by_id(client: &mut Client, options: &Options, number: usize, count: u64) -> Result<(), String> {
    let sent = body(number, count, options.bytes);
    let id = client.put(&options.queue, &sent, None)?;
    let found = client.get(&options.queue, &format!("?messageId={id}"))?;
    check(&options.queue, &got(found, &options.queue)?.body, &sent)
}

/// Gets the next message; those of each client that has put come in their order.
fn in_order(client: &mut Client, options: &Options, last: Option<Vec<u64>>) -> Result<Vec<u64>, String> {
    let queue = &options.queue;
    let found = got(client.get(queue, "")?, queue)?.body;
    let text = String::from_utf8_lossy(&found);
    let mut words = text.split(' ');
    let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
    let (Some(putter), Some(count)) = (number(), number()) else {
        return Err(format!("{queue}: a changed message: {:?}", &text[..text.len().min(60)]));
    };
    let putter = usize::try_from(putter).map_err(|error| error.to_string())?;
    check(queue, &found, &body(putter, count, found.len()))?;
    let mut last = last.unwrap_or_default();
    last.resize(last.len().max(putter + 1), 0);
    // Each getter sees a part of the numbers.
    if count < last[putter] {
        return Err(format!("{queue}: message {count} of client {putter} came after {}", last[putter] - 1));
    }
    last[putter] = count + 1;
    Ok(last)
}
