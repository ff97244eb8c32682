//! The bytes of a message in the store: a head of fixed length, the parts of variable length, and
//! the body.

use message::{
    Ccsid, CorrelationId, Descriptor, Encoding, Format, ID_BYTES, Kind, ManagerName, Message, MessageId,
    Moment, Persistence, Priority, Property, PropertyValue, QueueName, ReplyTo, Report,
};

use crate::index::NEVER;

/// The version of what follows: without report options, and with them. Gantry 0.2 reads neither report options nor the kinds of
/// programs.
const PLAIN: u8 = 1;
const WITH_REPORT: u8 = 2;

/// In the place of a kind's number: the number does not fit a byte, and stands behind the head.
const LONG_KIND: u8 = 0;

/// Bytes of the part that the index needs, without report options.
pub(crate) const HEAD_BYTES: usize = 1 + 2 * ID_BYTES + 2 + 2 * 8 + 4;

/// The fields of a message that the index needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) message_id: MessageId,
    pub(crate) correlation_id: CorrelationId,
    pub(crate) priority: Priority,
    pub(crate) expires: Moment,
    pub(crate) put: Moment,
    /// Backouts before the message came to this queue.
    pub(crate) backouts: u32,
    pub(crate) report: Report,
}

/// The bytes are not a message of a known version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Damaged;

/// A message as bytes. All messages in the store are persistent.
pub(crate) fn encode(message: &Message) -> Vec<u8> {
    let descriptor = &message.descriptor;
    let mut bytes = Vec::with_capacity(HEAD_BYTES + 64 + message.body.len());
    let report = descriptor.report;
    bytes.push(if report == Report::NONE { PLAIN } else { WITH_REPORT });
    bytes.extend_from_slice(&descriptor.message_id.0);
    bytes.extend_from_slice(&descriptor.correlation_id.0);
    bytes.push(descriptor.priority.number());
    let kind = u8::try_from(descriptor.kind.number()).unwrap_or(LONG_KIND);
    bytes.push(kind);
    bytes.extend_from_slice(&descriptor.expires.unwrap_or(NEVER).0.to_be_bytes());
    bytes.extend_from_slice(&descriptor.put.0.to_be_bytes());
    bytes.extend_from_slice(&descriptor.backout_count.to_be_bytes());
    if report != Report::NONE {
        bytes.extend_from_slice(&report.0.to_be_bytes());
    }
    if kind == LONG_KIND {
        bytes.extend_from_slice(&descriptor.kind.number().to_be_bytes());
    }
    bytes.extend_from_slice(&descriptor.format.0);
    for number in [descriptor.ccsid.0, descriptor.encoding.0, descriptor.feedback] {
        bytes.extend_from_slice(&number.to_be_bytes());
    }
    let reply_to = descriptor.reply_to.as_ref();
    let manager = reply_to.and_then(|reply_to| reply_to.manager.as_ref());
    part(&mut bytes, reply_to.map_or("", |reply_to| reply_to.queue.as_str()).as_bytes());
    part(&mut bytes, manager.map_or("", ManagerName::as_str).as_bytes());
    part(&mut bytes, descriptor.user.as_bytes());
    length(&mut bytes, message.properties.len());
    for property in &message.properties {
        part(&mut bytes, property.name().as_bytes());
        value(&mut bytes, property.value());
    }
    bytes.extend_from_slice(&message.body);
    bytes
}

fn length(bytes: &mut Vec<u8>, length: usize) {
    let length = u32::try_from(length).expect("messages are shorter than 4 GiB");
    bytes.extend_from_slice(&length.to_be_bytes());
}

fn part(bytes: &mut Vec<u8>, part: &[u8]) {
    length(bytes, part.len());
    bytes.extend_from_slice(part);
}

