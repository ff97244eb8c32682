//! WRITEQ, READQ and DELETEQ TS: the region has the queues.

use program::commands::names::*;
use program::conditions::{INVREQ, LENGERR};
use wire::{Answer, Ask, ITEM_MAX_BYTES, Location, QueueAnswer, QueueAsk};

use super::Done;
use crate::cobol::arguments::Arguments;
use crate::task::{Fault, Runtime, Step, raise};

pub(super) fn write(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let queue = queue(runtime, arguments)?;
    let length = match arguments.number(LENGTH) {
        None => None,
        Some(length) => match usize::try_from(length) {
            Ok(length) if (1..=ITEM_MAX_BYTES).contains(&length) => Some(length),
            _ => return raise(&LENGERR),
        },
    };
    let data = match (arguments.area(FROM), length) {
        // A length beyond the item is what the program says, as with CICS.
        (Some(area), Some(length)) => crate::cobol::arguments::Area::new(area.address(), length).copy(),
        (Some(area), None) => area.copy(),
        (None, length) => arguments.bytes(FROM, length).unwrap_or_default(),
    };
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
    let room = match arguments.number(LENGTH) {
        Some(length) if length < 0 => return raise(&LENGERR),
        Some(length) => Some(usize::try_from(length).unwrap_or(usize::MAX)),
        None => None,
    };
    let QueueAnswer { items, data, .. } =
        ask(runtime, arguments, QueueAsk::Read { queue, item: arguments.number(ITEM) })?;
    arguments.set_number(NUMITEMS, items.into());
    arguments.set_number(LENGTH, data.len() as i64);
    if arguments.has(SET) {
        let storage = runtime.storage.get(data.len(), 0);
        let Some(storage) = storage else { return raise(&LENGERR) };
        crate::cobol::arguments::Area::new(storage, data.len()).write(&data);
        arguments.set_pointer(SET, storage);
        return Ok(Step::GoOn);
    }
    let Some(area) = arguments.area(INTO) else { return raise(&INVREQ) };
    let room = room.unwrap_or(area.bytes).min(area.bytes);
    area.first(room).write(&data);
    // As much as there was room for is there.
    if data.len() > room { raise(&LENGERR) } else { Ok(Step::GoOn) }
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
