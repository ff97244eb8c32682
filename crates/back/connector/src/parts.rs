//! Joins messages that come in parts, by their correlation ids. Pure: it reads no socket and knows
//! no clock.
//!
//! A frame of [`Framing::Gantry`](crate::framing::Framing::Gantry) may say that its message goes on in the next frame with the
//! same correlation id. Parts of one message keep their order; parts of different messages come in any order.
//!
//! This module does not check who may send. The session refuses unexpected replies first.

use std::collections::HashMap;

use crate::framing::{Fault, Label};

/// Unfinished messages of one connection: a part has come, but not the last.
#[derive(Clone, Debug)]
pub struct Parts {
    message_max_bytes: usize,
    begun: HashMap<u64, Vec<u8>>,
    held_bytes: usize,
}

impl Parts {
    /// Starts without messages. A message has at most `message_max_bytes`.
    #[must_use]
    pub fn new(message_max_bytes: usize) -> Self {
        Self { message_max_bytes, begun: HashMap::new(), held_bytes: 0 }
    }

    /// Takes the next part of a message. The last part gives the whole message. Most messages have
    /// one part.
    ///
    /// # Errors
    /// The message is too long. It is then forgotten.
    pub fn take(&mut self, label: Label, part: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
        let before = self.begun_bytes(label.correlation);
        if part.len() > self.message_max_bytes - before {
            self.forget(label.correlation);
            let most = self.message_max_bytes;
            return Err(Fault(format!("the parts of a message have more than {most} bytes")));
        }
        if label.goes_on {
            self.begun.entry(label.correlation).or_default().extend_from_slice(part);
            self.held_bytes += part.len();
            return Ok(None);
        }
        let begun = if self.begun.is_empty() { None } else { self.begun.remove(&label.correlation) };
        self.held_bytes -= before;
        let Some(mut whole) = begun else { return Ok(Some(part.to_vec())) };
        whole.extend_from_slice(part);
        Ok(Some(whole))
    }

    /// Forgets the parts of a message, because nobody waits for it any more.
    pub fn forget(&mut self, correlation: u64) {
        if let Some(begun) = self.begun.remove(&correlation) {
            self.held_bytes -= begun.len();
        }
    }

    /// Forgets all messages.
    pub fn clear(&mut self) {
        self.begun.clear();
        self.held_bytes = 0;
    }

