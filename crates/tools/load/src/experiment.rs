//! Runs the plan: checks that the servers answer, sweeps the clients round by round, and writes the results.

use std::fs;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CpuSet, sched_setaffinity};

use crate::clock::{as_ns, now_ns, own_cpu_ns, utc_now};
use crate::driver::{Shift, drive};
use crate::error::{Error, ErrorKind};
use crate::interrupt::Interrupt;
use crate::machine;
use crate::metrics;
use crate::plan::{Endpoint, Plan, Server, Target};
use crate::process::{self, CpuSample};
use crate::report;
use crate::response::ResponseReader;
use crate::result::{RESULT_FORMAT, Report, Round, ServerUse, Settings, StepReport, TargetReport};
use crate::table;
use crate::tally::{Tally, Window};
use crate::wire;

/// From the moment a step is set up to its first request: time for the threads to start.
const SETUP_NS: u64 = 20_000_000;
/// How long the main thread sleeps at most before it looks at the interrupt.
const SLEEP_MAX_NS: u64 = 50_000_000;
/// Descriptors that the process needs beside those of the clients.
const SPARE_DESCRIPTORS: u64 = 64;

/// Runs the whole plan and prints the table.
///
/// # Errors
/// Nothing could be measured, the results could not be written, requests failed, or the user stopped the run.
pub(crate) fn run(plan: &Plan) -> Result<(), Error> {
    prepare_process(plan)?;
    let interrupt = Interrupt::on_ctrl_c()?;
    let mut report = begin(plan)?;
    let outcome = sweep(plan, &interrupt, &mut report);
    report.complete = outcome.is_ok() && !interrupt.is_set();
    let measured_something =
        report.targets.iter().any(|target| target.steps.iter().any(|s| !s.rounds.is_empty()));
    if measured_something {
        print!("{}", table::render(&report));
        write_results(plan, &report)?;
    }
    outcome?;
    conclude(plan, &report, measured_something)
}

fn conclude(plan: &Plan, report: &Report, measured_something: bool) -> Result<(), Error> {
    if !report.complete {
        let what = if measured_something { "the results are incomplete" } else { "nothing was measured" };
        return Err(Error::new(ErrorKind::Interrupted, format!("stopped before the end: {what}")));
    }
    let failures = report.failures();
    if failures.total() > 0 && !plan.allow_errors {
        let message = format!("{} requests failed ({})", failures.total(), table::failure_kinds(&failures));
        return Err(Error::new(ErrorKind::Failures, message));
    }
    Ok(())
}

/// Binds the process to its core and raises the limit of open files, for this process only.
fn prepare_process(plan: &Plan) -> Result<(), Error> {
    if let Some(core) = plan.pin_core {
        let mut cores = CpuSet::new();
        if core >= CpuSet::MAX_CPU {
            return Err(Error::new(ErrorKind::Usage, format!("--pin-core {core}: the core does not exist")));
        }
        cores.set(core);
        sched_setaffinity(None, &cores)
            .map_err(|error| Error::system(format!("cannot run on core {core}"), error))?;
    }
    let clients = plan.clients.iter().copied().max().unwrap_or(0);
    let wanted = u64::from(clients) + SPARE_DESCRIPTORS;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < wanted) {
        setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: limit.maximum }).map_err(
            |error| {
                Error::system(
                    format!("{clients} clients need {wanted} open files, more than the system allows"),
                    error,
                )
            },
        )?;
    }
    Ok(())
}

/// Calls each target once, so that a wrong URL is told at once, and describes the run.
fn begin(plan: &Plan) -> Result<Report, Error> {
    let mut report = Report {
        format: RESULT_FORMAT,
        label: plan.label.clone(),
        complete: false,
        started_utc: utc_now(),
        command: std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect(),
        driver_version: env!("CARGO_PKG_VERSION").to_owned(),
        machine: machine::describe(),
        settings: Settings {
            think_ms: plan.think.as_secs_f64() * 1e3,
            warmup_s: plan.warmup.as_secs_f64(),
            duration_s: plan.duration.as_secs_f64(),
            rounds: plan.rounds,
            timeout_ms: plan.timeout.as_secs_f64() * 1e3,
            threads: plan.threads,
            spin_us: plan.spin.as_secs_f64() * 1e6,
            pin_core: plan.pin_core,
        },
        targets: Vec::new(),
        notes: Vec::new(),
    };
    for target in &plan.targets {
        let response_body_bytes = check_answer(plan, target)?;
        let server_pid = server_process(plan, target, &mut report.notes)?;
        report.targets.push(TargetReport {
            name: target.name.clone(),
            method: target.method.to_string(),
            url: target.url.clone(),
            request_body_bytes: target.body_bytes,
            response_body_bytes,
            server_pid,
            steps: plan.clients.iter().map(|clients| StepReport::new(*clients)).collect(),
        });
    }
    check_metrics(plan, &mut report.notes)?;
    Ok(report)
}

