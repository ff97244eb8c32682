//! The results: the shape of `result.json`, with every raw number of every round, and of `result.csv`.

use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::stats::Spread;
use crate::tally::{Failures, Tally, Times};

/// Version of the shape of `result.json`.
pub const RESULT_FORMAT: u32 = 1;

/// A whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`RESULT_FORMAT`].
    pub format: u32,
    /// Free text of the user, such as the commit.
    pub label: Option<String>,
    /// False when the run was stopped before its end.
    pub complete: bool,
    /// When the run began.
    pub started_utc: String,
    /// The command line.
    pub command: Vec<String>,
    /// Version of the driver.
    pub driver_version: String,
    /// The machine of the driver.
    pub machine: Machine,
    /// The settings of the run.
    pub settings: Settings,
    /// One for each target.
    pub targets: Vec<TargetReport>,
    /// Notes for the reader, such as why a figure is missing.
    pub notes: Vec<String>,
}

/// The settings of the run that a reader needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each is the option of the same name")]
pub struct Settings {
    pub think_ms: f64,
    #[serde(default)]
    pub rate_per_s: Option<f64>,
    pub warmup_s: f64,
    pub duration_s: f64,
    pub rounds: u32,
    pub timeout_ms: f64,
    pub threads: u32,
    pub spin_us: f64,
    pub pin_core: Option<usize>,
}

/// The sweep of one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TargetReport {
    /// Its name.
    pub name: String,
    /// Its method.
    pub method: String,
    /// Its URL.
    pub url: String,
    /// Length of the request's body.
    pub request_body_bytes: usize,
    /// Length of the answer's body, seen before the run.
    pub response_body_bytes: u64,
    /// The process whose CPU time was measured.
    pub server_pid: Option<u32>,
    /// One for each number of clients.
    pub steps: Vec<StepReport>,
}

/// One number of clients.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepReport {
    /// The number.
    pub clients: u32,
    /// Minimum, median and maximum over the rounds.
    pub figures: Figures,
    /// Failed requests of all rounds.
    pub failures: Failures,
    /// The raw numbers.
    pub rounds: Vec<Round>,
}

impl StepReport {
    /// A step without rounds.
    pub fn new(clients: u32) -> StepReport {
        StepReport { clients, figures: Figures::default(), failures: Failures::default(), rounds: Vec::new() }
    }

    /// Adds a round and counts the figures anew.
    pub fn push(&mut self, round: Round) {
        self.failures.add(&round.failures);
        self.rounds.push(round);
        self.figures = Figures::of(&self.rounds);
    }
}

/// The raw numbers of one round of one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Length of the measured window.
    pub window_s: f64,
    /// Correct answers complete within the window.
    pub transactions: u64,
    /// Correct answers complete before the window.
    #[serde(default)]
    pub warmup_transactions: u64,
    /// Failed requests by kind.
    pub failures: Failures,
    /// The last unexpected status.
    pub unexpected_status: Option<u16>,
    /// Connections opened again.
    pub reconnects: u64,
    /// From the intended start to the end of the answer.
    pub response: Times,
    /// From the actual start to the end of the answer.
    pub service: Times,
    /// From the intended to the actual start: how late the driver was.
    pub lateness: Times,
    /// The server's CPU time.
    pub server: Option<ServerUse>,
    /// CPU time of the driver within the window.
    pub driver_cpu_s: f64,
    /// Share of time in which the driver's core was busy, if it is bound to one.
    #[serde(default)]
    pub driver_core_busy_pct: Option<f64>,
    /// Length of the interval between the two readings of CPU times.
    pub cpu_interval_s: f64,
}

/// CPU time of the server in one round.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ServerUse {
    /// Time on cores.
    pub cpu_s: f64,
    /// Time that its threads waited for a core: others were running there.
    pub waiting_s: f64,
    /// Resident memory of its processes at the end of the window.
    #[serde(default)]
    pub memory_mib: Option<f64>,
    /// Share of time in which its core was busy, if it is bound to one.
    pub core_busy_pct: Option<f64>,
    /// CPU time within service providers, if the server tells it.
    pub provider_cpu_s: Option<f64>,
}

