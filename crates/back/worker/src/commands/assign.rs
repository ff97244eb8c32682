//! ASSIGN: facts about the task and its region.

use program::commands::names::{self, OptionName};
use program::conditions::INVREQ;
use program::cvda;
use program::interface::Argument;

use super::Done;
use crate::cobol::arguments::Arguments;
use crate::task::{Fault, Runtime, Step};

/// RESP2 of INVREQ: the option does not apply to the task.
const RESP2_DOES_NOT_APPLY: u32 = 1;

/// The version of CICS whose interface this is.
const VERSION: (i64, i64, i64) = (6, 1, 0);

enum Value {
    Characters(Vec<u8>),
    Number(i64),
}

/// Gives all values that there are, also if an option does not apply to the task (CICS TS, "ASSIGN", Description).
pub(super) fn assign(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let mut all_apply = true;
    for given in &arguments.plan.invocation.options {
        if matches!(given.argument, Argument::Keyword) {
            continue;
        }
        let Some(name) = names::ALL.iter().find(|name| name.number == given.number) else { continue };
        match value(runtime, *name) {
            Some(Value::Characters(characters)) => arguments.set_characters(*name, &characters),
            Some(Value::Number(number)) => arguments.set_number(*name, number),
            None => all_apply = false,
        }
    }
    match all_apply {
        true => Ok(Step::GoOn),
        false => Err(Fault::Condition(&INVREQ, RESP2_DOES_NOT_APPLY)),
    }
}

/// The value of an option. None if it needs a terminal or another facility that does not exist here.
fn value(runtime: &mut Runtime, name: OptionName) -> Option<Value> {
    let task = &runtime.task;
    let level = runtime.levels.last()?;
    let characters = |bytes: &[u8]| Some(Value::Characters(bytes.to_vec()));
    match name {
        names::APPLID => characters(&task.applid),
        names::SYSID => characters(&task.sysid),
        names::PRINSYSID => characters(b"    "),
        names::USERID => characters(&task.user),
        names::USERNAME => characters(&[b' '; 20]),
        names::PROGRAM => characters(&level.program),
        names::INVOKINGPROG => characters(&level.invoked_by),
        names::RETURNPROG => characters(&level.linked_by),
        names::ABCODE | names::ORGABCODE => characters(&runtime.last_abend.code),
        names::ABPROGRAM => characters(&runtime.last_abend.program),
        names::ABDUMP => characters(&[if runtime.last_abend.has_dump { 0xFF } else { 0 }]),
        // A program never goes on after one of the abends that these options describe: its worker ends.
        names::ASRAINTRPT | names::ASRAPSW => characters(&[0; 8]),
        names::ASRAPSW16 => characters(&[0; 16]),
        names::ASRAREGS => characters(&[0; 64]),
        names::ASRAREGS64 => characters(&[0; 128]),
        names::ABOFFSET => Some(Value::Number(0)),
        names::ASRAKEY | names::ASRASPC | names::ASRASTG => {
            cvda::value("NOTAPPLIC").map(|value| Value::Number(value.into()))
        }
        names::FCI => characters(&[facility(task.startcode)]),
        names::STARTCODE => characters(&task.startcode),
        names::QNAME if task.queue != [b' '; 4] => characters(&task.queue),
        names::CHANNEL => {
            let id = level.channel;
            let channel = id.and_then(|id| runtime.channels.get(id)).map(|channel| channel.name);
            characters(&channel.unwrap_or([b' '; 16]))
        }
        names::LINKLEVEL => Some(Value::Number(runtime.levels.len() as i64)),
        names::LOCALCCSID => Some(Value::Number(task.ccsid.into())),
        names::MAJORVERSION => Some(Value::Number(VERSION.0)),
        names::MINORVERSION => Some(Value::Number(VERSION.1)),
        names::MICROVERSION => Some(Value::Number(VERSION.2)),
        names::TWALENG => Some(Value::Number(task.work_area_bytes.into())),
        names::CWALENG | names::INITPARMLEN | names::TASKPRIORITY | names::TRANPRIORITY => {
            Some(Value::Number(0))
        }
        names::INITPARM => characters(&[b' '; 60]),
        names::CMDSEC | names::RESSEC => characters(b" "),
        names::RESTART => characters(b"\0"),
        names::APPLICATION | names::PLATFORM | names::OPERATION => characters(&[b' '; 64]),
        names::LANGINUSE => characters(b"ENU"),
        names::NATLANGINUSE => characters(b"E"),
        _ => None,
    }
}

/// The kind of facility that began a task (FCI): an interval control element, a transient data queue, or neither.
fn facility(startcode: [u8; 2]) -> u8 {
    match &startcode {
        [b'S', _] => 0x04,
        b"QD" => 0x08,
        _ => 0,
    }
}