/// The length of the target's answer, which must be the expected one.
fn check_answer(plan: &Plan, target: &Target) -> Result<u64, Error> {
    let reader = ResponseReader::new(target.method == http::Method::HEAD);
    let (answer, _) = wire::exchange(&target.endpoint, &target.request, reader, plan.timeout)?;
    let wrong = match target.expect.bytes {
        _ if answer.status != target.expect.status => {
            format!("status {} where {} is expected", answer.status, target.expect.status)
        }
        Some(bytes) if bytes != answer.body_bytes => {
            format!("{} bytes where {bytes} are expected", answer.body_bytes)
        }
        _ => return Ok(answer.body_bytes),
    };
    if plan.allow_errors {
        return Ok(answer.body_bytes);
    }
    Err(Error::new(ErrorKind::Server, format!("{} {} answers {wrong}", target.method, target.url)))
}

/// The process to measure. One that was asked for must be there; one that was only assumed may be missing.
fn server_process(plan: &Plan, target: &Target, notes: &mut Vec<String>) -> Result<Option<u32>, Error> {
    let found = match plan.server {
        Server::Unmeasured => return Ok(None),
        Server::Pid(pid) => process::sample(pid, 0).map(|_| pid),
        Server::PortOwner | Server::PortOwnerIfFound => process::listener(target.endpoint.address),
    };
    match found {
        Ok(pid) => Ok(Some(pid)),
        Err(error) if plan.server == Server::PortOwnerIfFound => {
            note(notes, format!("CPU figures of {} are not measured: {error}", target.name));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn check_metrics(plan: &Plan, notes: &mut Vec<String>) -> Result<(), Error> {
    let Some(endpoint) = &plan.metrics else {
        note(notes, "the offloadable share is not measured: no --metrics-url".to_owned());
        return Ok(());
    };
    if metrics::provider_cpu_s(endpoint)?.is_none() {
        let (authority, metric) = (&endpoint.authority, metrics::PROVIDER_CPU_METRIC);
        note(notes, format!("the offloadable share is not measured: {authority} has no {metric}"));
    }
    Ok(())
}

fn note(notes: &mut Vec<String>, text: String) {
    eprintln!("note: {text}");
    if !notes.contains(&text) {
        notes.push(text);
    }
}

/// Every round sweeps all targets and steps, so that a slow change of the machine meets all of them alike.
fn sweep(plan: &Plan, interrupt: &Interrupt, report: &mut Report) -> Result<(), Error> {
    for number in 1..=plan.rounds {
        for (target, target_report) in plan.targets.iter().zip(&mut report.targets) {
            for step in &mut target_report.steps {
                let Some(round) = run_step(plan, target, step.clients, target_report.server_pid, interrupt)?
                else {
                    return Ok(());
                };
                eprintln!("{}", table::progress(&target.name, step.clients, number, plan.rounds, &round));
                step.push(round);
            }
        }
    }
    Ok(())
}

/// One step of one round; `None` when it was interrupted, because half a window is no figure.
fn run_step(
    plan: &Plan,
    target: &Target,
    clients: u32,
    server_pid: Option<u32>,
    interrupt: &Interrupt,
) -> Result<Option<Round>, Error> {
    let begin_ns = now_ns() + SETUP_NS;
    let start_ns = begin_ns + as_ns(plan.warmup);
    let window = Window { start_ns, end_ns: start_ns + as_ns(plan.duration) };
    let probe = Probe { server_pid, metrics: plan.metrics.as_ref() };
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for shift in shifts(plan, target, clients, begin_ns, window, interrupt) {
            let thread = std::thread::Builder::new().name("load-driver".to_owned());
            let spawned = thread.spawn_scoped(scope, move || drive(&shift));
            threads.push(spawned.map_err(|error| Error::system("cannot start a thread", error))?);
        }
        let before = sleep_until(window.start_ns, interrupt).then(|| probe.before()).transpose()?;
        let after = sleep_until(window.end_ns, interrupt).then(|| probe.after()).transpose()?;
        let mut tally = Tally::new(window);
        for thread in threads {
            // Unwrapped: a panic of the driver is a fault of ours and must not look like a measurement.
            tally.add(&thread.join().expect("the driver thread panicked")?);
        }
        let (Some(before), Some(after), false) = (before, after, interrupt.is_set()) else { return Ok(None) };
        Ok(Some(round(&tally, plan.duration, &before, &after)))
    })
}

/// Divides the clients over the threads of the driver.
fn shifts<'a>(
    plan: &Plan,
    target: &'a Target,
    clients: u32,
    begin_ns: u64,
    window: Window,
    interrupt: &Interrupt,
) -> Vec<Shift<'a>> {
    let threads = plan.threads.min(clients);
    let first = |thread: u32| (u64::from(clients) * u64::from(thread) / u64::from(threads)) as u32;
    let shift = |thread| Shift {
        target,
        first_client: first(thread),
        own_clients: first(thread + 1) - first(thread),
        all_clients: clients,
        think_ns: as_ns(plan.think),
        timeout_ns: as_ns(plan.timeout),
        spin_ns: as_ns(plan.spin),
        begin_ns,
        window,
        interrupt: interrupt.clone(),
    };
    (0..threads).map(shift).collect()
}

