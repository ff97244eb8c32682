//! DUMP TRANSACTION and SIGNAL EVENT, and the commands on facilities that no region here has: the spool, journals, loaded
//! programs. They do what they do in a region of CICS without these.

use program::commands::names::*;
use program::conditions::{CHANNELERR, EVENTERR, INVREQ, JIDERR, LENGERR, NOSPOOL, PGMIDERR, SUPPRESSED};
use wire::{Clipped, Told, TransactionDump};

use super::{Done, links};
use crate::cobol::arguments::{Area, Arguments};
use crate::task::{Fault, Runtime, Step, raise};

/// RESP2 of INVREQ: DUMPCODE has blanks in front of or among its characters.
const RESP2_DUMPCODE: u32 = 13;
/// RESP2 of SUPPRESSED: the task has had its ten dumps.
const RESP2_TOO_MANY_DUMPS: u32 = 1;
/// RESP2 of NOSPOOL: there is no subsystem.
const RESP2_NO_SUBSYSTEM: u32 = 4;
/// RESP2 of PGMIDERR: the program does not exist; it cannot be loaded.
const RESP2_NO_PROGRAM: u32 = 1;
const RESP2_CANNOT_LOAD: u32 = 3;
/// RESP2 of CHANNELERR: the channel does not exist.
const RESP2_NO_CHANNEL: u32 = 2;

/// The most bytes of an event's data (CICS TS, SIGNAL EVENT, FROMLENGTH).
const EVENT_MAX_BYTES: i64 = 32_763;

pub(super) fn dump(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let code = arguments.name::<4>(DUMPCODE).unwrap_or([b' '; 4]);
    let area = dumped_area(arguments)?;
    let Some((mut left, mut state)) = runtime.dump_room().map(|room| (room, wire::State::default())) else {
        // Nobody keeps dumps.
        return ended(code);
    };
    let area = area.map(|area| {
        let first = area.first(area.bytes.min(left)).copy();
        left -= first.len();
        Clipped { bytes: area.bytes as u64, first }
    });
    if let Some(found) = runtime.state(&mut left) {
        state = found;
    }
    let number = runtime.next_dump();
    let id = format!("{}/{number:04}", runtime.task.number % 10_000);
    if !runtime.door.told(Told::Dump(Box::new(TransactionDump { code, area, state }))) {
        return Err(Fault::Condition(&SUPPRESSED, RESP2_TOO_MANY_DUMPS));
    }
    arguments.set_characters(DUMPID, format!("{id:9}").as_bytes());
    ended(code)
}

/// A code with blanks in front of its characters or among them is refused after the dump, as in CICS.
fn ended(code: [u8; 4]) -> Done {
    match code.trim_ascii_end().contains(&b' ') || code == [b' '; 4] {
        true => Err(Fault::Condition(&INVREQ, RESP2_DUMPCODE)),
        false => Ok(Step::GoOn),
    }
}

/// The area of FROM in the length of LENGTH or FLENGTH.
fn dumped_area(arguments: &Arguments) -> Result<Option<Area>, Fault> {
    let Some(area) = arguments.area(FROM) else { return Ok(None) };
    let length = arguments.number(FLENGTH).or_else(|| arguments.number(LENGTH));
    let bytes = match length.map(usize::try_from) {
        None => area.bytes,
        Some(Ok(bytes)) => bytes,
        Some(Err(_)) => return raise(&LENGERR),
    };
    // The program may give a length beyond the item, as in CICS.
    Ok(Some(Area::new(area.address(), bytes)))
}

/// SIGNAL EVENT: without event bindings nothing captures an event.
pub(super) fn signal_event(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    if arguments.name::<32>(EVENT).is_none_or(|name| name[0] == b' ') {
        return raise(&EVENTERR);
    }
    if arguments.number(FROMLENGTH).is_some_and(|length| !(0..=EVENT_MAX_BYTES).contains(&length)) {
        return raise(&LENGERR);
    }
    if let Some(name) = arguments.name::<16>(FROMCHANNEL) {
        let (depth, current) = (runtime.levels.len(), runtime.level().channel);
        if runtime.channels.find(name, depth, current).is_none() {
            return Err(Fault::Condition(&CHANNELERR, RESP2_NO_CHANNEL));
        }
    }
    Ok(Step::GoOn)
}

/// The commands on the spool.
pub(super) fn spool() -> Done {
    Err(Fault::Condition(&NOSPOOL, RESP2_NO_SUBSYSTEM))
}

/// The commands on journals.
pub(super) fn journal() -> Done {
    raise(&JIDERR)
}

/// LOAD and RELEASE: the entry point of a library leads to code, and to no table that a program could read.
pub(super) fn load(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let program = arguments.name::<8>(PROGRAM).unwrap_or([b' '; 8]);
    runtime.level().eib.set_resource(&program);
    links::check_right(runtime, program)?;
    let resp2 = match runtime.find(program) {
        Ok(_) => RESP2_CANNOT_LOAD,
        Err(Fault::Condition(_, resp2)) => resp2,
        Err(fault) => return Err(fault),
    };
    Err(Fault::Condition(&PGMIDERR, resp2.max(RESP2_NO_PROGRAM)))
}
