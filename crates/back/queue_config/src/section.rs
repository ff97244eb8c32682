//! `[queue_manager]` and `[[queue_manager.queue]]`, and their faults.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use document::Lines;
use message::{ManagerName, Persistence, Priority, QueueName};
use queue::{Attributes, Definition, Definitions, LENGTH_BYTES_MAX, Limits, Origin, Process, QueueKind};
use serde::Deserialize;
use settings::{GANTRY_FILE, Loader};
use toml::Spanned;

use crate::listener::{self, ListenerSection, WrittenListener};
use crate::subscription::{self, SubscriptionSection};
use crate::topic::{self, TopicSection};
use crate::trigger::{self, ProcessSection, TriggerWord};

/// `[queue_manager]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueManagerSection {
    name: Spanned<String>,
    dead_letter_queue: Option<Spanned<String>>,
    length_bytes_max: Option<Spanned<u32>>,
    memory_bytes_max: Option<u64>,
    waiters_max: Option<usize>,
    reservations_max: Option<usize>,
    queues_max: Option<usize>,
    subscriptions_max: Option<usize>,
    /// When a get is answered.
    #[serde(default)]
    get_sync: GetSyncWord,
    /// Milliseconds between two sweeps of expired messages.
    sweep_ms: Option<Spanned<u64>>,
    #[serde(default)]
    queue: Vec<Spanned<QueueSection>>,
    #[serde(default)]
    listener: Vec<Spanned<ListenerSection>>,
    #[serde(default)]
    subscription: Vec<SubscriptionSection>,
    #[serde(default)]
    topic: Vec<TopicSection>,
    #[serde(default)]
    process: Vec<ProcessSection>,
    /// Milliseconds after which a queue that is not empty triggers again.
    trigger_interval_ms: Option<u64>,
}

/// `get_sync`.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum GetSyncWord {
    /// When it is on disk that the message is gone.
    #[default]
    Strict,
    /// Before; after a crash the message may be there again.
    Lazy,
}

/// `[[queue_manager.queue]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct QueueSection {
    name: Spanned<String>,
    /// Its kind; `alias` if `alias_of` is there, else `local`.
    #[serde(rename = "type")]
    kind: Option<Spanned<KindWord>>,
    alias_of: Option<Spanned<String>>,
    /// Of a model: whether queues made of it outlive a restart.
    permanent: Option<Spanned<bool>>,
    #[serde(default)]
    description: String,
    depth_max: Option<u32>,
    length_bytes_max: Option<Spanned<u32>>,
    disk_bytes_max: Option<u64>,
    memory_bytes_max: Option<u64>,
    /// Messages are persistent where the putter does not say.
    persistent: Option<bool>,
    priority: Option<Spanned<u8>>,
    #[serde(default)]
    delivery: DeliveryWord,
    put_enabled: Option<bool>,
    get_enabled: Option<bool>,
    backout_threshold: Option<u32>,
    backout_queue: Option<Spanned<String>>,
    /// When a message starts a transaction, and which.
    trigger: Option<Spanned<TriggerWord>>,
    trigger_depth: Option<Spanned<u32>>,
    trigger_priority: Option<Spanned<u8>>,
    trigger_data: Option<Spanned<String>>,
    process: Option<Spanned<String>>,
}

/// `type`.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum KindWord {
    Local,
    Alias,
    Model,
}

/// `delivery`.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum DeliveryWord {
    #[default]
    Priority,
    Fifo,
}

/// A queue manager that can run.
#[derive(Clone, Debug)]
pub struct QueueManagerPlan {
    /// Its name and its queues.
    pub definitions: Definitions,
    /// Its limits; a change needs a restart.
    pub limits: Limits,
    /// Time between two sweeps of expired messages.
    pub sweep: Duration,
    /// The listeners, with the targets of their messages.
    pub listeners: Vec<WrittenListener>,
}

/// The time between two sweeps of expired messages, unless the section says otherwise.
const SWEEP_MS: u64 = 1_000;

