//! Topics: their names, and the subscriptions to them.

use std::sync::PoisonError;

use message::{ManagerName, Persistence, Priority, QueueName, Reason, Refusal};
use store::{Direction, Keyed, Store};

use crate::definition::Definitions;
use crate::error::{OpenError, refusal};
use crate::manager::{Core, Manager};

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

impl Subscription {
    /// Its id on a queue manager, as IBM MQ shows ids. It depends on both names alone.
    #[must_use]
    pub fn id(&self, manager: &ManagerName) -> [u8; 24] {
        // FNV-1a: the same on every machine and in every version.
        let step = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        let number = self.name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, step);
        let mut id = [b' '; 24];
        let beginning = "AMQ ".bytes().chain(manager.as_str().bytes().take(12));
        id.iter_mut().zip(beginning).for_each(|(to, from)| *to = from);
        id[16..].copy_from_slice(&number.to_be_bytes());
        id
    }
}

/// A topic object: a name for a topic. What it says holds for its topic and all topics below it, down to the next object
/// that says something else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topic {
    /// Its name, as programs use it.
    pub name: String,
    /// The topic. An empty one is above all others.
    pub topic: String,
    /// Whether messages can be published.
    pub publish_enabled: Option<bool>,
    /// The persistence of messages that set none.
    pub persistence: Option<Persistence>,
    /// The priority of messages that set none.
    pub priority: Option<Priority>,
}

/// The topic objects that every queue manager has. Their topic is above all others.
const BASE_TOPICS: [&str; 2] = [BASE_TOPIC, "SYSTEM.DEFAULT.TOPIC"];
/// The one that has a value for everything.
const BASE_TOPIC: &str = "SYSTEM.BASE.TOPIC";

impl Topic {
    /// True if the topic is this one or below it.
    fn includes(&self, topic: &str) -> bool {
        match topic.strip_prefix(self.topic.as_str()) {
            Some(rest) => self.topic.is_empty() || rest.is_empty() || rest.starts_with('/'),
            None => false,
        }
    }
}

/// What holds for messages of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Publishing {
    pub(crate) enabled: bool,
    pub(crate) persistence: Persistence,
    pub(crate) priority: Priority,
}

impl Definitions {
    /// The topic of a topic object; none if nobody has defined the object.
    #[must_use]
    pub fn topic(&self, name: &str) -> Option<&str> {
        let defined = self.topics.iter().find(|topic| topic.name == name);
        defined.map(|topic| topic.topic.as_str()).or_else(|| BASE_TOPICS.contains(&name).then_some(""))
    }

    /// All topic objects, by their names.
    #[must_use]
    pub fn topic_objects(&self) -> Vec<Topic> {
        let mut all = self.topics.clone();
        for name in BASE_TOPICS {
            if !all.iter().any(|topic| topic.name == name) {
                all.push(Topic { name: name.to_owned(), ..Topic::default() });
            }
        }
        let above_all = self.publishing("");
        for base in all.iter_mut().filter(|topic| topic.name == BASE_TOPIC) {
            base.publish_enabled = Some(above_all.enabled);
            base.persistence = Some(above_all.persistence);
            base.priority = Some(above_all.priority);
        }
        all.sort_by(|one, two| one.name.cmp(&two.name));
        all
    }

    /// What holds for messages of a topic: each attribute as the nearest topic object above it says.
    pub(crate) fn publishing(&self, topic: &str) -> Publishing {
        let mut above: Vec<&Topic> = self.topics.iter().filter(|object| object.includes(topic)).collect();
        above.sort_by_key(|object| std::cmp::Reverse(object.topic.len()));
        Publishing {
            enabled: above.iter().find_map(|object| object.publish_enabled).unwrap_or(true),
            persistence: above.iter().find_map(|object| object.persistence).unwrap_or_default(),
            priority: above.iter().find_map(|object| object.priority).unwrap_or_default(),
        }
    }
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

pub(crate) fn check_topic(topic: &str) -> Result<(), Refusal> {
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

impl Core {
    /// The queues of the subscriptions that a topic fits.
    pub(crate) fn subscribed(&self, topic: &str) -> Vec<QueueName> {
        let defined = &self.definitions().subscriptions;
        let topics = self.topics.read().unwrap_or_else(PoisonError::into_inner);
        let others = topics.subscriptions.iter().filter(|one| !is_among(defined, one));
        let fitting = defined.iter().chain(others).filter(|one| fits(&one.topics, topic));
        fitting.map(|subscription| subscription.queue.clone()).collect()
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_of_its_names() {
        let of = |name: &str, manager: &str| {
            let (topics, queue) = ("a".to_owned(), QueueName::new("Q").unwrap());
            Subscription { name: name.to_owned(), topics, queue }.id(&ManagerName::new(manager).unwrap())
        };
        assert_eq!(&of("NEWS", "QM1")[..16], b"AMQ QM1         ");
        assert_eq!(&of("NEWS", "A.QUEUE.MANAGER")[..16], b"AMQ A.QUEUE.MANA");
        assert_eq!(of("NEWS", "QM1"), of("NEWS", "QM1"));
        assert_ne!(of("NEWS", "QM1"), of("NEWS2", "QM1"));
    }

    #[test]
    fn the_nearest_topic_object_decides() {
        let object = |name: &str, topic: &str| Topic {
            name: name.to_owned(),
            topic: topic.to_owned(),
            ..Topic::default()
        };
        let mut definitions = Definitions::new(ManagerName::new("QM1").unwrap());
        definitions.topics = vec![
            Topic { publish_enabled: Some(true), ..object("NEW", "orders/new") },
            Topic { publish_enabled: Some(false), priority: Priority::new(3), ..object("ORDERS", "orders") },
            Topic { persistence: Some(Persistence::Persistent), ..object("SYSTEM.BASE.TOPIC", "") },
        ];
        assert_eq!(definitions.topic("NEW"), Some("orders/new"));
        assert_eq!(definitions.topic("SYSTEM.DEFAULT.TOPIC"), Some(""));
        assert_eq!(definitions.topic("OLD"), None);
        let all = definitions.topic_objects();
        let names: Vec<&str> = all.iter().map(|topic| topic.name.as_str()).collect();
        assert_eq!(names, ["NEW", "ORDERS", "SYSTEM.BASE.TOPIC", "SYSTEM.DEFAULT.TOPIC"]);
        assert_eq!((all[2].publish_enabled, all[3].publish_enabled), (Some(true), None));
        for (topic, enabled, priority) in [
            ("orders/new", true, 3),
            ("orders/new/1", true, 3),
            ("orders/newer", false, 3),
            ("orders", false, 3),
            ("orders/", false, 3),
            ("order", true, 0),
            ("/orders", true, 0),
        ] {
            let found = definitions.publishing(topic);
            assert_eq!((found.enabled, found.priority.number()), (enabled, priority), "{topic}");
            assert_eq!(found.persistence, Persistence::Persistent);
        }
    }

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
