//! Attacks a gateway by clients that are slow on purpose, beside good ones.
//!
//! Good clients send requests at a fixed rate. In each round they do so alone, and then beside many slow clients of each
//! kind. After each kind no slow client comes again, and the gateway must let all of them go. Good clients must not be
//! refused, and the gateway's memory must stay within a bound. Times are shown. They are judged only with `--judge`.

mod attackers;
mod gateway;
mod good;
mod stalls;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use attackers::{Attackers, Kind, STREAMS};
use clap::Parser;
use gateway::Gateway;
use good::Found;
use stalls::Stalls;

/// The memory that a slow client may cost: buffers of its connection.
const CLIENT_BYTES: usize = 64 * 1024;
/// The memory that each of its requests may cost on HTTP/2, beside the answers that wait.
const STREAM_BYTES: usize = 12 * 1024;
/// The memory of all waiting answers together: `response_waiting_max_bytes` of the gateway's configuration.
const WAITING_BYTES: usize = 16 * 1024 * 1024;
/// A busy machine may take this much longer than the limits say.
const GRACE: Duration = Duration::from_secs(60);
/// With `--judge` the 99th percentile may grow to twice what it was, or by so much.
const SLOWER_MAX: Duration = Duration::from_millis(5);
/// A core that did not run a thread for so long makes a round void.
const STALL: Duration = Duration::from_millis(50);

#[derive(Parser)]
struct Options {
    /// The gateway's binary
    gateway: PathBuf,
    /// The folder of its configuration
    #[arg(long, default_value = "tests/attack/gateway")]
    folder: PathBuf,
    /// Seconds of good requests, alone and beside each kind
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// Slow clients of each kind
    #[arg(long, default_value_t = 200)]
    clients: usize,
    /// Good requests a second; half of the capacity if not given
    #[arg(long)]
    rate: Option<u64>,
    #[arg(long, default_value_t = 1)]
    rounds: usize,
    /// Only this kind, such as "window 0" or "idle (admin)"; may be given several times
    #[arg(long = "kind")]
    kinds: Vec<String>,
    /// The core of the gateway; the driver takes the next one. Rounds with a stalled core are void then
    #[arg(long)]
    core: Option<usize>,
    /// Fail if the 99th percentile is more than twice what it is without attack, and more than 5 ms longer
    #[arg(long)]
    judge: bool,
}

/// An attack on one of the gateway's addresses.
#[derive(Clone, Copy)]
struct Attack {
    kind: Kind,
    at_admin: bool,
}

impl Attack {
    fn all() -> Vec<Self> {
        let apis = Kind::ALL.map(|kind| Self { kind, at_admin: false });
        let admin = [Kind::Idle, Kind::Body, Kind::Window0].map(|kind| Self { kind, at_admin: true });
        [&apis[..], &admin[..]].concat()
    }

    fn name(self) -> String {
        format!("{}{}", self.kind, if self.at_admin { " (admin)" } else { "" })
    }
}