fn value(bytes: &mut Vec<u8>, value: &PropertyValue) {
    let mut put = |tag: u8, value: &[u8]| {
        bytes.push(tag);
        part(bytes, value);
    };
    match value {
        PropertyValue::Null => put(0, &[]),
        PropertyValue::Boolean(value) => put(1, &[u8::from(*value)]),
        PropertyValue::Int8(value) => put(2, &value.to_be_bytes()),
        PropertyValue::Int16(value) => put(3, &value.to_be_bytes()),
        PropertyValue::Int32(value) => put(4, &value.to_be_bytes()),
        PropertyValue::Int64(value) => put(5, &value.to_be_bytes()),
        PropertyValue::Float32(value) => put(6, &value.to_be_bytes()),
        PropertyValue::Float64(value) => put(7, &value.to_be_bytes()),
        PropertyValue::Text(value) => put(8, value.as_bytes()),
        PropertyValue::Bytes(value) => put(9, value),
    }
}

/// Reads the parts of a message.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], Damaged> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Damaged> {
        self.take(N)?.try_into().map_err(|_| Damaged)
    }

    fn byte(&mut self) -> Result<u8, Damaged> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Result<u32, Damaged> {
        self.array().map(u32::from_be_bytes)
    }

    fn moment(&mut self) -> Result<Moment, Damaged> {
        self.array().map(u64::from_be_bytes).map(Moment)
    }

    fn part(&mut self) -> Result<&'b [u8], Damaged> {
        let length = self.u32()? as usize;
        self.take(length)
    }

    fn text(&mut self) -> Result<&'b str, Damaged> {
        std::str::from_utf8(self.part()?).map_err(|_| Damaged)
    }

    /// The head, and the byte of the kind.
    fn head(&mut self) -> Result<(Head, u8), Damaged> {
        let version = self.byte()?;
        if ![PLAIN, WITH_REPORT].contains(&version) {
            return Err(Damaged);
        }
        let (message_id, correlation_id) = (MessageId(self.array()?), CorrelationId(self.array()?));
        let priority = Priority::new(self.byte()?).ok_or(Damaged)?;
        let kind = self.byte()?;
        let (expires, put, backouts) = (self.moment()?, self.moment()?, self.u32()?);
        let report = if version == WITH_REPORT { Report(self.u32()?) } else { Report::NONE };
        Ok((Head { message_id, correlation_id, priority, expires, put, backouts, report }, kind))
    }

    fn reply_to(&mut self) -> Result<Option<ReplyTo>, Damaged> {
        let (queue, manager) = (self.text()?, self.text()?);
        if queue.is_empty() {
            return Ok(None);
        }
        let manager = (!manager.is_empty()).then(|| ManagerName::new(manager)).transpose();
        let (Ok(queue), Ok(manager)) = (QueueName::new(queue), manager) else { return Err(Damaged) };
        Ok(Some(ReplyTo { queue, manager }))
    }

    fn properties(&mut self) -> Result<Vec<Property>, Damaged> {
        let mut properties = Vec::new();
        for _ in 0..self.u32()? {
            let name = self.text()?;
            let value = self.value()?;
            properties.push(Property::new(name, value).map_err(|_| Damaged)?);
        }
        Ok(properties)
    }

    fn value(&mut self) -> Result<PropertyValue, Damaged> {
        let tag = self.byte()?;
        let mut value = Reader(self.part()?);
        let read = match tag {
            0 => PropertyValue::Null,
            1 => PropertyValue::Boolean(value.byte()? != 0),
            2 => PropertyValue::Int8(i8::from_be_bytes(value.array()?)),
            3 => PropertyValue::Int16(i16::from_be_bytes(value.array()?)),
            4 => PropertyValue::Int32(i32::from_be_bytes(value.array()?)),
            5 => PropertyValue::Int64(i64::from_be_bytes(value.array()?)),
            6 => PropertyValue::Float32(f32::from_be_bytes(value.array()?)),
            7 => PropertyValue::Float64(f64::from_be_bytes(value.array()?)),
            8 => {
                let text = std::str::from_utf8(value.0).map_err(|_| Damaged)?.to_owned();
                value.0 = &[];
                PropertyValue::Text(text)
            }
            9 => PropertyValue::Bytes(std::mem::take(&mut value.0).to_vec()),
            _ => return Err(Damaged),
        };
        if value.0.is_empty() { Ok(read) } else { Err(Damaged) }
    }
}

/// The fields of a message that the index needs.
pub(crate) fn head(bytes: &[u8]) -> Result<Head, Damaged> {
    Reader(bytes).head().map(|(head, _)| head)
}

