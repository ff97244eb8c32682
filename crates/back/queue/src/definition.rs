//! The definitions of a queue manager and its queues, and their form in the store.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use message::{ManagerName, Persistence, Priority, QueueName};

use crate::subscription::Subscription;
use crate::topics::Topic;

/// Bytes of a message at most, for every queue.
pub const LENGTH_BYTES_MAX: u32 = 100 << 20;

/// The kind of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueKind {
    /// It holds messages.
    Local,
    /// Another name for a local queue.
    Alias(QueueName),
    /// A template for queues.
    Model {
        /// Whether queues made from it outlive a restart.
        permanent: bool,
    },
}

/// Who defined a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file of the configuration. Only the file can change it.
    File {
        /// The file, as people see it.
        path: String,
        /// The line, from 1.
        line: u32,
    },
    /// A command. The definition is in the store.
    Command,
    /// A program, by a model. The definition is in the store. The program may delete the queue.
    Permanent,
    /// A program, by a model. The queue ends with the manager.
    Temporary,
}

impl Origin {
    /// True if the definition is in the store.
    #[must_use]
    pub fn is_stored(&self) -> bool {
        matches!(self, Origin::Command | Origin::Permanent)
    }

    /// True if a program has made the queue by a model.
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        matches!(self, Origin::Permanent | Origin::Temporary)
    }
}

/// When a queue starts a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TriggerType {
    /// Never.
    #[default]
    None,
    /// When the queue gets its first message.
    First,
    /// For every message.
    Every,
    /// When it has a number of messages.
    Depth,
}

/// The process that a queue starts, and when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trigger {
    /// True if the trigger is on.
    pub enabled: bool,
    /// The condition.
    pub kind: TriggerType,
    /// The number of messages for [`TriggerType::Depth`].
    pub depth: u32,
    /// Messages below this priority do not count.
    pub priority: Priority,
    /// Data for the started transaction.
    pub data: String,
    /// The name of the process to start.
    pub process: String,
    /// The queue for trigger messages.
    pub initiation_queue: String,
}

/// The process that a trigger starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// Its name: at most 48 characters.
    pub name: String,
    /// The transaction: at most 4 characters.
    pub transaction: String,
    /// Data about the environment, for the transaction: at most 128 bytes.
    pub environment_data: String,
    /// Further data for the transaction: at most 128 bytes.
    pub user_data: String,
}

/// How a queue treats its messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// A text for people.
    pub description: String,
    /// Messages at most.
    pub depth_max: u32,
    /// Bytes of a body at most.
    pub length_bytes_max: u32,
    /// Bytes of all messages on disk at most; none is the store's limit.
    pub disk_bytes_max: Option<u64>,
    /// Bytes of all messages in memory at most; none is the manager's limit.
    pub memory_bytes_max: Option<u64>,
    /// The persistence of messages that set none.
    pub persistence: Persistence,
    /// The priority of messages that set none.
    pub priority: Priority,
    /// True for delivery by priority; else first in, first out.
    pub by_priority: bool,
    /// True if messages can be put.
    pub put_enabled: bool,
    /// True if messages can be got and browsed.
    pub get_enabled: bool,
    /// The number of backouts after which a message moves; 0 is never.
    pub backout_threshold: u32,
    /// The queue to which it moves; none is the dead-letter queue.
    pub backout_queue: Option<QueueName>,
    /// Its trigger.
    pub trigger: Trigger,
    /// Attributes without an effect here, by their names in MQSC: they are kept for those who ask.
    pub kept: BTreeMap<String, String>,
}

impl Default for Attributes {
    /// The defaults of IBM MQ.
    fn default() -> Self {
        Self {
            description: String::new(),
            depth_max: 5_000,
            length_bytes_max: 4 << 20,
            disk_bytes_max: None,
            memory_bytes_max: None,
            persistence: Persistence::NonPersistent,
            priority: Priority::default(),
            by_priority: true,
            put_enabled: true,
            get_enabled: true,
            backout_threshold: 0,
            backout_queue: None,
            trigger: Trigger::default(),
            kept: BTreeMap::new(),
        }
    }
}

/// A queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub name: QueueName,
    /// Its kind.
    pub kind: QueueKind,
    /// How it treats messages.
    pub attributes: Attributes,
    /// Who defined it.
    pub origin: Origin,
}

impl Definition {
    /// A local queue with the defaults, defined by a command.
    #[must_use]
    pub fn local(name: QueueName) -> Self {
        Self { name, kind: QueueKind::Local, attributes: Attributes::default(), origin: Origin::Command }
    }
}

