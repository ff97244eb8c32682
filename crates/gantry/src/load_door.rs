//! The door of a region for `gantry load programs`: the programs of the example run in a region of this process.

use std::sync::Arc;

use codepage::{Encoding, Unmappable};
use load::door::{Conversion, Door, Method, Transfer};
use region::wire::{Container, Interface, Name, name};
use region::{Region, Request};

use crate::config::{Files, load as load_configuration};

/// The example with the programs that are measured: MOVER, TAKER and PAGER.
const EXAMPLE: &str = "programs";

/// The length of PAGER's order in front of the length that it gives back.
const ORDER_BYTES: usize = 26;

/// The most bytes that a character has in any of the code pages.
const CHARACTER_MAX_BYTES: usize = 4;

/// A region of this process.
#[derive(Debug)]
pub(crate) struct LocalDoor {
    region: Arc<Region>,
    runtime: tokio::runtime::Runtime,
}

impl LocalDoor {
    /// Compiles the programs of the example, and starts a region with one worker for each core.
    ///
    /// # Errors
    /// Programs cannot run here: why, for people.
    pub(crate) fn open() -> Result<Self, String> {
        let settings = load_configuration(&Files::example(EXAMPLE)?).map_err(|problems| {
            crate::cli::show(&problems);
            "the programs cannot be compiled".to_owned()
        })?;
        let plan = settings.region.ok_or("the example has no programs")?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Ok(Self { region: plan.start()?, runtime: runtime.map_err(|error| error.to_string())? })
    }

    fn run(&self, program: &str, interface: Interface) -> Result<Interface, String> {
        let request = Request {
            program: name(program),
            transaction: name("LOAD"),
            user: None,
            refused_programs: Vec::new(),
            caller: None,
            interface,
        };
        self.runtime.block_on(self.region.run(request)).map_err(|failure| failure.to_string())
    }
}

impl Door for LocalDoor {
    fn place(&self) -> String {
        format!("one region, {} workers", self.region.settings().limits.workers)
    }

    fn transfer(&mut self, transfer: Transfer) -> Result<(), String> {
        let Transfer { method, bytes, times } = transfer;
        let method = match method {
            Method::Commarea => "COMMAREA",
            Method::Channel => "CHANNEL",
            Method::Queue => "QUEUE",
        };
        let order = format!("{method:8}{bytes:08}{times:08}00000000");
        let expected = format!("{method:8}{bytes:08}{times:08}{times:08}");
        match self.run("MOVER", Interface::Commarea(order.into_bytes()))? {
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
        let answer = self.run("PAGER", Interface::Channel { name: name("CONVERT"), containers })?;
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

    fn processes(&self) -> Vec<u32> {
        let own = std::process::id().to_string();
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let is_child = |pid: &u32| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            // The name in parentheses may hold anything; the parent is the second field after it.
            let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_ascii_whitespace().nth(1));
            parent == Some(own.as_str())
        };
        pids.filter(is_child).collect()
    }
}

/// Text that every one of the pages has, with a letter beyond ASCII in every sixteen.
fn text(characters: usize) -> String {
    "The caf\u{e9} at noon.".chars().cycle().take(characters).collect()
}

fn encoded(ccsid: u16, text: &str) -> Result<Vec<u8>, String> {
    let encoding = Encoding::by_ccsid(ccsid).ok_or_else(|| format!("CCSID {ccsid} is not known"))?;
    let mut bytes = Vec::new();
    encoding.encode(text, Unmappable::Error, &mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}
