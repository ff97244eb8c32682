//! WRITEQ, READQ and DELETEQ TS: the region has the queues.

use program::commands::names::*;
use program::conditions::INVREQ;
use wire::{Answer, Ask, ITEM_MAX_BYTES, Location, QueueAnswer, QueueAsk};

use super::Done;
use super::data::{Room, given};
use crate::cobol::arguments::Arguments;
use crate::task::{Fault, Runtime, Step, raise};

pub(super) fn write(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let queue = queue(runtime, arguments)?;
    let data = given(arguments, ITEM_MAX_BYTES)?;
    let location = match (arguments.has(MAIN), arguments.has(AUXILIARY)) {
        (true, _) => Some(Location::Main),
        (_, true) => Some(Location::Auxiliary),
        _ => None,
    };
    let item = if arguments.has(REWRITE) { arguments.number(ITEM) } else { None };
    let QueueAnswer { items, item, .. } =
        ask(runtime, arguments, QueueAsk::Write { queue, item, data, location })?;
    arguments.set_number(ITEM, item.into());
    arguments.set_number(NUMITEMS, items.into());
    Ok(Step::GoOn)
}

pub(super) fn read(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let queue = queue(runtime, arguments)?;
    let room = Room::of(arguments)?;
    let QueueAnswer { items, data, .. } =
        ask(runtime, arguments, QueueAsk::Read { queue, item: arguments.number(ITEM) })?;
    arguments.set_number(NUMITEMS, items.into());
    room.take(arguments, &data, |bytes| runtime.storage.get(bytes, 0))
}

pub(super) fn delete(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let queue = queue(runtime, arguments)?;
    ask(runtime, arguments, QueueAsk::Delete { queue })?;
    Ok(Step::GoOn)
}

/// The queue's name without the blanks at its end.
fn queue(runtime: &mut Runtime, arguments: &Arguments) -> Result<Vec<u8>, Fault> {
    let name = match arguments.name::<8>(QUEUE) {
        Some(name) => name.to_vec(),
        None => arguments.name::<16>(QNAME).unwrap_or([b' '; 16]).to_vec(),
    };
    runtime.level().eib.set_resource(&name);
    let length = name.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
    Ok(name[..length].to_vec())
}

fn ask(runtime: &mut Runtime, arguments: &Arguments, ask: QueueAsk) -> Result<QueueAnswer, Fault> {
    let ask = match arguments.name::<4>(SYSID).filter(|sysid| *sysid != runtime.task.sysid) {
        Some(sysid) => Ask::RemoteQueue { sysid, ask },
        None => Ask::Queue(ask),
    };
    match runtime.ask(ask)? {
        Answer::Queue(answer) => Ok(answer),
        _ => raise(&INVREQ),
    }
}
