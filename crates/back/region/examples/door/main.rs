//! Measures a region: from its door to a COBOL program and back, and from program to program in a worker.
//!
//! `cargo run --release -p region --example door -- FOLDER [CALLS [PART]]`, where FOLDER has CALLEE.so and
//! LINKER.so, made of `examples/programs`: `gantry program translate NAME.cbl -o NAME.i` and `cobc -m -O2
//! -std=ibm-strict -fsign=EBCDIC NAME.i`. A file `commareas` in it, with the lines `CALLEE 1024` and `LINKER
//! 1024`, says how long their commareas are, as the gateway does. Without it there is room for the longest
//! commarea behind each, which costs as much again. PART is `floor` (the time of the kernel for the same
//! number of switches), `door`, `link` or `channel`. Without PART all of them run. Processor time is that of
//! both processes.

mod figures;
mod floor;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use region::{Definitions, Limits, Region, Request, Rights, Settings};

use figures::Figures;
use wire::{Container, Interface, WorkerOptions, name};

const DATA_BYTES: usize = 1024;
const CALLS: usize = 200_000;

/// Callers at a time, whose tasks may go together.
const CALLERS: usize = 16;

/// Sizes of containers: those whose costs per byte are compared.
const CONTAINERS_BYTES: [usize; 4] = [32 << 10, 256 << 10, 1 << 20, 16 << 20];

/// The bytes that go to the worker in containers for each of their sizes.
const ALL_BYTES: usize = 1 << 30;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (Some(folder), calls) = (arguments.first(), arguments.get(1)) else {
        eprintln!("expected the folder of CALLEE.so and LINKER.so");
        return ExitCode::FAILURE;
    };
    // Started again by its own region.
    if folder == "worker" {
        return WorkerOptions::from_arguments(&arguments[1..])
            .map_or(ExitCode::FAILURE, |options| worker::run(&options));
    }
    if folder == floor::OTHER_SIDE {
        return floor::answer(arguments.get(1).map(OsString::as_os_str));
    }
    let calls = calls.and_then(|calls| calls.to_str()?.parse().ok()).unwrap_or(CALLS);
    let part = arguments.get(2).and_then(|part| part.to_str());
    let is_wanted = |name: &str| part.is_none_or(|part| part == name);
    if is_wanted("floor")
        && let Err(error) = floor::measure()
    {
        return fail(&format!("the floor: {error}"));
    }
    let settings = Settings {
        applid: name("BENCH"),
        sysid: name("BNCH"),
        default_user: name("BENCH"),
        ccsid: 819,
        work_area_bytes: 0,
        rights: Rights::default(),
        programs: folder.into(),
        command: vec!["/proc/self/exe".into(), "worker".into()],
        transactions: Default::default(),
        start_users: Default::default(),
        store: std::env::temp_dir().join("door.store"),
        keeps_counters: false,
        definitions: Definitions::default(),
        links: region::link::definition::Links::default(),
        dumps: region::DumpSettings::default(),
        callable: Vec::new(),
        limits: Limits { workers: 1, area_bytes: 17 << 20, ..Limits::default() },
        user: None,
        programs_limits: std::collections::BTreeMap::new(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let measured = runtime.map_err(|error| error.to_string()).and_then(|runtime| {
        runtime.block_on(async {
            let bench = Bench::start(settings).await?;
            if is_wanted("door") {
                bench.door(calls).await?;
            }
            if is_wanted("link") {
                bench.links(calls).await?;
            }
            if is_wanted("channel") {
                bench.channels().await?;
            }
            Ok(())
        })
    });
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => fail(&message),
    }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("door: {message}");
    ExitCode::FAILURE
}

struct Bench(Arc<Region>);

impl Bench {
    async fn start(settings: Settings) -> Result<Self, String> {
        let bench = Self(Region::start(settings)?);
        // The first call loads the program.
        bench.run("CALLEE", commarea()).await?;
        Ok(bench)
    }

    async fn run(&self, program: &str, interface: Interface) -> Result<Interface, String> {
        let request = Request {
            program: name(program),
            transaction: name("BNCH"),
            user: None,
            refused_programs: Vec::new(),
            caller: None,
            until: None,
            interface,
        };
        self.0.run(request).await.map_err(|failure| failure.to_string())
    }

    async fn door(&self, calls: usize) -> Result<(), String> {
        let begun = Figures::now();
        for _ in 0..calls {
            self.run("CALLEE", commarea()).await?;
        }
        begun.show("door to COBOL and back, commarea of 1K", calls);
        let mut callers = tokio::task::JoinSet::new();
        let begun = Figures::now();
        for _ in 0..CALLERS {
            let bench = Self(self.0.clone());
            callers.spawn(async move {
                for _ in 0..calls / CALLERS {
                    bench.run("CALLEE", commarea()).await?;
                }
                Ok::<(), String>(())
            });
        }
        callers.join_all().await.into_iter().collect::<Result<(), String>>()?;
        begun.show(&format!("the same of {CALLERS} callers at a time"), calls / CALLERS * CALLERS);
        Ok(())
    }

    async fn links(&self, calls: usize) -> Result<(), String> {
        for (how, what) in
            [('C', "LINK in a worker, commarea of 1K"), ('K', "LINK in a worker, container of 1K")]
        {
            let count = calls * 5;
            let mut data = format!("{how}{count:07}").into_bytes();
            data.resize(DATA_BYTES, b' ');
            let begun = Figures::now();
            self.run("LINKER", Interface::Commarea(data)).await?;
            begun.show(what, count);
        }
        Ok(())
    }

    /// One container goes to a program, which gives its channel back.
    async fn channels(&self) -> Result<(), String> {
        for bytes in CONTAINERS_BYTES {
            let calls = ALL_BYTES / bytes;
            let container = Container { name: name("DATA"), ccsid: None, bytes: vec![b'x'; bytes] };
            let mut containers = vec![container];
            let begun = Figures::now();
            for _ in 0..calls {
                let channel = Interface::Channel { name: name("BENCH"), containers };
                let Interface::Channel { containers: answer, .. } = self.run("CALLEE", channel).await? else {
                    return Err("expected a channel".to_owned());
                };
                containers = answer;
            }
            let (wall, cpu) = begun.since(calls);
            let per_kilobyte = cpu * 1e3 / (bytes as f64 / 1024.0);
            println!(
                "container of {:6}K there and back: {wall:.1} µs, {cpu:.1} µs of processor time, {per_kilobyte:.0} ns a K",
                bytes >> 10
            );
        }
        Ok(())
    }
}

fn commarea() -> Interface {
    Interface::Commarea(vec![b' '; DATA_BYTES])
}
