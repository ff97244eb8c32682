//! Frames on a stream, as TCP servers of records take them: what stands around a message, and where a reply ends. It does no IO.

use std::fmt;
use std::ops::Range;

use crate::response::Malformed;

/// The most bytes of a frame.
pub const FRAME_MAX_BYTES: usize = 64 << 20;
/// The most bytes of a delimiter.
pub const DELIMITER_MAX_BYTES: usize = 8;

/// How messages stand in the stream. Each connection has one request at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Framing {
    /// A length in front of each message.
    Length {
        /// It has two bytes and not four.
        is_short: bool,
        /// It counts its own bytes.
        is_inclusive: bool,
        /// The lowest byte comes first.
        is_little: bool,
    },
    /// Two bytes of length that count all, two bytes of zeros, the message.
    Llzz,
    /// The message, then these bytes, which no message has in it.
    Delimiter(Vec<u8>),
    /// Messages of this number of bytes each.
    Fixed(usize),
}

/// Where a message stands in the bytes that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The message.
    pub message: Range<usize>,
    /// Where its frame ends.
    pub end: usize,
}

impl Framing {
    /// Reads the words of `--framing`: `length` with `-2`, `-inclusive` and `-little` as needed, `llzz`, `delimiter:HEX`,
    /// `fixed:BYTES`.
    ///
    /// # Errors
    /// The fault of the text, for people.
    pub fn parse(text: &str) -> Result<Framing, String> {
        let unknown = || {
            format!(
                "'{text}' is not a framing: expected length, with -2, -inclusive and -little as needed, llzz, delimiter:HEX or fixed:BYTES"
            )
        };
        if let Some(hex) = text.strip_prefix("delimiter:") {
            return delimiter(hex).ok_or_else(|| {
                format!(
                    "'{hex}' is not a delimiter: expected 1 to {DELIMITER_MAX_BYTES} bytes in hexadecimal"
                )
            });
        }
        if let Some(bytes) = text.strip_prefix("fixed:") {
            let bytes = bytes.parse().ok().filter(|bytes| (1..=FRAME_MAX_BYTES).contains(bytes));
            return bytes.map(Framing::Fixed).ok_or_else(unknown);
        }
        let mut words = text.split('-');
        match words.next() {
            Some("llzz") if text == "llzz" => return Ok(Framing::Llzz),
            Some("length") => {}
            _ => return Err(unknown()),
        }
        let (mut is_short, mut is_inclusive, mut is_little) = (false, false, false);
        for word in words {
            let flag = match word {
                "2" => &mut is_short,
                "inclusive" => &mut is_inclusive,
                "little" => &mut is_little,
                _ => return Err(unknown()),
            };
            if std::mem::replace(flag, true) {
                return Err(unknown());
            }
        }
        Ok(Framing::Length { is_short, is_inclusive, is_little })
    }

    /// The frame of a message.
    ///
    /// # Errors
    /// The framing cannot hold it: why, for people.
    pub fn frame(&self, message: &[u8]) -> Result<Vec<u8>, String> {
        let bytes = message.len();
        let too_long = || format!("{self} cannot hold a message of {bytes} bytes");
        if bytes > FRAME_MAX_BYTES - DELIMITER_MAX_BYTES {
            return Err(too_long());
        }
        match self {
            Framing::Length { is_short, is_inclusive, is_little } => {
                let width = if *is_short { 2 } else { 4 };
                let length = bytes + if *is_inclusive { width } else { 0 };
                if *is_short && length > usize::from(u16::MAX) {
                    return Err(too_long());
                }
                let mut digits = (length as u32).to_be_bytes()[4 - width..].to_vec();
                if *is_little {
                    digits.reverse();
                }
                Ok([&digits, message].concat())
            }
            Framing::Llzz => {
                let length = u16::try_from(bytes + 4).map_err(|_| too_long())?;
                Ok([&length.to_be_bytes()[..], &[0, 0], message].concat())
            }
            Framing::Delimiter(end) if position(message, end).is_some() => {
                Err("the message has the delimiter in it".to_owned())
            }
            Framing::Delimiter(end) => Ok([message, end].concat()),
            Framing::Fixed(fixed) if *fixed != bytes => {
                Err(format!("the message has {bytes} bytes; {self} needs {fixed}"))
            }
            Framing::Fixed(_) => Ok(message.to_vec()),
        }
    }

    /// The first message of the bytes; nothing while its frame is not whole. `searched` bytes of them have been given before
    /// without a whole frame.
    ///
    /// # Errors
    /// The bytes are no frame.
    pub fn scan(&self, bytes: &[u8], searched: usize) -> Result<Option<Found>, Malformed> {
        let place = match self {
            Framing::Length { is_short, is_inclusive, is_little } => {
                let width = if *is_short { 2 } else { 4 };
                let Some(digits) = bytes.get(..width) else { return Ok(None) };
                let add = |length: usize, byte: &u8| length << 8 | usize::from(*byte);
                let length = match is_little {
                    true => digits.iter().rev().fold(0, add),
                    false => digits.iter().fold(0, add),
                };
                let own = if *is_inclusive { width } else { 0 };
                let length =
                    length.checked_sub(own).ok_or(Malformed("its length is less than its own bytes"))?;
                width..width + length
            }
            Framing::Llzz => {
                let Some(header) = bytes.first_chunk::<4>() else { return Ok(None) };
                let length = usize::from(u16::from_be_bytes([header[0], header[1]]));
                if length < 4 || header[2..] != [0, 0] {
                    return Err(Malformed("its first four bytes are not LLZZ"));
                }
                4..length
            }
            Framing::Fixed(fixed) => 0..*fixed,
            Framing::Delimiter(end) => {
                // The first bytes of the delimiter may have come before.
                let from = searched.saturating_sub(end.len() - 1);
                let found = position(&bytes[from..], end).map(|at| from + at);
                return match found {
                    Some(at) => Ok(Some(Found { message: 0..at, end: at + end.len() })),
                    None if bytes.len() > FRAME_MAX_BYTES => Err(TOO_LONG),
                    None => Ok(None),
                };
            }
        };
        if place.end > FRAME_MAX_BYTES {
            return Err(TOO_LONG);
        }
        Ok((bytes.len() >= place.end).then_some(Found { end: place.end, message: place }))
    }
}

