//! READ, WRITE, REWRITE, DELETE, UNLOCK and browses of files: the region has the files.

use program::commands::OptionName;
use program::commands::names::*;
use program::conditions::{DUPKEY, INVREQ, LENGERR, SYSIDERR};
use wire::{Addressing, Answer, Ask, FileAnswer, FileAsk, FileRequest, Hold, RecordAt};

use super::Done;
use crate::cobol::arguments::{Area, Arguments};
use crate::task::{Fault, Runtime, Step, raise};

/// The longest RIDFLD that can matter: a key of VSAM.
const ID_MAX_BYTES: usize = 255;

/// RESP2 of LENGERR: the record is longer than the program's area.
const LONGER_THAN_AREA: u32 = 11;
/// RESP2 of DUPKEY: another record with the same alternate key follows.
const SAME_KEY_FOLLOWS: u32 = 140;
/// RESP2 of INVREQ: RIDFLD has less than the key of the file.
const KEY_TOO_SHORT: u32 = 26;
/// LENGTH is not that of the records of the file.
const NOT_THE_LENGTH: u32 = 13;

pub(super) fn read(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let hold = hold(arguments);
    let answer = ask_at(runtime, arguments, false, |at| Ok(FileRequest::Read { at, hold }))?;
    give_record(runtime, arguments, answer)
}

/// READNEXT and READPREV.
pub(super) fn read_on(runtime: &mut Runtime, arguments: &Arguments, back: bool) -> Done {
    let (browse, hold) = (browse(arguments), hold(arguments));
    let request = |at| Ok(FileRequest::ReadOn { browse, at, back, hold });
    let answer = ask_at(runtime, arguments, true, request)?;
    give_record(runtime, arguments, answer)
}

pub(super) fn write(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let request = |at| Ok(FileRequest::Write { at, data: record(arguments)? });
    let answer = ask_at(runtime, arguments, false, request)?;
    give_id(arguments, &answer.id);
    Ok(Step::GoOn)
}

pub(super) fn rewrite(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let request = FileRequest::Rewrite { token: arguments.number(TOKEN), data: record(arguments)? };
    ask(runtime, arguments, request).map(|_| Step::GoOn)
}

pub(super) fn delete(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let token = arguments.number(TOKEN);
    let answer = match arguments.has(RIDFLD) {
        true => ask_at(runtime, arguments, false, |at| Ok(FileRequest::Delete { at: Some(at), token }))?,
        false => ask(runtime, arguments, FileRequest::Delete { at: None, token })?,
    };
    arguments.set_number(NUMREC, answer.count.into());
    told_more(answer.more_follow)
}

pub(super) fn unlock(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    ask(runtime, arguments, FileRequest::Unlock { token: arguments.number(TOKEN) }).map(|_| Step::GoOn)
}

/// STARTBR and RESETBR.
pub(super) fn start_browse(runtime: &mut Runtime, arguments: &Arguments, reset: bool) -> Done {
    let browse = browse(arguments);
    let request = |at| Ok(FileRequest::Browse { browse, at, reset });
    ask_at(runtime, arguments, true, request).map(|_| Step::GoOn)
}

pub(super) fn end_browse(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    ask(runtime, arguments, FileRequest::EndBrowse { browse: browse(arguments) }).map(|_| Step::GoOn)
}

/// Asks for the record at RIDFLD. If RIDFLD is shorter than the key, the rest of the key stands behind it: CICS gets its address
/// alone.
fn ask_at(
    runtime: &mut Runtime,
    arguments: &Arguments,
    is_browse: bool,
    request: impl Fn(RecordAt) -> Result<FileRequest, Fault>,
) -> Result<FileAnswer, Fault> {
    let at = at(arguments, is_browse);
    let bytes = match ask_for(runtime, arguments, request(at)?)? {
        Answer::File(answer) => return Ok(answer),
        Answer::LongerKey { bytes } => bytes as usize,
        _ => return raise(&INVREQ),
    };
    let too_short = Err(Fault::Condition(&INVREQ, KEY_TOO_SHORT));
    // Nothing of the program's stands behind a literal.
    let Some(area) = arguments.area(RIDFLD).filter(|_| bytes <= ID_MAX_BYTES) else { return too_short };
    let id = Area::new(area.address(), bytes).copy();
    let at = RecordAt { id, ..self::at(arguments, is_browse) };
    match ask_for(runtime, arguments, request(at)?)? {
        Answer::File(answer) => Ok(answer),
        _ => too_short,
    }
}

fn ask(runtime: &mut Runtime, arguments: &Arguments, request: FileRequest) -> Result<FileAnswer, Fault> {
    match ask_for(runtime, arguments, request)? {
        Answer::File(answer) => Ok(answer),
        _ => raise(&INVREQ),
    }
}

