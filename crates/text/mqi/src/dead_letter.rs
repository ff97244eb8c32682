//! MQDLH, the header of a message on a dead-letter queue: the reason, and the original target.

use crate::fields::{Fields, padded};
use crate::structures::DEAD_LETTER;

/// MQAT-QMGR: a queue manager has put the dead letter.
const QUEUE_MANAGER: i32 = 7;

/// The facts in MQDLH. The body of the message follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetterHeader {
    /// The reason why the message is a dead letter: MQRC or MQFB.
    pub reason: i32,
    /// The queue of the message.
    pub queue: String,
    /// The queue manager of that queue.
    pub manager: String,
    /// The form of numbers in the body.
    pub encoding: i32,
    /// The character set of text in the body.
    pub ccsid: i32,
    /// The format of the body.
    pub format: [u8; 8],
}

impl DeadLetterHeader {
    /// The bytes of the header.
    pub const BYTES: usize = 172;

    /// Reads the header at the start of a body. None if there is no header, or if its texts are not ASCII or
    /// its numbers have the lowest byte first: programs here do not write such headers.
    #[must_use]
    pub fn read(body: &[u8]) -> Option<Self> {
        let fields = Fields::read(&DEAD_LETTER, body.get(..Self::BYTES)?).ok()?;
        Some(Self {
            reason: fields.number("REASON"),
            queue: fields.text("DESTQNAME")?.to_owned(),
            manager: fields.text("DESTQMGRNAME")?.to_owned(),
            encoding: fields.number("ENCODING"),
            ccsid: fields.number("CODEDCHARSETID"),
            format: *fields.bytes("FORMAT")?.first_chunk()?,
        })
    }

    /// The header that a queue manager writes. `put_ms` is the time in milliseconds since 1970.
    ///
    /// Source: IBM MQ, "MQDLH": the fields describe the data behind the header, and the program that put the
    /// dead letter.
    #[must_use]
    pub fn written(&self, by: &str, put_ms: u64) -> Vec<u8> {
        let Some(mut fields) = Fields::initial(&DEAD_LETTER, 1, padded) else { return Vec::new() };
        for (name, number) in [
            ("REASON", self.reason),
            ("ENCODING", self.encoding),
            ("CODEDCHARSETID", self.ccsid),
            ("PUTAPPLTYPE", QUEUE_MANAGER),
        ] {
            fields.set_number(name, number);
        }
        for (name, text) in
            [("DESTQNAME", &*self.queue), ("DESTQMGRNAME", &*self.manager), ("PUTAPPLNAME", by)]
        {
            fields.set_text(name, text);
        }
        fields.set_bytes("FORMAT", &self.format);
        fields.set_put(put_ms);
        fields.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> DeadLetterHeader {
        DeadLetterHeader {
            reason: 2053,
            queue: "ORDERS".to_owned(),
            manager: "QM1".to_owned(),
            encoding: 785,
            ccsid: 1208,
            format: *b"MQSTR   ",
        }
    }

    #[test]
    fn a_header_comes_back_with_the_documented_layout() {
        let bytes = header().written("QM1", 1_763_746_205_250);
        assert_eq!(bytes.len(), DeadLetterHeader::BYTES);
        assert_eq!(DEAD_LETTER.bytes(1), Some(DeadLetterHeader::BYTES));
        assert_eq!((&bytes[..12], &bytes[12..18]), (&b"DLH \0\0\0\x01\0\0\x08\x05"[..], &b"ORDERS"[..]));
        assert_eq!((&bytes[124..128], &bytes[128..132]), (&[0, 0, 0, 7][..], &b"QM1 "[..]));
        assert_eq!(&bytes[156..], b"2025112117300525");
        assert_eq!(DeadLetterHeader::read(&[&bytes[..], b"body"].concat()), Some(header()));
    }

    #[test]
    fn other_bytes_are_no_header() {
        let bytes = header().written("QM1", 0);
        assert_eq!(DeadLetterHeader::read(&bytes[..171]), None);
        let mut other = bytes.clone();
        other[7] = 2;
        assert_eq!(DeadLetterHeader::read(&other), None);
        let mut ebcdic = bytes;
        ebcdic[..4].copy_from_slice(&[0xC4, 0xD3, 0xC8, 0x40]);
        assert_eq!(DeadLetterHeader::read(&ebcdic), None);
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_break_the_reader(tail in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300)) {
            let _ = DeadLetterHeader::read(&tail);
            let _ = DeadLetterHeader::read(&[b"DLH \0\0\0\x01", &tail[..]].concat());
        }
    }
}