fn main() -> ExitCode {
    let options = Options::parse();
    if let Some(core) = options.core {
        stalls::run_on(core + 1);
    }
    match run(&options) {
        Ok(faults) if faults.is_empty() => {
            println!("nothing got through");
            ExitCode::SUCCESS
        }
        Ok(faults) => {
            faults.iter().for_each(|fault| println!("GOT THROUGH: {fault}"));
            println!("{} got through", faults.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<Vec<String>, String> {
    let attacks: Vec<_> = Attack::all()
        .into_iter()
        .filter(|attack| options.kinds.is_empty() || options.kinds.contains(&attack.name()))
        .collect();
    if attacks.is_empty() {
        return Err("no such kind".to_owned());
    }
    let gateway = Gateway::start(&options.gateway, &options.folder, options.core)?;
    let rate = options.rate.unwrap_or_else(|| good::capacity(gateway.targets, 3.0) / 2);
    if rate == 0 {
        return Err("the gateway answers no request".to_owned());
    }
    println!(
        "{} slow clients of each kind, {rate} good requests/s, {} s each; times in ms, memory in MB",
        options.clients, options.seconds
    );
    println!(
        "{:18}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}",
        "kind", "p50", "p99", "refused", "memory", "bound", "came", "gone in"
    );
    let mut driver = Driver { options, gateway, rate, faults: Vec::new() };
    let (mut alone, mut beside) = (Vec::new(), vec![Vec::new(); attacks.len()]);
    for _ in 0..options.rounds {
        let memory = driver.alone(&mut alone);
        for (attack, times) in attacks.iter().zip(&mut beside) {
            driver.attack(*attack, memory, times);
        }
    }
    driver.summary("none", &mut alone, None);
    let without = alone.get(alone.len() / 2).copied();
    for (attack, times) in attacks.iter().zip(&mut beside) {
        driver.summary(&attack.name(), times, without);
    }
    Ok(driver.faults)
}

struct Driver<'o> {
    options: &'o Options,
    gateway: Gateway,
    rate: u64,
    faults: Vec<String>,
}

impl Driver<'_> {
    /// Good clients alone. Gives the gateway's memory.
    fn alone(&mut self, times: &mut Vec<Duration>) -> usize {
        let stalls = Stalls::watch(self.options.core);
        let (found, most) = self.good();
        let void = self.judge("none", &found, &stalls, times);
        println!("{}{:9}{void}", row("none", &found), most >> 20);
        most
    }

    /// Good clients beside slow ones, on a gateway that had so much memory without them.
    fn attack(&mut self, attack: Attack, before: usize, times: &mut Vec<Duration>) {
        let stalls = Stalls::watch(self.options.core);
        let target = match attack.at_admin {
            true => (self.gateway.targets.admin, "/zosConnect/services/echo?action=invoke"),
            false => (self.gateway.targets.apis, "/echo/7"),
        };
        let mut attackers = Attackers::start(attack.kind, target, self.options.clients);
        let (found, most) = self.good();
        let name = attack.name();
        let void = self.judge(&name, &found, &stalls, times);
        let came = attackers.came();
        let gone = attackers.gone(self.gateway.limit * 3 + GRACE);

        let streams = if attack.kind.takes_no_answers() { STREAMS } else { 0 };
        let bound = before + self.options.clients * (CLIENT_BYTES + streams * STREAM_BYTES) + WAITING_BYTES;
        println!(
            "{}{:9}{:9}{came:9}{:>9}{void}",
            row(&name, &found),
            most >> 20,
            bound >> 20,
            gone.map_or("never".to_owned(), |gone| format!("{:.1} s", gone.as_secs_f64())),
        );
        let mut fault = |text: String| self.faults.push(format!("{name}: {text}"));
        if came == 0 {
            fault("no slow client could connect".to_owned());
        }
        if gone.is_none() {
            fault(format!("{} slow clients are still there", attackers.open()));
        }
        if most > bound {
            fault(format!("memory is {} MB, {} MB beyond its bound", most >> 20, (most - bound) >> 20));
        }
        if self.gateway.has_ended() {
            fault("the gateway has ended".to_owned());
        }
    }

    /// Keeps the 99th percentile, unless a core stalled: then the round is void, which the text says.
    fn judge(&mut self, name: &str, found: &Found, stalls: &Stalls, times: &mut Vec<Duration>) -> String {
        for (why, count) in &found.refused {
            self.faults.push(format!("{name}: {count} good requests: {why}"));
        }
        let longest = stalls.longest();
        if longest > STALL {
            return format!("  void: a core stalled for {:.0} ms", ms(longest));
        }
        times.push(found.percentile(99));
        String::new()
    }

    /// The results of good clients, and the most memory that the gateway has meanwhile.
    fn good(&self) -> (Found, usize) {
        let (targets, rate, seconds) = (self.gateway.targets, self.rate, self.options.seconds);
        let clients = std::thread::spawn(move || good::run(targets, rate, seconds));
        let mut most = 0;
        while !clients.is_finished() {
            most = most.max(self.gateway.memory());
            std::thread::sleep(Duration::from_millis(100));
        }
        (clients.join().expect("good clients do not panic"), most)
    }

    /// The median of an attack's rounds, beside the median without attack.
    fn summary(&mut self, name: &str, times: &mut [Duration], without: Option<Duration>) {
        times.sort_unstable();
        let Some(&median) = times.get(times.len() / 2) else {
            println!("{name:18}every round is void");
            if self.options.judge {
                self.faults.push(format!("{name}: every round is void"));
            }
            return;
        };
        println!("{name:18}p99 {:.2} ms, the median of {} rounds", ms(median), times.len());
        if let Some(without) = without.filter(|_| self.options.judge)
            && median > without * 2
            && median > without + SLOWER_MAX
        {
            self.faults.push(format!("{name}: p99 is {:.2} ms, {:.2} without", ms(median), ms(without)));
        }
    }
}

fn row(name: &str, found: &Found) -> String {
    let refused: usize = found.refused.values().sum();
    format!("{name:18}{:9.2}{:9.2}{refused:9}", ms(found.percentile(50)), ms(found.percentile(99)))
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