/// The configuration of a queue manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definitions {
    /// Its name.
    pub name: ManagerName,
    /// The queue for messages that cannot reach their own.
    pub dead_letter_queue: Option<QueueName>,
    /// Bytes of a message at most.
    pub length_bytes_max: u32,
    /// True if gets are answered before their removal is on disk. After a crash such messages may exist
    /// again.
    pub lazy_gets: bool,
    /// The queues of the configuration.
    pub queues: Vec<Definition>,
    /// Durable subscriptions of the configuration. Subscriptions from calls are in the store.
    pub subscriptions: Vec<Subscription>,
    /// Names for topics, with what holds for them and all topics below them.
    pub topics: Vec<Topic>,
    /// The processes that triggers start.
    pub processes: Vec<Process>,
    /// The pause in milliseconds after which a queue with messages triggers (FIRST) again; none is
    /// never.
    pub trigger_interval_ms: Option<u64>,
}

impl Definitions {
    /// A queue manager without queues.
    #[must_use]
    pub fn new(name: ManagerName) -> Self {
        Self {
            name,
            dead_letter_queue: None,
            length_bytes_max: 4 << 20,
            lazy_gets: false,
            queues: Vec::new(),
            subscriptions: Vec::new(),
            topics: Vec::new(),
            processes: Vec::new(),
            trigger_interval_ms: None,
        }
    }

    /// The process of this name. Without a definition, it is the transaction of this name.
    #[must_use]
    pub fn process(&self, name: &str) -> Process {
        let defined = self.processes.iter().find(|process| process.name == name).cloned();
        defined.unwrap_or_else(|| Process {
            name: name.to_owned(),
            transaction: name.to_owned(),
            ..Process::default()
        })
    }
}

/// Limits of a manager, besides those of its queues.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of messages in memory.
    pub memory_bytes_max: u64,
    /// Callers that wait at one time.
    pub waiters_max: usize,
    /// Reservations at one time.
    pub reservations_max: usize,
    /// Queues.
    pub queues_max: usize,
    /// Subscriptions that programs have made.
    pub subscriptions_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes_max: 256 << 20,
            waiters_max: 100_000,
            reservations_max: 1_000,
            queues_max: 10_000,
            subscriptions_max: 10_000,
        }
    }
}

impl TriggerType {
    fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::First => "first",
            Self::Every => "every",
            Self::Depth => "depth",
        }
    }
}

/// The beginning of the keys of kept attributes.
const KEPT: &str = "kept.";

/// A definition in the form of the store: lines of `key=value`.
pub(crate) fn encode(definition: &Definition) -> Vec<u8> {
    let mut text = String::new();
    let mut line = |key: &str, value: &dyn std::fmt::Display| {
        let _ = writeln!(text, "{key}={}", escaped(&value.to_string()));
    };
    match &definition.kind {
        QueueKind::Local => line("kind", &"local"),
        QueueKind::Alias(target) => {
            line("kind", &"alias");
            line("target", target);
        }
        QueueKind::Model { permanent } => {
            line("kind", &"model");
            line("permanent", permanent);
        }
    }
    if definition.origin == Origin::Permanent {
        line("dynamic", &true);
    }
    let attributes = &definition.attributes;
    line("description", &attributes.description);
    line("depth_max", &attributes.depth_max);
    line("length_bytes_max", &attributes.length_bytes_max);
    if let Some(bytes) = attributes.disk_bytes_max {
        line("disk_bytes_max", &bytes);
    }
    if let Some(bytes) = attributes.memory_bytes_max {
        line("memory_bytes_max", &bytes);
    }
    line("persistent", &(attributes.persistence == Persistence::Persistent));
    line("priority", &attributes.priority.number());
    line("by_priority", &attributes.by_priority);
    line("put_enabled", &attributes.put_enabled);
    line("get_enabled", &attributes.get_enabled);
    line("backout_threshold", &attributes.backout_threshold);
    if let Some(queue) = &attributes.backout_queue {
        line("backout_queue", queue);
    }
    let trigger = &attributes.trigger;
    line("trigger", &trigger.enabled);
    line("trigger_type", &trigger.kind.word());
    line("trigger_depth", &trigger.depth);
    line("trigger_priority", &trigger.priority.number());
    line("trigger_data", &trigger.data);
    line("trigger_process", &trigger.process);
    line("trigger_queue", &trigger.initiation_queue);
    for (name, value) in &attributes.kept {
        line(&format!("{KEPT}{name}"), value);
    }
    text.into_bytes()
}

