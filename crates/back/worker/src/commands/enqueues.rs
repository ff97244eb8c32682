//! ENQ and DEQ: the region has the names.

use program::commands::names::*;
use program::conditions::{ENQBUSY, INVREQ, LENGERR};
use wire::{Ask, EnqueueAsk, RESOURCE_MAX_BYTES};

use super::Done;
use crate::cobol::arguments::Arguments;
use crate::task::{Fault, Runtime, Step};

/// The prefix of a resource that is named by its address; the process and the address follow.
const BY_ADDRESS: &[u8] = b"\0at\0";

pub(super) fn enqueue(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let resource = resource(arguments)?;
    let for_task = for_task(arguments)?;
    // Whoever handles ENQBUSY wants to hear of it.
    let handled = !arguments.plan.invocation.no_handle && runtime.level().handles.has(&ENQBUSY);
    let waits = !arguments.has(NOSUSPEND) && !handled;
    runtime.ask(Ask::Enqueue(EnqueueAsk::Enqueue { resource, for_task, waits }))?;
    Ok(Step::GoOn)
}

pub(super) fn dequeue(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let resource = resource(arguments)?;
    for_task(arguments)?;
    runtime.ask(Ask::Enqueue(EnqueueAsk::Dequeue { resource }))?;
    Ok(Step::GoOn)
}

/// The name: LENGTH bytes of it. Without LENGTH it is the item's address, which means nothing in another
/// process.
fn resource(arguments: &Arguments) -> Result<Vec<u8>, Fault> {
    let Some(length) = arguments.number(LENGTH) else {
        let address = arguments.area(RESOURCE).map_or(0, |area| area.address().addr());
        let mut name = BY_ADDRESS.to_vec();
        name.extend(std::process::id().to_le_bytes());
        name.extend(address.to_le_bytes());
        return Ok(name);
    };
    let bytes = usize::try_from(length).ok().filter(|bytes| (1..=RESOURCE_MAX_BYTES).contains(bytes));
    let bytes = bytes.ok_or(Fault::Condition(&LENGERR, 1))?;
    Ok(arguments.bytes_of(RESOURCE, Some(bytes)).unwrap_or_default())
}

/// UOW and TASK, as words or as CVDAs of MAXLIFETIME.
fn for_task(arguments: &Arguments) -> Result<bool, Fault> {
    let is =
        |name: &str, value: i64| program::cvda::value(name).is_some_and(|known| i64::from(known) == value);
    match arguments.number(MAXLIFETIME) {
        None => Ok(arguments.has(TASK)),
        Some(value) if is("TASK", value) => Ok(true),
        Some(value) if is("UOW", value) || is("LUW", value) => Ok(false),
        Some(_) => Err(Fault::Condition(&INVREQ, 2)),
    }
}
