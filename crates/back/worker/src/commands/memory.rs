//! ADDRESS, GETMAIN and FREEMAIN.

use program::commands::names::*;
use program::conditions::{INVREQ, LENGERR, NOSTG};

use super::Done;
use crate::cobol::arguments::{Area, Arguments};
use crate::task::{Fault, Runtime, Step, raise};

/// RESP2 of INVREQ: the storage to free was never given.
const RESP2_NOT_STORAGE: u32 = 1;

/// RESP2 of LENGERR: a length is not positive.
const RESP2_NO_LENGTH: u32 = 1;

/// The value of a pointer to no storage. CICS gives X'FF000000', so that a use of it fails.
const NOWHERE: *mut u8 = std::ptr::without_provenance_mut(0xFF00_0000);

pub(super) fn address(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let level = runtime.level();
    arguments.set_pointer(EIB, level.eib.address());
    let commarea = if level.commarea.bytes == 0 { NOWHERE } else { level.commarea.address() };
    arguments.set_pointer(COMMAREA, commarea);
    for name in [CWA, TCTUA, ACEE] {
        arguments.set_pointer(name, NOWHERE);
    }
    if arguments.has(TWA) {
        let area = match runtime.task.work_area_bytes {
            0 => Some(NOWHERE),
            bytes => runtime.storage.work_area(bytes.into()),
        };
        let Some(area) = area else { return raise(&NOSTG) };
        arguments.set_pointer(TWA, area);
    }
    Ok(Step::GoOn)
}

pub(super) fn address_set(arguments: &Arguments) -> Done {
    if let Some(pointer) = arguments.pointer(USING) {
        arguments.set_pointer(SET, pointer);
    }
    Ok(Step::GoOn)
}

pub(super) fn get(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let length = arguments.number(FLENGTH).or_else(|| arguments.number(LENGTH)).unwrap_or_default();
    let Some(bytes) = usize::try_from(length).ok().filter(|bytes| *bytes > 0) else {
        return Err(Fault::Condition(&LENGERR, RESP2_NO_LENGTH));
    };
    let fill = arguments.bytes(INITIMG, Some(1)).and_then(|bytes| bytes.first().copied());
    match runtime.storage.get(bytes, fill.unwrap_or(0)) {
        Some(storage) => arguments.set_pointer(SET, storage),
        None => return raise(&NOSTG),
    }
    Ok(Step::GoOn)
}

/// Gives the program bytes by SET: in storage of the task.
pub(super) fn set(runtime: &mut Runtime, arguments: &Arguments, bytes: &[u8]) -> Result<(), Fault> {
    let Some(storage) = runtime.storage.get(bytes.len(), 0) else { return raise(&LENGERR) };
    Area::new(storage, bytes.len()).write(bytes);
    arguments.set_pointer(SET, storage);
    Ok(())
}

pub(super) fn free(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let address = arguments.area(DATA).map(|area| area.address()).or_else(|| arguments.pointer(DATAPOINTER));
    match address.is_some_and(|address| runtime.storage.free(address)) {
        true => Ok(Step::GoOn),
        false => Err(Fault::Condition(&INVREQ, RESP2_NOT_STORAGE)),
    }
}
