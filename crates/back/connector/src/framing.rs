//! Framing: where a message begins and ends in a stream of bytes. Pure: it reads and writes no socket.
//!
//! A framing does not look into messages. [`Framing::write`] makes the bytes around a message.
//! [`Framing::scan`] finds the next message of a stream, or says why there is none.

use std::ops::Range;

use memchr::memmem;

/// The bytes of the header of [`Framing::Gantry`], with its length field.
pub const GANTRY_HEADER_BYTES: usize = 16;

/// The version of the header of [`Framing::Gantry`].
const GANTRY_VERSION: u8 = 1;

/// The longest delimiter, in bytes.
pub const DELIMITER_MAX_BYTES: usize = 8;

/// How messages lie in a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Framing {
    /// A length in front of each message.
    Length(Length),
    /// A length of two bytes and two bytes of zeros, as in IMS (LLZZ). The length counts these four
    /// bytes, too.
    Llzz,
    /// A delimiter behind each message. No message contains it.
    Delimiter(Vec<u8>),
    /// All messages have this number of bytes, at least 1.
    Fixed(usize),
    /// Gantry's own: a header of 16 bytes with a correlation id.
    Gantry,
}

/// A length in front of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// The number of its bytes.
    pub width: Width,
    /// True if it counts its own bytes, too.
    pub inclusive: bool,
    /// The order of its bytes.
    pub order: Order,
}

/// The number of bytes of a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Two: messages have at most 65,535 bytes.
    Two,
    /// Four.
    Four,
}

/// The order of the bytes of a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The highest comes first, as on mainframes and in networks.
    Big,
    /// The lowest comes first.
    Little,
}

/// The type of a frame of [`Framing::Gantry`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrameType {
    /// A request, whose reply has the same correlation id.
    #[default]
    Request = 1,
    /// The reply to a request.
    Reply = 2,
    /// A request without a reply.
    OneWay = 3,
    /// Asks whether the other side is there.
    Heartbeat = 4,
    /// Answers a heartbeat.
    HeartbeatAck = 5,
    /// No more requests may come on this connection.
    GoAway = 6,
}

impl FrameType {
    fn of(byte: u8) -> Option<Self> {
        use FrameType::{GoAway, Heartbeat, HeartbeatAck, OneWay, Reply, Request};
        [Request, Reply, OneWay, Heartbeat, HeartbeatAck, GoAway].into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// The fields of the header of [`Framing::Gantry`]. For other framings they have no meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// The type of the frame.
    pub frame_type: FrameType,
    /// The number by which a reply finds its request.
    pub correlation: u64,
    /// The message goes on in the next frame with this type and correlation id.
    pub goes_on: bool,
}

/// The flag of a frame whose message goes on.
const GOES_ON: u16 = 1;

/// The bytes around a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Around<'f> {
    header: [u8; GANTRY_HEADER_BYTES],
    header_bytes: usize,
    trailer: &'f [u8],
}

impl Around<'_> {
    /// The bytes in front of the message.
    #[must_use]
    pub fn header(&self) -> &[u8] {
        &self.header[..self.header_bytes]
    }

    /// The bytes behind it.
    #[must_use]
    pub fn trailer(&self) -> &[u8] {
        self.trailer
    }
}

/// A stream, as far as its bytes have come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scan {
    /// The frame is not whole.
    More {
        /// The bytes of the whole frame, if they are known already.
        frame_bytes: Option<usize>,
        /// The beginning of the message, if it is known already.
        message_at: Option<usize>,
    },
    /// A whole frame.
    Frame {
        /// The range of the message.
        message: Range<usize>,
        /// The beginning of the next frame.
        end: usize,
        /// The fields of the header.
        label: Label,
    },
}

/// Why bytes are not a frame, or why a message does not fit into one: a text for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(pub String);