    /// The bytes of all unfinished messages.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.held_bytes
    }

    fn begun_bytes(&self, correlation: u64) -> usize {
        // Most messages have one part, so there is often nothing to look up.
        if self.begun.is_empty() { 0 } else { self.begun.get(&correlation).map_or(0, Vec::len) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::framing::FrameType;

    fn label(correlation: u64, goes_on: bool) -> Label {
        Label { frame_type: FrameType::Reply, correlation, goes_on }
    }

    #[test]
    fn a_message_in_one_part_is_whole_at_once() {
        let mut parts = Parts::new(10);
        assert_eq!(parts.take(label(1, false), b"AB"), Ok(Some(b"AB".to_vec())));
        assert_eq!(parts.take(label(1, false), b""), Ok(Some(Vec::new())));
        assert_eq!(parts.held_bytes(), 0);
    }

    #[test]
    fn parts_of_two_messages_take_turns() {
        let mut parts = Parts::new(10);
        assert_eq!(parts.take(label(1, true), b"AB"), Ok(None));
        assert_eq!(parts.take(label(2, true), b"xy"), Ok(None));
        assert_eq!(parts.take(label(3, false), b"short"), Ok(Some(b"short".to_vec())));
        assert_eq!(parts.take(label(1, true), b"CD"), Ok(None));
        assert_eq!(parts.held_bytes(), 6);
        assert_eq!(parts.take(label(2, false), b""), Ok(Some(b"xy".to_vec())));
        assert_eq!(parts.take(label(1, false), b"E"), Ok(Some(b"ABCDE".to_vec())));
        assert_eq!(parts.held_bytes(), 0);
    }

    #[test]
    fn a_message_that_is_too_long_is_refused_whatever_its_parts() {
        for first in [0, 1, 10] {
            let mut parts = Parts::new(10);
            assert_eq!(parts.take(label(1, true), &[7; 10][..first]), Ok(None));
            assert!(parts.take(label(1, true), &[7; 11][..11 - first]).is_err(), "{first}");
            // It begins anew. Other messages have not changed.
            assert_eq!(
                (parts.held_bytes(), parts.take(label(1, false), &[7; 10])),
                (0, Ok(Some(vec![7; 10])))
            );
        }
        assert!(Parts::new(10).take(label(1, false), &[7; 11]).is_err());
        assert!(Parts::new(10).take(label(1, true), &[7; 11]).is_err());
    }

    #[test]
    fn what_is_forgotten_holds_nothing() {
        let mut parts = Parts::new(10);
        assert_eq!(parts.take(label(1, true), b"AB"), Ok(None));
        assert_eq!(parts.take(label(2, true), b"CDE"), Ok(None));
        parts.forget(1);
        parts.forget(9);
        assert_eq!(parts.held_bytes(), 3);
        assert_eq!(parts.take(label(1, false), b"new"), Ok(Some(b"new".to_vec())));
        parts.clear();
        assert_eq!((parts.held_bytes(), parts.take(label(2, false), b"F")), (0, Ok(Some(b"F".to_vec()))));
    }

    proptest! {
        /// Cuts messages into parts and mixes the parts of all. Each message comes out unchanged
        /// with its last part.
        #[test]
        fn messages_come_out_as_they_went_in(
            messages in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 1..8),
            part_bytes in 1_usize..12,
            turns in proptest::collection::vec(any::<prop::sample::Index>(), 64),
        ) {
            let mut parts = Parts::new(40);
            let mut left: Vec<(u64, Vec<&[u8]>)> = Vec::new();
            for (id, message) in (0..).zip(&messages) {
                let mut cut: Vec<&[u8]> = message.chunks(part_bytes).collect();
                if cut.is_empty() {
                    cut.push(&[]);
                }
                left.push((id, cut));
            }
            let mut turns = turns.iter().cycle();
            while !left.is_empty() {
                let at = turns.next().map_or(0, |turn| turn.index(left.len()));
                let (id, cut) = &mut left[at];
                let (id, part) = (*id, cut.remove(0));
                let is_last = cut.is_empty();
                let came = parts.take(label(id, !is_last), part);
                let expected = is_last.then(|| messages[id as usize].clone());
                prop_assert_eq!(came, Ok(expected));
                if is_last {
                    left.remove(at);
                }
                let held: usize = left
                    .iter()
                    .map(|(id, cut)| messages[*id as usize].len() - cut.iter().map(|part| part.len()).sum::<usize>())
                    .sum();
                prop_assert_eq!(parts.held_bytes(), held);
            }
        }

        /// For any parts, no message exceeds its limit. `held_bytes` counts what was taken and not
        /// yet given.
        #[test]
        fn any_parts_are_counted(
            came in proptest::collection::vec((0_u64..4, any::<bool>(), 0_usize..9, any::<bool>()), 0..60),
        ) {
            let mut parts = Parts::new(12);
            let mut model: HashMap<u64, usize> = HashMap::new();
            for (id, goes_on, bytes, is_forgotten) in came {
                let begun = model.remove(&id).unwrap_or(0);
                match parts.take(label(id, goes_on), &[5; 9][..bytes]) {
                    Ok(Some(whole)) => prop_assert!(!goes_on && whole.len() == begun + bytes && whole.len() <= 12),
                    Ok(None) => {
                        prop_assert!(goes_on && begun + bytes <= 12);
                        model.insert(id, begun + bytes);
                    }
                    Err(_) => prop_assert!(begun + bytes > 12),
                }
                if is_forgotten {
                    parts.forget(id);
                    model.remove(&id);
                }
                prop_assert_eq!(parts.held_bytes(), model.values().sum::<usize>());
            }
        }
    }
}
