//! A region that is linked to another one, for the tests and measurements of this crate.
//!
//! `linked FOLDER SYSID CCSID STORE SOCKET PEER PEERS_SOCKET`, with more peers behind it if there are; from its input it takes lines `NUMBER PROGRAM HEX`, each a task
//! with a commarea, and says on its output what came of them: `NUMBER ok HEX`, `NUMBER failed TEXT`, `NUMBER unknown TEXT`.
//! `NUMBER doubt` gives how many units are in doubt, `NUMBER commit` and `NUMBER abort` force them all. It ends with its
//! input.

use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use region::link::definition::{Address, LinkLimits, Links, Peer, RemoteProgram, RemoteTransaction};
use region::{
    Definitions, Failure, Keeping, Limits, QueueModel, Region, Request, Rights, Settings, Transaction,
};
use wire::{Interface, WorkerOptions, name};

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    // Started again by its own region.
    if arguments.first().is_some_and(|first| first == "worker") {
        return WorkerOptions::from_arguments(&arguments[1..])
            .map_or(ExitCode::FAILURE, |options| worker::run(&options));
    }
    let Some(settings) = settings(&arguments) else {
        eprintln!("expected FOLDER SYSID CCSID STORE SOCKET PEER PEERS_SOCKET");
        return ExitCode::FAILURE;
    };
    match serve(settings) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("linked: {message}");
            ExitCode::FAILURE
        }
    }
}

fn settings(arguments: &[OsString]) -> Option<Settings> {
    let [folder, sysid, ccsid, store, socket, peers @ ..] = arguments else { return None };
    let sysid = sysid.to_str()?;
    let peers = peers.chunks(2).map(peer).collect::<Option<Vec<_>>>()?;
    let first = peers.first()?.sysid;
    let remote = |transaction: &str, text| RemoteTransaction {
        name: name(transaction),
        sysid: first,
        remote_name: name("STD1"),
        text,
    };
    // Of what the second one gets, the first two bytes are text.
    let remote_transactions = vec![remote("FST1", Vec::new()), remote("FST2", vec![(0, 2)])];
    let remote_program = |own: &str, there: &str| RemoteProgram {
        name: name(own),
        sysid: first,
        remote_name: name(there),
        transaction: None,
        text: Vec::new(),
    };
    let remote_programs = vec![remote_program("FARITEM", "ADDITEM"), remote_program("FARABEND", "ABENDS")];
    let transaction = |id: &str, program: &str| {
        (name(id), Transaction { program: name(program), enabled: true, tasks_max: None })
    };
    let recoverable = Keeping::Auxiliary { recoverable: true };
    let model = QueueModel { prefix: b"REC".to_vec(), keeping: recoverable, expiry: None };
    Some(Settings {
        applid: name(&format!("LINK{sysid}")),
        sysid: name(sysid),
        default_user: name("LINKED"),
        ccsid: ccsid.to_str()?.parse().ok()?,
        work_area_bytes: 0,
        rights: Rights::default(),
        programs: folder.into(),
        command: vec!["/proc/self/exe".into(), "worker".into()],
        limits: Limits { workers: 2, lock_wait_max: Duration::from_secs(2), ..Limits::default() },
        store: store.into(),
        keeps_counters: false,
        definitions: Definitions {
            queue_models: vec![model],
            remote_transactions,
            remote_programs,
            ..Definitions::default()
        },
        user: None,
        programs_limits: std::collections::BTreeMap::new(),
        transactions: [
            transaction("STD1", "STARTED"),
            transaction("FTK1", "FARTASK"),
            transaction("FIT1", "FARITEM"),
            transaction("FAB1", "FARABEND"),
        ]
        .into(),
        start_users: [name("BATCH1")].into(),
        links: Links {
            listen: vec![Address::Unix(socket.into())],
            peers,
            limits: LinkLimits {
                answer_max: Duration::from_secs(5),
                heartbeat: Duration::from_millis(500),
                ..LinkLimits::default()
            },
            ..Links::default()
        },
        dumps: region::DumpSettings::default(),
        callable: Vec::new(),
    })
}

/// A region that may do all.
fn peer(words: &[OsString]) -> Option<Peer> {
    let [sysid, socket] = words else { return None };
    Some(Peer::trusted(name(sysid.to_str()?), Some(Address::Unix(socket.into()))))
}

fn serve(settings: Settings) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let region = Region::start(settings)?;
    region.open_links()?;
    region.recall();
    say("ready");
    let (lines, mut taken) = tokio::sync::mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if lines.send(line).is_err() {
                break;
            }
        }
    });
    runtime.block_on(async {
        while let Some(line) = taken.recv().await {
            tokio::spawn(carry_out(region.clone(), line));
        }
    });
    Ok(())
}

async fn carry_out(region: Arc<Region>, line: String) {
    let mut words = line.split(' ');
    let (Some(number), Some(what)) = (words.next(), words.next()) else { return };
    let decision = match what {
        "doubt" => return say(&format!("{number} ok {}", region.in_doubt().len())),
        "commit" => Some(store::Decision::Commit),
        "abort" => Some(store::Decision::Abort),
        _ => None,
    };
    if let Some(decision) = decision {
        let forced =
            region.in_doubt().iter().map(|doubt| region.force(&doubt.id, decision)).collect::<Vec<_>>();
        return say(&format!("{number} ok {forced:?}"));
    }
    let interface = Interface::Commarea(bytes(words.next().unwrap_or_default()));
    let request = Request {
        program: name(what),
        transaction: name("LINK"),
        user: Some(name("CALLER")),
        refused_programs: Vec::new(),
        caller: None,
        until: None,
        interface,
    };
    match region.run(request).await {
        Ok(Interface::Commarea(bytes)) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            say(&format!("{number} ok {hex}"));
        }
        Ok(_) => say(&format!("{number} failed no commarea came back")),
        Err(failure @ Failure::OutcomeUnknown(_)) => say(&format!("{number} unknown {failure}")),
        Err(failure) => say(&format!("{number} failed {failure}")),
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks_exact(2).filter_map(|pair| std::str::from_utf8(pair).ok());
    digits.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect()
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // Without anybody who listens there is nothing left to do.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