impl Framing {
    /// Makes the bytes around a message.
    ///
    /// # Errors
    /// The frame cannot hold the message.
    pub fn write(&self, message: &[u8], label: Label) -> Result<Around<'_>, Fault> {
        let bytes = message.len();
        let mut header = [0; GANTRY_HEADER_BYTES];
        let mut trailer: &[u8] = &[];
        let header_bytes = match self {
            Framing::Length(length) => length.write(bytes, &mut header)?,
            Framing::Llzz => {
                let all = u16::try_from(bytes + 4).map_err(|_| too_long(bytes, usize::from(u16::MAX) - 4))?;
                header[..2].copy_from_slice(&all.to_be_bytes());
                4
            }
            Framing::Delimiter(delimiter) => {
                if let Some(at) = self.delimiter_in(message, delimiter) {
                    return Err(Fault(format!("the message has the delimiter in it, at offset {at}")));
                }
                trailer = delimiter;
                0
            }
            Framing::Fixed(wanted) if *wanted == bytes => 0,
            Framing::Fixed(wanted) => {
                return Err(Fault(format!("expected a message of {wanted} bytes, found {bytes}")));
            }
            Framing::Gantry => {
                let counted = u32::try_from(bytes + GANTRY_HEADER_BYTES - 4);
                let counted = counted.map_err(|_| too_long(bytes, u32::MAX as usize - 12))?;
                header[..4].copy_from_slice(&counted.to_be_bytes());
                header[4] = GANTRY_VERSION;
                header[5] = label.frame_type as u8;
                header[6..8].copy_from_slice(&(if label.goes_on { GOES_ON } else { 0 }).to_be_bytes());
                header[8..].copy_from_slice(&label.correlation.to_be_bytes());
                GANTRY_HEADER_BYTES
            }
        };
        Ok(Around { header, header_bytes, trailer })
    }

    /// Finds the delimiter in the message. It may also begin in the message's last bytes and end in
    /// the real delimiter.
    fn delimiter_in(&self, message: &[u8], delimiter: &[u8]) -> Option<usize> {
        let inside = find(message, delimiter);
        if inside.is_some() || delimiter.len() < 2 {
            return inside;
        }
        let from = message.len().saturating_sub(delimiter.len() - 1);
        let overlap = [&message[from..], delimiter].concat();
        find(&overlap, delimiter).map(|at| from + at).filter(|at| *at < message.len())
    }

    /// Looks for the first frame of a stream. A frame has at most `frame_max_bytes`.
    ///
    /// # Errors
    /// The bytes are not a frame, or the frame is too long.
    pub fn scan(&self, bytes: &[u8], frame_max_bytes: usize) -> Result<Scan, Fault> {
        self.scan_on(bytes, 0, frame_max_bytes)
    }

    /// The same for a stream that was scanned before and has grown. The first `scanned` bytes have no
    /// whole frame in them. So a frame that comes in many small pieces is searched only once for its
    /// delimiter.
    ///
    /// # Errors
    /// The bytes are not a frame, or the frame is too long.
    pub fn scan_on(&self, bytes: &[u8], scanned: usize, frame_max_bytes: usize) -> Result<Scan, Fault> {
        let no_header = Scan::More { frame_bytes: None, message_at: None };
        let (message_at, frame_bytes, label) = match self {
            Framing::Length(length) => match length.read(bytes)? {
                Some((at, all)) => (at, all, Label::default()),
                None => return Ok(no_header),
            },
            Framing::Llzz => match bytes {
                [high, low, zeros @ ..] if !zeros.is_empty() => {
                    let all = usize::from(u16::from_be_bytes([*high, *low]));
                    if zeros.iter().take(2).any(|zero| *zero != 0) {
                        return Err(Fault("expected zeros behind the length".to_owned()));
                    }
                    if all < 4 {
                        return Err(Fault(format!("expected a length of at least 4, found {all}")));
                    }
                    (4, all, Label::default())
                }
                _ => return Ok(no_header),
            },
            Framing::Delimiter(delimiter) => {
                // A delimiter may have begun in the bytes that were scanned.
                let from = (scanned + 1).saturating_sub(delimiter.len());
                return scan_delimited(bytes, from, delimiter, frame_max_bytes);
            }
            Framing::Fixed(all) => (0, *all, Label::default()),
            Framing::Gantry => match read_gantry(bytes)? {
                Some((all, label)) => (GANTRY_HEADER_BYTES, all, label),
                None => return Ok(no_header),
            },
        };
        if frame_bytes > frame_max_bytes {
            let message = format!("the frame has {frame_bytes} bytes; at most {frame_max_bytes} are taken");
            return Err(Fault(message));
        }
        if bytes.len() < frame_bytes {
            return Ok(Scan::More { frame_bytes: Some(frame_bytes), message_at: Some(message_at) });
        }
        Ok(Scan::Frame { message: message_at..frame_bytes, end: frame_bytes, label })
    }

    /// Reads the header of a frame that is not whole; none if the header is not whole, or has no
    /// fields.
    #[must_use]
    pub fn label(&self, bytes: &[u8]) -> Option<Label> {
        match self {
            Framing::Gantry => read_gantry(bytes).ok().flatten().map(|(_, label)| label),
            _ => None,
        }
    }

    /// The bytes behind each message.
    #[must_use]
    pub fn trailer(&self) -> &[u8] {
        match self {
            Framing::Delimiter(delimiter) => delimiter,
            _ => &[],
        }
    }

    /// The number of bytes around a message.
    #[must_use]
    pub fn around_bytes(&self) -> usize {
        match self {
            Framing::Length(length) => length.bytes(),
            Framing::Llzz => 4,
            Framing::Delimiter(delimiter) => delimiter.len(),
            Framing::Fixed(_) => 0,
            Framing::Gantry => GANTRY_HEADER_BYTES,
        }
    }

    /// True if several requests may be under way on one connection, because replies name their requests.
    #[must_use]
    pub fn correlates(&self) -> bool {
        *self == Framing::Gantry
    }
}