/// The message that [`encode`] wrote.
pub(crate) fn decode(bytes: &[u8]) -> Result<Message, Damaged> {
    let mut reader = Reader(bytes);
    let (head, kind) = reader.head()?;
    let kind = if kind == LONG_KIND { reader.u32()? } else { kind.into() };
    let descriptor = Descriptor {
        message_id: head.message_id,
        correlation_id: head.correlation_id,
        persistence: Persistence::Persistent,
        priority: head.priority,
        expires: (head.expires != NEVER).then_some(head.expires),
        kind: Kind::of_number(kind).ok_or(Damaged)?,
        put: head.put,
        format: Format(reader.array()?),
        ccsid: Ccsid(reader.u32()?),
        encoding: Encoding(reader.u32()?),
        backout_count: head.backouts,
        report: head.report,
        feedback: reader.u32()?,
        reply_to: reader.reply_to()?,
        user: reader.text()?.to_owned(),
    };
    let properties = reader.properties()?;
    Ok(Message { descriptor, properties, body: reader.0.to_vec() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn full(body: &[u8]) -> Message {
        let property = |name: &str, value| Property::new(name, value).unwrap();
        let values = [
            PropertyValue::Null,
            PropertyValue::Boolean(true),
            PropertyValue::Int8(-1),
            PropertyValue::Int16(-2),
            PropertyValue::Int32(-3),
            PropertyValue::Int64(i64::MIN),
            PropertyValue::Float32(1.5),
            PropertyValue::Float64(-2.5),
            PropertyValue::Text("größe".to_owned()),
            PropertyValue::Bytes(vec![0, 255]),
        ];
        let descriptor = Descriptor {
            message_id: MessageId([1; 24]),
            correlation_id: CorrelationId([2; 24]),
            persistence: Persistence::Persistent,
            priority: Priority::MAX,
            expires: Some(Moment(77)),
            kind: Kind::Request,
            format: Format::STRING,
            ccsid: Ccsid(37),
            encoding: Encoding::S390,
            reply_to: Some(ReplyTo {
                queue: QueueName::new("REPLY").unwrap(),
                manager: Some(ManagerName::new("QM1").unwrap()),
            }),
            put: Moment(5),
            user: "ann".to_owned(),
            backout_count: 3,
            feedback: 2362,
            report: Report(0x0700_0300),
        };
        let properties = values.into_iter().enumerate();
        let properties = properties.map(|(nth, value)| property(&format!("p{nth}"), value)).collect();
        Message { descriptor, properties, body: body.to_vec() }
    }

    #[test]
    fn messages_come_back_as_they_were() {
        let message = full(b"body");
        let bytes = encode(&message);
        assert_eq!(decode(&bytes).unwrap(), message);
        let found = head(&bytes[..HEAD_BYTES + 4]).unwrap();
        assert_eq!((found.put, found.report), (Moment(5), Report(0x0700_0300)));
        let plain = Message {
            descriptor: Descriptor { persistence: Persistence::Persistent, ..Descriptor::default() },
            ..Message::default()
        };
        let plain_bytes = encode(&plain);
        assert_eq!(decode(&plain_bytes).unwrap(), plain);
        assert_eq!((plain_bytes[0], head(&plain_bytes[..HEAD_BYTES]).unwrap().report), (PLAIN, Report::NONE));
        let mut of_programs = message.clone();
        of_programs.descriptor.kind = Kind::of_number(65_536).unwrap();
        let long_bytes = encode(&of_programs);
        assert_eq!(decode(&long_bytes).unwrap(), of_programs);
        assert_eq!(head(&long_bytes[..HEAD_BYTES + 4]).unwrap(), found);
        for bytes in [bytes, long_bytes] {
            for cut in 0..bytes.len() - message.body.len() {
                assert_eq!(decode(&bytes[..cut]), Err(Damaged));
            }
        }
    }

    proptest! {
        #[test]
        fn no_bytes_break_the_reader(flips in prop::collection::vec((0usize..400, any::<u8>()), 0..6)) {
            let mut bytes = encode(&full(b"some body"));
            for (at, with) in flips {
                let at = at % bytes.len();
                bytes[at] ^= with;
            }
            let _ = decode(&bytes);
        }
    }
}