impl QueueManagerSection {
    /// The name, which may be wrong.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.get_ref()
    }

    /// Checks the section. All faults are reported; then there is no plan.
    pub fn read(&self, loader: &mut Loader<'_>) -> Option<QueueManagerPlan> {
        let faults = loader.problems.error_count();
        let text = loader.files.read(GANTRY_FILE).unwrap_or_default();
        let source = Source { lines: Lines::of(&text), path: loader.files.display(GANTRY_FILE) };
        let mut reader = Reader(loader);
        let name = ManagerName::new(self.name.get_ref());
        let name =
            name.map_err(|error| reader.at(&self.name, format!("name of a queue manager: {error}"))).ok();
        let mut queues: BTreeMap<QueueName, (Definition, Range<usize>)> = BTreeMap::new();
        let processes = ProcessSection::read_all(&self.process, reader.0);
        for section in &self.queue {
            let Some(definition) = reader.queue(section, (&processes, &source)) else { continue };
            let span = section.get_ref().name.span();
            if queues.contains_key(&definition.name) {
                let message = format!("there are two queues named {}", definition.name);
                reader.0.at(GANTRY_FILE, span, message);
                continue;
            }
            queues.insert(definition.name.clone(), (definition, span));
        }
        let dead_letter_queue = reader.other_queue(self.dead_letter_queue.as_ref());
        for (definition, _) in queues.values() {
            reader.check_target(definition, &queues, self);
        }
        reader.check_there(self.dead_letter_queue.as_ref(), &queues);
        for section in &self.queue {
            reader.check_there(section.get_ref().backout_queue.as_ref(), &queues);
        }
        let length_bytes_max = self.length_bytes_max.as_ref().map(|length| reader.length(length));
        let listeners = listener::read(&self.listener, &queues, reader.0);
        let subscriptions = subscription::read(&self.subscription, &queues, reader.0);
        let topics = topic::read(&self.topic, reader.0);
        let sweep_ms = self.sweep_ms.as_ref().map_or(SWEEP_MS, |ms| *ms.get_ref());
        if sweep_ms == 0 {
            reader.0.at(
                GANTRY_FILE,
                self.sweep_ms.as_ref().map_or(0..0, Spanned::span),
                "expected at least 1",
            );
        }
        let usual = Limits::default();
        let limits = Limits {
            memory_bytes_max: self.memory_bytes_max.unwrap_or(usual.memory_bytes_max),
            waiters_max: self.waiters_max.unwrap_or(usual.waiters_max),
            reservations_max: self.reservations_max.unwrap_or(usual.reservations_max),
            queues_max: self.queues_max.unwrap_or(usual.queues_max),
            subscriptions_max: self.subscriptions_max.unwrap_or(usual.subscriptions_max),
        };
        if loader.problems.error_count() > faults {
            return None;
        }
        let usual = Definitions::new(name?);
        let definitions = Definitions {
            dead_letter_queue,
            length_bytes_max: length_bytes_max.unwrap_or(usual.length_bytes_max),
            lazy_gets: self.get_sync == GetSyncWord::Lazy,
            queues: queues.into_values().map(|(definition, _)| definition).collect(),
            subscriptions,
            topics,
            processes,
            trigger_interval_ms: self.trigger_interval_ms,
            ..usual
        };
        Some(QueueManagerPlan { definitions, limits, sweep: Duration::from_millis(sweep_ms), listeners })
    }
}

impl QueueSection {
    fn trigger(&self) -> trigger::Written<'_> {
        trigger::Written {
            kind: self.trigger.as_ref(),
            depth: self.trigger_depth.as_ref(),
            priority: self.trigger_priority.as_ref(),
            data: self.trigger_data.as_ref(),
            process: self.process.as_ref(),
        }
    }
}

/// The file of the sections, which may be many.
struct Source {
    lines: Lines,
    /// How the file is shown.
    path: String,
}

struct Reader<'r, 'f>(&'r mut Loader<'f>);

impl Reader<'_, '_> {
    fn at<T>(&mut self, place: &Spanned<T>, message: String) {
        self.0.at(GANTRY_FILE, place.span(), message);
    }

    fn queue_name(&mut self, name: &Spanned<String>) -> Option<QueueName> {
        let read = QueueName::new(name.get_ref());
        read.map_err(|error| self.at(name, format!("name of a queue: {error}"))).ok()
    }

    fn other_queue(&mut self, name: Option<&Spanned<String>>) -> Option<QueueName> {
        self.queue_name(name?)
    }

    fn length(&mut self, length: &Spanned<u32>) -> u32 {
        if *length.get_ref() > LENGTH_BYTES_MAX {
            self.at(length, format!("expected at most {LENGTH_BYTES_MAX} bytes"));
        }
        *length.get_ref()
    }

