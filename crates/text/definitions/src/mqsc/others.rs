//! Subscriptions, and the topics that they name, to sections.

use std::collections::BTreeSet;

use super::objects::{Object, Objects, Space};
use super::{Made, is_mq_name};
use crate::section::{Section, Table};

const SUBSCRIPTION: Table = Table::Entry("queue_manager", "subscription", "name");
/// Bytes of a name, and of topics.
const NAME_MAX: usize = 255;
const TOPICS_MAX: usize = 10_240;
/// The topic of IBM MQ that is the root of all others.
const BASE_TOPIC: &str = "SYSTEM.BASE.TOPIC";
const OF_SYSTEM: &str = "SYSTEM.";

/// Attributes of subscriptions that change the delivery, with their only value here.
const ONLY: [(&str, &str); 2] = [("DESTCLAS", "PROVIDED"), ("REQONLY", "NO")];
/// Attributes with a smaller effect, with their value here.
const USUAL: [(&str, &str); 5] = [
    ("EXPIRY", "UNLIMITED"),
    ("PSPROP", "MSGPROP"),
    ("PUBPRTY", "ASPUB"),
    ("SUBLEVEL", "1"),
    ("USERDATA", ""),
];

impl Made {
    /// Subscriptions.
    pub(super) fn subscriptions(&mut self, objects: &Objects) {
        for object in objects.all(Space::Topics) {
            let reason = match object.name.starts_with(OF_SYSTEM) {
                true => "IBM MQ uses it for itself, and nothing else names it",
                false => "a topic needs no definition: requests and subscriptions name it by its text",
            };
            self.note(&object.place, object.shown(), reason);
        }
        let made = self.sections.iter().filter(|section| section.path() == "queue_manager.queue");
        let is_model = |section: &Section| {
            section.pairs.iter().any(|(key, value)| *key == "type" && *value == "model".into())
        };
        let mut queues: BTreeSet<String> =
            made.filter(|section| !is_model(section)).map(|section| section.name.clone()).collect();
        queues.extend(self.existing.queues.keys().cloned());
        for object in objects.all(Space::Subscriptions) {
            match self.subscription(object, objects, &queues) {
                Ok(section) => {
                    self.sections.push(section);
                    let others = USUAL.iter().filter_map(|(name, usual)| {
                        let found = object.value(name)?;
                        (!found.eq_ignore_ascii_case(usual)).then(|| format!("{name}({found})"))
                    });
                    let others: Vec<String> = others.collect();
                    if !others.is_empty() {
                        let reason = format!("has no counterpart for {}", others.join(", "));
                        self.note(&object.place, object.shown(), reason);
                    }
                }
                Err(reason) => self.note(&object.place, object.shown(), reason),
            }
        }
    }

    /// The section of a subscription. The error says why there is none.
    fn subscription(
        &self,
        object: &Object,
        objects: &Objects,
        queues: &BTreeSet<String>,
    ) -> Result<Section, String> {
        if object.name.starts_with(OF_SYSTEM) {
            return Err("IBM MQ uses it for itself, and nothing else names it".to_owned());
        }
        if !(1..=NAME_MAX).contains(&object.name.len()) {
            return Err(format!("a name has 1 to {NAME_MAX} bytes"));
        }
        let other = ONLY.iter().find_map(|(name, only)| {
            let found = object.value(name)?;
            (!found.eq_ignore_ascii_case(only)).then(|| format!("{name}({found}): subscriptions have {only}"))
        });
        if let Some(other) = other {
            return Err(other);
        }
        if object.value("SELECTOR").is_some() {
            return Err("SELECTOR: it would get all messages, not only those that are selected".to_owned());
        }
        let manager = object.value("DESTQMGR").unwrap_or_default();
        if !manager.is_empty() && manager != self.existing.name {
            return Err(format!("its messages go to the queue manager {manager}"));
        }
        let queue = object.value("DEST").unwrap_or_default();
        if !is_mq_name(queue) || !queues.contains(queue) {
            return Err(format!("its messages go to the queue {queue:?}, and no script defines that"));
        }
        let topics = topics(object, objects)?;
        let section = Section::new(SUBSCRIPTION, &object.name, object.shown(), &object.place);
        Ok(section.with("topics", topics).with("queue", queue))
    }
}

/// The topics of a subscription: those of the object that it names, followed by its own.
fn topics(object: &Object, objects: &Objects) -> Result<String, String> {
    let above = match object.value("TOPICOBJ") {
        None | Some(BASE_TOPIC) => String::new(),
        Some(name) => match objects.get(Space::Topics, name).and_then(|topic| topic.value("TOPICSTR")) {
            Some(text) => text.trim_end_matches('/').to_owned(),
            None => return Err(format!("TOPICOBJ({name}): no script defines the topic")),
        },
    };
    let own = object.value("TOPICSTR").unwrap_or_default();
    let topics = match (above.is_empty(), own.is_empty()) {
        (true, _) => own.to_owned(),
        (false, true) => above,
        (false, false) => format!("{above}/{}", own.trim_start_matches('/')),
    };
    let by_characters = object.value("WSCHEMA").is_some_and(|schema| schema.eq_ignore_ascii_case("CHAR"));
    let is_level = |level: &str| matches!(level, "#" | "+") || !level.contains(['#', '+']);
    if by_characters && topics.contains(['*', '?', '%', '#', '+']) {
        Err("WSCHEMA(CHAR): wildcards here stand for levels, + for one and # for many".to_owned())
    } else if !topics.split('/').all(is_level) {
        Err("+ and # stand for whole levels only".to_owned())
    } else if !(1..=TOPICS_MAX).contains(&topics.len()) || topics.contains('\0') {
        Err(format!("topics have 1 to {TOPICS_MAX} bytes"))
    } else {
        Ok(topics)
    }
}
