//! `gantry call`: makes one call of an API requester's operation or of a service, like a program or
//! an API. No gateway need run: the configuration runs for this call (`trial.rs`).

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, ValueEnum};
use codepage::readable::hex;
use conversion::Conversion;
use failure::Failure;
use record::Bind;
use service::{ApiAnswer, ApiCall, ApiOperation, ApiRequest, CallContext, Caller, Outcome, Payload};

use crate::cli::{no_folder, problems_of};
use crate::live::as_picked_up;
use crate::trial::{Trial, interrupted};
use configuration::load;
use gateway::{Gateway, GatewaySettings, RunningService};
use requesters::{OperationPlan, RecordOperation, Requester};
use server::Signals;
use settings::{Files, Readers, replace};
use soap_commands::Outcome as PickedUp;

/// The service or operation to call, and its request.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("request").args(["json", "record"])))]
pub(crate) struct CallArgs {
    /// The API requester or the service.
    name: String,
    /// The operation of the API requester; omit it for a service.
    operation: Option<String>,
    /// The request as JSON, or the @FILE that has it; - reads standard input. Without --json and --record, the record has its
    /// initial values.
    #[arg(long, value_name = "TEXT|@FILE")]
    json: Option<String>,
    /// The file with the record of the request.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Show the answer as JSON, or its record in hexadecimal.
    #[arg(long, value_enum, default_value = "json")]
    show: Show,
    /// Also write the record of the answer to this file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The user of the call.
    #[arg(long, value_name = "USER")]
    caller: Option<String>,
    /// The configuration folder.
    #[arg(long = "in", value_name = "FOLDER", default_value = ".", conflicts_with = "example")]
    folder: PathBuf,
    /// Keep files, queues and persistent messages in a store in this folder. Without it they begin empty and end with the call.
    #[arg(long, value_name = "FOLDER")]
    store: Option<PathBuf>,
    /// Use a built-in example instead of a folder.
    #[arg(long)]
    example: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Show {
    Json,
    Record,
}

/// The most bytes of a request from a file or from standard input.
const REQUEST_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The byte order mark of UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The longest time of a call, unless the configuration sets a shorter one.
const CALL_TIME_MAX: Duration = Duration::from_secs(600);

/// Makes the call and prints the answer. The error is for standard error.
pub(crate) fn run(args: &CallArgs) -> Result<(), String> {
    let files = match &args.example {
        Some(name) => crate::examples::files(name)?,
        None if args.folder.is_dir() => Files::at(args.folder.clone()),
        None => return Err(no_folder(&args.folder)),
    };
    args.check_out()?;
    let files = with_waiting_bind_files(&files);
    let settings = load(&files).map_err(|problems| {
        terminal::show(&problems);
        "the configuration has errors".to_owned()
    })?;
    check_names(args, &settings.gateway)?;
    show_displays();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let mut signals = Signals::new().map_err(|error| error.to_string())?;
        let trial = Trial::start(settings, &files, args.store.as_deref()).await?;
        let gateway = trial.gateway();
        let called = tokio::select! {
            called = call(args, &gateway) => called,
            () = interrupted(&mut signals) => Err("interrupted".to_owned()),
        };
        drop(gateway);
        if let Some(left) = trial.end(&mut signals).await {
            remark!("{left}");
        }
        if args.json.is_none() && args.record.is_none() && has_unread(io::stdin()) {
            remark!("standard input has data, which was not read: --json - takes the request from it");
        }
        called
    })
}

/// The files as if the bind files of pickup folders were on their shelves, as they will be at the next start of the gateway.
fn with_waiting_bind_files(files: &Files) -> Files {
    let (files, scanned) = as_picked_up(files, problems_of);
    for file in scanned.iter().filter(|file| matches!(file.outcome, PickedUp::Refused(_))) {
        remark!("gantry: warning: pipeline {file}");
    }
    files
}

/// Checks that there is what is to be called, before anything runs.
fn check_names(args: &CallArgs, settings: &GatewaySettings) -> Result<(), String> {
    match &args.operation {
        Some(_) if settings.requesters.contains_key(&args.name) => Ok(()),
        Some(operation) if settings.services.contains_key(&args.name) => {
            Err(format!("{} is a service, which has no operations: leave out {operation}", args.name))
        }
        Some(_) => {
            let known = listed(settings.requesters.keys());
            Err(format!("there is no API requester '{}'; known: {known}", args.name))
        }
        None if settings.services.contains_key(&args.name) => Ok(()),
        None => Err(match settings.requesters.get(&args.name) {
            Some(requester) => {
                let operations = listed(requester.operations.keys());
                format!("say which operation of {}: one of {operations}", args.name)
            }
            None => {
                let known = listed(settings.services.keys());
                format!("service '{}' does not exist; known: {known}", args.name)
            }
        }),
    }
}

async fn call(args: &CallArgs, gateway: &Gateway) -> Result<(), String> {
    let gone = || format!("{} is not served", args.name);
    match &args.operation {
        Some(operation) => {
            let entry = gateway.requesters.get(&args.name).ok_or_else(gone)?;
            call_requester(args, &entry.requester, operation).await
        }
        None => {
            let entry = gateway.services.get(&args.name).ok_or_else(gone)?;
            call_service(args, &entry.running).await
        }
    }
}

