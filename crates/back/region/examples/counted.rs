//! A region whose tasks take numbers of one counter, until somebody kills it: what the tests of crashes start.
//!
//! `counted FOLDER STORE APPLID`: FOLDER has STATE.so, made of `tests/programs`; STORE keeps the counter TICKET, which is
//! defined if it is not there. Each number that a task was given is a line.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use region::{Definitions, Failure, Limits, Region, Request, Rights, Settings};
use wire::{Interface, WorkerOptions, name};

const CALLERS: usize = 4;

/// Few, so that the store is written often.
const COUNTER_RESERVE: u64 = 8;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    // Started again by its own region.
    if arguments.first().is_some_and(|first| first == "worker") {
        return WorkerOptions::from_arguments(&arguments[1..])
            .map_or(ExitCode::FAILURE, |options| worker::run(&options));
    }
    let [folder, store, applid] = arguments.as_slice() else {
        eprintln!("expected the folder of STATE.so, a store, and an APPLID");
        return ExitCode::FAILURE;
    };
    let settings = Settings { applid: name(&applid.to_string_lossy()), ..settings(folder, store) };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    match runtime.map(|runtime| runtime.block_on(count(settings))) {
        Ok(Err(message)) => eprintln!("counted: {message}"),
        Err(error) => eprintln!("counted: {error}"),
        Ok(Ok(())) => {}
    }
    ExitCode::FAILURE
}

fn settings(folder: &OsString, store: &OsString) -> Settings {
    Settings {
        applid: name("COUNTED"),
        sysid: name("CNTD"),
        default_user: name("COUNTED"),
        ccsid: 819,
        work_area_bytes: 0,
        rights: Rights::default(),
        programs: folder.into(),
        command: vec!["/proc/self/exe".into(), "worker".into()],
        transactions: Default::default(),
        start_users: Default::default(),
        programs_limits: Default::default(),
        user: None,
        limits: Limits { workers: 2, counter_reserve: COUNTER_RESERVE, ..Limits::default() },
        store: store.into(),
        keeps_counters: true,
        definitions: Definitions::default(),
        links: region::link::definition::Links::default(),
        dumps: region::DumpSettings::default(),
        callable: Vec::new(),
    }
}

async fn count(settings: Settings) -> Result<(), String> {
    let region = Region::start(settings)?;
    // From the second time on it is there.
    step(&region, "DEFC").await.map_err(|failure| failure.to_string())?;
    let callers: Vec<_> = (0..CALLERS).map(|_| tokio::spawn(take_numbers(region.clone()))).collect();
    for caller in callers {
        caller.await.map_err(|error| error.to_string())??;
    }
    Ok(())
}

async fn take_numbers(region: Arc<Region>) -> Result<(), String> {
    loop {
        let done = step(&region, "GETC").await.map_err(|failure| failure.to_string())?;
        let (number, resp) = (&done[57..66], &done[97..100]);
        if resp != "000" {
            return Err(format!("GET COUNTER raised {resp}"));
        }
        let mut to = std::io::stdout().lock();
        writeln!(to, "{number}").and_then(|()| to.flush()).map_err(|error| error.to_string())?;
    }
}

/// One step of the program STATE.
async fn step(region: &Region, operation: &str) -> Result<String, Failure> {
    let step = format!("001{operation:8}{:16}{:16}00000000000000{:40}000000", "TICKET", "", "");
    let request = Request {
        program: name("STATE"),
        transaction: name("CNTD"),
        user: None,
        refused_programs: Vec::new(),
        caller: None,
        until: None,
        interface: Interface::Commarea(step.into_bytes()),
    };
    match region.run(request).await? {
        Interface::Commarea(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        _ => Err(Failure::NotBegun("expected a commarea".to_owned())),
    }
}
