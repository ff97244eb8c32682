//! The objects that commands make, change and delete.

use std::collections::BTreeMap;

use mqsc::{Kind, Words};

use super::existing::Existing;
use super::others::BASE_TOPIC;
use crate::place::{Note, Place};

/// The kinds of objects that are used here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Queue(Kind),
    Topic,
    Subscription,
    Process,
    Manager,
}

/// Objects of one space share their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Space {
    Queues,
    Topics,
    Subscriptions,
    Processes,
    Manager,
}

impl Class {
    pub(super) fn of(object: &str) -> Option<Self> {
        Some(match object {
            "TOPIC" => Self::Topic,
            "SUB" => Self::Subscription,
            "PROCESS" | "PRO" => Self::Process,
            "QMGR" => Self::Manager,
            word => Self::Queue(Kind::of_mqsc(word)?),
        })
    }

    pub(super) fn space(self) -> Space {
        match self {
            Self::Queue(_) => Space::Queues,
            Self::Topic => Space::Topics,
            Self::Subscription => Space::Subscriptions,
            Self::Process => Space::Processes,
            Self::Manager => Space::Manager,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Queue(kind) => kind.mqsc(),
            Self::Topic => "TOPIC",
            Self::Subscription => "SUB",
            Self::Process => "PROCESS",
            Self::Manager => "QMGR",
        }
    }

    /// The object with the default attributes of the kind.
    fn usual(self) -> &'static str {
        match self {
            Self::Queue(Kind::Local) => "SYSTEM.DEFAULT.LOCAL.QUEUE",
            Self::Queue(Kind::Alias) => "SYSTEM.DEFAULT.ALIAS.QUEUE",
            Self::Queue(Kind::Remote) => "SYSTEM.DEFAULT.REMOTE.QUEUE",
            Self::Queue(Kind::Model) => "SYSTEM.DEFAULT.MODEL.QUEUE",
            Self::Topic => "SYSTEM.DEFAULT.TOPIC",
            Self::Subscription => "SYSTEM.DEFAULT.SUB",
            Self::Process => "SYSTEM.DEFAULT.PROCESS",
            Self::Manager => "",
        }
    }
}

/// An object.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) class: Class,
    pub(super) name: String,
    pub(super) place: Place,
    /// Each attribute once. A keyword has the name of its positive form, and the value NO if it is negative.
    pub(super) attributes: Vec<(String, Option<String>)>,
    /// Its place in the order of all objects.
    order: usize,
}

impl Object {
    /// The form of the object in MQSC.
    pub(super) fn shown(&self) -> String {
        match self.class {
            Class::Manager => "QMGR".to_owned(),
            class => format!("{}({})", class.word(), self.name),
        }
    }

    /// The value of an attribute; none if it is blank or missing.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let (_, value) = self.attributes.iter().find(|(known, _)| known == name)?;
        value.as_deref().map(str::trim_end).filter(|value| !value.is_empty())
    }

    fn set(&mut self, name: &str, value: Option<String>) {
        let (name, value) = match name {
            "NOSHARE" | "NOTRIGGER" | "NOHARDENBO" => (&name[2..], Some("NO".to_owned())),
            "TARGET" => ("TARGQ", value),
            name => (name, value),
        };
        self.attributes.retain(|(known, _)| known != name);
        self.attributes.push((name.to_owned(), value));
    }
}

/// The records of SET and DELETE AUTHREC, in their order.
#[derive(Clone, Debug)]
pub(super) struct Authority {
    pub(super) words: Words,
    pub(super) place: Place,
}

/// All objects.
#[derive(Debug, Default)]
pub(super) struct Objects {
    objects: BTreeMap<(Space, String), Object>,
    pub(super) authorities: Vec<Authority>,
    pub(super) notes: Vec<Note>,
    /// Objects that are altered or deleted, but that no script made.
    elsewhere: Vec<Elsewhere>,
    count: usize,
}

#[derive(Debug)]
struct Elsewhere {
    class: Class,
    name: String,
    place: Place,
    is_deleted: bool,
}

