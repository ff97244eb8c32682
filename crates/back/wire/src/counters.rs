//! Requests of programs about named counters. Numbers are unsigned, also for commands with signed ones.

use super::bytes::{Reader, put_optional_name};
use super::{BadMessage, Name};

/// A command on a named counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterAsk {
    /// POOL; blanks for the default one.
    pub pool: Name<8>,
    /// The counter.
    pub counter: Name<16>,
    /// The action on the counter.
    pub action: CounterAction,
}

/// An action on a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterAction {
    /// DEFINE.
    Define {
        /// The first number; the smallest one if it is missing.
        value: Option<u64>,
        /// The smallest number.
        minimum: u64,
        /// The largest number.
        maximum: u64,
    },
    /// GET.
    Get {
        /// The increment of the counter.
        increment: u64,
        /// True if a smaller increment is taken where the full one would pass the largest number.
        reduce: bool,
        /// It begins anew after its largest number.
        wrap: bool,
        /// The range for the number.
        range: CompareRange,
    },
    /// UPDATE.
    Update {
        /// The next number.
        value: u64,
        /// The range in which the next number must be before the change.
        range: CompareRange,
    },
    /// QUERY.
    Query,
    /// REWIND.
    Rewind {
        /// The counter is at its end if less than this is left.
        increment: u64,
    },
    /// DELETE.
    Delete,
}

/// COMPAREMIN and COMPAREMAX.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompareRange {
    /// COMPAREMIN.
    pub minimum: Option<u64>,
    /// COMPAREMAX.
    pub maximum: Option<u64>,
}

/// A counter after a command, and the number that GET gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterAnswer {
    /// The number; one beyond the largest number if there is none left, as far as 64 bits go.
    pub value: u64,
    /// The smallest number.
    pub minimum: u64,
    /// The largest number.
    pub maximum: u64,
}

impl CounterAsk {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        to.extend(self.pool);
        to.extend(self.counter);
        match self.action {
            CounterAction::Define { value, minimum, maximum } => {
                to.push(b'D');
                put_number(to, value);
                to.extend(minimum.to_le_bytes());
                to.extend(maximum.to_le_bytes());
            }
            CounterAction::Get { increment, reduce, wrap, range } => {
                to.push(b'G');
                to.extend(increment.to_le_bytes());
                to.extend([reduce, wrap].map(u8::from));
                range.encode(to);
            }
            CounterAction::Update { value, range } => {
                to.push(b'U');
                to.extend(value.to_le_bytes());
                range.encode(to);
            }
            CounterAction::Query => to.push(b'Q'),
            CounterAction::Rewind { increment } => {
                to.push(b'R');
                to.extend(increment.to_le_bytes());
            }
            CounterAction::Delete => to.push(b'X'),
        }
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        let (pool, counter) = (from.array()?, from.array()?);
        let action = match from.byte()? {
            b'D' => CounterAction::Define {
                value: take_number(from)?,
                minimum: from.u64()?,
                maximum: from.u64()?,
            },
            b'G' => CounterAction::Get {
                increment: from.u64()?,
                reduce: from.flag()?,
                wrap: from.flag()?,
                range: CompareRange::decode(from)?,
            },
            b'U' => CounterAction::Update { value: from.u64()?, range: CompareRange::decode(from)? },
            b'Q' => CounterAction::Query,
            b'R' => CounterAction::Rewind { increment: from.u64()? },
            b'X' => CounterAction::Delete,
            _ => return Err(BadMessage("expected a command on a named counter")),
        };
        Ok(Self { pool, counter, action })
    }
}

impl CompareRange {
    fn encode(self, to: &mut Vec<u8>) {
        put_number(to, self.minimum);
        put_number(to, self.maximum);
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        Ok(Self { minimum: take_number(from)?, maximum: take_number(from)? })
    }
}

impl CounterAnswer {
    pub(super) fn encode(self, to: &mut Vec<u8>) {
        for number in [self.value, self.minimum, self.maximum] {
            to.extend(number.to_le_bytes());
        }
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        Ok(Self { value: from.u64()?, minimum: from.u64()?, maximum: from.u64()? })
    }
}

fn put_number(to: &mut Vec<u8>, number: Option<u64>) {
    put_optional_name(to, number.map(u64::to_le_bytes));
}

fn take_number(from: &mut Reader<'_>) -> Result<Option<u64>, BadMessage> {
    Ok(from.optional_name()?.map(u64::from_le_bytes))
}
