//! WRITE OPERATOR: the region has the operators.

use program::commands::names::*;
use program::conditions::{EXPIRED, INVREQ};
use program::cvda;
use wire::{Answer, Ask, CallAnswer, CallAsk, OPERATOR_ROUTES_MAX, OPERATOR_TEXT_MAX_BYTES};

use super::Done;
use crate::cobol::arguments::Arguments;
use crate::task::{Fault, Runtime, Step, raise};

const RESP2_TEXTLENGTH: u32 = 1;
const RESP2_NUMROUTES: u32 = 2;
const RESP2_ROUTECODES: u32 = 3;
const RESP2_MAXLENGTH: u32 = 4;
const RESP2_TIMEOUT: u32 = 5;
const RESP2_ACTION: u32 = 6;

/// The largest routing code, and so the number of codes.
const ROUTE_MAX: i64 = OPERATOR_ROUTES_MAX as i64;
/// The longest reply, in bytes, and the longest text that asks for one.
const REPLY_MAX_BYTES: i64 = 119;
const TEXT_WITH_REPLY_MAX_BYTES: usize = 121;
/// The longest TIMEOUT, in seconds.
const TIMEOUT_MAX_S: i64 = 86_400;

pub(super) fn write(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let with_reply = arguments.has(REPLY);
    let most = if with_reply { TEXT_WITH_REPLY_MAX_BYTES } else { OPERATOR_TEXT_MAX_BYTES };
    let length = match arguments.number(TEXTLENGTH) {
        None => None,
        Some(length) => Some(usize::try_from(length).map_err(|_| invalid(RESP2_TEXTLENGTH))?),
    };
    if length.is_some_and(|length| length > most) {
        return Err(invalid(RESP2_TEXTLENGTH));
    }
    let text = arguments.bytes_of(TEXT, length).unwrap_or_default();
    if text.len() > most {
        return Err(invalid(RESP2_TEXTLENGTH));
    }
    let routes = routes(arguments)?;
    let action = action(arguments)?;
    let in_range = |name, most, resp2| match arguments.number(name) {
        Some(number) if !(0..=most).contains(&number) => Err(invalid(resp2)),
        _ => Ok(()),
    };
    in_range(MAXLENGTH, REPLY_MAX_BYTES, RESP2_MAXLENGTH)?;
    in_range(TIMEOUT, TIMEOUT_MAX_S, RESP2_TIMEOUT)?;
    match runtime.ask(Ask::Call(CallAsk::Operator { text, routes, action }))? {
        Answer::Call(CallAnswer::Written) => {}
        _ => return raise(&INVREQ),
    }
    // Operators cannot answer yet, so there is no wait.
    if with_reply { raise(&EXPIRED) } else { Ok(Step::GoOn) }
}

fn invalid(resp2: u32) -> Fault {
    Fault::Condition(&INVREQ, resp2)
}

fn routes(arguments: &Arguments) -> Result<Vec<u8>, Fault> {
    let Some(count) = arguments.number(NUMROUTES) else { return Ok(Vec::new()) };
    if !(1..=ROUTE_MAX).contains(&count) {
        return Err(invalid(RESP2_NUMROUTES));
    }
    let routes = arguments.bytes(ROUTECODES, usize::try_from(count).ok()).unwrap_or_default();
    let all_right = routes.iter().all(|route| (1..=ROUTE_MAX).contains(&i64::from(*route)));
    if all_right { Ok(routes) } else { Err(invalid(RESP2_ROUTECODES)) }
}

/// The descriptor code of the action that the operator should take; 0 for none.
fn action(arguments: &Arguments) -> Result<u8, Fault> {
    for (name, code) in [(IMMEDIATE, 2), (EVENTUAL, 3), (CRITICAL, 11)] {
        let given = arguments.number(ACTION);
        let named = given.is_some() && given == cvda::value(name.text).map(i64::from);
        if arguments.has(name) || named {
            return Ok(code);
        }
    }
    if arguments.has(ACTION) { Err(invalid(RESP2_ACTION)) } else { Ok(0) }
}