/// Parameters of definitions about the running of the command.
const OF_COMMANDS: [&str; 8] =
    ["REPLACE", "NOREPLACE", "LIKE", "CMDSCOPE", "QSGDISP", "FORCE", "NOFORCE", "IGNSTATE"];

impl Objects {
    pub(super) fn len(&self) -> usize {
        self.objects.len() + self.authorities.len()
    }

    pub(super) fn note(&mut self, place: &Place, subject: impl Into<String>, reason: impl Into<String>) {
        self.notes.push(Note { place: place.clone(), subject: subject.into(), reason: reason.into() });
    }

    /// The objects of a space, in the order in which they were made.
    pub(super) fn all(&self, space: Space) -> Vec<&Object> {
        let of_space = self.objects.iter().filter(|((known, _), _)| *known == space);
        let mut all: Vec<&Object> = of_space.map(|(_, object)| object).collect();
        all.sort_by_key(|object| object.order);
        all
    }

    pub(super) fn get(&self, space: Space, name: &str) -> Option<&Object> {
        self.objects.get(&(space, name.to_owned()))
    }

    pub(super) fn first_place(&self) -> Option<&Place> {
        let objects = self.objects.values().map(|object| &object.place);
        objects.chain(self.authorities.iter().map(|one| &one.place)).min()
    }

    /// Runs a command of MQSC.
    pub(super) fn run(&mut self, words: Words, place: Place) {
        let class = Class::of(&words.object);
        let verb = match &*words.verb {
            "DEF" | "DEFINE" => "DEFINE",
            "ALT" | "ALTER" => "ALTER",
            "DEL" | "DELETE" => "DELETE",
            verb => verb,
        };
        match (verb, class, &*words.object) {
            ("ALTER", Some(Class::Manager), _) => self.alter(words, Class::Manager, place),
            ("DEFINE", Some(class), _) if class != Class::Manager => self.define(words, class, place),
            ("ALTER", Some(class), _) => self.alter(words, class, place),
            ("DELETE", Some(class), _) => self.delete(&words, class.space(), class, place),
            ("DELETE", None, "QUEUE" | "Q") => {
                self.delete(&words, Space::Queues, Class::Queue(Kind::Local), place);
            }
            ("SET" | "DELETE", _, "AUTHREC") => self.authorities.push(Authority { words, place }),
            ("DEFINE" | "ALTER" | "DELETE" | "SET", ..) => {
                let reason = elsewhere(&words.object);
                self.note(&place, named(&words), reason);
            }
            _ => self.note(&place, named(&words), "does something when it runs, and defines nothing"),
        }
    }

    fn define(&mut self, words: Words, class: Class, place: Place) {
        let Some(name) = words.name.clone().filter(|name| !name.trim().is_empty()) else {
            return self.note(&place, named(&words), "has no name");
        };
        let key = (class.space(), name.clone());
        let has = |wanted: &str| words.parameters.iter().any(|parameter| parameter.name == wanted);
        let known = self.objects.get(&key);
        if let Some(known) = known {
            let (other, is_same) = (known.place.clone(), known.class == class);
            if !has("REPLACE") || !is_same {
                let reason = match is_same {
                    true => format!("{other} defines it already, and this has no REPLACE"),
                    false => format!("{other} defines it already, as a {}", known.class.word()),
                };
                return self.note(&place, named(&words), reason);
            }
        }
        let like = words.parameters.iter().find(|parameter| parameter.name == "LIKE");
        let like = like.and_then(|parameter| parameter.value.clone());
        // An object that replaces another one has none of its attributes.
        let pattern = like.as_deref().unwrap_or(class.usual());
        let (attributes, missing) = match self.get(class.space(), pattern) {
            Some(pattern) => (pattern.attributes.clone(), None),
            None if pattern == class.usual() => (Vec::new(), None),
            None => (Vec::new(), Some(pattern.to_owned())),
        };
        if let Some(pattern) = missing {
            let reason =
                format!("LIKE({pattern}): no script defines it before, so it gives this no attributes");
            self.note(&place, named(&words), reason);
        }
        let order = self.objects.get(&key).map(|known| known.order).unwrap_or(self.count + 1);
        self.count = self.count.max(order);
        let mut object = Object { class, name, place, attributes, order };
        set_all(&mut object, words);
        self.objects.insert(key, object);
    }

