//! Turns queues, and the processes that they start, into sections.

use std::collections::{BTreeMap, BTreeSet};

use mqsc::{Change, Kind, Taken, TriggerType};

use super::objects::{Class, Object, Objects, Space};
use super::{Made, is_mq_name, is_printable};
use crate::section::{Section, Table, Value};

const QUEUE: Table = Table::Entry("queue_manager", "queue", "name");
const PROCESS: Table = Table::Entry("queue_manager", "process", "name");

/// The prefix of the objects that each queue manager of IBM MQ has by itself.
const OF_SYSTEM: &str = "SYSTEM.";
/// The most characters of the name of a transaction, and of its data.
const TRANSACTION_MAX: usize = 4;
const TRIGGER_DATA_MAX: usize = 64;
const PROCESS_DATA_MAX: usize = 128;

/// The default depth of a queue, here as in IBM MQ.
const USUAL_DEPTH: u32 = 5_000;
const USUAL_LENGTH: u32 = 4_194_304;

/// The keys of a section, in the order in which they are written.
const KEYS: [&str; 18] = [
    "name",
    "type",
    "alias_of",
    "permanent",
    "description",
    "depth_max",
    "length_bytes_max",
    "persistent",
    "priority",
    "delivery",
    "put_enabled",
    "get_enabled",
    "backout_threshold",
    "backout_queue",
    "trigger",
    "process",
    "trigger_depth",
    "trigger_priority",
];

/// Attributes of queues on z/OS and of newer versions, and dates. They have no effect here.
const PASSED_OVER: [&str; 12] = [
    "ALTDATE", "ALTTIME", "CFSTRUCT", "CRDATE", "CRTIME", "INDXTYPE", "OTELPCTL", "OTELTRAC", "QSGDISP",
    "STGCLASS", "TPIPE", "DEFTYPE",
];

/// Attributes of the queue manager that have a key.
const OF_MANAGER: [&str; 3] = ["DEADQ", "MAXMSGL", "TRIGINT"];
/// Attributes of the queue manager that can be ignored without a loss.
const PASSED_OVER_OF_MANAGER: [&str; 6] = ["ALTDATE", "ALTTIME", "CRDATE", "CRTIME", "QMNAME", "QMID"];
/// The trigger interval of MQ that means never.
const NEVER: u64 = 999_999_999;
/// The most bytes of a message.
const LENGTH_MAX: u64 = 104_857_600;

/// The trigger of a queue in its attributes.
#[derive(Default)]
struct Trigger {
    enabled: bool,
    kind: Option<TriggerType>,
    depth: Option<u32>,
    priority: u8,
    data: String,
    process: String,
}

impl Made {
    /// Sets the name of the queue manager.
    pub(super) fn own_name(&mut self, name: &str) {
        if !self.existing.has_name() {
            name.clone_into(&mut self.existing.name);
        }
    }

    /// The attributes of the queue manager with a key, except the dead-letter queue.
    pub(super) fn manager_attributes(&mut self, objects: &Objects) {
        let Some(manager) = objects.get(Space::Manager, "") else { return };
        let number = |name: &str| manager.value(name).and_then(|value| value.parse::<u64>().ok());
        let mut keys = Vec::new();
        if let Some(bytes) = number("MAXMSGL").filter(|bytes| *bytes != u64::from(USUAL_LENGTH)) {
            keys.push(("length_bytes_max", Value::from(bytes.min(LENGTH_MAX))));
        }
        if let Some(ms) = number("TRIGINT").filter(|ms| *ms != NEVER) {
            keys.push(("trigger_interval_ms", Value::from(ms)));
        }
        for (key, value) in keys {
            self.manager_key(manager, key, value);
        }
        let is_other = |name: &str| !OF_MANAGER.contains(&name) && !PASSED_OVER_OF_MANAGER.contains(&name);
        let others: Vec<&str> =
            manager.attributes.iter().map(|(name, _)| name.as_str()).filter(|name| is_other(name)).collect();
        if !others.is_empty() {
            let reason = format!("has no counterpart for {}", others.join(", "));
            self.note(&manager.place, manager.shown(), reason);
        }
    }

