//! Runs the plan: checks that the servers answer, sweeps the clients round by round, and writes the results.

use std::fs;
use std::path::Path;

use crate::clock::utc_now;
use crate::error::{Error, ErrorKind};
use crate::interrupt::Interrupt;
use crate::machine;
use crate::metrics;
use crate::plan::{Plan, Protocol, Server, Target};
use crate::process;
use crate::reader::Reader;
use crate::report;
use crate::result::{RESULT_FORMAT, Report, Round, Settings, StepReport, TargetReport};
use crate::step::{self, Measured, Step};
use crate::table;
use crate::wire;

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
        show(&report, plan.prints_json);
        write_results(plan.output.as_deref(), &report)?;
    }
    outcome?;
    conclude(plan.allow_errors, &report, measured_something)
}

/// Prints the table, or a line of JSON.
pub(crate) fn show(report: &Report, is_json: bool) {
    match is_json {
        true => println!("{}", report.to_line()),
        false => print!("{}", table::render(report)),
    }
}

/// How the command ends.
pub(crate) fn conclude(allow_errors: bool, report: &Report, measured_something: bool) -> Result<(), Error> {
    if !report.complete {
        let what = if measured_something { "the results are incomplete" } else { "nothing was measured" };
        return Err(Error::new(ErrorKind::Interrupted, format!("stopped before the end: {what}")));
    }
    let failures = report.failures();
    if failures.total() > 0 && !allow_errors {
        let message = format!("{} requests failed ({})", failures.total(), table::failure_kinds(&failures));
        return Err(Error::new(ErrorKind::Failures, message));
    }
    Ok(())
}

fn prepare_process(plan: &Plan) -> Result<(), Error> {
    if let Some(core) = plan.pin_core {
        step::run_on(core)?;
    }
    step::allow_clients(plan.clients.iter().copied().max().unwrap_or(0))
}

/// Calls each target once, so that a wrong URL is reported at once, and describes the run.
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
            rate_per_s: plan.rate,
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
            request_body_bytes: target.calls[0].body_bytes,
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
    let call = &target.calls[0];
    let (answer, body) = wire::exchange(&target.endpoint, &call.request, Reader::of(target), plan.timeout)?;
    let wrong = match target.expect.bytes {
        _ if answer.status != target.expect.status => {
            format!("status {} where {} is expected", answer.status, target.expect.status)
        }
        Some(bytes) if bytes != answer.body_bytes => {
            format!("{} bytes where {bytes} are expected", answer.body_bytes)
        }
        // Of HTTP the driver itself compares: the body was not kept here.
        _ if matches!(target.protocol, Protocol::Frames(_))
            && call.answer.as_ref().is_some_and(|expected| *expected != body) =>
        {
            "another message than the expected one".to_owned()
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
                terminal::remark!(
                    "{}",
                    table::progress(&target.name, step.clients, number, plan.rounds, &round)
                );
                step.push(round);
            }
        }
    }
    Ok(())
}

/// One step of one round; `None` when it was interrupted.
fn run_step(
    plan: &Plan,
    target: &Target,
    clients: u32,
    server_pid: Option<u32>,
    interrupt: &Interrupt,
) -> Result<Option<Round>, Error> {
    let step = Step {
        target,
        clients,
        threads: plan.threads,
        think: plan.think,
        rate: plan.rate,
        warmup: plan.warmup,
        duration: plan.duration,
        timeout: plan.timeout,
        spin: plan.spin,
        server: server_pid.map_or(Measured::Nothing, Measured::Process),
        metrics: plan.metrics.as_ref(),
        driver_core: plan.pin_core,
    };
    step::measure(&step, interrupt)
}

/// Writes the files of a report, if there is a directory for them.
pub(crate) fn write_results(directory: Option<&Path>, report: &Report) -> Result<(), Error> {
    let Some(directory) = directory else { return Ok(()) };
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
