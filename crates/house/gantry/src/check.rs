//! `gantry check`: reports the faults of a configuration to people and programs.

use std::process::ExitCode;

use serde_json::{Value, json};
use settings::{Problem, Problems, Severity};
use soap_commands::{Outcome, Scanned};
use terminal::{count, show};

use crate::cli::{WhereArgs, fail, files, problems_of, report};
use crate::live::would_pick_up;
use configuration::{Settings, load};
use conversion::Conversion;
use gateway::LoadedApi;

/// Counts of the objects that serve.
struct Counts {
    services: usize,
    apis: usize,
    web_services: usize,
    operations: usize,
    /// None if there are no tools.
    tools: Option<usize>,
    connections: usize,
    requesters: usize,
    /// The messaging interface of the queue manager.
    messaging: bool,
}

impl Counts {
    fn of(settings: &Settings) -> Self {
        let gateway = &settings.gateway;
        let messaging = gateway.messaging.as_ref().map(|messaging| messaging.api);
        let own = gateway.apis.iter().enumerate().filter(|(place, _)| Some(*place) != messaging);
        Self {
            services: gateway.services.len(),
            // A web service is an API to the gateway, and not to people. So is the messaging interface.
            apis: own.clone().count() - gateway.web_services.len(),
            web_services: gateway.web_services.len(),
            operations: own.map(|(_, loaded)| loaded.api.operations().len()).sum(),
            messaging: messaging.is_some(),
            tools: gateway.mcp.as_ref().map(|mcp| mcp.tools.len()),
            connections: gateway.connections.len(),
            requesters: gateway.requesters.len(),
        }
    }
}

/// Checks the configuration and reports its faults. It fails if there are any.
pub(crate) fn run(place: &WhereArgs, as_json: bool) -> ExitCode {
    let files = match files(place) {
        Ok(files) => files,
        Err(message) => return fail(&message),
    };
    match load(&files) {
        Ok(mut settings) => {
            // A fault of the pipelines is one of the configuration, or there are none.
            let scanned = would_pick_up(&files, problems_of).unwrap_or_default();
            let waiting = waiting(&scanned, &mut settings.warnings);
            match as_json {
                true => print(&settings.warnings, Some((&Counts::of(&settings), &waiting))),
                false => show_all(&settings, &waiting),
            }
        }
        Err(problems) if as_json => print(&problems, None),
        Err(problems) => report(&problems),
    }
}

/// The bind files that a scan would take to their shelves. Those that it would refuse are warnings: the gateway serves without
/// them.
fn waiting(scanned: &[Scanned], warnings: &mut Problems) -> Vec<String> {
    let mut waiting = Vec::new();
    for Scanned { pipeline, file, outcome } in scanned {
        match outcome {
            Outcome::Installed | Outcome::Replaced => waiting.push(format!("{pipeline}/{file}")),
            Outcome::Refused(faults) => {
                for fault in faults {
                    warnings.warn(file, format!("the pipeline {pipeline} refuses this bind file: {fault}"));
                }
            }
            Outcome::Unchanged | Outcome::Older => {}
        }
    }
    waiting
}