    fn manager_key(&mut self, manager: &Object, key: &'static str, value: Value) {
        let section = Section::new(Table::Keys("queue_manager"), key, manager.shown(), &manager.place);
        self.sections.push(section.with(key, value));
    }

    /// Queues and processes.
    pub(super) fn queues(&mut self, objects: &Objects) {
        let transactions = self.processes(objects);
        let wanted = referred_to(objects);
        let mut locals: BTreeMap<String, bool> = self.existing.queues.clone();
        let mut chosen = Vec::new();
        for object in objects.all(Space::Queues) {
            if self.is_wanted(object, &wanted) {
                chosen.push(object);
                locals.insert(object.name.clone(), object.class == Class::Queue(Kind::Local));
            }
        }
        self.dead_letter_queue(objects, &mut locals);
        // Other queues can only refer to queues that are made.
        let is_remote = |object: &&&Object| object.class == Class::Queue(Kind::Remote);
        for object in chosen.iter().filter(is_remote) {
            locals.remove(&object.name);
        }
        let targets = locals.clone();
        for object in chosen {
            if let Some(section) = self.queue(object, &targets, &transactions) {
                self.sections.push(section);
            }
        }
    }

    /// True for a queue that is made. For others there is a note with the reason.
    fn is_wanted(&mut self, object: &Object, wanted: &BTreeSet<String>) -> bool {
        let is_value = |name: &str, value: &str| {
            object.value(name).is_some_and(|found| found.eq_ignore_ascii_case(value))
        };
        let reason = if object.name.starts_with(OF_SYSTEM) && !wanted.contains(&object.name) {
            "IBM MQ uses it for itself, and nothing else names it"
        } else if !is_mq_name(&object.name) {
            "a name has 1 to 48 letters, digits and ./_%"
        } else if is_value("USAGE", "XMITQ") {
            "is a transmission queue, and there are no other queue managers"
        } else if object.class == Class::Queue(Kind::Alias) && is_value("TARGTYPE", "TOPIC") {
            "stands for a topic: clients publish to /messaging/qmgr/NAME/topic/TOPIC/message"
        } else {
            return true;
        };
        self.note(&object.place, object.shown(), reason);
        false
    }

    /// The queue for dead letters. If it is one that each queue manager of IBM MQ has, it is made.
    fn dead_letter_queue(&mut self, objects: &Objects, locals: &mut BTreeMap<String, bool>) {
        let Some(manager) = objects.get(Space::Manager, "") else { return };
        let Some(name) = manager.value("DEADQ").map(str::to_owned) else { return };
        let is_defined = objects.get(Space::Queues, &name).is_some();
        if name.starts_with(OF_SYSTEM) && is_mq_name(&name) && !is_defined {
            let subject = format!("QLOCAL({name})");
            self.sections.push(Section::new(QUEUE, &name, subject, &manager.place));
            locals.insert(name.clone(), true);
        }
        if !locals.contains_key(&name) {
            let reason = format!("DEADQ({name}) is left out: no script defines the queue");
            return self.note(&manager.place, manager.shown(), reason);
        }
        self.manager_key(manager, "dead_letter_queue", name.into());
    }