impl Round {
    /// The counts of a tally; CPU times are added by the caller.
    pub fn of(tally: &Tally, window_s: f64) -> Round {
        Round {
            window_s,
            transactions: tally.transactions,
            warmup_transactions: tally.warmup_transactions,
            failures: tally.failures,
            unexpected_status: tally.unexpected_status,
            reconnects: tally.reconnects,
            response: tally.response(),
            service: tally.service(),
            lateness: tally.lateness(),
            server: None,
            driver_cpu_s: 0.0,
            driver_core_busy_pct: None,
            cpu_interval_s: 0.0,
        }
    }

    /// Transactions per second.
    pub fn tps(&self) -> f64 {
        self.transactions as f64 / self.window_s
    }

    /// CPU time of the server per transaction, in milliseconds. Both are taken as rates, because the readings of
    /// the CPU time are some microseconds beside the window.
    pub fn cpu_ms_per_tx(&self) -> Option<f64> {
        let server = self.server?;
        Some(server.cpu_s / self.cpu_interval_s * 1e3 / self.tps()).filter(|ms| ms.is_finite())
    }

    /// CPU time of the server in percent of one core.
    pub fn cpu_pct(&self) -> Option<f64> {
        Some(self.server?.cpu_s / self.cpu_interval_s * 100.0).filter(|pct| pct.is_finite())
    }

    /// The share of the server's CPU time outside service providers, in percent: the report's zIIP-eligible share.
    pub fn offloadable_pct(&self) -> Option<f64> {
        let server = self.server?;
        let share = (server.cpu_s - server.provider_cpu_s?) / server.cpu_s * 100.0;
        Some(share.clamp(0.0, 100.0)).filter(|share| share.is_finite())
    }

    /// CPU time of the driver per transaction, in milliseconds.
    pub fn driver_cpu_ms_per_tx(&self) -> Option<f64> {
        Some(self.driver_cpu_s / self.cpu_interval_s * 1e3 / self.tps()).filter(|ms| ms.is_finite())
    }
}

/// Figures over the rounds; `None` where no round has them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Transactions per second.
    pub tps: Option<Spread>,
    /// Mean response time.
    pub response_mean_ms: Option<Spread>,
    /// Median response time.
    pub response_p50_ms: Option<Spread>,
    /// 99th percentile of the response time.
    pub response_p99_ms: Option<Spread>,
    /// Longest response time.
    pub response_max_ms: Option<Spread>,
    /// Mean time from the actual start.
    pub service_mean_ms: Option<Spread>,
    /// Mean lateness of the driver.
    pub lateness_mean_ms: Option<Spread>,
    /// CPU time of the server per transaction.
    pub cpu_ms_per_tx: Option<Spread>,
    /// CPU time of the server in percent of one core.
    pub cpu_pct: Option<Spread>,
    /// Share of the server's CPU time outside service providers.
    pub offloadable_pct: Option<Spread>,
    /// Busy share of the server's core.
    pub server_core_busy_pct: Option<Spread>,
    /// CPU time of the driver per transaction.
    pub driver_cpu_ms_per_tx: Option<Spread>,
    /// CPU time of the driver in percent of one core.
    pub driver_cpu_pct: Option<Spread>,
}

