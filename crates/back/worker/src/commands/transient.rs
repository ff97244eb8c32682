//! WRITEQ, READQ and DELETEQ TD: the region has the queues.

use program::commands::names::*;
use program::conditions::{INVREQ, QBUSY, SYSIDERR};
use wire::{Answer, Ask, Name, TRANSIENT_MAX_BYTES, TransientAnswer, TransientAsk};

use super::Done;
use super::data::{Room, given};
use crate::cobol::arguments::Arguments;
use crate::task::{Fault, Runtime, Step, raise};

pub(super) fn write(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let queue = queue(runtime, arguments)?;
    let data = given(arguments, TRANSIENT_MAX_BYTES)?;
    runtime.ask(Ask::Transient(TransientAsk::Write { queue, data }))?;
    Ok(Step::GoOn)
}

pub(super) fn read(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let queue = queue(runtime, arguments)?;
    // A record that is refused for its length stays.
    let room = Room::of(arguments)?;
    // Whoever handles QBUSY wants to hear of it.
    let handled = !arguments.plan.invocation.no_handle && runtime.level().handles.has(&QBUSY);
    let waits = !arguments.has(NOSUSPEND) && !handled;
    let data = match runtime.ask(Ask::Transient(TransientAsk::Read { queue, waits }))? {
        Answer::Transient(TransientAnswer { data }) => data,
        _ => return raise(&INVREQ),
    };
    let mut owner = *b"TD      ";
    owner[4..].copy_from_slice(&queue);
    // Bytes without room are lost with the record.
    room.take(arguments, &data, |bytes| runtime.storage.get_for(owner, bytes))
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
