//! A message and its descriptor: the facts about it besides its body.

use std::fmt;
use std::time::Duration;

use crate::id::{CorrelationId, MessageId};
use crate::name::{ManagerName, QueueName};
use crate::property::{Property, PropertyValue};
use crate::report::Report;

/// Milliseconds since 1970-01-01 in UTC. Callers have the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub u64);

impl Moment {
    /// The moment this number of milliseconds later.
    #[must_use]
    pub fn plus_ms(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Milliseconds since an earlier moment; 0 if it is later.
    #[must_use]
    pub fn since_ms(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl From<Duration> for Moment {
    /// The moment this long after the start of 1970.
    fn from(since_1970: Duration) -> Self {
        Self(u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX))
    }
}

/// Whether a message outlives a restart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Persistence {
    /// It never touches the disk.
    #[default]
    NonPersistent,
    /// It is on disk before its put is acknowledged.
    Persistent,
}

/// From 0, the lowest, to 9.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(u8);

impl Priority {
    /// The highest.
    pub const MAX: Self = Self(9);

    /// A priority; `None` above 9.
    #[must_use]
    pub fn new(number: u8) -> Option<Self> {
        (number <= 9).then_some(Self(number))
    }

    /// 0 to 9.
    #[must_use]
    pub fn number(self) -> u8 {
        self.0
    }
}

/// How long a new message may wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Expiry {
    /// For ever.
    #[default]
    Unlimited,
    /// This number of milliseconds from its put on.
    AfterMs(u64),
}

/// The part of a message in a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// It asks for a reply.
    Request,
    /// It is a reply.
    Reply,
    /// It needs no reply.
    #[default]
    Datagram,
    /// It reports the fate of another message.
    Report,
    /// A kind that programs have agreed on: 65,536 (`MQMT_APPL_FIRST`) to 999,999,999 (`MQMT_APPL_LAST`).
    /// [`Kind::of_number`] makes it.
    Application(ApplicationKind),
}

/// The number of a kind that programs have agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ApplicationKind(u32);

impl ApplicationKind {
    /// The number.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

impl Kind {
    /// Its number in IBM MQ: `MQMT_`.
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            Self::Request => 1,
            Self::Reply => 2,
            Self::Report => 4,
            Self::Datagram => 8,
            Self::Application(kind) => kind.number(),
        }
    }

    /// The kind of a number; `None` for a number that IBM MQ reserves or does not know.
    #[must_use]
    pub fn of_number(number: u32) -> Option<Self> {
        match number {
            1 => Some(Self::Request),
            2 => Some(Self::Reply),
            4 => Some(Self::Report),
            8 => Some(Self::Datagram),
            65_536..=999_999_999 => Some(Self::Application(ApplicationKind(number))),
            _ => None,
        }
    }
}

/// The format of the body: 8 characters, padded with spaces on the right.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Format(pub [u8; 8]);

impl Format {
    /// Bytes without a known meaning: `MQFMT_NONE`.
    pub const NONE: Self = Self(*b"        ");
    /// Text: `MQFMT_STRING`.
    pub const STRING: Self = Self(*b"MQSTR   ");
    /// MQDLH, and behind it a body whose format MQDLH names: `MQFMT_DEAD_LETTER_HEADER`.
    pub const DEAD_LETTER: Self = Self(*b"MQDEAD  ");

    /// A format by its name; `None` if it has more than 8 characters, or other characters than visible ASCII.
    #[must_use]
    pub fn new(name: &str) -> Option<Self> {
        let visible = name.bytes().all(|byte| byte.is_ascii_graphic());
        if name.len() > 8 || !visible {
            return None;
        }
        let mut padded = *b"        ";
        padded[..name.len()].copy_from_slice(name.as_bytes());
        Some(Self(padded))
    }

    /// Its name without the spaces at the end. Bytes that are not ASCII are shown as `?`.
    #[must_use]
    pub fn name(&self) -> String {
        let shown: String = self
            .0
            .iter()
            .map(|&byte| if byte.is_ascii_graphic() || byte == b' ' { char::from(byte) } else { '?' })
            .collect();
        shown.trim_end().to_owned()
    }
}

