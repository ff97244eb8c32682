//! MQINQ and MQSET: attributes of queues and of the queue manager, by their selectors.

use message::{Persistence, Reason};
use mqi::constant;
use queue::{Attributes, Definition, Inquiry, QueueKind, Trigger, TriggerType};
use wire::SELECTORS_MAX;

use crate::objects::Opens;

/// Selectors of numbers (MQIA-FIRST to MQIA-LAST) and of texts (MQCA-FIRST to MQCA-LAST).
const NUMBERS: std::ops::RangeInclusive<i32> = 1..=2000;
const TEXTS: std::ops::RangeInclusive<i32> = 2001..=4000;

/// The result of MQINQ: numbers and texts in the order of their selectors.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) numbers: Vec<i32>,
    pub(crate) text: Vec<u8>,
}

/// A value of an attribute.
enum Value {
    Number(i32),
    /// A text and its length in the answer.
    Text(String, usize),
}

/// The object of an inquiry.
#[derive(Debug)]
pub(crate) enum Inquired<'i> {
    Queue(&'i Inquiry, &'i Opens),
    Manager { name: &'i str, ccsid: u16, length_bytes_max: u32 },
}

/// The attributes that selectors ask for. A selector of another type of object has -1 or asterisks, and a warning.
///
/// # Errors
/// `SelectorLimitExceeded` for too many; `Selector` for an unknown number. `IntAttributeCountTooSmall` and `CharAttributesTooShort` are warnings,
/// as in IBM MQ, and come with the values that have room.
pub(crate) fn inquire(
    of: &Inquired<'_>,
    selectors: &[i32],
    (numbers_max, text_max): (usize, usize),
) -> Result<(Given, Reason), Reason> {
    check_count(selectors)?;
    let mut given = Given::default();
    let mut warning = Reason::None;
    for &selector in selectors {
        let value = match of {
            Inquired::Queue(inquiry, opens) => of_queue(inquiry, opens, selector),
            Inquired::Manager { name, ccsid, length_bytes_max } => {
                of_manager((name, *ccsid, *length_bytes_max), selector)
            }
        };
        let value = match value {
            Some(value) => value,
            None if NUMBERS.contains(&selector) => {
                warning = Reason::SelectorNotForType;
                Value::Number(-1)
            }
            None if TEXTS.contains(&selector) => {
                warning = Reason::SelectorNotForType;
                Value::Text("*".repeat(48), 48)
            }
            None => return Err(Reason::Selector),
        };
        match value {
            Value::Number(number) => given.numbers.push(number),
            Value::Text(text, bytes) => {
                let padded = format!("{text:bytes$}");
                given.text.extend(padded.bytes().take(bytes));
            }
        }
    }
    if given.numbers.len() > numbers_max {
        given.numbers.truncate(numbers_max);
        warning = Reason::IntAttributeCountTooSmall;
    }
    if given.text.len() > text_max {
        given.text.truncate(text_max);
        warning = Reason::CharAttributesTooShort;
    }
    Ok((given, warning))
}

/// A worker may send any number of them, and each costs time.
fn check_count(selectors: &[i32]) -> Result<(), Reason> {
    if selectors.len() <= SELECTORS_MAX { Ok(()) } else { Err(Reason::SelectorLimitExceeded) }
}

fn is(selector: i32, name: &str) -> bool {
    constant(name) == Some(selector)
}