    /// The section of a queue; none if it cannot be here.
    fn queue(
        &mut self,
        object: &Object,
        queues: &BTreeMap<String, bool>,
        transactions: &BTreeSet<String>,
    ) -> Option<Section> {
        let Class::Queue(kind) = object.class else { return None };
        let mut section = Section::new(QUEUE, &object.name, object.shown(), &object.place);
        let mut trigger = Trigger::default();
        let mut target = None;
        for change in self.changes(object, kind) {
            match change {
                Change::Target(name) | Change::RemoteQueue(name) => target = Some(name),
                Change::BackoutQueue(name) if name.is_empty() || name == object.name => {}
                Change::BackoutQueue(name) if !queues.contains_key(&name) => {
                    let reason = format!("BOQNAME({name}) is left out: no script defines the queue");
                    self.note(&object.place, object.shown(), reason);
                }
                change => trigger.take_or_set(change, &mut section),
            }
        }
        match kind {
            Kind::Local => {}
            Kind::Model => section.set("type", "model"),
            Kind::Alias | Kind::Remote => {
                let target = self.target(object, target.unwrap_or_default(), queues)?;
                section.set("alias_of", target);
            }
        }
        if kind == Kind::Local {
            self.trigger(object, &trigger, transactions, &mut section);
        } else if trigger.enabled {
            self.note(&object.place, object.shown(), "the trigger is left out: only local queues have one");
        }
        let rank = |key: &str| KEYS.iter().position(|known| *known == key).unwrap_or(KEYS.len());
        section.pairs.sort_by_key(|(key, _)| rank(key));
        Some(section)
    }

    /// The changes that the attributes of a queue make. Attributes without an effect here get a note.
    fn changes(&mut self, object: &Object, kind: Kind) -> Vec<Change> {
        let mut changes = Vec::new();
        for (name, value) in &object.attributes {
            let shown = match value {
                Some(value) if name == "SHARE" && value == "NO" => "NOSHARE".to_owned(),
                Some(value) => format!("{name}({value})"),
                None => name.clone(),
            };
            match mqsc::change(kind, name, value.as_deref()) {
                Some(Taken::Change(change)) => changes.push(change),
                Some(Taken::AsItIs) => {}
                Some(Taken::Never(only)) => {
                    let reason = format!("{shown} is left out: queues here have {only}");
                    self.note(&object.place, object.shown(), reason);
                }
                None if PASSED_OVER.contains(&&**name) => {}
                None => {
                    let reason = format!("{shown} is left out: there is no such attribute or value here");
                    self.note(&object.place, object.shown(), reason);
                }
            }
        }
        changes
    }

    /// The local queue that an alias stands for, or a remote queue of this queue manager.
    fn target(&mut self, object: &Object, target: String, queues: &BTreeMap<String, bool>) -> Option<String> {
        let manager = object.value("RQMNAME").unwrap_or_default();
        let is_remote = object.class == Class::Queue(Kind::Remote);
        let reason = if is_remote && manager != self.existing.name {
            "its messages go to another queue manager, and there is none".to_owned()
        } else if target.is_empty() {
            "stands for no queue".to_owned()
        } else {
            match queues.get(&target) {
                Some(true) => return Some(target),
                Some(false) => format!("stands for {target}, and that is not a local queue"),
                None => format!("stands for {target}, and no script defines that"),
            }
        };
        self.note(&object.place, object.shown(), reason);
        None
    }

    /// The keys of a trigger, if its target is here.
    fn trigger(
        &mut self,
        object: &Object,
        trigger: &Trigger,
        processes: &BTreeSet<String>,
        section: &mut Section,
    ) {
        let word = match trigger.kind.unwrap_or(TriggerType::First) {
            _ if !trigger.enabled => return,
            TriggerType::None => return,
            TriggerType::First => "first",
            TriggerType::Every => "every",
            TriggerType::Depth => "depth",
        };
        let reason = if trigger.process.is_empty() {
            "the trigger is left out: it names no process".to_owned()
        } else if !processes.contains(&trigger.process) {
            format!(
                "the trigger is left out: {} starts no transaction of the region in gantry.toml",
                trigger.process
            )
        } else if !is_printable(&trigger.data, TRIGGER_DATA_MAX) {
            "the trigger is left out: TRIGDATA is not printable ASCII".to_owned()
        } else {
            section.set("trigger", word);
            section.set("process", trigger.process.clone());
            if let Some(depth) = trigger.depth.filter(|depth| *depth != 1) {
                section.set("trigger_depth", u64::from(depth));
            }
            if trigger.priority != 0 {
                section.set("trigger_priority", u64::from(trigger.priority));
            }
            if !trigger.data.is_empty() {
                section.set("trigger_data", trigger.data.clone());
            }
            return;
        };
        self.note(&object.place, object.shown(), reason);
    }

