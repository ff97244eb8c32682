//! Messages of a link in a stream of bytes: each after its length in four bytes, the lowest first.

use wire::BadMessage;

use super::message::Message;

/// Bytes of the length before a message.
const LENGTH_BYTES: usize = 4;

/// The most memory that is kept for the next messages.
const KEPT_MAX_BYTES: usize = 1 << 20;

/// Adds a message with its length.
pub fn put(to: &mut Vec<u8>, message: &Message) {
    let start = to.len();
    to.extend([0; LENGTH_BYTES]);
    message.encode(to);
    let length = (to.len() - start - LENGTH_BYTES) as u32;
    to[start..start + LENGTH_BYTES].copy_from_slice(&length.to_le_bytes());
}

/// Why a message was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsent {
    /// It is longer than the other side takes, which would end the connection. Other messages can still be
    /// sent.
    TooLong {
        /// Its bytes.
        bytes: usize,
        /// The most that are taken.
        most: usize,
    },
    /// The connection is broken or closed.
    Closed,
}

/// Adds a message with its length, if the other side takes it.
///
/// # Errors
/// It is longer than `frame_max_bytes`, and nothing was added.
pub(super) fn put_within(to: &mut Vec<u8>, message: &Message, frame_max_bytes: usize) -> Result<(), Unsent> {
    let start = to.len();
    put(to, message);
    let bytes = to.len() - start - LENGTH_BYTES;
    if bytes <= frame_max_bytes {
        return Ok(());
    }
    to.truncate(start);
    to.shrink_to(KEPT_MAX_BYTES);
    Err(Unsent::TooLong { bytes, most: frame_max_bytes })
}

/// Messages out of the bytes that have come so far.
#[derive(Debug)]
pub struct Frames {
    bytes: Vec<u8>,
    /// How many of them are taken.
    taken: usize,
    frame_max_bytes: usize,
}

impl Frames {
    /// No bytes yet. Messages longer than `frame_max_bytes` are faults as soon as their length is there.
    #[must_use]
    pub fn new(frame_max_bytes: usize) -> Self {
        Self { bytes: Vec::new(), taken: 0, frame_max_bytes }
    }

    /// The most bytes of a message.
    pub(super) fn frame_max_bytes(&self) -> usize {
        self.frame_max_bytes
    }

    /// Where further bytes go.
    pub fn room(&mut self) -> &mut Vec<u8> {
        self.bytes.drain(..self.taken);
        self.taken = 0;
        if self.bytes.is_empty() && self.bytes.capacity() > KEPT_MAX_BYTES {
            self.bytes = Vec::new();
        }
        &mut self.bytes
    }

    /// True if a part of a message is there.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.taken < self.bytes.len()
    }

    /// The next message, if it is there as a whole.
    ///
    /// # Errors
    /// The frame is too long, or its bytes are not a message. The bytes after it cannot be read any more.
    pub fn next_message(&mut self) -> Result<Option<Message>, BadMessage> {
        let rest = &self.bytes[self.taken..];
        let Some((length, rest)) = rest.split_first_chunk::<LENGTH_BYTES>() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length > self.frame_max_bytes {
            return Err(BadMessage("a message is longer than frame_max_bytes"));
        }
        let Some(message) = rest.get(..length) else { return Ok(None) };
        let message = Message::decode(message)?;
        self.taken += LENGTH_BYTES + length;
        Ok(Some(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_out_whole_however_the_bytes_come() {
        let messages =
            [Message::Ping, Message::Cancel { id: 7 }, Message::Refused { reason: "why".to_owned() }];
        let mut bytes = Vec::new();
        messages.iter().for_each(|message| put(&mut bytes, message));
        for step in 1..=bytes.len() {
            let (mut frames, mut found) = (Frames::new(100), Vec::new());
            for part in bytes.chunks(step) {
                frames.room().extend(part);
                while let Some(message) = frames.next_message().expect("messages") {
                    found.push(message);
                }
            }
            assert_eq!(found, messages, "{step}");
            assert!(!frames.has_begun());
        }
    }

    #[test]
    fn a_message_that_the_other_side_would_refuse_is_not_put() {
        let (mut bytes, ping, long) =
            (Vec::new(), Message::Ping, Message::Refused { reason: "x".repeat(100) });
        put_within(&mut bytes, &ping, 100).expect("it is short");
        let before = bytes.clone();
        let refused = put_within(&mut bytes, &long, 100);
        assert!(matches!(refused, Err(Unsent::TooLong { bytes: 101.., most: 100 })), "{refused:?}");
        assert_eq!(bytes, before);
        let mut alone = Vec::new();
        put(&mut alone, &long);
        let exactly = alone.len() - LENGTH_BYTES;
        put_within(&mut bytes, &long, exactly).expect("it just fits");
        let mut frames = Frames::new(exactly);
        frames.room().extend(bytes);
        assert_eq!(frames.next_message().expect("a message"), Some(ping));
        assert_eq!(frames.next_message().expect("a message"), Some(long));
    }

    #[test]
    fn a_length_is_refused_before_its_bytes_come() {
        let mut frames = Frames::new(100);
        frames.room().extend(101_u32.to_le_bytes());
        assert!(frames.next_message().is_err());
        let mut empty = Frames::new(100);
        empty.room().extend(0_u32.to_le_bytes());
        assert!(empty.next_message().is_err());
    }
}