fn show_all(settings: &Settings, waiting: &[String]) -> ExitCode {
    show(&settings.warnings);
    let faulty = settings.warnings.faulty_part_count();
    if faulty > 0 {
        let verb = if faulty == 1 { "has" } else { "have" };
        return fail(&format!("{} {verb} faults; all else can be served", count(faulty, "part")));
    }
    let counts = Counts::of(settings);
    let web_services = match counts.web_services {
        0 => String::new(),
        some => format!(", {}", count(some, "web service")),
    };
    println!(
        "fine: {}, {}{web_services}, {}{}{}",
        count(counts.services, "service"),
        count(counts.apis, "API"),
        count(counts.operations, "operation"),
        counts.tools.map(|tools| format!(", {}", count(tools, "tool"))).unwrap_or_default(),
        if counts.messaging { ", messaging REST" } else { "" }
    );
    if !waiting.is_empty() {
        let verb = if waiting.len() == 1 { "waits" } else { "wait" };
        let files = count(waiting.len(), "bind file");
        aside!("{files} {verb} for `gantry soap scan` or the next start: {}", waiting.join(", "));
    }
    let dates = dates_that_must_be_set(settings);
    if !dates.is_empty() {
        let shown = dates[..dates.len().min(DATES_SHOWN_MAX)].join(", ");
        let more = match dates.len().saturating_sub(DATES_SHOWN_MAX) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        aside!(
            "dates: an answer whose date is not set (blanks, zeros or low-values) is refused with GTY0502E: {shown}{more}. \
             blank_numbers = \"null\" in [response.values] makes such dates null"
        );
    }
    if counts.connections + counts.requesters > 0 {
        aside!(
            "the way out: {}, {}",
            count(counts.connections, "connection"),
            count(counts.requesters, "API requester")
        );
    }
    if terminal::is_verbose() {
        show_parts(settings);
    }
    ExitCode::SUCCESS
}

/// The most dates that are named.
const DATES_SHOWN_MAX: usize = 5;

/// The dates of answers that are refused if they are not set, with their services.
fn dates_that_must_be_set(settings: &Settings) -> Vec<String> {
    let mut dates = Vec::new();
    for (name, running) in &settings.gateway.services {
        if let Conversion::Record { response, .. } = &running.conversion {
            dates.extend(response.dates_that_must_be_set().iter().map(|date| format!("{date} of {name}")));
        }
    }
    dates
}

/// Prints the objects that serve, one a line.
fn show_parts(settings: &Settings) {
    let gateway = &settings.gateway;
    for (name, entry) in &gateway.services {
        println!("service {name}: {}", entry.service.provider.kind());
    }
    for (position, LoadedApi { api, .. }) in gateway.apis.iter().enumerate() {
        let is_web_service = gateway.web_services.iter().any(|service| service.api == position);
        let is_messaging = gateway.messaging.as_ref().is_some_and(|messaging| messaging.api == position);
        let kind = match (is_web_service, is_messaging) {
            (true, _) => "web service",
            (_, true) => "messaging REST",
            _ => "API",
        };
        println!(
            "{kind} {}: {}, {}",
            api.name(),
            api.base_path(),
            count(api.operations().len(), "operation")
        );
    }
    for listener in &settings.listeners {
        println!("listener {}", listener.address);
    }
}

/// Prints the result as JSON on standard output.
fn print(problems: &Problems, serves: Option<(&Counts, &[String])>) -> ExitCode {
    let is_fine = serves.is_some() && problems.faulty_part_count() == 0;
    let problem = |problem: &Problem| told(problems, problem);
    let mut result = json!({
        "fine": is_fine,
        "errors": problems.error_count(),
        "faulty_parts": problems.faulty_part_count(),
        "problems": problems.all().iter().map(problem).collect::<Vec<_>>(),
    });
    if let Some((counts, waiting)) = serves {
        let Counts { services, apis, web_services, operations, tools, connections, requesters, messaging } =
            counts;
        result["waiting_bind_files"] = json!(waiting);
        result["serves"] = json!({
            "services": services,
            "apis": apis,
            "web_services": web_services,
            "operations": operations,
            "tools": tools.unwrap_or(0),
            "connections": connections,
            "requesters": requesters,
            "messaging": messaging,
        });
    }
    println!("{result:#}");
    if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A problem. The code of a copybook or a program gets a separate member.
fn told(problems: &Problems, problem: &Problem) -> Value {
    let severity = match problem.severity {
        Severity::Error => "error",
        Severity::Part => "part",
        Severity::Warning => "warning",
    };
    let coded = problem.message.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    let (code, message) = coded.map_or((None, problem.message.as_str()), |(code, text)| (Some(code), text));
    json!({
        "severity": severity,
        "file": problem.file,
        "line": problems.line_of(problem),
        "code": code,
        "message": message,
        "help": problem.help,
    })
}
