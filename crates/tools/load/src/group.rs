//! `load group` measures an endpoint group, without a gateway around it. The group runs in the driver's process, at a door that
//! the crate `gantry` implements; so CPU time is that of the group and the driver together.

use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use clap::Args;
use tokio::task::LocalSet;

use crate::cli::{check_range, different_messages, duration, read_body, usage};
use crate::clock::{as_ns, now_ns, utc_now};
use crate::error::{Error, ErrorKind};
use crate::experiment::{conclude, show, write_results};
use crate::interrupt::Interrupt;
use crate::machine;
use crate::plan::{CLIENTS_MAX_COUNT, ROUNDS_MAX_COUNT};
use crate::result::{RESULT_FORMAT, Report, Round, Settings, StepReport, TargetReport};
use crate::step::{self, Measured, Probe};
use crate::table;
use crate::tally::{Exchange, Failure, Tally, Window};

/// How often requests that are due at a rate are begun.
const TICK: Duration = Duration::from_millis(1);
/// How long before a step its first request is set up.
const SETUP_NS: u64 = 5_000_000;
/// How often the interrupt is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The outcome of a request.
pub type Outcome<'d> = Pin<Box<dyn Future<Output = Result<Vec<u8>, Failure>> + 'd>>;

/// A way to an endpoint group.
pub trait GroupDoor: fmt::Debug {
    /// Where it leads, for the report.
    fn place(&self) -> String;

    /// Sends a request, and gives its reply, or how it failed.
    fn send(&self, request: Vec<u8>, timeout: Duration) -> Outcome<'_>;
}

/// Measures an endpoint group of a configuration: replies a second, response time, CPU time of a request.
#[derive(Debug, Clone, Args)]
pub struct GroupArgs {
    /// The group: a file in endpoints/ without its ending
    pub group: String,
    /// The configuration folder
    #[arg(default_value = ".")]
    pub folder: PathBuf,
    /// The message of all requests, or @FILE
    #[arg(long, value_name = "TEXT|@FILE", required_unless_present = "message_bytes")]
    pub body: Option<String>,
    /// Send 64 different messages of this number of bytes, instead of --body
    #[arg(long, value_name = "N", conflicts_with = "body")]
    pub message_bytes: Option<usize>,
    /// The expected reply, or @FILE
    #[arg(long = "expect-body", value_name = "TEXT|@FILE")]
    pub expect_body: Option<String>,
    /// Each reply must be its request
    #[arg(long, conflicts_with = "expect_body")]
    pub expect_echo: bool,
    /// A request may be carried out twice, so it may be sent again
    #[arg(long)]
    pub idempotent: bool,
    /// Numbers of clients, one step each
    #[arg(long, value_delimiter = ',', value_name = "N,...", default_value = "1,32")]
    pub clients: Vec<u32>,
    /// Requests a second, whether or not there are replies, instead of clients
    #[arg(long, value_name = "N", conflicts_with_all = ["clients", "think_ms"])]
    pub rate: Option<f64>,
    /// Think time between a reply and the client's next request
    #[arg(long, value_name = "MS", default_value_t = 0.0)]
    pub think_ms: f64,
    /// Measured time of each step
    #[arg(long, value_name = "S", default_value_t = 10.0)]
    pub duration_s: f64,
    /// Warm-up time before each measured window
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    pub warmup_s: f64,
    /// Repetitions of all steps; figures are medians over them
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub rounds: u32,
    /// Time limit of one request
    #[arg(long, value_name = "MS", default_value_t = 5_000.0)]
    pub timeout_ms: f64,
    /// Core that the driver and the group run on
    #[arg(long, value_name = "CORE")]
    pub pin_core: Option<usize>,
    /// Directory for result.json, result.csv and report.html
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Free text kept with the results, such as the commit
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,
    /// Print the figures as one line of JSON instead of the table
    #[arg(long)]
    pub json: bool,
    /// Exit with 0 even when requests failed
    #[arg(long)]
    pub allow_errors: bool,
}

/// The plan of the measurement, checked.
struct Plan {
    /// Messages, and their replies where they are known.
    calls: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    clients: Vec<u32>,
    rate: Option<f64>,
    think: Duration,
    warmup: Duration,
    duration: Duration,
    timeout: Duration,
}

