//! Dead letters, and messages on backout queues: their first queues, and the way back.
//!
//! A dead letter has MQDLH before its body, as in IBM MQ. A message on a backout queue keeps its body
//! and format, because programs read it like those of its first queue. A property names that queue.

use message::{
    Ccsid, Encoding, Format, Kind, ManagerName, Message, Moment, Property, PropertyValue, QueueName, Reason,
    Refusal, ReplyTo,
};
use mqi::DeadLetterHeader;

use crate::manager::Core;

/// Where a message should go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destination<'d> {
    /// The queue.
    pub queue: &'d QueueName,
    /// The manager of the queue; none is this one.
    pub manager: Option<&'d ManagerName>,
}

impl<'d> From<&'d QueueName> for Destination<'d> {
    fn from(queue: &'d QueueName) -> Self {
        Self { queue, manager: None }
    }
}

impl<'d> From<&'d ReplyTo> for Destination<'d> {
    fn from(to: &'d ReplyTo) -> Self {
        Self { queue: &to.queue, manager: to.manager.as_ref() }
    }
}

impl Core {
    /// Puts MQDLH before the body. The descriptor stays, but for the fields that describe the body.
    pub(crate) fn dead_letter(
        &self,
        mut message: Message,
        to: Destination<'_>,
        reason: Reason,
        now: Moment,
    ) -> Message {
        let own = self.definitions().name.clone();
        let descriptor = &mut message.descriptor;
        let header = DeadLetterHeader {
            reason: reason.code().cast_signed(),
            queue: to.queue.as_str().to_owned(),
            manager: to.manager.unwrap_or(&own).as_str().to_owned(),
            encoding: descriptor.encoding.0.cast_signed(),
            ccsid: descriptor.ccsid.0.cast_signed(),
            format: descriptor.format.0,
        };
        // These describe MQDLH, which has ASCII and the highest byte first.
        (descriptor.format, descriptor.ccsid, descriptor.encoding) =
            (Format::DEAD_LETTER, Ccsid::UTF_8, Encoding::S390);
        let mut body = header.written(own.as_str(), now.0);
        body.append(&mut message.body);
        message.body = body;
        message
    }

    /// The message as it was on its first queue, and that queue.
    pub(crate) fn first(&self, message: Message) -> Result<(QueueName, Message), Refusal> {
        let text = |text: &str| Refusal::failed(Reason::Format, text.to_owned());
        let (queue, mut message) = if message.descriptor.format == Format::DEAD_LETTER {
            let header = DeadLetterHeader::read(&message.body)
                .ok_or_else(|| text("its dead-letter header (MQDLH) cannot be read"))?;
            let own = self.definitions().name.clone();
            if !header.manager.is_empty() && header.manager != own.as_str() {
                let other = format!("its queue belongs to the queue manager {}", header.manager);
                return Err(Refusal::failed(Reason::UnknownRemoteManager, other));
            }
            (header.queue.clone(), without_header(message, &header))
        } else {
            let origin = message.origin_queue();
            let origin = origin.ok_or_else(|| text("it does not say from which queue it came"))?.to_owned();
            (origin, without_origin(message))
        };
        let queue = QueueName::new(&queue).map_err(|error| text(&format!("its queue: {error}")))?;
        message.descriptor.backout_count = 0;
        Ok((queue, message))
    }
}

/// The bytes of a message without the headers (MQDLH) at its front. A header that cannot be read counts, and so do all bytes behind
/// it.
pub(crate) fn length_without_headers(message: &Message) -> usize {
    let (mut format, mut body) = (message.descriptor.format, message.body.as_slice());
    while format == Format::DEAD_LETTER
        && let Some(header) = DeadLetterHeader::read(body)
    {
        format = Format(header.format);
        body = &body[DeadLetterHeader::BYTES..];
    }
    body.len()
}

fn without_header(mut message: Message, header: &DeadLetterHeader) -> Message {
    let descriptor = &mut message.descriptor;
    descriptor.format = Format(header.format);
    descriptor.ccsid = Ccsid(header.ccsid.cast_unsigned());
    descriptor.encoding = Encoding(header.encoding.cast_unsigned());
    message.body.drain(..DeadLetterHeader::BYTES);
    message
}

/// A message for a backout queue. One that comes from another backout queue keeps the name of its first
/// queue, so that a retry sends it there.
pub(crate) fn backed_out(mut message: Message, from: &QueueName) -> Message {
    if message.origin_queue().is_none() {
        message.properties.retain(|property| property.name() != Property::ORIGIN_QUEUE);
        let origin = PropertyValue::Text(from.as_str().to_owned());
        message.properties.extend(Property::new(Property::ORIGIN_QUEUE, origin));
    }
    // A number of its sender's stays.
    if message.descriptor.feedback == 0 {
        message.descriptor.feedback = Reason::BackoutThresholdReached.code();
    }
    message
}

/// A message from a backout queue, as it was before.
fn without_origin(mut message: Message) -> Message {
    message.properties.retain(|property| property.name() != Property::ORIGIN_QUEUE);
    let descriptor = &mut message.descriptor;
    let set_here = Reason::BackoutThresholdReached.code();
    if descriptor.kind != Kind::Report && descriptor.feedback == set_here {
        descriptor.feedback = 0;
    }
    message
}
