//! A region whose tasks move money between the records of a file, until somebody kills it: what the tests of crashes start.
//!
//! `durable FOLDER STORE PREFIX APPLID`: FOLDER has STATE.so, made of `tests/programs`; STORE has the file ACCT with its accounts.
//! Each transfer that was acknowledged is a line, `done` and its name, which begins with PREFIX.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use region::{
    Allowed, Collation, Definitions, Failure, FileDefinition, FileOrganization, FileStatus, Keeping, Limits,
    QueueModel, Region, Request, Rights, Settings,
};
use wire::{Interface, WorkerOptions, name};

const CALLERS: usize = 4;
const ACCOUNTS: usize = 10;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    // Started again by its own region.
    if arguments.first().is_some_and(|first| first == "worker") {
        return WorkerOptions::from_arguments(&arguments[1..])
            .map_or(ExitCode::FAILURE, |options| worker::run(&options));
    }
    let [folder, store, prefix, applid] = arguments.as_slice() else {
        eprintln!("expected the folder of STATE.so, a store, how names of transfers begin, and an APPLID");
        return ExitCode::FAILURE;
    };
    let prefix = prefix.to_string_lossy().into_owned();
    let settings = Settings { applid: name(&applid.to_string_lossy()), ..settings(folder, store) };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    match runtime.map(|runtime| runtime.block_on(transfer(settings, &prefix))) {
        Ok(Err(message)) => eprintln!("durable: {message}"),
        Err(error) => eprintln!("durable: {error}"),
        Ok(Ok(())) => {}
    }
    ExitCode::FAILURE
}

fn settings(folder: &OsString, store: &OsString) -> Settings {
    let queue_models = vec![QueueModel {
        prefix: b"LEDGER".to_vec(),
        keeping: Keeping::Auxiliary { recoverable: true },
        expiry: None,
    }];
    let collation = Collation::Page { data_ccsid: 819, order_ccsid: 37 };
    let file = FileDefinition {
        name: name("ACCT"),
        organization: FileOrganization::KeySequenced { key_offset: 0, key_bytes: 6, collation },
        record_bytes: 40,
        fixed: true,
        recoverable: true,
        allowed: Allowed::ALL,
        status: FileStatus::Open,
        initial: None,
        path: None,
    };
    Settings {
        applid: name("DURABLE"),
        sysid: name("DURA"),
        default_user: name("DURABLE"),
        ccsid: 819,
        work_area_bytes: 0,
        rights: Rights::default(),
        programs: folder.into(),
        command: vec!["/proc/self/exe".into(), "worker".into()],
        transactions: Default::default(),
        start_users: Default::default(),
        programs_limits: Default::default(),
        user: None,
        limits: Limits { workers: 2, ..Limits::default() },
        store: store.into(),
        keeps_counters: false,
        definitions: Definitions { files: vec![file], queue_models, ..Definitions::default() },
        links: region::link::definition::Links::default(),
        dumps: region::DumpSettings::default(),
        callable: Vec::new(),
    }
}

async fn transfer(settings: Settings, prefix: &str) -> Result<(), String> {
    let region = Region::start(settings)?;
    let callers: Vec<_> = (0..CALLERS)
        .map(|caller| tokio::spawn(call(region.clone(), format!("{prefix} C{caller}"), caller)))
        .collect();
    for caller in callers {
        caller.await.map_err(|error| error.to_string())??;
    }
    Ok(())
}

async fn call(region: Arc<Region>, prefix: String, caller: usize) -> Result<(), String> {
    for number in 0.. {
        let transfer = format!("{prefix} N{number}");
        let (from, to) = ((number + caller) % ACCOUNTS, (number * 3 + 1) % ACCOUNTS);
        // The steps of the program STATE: one, the operation MOVE.
        let (from, to) = (format!("A{from:05}"), format!("A{to:05}"));
        let step = format!("001{:8}{transfer:16}{from:16}00000000700040{to:40}000000", "MOVE");
        let interface = Interface::Commarea(step.into_bytes());
        let request = Request {
            program: name("STATE"),
            transaction: name("MOVE"),
            user: None,
            refused_programs: Vec::new(),
            caller: None,
            until: None,
            interface,
        };
        match region.run(request).await {
            Ok(_) => {
                let mut to = std::io::stdout().lock();
                writeln!(to, "done {transfer}")
                    .and_then(|()| to.flush())
                    .map_err(|error| error.to_string())?;
            }
            Err(Failure::Abend { code, .. }) if ["AFCF", "AKCS", "SAME"].contains(&code.as_str()) => {}
            Err(failure) => return Err(failure.to_string()),
        }
    }
    Ok(())
}
