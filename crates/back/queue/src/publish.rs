//! Publishing: a message goes to the queue of each subscription that its topic fits, or to none.
//!
//! A copy that its queue does not take goes to the dead-letter queue, as with USEDLQ(YES) in IBM MQ. Without a
//! dead-letter queue the publication fails as a whole if the subscription is durable: PMSGDLV and NPMSGDLV are ALLDUR. A
//! subscription that is not durable goes without.

use std::sync::Arc;

use message::{MessageId, Moment, NewMessage, Persistence, Reason, Refusal};

use crate::changes::{Change, Mark, Scope};
use crate::error::refusal;
use crate::index::Place;
use crate::manager::Core;
use crate::session::{DeadLetter, Session};
use crate::subscription::{Delivery, SubscriptionPriority};
use crate::topics::check_topic;

/// A message that was published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// The id of all its copies.
    pub message_id: MessageId,
    /// The number of subscriptions that its topic fits.
    pub subscriptions: usize,
}

impl Session {
    /// Publishes a message: puts it on the queue of each matching subscription, in one unit.
    ///
    /// # Errors
    /// `TopicString`; `PutInhibited` if the topic takes no messages; `PublicationFailure` if a copy can be put neither on
    /// its queue nor on the dead-letter queue; those of the store. The unit goes on without any copy.
    pub fn publish(
        &self,
        scope: &mut Scope<'_>,
        topic: &str,
        message: &NewMessage,
        now: Moment,
    ) -> Result<Published, Refusal> {
        check_topic(topic)?;
        let publishing = self.core.definitions().publishing(topic);
        if !publishing.enabled {
            let text = format!("{topic}: no messages can be published to it (publish_enabled)");
            return Err(Refusal::failed(Reason::PutInhibited, text));
        }
        let message_id = match message.message_id.filter(|id| !id.is_none()) {
            Some(id) => id,
            None => self.new_id()?,
        };
        let message = NewMessage {
            message_id: Some(message_id),
            persistence: message.persistence.or(Some(publishing.persistence)),
            priority: message.priority.or(Some(publishing.priority)),
            ..message.clone()
        };
        let deliveries = self.core.deliveries(topic, now);
        let mark = scope.changes.mark();
        for delivery in &deliveries {
            if let Err(why) = self.deliver(scope, delivery, &message, now) {
                self.core.take_back(scope, mark)?;
                if is_of_unit(&why) {
                    return Err(why);
                }
                let text = format!("{topic}: no subscription gets the message, because one cannot: {why}");
                return Err(Refusal { text, reason: Reason::PublicationFailure, ..why });
            }
        }
        Ok(Published { message_id, subscriptions: deliveries.len() })
    }

    /// Puts a copy on the queue of a subscription, or else on the dead-letter queue.
    fn deliver(
        &self,
        scope: &mut Scope<'_>,
        delivery: &Delivery,
        message: &NewMessage,
        now: Moment,
    ) -> Result<(), Refusal> {
        let message = delivery.copy(message);
        let queue = &delivery.queue;
        let Err(why) = self.put(scope, queue, message.clone(), now) else { return Ok(()) };
        if is_of_unit(&why) {
            return Err(why);
        }
        let mark = scope.changes.mark();
        let dead = self.core.complete(message, now)?;
        match self.put_dead(scope, (queue.into(), dead), &why, now) {
            Ok(DeadLetter::Put | DeadLetter::Discarded) => Ok(()),
            Ok(DeadLetter::NoQueue) if delivery.durable => Err(why),
            Err(refusal) if delivery.durable || is_of_unit(&refusal) => Err(refusal),
            // A report that it was lost does not go without the dead letter.
            Ok(DeadLetter::NoQueue) | Err(_) => self.core.take_back(scope, mark),
        }
    }
}

impl Delivery {
    /// The copy of a message for its subscription.
    fn copy(&self, message: &NewMessage) -> NewMessage {
        let mut copy = message.clone();
        if let Some(id) = self.correlation_id {
            copy.correlation_id = id;
        }
        match self.priority {
            SubscriptionPriority::AsPublished => {}
            SubscriptionPriority::AsQueue => copy.priority = None,
            SubscriptionPriority::Fixed(priority) => copy.priority = Some(priority),
        }
        // Its queue ends with the subscription, and has no persistent messages.
        if self.managed && !self.durable {
            copy.persistence = Some(Persistence::NonPersistent);
        }
        copy
    }
}

/// True if the unit or the disk is why a copy cannot be put, not its queue.
fn is_of_unit(why: &Refusal) -> bool {
    why.outcome_unknown || matches!(why.reason, Reason::SyncpointLimitReached | Reason::ResourceProblem)
}

impl Core {
    /// Takes back all puts of a unit since a mark. The unit goes on without them.
    fn take_back(self: &Arc<Self>, scope: &mut Scope<'_>, mark: Mark) -> Result<(), Refusal> {
        for Change { queue, slot, .. } in scope.changes.since(mark) {
            let place = queue.state().index.entry(slot).place.clone();
            if let Place::Disk(position) = place {
                let name = queue.name.as_str().as_bytes();
                scope.unit.take_back(&self.messages, name, position).map_err(|error| refusal(&error))?;
            }
            queue.state().free(self, slot);
        }
        Ok(())
    }
}
