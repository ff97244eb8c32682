//! Many gets that wait: what they cost, and that a put wakes one of them.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use crate::Options;
use crate::brokers::Client;
use crate::measure::{Reading, Times};

/// Longer than a run.
const WAIT_MS: u64 = 600_000;
/// From the first get that waits to the others.
const APART: Duration = Duration::from_millis(500);
/// How long others are looked at after one was woken.
const OTHERS: Duration = Duration::from_millis(500);

/// Begins the waits, measures while nothing happens, and wakes one.
pub(crate) fn run(options: &Options) -> Result<String, String> {
    let mut clients = Vec::with_capacity(options.count);
    for number in 0..options.count {
        let mut client = Client::new(options, format!("w{number}"))?;
        client.begin_wait(&options.queue, WAIT_MS)?;
        if clients.is_empty() {
            // The gateway reads its connections in any order, and this get is to be the first.
            std::thread::sleep(APART);
        }
        clients.push(client);
    }
    std::thread::sleep(options.warmup());
    let before = Reading::take(options.group)?;
    std::thread::sleep(options.duration());
    let mut measured = before.since(&Times::new())?;
    let mut putter = Client::new(options, "putter".to_owned())?;
    let begun = Instant::now();
    putter.put(&options.queue, b"awake", None)?;
    // Who waits longest is served first.
    let answer = clients[0].end_wait()?;
    measured["woken_ms"] = (begun.elapsed().as_secs_f64() * 1e3).into();
    if answer.status != 200 || answer.body != b"awake" {
        return Err(format!("the first wait ends with {}", answer.status));
    }
    std::thread::sleep(OTHERS);
    for client in &clients[1..] {
        client.stream().set_nonblocking(true).map_err(|error| error.to_string())?;
        match client.stream().peek(&mut [0]) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            other => return Err(format!("another wait has ended: {other:?}")),
        }
    }
    measured["waits"] = clients.len().into();
    Ok(measured.to_string())
}