fn count(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn of_queue(inquiry: &Inquiry, opens: &Opens, selector: i32) -> Option<Value> {
    let definition = inquiry.definition.as_deref()?;
    let kind = match definition.kind {
        QueueKind::Local => constant("MQQT-LOCAL"),
        QueueKind::Model { .. } => constant("MQQT-MODEL"),
        QueueKind::Alias(_) => constant("MQQT-ALIAS"),
    };
    let attributes = &definition.attributes;
    let number = |name: &str, value: i32| is(selector, name).then_some(Value::Number(value));
    let bytes = i32::try_from(attributes.length_bytes_max).unwrap_or(i32::MAX);
    let depth_max = i32::try_from(attributes.depth_max).unwrap_or(i32::MAX);
    let numbers = [
        ("MQIA-Q-TYPE", kind.unwrap_or_default()),
        ("MQIA-CURRENT-Q-DEPTH", count(inquiry.depth)),
        ("MQIA-MAX-Q-DEPTH", depth_max),
        ("MQIA-MAX-MSG-LENGTH", bytes),
        ("MQIA-INHIBIT-GET", i32::from(!attributes.get_enabled)),
        ("MQIA-INHIBIT-PUT", i32::from(!attributes.put_enabled)),
        ("MQIA-DEF-PERSISTENCE", i32::from(attributes.persistence == Persistence::Persistent)),
        ("MQIA-DEF-PRIORITY", i32::from(attributes.priority.number())),
        ("MQIA-BACKOUT-THRESHOLD", i32::try_from(attributes.backout_threshold).unwrap_or(i32::MAX)),
        ("MQIA-HARDEN-GET-BACKOUT", 0),
        ("MQIA-SHAREABILITY", 1),
        ("MQIA-MSG-DELIVERY-SEQUENCE", i32::from(!attributes.by_priority)),
        ("MQIA-OPEN-INPUT-COUNT", i32::try_from(opens.inputs(&inquiry.name)).unwrap_or(i32::MAX)),
        ("MQIA-TRIGGER-CONTROL", i32::from(inquiry.trigger.enabled)),
        ("MQIA-TRIGGER-TYPE", trigger_number(&inquiry.trigger)),
        ("MQIA-TRIGGER-DEPTH", i32::try_from(inquiry.trigger.depth).unwrap_or(i32::MAX)),
        ("MQIA-TRIGGER-MSG-PRIORITY", i32::from(inquiry.trigger.priority.number())),
    ];
    if let Some(found) = numbers.into_iter().find_map(|(name, value)| number(name, value)) {
        return Some(found);
    }
    let texts = [
        ("MQCA-Q-NAME", inquiry.name.as_str().to_owned(), 48),
        ("MQCA-Q-DESC", attributes.description.clone(), 64),
        (
            "MQCA-BACKOUT-REQ-Q-NAME",
            attributes.backout_queue.as_ref().map_or_else(String::new, ToString::to_string),
            48,
        ),
        ("MQCA-BASE-Q-NAME", base_of(definition), 48),
        ("MQCA-INITIATION-Q-NAME", inquiry.trigger.initiation_queue.clone(), 48),
        ("MQCA-PROCESS-NAME", inquiry.trigger.process.clone(), 48),
        ("MQCA-TRIGGER-DATA", inquiry.trigger.data.clone(), 64),
    ];
    let found = texts.into_iter().find(|(name, ..)| is(selector, name));
    found.map(|(_, text, bytes)| Value::Text(text, bytes))
}

fn of_manager((name, ccsid, bytes): (&str, u16, u32), selector: i32) -> Option<Value> {
    let numbers = [
        ("MQIA-CODED-CHAR-SET-ID", i32::from(ccsid)),
        ("MQIA-MAX-MSG-LENGTH", i32::try_from(bytes).unwrap_or(i32::MAX)),
        ("MQIA-MAX-PRIORITY", 9),
        ("MQIA-MAX-HANDLES", count(crate::objects::OBJECTS_MAX)),
        ("MQIA-SYNCPOINT", 1),
    ];
    if let Some((_, value)) = numbers.into_iter().find(|(name, _)| is(selector, name)) {
        return Some(Value::Number(value));
    }
    is(selector, "MQCA-Q-MGR-NAME").then(|| Value::Text(name.to_owned(), 48))
}

fn base_of(definition: &Definition) -> String {
    match &definition.kind {
        QueueKind::Alias(base) => base.to_string(),
        _ => String::new(),
    }
}

fn trigger_number(trigger: &Trigger) -> i32 {
    match trigger.kind {
        TriggerType::None => 0,
        TriggerType::First => 1,
        TriggerType::Every => 2,
        TriggerType::Depth => 3,
    }
}

/// Changes attributes as MQSET says.
///
/// # Errors
/// `Selector` for an attribute that MQSET does not change; `InhibitValue`, `TriggerControl`, `TriggerDepth`,
/// `TriggerType`; `IntAttributeCountTooSmall` if there are fewer numbers than selectors.
pub(crate) fn set(attributes: &mut Attributes, selectors: &[i32], numbers: &[i32]) -> Result<(), Reason> {
    check_count(selectors)?;
    let mut numbers = numbers.iter();
    for &selector in selectors {
        let mut next = || numbers.next().copied().ok_or(Reason::IntAttributeCountTooSmall);
        if is(selector, "MQIA-INHIBIT-GET") {
            attributes.get_enabled = !flag(next()?, Reason::InhibitValue)?;
        } else if is(selector, "MQIA-INHIBIT-PUT") {
            attributes.put_enabled = !flag(next()?, Reason::InhibitValue)?;
        } else if is(selector, "MQIA-TRIGGER-CONTROL") {
            attributes.trigger.enabled = flag(next()?, Reason::TriggerControl)?;
        } else if is(selector, "MQIA-TRIGGER-DEPTH") {
            let depth = u32::try_from(next()?).ok().filter(|depth| *depth > 0);
            attributes.trigger.depth = depth.ok_or(Reason::TriggerDepth)?;
        } else if is(selector, "MQIA-TRIGGER-TYPE") {
            attributes.trigger.kind = match next()? {
                0 => TriggerType::None,
                1 => TriggerType::First,
                2 => TriggerType::Every,
                3 => TriggerType::Depth,
                _ => return Err(Reason::TriggerType),
            };
        } else {
            return Err(Reason::Selector);
        }
    }
    Ok(())
}

fn flag(number: i32, otherwise: Reason) -> Result<bool, Reason> {
    match number {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(otherwise),
    }
}
