//! The reply to a message.

use message::{
    Ccsid, Descriptor, Encoding, Expiry, Format, Kind, Message, Moment, NewMessage, Property, Reason,
    Refusal, ReplyTo,
};
use queue::{DeadLetter, Manager, Scope};
use queue_config::ListenerPlan;

/// The result of a target.
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    pub(crate) format: Format,
    /// The code page of its text.
    pub(crate) ccsid: Ccsid,
    pub(crate) properties: Vec<Property>,
}

impl Body {
    /// A body without properties.
    pub(crate) fn new(bytes: Vec<u8>, format: Format, ccsid: Ccsid) -> Self {
        Self { bytes, format, ccsid, properties: Vec::new() }
    }

    /// The reply to a message, with the persistence and the priority of the message.
    pub(crate) fn into_message(self, to: &Message, plan: &ListenerPlan) -> NewMessage {
        let Body { bytes, format, ccsid, properties } = self;
        let of = &to.descriptor;
        let passes = plan.passes_correlation && !of.correlation_id.is_none();
        NewMessage {
            correlation_id: if passes { of.correlation_id } else { of.message_id.into() },
            persistence: Some(of.persistence),
            priority: Some(of.priority),
            expiry: Expiry::Unlimited,
            kind: Kind::Reply,
            format,
            ccsid,
            encoding: Encoding::S390,
            properties,
            user: plan.user.as_deref().unwrap_or_default().to_owned(),
            ..NewMessage::bytes(bytes)
        }
    }
}

/// Puts a reply, or else puts it on the dead-letter queue.
///
/// # Errors
/// The dead-letter queue cannot take it either. Then the request must go back.
pub(crate) fn put_reply(
    manager: &Manager,
    scope: &mut Scope<'_>,
    to: &ReplyTo,
    reply: NewMessage,
    now: Moment,
) -> Result<(), Refusal> {
    let session = manager.session();
    let own = manager.definitions().name;
    let refusal = match &to.manager {
        Some(other) if *other != own => {
            let text = format!("{other}: replies go to queues of {own} only");
            Refusal::failed(Reason::UnknownRemoteManager, text)
        }
        _ => match session.put(scope, &to.queue, reply.clone(), now) {
            Ok(_) => return Ok(()),
            Err(refusal) => refusal,
        },
    };
    let descriptor = Descriptor {
        message_id: session.new_id()?,
        correlation_id: reply.correlation_id,
        persistence: reply.persistence.unwrap_or_default(),
        priority: reply.priority.unwrap_or_default(),
        kind: reply.kind,
        format: reply.format,
        ccsid: reply.ccsid,
        encoding: reply.encoding,
        put: now,
        user: reply.user,
        ..Descriptor::default()
    };
    let message = Message { descriptor, properties: reply.properties, body: reply.body };
    match session.put_dead(scope, (to.into(), message), &refusal, now)? {
        DeadLetter::Put | DeadLetter::Discarded => Ok(()),
        DeadLetter::NoQueue => Err(refusal),
    }
}