fn too_long(bytes: usize, most: usize) -> Fault {
    Fault(format!("the message has {bytes} bytes; the frame holds at most {most}"))
}

impl Length {
    fn bytes(self) -> usize {
        match self.width {
            Width::Two => 2,
            Width::Four => 4,
        }
    }

    /// Writes the length of a message. Gives the number of bytes that the length takes.
    fn write(self, bytes: usize, header: &mut [u8; GANTRY_HEADER_BYTES]) -> Result<usize, Fault> {
        let own = self.bytes();
        let counted = bytes + if self.inclusive { own } else { 0 };
        let most = match self.width {
            Width::Two => usize::from(u16::MAX),
            Width::Four => u32::MAX as usize,
        };
        if counted > most {
            return Err(too_long(bytes, most - (counted - bytes)));
        }
        let all = (counted as u32).to_be_bytes();
        let field = &mut header[..own];
        field.copy_from_slice(&all[4 - own..]);
        if self.order == Order::Little {
            field.reverse();
        }
        Ok(own)
    }

    /// The beginning of the message and the bytes of the frame; none if the length is not whole.
    fn read(self, bytes: &[u8]) -> Result<Option<(usize, usize)>, Fault> {
        let own = self.bytes();
        let Some(field) = bytes.get(..own) else { return Ok(None) };
        let add = |sum: usize, byte: &u8| sum << 8 | usize::from(*byte);
        let counted = match self.order {
            Order::Big => field.iter().fold(0, add),
            Order::Little => field.iter().rev().fold(0, add),
        };
        match self.inclusive {
            false => Ok(Some((own, own + counted))),
            true if counted < own => {
                Err(Fault(format!("expected a length of at least {own}, found {counted}")))
            }
            true => Ok(Some((own, counted))),
        }
    }
}

fn read_gantry(bytes: &[u8]) -> Result<Option<(usize, Label)>, Fault> {
    let Some(header) = bytes.first_chunk::<GANTRY_HEADER_BYTES>() else { return Ok(None) };
    let [a, b, c, d, version, kind, high, low, ..] = header;
    let counted = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
    if *version != GANTRY_VERSION {
        return Err(Fault(format!("expected version {GANTRY_VERSION} of the frame, found {version}")));
    }
    let frame_type = FrameType::of(*kind).ok_or_else(|| Fault(format!("there is no frame type {kind}")))?;
    let flags = u16::from_be_bytes([*high, *low]);
    if flags & !GOES_ON != 0 {
        return Err(Fault(format!("expected no flags in the frame but {GOES_ON}, found {flags}")));
    }
    if counted < GANTRY_HEADER_BYTES - 4 {
        return Err(Fault(format!("expected a length of at least 12, found {counted}")));
    }
    let correlation = header.last_chunk::<8>().map_or(0, |id| u64::from_be_bytes(*id));
    Ok(Some((counted + 4, Label { frame_type, correlation, goes_on: flags == GOES_ON })))
}

