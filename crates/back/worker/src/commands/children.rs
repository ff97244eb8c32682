//! RUN TRANSID, FETCH CHILD, FETCH ANY and FREE CHILD: the region runs the children.

use program::commands::OptionName;
use program::commands::names::*;
use program::conditions::{CHANNELERR, INVREQ};
use program::cvda;
use wire::{Answer, Ask, ChildAnswer, ChildAsk, ChildToken, Completion, Interface};

use super::Done;
use super::copies::{copied_channel, received_channel};
use crate::cobol::arguments::Arguments;
use crate::task::{Fault, Runtime, Step, raise};

/// The longest TIMEOUT, in milliseconds (CICS TS, FETCH CHILD).
const TIMEOUT_MAX_MS: i64 = 40_800_000;

/// INVREQ: TIMEOUT is negative or too long.
const RESP2_TIMEOUT: u32 = 241;

pub(super) fn run(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let transaction = arguments.name::<4>(TRANSID).unwrap_or([b' '; 4]);
    runtime.level().eib.set_resource(&transaction);
    let interface = match arguments.name::<16>(CHANNEL) {
        Some(name) => copied_channel(runtime, name)?,
        None => Interface::None,
    };
    match ask(runtime, ChildAsk::Run { transaction, interface })? {
        ChildAnswer::Running { child } => arguments.set_characters(CHILD, &child),
        _ => return raise(&INVREQ),
    }
    Ok(Step::GoOn)
}

pub(super) fn fetch(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let child = token(arguments, CHILD);
    fetched(runtime, arguments, child)?;
    Ok(Step::GoOn)
}

pub(super) fn fetch_any(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let child = fetched(runtime, arguments, None)?;
    arguments.set_characters(ANY, &child);
    Ok(Step::GoOn)
}

pub(super) fn free(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let child = token(arguments, CHILD).unwrap_or_default();
    ask(runtime, ChildAsk::Free { child })?;
    Ok(Step::GoOn)
}

/// A token. A short one is filled with a byte that tokens do not have.
fn token(arguments: &Arguments, name: OptionName) -> Option<ChildToken> {
    let given = arguments.bytes(name, Some(16))?;
    let mut token = [0; 16];
    token[..given.len()].copy_from_slice(&given);
    Some(token)
}

fn fetched(
    runtime: &mut Runtime,
    arguments: &Arguments,
    child: Option<ChildToken>,
) -> Result<ChildToken, Fault> {
    let milliseconds = match arguments.number(TIMEOUT) {
        _ if arguments.has(NOSUSPEND) => Some(0),
        None | Some(0) => None,
        Some(timeout) if (1..=TIMEOUT_MAX_MS).contains(&timeout) => Some(timeout.unsigned_abs()),
        Some(_) => return Err(Fault::Condition(&INVREQ, RESP2_TIMEOUT)),
    };
    let channel = arguments.has(CHANNEL);
    let answer = ask(runtime, ChildAsk::Fetch { child, milliseconds, channel })?;
    let ChildAnswer::Fetched { child, completion, interface } = answer else { return raise(&INVREQ) };
    let (status, code) = match completion {
        Completion::Normal => ("NORMAL", [b' '; 4]),
        Completion::Abend(code) => ("ABEND", code),
    };
    arguments.set_number(COMPSTATUS, i64::from(cvda::value(status).unwrap_or_default()));
    arguments.set_characters(ABCODE, &code);
    let mut name = [b' '; 16];
    if let Interface::Channel { containers, .. } = interface {
        // The last bytes of a token count the task's children.
        name = wire::name(&format!("DFHAS{:011}", u64::from_be_bytes(last_half(child))));
        received_channel(runtime, name, containers)?;
    }
    arguments.set_characters(CHANNEL, &name);
    Ok(child)
}

fn last_half(token: ChildToken) -> [u8; 8] {
    let mut half = [0; 8];
    half.copy_from_slice(&token[8..]);
    half
}

fn ask(runtime: &mut Runtime, ask: ChildAsk) -> Result<ChildAnswer, Fault> {
    match runtime.ask(Ask::Child(ask))? {
        Answer::Child(answer) => Ok(answer),
        _ => raise(&CHANNELERR),
    }
}
