//! Regions for `gantry load programs`. The programs of the example run in a region of this process.
//! They pass their data to programs of the same region, or of a second region in another process.

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use codepage::{Encoding, Unmappable};
use load::door::{Conversion, Door, Method, Transfer, Way};
use region::link::definition::{Address, Peer, RemoteProgram};
use region::{Keeping, QueueModel, Region, Request, Settings};
use wire::{Container, Interface, Name, name};

use configuration::{RegionPlan, load as load_configuration};

/// The example with the measured programs: MOVER, TAKER and PAGER.
const EXAMPLE: &str = "programs";

/// The system ids of the region that passes data on, and of the other one.
const NEAR: &str = "NEAR";
const FAR: &str = "FAR";

/// The prefix of MOVER's queue names.
const QUEUES: &[u8] = b"M";

/// The longest time for the other region to compile its programs and to be linked.
const LINKED_MAX: Duration = Duration::from_secs(60);
const LINKED_POLL: Duration = Duration::from_millis(20);

/// The bytes of PAGER's order before the length that it gives back.
const ORDER_BYTES: usize = 26;

/// The most bytes of a character in any of the code pages.
const CHARACTER_MAX_BYTES: usize = 4;

/// Regions of this process.
#[derive(Debug)]
pub(crate) struct RegionDoor {
    region: Arc<Region>,
    /// None if nothing is measured between regions.
    linked: Option<Linked>,
    runtime: tokio::runtime::Runtime,
}

/// A region of this process that links to the other region for TAKER.
#[derive(Debug)]
struct Linked {
    region: Arc<Region>,
    other: Other,
}

/// The process of the other region. Dropping this ends it.
#[derive(Debug)]
struct Other {
    child: Child,
    /// The folder of its socket.
    folder: PathBuf,
}

impl Drop for Other {
    fn drop(&mut self) {
        // This closes its input, and the region ends with its input.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The region of the example, ready to start. Its programs are compiled.
fn plan() -> Result<RegionPlan, String> {
    let settings = load_configuration(&crate::examples::files(EXAMPLE)?).map_err(|problems| {
        terminal::show(&problems);
        "the programs cannot be compiled".to_owned()
    })?;
    settings.region.ok_or_else(|| "the example has no programs".to_owned())
}

/// Sets one of two regions on this machine. They trust each other fully, because both belong to
/// this user.
fn make_peer_of(settings: &mut Settings, (own, other): (&str, &str), address: Option<Address>) {
    (settings.applid, settings.sysid) = (name(own), name(own));
    settings.links.peers = vec![Peer::trusted(name(other), address)];
}

/// Runs the other region. It serves at a socket until its input ends.
///
/// # Errors
/// Programs cannot run here, with the reason.
pub(crate) fn be_the_other(socket: &Path) -> Result<(), String> {
    let mut plan = plan()?;
    let settings = plan.settings();
    make_peer_of(settings, (FAR, NEAR), None);
    settings.links.listen = vec![Address::Unix(socket.to_owned())];
    settings.store = socket.with_file_name("far.store");
    let _region = plan.start()?;
    let _ = std::io::stdin().lines().count();
    Ok(())
}

impl Linked {
    fn open() -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("gantry-load-{}", std::process::id()));
        let shown = folder.display().to_string();
        let failed = |error: std::io::Error| format!("{shown}: {error}");
        // Only this user may reach the socket in it.
        std::fs::DirBuilder::new().mode(0o700).create(&folder).map_err(failed)?;
        let socket = folder.join("socket");
        let child = Command::new("/proc/self/exe")
            .arg("load-region")
            .arg(&socket)
            .stdin(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let other = Other { child, folder };
        let mut plan = plan()?;
        let settings = plan.settings();
        make_peer_of(settings, (NEAR, FAR), Some(Address::Unix(socket)));
        // Without a TAKER here it must link to the other region's.
        let programs = other.folder.join("programs");
        std::fs::create_dir(&programs).map_err(failed)?;
        std::fs::copy(settings.programs.join("MOVER.so"), programs.join("MOVER.so")).map_err(failed)?;
        settings.programs = programs;
        // A separate store, neither that of a gateway with the example nor the other region's.
        settings.store = other.folder.join("near.store");
        settings.definitions.remote_programs = vec![RemoteProgram {
            name: name("TAKER"),
            sysid: name(FAR),
            remote_name: name("TAKER"),
            transaction: None,
            text: Vec::new(),
        }];
        // TAKER reads them in its own region.
        let keeping = Keeping::Remote(name(FAR));
        settings.definitions.queue_models =
            vec![QueueModel { prefix: QUEUES.to_vec(), keeping, expiry: None }];
        let mut linked = Self { region: plan.start()?, other };
        linked.wait()?;
        Ok(linked)
    }

    fn wait(&mut self) -> Result<(), String> {
        let end = Instant::now() + LINKED_MAX;
        while self.region.links().iter().any(|link| link.trouble.is_some()) {
            let ended = self.other.child.try_wait().map_err(|error| error.to_string())?;
            if ended.is_some() || Instant::now() > end {
                let links = self.region.links();
                return Err(format!("the other region cannot be reached: {links:?}"));
            }
            std::thread::sleep(LINKED_POLL);
        }
        Ok(())
    }
}

impl RegionDoor {
    /// Compiles the programs of the example, and starts a region with one worker for each core. If
    /// data goes to another region, too, it starts two more linked regions.
    ///
    /// # Errors
    /// Programs cannot run here, with the reason.
    pub(crate) fn open(ways: &[Way]) -> Result<Self, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let region = plan()?.start()?;
        let linked = ways.contains(&Way::Remote).then(Linked::open).transpose()?;
        Ok(Self { region, linked, runtime })
    }