    fn queue(
        &mut self,
        section: &Spanned<QueueSection>,
        (processes, source): (&[Process], &Source),
    ) -> Option<Definition> {
        let written = section.get_ref();
        let name = self.queue_name(&written.name);
        let kind = self.kind(written);
        let usual = Attributes::default();
        let priority = written.priority.as_ref().map(|number| {
            let priority = Priority::new(*number.get_ref());
            if priority.is_none() {
                self.at(number, "expected a priority from 0 to 9".to_owned());
            }
            priority.unwrap_or_default()
        });
        let attributes = Attributes {
            description: written.description.clone(),
            depth_max: written.depth_max.unwrap_or(usual.depth_max),
            length_bytes_max: written
                .length_bytes_max
                .as_ref()
                .map_or(usual.length_bytes_max, |l| self.length(l)),
            disk_bytes_max: written.disk_bytes_max,
            memory_bytes_max: written.memory_bytes_max,
            persistence: match written.persistent {
                Some(true) => Persistence::Persistent,
                _ => Persistence::NonPersistent,
            },
            priority: priority.unwrap_or(usual.priority),
            by_priority: written.delivery == DeliveryWord::Priority,
            put_enabled: written.put_enabled.unwrap_or(true),
            get_enabled: written.get_enabled.unwrap_or(true),
            backout_threshold: written.backout_threshold.unwrap_or(usual.backout_threshold),
            backout_queue: self.other_queue(written.backout_queue.as_ref()),
            trigger: written.trigger().read(processes, self.0),
            kept: usual.kept.clone(),
        };
        let line = u32::try_from(source.lines.line(written.name.span().start)).unwrap_or(u32::MAX);
        let origin = Origin::File { path: source.path.clone(), line };
        Some(Definition { name: name?, kind: kind?, attributes, origin })
    }

    fn kind(&mut self, written: &QueueSection) -> Option<QueueKind> {
        let word = written.kind.as_ref().map(|kind| *kind.get_ref());
        if let (Some(permanent), Some(KindWord::Local | KindWord::Alias) | None) = (&written.permanent, word)
        {
            self.at(permanent, "'permanent' goes with type = \"model\"".to_owned());
        }
        match (word, &written.alias_of) {
            (None | Some(KindWord::Alias), Some(target)) => self.queue_name(target).map(QueueKind::Alias),
            (Some(KindWord::Local | KindWord::Model), Some(target)) => {
                self.at(target, "'alias_of' goes with type = \"alias\"".to_owned());
                None
            }
            (Some(KindWord::Alias), None) => {
                self.at(
                    &written.name,
                    "an alias needs the queue that it stands for as 'alias_of'".to_owned(),
                );
                None
            }
            (Some(KindWord::Model), None) => {
                let permanent = written.permanent.as_ref().is_some_and(|permanent| *permanent.get_ref());
                Some(QueueKind::Model { permanent })
            }
            (None | Some(KindWord::Local), None) => Some(QueueKind::Local),
        }
    }

    /// Whether an alias stands for a local queue. One that a command defines is not known here.
    fn check_target(
        &mut self,
        definition: &Definition,
        queues: &BTreeMap<QueueName, (Definition, Range<usize>)>,
        section: &QueueManagerSection,
    ) {
        let QueueKind::Alias(target) = &definition.kind else { return };
        let written =
            |queue: &&Spanned<QueueSection>| queue.get_ref().name.get_ref() == definition.name.as_str();
        let span = section.queue.iter().find(written).and_then(|queue| queue.get_ref().alias_of.as_ref());
        let span = span.map_or(0..0, Spanned::span);
        match queues.get(target).map(|(target, _)| &target.kind) {
            Some(QueueKind::Local) => {}
            Some(_) => {
                let message = format!("{target} is not a local queue, and an alias stands for one");
                self.0.at(GANTRY_FILE, span, message);
            }
            None => {
                let message = format!("no section defines {target}; the alias works when a command does");
                self.0.warn_at(GANTRY_FILE, span, message);
            }
        }
    }

    fn check_there(
        &mut self,
        name: Option<&Spanned<String>>,
        queues: &BTreeMap<QueueName, (Definition, Range<usize>)>,
    ) {
        let Some(name) = name else { return };
        if !queues.contains_key(name.get_ref().as_str()) {
            let message =
                format!("no section defines {}; messages go there when a command does", name.get_ref());
            self.0.warn_at(GANTRY_FILE, name.span(), message);
        }
    }
}

#[cfg(test)]
mod tests {
    use settings::{Files, Problems};

    use super::*;