impl Default for Format {
    fn default() -> Self {
        Self::NONE
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// The coded character set of the text in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ccsid(pub u32);

impl Ccsid {
    /// UTF-8.
    pub const UTF_8: Self = Self(1208);
}

impl Default for Ccsid {
    fn default() -> Self {
        Self::UTF_8
    }
}

/// The form of numbers in a body: the sum that IBM MQ calls `MQENC_`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Encoding(pub u32);

impl Encoding {
    /// Integers and packed decimals with the high byte first, floats of the S/390: `MQENC_S390`.
    pub const S390: Self = Self(785);
    /// Low byte first, floats of IEEE.
    pub const LITTLE_ENDIAN: Self = Self(546);
}

impl Default for Encoding {
    fn default() -> Self {
        Self::LITTLE_ENDIAN
    }
}

/// The target of a reply.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReplyTo {
    /// The queue.
    pub queue: QueueName,
    /// The manager of the queue; none for the manager that has the request.
    pub manager: Option<ManagerName>,
}

/// The facts about a message besides its body and properties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Descriptor {
    /// Its id.
    pub message_id: MessageId,
    /// The id that connects it with others.
    pub correlation_id: CorrelationId,
    /// Whether it outlives a restart.
    pub persistence: Persistence,
    /// Its priority.
    pub priority: Priority,
    /// The moment when it expires; none for never.
    pub expires: Option<Moment>,
    /// Its part in a conversation.
    pub kind: Kind,
    /// The format of its body.
    pub format: Format,
    /// The character set of text in it.
    pub ccsid: Ccsid,
    /// The form of numbers in it.
    pub encoding: Encoding,
    /// The target of its reply.
    pub reply_to: Option<ReplyTo>,
    /// The moment of its put.
    pub put: Moment,
    /// The name of the caller who put it, or empty.
    pub user: String,
    /// The number of its backed-out gets.
    pub backout_count: u32,
    /// In a report: its subject. On a backout queue: the number of the [`Reason`](crate::Reason) for the
    /// backout. Else: a number from the sender, 0 for none.
    pub feedback: u32,
    /// The reports that its sender wants.
    pub report: Report,
}

impl Descriptor {
    /// Milliseconds until it expires; none for never.
    #[must_use]
    pub fn remaining_ms(&self, now: Moment) -> Option<u64> {
        self.expires.map(|expires| expires.since_ms(now))
    }

    /// True if its time is over.
    #[must_use]
    pub fn is_expired(&self, now: Moment) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }
}

/// A message that was got or browsed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    /// Its descriptor.
    pub descriptor: Descriptor,
    /// Its properties, in the order in which they were put.
    pub properties: Vec<Property>,
    /// Its body.
    pub body: Vec<u8>,
}

/// A message for a put. The queue or its manager decides the values that are none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewMessage {
    /// Its id; none for a new one.
    pub message_id: Option<MessageId>,
    /// The id that connects it with others.
    pub correlation_id: CorrelationId,
    /// Whether it outlives a restart; none for the queue's default.
    pub persistence: Option<Persistence>,
    /// Its priority; none for the queue's default.
    pub priority: Option<Priority>,
    /// Its time until it expires.
    pub expiry: Expiry,
    /// Its part in a conversation.
    pub kind: Kind,
    /// The format of its body.
    pub format: Format,
    /// The character set of text in it.
    pub ccsid: Ccsid,
    /// The form of numbers in it.
    pub encoding: Encoding,
    /// The target of its reply.
    pub reply_to: Option<ReplyTo>,
    /// The name of the caller who puts it.
    pub user: String,
    /// A number for the receiver, such as the reason of a report; 0 if there is none.
    pub feedback: u32,
    /// The reports that its sender wants. They go to the reply-to queue.
    pub report: Report,
    /// Its properties.
    pub properties: Vec<Property>,
    /// Its body.
    pub body: Vec<u8>,
}

impl Message {
    /// The queue from which the message came to this backout queue; none if it came in another way.
    #[must_use]
    pub fn origin_queue(&self) -> Option<&str> {
        let mut all = self.properties.iter();
        match all.find(|property| property.name() == Property::ORIGIN_QUEUE)?.value() {
            PropertyValue::Text(queue) => Some(queue),
            _ => None,
        }
    }
}

impl NewMessage {
    /// A message with a body of text in UTF-8, and the queue's choices for the rest.
    #[must_use]
    pub fn text(body: impl Into<String>) -> Self {
        Self { format: Format::STRING, body: body.into().into_bytes(), ..Self::default() }
    }

    /// A message with a body of bytes, and the queue's choices for the rest.
    #[must_use]
    pub fn bytes(body: impl Into<Vec<u8>>) -> Self {
        Self { body: body.into(), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_eight_characters() {
        assert_eq!(Format::new("MQSTR"), Some(Format::STRING));
        assert_eq!(Format::new(""), Some(Format::NONE));
        assert_eq!((Format::new("NINECHARS"), Format::new("A B")), (None, None));
        assert_eq!((Format::STRING.name().as_str(), Format([0; 8]).name().as_str()), ("MQSTR", "????????"));
    }

    #[test]
    fn a_message_expires_at_its_moment() {
        let descriptor = Descriptor { expires: Some(Moment(100)), ..Descriptor::default() };
        assert_eq!(descriptor.remaining_ms(Moment(99)), Some(1));
        assert!(!descriptor.is_expired(Moment(99)) && descriptor.is_expired(Moment(100)));
        assert!(!Descriptor::default().is_expired(Moment(u64::MAX)));
    }

    #[test]
    fn kinds_have_the_numbers_of_ibm_mq() {
        for kind in [Kind::Request, Kind::Reply, Kind::Report, Kind::Datagram] {
            assert_eq!(Kind::of_number(kind.number()), Some(kind));
        }
        for number in [65_536, 999_999_999] {
            assert_eq!(Kind::of_number(number), Some(Kind::Application(ApplicationKind(number))));
        }
        for number in [0, 3, 65_535, 1_000_000_000, u32::MAX] {
            assert_eq!(Kind::of_number(number), None);
        }
        assert_eq!(Priority::new(10), None);
    }
}
