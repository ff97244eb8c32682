//! The programs that `make connector-bench` measures: a server of frames, a client without a pool, and clients of a group.
//!
//! `bench server ADDRESS KEY=VALUE...` serves until its standard input ends. Then it prints its
//! counts. `bench CLIENT KEY=VALUE...` measures one window and prints a line of JSON. Clients are
//! `std` (blocking, one thread for each connection), `direct` (hand-written over tokio, no pool),
//! `group`, `many` (10,000 connections) and `overload`. `senders` (many on one connection) and
//! `beside` (short requests beside long ones) need the server `sink`. `threads` gives the number of
//! threads of the senders. Each thread has its own runtime, like a worker of the gateway.

mod clients;
mod contention;
mod figures;
mod group;
mod server;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

/// The allocator of the gateway.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The options of a program, as `KEY=VALUE`.
struct Options(HashMap<String, String>);

impl Options {
    fn read(arguments: &[String]) -> Self {
        let pair = |argument: &String| {
            let (key, value) =
                argument.split_once('=').unwrap_or_else(|| panic!("{argument}: expected KEY=VALUE"));
            (key.to_owned(), value.to_owned())
        };
        Self(arguments.iter().map(pair).collect())
    }

    fn number(&self, key: &str, usual: u64) -> u64 {
        let read =
            |text: &String| text.parse().unwrap_or_else(|_| panic!("{key}: expected a number, found {text}"));
        self.0.get(key).map_or(usual, read)
    }

    fn word(&self, key: &str) -> &str {
        self.0.get(key).map_or_else(|| panic!("{key}=WORD is missing"), String::as_str)
    }

    fn seconds(&self, key: &str, usual: f64) -> Duration {
        let read =
            |text: &String| text.parse().unwrap_or_else(|_| panic!("{key}: expected seconds, found {text}"));
        Duration::from_secs_f64(self.0.get(key).map_or(usual, read))
    }

    fn addresses(&self) -> Vec<SocketAddr> {
        let list = self.0.get("addresses").expect("addresses=HOST:PORT,...");
        list.split(',').map(|address| address.parse().expect("an address")).collect()
    }

    /// Further processes whose CPU time counts.
    fn pids(&self) -> Vec<u32> {
        let list = self.0.get("pids").map(String::as_str).unwrap_or_default();
        list.split(',').filter(|pid| !pid.is_empty()).map(|pid| pid.parse().expect("a process id")).collect()
    }
}

/// 64 different messages. Each has 1 KiB unless `bytes` sets another size.
fn messages(options: &Options) -> Vec<Vec<u8>> {
    let mut state = options.number("seed", 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    let bytes = options.number("bytes", 1_024);
    (0..64).map(|_| (0..bytes).map(|_| next()).collect()).collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (what, rest) = arguments.split_first().expect("a server or a client");
    figures::raise_open_files();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    match what.as_str() {
        "server" => {
            let (address, rest) = rest.split_first().expect("an address");
            runtime.block_on(server::run(address, &Options::read(rest)));
        }
        "sink" => {
            let (address, rest) = rest.split_first().expect("an address");
            runtime.block_on(contention::sink(address, &Options::read(rest)));
        }
        "senders" => runtime.block_on(contention::senders(&Options::read(rest))),
        "beside" => runtime.block_on(contention::beside(&Options::read(rest))),
        "std" => clients::blocking(&Options::read(rest)),
        "direct" => runtime.block_on(clients::direct(&Options::read(rest))),
        "group" => runtime.block_on(group::group(&Options::read(rest))),
        "many" => runtime.block_on(group::many(&Options::read(rest))),
        "overload" => runtime.block_on(group::overload(&Options::read(rest))),
        other => panic!("{other} is nothing that can be measured"),
    }
}