    fn read(text: &str) -> (Option<QueueManagerPlan>, String) {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(GANTRY_FILE), text).expect("a file");
        let files = Files::at(folder.path().to_owned());
        let mut loader = Loader::new(&files, Problems::default(), |_| Vec::new());
        #[derive(Default, Deserialize)]
        struct Whole {
            queue_manager: Option<QueueManagerSection>,
        }
        let whole: Whole = loader.gantry();
        let plan = whole.queue_manager.and_then(|section| section.read(&mut loader));
        (plan, loader.problems.lines())
    }

    #[test]
    fn a_whole_section_is_a_plan() {
        let (plan, told) = read(
            "[queue_manager]
name = 'QM1'
dead_letter_queue = 'DEAD'
get_sync = 'lazy'
[[queue_manager.queue]]
name = 'DEV.QUEUE.1'
persistent = true
depth_max = 7
delivery = 'fifo'
backout_queue = 'DEAD'
[[queue_manager.queue]]
name = 'DEAD'
[[queue_manager.queue]]
name = 'A'
alias_of = 'DEAD'
[[queue_manager.queue]]
name = 'M'
type = 'model'
permanent = true
[[queue_manager.topic]]
name = 'SYSTEM.BASE.TOPIC'
persistent = true
[[queue_manager.topic]]
name = 'ORDERS'
topic = 'orders'
publish_enabled = false
priority = 7
",
        );
        assert_eq!(told, "");
        let definitions = plan.expect("a plan").definitions;
        let topic = |name| definitions.topic(name);
        assert_eq!((topic("ORDERS"), topic("SYSTEM.BASE.TOPIC")), (Some("orders"), Some("")));
        assert_eq!((topic("OTHER"), definitions.topics[1].publish_enabled), (None, Some(false)));
        assert_eq!(definitions.topics[1].priority, Priority::new(7));
        assert!(definitions.lazy_gets);
        let queue = |name: &str| definitions.queues.iter().find(|queue| queue.name.as_str() == name).unwrap();
        let one = queue("DEV.QUEUE.1");
        assert_eq!((one.attributes.depth_max, one.attributes.by_priority), (7, false));
        assert!(matches!(&one.origin, Origin::File { path, line: 6 } if path.ends_with("gantry.toml")));
        assert_eq!(queue("M").kind, QueueKind::Model { permanent: true });
        assert_eq!(queue("A").kind, QueueKind::Alias(QueueName::new("DEAD").unwrap()));
    }

    #[test]
    fn faults_have_their_places() {
        let (plan, told) = read(
            "[queue_manager]
name = 'no blanks'
sweep_ms = 0
length_bytes_max = 200000000
[[queue_manager.queue]]
name = 'A'
alias_of = 'B'
[[queue_manager.queue]]
name = 'B'
alias_of = 'NOWHERE'
[[queue_manager.queue]]
name = 'B'
priority = 10
[[queue_manager.queue]]
name = 'C'
type = 'alias'
[[queue_manager.queue]]
name = 'D'
type = 'local'
alias_of = 'A'
permanent = true
backout_queue = 'ELSEWHERE'
[[queue_manager.topic]]
name = 'A B'
[[queue_manager.topic]]
name = 'T'
topic = 'orders'
[[queue_manager.topic]]
name = 'T'
topic = 'orders'
priority = 10
[[queue_manager.topic]]
name = 'SYSTEM.BASE.TOPIC'
topic = 'x'
",
        );
        assert!(plan.is_none());
        for expected in [
            "gantry.toml:2: name of a queue manager: expected letters",
            "gantry.toml:3: expected at least 1",
            "gantry.toml:4: expected at most 104857600 bytes",
            "gantry.toml:7: B is not a local queue",
            "gantry.toml:10: no section defines NOWHERE",
            "gantry.toml:12: there are two queues named B",
            "gantry.toml:13: expected a priority from 0 to 9",
            "gantry.toml:15: an alias needs",
            "gantry.toml:20: 'alias_of' goes with",
            "gantry.toml:21: 'permanent' goes with",
            "gantry.toml:22: no section defines ELSEWHERE",
            "gantry.toml:24: name of a topic object: expected letters",
            "gantry.toml:24: expected a topic",
            "gantry.toml:29: there are two topic objects named T",
            "gantry.toml:30: T has this topic",
            "gantry.toml:31: expected a priority from 0 to 9",
            "gantry.toml:34: the topic of SYSTEM.BASE.TOPIC is empty",
        ] {
            let (place, message) = expected.split_once(": ").expect("two parts");
            let is_there = |line: &str| line.contains(place) && line.contains(message);
            assert!(told.lines().any(is_there), "{expected} in\n{told}");
        }
    }
}