    fn alter(&mut self, words: Words, class: Class, place: Place) {
        let name = match class {
            Class::Manager => String::new(),
            _ => words.name.clone().unwrap_or_default(),
        };
        let is_base = class == Class::Topic && name == BASE_TOPIC;
        let is_made_by_mq = class == Class::Manager || name == class.usual() || is_base;
        let key = (class.space(), name.clone());
        if !self.objects.contains_key(&key) {
            if !is_made_by_mq {
                self.elsewhere.push(Elsewhere { class, name, place, is_deleted: false });
                return;
            }
            self.count += 1;
            let attributes = Vec::new();
            let object = Object { class, name, place: place.clone(), attributes, order: self.count };
            self.objects.insert(key.clone(), object);
        }
        match self.objects.get_mut(&key) {
            Some(object) if object.class == class => set_all(object, words),
            Some(object) => {
                let reason = format!("{} defines it, as a {}", object.place, object.class.word());
                self.note(&place, named(&words), reason);
            }
            None => {}
        }
    }

    fn delete(&mut self, words: &Words, space: Space, class: Class, place: Place) {
        let name = words.name.clone().unwrap_or_default();
        if self.objects.remove(&(space, name.clone())).is_none() {
            self.elsewhere.push(Elsewhere { class, name, place, is_deleted: true });
        }
    }

    /// Notes commands about objects that no script makes. Objects that a script deletes and then defines get
    /// no note.
    pub(super) fn tell_existing(&mut self, existing: &Existing) {
        for one in std::mem::take(&mut self.elsewhere) {
            let Elsewhere { class, name, place, is_deleted } = one;
            let is_there = match class.space() {
                Space::Queues => existing.queues.contains_key(&name),
                Space::Subscriptions => existing.subscriptions.contains(&name),
                Space::Processes => existing.processes.contains(&name),
                Space::Topics | Space::Manager => false,
            };
            let is_made = self.objects.contains_key(&(class.space(), name.clone()));
            let reason = match (is_deleted, is_there) {
                (true, true) if !is_made => {
                    "is deleted here, and gantry.toml has it: remove its section there"
                }
                (true, _) => continue,
                (false, true) => "is altered here, and gantry.toml has it: change it there",
                (false, false) => "is altered, and no script defines it before",
            };
            self.note(&place, format!("{}({name})", class.word()), reason);
        }
    }
}

fn set_all(object: &mut Object, words: Words) {
    for parameter in words.parameters {
        if !OF_COMMANDS.contains(&&*parameter.name) {
            object.set(&parameter.name, parameter.value);
        }
    }
}

/// The form of an object in a command.
pub(super) fn named(words: &Words) -> String {
    let of = match &*words.verb {
        "DEF" | "DEFINE" | "ALT" | "ALTER" | "DEL" | "DELETE" => words.object.clone(),
        verb => format!("{verb} {}", words.object),
    };
    match &words.name {
        Some(name) => format!("{of}({})", crate::section::clean(name)),
        None => of,
    }
}

/// The reason why objects of this kind do not exist here.
fn elsewhere(object: &str) -> &'static str {
    match object {
        "CHANNEL" | "CHL" => "there are no channels: clients put and get over HTTP, by messaging REST",
        "LISTENER" | "LSTR" => "there are no listeners of MQ: [[listener]] opens an address for HTTP",
        "CHLAUTH" | "AUTHINFO" => "says who may call, which [security] and [[messaging.grant]] say here",
        "NAMELIST" | "NL" => "there are no lists of names",
        "SERVICE" => "no programs are started with the queue manager",
        "COMMINFO" => "there is no multicast",
        "STGCLASS" | "STC" | "CFSTRUCT" | "PSID" | "BUFFPOOL" => "[store] keeps all messages",
        _ => "objects of this kind do not exist here",
    }
}