/// Looks for the delimiter from `from` on.
fn scan_delimited(
    bytes: &[u8],
    from: usize,
    delimiter: &[u8],
    frame_max_bytes: usize,
) -> Result<Scan, Fault> {
    let rest = bytes.get(from..).unwrap_or_default();
    match find(rest, delimiter).map(|at| from + at) {
        Some(at) if at + delimiter.len() <= frame_max_bytes => {
            Ok(Scan::Frame { message: 0..at, end: at + delimiter.len(), label: Label::default() })
        }
        None if bytes.len() < frame_max_bytes => Ok(Scan::More { frame_bytes: None, message_at: Some(0) }),
        _ => Err(Fault(format!("no delimiter within {frame_max_bytes} bytes"))),
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    memmem::find(bytes, wanted)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MAX: usize = 1 << 20;

    fn all() -> Vec<Framing> {
        let mut all = vec![
            Framing::Llzz,
            Framing::Delimiter(b"\x15".to_vec()),
            Framing::Delimiter(b"\r\n\r".to_vec()),
            Framing::Fixed(7),
            Framing::Gantry,
        ];
        for width in [Width::Two, Width::Four] {
            for inclusive in [false, true] {
                for order in [Order::Big, Order::Little] {
                    all.push(Framing::Length(Length { width, inclusive, order }));
                }
            }
        }
        all
    }

    fn frame(framing: &Framing, message: &[u8], label: Label) -> Result<Vec<u8>, Fault> {
        let around = framing.write(message, label)?;
        Ok([around.header(), message, around.trailer()].concat())
    }

    /// Bytes that often have the beginning of a delimiter in them.
    fn delimited_bytes(count: Range<usize>) -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![Just(b'\r'), Just(b'\n'), Just(0x15), any::<u8>()];
        proptest::collection::vec(byte, count)
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            message in proptest::collection::vec(any::<u8>(), 0..300),
            after in proptest::collection::vec(any::<u8>(), 0..20),
            (correlation, goes_on) in any::<(u64, bool)>(),
        ) {
            let label = Label { frame_type: FrameType::Reply, correlation, goes_on };
            for framing in all() {
                let Ok(written) = frame(&framing, &message, label) else { continue };
                let stream = [&written[..], &after].concat();
                let Ok(Scan::Frame { message: at, end, label: read }) = framing.scan(&stream, MAX) else {
                    panic!("{framing:?}: {stream:?}");
                };
                prop_assert_eq!(&stream[at], &message[..]);
                prop_assert_eq!(end, written.len());
                if framing.correlates() {
                    prop_assert_eq!(read, label);
                }
                // A part of a frame must never pass for a whole frame.
                for part in 0..written.len() {
                    let scan = framing.scan(&written[..part], MAX);
                    let is_more = matches!(scan, Ok(Scan::More { .. }));
                    prop_assert!(is_more, "{:?} {} {:?}", framing, part, scan);
                }
            }
        }

        #[test]
        fn a_frame_that_comes_in_pieces_is_found_as_if_it_came_at_once(
            (message, after) in (delimited_bytes(0..60), delimited_bytes(0..10)),
            pieces in proptest::collection::vec(1_usize..9, 80),
        ) {
            for framing in all() {
                let stream = match frame(&framing, &message, Label::default()) {
                    Ok(written) => [&written[..], &after].concat(),
                    Err(_) => [&message[..], &after].concat(),
                };
                let (mut scanned, mut come) = (0, 0);
                for piece in &pieces {
                    come = (come + piece).min(stream.len());
                    let found = framing.scan_on(&stream[..come], scanned, 50);
                    prop_assert_eq!(&found, &framing.scan(&stream[..come], 50), "{:?} {}", framing, come);
                    if !matches!(found, Ok(Scan::More { .. })) {
                        break;
                    }
                    scanned = come;
                }
            }
        }

        #[test]
        fn any_bytes_are_judged(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            for framing in all() {
                if let Ok(Scan::Frame { message, end, .. }) = framing.scan(&bytes, 40) {
                    prop_assert!(message.end <= end && end <= bytes.len() && end <= 40);
                }
            }
        }
    }

    #[test]
    fn bytes_that_were_scanned_are_not_searched_again() {
        let framing = Framing::Delimiter(b"\r\n".to_vec());
        // The first delimiter shows that the search does not go back further than it must.
        let bytes = b"ABC\r\nDEF\r\n";
        let end = |scanned| match framing.scan_on(bytes, scanned, MAX) {
            Ok(Scan::Frame { end, .. }) => end,
            other => panic!("{other:?}"),
        };
        assert_eq!([0, 4, 5, 9].map(end), [5, 5, 10, 10]);
        assert!(matches!(framing.scan_on(bytes, 10, MAX), Ok(Scan::More { .. })));
    }

    #[test]
    fn frames_are_as_documented() {
        let length = |width, inclusive, order| Framing::Length(Length { width, inclusive, order });
        for (framing, expected) in [
            (length(Width::Four, false, Order::Big), &b"\0\0\0\x02AB"[..]),
            (length(Width::Four, true, Order::Big), b"\0\0\0\x06AB"),
            (length(Width::Two, false, Order::Little), b"\x02\0AB"),
            (length(Width::Two, true, Order::Big), b"\0\x04AB"),
            (Framing::Llzz, b"\0\x06\0\0AB"),
            (Framing::Delimiter(b"\x15".to_vec()), b"AB\x15"),
            (Framing::Gantry, b"\0\0\0\x0e\x01\x01\0\0\0\0\0\0\0\0\0\x09AB"),
        ] {
            let label = Label { correlation: 9, ..Label::default() };
            assert_eq!(frame(&framing, b"AB", label).expect("a frame"), expected, "{framing:?}");
        }
    }

    #[test]
    fn what_a_frame_cannot_hold_is_refused() {
        let long = vec![0; 65_536];
        for (framing, message) in [
            (Framing::Llzz, &long[..]),
            (Framing::Length(Length { width: Width::Two, inclusive: false, order: Order::Big }), &long),
            (Framing::Fixed(3), b"AB"),
            (Framing::Delimiter(b"BC".to_vec()), b"ABCD"),
            // A delimiter begins one byte before the real one.
            (Framing::Delimiter(b"AAB".to_vec()), b"XAAA"),
        ] {
            let written = framing.write(message, Label::default());
            assert_eq!(written.is_err(), framing != Framing::Delimiter(b"AAB".to_vec()), "{framing:?}");
        }
        assert!(Framing::Delimiter(b"ABA".to_vec()).write(b"XAB", Label::default()).is_err());
    }

    #[test]
    fn faulty_frames_are_refused() {
        for (framing, bytes) in [
            (Framing::Llzz, &b"\0\x03\0\0"[..]),
            (Framing::Llzz, b"\0\x08\x01\0"),
            (
                Framing::Length(Length { width: Width::Four, inclusive: true, order: Order::Big }),
                b"\0\0\0\x03",
            ),
            (
                Framing::Length(Length { width: Width::Four, inclusive: false, order: Order::Big }),
                b"\x7f\0\0\0",
            ),
            (Framing::Gantry, b"\0\0\0\x0b\x01\x01\0\0\0\0\0\0\0\0\0\0"),
            (Framing::Gantry, b"\0\0\0\x0c\x02\x01\0\0\0\0\0\0\0\0\0\0"),
            (Framing::Gantry, b"\0\0\0\x0c\x01\x07\0\0\0\0\0\0\0\0\0\0"),
            (Framing::Gantry, b"\0\0\0\x0c\x01\x01\0\x02\0\0\0\0\0\0\0\0"),
        ] {
            assert!(framing.scan(bytes, MAX).is_err(), "{framing:?} {bytes:?}");
        }
        assert!(Framing::Delimiter(vec![0]).scan(&[1; 10], 10).is_err());
    }
}
