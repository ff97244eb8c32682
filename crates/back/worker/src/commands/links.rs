//! LINK, XCTL, RETURN and ABEND.

use program::commands::OptionName;
use program::commands::names::*;
use program::conditions::{CHANNELERR, INVREQ, LENGERR, NOTAUTH, PGMIDERR};
use wire::{Answer, Ask, COMMAREA_MAX_BYTES, Cargo, LinkAsk, Name};

use super::Done;
use super::containers::is_name;
use crate::cobol::arguments::{Area, Arguments};
use crate::task::{Call, End, Fault, Runtime, Step, link as run, with};

/// RESP2 of LENGERR: a commarea is too long or has a negative length.
const RESP2_COMMAREA_LENGTH: u32 = 11;

/// RESP2 of CHANNELERR: the name has characters that names of channels never have.
const RESP2_CHANNEL_NAME: u32 = 1;

/// RESP2 of INVREQ: RETURN names a transaction without a terminal, or hands on data that no program takes.
const RESP2_NO_TERMINAL: u32 = 1;
const RESP2_NOBODY_TAKES_IT: u32 = 2;

/// RESP2 of NOTAUTH: the task's user may not use the named resource.
const RESP2_RESOURCE: u32 = 101;

/// RESP2 of PGMIDERR: no definition of the program.
const RESP2_NOT_DEFINED: u32 = 1;

/// Links to a program: it has come back when this returns.
pub(super) fn link(arguments: &Arguments) -> Done {
    let call = with(|runtime| {
        let sysid = arguments.name::<4>(SYSID).filter(|sysid| *sysid != runtime.task.sysid);
        let call = called(runtime, arguments, false)?;
        check_right(runtime, call.program)?;
        if sysid.is_some() {
            return link_remotely(runtime, arguments, (sysid, call)).map(|()| None);
        }
        // Missing programs are the condition of this command, not of the level that would begin.
        match runtime.find(call.program) {
            Ok(_) => Ok(Some(call)),
            // The region knows whether it is defined as another region's.
            Err(Fault::Condition(&PGMIDERR, RESP2_NOT_DEFINED)) => {
                link_remotely(runtime, arguments, (None, call)).map(|()| None)
            }
            Err(fault) => Err(fault),
        }
    });
    if let Some(call) = call.expect("a program runs")? {
        run(call)?;
    }
    Ok(Step::GoOn)
}

/// Lets another region run the program, and puts its data where the linking program expects them.
fn link_remotely(
    runtime: &mut Runtime,
    arguments: &Arguments,
    (sysid, call): (Option<Name<4>>, Call),
) -> Result<(), Fault> {
    let cargo = match call.channel.and_then(|id| runtime.channels.get(id)) {
        Some(channel) => {
            let (name, containers) = (channel.name, channel.containers.clone());
            Cargo::Channel { name, containers, deleted: Vec::new() }
        }
        None if call.commarea.bytes == 0 => Cargo::None,
        None => {
            let given = arguments.number(DATALENGTH).and_then(|length| usize::try_from(length).ok());
            let sent = given.unwrap_or(call.commarea.bytes).min(call.commarea.bytes);
            Cargo::commarea(call.commarea.bytes, call.commarea.first(sent).copy())
        }
    };
    let ask = LinkAsk {
        sysid,
        program: call.program,
        transaction: arguments.name::<4>(TRANSID),
        sync_on_return: arguments.has(SYNCONRETURN),
        cargo,
    };
    match (runtime.ask(Ask::Link(ask))?, call.channel) {
        (Answer::Linked(Cargo::Channel { containers, deleted, .. }), Some(id)) => {
            let Some(channel) = runtime.channels.get(id) else { return Ok(()) };
            channel.containers.retain(|container| !deleted.contains(&container.name));
            for changed in containers {
                match channel.containers.iter_mut().find(|known| known.name == changed.name) {
                    Some(known) => *known = changed,
                    None => channel.containers.push(changed),
                }
            }
        }
        (Answer::Linked(Cargo::Commarea { length, mut data }), None) => {
            data.resize((length as usize).min(call.commarea.bytes), 0);
            call.commarea.write(&data);
        }
        _ => {}
    }
    Ok(())
}

