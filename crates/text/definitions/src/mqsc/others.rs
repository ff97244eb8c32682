//! Subscriptions, and the topics that they name, to sections.

use std::collections::BTreeSet;

use super::objects::{Object, Objects, Space};
use super::{Made, is_mq_name};
use crate::section::{Section, Table};

const TOPIC: Table = Table::Entry("queue_manager", "topic", "name");
const SUBSCRIPTION: Table = Table::Entry("queue_manager", "subscription", "name");
/// Bytes of a name, and of topics.
const NAME_MAX: usize = 255;
const TOPICS_MAX: usize = 10_240;
/// The topic of IBM MQ that is the root of all others.
pub(super) const BASE_TOPIC: &str = "SYSTEM.BASE.TOPIC";
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

/// Attributes of topic objects without a counterpart, with the values that mean the same here.
const TOPIC_ONLY: [(&str, &[&str]); 7] = [
    ("CLUSTER", &[]),
    ("DURSUB", &["ASPARENT", "YES"]),
    ("NPMSGDLV", &["ASPARENT", "ALL", "ALLDUR"]),
    ("PMSGDLV", &["ASPARENT", "ALL", "ALLDUR"]),
    ("SUB", &["ASPARENT", "ENABLED"]),
    ("USEDLQ", &["ASPARENT", "YES"]),
    ("WILDCARD", &["PASSTHRU"]),
];

impl Made {
    /// Topic objects.
    fn topics(&mut self, objects: &Objects) {
        for object in objects.all(Space::Topics) {
            match topic(object) {
                Ok(section) => {
                    self.sections.push(section);
                    let others = TOPIC_ONLY.iter().filter_map(|(name, same)| {
                        let found = object.value(name)?;
                        let is_same = same.iter().any(|same| found.eq_ignore_ascii_case(same));
                        (!is_same).then(|| format!("{name}({found})"))
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

    /// Subscriptions.
    pub(super) fn subscriptions(&mut self, objects: &Objects) {
        self.topics(objects);
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

/// The section of a topic object. The error says why there is none.
fn topic(object: &Object) -> Result<Section, String> {
    let is_base = object.name == BASE_TOPIC;
    let of_system = || "IBM MQ uses it for itself, and nothing else names it".to_owned();
    if object.name.starts_with(OF_SYSTEM) && !is_base {
        return Err(of_system());
    }
    if !is_mq_name(&object.name) {
        return Err("a name has 1 to 48 letters, digits and ./_%".to_owned());
    }
    let mut section = Section::new(TOPIC, &object.name, object.shown(), &object.place);
    if !is_base {
        let topic = object.value("TOPICSTR").ok_or("TOPICSTR is missing")?;
        if topic.len() > TOPICS_MAX || topic.contains('\0') {
            return Err(format!("a topic has 1 to {TOPICS_MAX} bytes"));
        }
        section.set("topic", topic);
    }
    let word = |name: &str| object.value(name).map(str::to_ascii_uppercase);
    // All else is below the base topic, which has these values unless the script says otherwise.
    match word("PUB").as_deref() {
        Some("DISABLED") => section.set("publish_enabled", false),
        Some("ENABLED") if !is_base => section.set("publish_enabled", true),
        _ => {}
    }
    match word("DEFPSIST").as_deref() {
        Some("YES") => section.set("persistent", true),
        Some("NO") if !is_base => section.set("persistent", false),
        _ => {}
    }
    match word("DEFPRTY").and_then(|number| number.parse::<u64>().ok()) {
        Some(0) if is_base => {}
        Some(priority @ 0..=9) => section.set("priority", priority),
        _ => {}
    }
    if is_base && section.pairs.is_empty() { Err(of_system()) } else { Ok(section) }
}

/// The topics of a subscription: those of the object that it names, followed by its own.
fn topics(object: &Object, objects: &Objects) -> Result<String, String> {
    let above = match object.value("TOPICOBJ") {
        None | Some(BASE_TOPIC) => String::new(),
        Some(name) => match objects.get(Space::Topics, name).and_then(|topic| topic.value("TOPICSTR")) {
            Some(text) => text.to_owned(),
            None => return Err(format!("TOPICOBJ({name}): no script defines the topic")),
        },
    };
    let own = object.value("TOPICSTR").unwrap_or_default();
    let topics = match (above.is_empty(), own.is_empty()) {
        (true, _) => own.to_owned(),
        (false, true) => above,
        // A slash of their own stays, and makes an empty level.
        (false, false) => format!("{above}/{own}"),
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
