//! The records on disk of units that wait for a decision, and of forced decisions.

use super::Decision;
use crate::error::Result;
use crate::fields::{Reader, Writer};
use crate::locks::Mode;
use crate::writes::Writes;

/// The record on disk of a prepared unit.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) coordinator: String,
    pub(super) writes: Writes,
    pub(super) locks: Vec<(Vec<u8>, Mode)>,
}

impl Record {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.bytes(self.coordinator.as_bytes());
        self.writes.encode(&mut writer);
        writer.count(self.locks.len());
        for (resource, mode) in &self.locks {
            writer.bytes(resource);
            writer.byte(u8::from(*mode == Mode::Exclusive));
        }
        writer.finish()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Record> {
        let mut reader = Reader::new("record of a prepared unit", bytes);
        let coordinator = reader.text()?.to_string();
        let writes = Writes::decode(&mut reader)?;
        let mut locks = Vec::new();
        for _ in 0..reader.count()? {
            let resource = reader.bytes()?.to_vec();
            let mode = match reader.byte()? {
                0 => Mode::Shared,
                1 => Mode::Exclusive,
                _ => return Err(reader.fault("0 or 1 before it")),
            };
            locks.push((resource, mode));
        }
        reader.end()?;
        Ok(Record { coordinator, writes, locks })
    }
}

pub(super) fn encode_decision(decision: Decision) -> Vec<u8> {
    vec![u8::from(decision == Decision::Commit)]
}

pub(super) fn decode_decision(bytes: &[u8]) -> Result<Decision> {
    let mut reader = Reader::new("forced decision", bytes);
    let decision = match reader.byte()? {
        0 => Decision::Abort,
        1 => Decision::Commit,
        _ => return Err(reader.fault("0 or 1 before it")),
    };
    reader.end()?;
    Ok(decision)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::keys;
    use crate::space::Positions;
    use proptest::prelude::*;

    fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(any::<u8>(), 1..most)
    }

    fn records() -> impl Strategy<Value = Record> {
        let put = (bytes(20), proptest::option::of(bytes(50)), 0..100u64);
        let append = (bytes(9), 1..50u64, bytes(30));
        let locks = proptest::collection::vec((bytes(20), any::<bool>()), 0..8);
        let parts = (
            "[a-z:0-9]{0,20}",
            proptest::collection::vec(put, 0..8),
            proptest::collection::vec(append, 0..8),
            proptest::option::of(bytes(9)),
            locks,
        );
        parts.prop_map(|(coordinator, puts, appends, cleared, locks)| {
            let mut writes = Writes::default();
            if let Some(name) = cleared {
                writes.clear(&keys::log(5, &name), Positions::Dense);
            }
            for (key, value, before) in puts {
                match value {
                    Some(value) => writes.put(keys::record(3, &key), value, before),
                    None => writes.delete(keys::record(3, &key), before + 1),
                }
            }
            for (name, position, value) in appends {
                writes.put(keys::item(4, &name, position), value, 0);
                writes.appended(&keys::log(4, &name), Positions::Unique, position + 1);
            }
            let mode = |alone| if alone { Mode::Exclusive } else { Mode::Shared };
            let locks = locks.into_iter().map(|(resource, alone)| (resource, mode(alone))).collect();
            Record { coordinator, writes, locks }
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(record in records()) {
            let bytes = record.encode();
            let back = Record::decode(&bytes).unwrap();
            prop_assert_eq!(back.coordinator, record.coordinator);
            prop_assert_eq!(back.writes, record.writes);
            prop_assert_eq!(back.locks, record.locks);
            for cut in 0..bytes.len() {
                prop_assert!(Record::decode(&bytes[..cut]).is_err());
            }
        }

        #[test]
        fn any_bytes_are_a_record_or_corrupt(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Err(error) = Record::decode(&bytes) {
                prop_assert_eq!(error.kind(), ErrorKind::Corrupt);
            }
            if let Err(error) = decode_decision(&bytes) {
                prop_assert_eq!(error.kind(), ErrorKind::Corrupt);
            }
        }
    }
}
