//! QUERY SECURITY: which access the task's user has to a resource. The region knows its rules.
//!
//! Conditions are those of CICS TS's application programming reference. A resource without a rule answers as in
//! a region of CICS that does not check resources of the type (XPPT=NO for programs): every access is there.

use program::commands::names::*;
use program::commands::{OptionName, RESID_MAX_BYTES};
use program::conditions::{INVREQ, LENGERR, NOTAUTH, NOTFND};
use program::cvda;
use wire::{Access, Answer, Ask, Guarded, ResourceAnswer, ResourceAsk, name as padded};

use super::Done;
use super::resources::set;
use crate::cobol::arguments::Arguments;
use crate::task::{Fault, Runtime, Step, raise};

/// RESP2 of NOTFND: the resource, the type, a resource of the type SPCOMMAND, or the class is not known.
const NO_RESOURCE: u32 = 1;
const NO_TYPE: u32 = 2;
const NO_COMMAND: u32 = 3;
const NO_CLASS: u32 = 5;
/// RESP2 of LENGERR: RESIDLENGTH is not from 1 to 246.
const BAD_LENGTH: u32 = 6;
/// RESP2 of INVREQ: LOGMESSAGE is neither LOG nor NOLOG; RESID is blank.
const BAD_LOG: u32 = 7;
const BLANK: u32 = 9;
/// RESP2 of NOTAUTH: the rights of other users are not known here.
const OTHER_USER: u32 = 101;

/// Resources whose commands of the system programming interface are supported, for the type SPCOMMAND.
const COMMANDS: [&str; 5] = ["FILE", "PROGRAM", "TASK", "TRANSACTION", "URIMAP"];

/// Types of CICS whose resources no region has here.
const WITHOUT_RESOURCES: [&str; 12] = [
    "ATOMSERVICE",
    "BUNDLE",
    "DB2ENTRY",
    "DOCTEMPLATE",
    "EPADAPTER",
    "EPADAPTERSET",
    "EVENTBINDING",
    "JOURNALNAME",
    "JOURNALNUM",
    "NODEJSAPP",
    "PSB",
    "XMLTRANSFORM",
];

/// The options of levels, with the level and the values for yes and no.
const LEVELS: [(OptionName, Access, &str, &str); 4] = [
    (READ, Access::Read, "READABLE", "NOTREADABLE"),
    (UPDATE, Access::Alter, "UPDATABLE", "NOTUPDATABLE"),
    (CONTROL, Access::Alter, "CTRLABLE", "NOTCTRLABLE"),
    (ALTER, Access::Alter, "ALTERABLE", "NOTALTERABLE"),
];

pub(super) fn query(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let log = logged(arguments)?;
    if arguments.name::<8>(USERID).is_some_and(|user| user != runtime.task.user) {
        return Err(Fault::Condition(&NOTAUTH, OTHER_USER));
    }
    if let Some(length) = arguments.number(RESIDLENGTH)
        && !(1..=i64::from(RESID_MAX_BYTES)).contains(&length)
    {
        return Err(Fault::Condition(&LENGERR, BAD_LENGTH));
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches(' ').to_owned();
    let kind = arguments.name::<12>(RESTYPE).map(|kind| text(&kind));
    let bytes = kind.as_deref().map_or(RESID_MAX_BYTES.into(), name_bytes);
    let resource = text(&arguments.bytes(RESID, Some(bytes)).unwrap_or_default());
    if resource.is_empty() {
        return Err(Fault::Condition(&INVREQ, BLANK));
    }
    // Classes of installations are lists of a security manager, which a region does not have.
    let Some(kind) = kind else { return Err(Fault::Condition(&NOTFND, NO_CLASS)) };
    let access = match guarded(&kind, &resource)? {
        None => Access::Alter,
        Some(to) => match runtime.ask(Ask::Resource(ResourceAsk::Access { to, log }))? {
            Answer::Resource(ResourceAnswer::Access(access)) => access,
            _ => return raise(&INVREQ),
        },
    };
    for (option, level, yes, no) in LEVELS {
        set(arguments, option, if access >= level { yes } else { no });
    }
    Ok(Step::GoOn)
}

/// LOGMESSAGE: true unless it is NOLOG.
fn logged(arguments: &Arguments) -> Result<bool, Fault> {
    let Some(given) = arguments.number(LOGMESSAGE) else { return Ok(true) };
    let is = |name: &str| cvda::value(name).is_some_and(|value| i64::from(value) == given);
    match (is("LOG"), is("NOLOG")) {
        (true, _) => Ok(true),
        (_, true) => Ok(false),
        _ => Err(Fault::Condition(&INVREQ, BAD_LOG)),
    }
}

/// The bytes of a name of this type. RESID has that many, whatever stands behind them in the program's data.
fn name_bytes(kind: &str) -> usize {
    match kind {
        "PROGRAM" | "FILE" | "TSQUEUE" => 8,
        "TRANSACTION" | "TRANSATTACH" | "TDQUEUE" => 4,
        "TSQNAME" => 16,
        "SPCOMMAND" => 12,
        _ => RESID_MAX_BYTES.into(),
    }
}

/// The resource whose rules the region knows; none if all users may use it.
fn guarded(kind: &str, resource: &str) -> Result<Option<Guarded>, Fault> {
    match kind {
        "PROGRAM" => Ok(Some(Guarded::Program(padded(resource)))),
        "TRANSACTION" | "TRANSATTACH" => Ok(Some(Guarded::Transaction(padded(resource)))),
        "FILE" => Ok(Some(Guarded::File(padded(resource)))),
        "TDQUEUE" => Ok(Some(Guarded::TransientQueue(padded(resource)))),
        "TSQUEUE" | "TSQNAME" => Ok(None),
        "SPCOMMAND" if COMMANDS.contains(&resource) => Ok(None),
        "SPCOMMAND" => Err(Fault::Condition(&NOTFND, NO_COMMAND)),
        other if WITHOUT_RESOURCES.contains(&other) => Err(Fault::Condition(&NOTFND, NO_RESOURCE)),
        _ => Err(Fault::Condition(&NOTFND, NO_TYPE)),
    }
}