impl Figures {
    fn of(rounds: &[Round]) -> Figures {
        let spread = |figure: &dyn Fn(&Round) -> Option<f64>| Spread::of_known(rounds.iter().map(figure));
        let time = |figure: &dyn Fn(&Round) -> (Times, f64)| {
            spread(&|round: &Round| {
                let (times, us) = figure(round);
                (times.count > 0).then_some(us / 1e3)
            })
        };
        Figures {
            tps: spread(&|round| Some(round.tps())),
            response_mean_ms: time(&|round| (round.response, round.response.mean_us)),
            response_p50_ms: time(&|round| (round.response, round.response.p50_us)),
            response_p99_ms: time(&|round| (round.response, round.response.p99_us)),
            response_max_ms: time(&|round| (round.response, round.response.max_us)),
            service_mean_ms: time(&|round| (round.service, round.service.mean_us)),
            lateness_mean_ms: time(&|round| (round.lateness, round.lateness.mean_us)),
            cpu_ms_per_tx: spread(&Round::cpu_ms_per_tx),
            cpu_pct: spread(&Round::cpu_pct),
            offloadable_pct: spread(&Round::offloadable_pct),
            server_core_busy_pct: spread(&|round| round.server?.core_busy_pct),
            driver_cpu_ms_per_tx: spread(&Round::driver_cpu_ms_per_tx),
            driver_cpu_pct: spread(&|round| Some(round.driver_cpu_s / round.cpu_interval_s * 100.0)),
        }
    }
}

impl Report {
    /// Failed requests of the whole run.
    pub fn failures(&self) -> Failures {
        let mut sum = Failures::default();
        for step in self.targets.iter().flat_map(|target| &target.steps) {
            sum.add(&step.failures);
        }
        sum
    }

    /// The medians of all steps as one line of JSON, for programs.
    pub fn to_line(&self) -> String {
        let median = |spread: Option<Spread>, factor: f64| spread.map(|spread| spread.median * factor);
        let step = |target: &TargetReport, step: &StepReport| {
            let (figures, failures) = (&step.figures, &step.failures);
            serde_json::json!({
                "target": target.name,
                "clients": step.clients,
                "requests_per_s": median(figures.tps, 1.0),
                "response_mean_us": median(figures.response_mean_ms, 1e3),
                "response_p50_us": median(figures.response_p50_ms, 1e3),
                "response_p99_us": median(figures.response_p99_ms, 1e3),
                "response_max_us": median(figures.response_max_ms, 1e3),
                "cpu_us_per_request": median(figures.cpu_ms_per_tx, 1e3),
                "failures": failures,
            })
        };
        let steps: Vec<_> = (self.targets.iter())
            .flat_map(|target| target.steps.iter().map(move |one| step(target, one)))
            .collect();
        serde_json::json!({ "complete": self.complete, "steps": steps }).to_string()
    }

    /// One line for each round, the first line with the names of the columns; empty where not measured.
    pub fn to_csv(&self) -> String {
        let mut csv = String::from(CSV_HEADER);
        for target in &self.targets {
            for step in &target.steps {
                for (index, round) in step.rounds.iter().enumerate() {
                    csv.push_str(&csv_line(&target.name, step.clients, index + 1, round));
                }
            }
        }
        csv
    }
}

const CSV_HEADER: &str = "target,clients,round,transactions,tps,response_mean_ms,response_p50_ms,response_p99_ms,\
    response_max_ms,service_mean_ms,lateness_mean_ms,cpu_ms_per_tx,cpu_pct,offloadable_pct,\
    server_core_busy_pct,driver_cpu_ms_per_tx,failures,reconnects\n";

fn csv_line(target: &str, clients: u32, number: usize, round: &Round) -> String {
    let optional = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let name = if target.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", target.replace('"', "\"\""))
    } else {
        target.to_owned()
    };
    let figures = [
        Some(round.tps()),
        Some(round.response.mean_us / 1e3),
        Some(round.response.p50_us / 1e3),
        Some(round.response.p99_us / 1e3),
        Some(round.response.max_us / 1e3),
        Some(round.service.mean_us / 1e3),
        Some(round.lateness.mean_us / 1e3),
        round.cpu_ms_per_tx(),
        round.cpu_pct(),
        round.offloadable_pct(),
        round.server.and_then(|server| server.core_busy_pct),
        round.driver_cpu_ms_per_tx(),
    ]
    .map(optional)
    .join(",");
    let (transactions, failures) = (round.transactions, round.failures.total());
    format!("{name},{clients},{number},{transactions},{figures},{failures},{}\n", round.reconnects)
}