/// Measures the group behind the door, which `open` opens in the runtime that is to run it.
///
/// # Errors
/// Wrong arguments, no group, requests that failed, or the user stopped the run.
pub fn run(args: &GroupArgs, open: impl FnOnce() -> Result<Rc<dyn GroupDoor>, String>) -> Result<(), Error> {
    let plan = Rc::new(plan(args)?);
    if let Some(core) = args.pin_core {
        step::run_on(core)?;
    }
    let interrupt = Interrupt::on_ctrl_c()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::system("cannot start a runtime", error))?;
    let entered = runtime.enter();
    let door = open().map_err(|message| Error::new(ErrorKind::Usage, message))?;
    drop(entered);
    let mut report = begin(args, &plan, &*door);
    let local = LocalSet::new();
    let outcome = local.block_on(&runtime, sweep(args, &plan, &door, &interrupt, &mut report));
    report.complete = outcome.is_ok() && !interrupt.is_set();
    let measured_something = report.targets[0].steps.iter().any(|step| !step.rounds.is_empty());
    if measured_something {
        show(&report, args.json);
        write_results(args.output.as_deref(), &report)?;
    }
    outcome?;
    conclude(args.allow_errors, &report, measured_something)
}

fn plan(args: &GroupArgs) -> Result<Plan, Error> {
    check_range("--rounds", args.rounds, ROUNDS_MAX_COUNT)?;
    for &clients in &args.clients {
        check_range("--clients", clients, CLIENTS_MAX_COUNT)?;
    }
    if args.rate.is_some_and(|rate| !(0.001..=1e7).contains(&rate)) {
        return Err(usage("--rate must be from 0.001 to 10000000 requests a second"));
    }
    let messages = match (args.message_bytes, &args.body) {
        (Some(bytes), _) => different_messages(bytes)?,
        (None, Some(body)) => vec![read_body(body)?],
        (None, None) => return Err(usage("--body or --message-bytes is needed")),
    };
    let reply = args.expect_body.as_deref().map(read_body).transpose()?;
    let call = |message: Vec<u8>| {
        let echo = args.expect_echo.then(|| message.clone());
        (message, echo.or_else(|| reply.clone()))
    };
    Ok(Plan {
        calls: messages.into_iter().map(call).collect(),
        clients: if args.rate.is_some() { vec![1] } else { args.clients.clone() },
        rate: args.rate,
        think: duration("--think-ms", args.think_ms, 1e-3, 0.0)?,
        warmup: duration("--warmup-s", args.warmup_s, 1.0, 0.0)?,
        duration: duration("--duration-s", args.duration_s, 1.0, 0.01)?,
        timeout: duration("--timeout-ms", args.timeout_ms, 1e-3, 1e-3)?,
    })
}

fn begin(args: &GroupArgs, plan: &Plan, door: &dyn GroupDoor) -> Report {
    Report {
        format: RESULT_FORMAT,
        label: args.label.clone(),
        complete: false,
        started_utc: utc_now(),
        command: std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect(),
        driver_version: env!("CARGO_PKG_VERSION").to_owned(),
        machine: machine::describe(),
        settings: Settings {
            think_ms: args.think_ms,
            rate_per_s: args.rate,
            warmup_s: args.warmup_s,
            duration_s: args.duration_s,
            rounds: args.rounds,
            timeout_ms: args.timeout_ms,
            threads: 1,
            spin_us: 0.0,
            pin_core: args.pin_core,
        },
        targets: vec![TargetReport {
            name: args.group.clone(),
            method: "group".to_owned(),
            url: door.place(),
            request_body_bytes: plan.calls[0].0.len(),
            response_body_bytes: plan.calls[0].1.as_ref().map_or(0, |reply| reply.len() as u64),
            server_pid: Some(std::process::id()),
            steps: plan.clients.iter().map(|clients| StepReport::new(*clients)).collect(),
        }],
        notes: vec!["the group runs in the driver's process: CPU time is that of both".to_owned()],
    }
}

async fn sweep(
    args: &GroupArgs,
    plan: &Rc<Plan>,
    door: &Rc<dyn GroupDoor>,
    interrupt: &Interrupt,
    report: &mut Report,
) -> Result<(), Error> {
    for number in 1..=args.rounds {
        for step in &mut report.targets[0].steps {
            let measured = measure(plan, door, step.clients, args.pin_core, interrupt).await?;
            let Some(round) = measured else { return Ok(()) };
            terminal::remark!("{}", table::progress(&args.group, step.clients, number, args.rounds, &round));
            step.push(round);
        }
    }
    Ok(())
}