/// The definition that [`encode`] wrote; none if this version does not know it.
pub(crate) fn decode(name: QueueName, bytes: &[u8]) -> Option<Definition> {
    let mut definition = Definition::local(name);
    let attributes = &mut definition.attributes;
    for line in std::str::from_utf8(bytes).ok()?.lines() {
        let (key, value) = line.split_once('=')?;
        let value = unescaped(value);
        let flag = || value.parse::<bool>().ok();
        let queue = || QueueName::new(&value).ok();
        let priority = || Priority::new(value.parse().ok()?);
        match key {
            "kind" => {
                definition.kind = match value.as_str() {
                    "local" => QueueKind::Local,
                    "model" => QueueKind::Model { permanent: false },
                    // Its target is on the next line.
                    "alias" => continue,
                    _ => return None,
                }
            }
            "target" => definition.kind = QueueKind::Alias(queue()?),
            "dynamic" if flag()? => definition.origin = Origin::Permanent,
            "permanent" => definition.kind = QueueKind::Model { permanent: flag()? },
            "description" => attributes.description = value,
            "depth_max" => attributes.depth_max = value.parse().ok()?,
            "length_bytes_max" => attributes.length_bytes_max = value.parse().ok()?,
            "disk_bytes_max" => attributes.disk_bytes_max = Some(value.parse().ok()?),
            "memory_bytes_max" => attributes.memory_bytes_max = Some(value.parse().ok()?),
            "persistent" if flag()? => attributes.persistence = Persistence::Persistent,
            "persistent" => attributes.persistence = Persistence::NonPersistent,
            "priority" => attributes.priority = priority()?,
            "by_priority" => attributes.by_priority = flag()?,
            "put_enabled" => attributes.put_enabled = flag()?,
            "get_enabled" => attributes.get_enabled = flag()?,
            "backout_threshold" => attributes.backout_threshold = value.parse().ok()?,
            "backout_queue" => attributes.backout_queue = Some(queue()?),
            _ => match key.strip_prefix(KEPT) {
                Some(name) => {
                    attributes.kept.insert(name.to_owned(), value);
                }
                None => trigger(&mut attributes.trigger, key, value)?,
            },
        }
    }
    Some(definition)
}

fn trigger(trigger: &mut Trigger, key: &str, value: String) -> Option<()> {
    match key {
        "trigger" => trigger.enabled = value.parse().ok()?,
        "trigger_type" => {
            let types = [TriggerType::None, TriggerType::First, TriggerType::Every, TriggerType::Depth];
            trigger.kind = types.into_iter().find(|kind| kind.word() == value)?;
        }
        "trigger_depth" => trigger.depth = value.parse().ok()?,
        "trigger_priority" => trigger.priority = Priority::new(value.parse().ok()?)?,
        "trigger_data" => trigger.data = value,
        "trigger_process" => trigger.process = value,
        "trigger_queue" => trigger.initiation_queue = value,
        _ => return None,
    }
    Some(())
}

/// A value on one line.
pub(crate) fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('\n', "\\n")
}

/// The value of [`escaped`].
pub(crate) fn unescaped(value: &str) -> String {
    let mut plain = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(next) = characters.next() {
        match next {
            '\\' if characters.next() == Some('n') => plain.push('\n'),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_come_back_as_they_were() {
        let name = || QueueName::new("DEV.QUEUE.1").unwrap();
        let mut full = Definition::local(name());
        full.attributes = Attributes {
            description: "two\nlines \\n and = signs".to_owned(),
            disk_bytes_max: Some(1 << 40),
            memory_bytes_max: Some(7),
            persistence: Persistence::Persistent,
            priority: Priority::MAX,
            by_priority: false,
            put_enabled: false,
            get_enabled: false,
            backout_threshold: 3,
            backout_queue: Some(QueueName::new("BACK").unwrap()),
            trigger: Trigger {
                enabled: true,
                kind: TriggerType::Depth,
                depth: 9,
                priority: Priority::MAX,
                data: "data".to_owned(),
                process: "CODE".to_owned(),
                initiation_queue: "INIT".to_owned(),
            },
            kept: BTreeMap::from([("QDEPTHHI".to_owned(), "90".to_owned())]),
            ..Attributes::default()
        };
        let kinds = [
            QueueKind::Local,
            QueueKind::Alias(QueueName::new("OTHER").unwrap()),
            QueueKind::Model { permanent: true },
            QueueKind::Model { permanent: false },
        ];
        for kind in kinds {
            full.kind = kind;
            assert_eq!(decode(name(), &encode(&full)).unwrap(), full);
        }
        full.origin = Origin::Permanent;
        assert_eq!(decode(name(), &encode(&full)).unwrap(), full);
        assert_eq!(decode(name(), b"colour=red\n"), None);
    }
}
