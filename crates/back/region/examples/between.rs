//! Measures what a call of a program costs here and in another region on this machine, in the same run.
//!
//! `cargo run --release -p region --example between -- FOLDER [CALLS]`, where FOLDER has CALLEE.so and LINKER.so, made as for the
//! example `door`. The other region is a process of its own, linked by a socket. Each figure is the median of rounds, with
//! the least and the most; processor time is that of all threads of both regions and their workers.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use region::link::definition::{Address, Links, Peer, RemoteProgram};
use region::{Definitions, Limits, Region, Request, Rights, Settings};
use wire::{Container, Interface, WorkerOptions, name};

const DATA_BYTES: [usize; 2] = [1 << 10, 31 << 10];
const CALLS: usize = 20_000;
const ROUNDS: usize = 7;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let done = match arguments.first().and_then(|first| first.to_str()) {
        // Started again by its own region.
        Some("worker") => {
            return WorkerOptions::from_arguments(&arguments[1..])
                .map_or(ExitCode::FAILURE, |options| worker::run(&options));
        }
        Some("other") => other(&arguments[1..]),
        Some(_) => measure(&arguments),
        None => Err("expected the folder of CALLEE.so and LINKER.so".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("between: {message}");
            ExitCode::FAILURE
        }
    }
}

fn settings(sysid: &str, programs: &Path, links: Links) -> Settings {
    let remote = |program: &str| RemoteProgram {
        name: name(program),
        sysid: name("FAR"),
        remote_name: name("CALLEE"),
        transaction: None,
        text: Vec::new(),
    };
    let remote_programs = if sysid == "NEAR" { vec![remote("CALLEE")] } else { Vec::new() };
    Settings {
        applid: name(sysid),
        sysid: name(sysid),
        default_user: name("BENCH"),
        ccsid: 819,
        work_area_bytes: 0,
        rights: Rights::default(),
        programs: programs.to_owned(),
        command: vec!["/proc/self/exe".into(), "worker".into()],
        store: std::env::temp_dir().join(format!("between-{sysid}-{}.store", std::process::id())),
        keeps_counters: false,
        definitions: Definitions { remote_programs, ..Definitions::default() },
        links,
        dumps: region::DumpSettings::default(),
        callable: Vec::new(),
        limits: Limits { workers: 1, ..Limits::default() },
        user: None,
        programs_limits: std::collections::BTreeMap::new(),
        transactions: std::collections::BTreeMap::new(),
        start_users: Default::default(),
    }
}

fn peer(sysid: &str, socket: Option<&OsStr>) -> Peer {
    Peer::trusted(name(sysid), socket.map(|socket| Address::Unix(socket.into())))
}

/// The other region: serves until its input ends.
fn other(arguments: &[OsString]) -> Result<(), String> {
    let [folder, socket] = arguments else { return Err("expected a folder and a socket".to_owned()) };
    let listen = vec![Address::Unix(socket.into())];
    let links = Links { listen, peers: vec![peer("NEAR", None)], ..Links::default() };
    let region = Region::start(settings("FAR", folder.as_ref(), links))?;
    region.open_links()?;
    let _ = std::io::stdin().lines().count();
    Ok(())
}