/// One window; nothing if it was interrupted.
async fn measure(
    plan: &Rc<Plan>,
    door: &Rc<dyn GroupDoor>,
    clients: u32,
    core: Option<usize>,
    interrupt: &Interrupt,
) -> Result<Option<Round>, Error> {
    let begin_ns = now_ns() + SETUP_NS;
    let start_ns = begin_ns + as_ns(plan.warmup);
    let window = Window { start_ns, end_ns: start_ns + as_ns(plan.duration) };
    let tally = Rc::new(std::cell::RefCell::new(Tally::new(window)));
    let shift = Rc::new(Shift {
        plan: Rc::clone(plan),
        door: Rc::clone(door),
        tally: Rc::clone(&tally),
        begin_ns,
        window,
    });
    let mut tasks = tokio::task::JoinSet::new();
    match plan.rate {
        Some(rate) => {
            tasks.spawn_local(paced(Rc::clone(&shift), rate));
        }
        None => (0..clients).for_each(|number| {
            tasks.spawn_local(client(Rc::clone(&shift), number, clients));
        }),
    }
    let probe = Probe { server: Measured::Process(std::process::id()), metrics: None, driver_core: core };
    let before = if sleep_until(window.start_ns, interrupt).await { Some(probe.before()?) } else { None };
    let after = if sleep_until(window.end_ns, interrupt).await { Some(probe.after()?) } else { None };
    while !interrupt.is_set() && tasks.join_next().await.is_some() {}
    let (Some(before), Some(after), false) = (before, after, interrupt.is_set()) else { return Ok(None) };
    let round = step::round(&tally.borrow(), plan.duration, &before, &after);
    Ok(Some(round))
}

/// Sleeps until the time; false when the user stopped the run before.
async fn sleep_until(time_ns: u64, interrupt: &Interrupt) -> bool {
    loop {
        if interrupt.is_set() {
            return false;
        }
        let left = time_ns.saturating_sub(now_ns());
        if left == 0 {
            return true;
        }
        tokio::time::sleep(Duration::from_nanos(left).min(LOOK_EVERY)).await;
    }
}

/// The state that all requests of a window share.
struct Shift {
    plan: Rc<Plan>,
    door: Rc<dyn GroupDoor>,
    tally: Rc<std::cell::RefCell<Tally>>,
    begin_ns: u64,
    window: Window,
}

impl Shift {
    /// Sends one request and counts it.
    async fn call(&self, number: usize, intended_ns: u64) {
        let (message, expected) = &self.plan.calls[number % self.plan.calls.len()];
        let sent_ns = now_ns();
        let outcome = self.door.send(message.clone(), self.plan.timeout).await;
        let exchange = Exchange { intended_ns, sent_ns, done_ns: now_ns() };
        let mut tally = self.tally.borrow_mut();
        match outcome {
            Ok(reply) if expected.as_ref().is_some_and(|expected| *expected != reply) => {
                tally.failed(exchange, Failure::Content);
            }
            Ok(_) => tally.answered(exchange),
            Err(failure) => tally.failed(exchange, failure),
        }
    }
}

/// Each request follows the reply to the one before.
async fn client(shift: Rc<Shift>, number: u32, clients: u32) {
    let think_ns = as_ns(shift.plan.think);
    let offset = u128::from(think_ns) * u128::from(number) / u128::from(clients.max(1));
    let mut intended_ns = shift.begin_ns + u64::try_from(offset).unwrap_or(u64::MAX);
    let mut message = number as usize;
    loop {
        let left = intended_ns.saturating_sub(now_ns());
        if left > 0 {
            tokio::time::sleep(Duration::from_nanos(left)).await;
        }
        if now_ns() >= shift.window.end_ns {
            return;
        }
        shift.call(message, intended_ns).await;
        message += 1;
        intended_ns = now_ns() + think_ns;
        // A group that refuses at once must not keep the others from running.
        tokio::task::yield_now().await;
    }
}

/// Requests come at a rate, whether or not there are replies.
async fn paced(shift: Rc<Shift>, rate: f64) {
    let due_ns = |number: u64| shift.begin_ns + (number as f64 * 1e9 / rate) as u64;
    let (mut sent, mut tasks) = (0, tokio::task::JoinSet::new());
    while due_ns(sent) < shift.window.end_ns {
        while due_ns(sent) <= now_ns().min(shift.window.end_ns - 1) {
            let (shift, number, intended_ns) = (Rc::clone(&shift), sent as usize, due_ns(sent));
            tasks.spawn_local(async move { shift.call(number, intended_ns).await });
            sent += 1;
        }
        while tasks.try_join_next().is_some() {}
        tokio::time::sleep(TICK).await;
    }
    while tasks.join_next().await.is_some() {}
}