/// Sleeps until the time; false when the user stopped the run before.
fn sleep_until(time_ns: u64, interrupt: &Interrupt) -> bool {
    loop {
        if interrupt.is_set() {
            return false;
        }
        let left = time_ns.saturating_sub(now_ns());
        if left == 0 {
            return true;
        }
        std::thread::sleep(Duration::from_nanos(left.min(SLEEP_MAX_NS)));
    }
}

/// Reads the CPU times around the window. The metrics page is fetched outside the interval of the server's CPU
/// time, because answering it costs the server, too.
struct Probe<'a> {
    server_pid: Option<u32>,
    metrics: Option<&'a Endpoint>,
}

struct Reading {
    at_ns: u64,
    driver_cpu_ns: u64,
    server: Option<CpuSample>,
    provider_cpu_s: Option<f64>,
}

impl Probe<'_> {
    fn before(&self) -> Result<Reading, Error> {
        let provider_cpu_s = self.provider_cpu_s()?;
        Ok(Reading { provider_cpu_s, ..self.cpu()? })
    }

    fn after(&self) -> Result<Reading, Error> {
        let reading = self.cpu()?;
        Ok(Reading { provider_cpu_s: self.provider_cpu_s()?, ..reading })
    }

    fn cpu(&self) -> Result<Reading, Error> {
        let at_ns = now_ns();
        let server = self.server_pid.map(|pid| process::sample(pid, at_ns)).transpose()?;
        Ok(Reading { at_ns, driver_cpu_ns: own_cpu_ns(), server, provider_cpu_s: None })
    }

    fn provider_cpu_s(&self) -> Result<Option<f64>, Error> {
        self.metrics.map_or(Ok(None), metrics::provider_cpu_s)
    }
}

fn round(tally: &Tally, duration: Duration, before: &Reading, after: &Reading) -> Round {
    let provider_cpu_s =
        before.provider_cpu_s.zip(after.provider_cpu_s).map(|(before, after)| after - before);
    let ticks_per_s = rustix::param::clock_ticks_per_second();
    let server = before.server.as_ref().zip(after.server.as_ref()).map(|(before, after)| {
        let used = process::used(before, after, ticks_per_s);
        ServerUse {
            cpu_s: used.cpu_ns as f64 / 1e9,
            waiting_s: used.waiting_ns as f64 / 1e9,
            core_busy_pct: used.core_busy_pct,
            provider_cpu_s,
        }
    });
    Round {
        server,
        driver_cpu_s: after.driver_cpu_ns.saturating_sub(before.driver_cpu_ns) as f64 / 1e9,
        cpu_interval_s: after.at_ns.saturating_sub(before.at_ns) as f64 / 1e9,
        ..Round::of(tally, duration.as_secs_f64())
    }
}

fn write_results(plan: &Plan, report: &Report) -> Result<(), Error> {
    let Some(directory) = &plan.output else { return Ok(()) };
    let write = |name: &str, text: String| {
        let path = directory.join(name);
        fs::write(&path, text)
            .map_err(|error| Error::system(format!("cannot write {}", path.display()), error))
    };
    fs::create_dir_all(directory).map_err(|error| {
        Error::system(format!("cannot make the directory {}", directory.display()), error)
    })?;
    let json = serde_json::to_string_pretty(report)
        .map_err(|error| Error::system("cannot write the result", error))?;
    write("result.json", json + "\n")?;
    write("result.csv", report.to_csv())?;
    write("report.html", report::render(report)?)
}