struct Other(Child);

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn measure(arguments: &[OsString]) -> Result<(), String> {
    let failed = |error: std::io::Error| error.to_string();
    let folder = Path::new(&arguments[0]);
    let calls = arguments.get(1).and_then(|calls| calls.to_str()?.parse().ok()).unwrap_or(CALLS);
    let own = std::env::temp_dir().join(format!("between-{}", std::process::id()));
    // This region lacks CALLEE, so that LINKER's LINK goes to the other one.
    std::fs::create_dir_all(own.join("programs")).map_err(failed)?;
    std::fs::copy(folder.join("LINKER.so"), own.join("programs/LINKER.so")).map_err(failed)?;
    let socket = own.join("socket");
    let child = Command::new("/proc/self/exe")
        .arg("other")
        .args([folder, &socket])
        .stdin(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let _other = Other(child);
    let links = Links { peers: vec![peer("FAR", Some(socket.as_os_str()))], ..Links::default() };
    let here = Region::start(settings("HERE", folder, Links::default()))?;
    let near = Region::start(settings("NEAR", &own.join("programs"), links))?;
    near.open_links()?;
    let begun = Instant::now();
    while near.links().iter().any(|link| link.trouble.is_some()) {
        if begun.elapsed() > Duration::from_secs(10) {
            return Err(format!("no link: {:?}", near.links()));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let measured = runtime.block_on(rounds(&here, &near, calls));
    let _ = std::fs::remove_dir_all(&own);
    measured
}

async fn rounds(here: &Region, near: &Region, calls: usize) -> Result<(), String> {
    for bytes in DATA_BYTES {
        let kilobytes = bytes >> 10;
        let data = |how: &str| {
            let mut data = format!("{how}{calls:07}").into_bytes();
            data.resize(bytes, b' ');
            data
        };
        let container = Container { name: name("DATA"), ccsid: None, bytes: data(" ") };
        let channel = Interface::Channel { name: name("BENCH"), containers: vec![container] };
        let commarea = Interface::Commarea(data(" "));
        let mut figures = [
            Figures::new(format!("call here, commarea of {kilobytes}K")),
            Figures::new(format!("call in the other region, commarea of {kilobytes}K")),
            Figures::new(format!("call here, container of {kilobytes}K")),
            Figures::new(format!("call in the other region, container of {kilobytes}K")),
            Figures::new("LINK from COBOL to the other region, commarea of 1K".to_owned()),
            Figures::new("LINK from COBOL to the other region, container of 1K".to_owned()),
        ];
        for _ in 0..ROUNDS {
            figures[0].round(here, ("CALLEE", &commarea), (calls, 1)).await?;
            figures[1].round(near, ("CALLEE", &commarea), (calls, 1)).await?;
            figures[2].round(here, ("CALLEE", &channel), (calls, 1)).await?;
            figures[3].round(near, ("CALLEE", &channel), (calls, 1)).await?;
            if kilobytes == 1 {
                for (place, how) in [(4, "C"), (5, "K")] {
                    figures[place]
                        .round(near, ("LINKER", &Interface::Commarea(data(how))), (1, calls))
                        .await?;
                }
            }
        }
        figures.iter_mut().for_each(Figures::show);
    }
    Ok(())
}

/// Time and processor time of each call, by rounds.
struct Figures {
    what: String,
    wall: Vec<f64>,
    cpu: Vec<f64>,
}

impl Figures {
    fn new(what: String) -> Self {
        Self { what, wall: Vec::new(), cpu: Vec::new() }
    }

    async fn round(
        &mut self,
        region: &Region,
        (program, interface): (&str, &Interface),
        (tasks, calls_each): (usize, usize),
    ) -> Result<(), String> {
        let (begun, cpu) = (Instant::now(), cpu_ns());
        for _ in 0..tasks {
            let request = Request {
                program: name(program),
                transaction: name("BNCH"),
                user: None,
                refused_programs: Vec::new(),
                caller: None,
                until: None,
                interface: interface.clone(),
            };
            region.run(request).await.map_err(|failure| failure.to_string())?;
        }
        let calls = (tasks * calls_each) as f64;
        self.wall.push(begun.elapsed().as_secs_f64() * 1e6 / calls);
        self.cpu.push((cpu_ns() - cpu) as f64 / 1e3 / calls);
        Ok(())
    }

    fn show(&mut self) {
        if self.wall.is_empty() {
            return;
        }
        let three = |values: &mut Vec<f64>| {
            values.sort_by(f64::total_cmp);
            (values[values.len() / 2], values[0], values[values.len() - 1])
        };
        let (wall, cpu) = (three(&mut self.wall), three(&mut self.cpu));
        println!(
            "{}: {:.1} µs ({:.1} to {:.1}), {:.1} µs of processor time ({:.1} to {:.1})",
            self.what, wall.0, wall.1, wall.2, cpu.0, cpu.1, cpu.2
        );
    }
}

/// Processor time of all threads of this process and of all that descend from it.
fn cpu_ns() -> u64 {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parents: Vec<(u32, u32)> = pids
        .filter_map(|pid| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            let parent = stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()?;
            Some((pid, parent))
        })
        .collect();
    let mut ours = vec![std::process::id()];
    let mut at = 0;
    while at < ours.len() {
        let parent = ours[at];
        ours.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        at += 1;
    }
    let threads =
        ours.iter().flat_map(|pid| std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten());
    let time = threads.flatten().filter_map(|thread| {
        let stat = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        stat.split_ascii_whitespace().next()?.parse::<u64>().ok()
    });
    time.sum()
}