    /// Makes processes. Gives the names of those that start a transaction of the region.
    fn processes(&mut self, objects: &Objects) -> BTreeSet<String> {
        let mut startable = self.existing.processes.clone();
        for object in objects.all(Space::Processes) {
            let transaction = object.value("APPLICID").unwrap_or_default();
            let data = |name: &str| object.value(name).unwrap_or_default();
            let is_cics = object.value("APPLTYPE").is_some_and(|kind| kind.eq_ignore_ascii_case("CICS"));
            let reason = if object.name.starts_with(OF_SYSTEM) {
                "IBM MQ uses it for itself, and nothing else names it"
            } else if !is_cics {
                "starts no transaction (APPLTYPE(CICS)), and only these can be started"
            } else if transaction.is_empty() || !is_printable(transaction, TRANSACTION_MAX) {
                "APPLICID is not the name of a transaction, of at most 4 characters"
            } else if !is_printable(data("ENVRDATA"), PROCESS_DATA_MAX)
                || !is_printable(data("USERDATA"), PROCESS_DATA_MAX)
                || !is_mq_name(&object.name)
            {
                "its name or its data is not printable ASCII of at most 128 characters"
            } else {
                let mut section = Section::new(PROCESS, &object.name, object.shown(), &object.place)
                    .with("transaction", transaction);
                for (key, name) in [("environment_data", "ENVRDATA"), ("user_data", "USERDATA")] {
                    if let Some(text) = object.value(name) {
                        section.set(key, text);
                    }
                }
                self.sections.push(section);
                if self.existing.transactions.contains(transaction) {
                    startable.insert(object.name.clone());
                }
                continue;
            };
            self.note(&object.place, object.shown(), reason);
        }
        startable
    }
}

impl Trigger {
    /// Takes an attribute of the trigger, or sets the key of another one.
    fn take_or_set(&mut self, change: Change, section: &mut Section) {
        match change {
            Change::Trigger(yes) => self.enabled = yes,
            Change::TriggerType(kind) => self.kind = Some(kind),
            Change::TriggerDepth(depth) => self.depth = Some(depth),
            Change::TriggerPriority(priority) => self.priority = priority,
            Change::TriggerData(data) => self.data = data,
            Change::Process(process) => self.process = process,
            change => set(change, section),
        }
    }
}

/// Sets the key of an attribute with an unusual value.
fn set(change: Change, section: &mut Section) {
    match change {
        Change::Description(text) if !text.is_empty() => section.set("description", text),
        Change::MaximumDepth(depth) if depth != USUAL_DEPTH => section.set("depth_max", u64::from(depth)),
        Change::MaximumLength(bytes) if bytes != USUAL_LENGTH => {
            section.set("length_bytes_max", u64::from(bytes));
        }
        Change::DefaultPersistent(true) => section.set("persistent", true),
        Change::DefaultPriority(priority) if priority != 0 => section.set("priority", u64::from(priority)),
        Change::ByPriority(false) => section.set("delivery", "fifo"),
        Change::PutEnabled(false) => section.set("put_enabled", false),
        Change::GetEnabled(false) => section.set("get_enabled", false),
        Change::BackoutThreshold(count) if count != 0 => {
            section.set("backout_threshold", u64::from(count));
        }
        Change::BackoutQueue(name) => section.set("backout_queue", name),
        Change::Permanent(true) => section.set("permanent", true),
        // The rest has its default value, has no effect here, or is handled elsewhere.
        _ => {}
    }
}

/// The queues that other definitions name.
fn referred_to(objects: &Objects) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let manager = objects.get(Space::Manager, "").and_then(|manager| manager.value("DEADQ"));
    names.extend(manager.map(str::to_owned));
    for space in [Space::Queues, Space::Subscriptions] {
        for object in objects.all(space) {
            if !object.name.starts_with(OF_SYSTEM) {
                let named = ["BOQNAME", "TARGQ", "DEST"].into_iter().filter_map(|name| object.value(name));
                names.extend(named.map(str::to_owned));
            }
        }
    }
    names
}
