//! INQUIRE PROGRAM, TRANSACTION, FILE and TASK, and SET FILE. The region knows the definitions and their
//! states.
//!
//! Rules are those of CICS TS's system programming reference. A task has one browse of each kind at a time.

use program::commands::OptionName;
use program::commands::names::*;
use program::conditions::{ILLOGIC, INVREQ};
use program::cvda;
use wire::{
    Answer, Ask, Enabling, FileFacts, FileKind, Name, ResourceAnswer, ResourceAsk, TransactionFacts, Wanted,
};

use super::{Done, links};
use crate::cobol::arguments::Arguments;
use crate::task::{Fault, Runtime, Step, raise};

/// ILLOGIC: a browse is already open, or none is (CICS TS, "Exception conditions for browsing").
const RESP2_BROWSE: u32 = 1;
/// RESP2 of INVREQ of SET FILE: the option does not have this CVDA. CICS has a number for each option, but the pages that we
/// could read do not show them.
const RESP2_CVDA: u32 = 0;

/// The priority of every task, and the names of the definitions that every transaction has: none of them means anything here.
const USUAL_PRIORITY: i64 = 1;
const NO_CLASS: &[u8; 8] = b"DFHTCL00";
const USUAL_PROFILE: &[u8; 8] = b"DFHCICST";

/// The browses of a task.
#[derive(Debug, Default)]
pub(crate) struct ResourceBrowses {
    transactions: Option<Wanted<4>>,
    files: Option<Wanted<8>>,
    programs: Option<Wanted<8>>,
    pub(super) uri_maps: Option<Wanted<8>>,
}

/// The step of a browse that a command takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Browsing {
    /// It asks for one by its name.
    No,
    Start,
    Next,
    End,
}

pub(super) fn transaction(runtime: &mut Runtime, arguments: &Arguments, browsing: Browsing) -> Done {
    let place = &mut runtime.resource_browses.transactions;
    let Some(wanted) = wanted(place, browsing, (arguments.name(TRANSACTION), arguments.name(AT)))? else {
        return Ok(Step::GoOn);
    };
    let ResourceAnswer::Transaction(facts) = ask(runtime, ResourceAsk::Transaction(wanted))? else {
        return raise(&INVREQ);
    };
    if browsing == Browsing::Next {
        runtime.resource_browses.transactions = Some(Wanted::After(facts.name));
        arguments.set_characters(TRANSACTION, &facts.name);
    }
    runtime.level().eib.set_resource(&facts.name);
    give_transaction(arguments, &facts);
    Ok(Step::GoOn)
}

fn give_transaction(arguments: &Arguments, facts: &TransactionFacts) {
    arguments.set_characters(PROGRAM, &facts.program);
    set(arguments, STATUS, if facts.enabled { "ENABLED" } else { "DISABLED" });
    arguments.set_characters(REMOTESYSTEM, &facts.sysid);
    let mut remote = [b' '; 8];
    remote[..4].copy_from_slice(&facts.remote_name);
    arguments.set_characters(REMOTENAME, &remote);
    arguments.set_characters(TRANCLASS, NO_CLASS);
    arguments.set_characters(PROFILE, USUAL_PROFILE);
    arguments.set_number(PRIORITY, USUAL_PRIORITY);
    // The configuration defines it, for the region.
    for option in [INSTALLUSRID, CHANGEUSRID] {
        arguments.set_characters(option, &facts.installed_by);
    }
}

pub(super) fn file(runtime: &mut Runtime, arguments: &Arguments, browsing: Browsing) -> Done {
    let place = &mut runtime.resource_browses.files;
    let Some(wanted) = wanted(place, browsing, (arguments.name(FILE), arguments.name(AT)))? else {
        return Ok(Step::GoOn);
    };
    let ResourceAnswer::File(facts) = ask(runtime, ResourceAsk::File(wanted))? else {
        return raise(&INVREQ);
    };
    if browsing == Browsing::Next {
        runtime.resource_browses.files = Some(Wanted::After(facts.name));
        arguments.set_characters(FILE, &facts.name);
    }
    runtime.level().eib.set_resource(&facts.name);
    give_file(arguments, &facts);
    Ok(Step::GoOn)
}

fn give_file(arguments: &Arguments, facts: &FileFacts) {
    set(arguments, OPENSTATUS, if facts.open { "OPEN" } else { "CLOSED" });
    set(
        arguments,
        ENABLESTATUS,
        match facts.enabling {
            Enabling::Enabled => "ENABLED",
            Enabling::Unenabled => "UNENABLED",
            Enabling::Disabled => "DISABLED",
        },
    );
    let may = [
        (READ, "READABLE", "NOTREADABLE"),
        (UPDATE, "UPDATABLE", "NOTUPDATABLE"),
        (BROWSE, "BROWSABLE", "NOTBROWSABLE"),
        (ADD, "ADDABLE", "NOTADDABLE"),
        (DELETE, "DELETABLE", "NOTDELETABLE"),
    ];
    for ((option, yes, no), allowed) in may.into_iter().zip(facts.allowed) {
        set(arguments, option, if allowed { yes } else { no });
    }
    // The records are in the store: there is no data set.
    arguments.set_characters(DSNAME, &[b' '; 44]);
    arguments.set_number(RECORDSIZE, facts.record_bytes.into());
    let (kind, offset, bytes) = match facts.kind {
        FileKind::Keys { offset, bytes } => ("KSDS", offset, bytes),
        FileKind::Addresses => ("ESDS", 0, 0),
        FileKind::Numbers => ("RRDS", 0, 0),
    };
    arguments.set_number(KEYLENGTH, bytes.into());
    arguments.set_number(KEYPOSITION, offset.into());
    set(arguments, TYPE, kind);
    set(arguments, RECORDFORMAT, if facts.fixed { "FIXED" } else { "VARIABLE" });
    set(arguments, ACCESSMETHOD, "VSAM");
    set(arguments, OBJECT, if facts.is_path { "PATH" } else { "BASE" });
    set(arguments, RECOVSTATUS, if facts.recoverable { "RECOVERABLE" } else { "NOTRECOVABLE" });
    // Files are of this region.
    arguments.set_characters(REMOTESYSTEM, b"    ");
    arguments.set_characters(REMOTENAME, &[b' '; 8]);
}

