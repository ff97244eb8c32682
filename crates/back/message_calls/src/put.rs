//! MQPUT and MQPUT1: a message goes on a queue, or to the subscriptions of a topic.

use message::{MessageId, Moment, NewMessage, Property, QueueName, Reason, Refusal};
use mqi::{Fields, MESSAGE, PUT_OPTIONS};
use queue::{Put, Scope, Session};
use store::Unit;
use wire::{MessageAnswer, Outgoing};

use crate::descriptor::{Defaults, new_message, was_put};
use crate::handles::{Held, NO_HANDLE, copy, initial_descriptor};
use crate::objects::Object;
use crate::options::{InUnit, PutOptions, Uses};
use crate::property_name::FIELDS;
use crate::task::{Step, Surroundings, TaskCalls, read, warned};

/// Where a message is put.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Queue(QueueName),
    Topic(String),
}

/// A message that was put.
struct Done {
    message_id: MessageId,
    /// The queue that has it; none if it was published.
    queue: Option<QueueName>,
    /// The number of subscriptions that it was published to.
    subscriptions: Option<usize>,
}

impl Target {
    /// The target of an open object.
    ///
    /// # Errors
    /// `NotOpenForOutput`.
    pub(crate) fn of(object: &Object) -> Result<Self, Reason> {
        match object {
            Object::Queue(queue) if queue.uses.output => Ok(Self::Queue(queue.name.clone())),
            Object::Topic(topic) => Ok(Self::Topic(topic.clone())),
            Object::Queue(_) | Object::Subscription(_) | Object::Manager => Err(Reason::NotOpenForOutput),
        }
    }

    /// The properties that arrive: subscriptions get those with MQCOPY-PUBLISH.
    fn properties(&self, held: &[Held]) -> Vec<Property> {
        let arrives = |held: &&Held| match self {
            Self::Queue(_) => true,
            Self::Topic(_) => held.attributes.copies & (copy::PUBLISH | copy::ALL) != 0,
        };
        held.iter().filter(arrives).map(|held| held.property.clone()).collect()
    }

    fn put(
        &self,
        session: &Session,
        scope: &mut Scope<'_>,
        new: NewMessage,
        now: Moment,
    ) -> Result<Done, Refusal> {
        match self {
            Self::Queue(queue) => {
                let Put { message_id, queue, .. } = session.put(scope, queue, new, now)?;
                Ok(Done { message_id, queue: Some(queue), subscriptions: None })
            }
            Self::Topic(topic) => {
                let published = session.publish(scope, topic, &new, now)?;
                let subscriptions = Some(published.subscriptions);
                Ok(Done { message_id: published.message_id, queue: None, subscriptions })
            }
        }
    }
}

impl TaskCalls {
    /// Puts a message.
    pub(crate) fn put(
        &mut self,
        target: &Target,
        message: Outgoing,
        around: Surroundings<'_>,
        unit: &mut Unit,
    ) -> Result<Step, Reason> {
        let mut fields = read(&PUT_OPTIONS, &message.options, Reason::PutOptions)?;
        let mut descriptor = read(&MESSAGE, &message.descriptor, Reason::MessageDescriptor)?;
        let options = PutOptions::of(&fields, target)?;
        let mut new = wanted(&descriptor, options, around)?;
        let held = self.handles.composed(&fields)?;
        new.properties = target.properties(&held);
        new.body = message.data;
        let session = around.manager.session();
        if options.new_correlation_id {
            new.correlation_id = session.new_correlation_id()?;
        }
        let correlation_id = new.correlation_id;
        let (done, work) = match options.in_unit {
            InUnit::No => {
                let mut work = session.begin()?;
                (target.put(&session, &mut work.scope(), new, around.now)?, Some(work))
            }
            InUnit::Yes | InUnit::IfPersistent => {
                let scope = &mut Scope { unit, changes: &mut self.changes };
                (target.put(&session, scope, new, around.now)?, None)
            }
        };
        descriptor.set_bytes("MSGID", &done.message_id.0);
        descriptor.set_bytes("CORRELID", &correlation_id.0);
        was_put(&mut descriptor, around.user, around.now);
        self.reflect(&fields, &descriptor, held)?;
        let manager = around.manager.definitions().name;
        let (queue, manager) =
            done.queue.as_ref().map_or(("", ""), |queue| (queue.as_str(), manager.as_str()));
        fields.set_text("RESOLVEDQNAME", queue);
        fields.set_text("RESOLVEDQMGRNAME", manager);
        let answer = MessageAnswer {
            descriptor: descriptor.into_bytes(),
            options: fields.into_bytes(),
            ..MessageAnswer::default()
        };
        let answer = match done.subscriptions {
            Some(0) if options.warns_of_no_subscription => warned(answer, Reason::NoSubscriptionsMatched),
            _ => Box::new(answer),
        };
        Ok(match work {
            Some(work) => Step::Commit(work, answer),
            None => Step::Answer(answer),
        })
    }

    /// The new handle has the message as it was put.
    fn reflect(&mut self, options: &Fields, descriptor: &Fields, held: Vec<Held>) -> Result<(), Reason> {
        let handle = options.long("NEWMSGHANDLE");
        if handle == NO_HANDLE {
            return Ok(());
        }
        let mut put = initial_descriptor()?;
        for field in FIELDS {
            let field = field.to_ascii_uppercase();
            put.set_bytes(&field, descriptor.bytes(&field).unwrap_or_default());
        }
        self.handles.get(handle)?.hold(put, held);
        Ok(())
    }
}

/// The message that a program wants to put, without its data.
fn wanted(descriptor: &Fields, options: PutOptions, around: Surroundings<'_>) -> Result<NewMessage, Reason> {
    let mut new = new_message(descriptor, Defaults { ccsid: around.ccsid, user: around.user })?;
    if let Some(to) = new.reply_to.as_ref().filter(|_| new.report.wants_any()) {
        // Reports are put for the task's user, who must be allowed to.
        let uses = Uses { output: true, ..Uses::default() };
        around.rights.check(around.user, to.queue.as_str(), uses)?;
    }
    if options.new_message_id {
        new.message_id = None;
    }
    if options.suppresses_reply_to {
        new.reply_to = None;
    }
    Ok(new)
}
