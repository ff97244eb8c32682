//! DEFINE, GET, UPDATE, QUERY, REWIND and DELETE of COUNTER and DCOUNTER: the region has the counters.

use program::commands::OptionName;
use program::commands::names::*;
use program::conditions::{INVREQ, LENGERR};
use wire::{Answer, Ask, CompareRange, CounterAction, CounterAnswer, CounterAsk};

use super::Done;
use crate::cobol::arguments::Arguments;
use crate::task::{Fault, Runtime, Step, raise};

/// LENGERR: the number needs more than 32 bits; it needs all 32, and is negative to the program.
const RESP2_BEYOND_32_BITS: u32 = 1;
const RESP2_NEGATIVE: u32 = 2;

/// INVREQ: a number is negative.
const RESP2_LIMITS: u32 = 405;
const RESP2_VALUE: u32 = 406;
const RESP2_INCREMENT: u32 = 407;

/// The numbers of a command: of COUNTER they are 32 bits with a sign, of DCOUNTER 64 bits without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    Single,
    Double,
}

pub(super) fn define(runtime: &mut Runtime, arguments: &Arguments, numbers: Numbers) -> Done {
    let action = CounterAction::Define {
        value: numbers.given(arguments, VALUE, RESP2_VALUE)?,
        minimum: numbers.given(arguments, MINIMUM, RESP2_LIMITS)?.unwrap_or(0),
        maximum: numbers.given(arguments, MAXIMUM, RESP2_LIMITS)?.unwrap_or(numbers.largest()),
    };
    ask(runtime, arguments, numbers, action)?;
    Ok(Step::GoOn)
}

pub(super) fn get(runtime: &mut Runtime, arguments: &Arguments, numbers: Numbers) -> Done {
    let action = CounterAction::Get {
        increment: numbers.given(arguments, INCREMENT, RESP2_INCREMENT)?.unwrap_or(1),
        reduce: arguments.has(REDUCE),
        wrap: arguments.has(WRAP),
        range: numbers.range(arguments)?,
    };
    let answer = ask(runtime, arguments, numbers, action)?;
    arguments.set_number(VALUE, numbers.shown(answer.value)?);
    Ok(Step::GoOn)
}

pub(super) fn update(runtime: &mut Runtime, arguments: &Arguments, numbers: Numbers) -> Done {
    let value = numbers.given(arguments, VALUE, RESP2_VALUE)?.unwrap_or_default();
    let action = CounterAction::Update { value, range: numbers.range(arguments)? };
    ask(runtime, arguments, numbers, action)?;
    Ok(Step::GoOn)
}

pub(super) fn query(runtime: &mut Runtime, arguments: &Arguments, numbers: Numbers) -> Done {
    let answer = ask(runtime, arguments, numbers, CounterAction::Query)?;
    for (name, number) in [(VALUE, answer.value), (MINIMUM, answer.minimum), (MAXIMUM, answer.maximum)] {
        if arguments.has(name) {
            arguments.set_number(name, numbers.shown(number)?);
        }
    }
    Ok(Step::GoOn)
}

pub(super) fn rewind(runtime: &mut Runtime, arguments: &Arguments, numbers: Numbers) -> Done {
    let increment = numbers.given(arguments, INCREMENT, RESP2_INCREMENT)?.unwrap_or(1);
    ask(runtime, arguments, numbers, CounterAction::Rewind { increment })?;
    Ok(Step::GoOn)
}

pub(super) fn delete(runtime: &mut Runtime, arguments: &Arguments, numbers: Numbers) -> Done {
    ask(runtime, arguments, numbers, CounterAction::Delete)?;
    Ok(Step::GoOn)
}

impl Numbers {
    fn largest(self) -> u64 {
        match self {
            Numbers::Single => i32::MAX.unsigned_abs().into(),
            Numbers::Double => u64::MAX,
        }
    }

    /// A number that the program gives.
    fn given(self, arguments: &Arguments, name: OptionName, resp2: u32) -> Result<Option<u64>, Fault> {
        match (arguments.number(name), self) {
            (None, _) => Ok(None),
            (Some(number), Numbers::Double) => Ok(Some(number.cast_unsigned())),
            (Some(number), Numbers::Single) => match u64::try_from(number) {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(Fault::Condition(&INVREQ, resp2)),
            },
        }
    }

    fn range(self, arguments: &Arguments) -> Result<CompareRange, Fault> {
        Ok(CompareRange {
            minimum: self.given(arguments, COMPAREMIN, RESP2_VALUE)?,
            maximum: self.given(arguments, COMPAREMAX, RESP2_VALUE)?,
        })
    }

    /// A number as the program gets it.
    fn shown(self, number: u64) -> Result<i64, Fault> {
        if self == Numbers::Double {
            return Ok(number.cast_signed());
        }
        match (i32::try_from(number), u32::try_from(number)) {
            (Ok(number), _) => Ok(number.into()),
            (_, Ok(_)) => Err(Fault::Condition(&LENGERR, RESP2_NEGATIVE)),
            _ => Err(Fault::Condition(&LENGERR, RESP2_BEYOND_32_BITS)),
        }
    }
}

fn ask(
    runtime: &mut Runtime,
    arguments: &Arguments,
    numbers: Numbers,
    action: CounterAction,
) -> Result<CounterAnswer, Fault> {
    let named = if numbers == Numbers::Single { COUNTER } else { DCOUNTER };
    let counter = arguments.name::<16>(named).unwrap_or([b' '; 16]);
    let pool = arguments.name::<8>(POOL).unwrap_or([b' '; 8]);
    runtime.level().eib.set_resource(&counter);
    match runtime.ask(Ask::Counter(CounterAsk { pool, counter, action }))? {
        Answer::Counter(answer) => Ok(answer),
        _ => raise(&INVREQ),
    }
}
