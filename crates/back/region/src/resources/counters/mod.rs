//! The named counters of a region: numbers that no two tasks get twice.
//!
//! Rules are those of CICS TS, "Named counters". A counter keeps the number that is next. When no number is
//! left, it is one beyond the counter's largest number. Counters do not belong to any unit of work. They are
//! in memory. If the region's store keeps them too (`kept`), no number is given before the store has a number
//! that is not below it.

mod kept;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use program::conditions::{Condition, INVREQ, SUPPRESSED};
use wire::{Answer, CompareRange, CounterAction, CounterAnswer, CounterAsk, Name};

pub(crate) use self::kept::{Keeping, NamedCounters};
use crate::resources::Resources;
use crate::resources::trouble::refused;

const RESP2_NOT_FOUND: u32 = 201;
const RESP2_EXISTS: u32 = 202;
/// The server has no room: there are too many counters.
const RESP2_FULL: u32 = 301;
const RESP2_POOL_NAME: u32 = 403;
const RESP2_COUNTER_NAME: u32 = 404;
const RESP2_LIMITS: u32 = 405;
const RESP2_VALUE: u32 = 406;
const RESP2_INCREMENT: u32 = 407;
/// The server has met an error that it did not expect: the store has failed.
const RESP2_STORE_FAILED: u32 = 303;
/// SUPPRESSED: no number is left; there are numbers left; the number is out of the range.
const RESP2_AT_LIMIT: u32 = 101;
const RESP2_NOT_AT_LIMIT: u32 = 102;
const RESP2_OUT_OF_RANGE: u32 = 103;

/// The pool and the name of a counter.
type Key = (Name<8>, Name<16>);

/// All counters of a region.
#[derive(Debug, Default)]
struct Counters {
    all: HashMap<Key, Entry>,
    most: usize,
    /// The store is written once for this many GETs of a counter; none if it keeps no counters.
    reserve: Option<u64>,
    /// The counter that is being written to the store. It does not change meanwhile.
    writing: Option<Key>,
    /// Counters whose value in the store is not known.
    lost: HashSet<Key>,
}

/// A counter, and its value in the store.
#[derive(Clone, Copy, Debug)]
struct Entry {
    counter: Counter,
    /// The next number after a crash, never below the counter's own. None if the store does not have the
    /// counter.
    reserved: Option<u128>,
}

/// A counter. Its next number is wider than its numbers, so that there is one beyond the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counter {
    next: u128,
    minimum: u64,
    maximum: u64,
}

/// The effect of a command: its answer, and the change of the counter.
#[derive(Clone, Copy, Debug)]
struct Plan {
    key: Key,
    answer: CounterAnswer,
    change: Change,
}

#[derive(Clone, Copy, Debug)]
enum Change {
    None,
    /// It is another, because numbers were given; the store needs to know only if it has not gone so far.
    Advance(Counter),
    /// It is another, which the store must have.
    Set(Counter),
    Delete,
}