/// Shows what programs display, and faults of started tasks, on standard error. RUST_LOG chooses more.
fn show_displays() {
    let usual = if terminal::is_quiet() { "off" } else { "error,display=info" };
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(usual));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    log.without_time().with_level(false).with_target(false).with_ansi(terminal::has_colour()).init();
}

fn listed<'n>(names: impl Iterator<Item = &'n String>) -> String {
    let names: Vec<&str> = names.map(String::as_str).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

async fn call_requester(args: &CallArgs, requester: &Requester, name: &str) -> Result<(), String> {
    let operation = requester.operations.get(name).ok_or_else(|| {
        format!("{} has no operation '{name}'; it has: {}", args.name, listed(requester.operations.keys()))
    })?;
    let request = match &operation.plan {
        OperationPlan::Record { request, .. } => args.request(request.as_deref())?.into(),
        OperationPlan::Soap(plan) => args.request(plan.request.as_deref())?.into(),
        OperationPlan::Areas(plan) => {
            args.has_only_json("has a structure with data areas")?;
            args.structure(plan.request.structure.as_ref())?
        }
    };
    let call = ApiCall {
        api: &requester.name,
        operation: ApiOperation::Named(name),
        caller: args.caller(),
        time_left: CALL_TIME_MAX,
    };
    let ApiAnswer { status, record, areas } =
        requester.call(call, request).await.map_err(|error| error.to_string())?;
    eprintln!("status {status}");
    match &operation.plan {
        OperationPlan::Record { plan, .. } => args.answer(answer_bind(plan, status), &record),
        OperationPlan::Soap(plan) => args.answer(plan.response.as_deref(), &record),
        OperationPlan::Areas(plan) => {
            let mut shown = Vec::new();
            if let Some(structure) = &plan.response_structure {
                structure.record_to_json(record, areas, &mut shown).map_err(|error| error.to_string())?;
                shown.push(b'\n');
            }
            io::stdout().write_all(&shown).map_err(|error| error.to_string())
        }
    }
}

fn answer_bind(plan: &RecordOperation, status: u16) -> Option<&Bind> {
    let status = http::StatusCode::from_u16(status).ok()?;
    plan.responses.fit(status)?.whole.as_deref()
}

async fn call_service(args: &CallArgs, running: &RunningService) -> Result<(), String> {
    let service = &running.service;
    let request = request_of_service(args, &running.conversion)?;
    let context = CallContext { caller: args.caller(), ..CallContext::default() };
    let result = match service.call(context, request) {
        Outcome::Ready(result) => result,
        Outcome::Pending(future) => tokio::time::timeout(service.timeout, future)
            .await
            .unwrap_or_else(|_| Err(service::Error::timed_out())),
    };
    let (payload, stated) = result.map_err(|error| error.to_string())?.apart();
    if let Some(line) = stated {
        eprintln!("status {line:?}");
        if is_without_body(&line) {
            return Ok(());
        }
    }
    match (&running.conversion, payload) {
        (Conversion::Record { response, .. }, Payload::Record(record)) => {
            args.answer(Some(response), &record)
        }
        (conversion @ Conversion::Message { .. }, Payload::Record(record)) => {
            args.keep(&record)?;
            match args.show {
                Show::Json => show_json(conversion, &Payload::Record(record)),
                Show::Record => show(hex(&record).into_bytes()),
            }
        }
        (conversion, payload) => show_json(conversion, &payload),
    }
}

/// The payload for a service.
///
/// # Errors
/// The request does not fit, or an option does not fit the service.
fn request_of_service(args: &CallArgs, conversion: &Conversion) -> Result<Payload, String> {
    match conversion {
        Conversion::Record { request, .. } => return Ok(Payload::Record(args.request(Some(request))?)),
        Conversion::Message { .. } => {
            if let Some(record) = args.record()? {
                return Ok(Payload::Record(record));
            }
        }
        Conversion::Channel { .. } | Conversion::Containers { .. } => args.has_only_json("has containers")?,
        Conversion::Json { .. } => args.has_only_json("has a provider that takes JSON")?,
    }
    let json = args.text()?.ok_or_else(|| match conversion {
        Conversion::Message { .. } => {
            format!("{} has a record without initial values: give its --json or --record", args.name)
        }
        _ => format!("{} has no record of a copybook: give its --json", args.name),
    })?;
    conversion.request(&json).map_err(|failure| format!("the request: {failure}"))
}

/// Prints an answer as JSON.
fn show_json(conversion: &Conversion, payload: &Payload) -> Result<(), String> {
    let mut shown = Vec::new();
    conversion.response(payload, &mut shown).map_err(|failure| format!("the answer: {failure}"))?;
    show(shown)
}

/// Prints a line.
fn show(mut line: Vec<u8>) -> Result<(), String> {
    line.push(b'\n');
    io::stdout().write_all(&line).map_err(|error| error.to_string())
}

/// True for a status whose answer has no body, such as that of a message that nobody replies to. There may be a version in front
/// of it.
fn is_without_body(line: &str) -> bool {
    let is_status = |word: &&str| word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_digit());
    matches!(line.split_whitespace().find(is_status), Some("204" | "205" | "304"))
}

