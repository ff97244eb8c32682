//! Topics: their names, what holds for them, and the topics that subscriptions name.

use message::{Persistence, Priority, Reason, Refusal};

use crate::definition::Definitions;

/// Bytes of a topic at most.
pub const TOPIC_BYTES_MAX: usize = 10_240;

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

/// True if the text can be a topic, or the topics of a subscription.
#[must_use]
pub fn is_topic(topic: &str) -> bool {
    (1..=TOPIC_BYTES_MAX).contains(&topic.len()) && !topic.contains('\0')
}

pub(crate) fn check_topic(topic: &str) -> Result<(), Refusal> {
    if !is_topic(topic) {
        let text = format!("expected a topic of 1 to {TOPIC_BYTES_MAX} bytes");
        return Err(Refusal::failed(Reason::TopicString, text));
    }
    Ok(())
}

/// True if the topics of a subscription include a topic.
pub(crate) fn fits(topics: &str, topic: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use message::ManagerName;

    use super::*;

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