type Refusal = (&'static Condition, u32);

impl Counters {
    /// The effect of a command. Nothing is changed yet.
    fn plan(&self, ask: &CounterAsk) -> Result<Plan, Refusal> {
        let CounterAsk { pool, counter, action } = *ask;
        if !is_name(&pool) && pool != [b' '; 8] {
            return Err((&INVREQ, RESP2_POOL_NAME));
        }
        if !is_name(&counter) {
            return Err((&INVREQ, RESP2_COUNTER_NAME));
        }
        let key = (pool, counter);
        if let CounterAction::Define { value, minimum, maximum } = action {
            let counter = self.define(key, value, (minimum, maximum))?;
            return Ok(Plan { key, answer: counter.answer(), change: Change::Set(counter) });
        }
        let before = self.all.get(&key).ok_or((&INVREQ, RESP2_NOT_FOUND))?.counter;
        let mut counter = before;
        let mut given = None;
        match action {
            CounterAction::Get { increment, reduce, wrap, range } => {
                given = Some(counter.get(increment, Beyond { reduce, wrap }, range)?);
            }
            CounterAction::Update { value, range } => counter.update(value, range)?,
            CounterAction::Rewind { increment } => counter.rewind(increment)?,
            CounterAction::Query | CounterAction::Define { .. } | CounterAction::Delete => {}
        }
        let change = match action {
            CounterAction::Delete => Change::Delete,
            _ if counter == before => Change::None,
            CounterAction::Get { .. } if counter.next >= before.next => Change::Advance(counter),
            _ => Change::Set(counter),
        };
        let value = given.unwrap_or(counter.answer().value);
        Ok(Plan { key, answer: CounterAnswer { value, ..counter.answer() }, change })
    }

    fn define(
        &self,
        key: Key,
        value: Option<u64>,
        (minimum, maximum): (u64, u64),
    ) -> Result<Counter, Refusal> {
        if minimum > maximum {
            return Err((&INVREQ, RESP2_LIMITS));
        }
        if self.all.contains_key(&key) {
            return Err((&INVREQ, RESP2_EXISTS));
        }
        if self.all.len() >= self.most {
            return Err((&INVREQ, RESP2_FULL));
        }
        let mut counter = Counter { next: minimum.into(), minimum, maximum };
        counter.set(value.unwrap_or(minimum))?;
        Ok(counter)
    }

    /// Carries a plan out, after the store was written if it must be.
    fn apply(&mut self, plan: &Plan, told: Option<u128>) {
        match plan.change {
            Change::None => {}
            Change::Advance(counter) | Change::Set(counter) => {
                let reserved = told.or_else(|| self.all.get(&plan.key)?.reserved);
                self.all.insert(plan.key, Entry { counter, reserved });
            }
            Change::Delete => {
                self.all.remove(&plan.key);
            }
        }
    }
}

/// Carries out a command on a counter.
pub(crate) async fn carry_out(ask: CounterAsk, resources: &Arc<Resources>) -> Answer {
    if let Some(answer) = resources.counters.carry_out(&ask) {
        return answer;
    }
    let resources = resources.clone();
    // Once begun it runs to its end, even if the task does not.
    let doing = move || resources.counters.carry_out_with_store(&resources.durable, &ask);
    tokio::task::spawn_blocking(doing).await.unwrap_or_else(|_| refused(&INVREQ, RESP2_STORE_FAILED))
}

/// The answer for the program.
fn answer(planned: Result<&Plan, Refusal>) -> Answer {
    match planned {
        Ok(plan) => Answer::Counter(plan.answer),
        Err((condition, resp2)) => Answer::Condition { resp: condition.number, resp2 },
    }
}

/// How GET ends when it wants more than is left.
#[derive(Clone, Copy, Debug)]
struct Beyond {
    reduce: bool,
    wrap: bool,
}

impl Counter {
    fn answer(self) -> CounterAnswer {
        let value = u64::try_from(self.next).unwrap_or(u64::MAX);
        CounterAnswer { value, minimum: self.minimum, maximum: self.maximum }
    }

    /// How many numbers are left.
    fn left(self) -> u128 {
        u128::from(self.maximum) + 1 - self.next
    }

    fn check_increment(self, increment: u64) -> Result<u128, Refusal> {
        let all = u128::from(self.maximum - self.minimum) + 1;
        let increment = u128::from(increment);
        if increment > all { Err((&INVREQ, RESP2_INCREMENT)) } else { Ok(increment) }
    }

    fn get(&mut self, increment: u64, beyond: Beyond, range: CompareRange) -> Result<u64, Refusal> {
        let increment = self.check_increment(increment)?;
        let mut after = *self;
        if after.left() == 0 || (after.left() < increment && !beyond.reduce) {
            if !beyond.wrap {
                return Err((&SUPPRESSED, RESP2_AT_LIMIT));
            }
            after.next = self.minimum.into();
        }
        let value = after.answer().value;
        check_range(value.into(), range)?;
        after.next += increment.min(after.left());
        *self = after;
        Ok(value)
    }

    fn update(&mut self, value: u64, range: CompareRange) -> Result<(), Refusal> {
        check_range(self.next, range)?;
        self.set(value)
    }

    /// Sets the next number: one of the counter's, or the one beyond the largest.
    fn set(&mut self, value: u64) -> Result<(), Refusal> {
        let value = u128::from(value);
        if !(u128::from(self.minimum)..=u128::from(self.maximum) + 1).contains(&value) {
            return Err((&INVREQ, RESP2_VALUE));
        }
        self.next = value;
        Ok(())
    }

    fn rewind(&mut self, increment: u64) -> Result<(), Refusal> {
        let increment = self.check_increment(increment)?;
        if self.left() >= increment.max(1) {
            return Err((&SUPPRESSED, RESP2_NOT_AT_LIMIT));
        }
        self.next = self.minimum.into();
        Ok(())
    }
}

/// Both must hold; one of them is enough if the smallest is above the largest.
fn check_range(value: u128, range: CompareRange) -> Result<(), Refusal> {
    let not_less = range.minimum.is_none_or(|minimum| value >= minimum.into());
    let not_more = range.maximum.is_none_or(|maximum| value <= maximum.into());
    let turned =
        matches!((range.minimum, range.maximum), (Some(minimum), Some(maximum)) if minimum > maximum);
    match if turned { not_less || not_more } else { not_less && not_more } {
        true => Ok(()),
        false => Err((&SUPPRESSED, RESP2_OUT_OF_RANGE)),
    }
}

/// Capital letters, digits, `$@#_`, and blanks at the end; no digit and no underscore in front.
fn is_name(name: &[u8]) -> bool {
    let length = name.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
    let allowed = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"$@#_".contains(byte);
    let first = name.first().is_some_and(|first| !first.is_ascii_digit() && *first != b'_');
    length > 0 && first && name[..length].iter().all(allowed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use wire::name;

    const GET: CounterAction = CounterAction::Get {
        increment: 1,
        reduce: false,
        wrap: false,
        range: CompareRange { minimum: None, maximum: None },
    };

    fn carried_out(counters: &mut Counters, ask: &CounterAsk) -> Answer {
        let plan = counters.plan(ask);
        if let Ok(plan) = &plan {
            counters.apply(plan, None);
        }
        answer(plan.as_ref().map_err(|refusal| *refusal))
    }

    fn ask(counters: &mut Counters, action: CounterAction) -> Result<u64, (u16, u32)> {
        let ask = CounterAsk { pool: name(""), counter: name("ORDERS"), action };
        match carried_out(counters, &ask) {
            Answer::Counter(answer) => Ok(answer.value),
            Answer::Condition { resp, resp2 } => Err((resp, resp2)),
            other => panic!("unexpected: {other:?}"),
        }
    }

    fn counters(minimum: u64, maximum: u64) -> Counters {
        let mut counters = Counters { most: 1, ..Counters::default() };
        let defined = ask(&mut counters, CounterAction::Define { value: None, minimum, maximum });
        assert_eq!(defined, Ok(minimum));
        counters
    }

    fn get(increment: u64, reduce: bool, wrap: bool) -> CounterAction {
        CounterAction::Get { increment, reduce, wrap, range: CompareRange::default() }
    }

    #[test]
    fn numbers_end_wrap_and_are_reduced() {
        let mut counters = counters(1, 5);
        assert_eq!(ask(&mut counters, get(3, false, false)), Ok(1));
        assert_eq!(ask(&mut counters, get(3, false, false)), Err((72, 101)));
        assert_eq!(ask(&mut counters, CounterAction::Rewind { increment: 2 }), Err((72, 102)));
        assert_eq!(ask(&mut counters, get(3, true, false)), Ok(4));
        assert_eq!(ask(&mut counters, CounterAction::Query), Ok(6));
        assert_eq!(ask(&mut counters, GET), Err((72, 101)));
        assert_eq!(ask(&mut counters, get(6, false, true)), Err((16, 407)));
        assert_eq!(ask(&mut counters, get(1, false, true)), Ok(1));
        assert_eq!(ask(&mut counters, CounterAction::Rewind { increment: 5 }), Ok(1));
    }

    #[test]
    fn the_largest_number_of_all_is_given_out() {
        let mut counters = counters(u64::MAX - 1, u64::MAX);
        assert_eq!(ask(&mut counters, GET), Ok(u64::MAX - 1));
        assert_eq!(ask(&mut counters, GET), Ok(u64::MAX));
        assert_eq!(ask(&mut counters, GET), Err((72, 101)));
    }

    #[test]
    fn a_range_is_compared_with() {
        let mut counters = counters(0, 100);
        let range = |minimum, maximum| CompareRange { minimum, maximum };
        let update = |value, range| CounterAction::Update { value, range };
        assert_eq!(ask(&mut counters, update(50, range(Some(1), None))), Err((72, 103)));
        assert_eq!(ask(&mut counters, update(50, range(Some(0), Some(0)))), Ok(50));
        assert_eq!(ask(&mut counters, update(102, CompareRange::default())), Err((16, 406)));
        let get = |range| CounterAction::Get { increment: 1, reduce: false, wrap: false, range };
        assert_eq!(ask(&mut counters, get(range(Some(51), Some(60)))), Err((72, 103)));
        // Turned round, one of them is enough.
        assert_eq!(ask(&mut counters, get(range(Some(60), Some(50)))), Ok(50));
    }

    #[test]
    fn what_cannot_be_raises_invreq() {
        let mut counters = counters(0, 9);
        let define = CounterAction::Define { value: None, minimum: 0, maximum: 9 };
        assert_eq!(ask(&mut counters, define), Err((16, 202)));
        let named = |counters: &mut Counters, pool: &str, counter: &str, action| {
            carried_out(counters, &CounterAsk { pool: name(pool), counter: name(counter), action })
        };
        let invreq = |resp2| Answer::Condition { resp: 16, resp2 };
        assert_eq!(named(&mut counters, "P", "ORDERS", GET), invreq(201));
        assert_eq!(named(&mut counters, "P", "ORDERS", define), invreq(301));
        assert_eq!(named(&mut counters, "p", "ORDERS", GET), invreq(403));
        assert_eq!(named(&mut counters, "", "1ST", GET), invreq(404));
        assert_eq!(named(&mut counters, "", "A B", GET), invreq(404));
        assert_eq!(ask(&mut counters, CounterAction::Delete), Ok(0));
        assert_eq!(ask(&mut counters, CounterAction::Delete), Err((16, 201)));
        let turned = CounterAction::Define { value: None, minimum: 2, maximum: 1 };
        assert_eq!(ask(&mut counters, turned), Err((16, 405)));
        let outside = CounterAction::Define { value: Some(11), minimum: 0, maximum: 9 };
        assert_eq!(ask(&mut counters, outside), Err((16, 406)));
    }

    proptest! {
        #[test]
        fn no_number_is_given_twice_without_wrap(
            minimum in 0_u64..50, size in 0_u64..50, gets in proptest::collection::vec((0_u64..9, any::<bool>()), 0..40)
        ) {
            let mut counters = counters(minimum, minimum + size);
            let mut next = u128::from(minimum);
            for (increment, reduce) in gets {
                if let Ok(value) = ask(&mut counters, get(increment, reduce, false)) {
                    prop_assert_eq!(u128::from(value), next);
                    prop_assert!(value <= minimum + size);
                    next = (next + u128::from(increment)).min(u128::from(minimum + size) + 1);
                }
            }
        }
    }
}
