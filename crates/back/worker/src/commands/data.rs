//! Data that a command gives by FROM and LENGTH, or takes by INTO or SET and LENGTH.

use program::commands::names::*;
use program::conditions::{INVREQ, LENGERR};

use super::Done;
use crate::cobol::arguments::{Area, Arguments};
use crate::task::{Fault, Step, raise};

/// The bytes of FROM in the length of LENGTH.
///
/// # Errors
/// LENGERR for a length that is not from 1 to `most`.
pub(super) fn given(arguments: &Arguments, most: usize) -> Result<Vec<u8>, Fault> {
    let length = match arguments.number(LENGTH) {
        None => None,
        Some(length) => match usize::try_from(length) {
            Ok(length) if (1..=most).contains(&length) => Some(length),
            _ => return raise(&LENGERR),
        },
    };
    Ok(arguments.bytes_of(FROM, length).unwrap_or_default())
}

/// The room that LENGTH gives; none if only the item limits it.
pub(super) struct Room(Option<usize>);

impl Room {
    /// The room of a command that has not been carried out yet.
    ///
    /// # Errors
    /// LENGERR for a length below zero.
    pub(super) fn of(arguments: &Arguments) -> Result<Self, Fault> {
        match arguments.number(LENGTH) {
            Some(length) if length < 0 => raise(&LENGERR),
            Some(length) => Ok(Self(Some(usize::try_from(length).unwrap_or(usize::MAX)))),
            None => Ok(Self(None)),
        }
    }

    /// Gives data to the program: whole in `storage` with SET, else as much of it as there is room for.
    ///
    /// # Errors
    /// LENGERR if there is no storage or not enough room; INVREQ if INTO and SET are both missing.
    pub(super) fn take(
        self,
        arguments: &Arguments,
        data: &[u8],
        storage: impl FnOnce(usize) -> Option<*mut u8>,
    ) -> Done {
        arguments.set_number(LENGTH, data.len() as i64);
        if arguments.has(SET) {
            let Some(storage) = storage(data.len()) else { return raise(&LENGERR) };
            Area::new(storage, data.len()).write(data);
            arguments.set_pointer(SET, storage);
            return Ok(Step::GoOn);
        }
        let Some(area) = arguments.area(INTO) else { return raise(&INVREQ) };
        let room = self.0.unwrap_or(area.bytes).min(area.bytes);
        area.first(room).write(data);
        // As much as there was room for is there.
        if data.len() > room { raise(&LENGERR) } else { Ok(Step::GoOn) }
    }
}
