//! Measures a region: from its door to a COBOL program and back, and from program to program in a worker.
//!
//! `cargo run --release -p region --example door -- FOLDER [CALLS]`, where FOLDER has CALLEE.so and LINKER.so, made of
//! `examples/programs`: `gantry program translate NAME.cbl -o NAME.i` and `cobc -m -O2 -std=ibm-strict -fsign=EBCDIC NAME.i`.
//! Processor time is that of both processes, in steps of 10 ms.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use region::wire::{Interface, name};
use region::worker::WorkerOptions;
use region::{Definitions, Limits, Region, Request, Rights, Settings};

const DATA_BYTES: usize = 1024;
const CALLS: usize = 200_000;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (Some(folder), calls) = (arguments.first(), arguments.get(1)) else {
        eprintln!("expected the folder of CALLEE.so and LINKER.so");
        return ExitCode::FAILURE;
    };
    // Started again by its own region.
    if folder == "worker" {
        return WorkerOptions::from_arguments(&arguments[1..])
            .map_or(ExitCode::FAILURE, |options| region::worker::run(&options));
    }
    let calls = calls.and_then(|calls| calls.to_str()?.parse().ok()).unwrap_or(CALLS);
    let settings = Settings {
        applid: name("BENCH"),
        sysid: name("BNCH"),
        default_user: name("BENCH"),
        ccsid: 819,
        rights: Rights::default(),
        programs: folder.into(),
        command: vec!["/proc/self/exe".into(), "worker".into()],
        limits: Limits { workers: 1, ..Limits::default() },
        store: std::env::temp_dir().join("door.store"),
        definitions: Definitions::default(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime.map(|runtime| runtime.block_on(measure(settings, calls))) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(message)) => fail(&message),
        Err(error) => fail(&error.to_string()),
    }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("door: {message}");
    ExitCode::FAILURE
}

async fn measure(settings: Settings, calls: usize) -> Result<(), String> {
    let region = Region::start(settings)?;
    let run = async |program: &str, data: Vec<u8>| {
        let interface = Interface::Commarea(data);
        let request = Request {
            program: name(program),
            transaction: name("BNCH"),
            user: None,
            refused_programs: Vec::new(),
            interface,
        };
        region.run(request).await.map_err(|failure| failure.to_string())
    };
    // The first call loads the program.
    run("CALLEE", vec![b' '; DATA_BYTES]).await?;
    let begun = Figures::now();
    for _ in 0..calls {
        run("CALLEE", vec![b' '; DATA_BYTES]).await?;
    }
    begun.show("door to COBOL and back, commarea of 1K", calls);
    for (how, what) in [('C', "LINK in a worker, commarea of 1K"), ('K', "LINK in a worker, container of 1K")]
    {
        let count = calls * 5;
        let mut data = format!("{how}{count:07}").into_bytes();
        data.resize(DATA_BYTES, b' ');
        let begun = Figures::now();
        run("LINKER", data).await?;
        begun.show(what, count);
    }
    Ok(())
}

/// Time and processor time of this process and its children.
struct Figures {
    at: Instant,
    ticks: u64,
}

impl Figures {
    fn now() -> Self {
        let own = std::process::id().to_string();
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let stat = |entry: std::fs::DirEntry| std::fs::read_to_string(entry.path().join("stat")).ok();
        let ticks = processes.filter_map(stat).filter_map(|stat| {
            let (head, rest) = stat.rsplit_once(')')?;
            let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
            let is_ours = head.starts_with(&format!("{own} ")) || *fields.get(1)? == own;
            let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
            is_ours.then_some(ticks(11)? + ticks(12)?)
        });
        Self { at: Instant::now(), ticks: ticks.sum() }
    }

    fn show(&self, what: &str, calls: usize) {
        let now = Self::now();
        let wall = now.at.duration_since(self.at).as_secs_f64() * 1e6 / calls as f64;
        let cpu = (now.ticks - self.ticks) as f64 * 10_000.0 / calls as f64;
        println!("{what}: {wall:.2} µs, {cpu:.2} µs of processor time, {calls} calls");
    }
}
