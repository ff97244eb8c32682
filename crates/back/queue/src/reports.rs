//! Reports tell a sender what happened to its message. A report belongs to the unit of work of the reported
//! event.

use std::sync::Arc;

use message::{
    Descriptor, Expiry, Message, MessageId, Moment, NewMessage, Property, QueueName, Reason, Refusal,
    ReplyTo, ReportKind, feedback,
};

use crate::changes::Scope;
use crate::error::refusal;
use crate::manager::{Core, Wish};
use crate::news::News;
use crate::session::Letter;

/// A report that is to be put.
pub(crate) struct Due {
    to: ReplyTo,
    report: NewMessage,
    /// The reported message.
    about: MessageId,
}

impl Due {
    /// The report of a kind; none if the sender does not want it.
    pub(crate) fn of(message: &Message, kind: ReportKind, feedback: u32, now: Moment) -> Option<Self> {
        if !message.descriptor.report.wants(kind) {
            return None;
        }
        let (to, report) = message.report(kind, feedback, now)?;
        Some(Self { to, report, about: message.descriptor.message_id })
    }

    /// The report that a message has arrived on its queue.
    pub(crate) fn arrival(message: &Message, now: Moment) -> Option<Self> {
        Self::of(message, ReportKind::Arrival, feedback::ARRIVAL, now)
    }
}

impl Core {
    /// Puts the report that a message was got, if its sender wants it.
    pub(crate) fn report_delivery(
        self: &Arc<Self>,
        scope: &mut Scope<'_>,
        queue: &QueueName,
        message: &Message,
        now: Moment,
    ) {
        scope.changes.got_at(now);
        let due = Due::of(message, ReportKind::Delivery, feedback::DELIVERY, now);
        self.put_report(scope, queue, due, now);
    }

    /// Puts a report on the reply-to queue, or else on the dead-letter queue. If both fail, the
    /// report is lost, and the message goes on. The loss is counted and reported when the unit
    /// commits. `queue` is the queue of the message.
    pub(crate) fn put_report(
        self: &Arc<Self>,
        scope: &mut Scope<'_>,
        queue: &QueueName,
        due: Option<Due>,
        now: Moment,
    ) {
        let Some(Due { to, report, about }) = due else { return };
        let feedback = report.feedback;
        let why = match self.put_on_reply_queue(scope, &to, report.clone(), now) {
            Ok(()) => return,
            Err(why) => why,
        };
        if self.put_dead_report(scope, &to, report, &why, now).is_err() {
            scope.changes.tell(News::ReportLost { message: about, queue: queue.clone(), feedback, why });
        }
    }

    fn put_on_reply_queue(
        self: &Arc<Self>,
        scope: &mut Scope<'_>,
        to: &ReplyTo,
        report: NewMessage,
        now: Moment,
    ) -> Result<(), Refusal> {
        let own = self.definitions().name.clone();
        if let Some(other) = to.manager.as_ref().filter(|other| **other != own) {
            let text = format!("{other}: reports go to queues of {own} only");
            return Err(Refusal::failed(Reason::UnknownRemoteManager, text));
        }
        let target = self.resolve(&to.queue, Wish::Put)?;
        let message = self.complete(report, now)?;
        self.enqueue(scope, &target, message)
    }

    /// The report keeps its feedback, which names the event. MQDLH says why it is on this queue.
    fn put_dead_report(
        self: &Arc<Self>,
        scope: &mut Scope<'_>,
        to: &ReplyTo,
        report: NewMessage,
        why: &Refusal,
        now: Moment,
    ) -> Result<(), Refusal> {
        let name = self.definitions().dead_letter_queue.clone();
        let Some(name) = name.filter(|_| !report.report.discards()) else { return Err(why.clone()) };
        let message = self.complete(report, now)?;
        self.put_letter(scope, Letter { on: &name, of: to.into(), message }, why, now)
    }

    /// Completes a message with the default values of messages. The property of backout queues is not
    /// for senders: it would lead operators to a wrong queue.
    pub(crate) fn complete(&self, new: NewMessage, now: Moment) -> Result<Message, Refusal> {
        let message_id = match new.message_id.filter(|id| !id.is_none()) {
            Some(id) => id,
            None => self.ids.next(&self.store, &self.state).map_err(|error| refusal(&error))?,
        };
        let descriptor = Descriptor {
            message_id,
            correlation_id: new.correlation_id,
            persistence: new.persistence.unwrap_or_default(),
            priority: new.priority.unwrap_or_default(),
            expires: match new.expiry {
                Expiry::Unlimited => None,
                Expiry::AfterMs(ms) => Some(now.plus_ms(ms)),
            },
            kind: new.kind,
            format: new.format,
            ccsid: new.ccsid,
            encoding: new.encoding,
            reply_to: new.reply_to,
            put: now,
            user: new.user,
            backout_count: 0,
            feedback: new.feedback,
            report: new.report,
        };
        let mut properties = new.properties;
        properties.retain(|property| property.name() != Property::ORIGIN_QUEUE);
        Ok(Message { descriptor, properties, body: new.body })
    }
}