const TOO_LONG: Malformed = Malformed("its frame is longer than 64 MiB");

fn position(bytes: &[u8], end: &[u8]) -> Option<usize> {
    bytes.windows(end.len()).position(|window| window == end)
}

fn delimiter(hex: &str) -> Option<Framing> {
    let digits = hex.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
        pair.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u8::from_str_radix(pair, 16).ok())?
    });
    let bytes: Vec<u8> = digits.collect::<Option<_>>()?;
    (1..=DELIMITER_MAX_BYTES).contains(&bytes.len()).then_some(Framing::Delimiter(bytes))
}

impl fmt::Display for Framing {
    /// The words that [`Framing::parse`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Framing::Length { is_short, is_inclusive, is_little } => {
                f.write_str("length")?;
                let words = [(is_short, "-2"), (is_inclusive, "-inclusive"), (is_little, "-little")];
                words.iter().filter(|(is_set, _)| **is_set).try_for_each(|(_, word)| f.write_str(word))
            }
            Framing::Llzz => f.write_str("llzz"),
            Framing::Delimiter(end) => {
                f.write_str("delimiter:")?;
                end.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
            Framing::Fixed(bytes) => write!(f, "fixed:{bytes}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [&str; 13] = [
        "length",
        "length-2",
        "length-inclusive",
        "length-little",
        "length-2-inclusive",
        "length-2-little",
        "length-inclusive-little",
        "length-2-inclusive-little",
        "llzz",
        "delimiter:0d0a",
        "delimiter:ff",
        "fixed:5",
        "fixed:80",
    ];

    fn framing(text: &str) -> Framing {
        Framing::parse(text).unwrap_or_else(|message| panic!("{message}"))
    }

    #[test]
    fn frames_are_those_of_the_words() {
        for (words, frame) in [
            ("length", &b"\0\0\0\x05HELLO"[..]),
            ("length-2-inclusive", b"\0\x07HELLO"),
            ("length-inclusive-little", b"\x09\0\0\0HELLO"),
            ("llzz", b"\0\x09\0\0HELLO"),
            ("delimiter:0D0a", b"HELLO\r\n"),
            ("fixed:5", b"HELLO"),
        ] {
            assert_eq!(framing(words).frame(b"HELLO").as_deref(), Ok(frame), "{words}");
        }
    }

    #[test]
    fn words_and_messages_that_cannot_be_are_told() {
        for words in
            ["", "length-3", "length-2-2", "llzz-2", "delimiter:", "delimiter:0", "fixed:0", "fixed:x"]
        {
            assert!(Framing::parse(words).is_err(), "{words}");
        }
        assert!(
            Framing::parse("delimiter:+1").is_err()
                && Framing::parse("delimiter:001122334455667788").is_err()
        );
        assert!(framing("length-2").frame(&[0; 65_536]).is_err());
        assert!(framing("llzz").frame(&[0; 65_532]).is_err());
        assert!(framing("fixed:5").frame(b"four").is_err());
        assert!(framing("delimiter:0a").frame(b"a\nb").is_err());
        assert!(framing("llzz").scan(b"\0\x03\0\0", 0).is_err());
        assert!(framing("llzz").scan(b"\0\x09\0\x01HELLO", 0).is_err());
        assert!(framing("length-inclusive").scan(b"\0\0\0\x03", 0).is_err());
        assert!(framing("length").scan(b"\xff\xff\xff\xff", 0).is_err());
    }

    proptest! {
        #[test]
        fn a_frame_in_pieces_gives_its_message(which in 0..ALL.len(), message in prop::collection::vec(0_u8..9, 0..200)) {
            let framing = framing(ALL[which]);
            prop_assert_eq!(framing.to_string(), ALL[which]);
            let Ok(frame) = framing.frame(&message) else {
                prop_assert!(matches!(framing, Framing::Fixed(_)));
                return Ok(());
            };
            for length in 0..frame.len() {
                prop_assert_eq!(framing.scan(&frame[..length], length.saturating_sub(1)).unwrap(), None);
            }
            let found = framing.scan(&frame, frame.len() - 1).unwrap().unwrap();
            prop_assert_eq!((&frame[found.message], found.end), (&message[..], frame.len()));
        }

        #[test]
        fn any_bytes_are_taken_without_a_panic(which in 0..ALL.len(), bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = framing(ALL[which]).scan(&bytes, 0);
        }
    }
}