fn ask_for(runtime: &mut Runtime, arguments: &Arguments, request: FileRequest) -> Result<Answer, Fault> {
    if arguments.name::<4>(SYSID).is_some_and(|sysid| sysid != runtime.task.sysid) {
        return Err(Fault::Condition(&SYSIDERR, 130));
    }
    let file = arguments.name::<8>(FILE).unwrap_or([b' '; 8]);
    let eib = &mut runtime.level().eib;
    eib.set_resource(&file);
    eib.set_file(&file);
    let ask = FileAsk { file, request, waits: !arguments.has(NOSUSPEND) };
    runtime.ask(Ask::File(ask))
}

/// REQID; 0 if it is left out.
fn browse(arguments: &Arguments) -> i64 {
    arguments.number(REQID).unwrap_or(0)
}

/// RIDFLD and its options. A browse begins at the key or after it unless it says EQUAL.
fn at(arguments: &Arguments, is_browse: bool) -> RecordAt {
    let options = [(RBA, Addressing::Rba), (XRBA, Addressing::Xrba), (RRN, Addressing::Rrn)];
    let given = options.iter().find(|(option, _)| arguments.has(*option));
    RecordAt {
        id: arguments.bytes(RIDFLD, Some(ID_MAX_BYTES)).unwrap_or_default(),
        addressing: given.map_or(Addressing::Key, |(_, addressing)| *addressing),
        key_length: arguments.number(KEYLENGTH),
        generic: arguments.has(GENERIC),
        or_after: arguments.has(GTEQ) || (is_browse && !arguments.has(EQUAL)),
    }
}

fn hold(arguments: &Arguments) -> Hold {
    let any = |options: &[OptionName]| options.iter().any(|option| arguments.has(*option));
    match () {
        () if any(&[UPDATE]) && any(&[TOKEN]) => Hold::UpdateWithToken,
        () if any(&[UPDATE]) => Hold::Update,
        () if any(&[REPEATABLE]) => Hold::Repeatable,
        () if any(&[CONSISTENT]) => Hold::Consistent,
        () => Hold::No,
    }
}

/// The record that the program gives.
fn record(arguments: &Arguments) -> Result<Vec<u8>, Fault> {
    let length = match arguments.number(LENGTH) {
        None => None,
        Some(length) => match usize::try_from(length) {
            Ok(length) if length > 0 => Some(length),
            _ => return Err(Fault::Condition(&LENGERR, 12)),
        },
    };
    Ok(arguments.bytes_of(FROM, length).unwrap_or_default())
}

/// Gives the program the key or number of a record. A key that is longer than RIDFLD goes on behind it, as in [`ask_at`].
fn give_id(arguments: &Arguments, id: &[u8]) {
    let Some(area) = arguments.area(RIDFLD) else { return };
    let is_key = ![RBA, XRBA, RRN].into_iter().any(|option| arguments.has(option));
    match is_key && area.bytes < id.len() {
        true => Area::new(area.address(), id.len().min(ID_MAX_BYTES)).write(id),
        false => area.write(id),
    };
}

fn give_record(runtime: &mut Runtime, arguments: &Arguments, answer: FileAnswer) -> Done {
    let FileAnswer { id, data, fixed_bytes, token, more_follow, .. } = answer;
    give_id(arguments, &id);
    arguments.set_number(TOKEN, token);
    let given = arguments.number(LENGTH);
    arguments.set_number(LENGTH, data.len() as i64);
    if arguments.has(SET) {
        let file = arguments.name::<8>(FILE).unwrap_or([b' '; 8]);
        let Some(storage) = runtime.storage.get_for(file, data.len()) else { return raise(&LENGERR) };
        Area::new(storage, data.len()).write(&data);
        arguments.set_pointer(SET, storage);
        return told_more(more_follow);
    }
    let Some(area) = arguments.area(INTO) else { return raise(&INVREQ) };
    let room = given.map_or(area.bytes, |length| usize::try_from(length).unwrap_or(0).min(area.bytes));
    // As much as there is room for is there, whatever follows.
    area.first(room).write(&data);
    match (fixed_bytes, given) {
        (Some(fixed), Some(given)) if i64::from(fixed) != given => {
            Err(Fault::Condition(&LENGERR, NOT_THE_LENGTH))
        }
        _ if data.len() > room => Err(Fault::Condition(&LENGERR, LONGER_THAN_AREA)),
        _ => told_more(more_follow),
    }
}

/// The command is done, and the next record may have the same alternate key. CICS TS has this for DELETE too
/// ("DELETE", DUPKEY with RESP2 140): only the first of several records is deleted.
fn told_more(more_follow: bool) -> Done {
    match more_follow {
        true => Err(Fault::Condition(&DUPKEY, SAME_KEY_FOLLOWS)),
        false => Ok(Step::GoOn),
    }
}