pub(super) fn program(runtime: &mut Runtime, arguments: &Arguments, browsing: Browsing) -> Done {
    let name = arguments.name::<8>(PROGRAM);
    if let (Browsing::No, Some(program)) = (browsing, name) {
        links::check_right(runtime, program)?;
    }
    let place = &mut runtime.resource_browses.programs;
    let Some(wanted) = wanted(place, browsing, (name, arguments.name(AT)))? else {
        return Ok(Step::GoOn);
    };
    let ResourceAnswer::Program(facts) = ask(runtime, ResourceAsk::Program(wanted))? else {
        return raise(&INVREQ);
    };
    if browsing == Browsing::Next {
        runtime.resource_browses.programs = Some(Wanted::After(facts.name));
        arguments.set_characters(PROGRAM, &facts.name);
    }
    runtime.level().eib.set_resource(&facts.name);
    set(arguments, STATUS, "ENABLED");
    set(arguments, PROGTYPE, "PROGRAM");
    set(arguments, LANGUAGE, if facts.sysid == [b' '; 4] { "COBOL" } else { "NOTDEFINED" });
    arguments.set_number(LENGTH, facts.bytes.into());
    arguments.set_number(USECOUNT, facts.uses.into());
    arguments.set_characters(REMOTESYSTEM, &facts.sysid);
    arguments.set_characters(REMOTENAME, &facts.remote_name);
    for option in [INSTALLUSRID, CHANGEUSRID] {
        arguments.set_characters(option, &facts.installed_by);
    }
    Ok(Step::GoOn)
}

pub(super) fn set_file(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let file = arguments.name::<8>(FILE).unwrap_or([b' '; 8]);
    runtime.level().eib.set_resource(&file);
    let open = chosen(arguments, (OPEN, CLOSED), (OPENSTATUS, "OPEN", "CLOSED"))?;
    let enabled = chosen(arguments, (ENABLED, MAKE_DISABLED), (ENABLESTATUS, "ENABLED", "DISABLED"))?;
    runtime.ask(Ask::Resource(ResourceAsk::SetFile { file, open, enabled }))?;
    Ok(Step::GoOn)
}

pub(super) fn task(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let number = arguments.number(TASK).and_then(|number| u32::try_from(number).ok()).unwrap_or(0);
    let is_own = number == runtime.task.number;
    let ResourceAnswer::Task(facts) = ask(runtime, ResourceAsk::Task { number })? else {
        return raise(&INVREQ);
    };
    for (option, bytes) in [
        (TRANSACTION, &facts.transaction[..]),
        (PROGRAM, &facts.program),
        (USERID, &facts.user),
        (STARTCODE, &facts.startcode),
    ] {
        arguments.set_characters(option, bytes);
    }
    // The task that asks waits for the answer, and runs.
    set(arguments, RUNSTATUS, if facts.waits && !is_own { "SUSPENDED" } else { "RUNNING" });
    Ok(Step::GoOn)
}

/// The resource that a command wants; none if it only begins or ends a browse.
pub(super) fn wanted<const N: usize>(
    place: &mut Option<Wanted<N>>,
    browsing: Browsing,
    (name, at): (Option<Name<N>>, Option<Name<N>>),
) -> Result<Option<Wanted<N>>, Fault> {
    match (browsing, *place) {
        (Browsing::No, _) => Ok(Some(Wanted::Named(name.unwrap_or([b' '; N])))),
        (Browsing::Start, None) => {
            *place = Some(Wanted::From(at.unwrap_or([0; N])));
            Ok(None)
        }
        (Browsing::Next, Some(next)) => Ok(Some(next)),
        (Browsing::End, Some(_)) => {
            *place = None;
            Ok(None)
        }
        (Browsing::Start, Some(_)) | (Browsing::Next | Browsing::End, None) => {
            Err(Fault::Condition(&ILLOGIC, RESP2_BROWSE))
        }
    }
}

/// The choice of two keywords, or of the CVDA that says the same.
fn chosen(
    arguments: &Arguments,
    (yes, no): (OptionName, OptionName),
    (option, yes_cvda, no_cvda): (OptionName, &str, &str),
) -> Result<Option<bool>, Fault> {
    if arguments.has(yes) || arguments.has(no) {
        return Ok(Some(arguments.has(yes)));
    }
    let Some(given) = arguments.number(option) else { return Ok(None) };
    let is = |name: &str| cvda::value(name).is_some_and(|value| i64::from(value) == given);
    match (is(yes_cvda), is(no_cvda)) {
        (true, _) => Ok(Some(true)),
        (_, true) => Ok(Some(false)),
        _ => Err(Fault::Condition(&INVREQ, RESP2_CVDA)),
    }
}

fn ask(runtime: &mut Runtime, ask: ResourceAsk) -> Result<ResourceAnswer, Fault> {
    match runtime.ask(Ask::Resource(ask))? {
        Answer::Resource(answer) => Ok(answer),
        _ => raise(&INVREQ),
    }
}

pub(super) fn set(arguments: &Arguments, option: OptionName, name: &str) {
    if let Some(value) = cvda::value(name) {
        arguments.set_number(option, value.into());
    }
}
