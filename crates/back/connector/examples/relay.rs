//! A link that loses packets, for `make loss`: it takes IP packets from one TUN device and gives them to another, both ways.
//!
//! Standard input is one device and standard output the other. Options are given as `KEY=VALUE`:
//!
//! - `seed`: the seed of chance
//! - `loss_ppm`: packets lost of a million, each by chance
//! - `delay_us` and `rate_mbit`: delay and rate, each way
//! - `queue_us`: longest queue before the rate; 50,000 by default
//! - `outage`: a file; nothing passes while it exists
//! - `stats`: a file for the numbers of packets
//! - `trace`: a file that gets a line for each TCP packet
//!
//! A line of the trace has: arrival and departure (microseconds of the monotonic clock), device (1
//! for the first, 2 for the second), 1 if the packet is lost, sequence number, acknowledgement,
//! bytes. A packet whose TCP payload begins with `DROP` is lost once, however often it is sent.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// The default length of the link's queue. The link drops packets beyond it, as a router does.
const QUEUE_MAX: Duration = Duration::from_millis(50);

#[derive(Clone)]
struct Link {
    loss_ppm: u64,
    delay: Duration,
    queue_max: Duration,
    /// Nanoseconds of each byte; 0 for no limit.
    byte_ns: u64,
}

#[derive(Default)]
struct Counts {
    packets: AtomicU64,
    lost: AtomicU64,
    is_out: AtomicBool,
    trace: Mutex<Option<File>>,
}

impl Counts {
    /// Writes a packet to the trace, if there is one.
    fn note(&self, way: u64, packet: &[u8], (stays, is_lost): (Duration, bool)) {
        let mut trace = self.trace.lock().expect("no holder panics");
        let (Some(trace), Some(segment)) = (trace.as_mut(), Segment::of(packet)) else { return };
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let now_us = now.tv_sec.unsigned_abs() * 1_000_000 + now.tv_nsec.unsigned_abs() / 1_000;
        let (until_us, lost) = (now_us + stays.as_micros() as u64, u8::from(is_lost));
        let Segment { sequence, acknowledged, payload, .. } = segment;
        let line = format!("{now_us} {until_us} {way} {lost} {sequence} {acknowledged} {}\n", payload.len());
        let _ = trace.write_all(line.as_bytes());
    }
}

fn main() {
    let mut link = Link { loss_ppm: 0, delay: Duration::ZERO, queue_max: QUEUE_MAX, byte_ns: 0 };
    let counts = Arc::new(Counts::default());
    let (mut seed, mut outage, mut stats) = (1_u64, PathBuf::new(), PathBuf::new());
    for argument in std::env::args().skip(1) {
        let (key, value) = argument.split_once('=').expect("KEY=VALUE");
        let number = || value.parse::<u64>().expect("a number");
        match key {
            "seed" => seed = number(),
            "loss_ppm" => link.loss_ppm = number(),
            "delay_us" => link.delay = Duration::from_micros(number()),
            "queue_us" => link.queue_max = Duration::from_micros(number()),
            "rate_mbit" => link.byte_ns = 8_000_u64.checked_div(number()).unwrap_or(0),
            "outage" => outage = value.into(),
            "stats" => stats = value.into(),
            "trace" => *counts.trace.lock().expect("nobody else has it") = File::create(value).ok(),
            other => panic!("{other} is unknown"),
        }
    }
    let near = File::from(std::io::stdin().as_fd().try_clone_to_owned().expect("a device"));
    let far = File::from(std::io::stdout().as_fd().try_clone_to_owned().expect("a device"));
    let again = |device: &File| device.try_clone().expect("a device");
    for (number, from, to) in [(1, again(&near), again(&far)), (2, far, near)] {
        let (link, counts) = (link.clone(), Arc::clone(&counts));
        let chance = (seed ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        thread::spawn(move || pass((from, to), &link, (number, chance, &counts)));
    }
    loop {
        counts.is_out.store(outage.exists(), Ordering::Relaxed);
        let told = [&counts.packets, &counts.lost].map(|count| count.load(Ordering::Relaxed).to_string());
        let _ = fs::write(&stats, told.join(" "));
        thread::sleep(Duration::from_millis(5));
    }
}

fn pass((mut from, mut to): (File, File), link: &Link, (way, mut chance, counts): (u64, u64, &Counts)) {
    let (queue, queued) = mpsc::channel::<(Instant, Vec<u8>)>();
    let mut direct = to.try_clone().expect("a device");
    thread::spawn(move || {
        for (due, packet) in queued {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            let _ = to.write_all(&packet);
        }
    });
    let is_direct = link.delay.is_zero() && link.byte_ns == 0;
    let (mut dropped, mut free_at, mut bytes) = (HashSet::new(), Instant::now(), vec![0; 65_536]);
    while let Ok(length @ 1..) = from.read(&mut bytes) {
        let packet = &bytes[..length];
        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        counts.packets.fetch_add(1, Ordering::Relaxed);
        let is_chosen = (chance >> 20) % 1_000_000 < link.loss_ppm;
        let is_marked = marked(packet).is_some_and(|sequence| dropped.insert(sequence));
        let now = Instant::now();
        if is_chosen || is_marked || counts.is_out.load(Ordering::Relaxed) || free_at > now + link.queue_max {
            counts.lost.fetch_add(1, Ordering::Relaxed);
            counts.note(way, packet, (Duration::ZERO, true));
        } else if is_direct {
            counts.note(way, packet, (Duration::ZERO, false));
            let _ = direct.write_all(packet);
        } else {
            free_at = free_at.max(now) + Duration::from_nanos(link.byte_ns * length as u64);
            counts.note(way, packet, (free_at + link.delay - now, false));
            let _ = queue.send((free_at + link.delay, packet.to_vec()));
        }
    }
}

/// The port and the sequence number of a marked packet (TCP over IPv4), which the link must lose.
fn marked(packet: &[u8]) -> Option<(u16, u32)> {
    let segment = Segment::of(packet)?;
    segment.payload.starts_with(b"DROP").then_some((segment.port, segment.sequence))
}

/// The fields of a packet of TCP over IPv4.
struct Segment<'p> {
    port: u16,
    sequence: u32,
    acknowledged: u32,
    payload: &'p [u8],
}

impl<'p> Segment<'p> {
    fn of(packet: &'p [u8]) -> Option<Self> {
        let header = usize::from(packet.first()? & 15) * 4;
        let segment = packet.get(header..).filter(|_| packet.get(9) == Some(&6))?;
        let number = |at: usize| segment.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
        Some(Segment {
            port: u16::from_be_bytes(segment.get(..2)?.try_into().ok()?),
            sequence: number(4)?,
            acknowledged: number(8)?,
            payload: segment.get(usize::from(segment.get(12)? >> 4) * 4..)?,
        })
    }
}
