//! `[[queue_manager.topic]]`: topic objects, which name topics for programs.

use message::{Persistence, Priority, QueueName};
use queue::{Topic, is_topic};
use serde::Deserialize;
use settings::{GANTRY_FILE, Loader};
use toml::Spanned;

/// The topic object above all others. Its topic is empty.
const BASE: &str = "SYSTEM.BASE.TOPIC";

/// `[[queue_manager.topic]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TopicSection {
    name: Spanned<String>,
    topic: Option<Spanned<String>>,
    /// Whether messages can be published; the topic above says it if this does not.
    publish_enabled: Option<bool>,
    /// Messages are persistent where the publisher does not say.
    persistent: Option<bool>,
    priority: Option<Spanned<u8>>,
}

/// Checks the topic objects of a configuration. All faults are reported.
pub(crate) fn read(sections: &[TopicSection], loader: &mut Loader<'_>) -> Vec<Topic> {
    let mut topics: Vec<Topic> = Vec::new();
    for section in sections {
        let name = section.name.get_ref();
        let mut at = |span: std::ops::Range<usize>, message: String| loader.at(GANTRY_FILE, span, message);
        if let Err(error) = QueueName::new(name) {
            at(section.name.span(), format!("name of a topic object: {error}"));
        }
        if topics.iter().any(|known| known.name == *name) {
            at(section.name.span(), format!("there are two topic objects named {name}"));
        }
        let span = section.topic.as_ref().map_or_else(|| section.name.span(), Spanned::span);
        let topic = section.topic.as_ref().map(|topic| topic.get_ref().clone()).unwrap_or_default();
        match name == BASE {
            true if !topic.is_empty() => at(span, format!("the topic of {BASE} is empty")),
            false if !is_topic(&topic) => at(span, "expected a topic, as in \"orders/new\"".to_owned()),
            _ => {}
        }
        if let Some(known) = topics.iter().find(|known| known.topic == topic) {
            let span = section.topic.as_ref().map_or_else(|| section.name.span(), Spanned::span);
            at(span, format!("{} has this topic, and a topic has one object", known.name));
        }
        let priority = section.priority.as_ref().and_then(|number| {
            let priority = Priority::new(*number.get_ref());
            if priority.is_none() {
                at(number.span(), "expected a priority from 0 to 9".to_owned());
            }
            priority
        });
        let persistence = section.persistent.map(|persistent| match persistent {
            true => Persistence::Persistent,
            false => Persistence::NonPersistent,
        });
        let (name, publish_enabled) = (name.clone(), section.publish_enabled);
        topics.push(Topic { name, topic, publish_enabled, persistence, priority });
    }
    topics
}
