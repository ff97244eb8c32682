//! START, RETRIEVE, CANCEL and DELAY: the region has the tasks that are to be started.

use std::time::Duration;

use program::commands::names::*;
use program::conditions::{EXPIRED, INVREQ, LENGERR, TERMIDERR};
use wire::{Answer, Ask, ITEM_MAX_BYTES, Interface, Start, StartAnswer, StartAsk, StartedData, WantedData};

use super::Done;
use super::copies::copied_channel;
use super::data::{Room, given};
use super::intervals::{Expiry, expiry};
use crate::cobol::arguments::Arguments;
use crate::task::{Fault, Runtime, Step, raise};

pub(super) fn start(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    if arguments.has(TERMID) {
        return raise(&TERMIDERR);
    }
    let transaction = arguments.name::<4>(TRANSID).unwrap_or([b' '; 4]);
    runtime.level().eib.set_resource(&transaction);
    let Expiry { milliseconds, .. } = expiry(arguments)?;
    let data = StartedData {
        data: from(arguments)?,
        headers: arguments.has(FMH),
        return_transaction: arguments.name(RTRANSID),
        return_terminal: arguments.name(RTERMID),
        queue: arguments.name(QUEUE),
    };
    let interface = match arguments.name::<16>(CHANNEL) {
        Some(name) => copied_channel(runtime, name)?,
        None => Interface::None,
    };
    let start = Start {
        transaction,
        milliseconds,
        request: arguments.name(REQID),
        user: arguments.name(USERID),
        protect: arguments.has(PROTECT),
        data,
        interface,
    };
    match ask_where(runtime, arguments, StartAsk::Start(start))? {
        StartAnswer::Started { request } => runtime.level().eib.set_request(request),
        _ => return raise(&INVREQ),
    }
    Ok(Step::GoOn)
}

/// The bytes of FROM in the length of LENGTH.
fn from(arguments: &Arguments) -> Result<Option<Vec<u8>>, Fault> {
    if !arguments.has(FROM) {
        return Ok(None);
    }
    let data = given(arguments, ITEM_MAX_BYTES)?;
    if data.len() > ITEM_MAX_BYTES { raise(&LENGERR) } else { Ok(Some(data)) }
}

pub(super) fn retrieve(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let wanted = WantedData {
        data: arguments.has(INTO) || arguments.has(SET),
        return_transaction: arguments.has(RTRANSID),
        return_terminal: arguments.has(RTERMID),
        queue: arguments.has(QUEUE),
    };
    let room = Room::of(arguments)?;
    let StartAnswer::Retrieved(found) = ask(runtime, StartAsk::Retrieve(wanted))? else {
        return raise(&INVREQ);
    };
    runtime.level().eib.set_headers(found.headers);
    arguments.set_characters(RTRANSID, &found.return_transaction.unwrap_or([b' '; 4]));
    arguments.set_characters(RTERMID, &found.return_terminal.unwrap_or([b' '; 4]));
    arguments.set_characters(QUEUE, &found.queue.unwrap_or([b' '; 8]));
    let data = found.data.unwrap_or_default();
    if !wanted.data {
        return Ok(Step::GoOn);
    }
    room.take(arguments, &data, |bytes| runtime.storage.get(bytes, 0))
}

pub(super) fn cancel(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    // Without REQID it is a POST that is cancelled, and there are none.
    let Some(request) = arguments.name::<8>(REQID) else { return raise(&INVREQ) };
    ask_where(runtime, arguments, StartAsk::Cancel { request })?;
    Ok(Step::GoOn)
}

pub(super) fn delay(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let Expiry { milliseconds, is_past } = expiry(arguments)?;
    if is_past {
        return raise(&EXPIRED);
    }
    match arguments.name::<8>(REQID) {
        Some(request) => {
            runtime.level().eib.set_request(request);
            ask(runtime, StartAsk::Delay { request, milliseconds })?;
        }
        // The region ends the task if this takes longer than anybody waits.
        None => std::thread::sleep(Duration::from_millis(milliseconds)),
    }
    Ok(Step::GoOn)
}

/// Asks the region that SYSID names.
fn ask_where(runtime: &mut Runtime, arguments: &Arguments, ask: StartAsk) -> Result<StartAnswer, Fault> {
    let sysid = arguments.name::<4>(SYSID).filter(|sysid| *sysid != runtime.task.sysid);
    let ask = match sysid {
        None => Ask::Start(ask),
        Some(sysid) => Ask::RemoteStart { sysid, ask },
    };
    answered(runtime, ask)
}

fn ask(runtime: &mut Runtime, ask: StartAsk) -> Result<StartAnswer, Fault> {
    answered(runtime, Ask::Start(ask))
}

fn answered(runtime: &mut Runtime, ask: Ask) -> Result<StartAnswer, Fault> {
    match runtime.ask(ask)? {
        Answer::Start(answer) => Ok(answer),
        _ => raise(&INVREQ),
    }
}
