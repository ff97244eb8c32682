//! Several tasks as one message to a worker, and the worker's messages about them, one after the other.
//!
//! Each task is a message with its length in four bytes before it. The worker adds its message about each
//! task behind them: the processor time in eight bytes (nanoseconds; 0 if it was not measured), the length,
//! and the message.

use super::bytes::Reader;
use super::{BadMessage, FromWorker, Task, ToWorker};

/// The first byte of a message with several tasks, which no other message to a worker has.
pub const BATCH: u8 = b'G';

/// Bytes that stay free behind the last message, so that a worker can still ask for more room.
pub const NEEDS_ROOM_BYTES: usize = 16;

/// Adds a task to the tasks of a batch.
pub fn put_task(to: &mut Vec<u8>, task: &Task) {
    put_after_length(to, |to| task.encode(to));
}

/// Adds a worker's message about the next task of a batch.
pub fn put_said(to: &mut Vec<u8>, cpu_nanoseconds: u64, message: &FromWorker) {
    to.extend(cpu_nanoseconds.to_le_bytes());
    put_after_length(to, |to| message.encode(to));
}

fn put_after_length(to: &mut Vec<u8>, put: impl FnOnce(&mut Vec<u8>)) {
    let place = to.len();
    to.extend([0; 4]);
    put(to);
    // The area is smaller than 4 GiB, so that a longer message never fits into it.
    let length = (to.len() - place - 4) as u32;
    to[place..place + 4].copy_from_slice(&length.to_le_bytes());
}

/// The next task of a batch in the bytes that are left; none at their end.
///
/// # Errors
/// The bytes are not a task.
pub fn next_task(left: &mut &[u8]) -> Result<Option<Task>, BadMessage> {
    if left.is_empty() {
        return Ok(None);
    }
    let mut from = Reader(left);
    let length = from.u32()? as usize;
    let ToWorker::Task(task) = ToWorker::decode(from.take(length)?)? else {
        return Err(BadMessage("expected a task"));
    };
    *left = from.0;
    Ok(Some(task))
}

/// The worker's message about the next task, and its processor time; none at the end.
///
/// # Errors
/// The bytes are not such a message.
pub fn next_said(left: &mut &[u8]) -> Result<Option<(u64, FromWorker)>, BadMessage> {
    if left.is_empty() {
        return Ok(None);
    }
    let mut from = Reader(left);
    let cpu_nanoseconds = u64::from_le_bytes(from.array()?);
    let length = from.u32()? as usize;
    let message = FromWorker::decode(from.take(length)?)?;
    *left = from.0;
    Ok(Some((cpu_nanoseconds, message)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Interface, Told};

    proptest! {
        #[test]
        fn batches_come_back_as_they_were(
            all in proptest::collection::vec((any::<u32>(), any::<u64>(), proptest::collection::vec(any::<u8>(), 0..50)), 0..5)
        ) {
            let (mut tasks, mut said) = (Vec::new(), Vec::new());
            for (number, cpu, bytes) in &all {
                let interface = Interface::Commarea(bytes.clone());
                put_said(&mut said, *cpu, &FromWorker::Returned(interface.clone()));
                put_task(&mut tasks, &Task { number: *number, interface, ..Task::default() });
            }
            let (mut tasks, mut said) = (tasks.as_slice(), said.as_slice());
            for (number, cpu, bytes) in all {
                let interface = Interface::Commarea(bytes);
                prop_assert_eq!(next_said(&mut said), Ok(Some((cpu, FromWorker::Returned(interface.clone())))));
                let task = Task { number, interface, ..Task::default() };
                prop_assert_eq!(next_task(&mut tasks), Ok(Some(task)));
            }
            prop_assert_eq!((next_task(&mut tasks), next_said(&mut said)), (Ok(None), Ok(None)));
        }

        #[test]
        fn no_bytes_are_too_odd(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut left = bytes.as_slice();
            while let Ok(Some(_)) = next_said(&mut left) {}
            let mut left = bytes.as_slice();
            while let Ok(Some(_)) = next_task(&mut left) {}
        }
    }

    #[test]
    fn that_more_room_is_needed_has_room() {
        let mut said = Vec::new();
        put_said(&mut said, 0, &FromWorker::Told(Told::NeedsRoom));
        assert!(said.len() <= NEEDS_ROOM_BYTES);
    }
}
