//! Topics: a published message goes to the queue of each matching subscription.

use std::sync::PoisonError;

use message::{Moment, NewMessage, QueueName, Reason, Refusal};
use store::{Direction, Keyed, Store};

use crate::changes::Scope;
use crate::error::{OpenError, refusal};
use crate::manager::Manager;
use crate::session::Session;

/// Bytes of a topic at most.
pub const TOPIC_BYTES_MAX: usize = 10_240;

/// A durable subscription. It puts messages of matching topics on a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    /// Its name: 1 to 255 bytes.
    pub name: String,
    /// The topics: levels between slashes, `+` for any level, `#` for any levels.
    pub topics: String,
    /// The queue.
    pub queue: QueueName,
}

/// All subscriptions.
pub(crate) struct Topics {
    space: Keyed,
    subscriptions: Vec<Subscription>,
}

impl Topics {
    pub(crate) fn open(store: &Store, space: Keyed) -> Result<Self, OpenError> {
        let unit = store.unit()?;
        let mut subscriptions: Vec<Subscription> = Vec::new();
        loop {
            let last = subscriptions.last().map(|last| last.name.as_bytes());
            let from = last.map_or(std::ops::Bound::Unbounded, std::ops::Bound::Excluded);
            let Some(record) = unit.browse(&space, from, Direction::Forward)? else { break };
            let fault = || OpenError::new("mq.subscriptions: a record is not a subscription");
            let name = String::from_utf8(record.key).map_err(|_| fault())?;
            let text = String::from_utf8(record.value).map_err(|_| fault())?;
            let (queue, topics) = text.split_once('\n').ok_or_else(fault)?;
            let queue = QueueName::new(queue).map_err(|_| fault())?;
            subscriptions.push(Subscription { name, topics: topics.to_owned(), queue });
        }
        Ok(Self { space, subscriptions })
    }
}

/// True if the text can be a topic, or the topics of a subscription.
#[must_use]
pub fn is_topic(topic: &str) -> bool {
    (1..=TOPIC_BYTES_MAX).contains(&topic.len()) && !topic.contains('\0')
}

/// True if a subscription of the same name is there.
fn is_among(all: &[Subscription], one: &Subscription) -> bool {
    all.iter().any(|known| known.name == one.name)
}

fn check_topic(topic: &str) -> Result<(), Refusal> {
    if !is_topic(topic) {
        let text = format!("expected a topic of 1 to {TOPIC_BYTES_MAX} bytes");
        return Err(Refusal::failed(Reason::TopicString, text));
    }
    Ok(())
}

/// True if the topics of a subscription include a topic.
fn fits(topics: &str, topic: &str) -> bool {
    let wanted: Vec<&str> = topics.split('/').collect();
    let found: Vec<&str> = topic.split('/').collect();
    // `reached[n]`: the levels of the subscription so far match the first `n` levels of the topic.
    let mut reached = vec![false; found.len() + 1];
    reached[0] = true;
    for level in wanted {
        let mut next = vec![false; found.len() + 1];
        for (at, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
            match level {
                "#" => next[at..].fill(true),
                _ if at < found.len() && (level == "+" || level == found[at]) => next[at + 1] = true,
                _ => {}
            }
        }
        reached = next;
    }
    reached[found.len()]
}

impl Manager {
    /// All subscriptions, by their names. The configuration wins over the store if both have a
    /// name.
    #[must_use]
    pub fn subscriptions(&self) -> Vec<Subscription> {
        let mut all = self.core.definitions().subscriptions.clone();
        let topics = self.core.topics.read().unwrap_or_else(PoisonError::into_inner);
        let others = topics.subscriptions.iter().filter(|one| !is_among(&all, one)).cloned();
        let others: Vec<Subscription> = others.collect();
        all.extend(others);
        all.sort_by(|one, two| one.name.cmp(&two.name));
        all
    }