pub(super) fn transfer(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let call = called(runtime, arguments, true)?;
    check_right(runtime, call.program)?;
    runtime.find(call.program)?;
    runtime.level().end = End::Transfer(call);
    Ok(Step::Leave)
}

/// Refuses a program that the task's user may not run, whether or not there is one.
pub(super) fn check_right(runtime: &Runtime, program: [u8; 8]) -> Result<(), Fault> {
    match runtime.task.refused_programs.contains(&program) {
        true => Err(Fault::Condition(&NOTAUTH, RESP2_RESOURCE)),
        false => Ok(()),
    }
}

pub(super) fn go_back(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    if arguments.has(TRANSID) || arguments.has(INPUTMSG) {
        return Err(Fault::Condition(&INVREQ, RESP2_NO_TERMINAL));
    }
    if arguments.has(COMMAREA) || arguments.has(CHANNEL) {
        return Err(Fault::Condition(&INVREQ, RESP2_NOBODY_TAKES_IT));
    }
    runtime.level().end = End::Return;
    Ok(Step::Leave)
}

pub(super) fn abend(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    // An abend without a code has this one.
    let code = arguments.name::<4>(ABCODE).unwrap_or(*b"????");
    if arguments.has(CANCEL) {
        for level in &mut runtime.levels {
            level.handles.set_exit(None);
        }
    }
    // As in CICS: the code names the dump, and without a code there is none.
    if arguments.has(NODUMP) || !arguments.has(ABCODE) {
        runtime.want_no_dump();
    }
    let line = arguments.plan.invocation.line;
    Err(Fault::Abend(runtime.abend(code, format!("ABEND at line {line}"))))
}

/// The program that LINK or XCTL names, with its data.
fn called(runtime: &mut Runtime, arguments: &Arguments, transfer: bool) -> Result<Call, Fault> {
    let program = arguments.name::<8>(PROGRAM).unwrap_or([b' '; 8]);
    runtime.level().eib.set_resource(&program);
    if arguments.has(INPUTMSG) {
        return Err(Fault::Condition(&INVREQ, super::RESP2_NO_TERMINAL));
    }
    let channel = match arguments.name::<16>(CHANNEL) {
        Some(name) => Some(channel(runtime, name)?),
        None => None,
    };
    let transferred_by = transfer.then(|| {
        let level = runtime.level();
        (level.program, level.eib.linked())
    });
    let Some(area) = commarea(arguments)? else {
        return Ok(Call { program, transferred_by, commarea: Area::NONE, own_commarea: None, channel });
    };
    let received = runtime.level().commarea;
    // The transferred commarea must outlive the program's storage.
    let copied = transfer && !received.holds(area) && area.bytes > 0;
    let own_commarea = copied.then(|| area.copy());
    Ok(Call { program, transferred_by, commarea: area, own_commarea, channel })
}

fn commarea(arguments: &Arguments) -> Result<Option<Area>, Fault> {
    let Some(area) = arguments.area(COMMAREA) else { return Ok(None) };
    let length = |name: OptionName| match arguments.number(name) {
        None => Ok(None),
        Some(length) => match usize::try_from(length) {
            Ok(length) if length <= COMMAREA_MAX_BYTES => Ok(Some(length)),
            _ => Err(Fault::Condition(&LENGERR, RESP2_COMMAREA_LENGTH)),
        },
    };
    let bytes = length(LENGTH)?.unwrap_or(area.bytes);
    if bytes > COMMAREA_MAX_BYTES || length(DATALENGTH)?.is_some_and(|data| data > bytes) {
        return Err(Fault::Condition(&LENGERR, RESP2_COMMAREA_LENGTH));
    }
    Ok(Some(Area::new(area.address(), bytes)))
}

/// The channel of a name that the level sees; a new one if there is none.
pub(super) fn channel(runtime: &mut Runtime, name: [u8; 16]) -> Result<u32, Fault> {
    if !is_name(&name) {
        return Err(Fault::Condition(&CHANNELERR, RESP2_CHANNEL_NAME));
    }
    let (depth, current) = (runtime.levels.len(), runtime.level().channel);
    let found = runtime.channels.find(name, depth, current);
    Ok(found.unwrap_or_else(|| runtime.channels.create(name, depth, Vec::new())))
}