    fn run(&self, way: Way, program: &str, interface: Interface) -> Result<Interface, String> {
        let region = match way {
            Way::Local => &self.region,
            Way::Remote => &self.linked.as_ref().ok_or("there is no other region")?.region,
        };
        let request = Request {
            program: name(program),
            transaction: name("LOAD"),
            user: None,
            refused_programs: Vec::new(),
            caller: None,
            until: None,
            interface,
        };
        self.runtime.block_on(region.run(request)).map_err(|failure| failure.to_string())
    }
}

impl Door for RegionDoor {
    fn place(&self) -> String {
        let workers = self.region.settings().limits.workers;
        match self.linked {
            None => format!("one region, {workers} workers"),
            Some(_) => format!("regions of {workers} workers, linked by a socket of this machine"),
        }
    }

    fn transfer(&mut self, transfer: Transfer) -> Result<(), String> {
        let Transfer { way, method, bytes, times } = transfer;
        let method = match method {
            Method::Commarea => "COMMAREA",
            Method::Channel => "CHANNEL",
            Method::Queue => "QUEUE",
        };
        let order = format!("{method:8}{bytes:08}{times:08}00000000");
        let expected = format!("{method:8}{bytes:08}{times:08}{times:08}");
        match self.run(way, "MOVER", Interface::Commarea(order.into_bytes()))? {
            Interface::Commarea(answer) if answer == expected.as_bytes() => Ok(()),
            other => Err(format!("expected the commarea '{expected}' from MOVER, found {other:?}")),
        }
    }

    fn convert(&mut self, conversion: Conversion) -> Result<(), String> {
        let Conversion { from, into, characters, times } = conversion;
        let text = text(characters);
        let expected = encoded(into, &text)?.len();
        let room = characters * CHARACTER_MAX_BYTES;
        let order = format!("{from:05}{into:05}{times:08}{room:08}00000000").into_bytes();
        let order_name: Name<16> = name("ORDER");
        let container = |name, bytes| Container { name, ccsid: None, bytes };
        let containers = vec![container(order_name, order), container(name("TEXT"), encoded(from, &text)?)];
        let answer =
            self.run(Way::Local, "PAGER", Interface::Channel { name: name("CONVERT"), containers })?;
        let Interface::Channel { containers, .. } = answer else {
            return Err("expected a channel from PAGER".to_owned());
        };
        let order = containers.into_iter().find(|container| container.name == order_name);
        let length = order.as_ref().and_then(|order| order.bytes.get(ORDER_BYTES..));
        let found = length.and_then(|digits| std::str::from_utf8(digits).ok()?.parse::<usize>().ok());
        match found {
            Some(found) if found == expected => Ok(()),
            found => Err(format!("expected {expected} bytes of text from PAGER, found {found:?}")),
        }
    }

    /// All descendants of this process: workers, the other region, and its workers.
    fn processes(&self) -> Vec<u32> {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let mut parents: Vec<(u32, u32)> = pids.filter_map(|pid| Some((pid, parent(pid)?))).collect();
        let mut found = vec![std::process::id()];
        let mut looked_at = 0;
        while let Some(above) = found.get(looked_at).copied() {
            found.extend(parents.extract_if(.., |(_, parent)| *parent == above).map(|(pid, _)| pid));
            looked_at += 1;
        }
        found.split_off(1)
    }
}

fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may have any characters. The parent is the second field after it.
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Text that all of the pages have. One character of sixteen is not ASCII.
fn text(characters: usize) -> String {
    "The caf\u{e9} at noon.".chars().cycle().take(characters).collect()
}

fn encoded(ccsid: u16, text: &str) -> Result<Vec<u8>, String> {
    let encoding = Encoding::by_ccsid(ccsid).ok_or_else(|| format!("CCSID {ccsid} is not known"))?;
    let mut bytes = Vec::new();
    encoding.encode(text, Unmappable::Error, &mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}
