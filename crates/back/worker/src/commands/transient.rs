//! WRITEQ, READQ and DELETEQ TD: the region has the queues.

use program::commands::names::*;
use program::conditions::{INVREQ, LENGERR, QBUSY, SYSIDERR};
use wire::{Answer, Ask, Name, TRANSIENT_MAX_BYTES, TransientAnswer, TransientAsk};

use super::Done;
use crate::cobol::arguments::{Area, Arguments};
use crate::task::{Fault, Runtime, Step, raise};

pub(super) fn write(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let queue = queue(runtime, arguments)?;
    let length = match arguments.number(LENGTH) {
        None => None,
        Some(length) => match usize::try_from(length) {
            Ok(length) if (1..=TRANSIENT_MAX_BYTES).contains(&length) => Some(length),
            _ => return raise(&LENGERR),
        },
    };
    let data = match (arguments.area(FROM), length) {
        // A length beyond the item is what the program says, as with CICS.
        (Some(area), Some(length)) => Area::new(area.address(), length).copy(),
        (Some(area), None) => area.copy(),
        (None, length) => arguments.bytes(FROM, length).unwrap_or_default(),
    };
    runtime.ask(Ask::Transient(TransientAsk::Write { queue, data }))?;
    Ok(Step::GoOn)
}

pub(super) fn read(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let queue = queue(runtime, arguments)?;
    let room = match arguments.number(LENGTH) {
        // The record stays.
        Some(length) if length < 0 => return raise(&LENGERR),
        Some(length) => Some(usize::try_from(length).unwrap_or(usize::MAX)),
        None => None,
    };
    // Whoever handles QBUSY wants to hear of it.
    let handled = !arguments.plan.invocation.no_handle && runtime.level().handles.has(&QBUSY);
    let waits = !arguments.has(NOSUSPEND) && !handled;
    let data = match runtime.ask(Ask::Transient(TransientAsk::Read { queue, waits }))? {
        Answer::Transient(TransientAnswer { data }) => data,
        _ => return raise(&INVREQ),
    };
    arguments.set_number(LENGTH, data.len() as i64);
    if arguments.has(SET) {
        let mut owner = *b"TD      ";
        owner[4..].copy_from_slice(&queue);
        let Some(storage) = runtime.storage.get_for(owner, data.len()) else { return raise(&LENGERR) };
        Area::new(storage, data.len()).write(&data);
        arguments.set_pointer(SET, storage);
        return Ok(Step::GoOn);
    }
    let Some(area) = arguments.area(INTO) else { return raise(&INVREQ) };
    let room = room.unwrap_or(area.bytes).min(area.bytes);
    area.first(room).write(&data);
    // As much as there was room for is there; the rest is gone with the record.
    if data.len() > room { raise(&LENGERR) } else { Ok(Step::GoOn) }
}

pub(super) fn delete(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let queue = queue(runtime, arguments)?;
    runtime.ask(Ask::Transient(TransientAsk::Delete { queue }))?;
    Ok(Step::GoOn)
}

fn queue(runtime: &mut Runtime, arguments: &Arguments) -> Result<Name<4>, Fault> {
    if arguments.name::<4>(SYSID).is_some_and(|sysid| sysid != runtime.task.sysid) {
        return raise(&SYSIDERR);
    }
    let name = arguments.name::<4>(QUEUE).unwrap_or([b' '; 4]);
    runtime.level().eib.set_resource(&name);
    Ok(name)
}