    /// Adds a subscription, and keeps it in the store.
    ///
    /// # Errors
    /// `SubscriptionExists`; `TopicString`; `UnknownObjectName` if the queue does not exist; those of the
    /// store.
    pub fn subscribe(&self, subscription: Subscription) -> Result<(), Refusal> {
        check_topic(&subscription.topics)?;
        self.definition(&subscription.queue)?;
        let is_defined = is_among(&self.core.definitions().subscriptions, &subscription);
        let mut topics = self.core.topics.write().unwrap_or_else(PoisonError::into_inner);
        if is_defined || topics.subscriptions.iter().any(|other| other.name == subscription.name) {
            let text = format!("{}: the subscription exists", subscription.name);
            return Err(Refusal::failed(Reason::SubscriptionExists, text));
        }
        let value = format!("{}\n{}", subscription.queue, subscription.topics).into_bytes();
        let keep = || -> store::Result<()> {
            let mut unit = self.core.store.unit()?;
            unit.insert(&topics.space, subscription.name.as_bytes(), value)?;
            unit.syncpoint()
        };
        keep().map_err(|error| refusal(&error))?;
        topics.subscriptions.push(subscription);
        topics.subscriptions.sort_by(|one, two| one.name.cmp(&two.name));
        Ok(())
    }

    /// Ends a subscription that a call has made. Messages on its queue stay there.
    ///
    /// # Errors
    /// `NoSubscription`, also for a subscription of the configuration; those of the store.
    pub fn unsubscribe(&self, name: &str) -> Result<(), Refusal> {
        let mut topics = self.core.topics.write().unwrap_or_else(PoisonError::into_inner);
        if !topics.subscriptions.iter().any(|subscription| subscription.name == name) {
            let text = format!("{name}: there is no such subscription");
            return Err(Refusal::failed(Reason::NoSubscription, text));
        }
        let forget = || -> store::Result<()> {
            let mut unit = self.core.store.unit()?;
            unit.delete(&topics.space, name.as_bytes())?;
            unit.syncpoint()
        };
        forget().map_err(|error| refusal(&error))?;
        topics.subscriptions.retain(|subscription| subscription.name != name);
        Ok(())
    }
}

impl Session {
    /// Publishes a message: puts it on the queue of each matching subscription, in one unit. Gives
    /// their number.
    ///
    /// # Errors
    /// `TopicString`; as [`Session::put`]. The caller must then back the unit out, because it has
    /// only some of the copies.
    pub fn publish(
        &self,
        scope: &mut Scope<'_>,
        topic: &str,
        message: &NewMessage,
        now: Moment,
    ) -> Result<usize, Refusal> {
        check_topic(topic)?;
        let queues: Vec<QueueName> = {
            let defined = &self.core.definitions().subscriptions;
            let topics = self.core.topics.read().unwrap_or_else(PoisonError::into_inner);
            let others = topics.subscriptions.iter().filter(|one| !is_among(defined, one));
            let fitting = defined.iter().chain(others).filter(|one| fits(&one.topics, topic));
            fitting.map(|subscription| subscription.queue.clone()).collect()
        };
        for queue in &queues {
            self.put(scope, queue, message.clone(), now)?;
        }
        Ok(queues.len())
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn plus_is_a_level_and_hash_is_any_levels() {
        for (topics, topic) in [
            ("a/b", "a/b"),
            ("a/+", "a/b"),
            ("#", "a/b/c"),
            ("a/#", "a/b/c"),
            ("a/#", "a"),
            ("#/c", "a/b/c"),
            ("a/#/c", "a/c"),
            ("+/+", "/a"),
        ] {
            assert!(fits(topics, topic), "{topics} {topic}");
        }
        for (topics, topic) in [("a", "b"), ("a/+", "a"), ("a/+", "a/b/c"), ("a/#/c", "a/b"), ("a", "a/")] {
            assert!(!fits(topics, topic), "{topics} {topic}");
        }
    }
}