impl CallArgs {
    fn caller(&self) -> Option<Caller<'_>> {
        self.caller.as_deref().map(|user| Caller { user, groups: &[] })
    }

    /// Checks that the record of the answer can be written. After the call it would be too late.
    fn check_out(&self) -> Result<(), String> {
        let Some(path) = &self.out else { return Ok(()) };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        match folder {
            _ if path.is_dir() => Err(format!("--out: {} is a folder", path.display())),
            Some(folder) if !folder.is_dir() => Err(format!("--out: {}", no_folder(folder))),
            _ => Ok(()),
        }
    }

    /// The JSON to send, if given.
    fn text(&self) -> Result<Option<Vec<u8>>, String> {
        let Some(given) = self.json.as_deref() else { return Ok(None) };
        let mut text = match (given, given.strip_prefix('@')) {
            ("-", _) => read(io::stdin()).map_err(|error| format!("standard input: {error}"))?,
            (_, Some(path)) => {
                File::open(path).and_then(read).map_err(|error| format!("--json: {path}: {error}"))?
            }
            (text, None) => text.as_bytes().to_vec(),
        };
        // Some editors and shells write a byte order mark.
        if text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(Some(text))
    }

    /// Checks that no option for records is given. `what` says what the called one has in their place.
    fn has_only_json(&self, what: &str) -> Result<(), String> {
        let given = [
            ("--record", self.record.is_some()),
            ("--out", self.out.is_some()),
            ("--show record", self.show == Show::Record),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((option, _)) => {
                Err(format!("{} {what}, which does not support {option}: use JSON", self.name))
            }
        }
    }

    /// The structure to send, with its data areas.
    fn structure(&self, structure: Option<&channel::Interface>) -> Result<ApiRequest, String> {
        let (record, areas) = match (structure, self.text()?) {
            (Some(structure), Some(json)) => {
                structure.to_record(&json).map_err(|error| format!("the request: {error}"))?
            }
            (None, None) => (Vec::new(), Vec::new()),
            (Some(_), None) => return Err(format!("{} takes a structure: give its --json", self.name)),
            (None, Some(_)) => return Err(format!("{} takes nothing: leave --json out", self.name)),
        };
        Ok(ApiRequest { record, areas: Some(areas) })
    }

    /// The record in the file, if given.
    fn record(&self) -> Result<Option<Vec<u8>>, String> {
        let Some(path) = &self.record else { return Ok(None) };
        let record = File::open(path).and_then(read);
        record.map(Some).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// The record to send.
    fn request(&self, bind: Option<&Bind>) -> Result<Vec<u8>, String> {
        if let Some(record) = self.record()? {
            return Ok(record);
        }
        let json = self.text()?;
        let mut record = Vec::new();
        match (bind, json) {
            (None, None) => {}
            (None, Some(_)) => return Err("the operation takes no record".to_owned()),
            (Some(bind), Some(json)) => {
                bind.encode(&json, &mut record).map_err(|error| format!("the request: {error}"))?;
            }
            (Some(bind), None) => {
                bind.start(&mut record);
                bind.finish(&mut record).map_err(|error| format!("the request: {error}"))?;
            }
        }
        Ok(record)
    }

    /// Writes the record of the answer to its file, if there is one.
    fn keep(&self, record: &[u8]) -> Result<(), String> {
        let Some(path) = &self.out else { return Ok(()) };
        replace(path, record, Readers::Usual).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn answer(&self, bind: Option<&Bind>, record: &[u8]) -> Result<(), String> {
        self.keep(record)?;
        let mut shown = Vec::new();
        match (self.show, bind) {
            (Show::Json, Some(bind)) => {
                bind.decode(record, &mut shown).map_err(|error| answer_that_is_wrong(&error))?;
            }
            (Show::Json, None) => return Ok(()),
            (Show::Record, _) => shown.extend_from_slice(hex(record).as_bytes()),
        }
        show(shown)
    }
}

/// True if somebody gave data on standard input. It is never read unasked: scripts and services may have an input that belongs to
/// others, or that never ends. If a part of a file was read, it is the input of a script around this command.
fn has_unread(input: impl AsFd) -> bool {
    rustix::io::ioctl_fionread(&input).is_ok_and(|bytes| bytes > 0)
        && !input.as_fd().is_terminal()
        && rustix::fs::tell(&input).map_or(true, |position| position == 0)
}

/// Why an answer is not JSON, with the field, its bytes and the setting that helps.
fn answer_that_is_wrong(error: &record::Error) -> String {
    let failure = Failure::from_response(error);
    format!("the answer: {}", failure.log.unwrap_or_else(|| failure.code.as_str().to_owned()))
}

fn read(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(REQUEST_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > REQUEST_BYTES_MAX {
        return Err(io::Error::other(format!("more than {REQUEST_BYTES_MAX} bytes")));
    }
    Ok(bytes)
}
