//! Subscriptions: the queues that get the messages of topics.
//!
//! Those of the configuration and those that a program has made durable outlive a restart. A program's other
//! subscriptions end with their handle, which is a [`HeldSubscription`]. A **managed** subscription has a queue that was made
//! for it. When the subscription is gone, the next sweep deletes the queue with its messages.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::{Arc, PoisonError, RwLockReadGuard, RwLockWriteGuard};

use message::{CorrelationId, ManagerName, Moment, Priority, QueueName, Reason, Refusal};
use store::{Direction, Keyed, Store};

use crate::definition::{Attributes, Definition, Origin, QueueKind, escaped, unescaped};
use crate::error::{OpenError, refusal};
use crate::manager::{Core, Manager};
use crate::topics::{check_topic, fits};

/// Bytes of a name at most.
pub const SUBSCRIPTION_NAME_BYTES_MAX: usize = 255;

/// The beginnings of the names of queues that are made for subscriptions.
const MANAGED_DURABLE: &str = "SYSTEM.MANAGED.DURABLE.";
const MANAGED: &str = "SYSTEM.MANAGED.NDURABLE.";
/// Messages of such a queue at most, as with IBM MQ's models.
const MANAGED_DEPTH_MAX: u32 = 999_999_999;

/// A subscription. It puts messages of matching topics on a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    /// Its name: 1 to 255 bytes. One that ends with its handle may have none.
    pub name: String,
    /// The topics: levels between slashes, `+` for any level, `#` for any levels.
    pub topics: String,
    /// The queue.
    pub queue: QueueName,
    /// What its program has set; none if the configuration has it.
    pub registration: Option<Registration>,
}

/// The settings of a program for its subscription.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registration {
    /// The user who made it.
    pub user: String,
    /// True if other users may use it, too.
    pub any_user: bool,
    /// True if it outlives its handle and a restart.
    pub durable: bool,
    /// True if its queue was made for it.
    pub managed: bool,
    /// The correlation id of its messages; none is the publisher's.
    pub correlation_id: Option<CorrelationId>,
    /// The priority of its messages.
    pub priority: SubscriptionPriority,
    /// Data of the program.
    pub user_data: String,
    /// When it ends; none is never.
    pub expires: Option<Moment>,
}

/// The priority of the messages of a subscription.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SubscriptionPriority {
    /// The publisher's.
    #[default]
    AsPublished,
    /// That of the queue.
    AsQueue,
    /// This one.
    Fixed(Priority),
}

impl Subscription {
    /// A subscription of the configuration.
    #[must_use]
    pub fn new(name: impl Into<String>, topics: impl Into<String>, queue: QueueName) -> Self {
        Self { name: name.into(), topics: topics.into(), queue, registration: None }
    }

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

    /// True if it outlives its handle and a restart.
    #[must_use]
    pub fn is_durable(&self) -> bool {
        self.registration.as_ref().is_none_or(|registration| registration.durable)
    }

    /// True if its queue was made for it.
    #[must_use]
    pub fn is_managed(&self) -> bool {
        self.registration.as_ref().is_some_and(|registration| registration.managed)
    }

    fn has_expired(&self, now: Moment) -> bool {
        self.registration.as_ref().and_then(|registration| registration.expires).is_some_and(|end| end <= now)
    }

    /// Its form in the store: lines of `key=value`. The key of the record is its name.
    fn encode(&self) -> Vec<u8> {
        let mut text = String::new();
        let mut line = |key: &str, value: &str| _ = writeln!(text, "{key}={}", escaped(value));
        line("queue", self.queue.as_str());
        line("topics", &self.topics);
        let Some(registration) = &self.registration else { return text.into_bytes() };
        line("user", &registration.user);
        line("any_user", if registration.any_user { "true" } else { "false" });
        line("managed", if registration.managed { "true" } else { "false" });
        if let Some(id) = registration.correlation_id {
            line("correlation_id", &id.to_string());
        }
        match registration.priority {
            SubscriptionPriority::AsPublished => line("priority", "as published"),
            SubscriptionPriority::AsQueue => line("priority", "as queue"),
            SubscriptionPriority::Fixed(priority) => line("priority", &priority.number().to_string()),
        }
        line("user_data", &registration.user_data);
        if let Some(expires) = registration.expires {
            line("expires_ms", &expires.0.to_string());
        }
        text.into_bytes()
    }

    /// The subscription of a record; none if this version does not know its form.
    fn decode(name: &str, value: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(value).ok()?;
        let (first, rest) = text.split_once('\n')?;
        // Earlier versions wrote the queue, and the topics behind it.
        if !first.contains('=') {
            return Some(Self::new(name, rest, QueueName::new(first).ok()?));
        }
        let (mut queue, mut topics, mut registration) = (None, None, Registration::default());
        let mut is_registered = false;
        for line in text.lines() {
            let (key, value) = line.split_once('=')?;
            let value = unescaped(value);
            match key {
                "queue" => queue = QueueName::new(&value).ok(),
                "topics" => topics = Some(value),
                "user" => (registration.user, is_registered) = (value, true),
                "any_user" => registration.any_user = value.parse().ok()?,
                "managed" => registration.managed = value.parse().ok()?,
                "correlation_id" => registration.correlation_id = Some(CorrelationId::from_hex(&value).ok()?),
                "priority" => {
                    registration.priority = match value.as_str() {
                        "as published" => SubscriptionPriority::AsPublished,
                        "as queue" => SubscriptionPriority::AsQueue,
                        number => SubscriptionPriority::Fixed(Priority::new(number.parse().ok()?)?),
                    }
                }
                "user_data" => registration.user_data = value,
                "expires_ms" => registration.expires = Some(Moment(value.parse().ok()?)),
                _ => return None,
            }
        }
        registration.durable = true;
        let registration = is_registered.then_some(registration);
        Some(Self { name: name.to_owned(), topics: topics?, queue: queue?, registration })
    }
}

/// The subscriptions besides those of the configuration.
pub(crate) struct Subscriptions {
    space: Keyed,
    /// Those of the store, by their names.
    durable: Vec<Subscription>,
    /// Those that end with their handles.
    live: Vec<(u64, Subscription)>,
    next: u64,
    /// The names of durable ones that a program uses.
    used: HashSet<String>,
    /// How many have each managed queue open.
    open: HashMap<QueueName, u32>,
    /// True if a managed queue may have lost its subscription.
    may_have_orphans: bool,
}

impl Subscriptions {
    pub(crate) fn open(store: &Store, space: Keyed) -> Result<Self, OpenError> {
        let unit = store.unit()?;
        let mut durable: Vec<Subscription> = Vec::new();
        loop {
            let last = durable.last().map(|last| last.name.as_bytes());
            let from = last.map_or(std::ops::Bound::Unbounded, std::ops::Bound::Excluded);
            let Some(record) = unit.browse(&space, from, Direction::Forward)? else { break };
            let name = std::str::from_utf8(&record.key).ok();
            let read = name.and_then(|name| Subscription::decode(name, &record.value));
            durable.push(read.ok_or_else(|| {
                OpenError::new("mq.subscriptions: a record is not a subscription of this version")
            })?);
        }
        drop(unit);
        Ok(Self {
            space,
            durable,
            live: Vec::new(),
            next: 0,
            used: HashSet::new(),
            open: HashMap::new(),
            may_have_orphans: true,
        })
    }

    fn at(&self, name: &str) -> Result<usize, usize> {
        self.durable.binary_search_by(|known| known.name.as_str().cmp(name))
    }
}

/// A subscription that a program uses. A subscription that is not durable ends when this is dropped.
pub struct HeldSubscription {
    core: Arc<Core>,
    held: Held,
}

enum Held {
    Durable(String),
    Live(u64),
}

impl std::fmt::Debug for HeldSubscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HeldSubscription").field("name", &self.name()).finish_non_exhaustive()
    }
}

impl HeldSubscription {
    /// The name of a durable subscription; none if it ends with this handle.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match &self.held {
            Held::Durable(name) => Some(name),
            Held::Live(_) => None,
        }
    }
}

impl Drop for HeldSubscription {
    fn drop(&mut self) {
        let mut all = self.core.write_subscriptions();
        match &self.held {
            Held::Durable(name) => _ = all.used.remove(name),
            Held::Live(id) => {
                all.live.retain(|(known, _)| known != id);
                // Its queue may have been closed before.
                all.may_have_orphans = true;
            }
        }
    }
}

/// A managed queue that a program has open. It stays until this is dropped, also without its subscription.
pub struct HeldQueue {
    core: Arc<Core>,
    queue: QueueName,
}

impl std::fmt::Debug for HeldQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HeldQueue").field("queue", &self.queue).finish_non_exhaustive()
    }
}

impl Drop for HeldQueue {
    fn drop(&mut self) {
        let mut all = self.core.write_subscriptions();
        if let Some(count) = all.open.get_mut(&self.queue) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                all.open.remove(&self.queue);
                all.may_have_orphans = true;
            }
        }
    }
}

/// Where a copy of a published message goes.
pub(crate) struct Delivery {
    pub(crate) queue: QueueName,
    pub(crate) correlation_id: Option<CorrelationId>,
    pub(crate) priority: SubscriptionPriority,
    pub(crate) durable: bool,
    pub(crate) managed: bool,
}

impl Delivery {
    fn of(subscription: &Subscription) -> Self {
        let registration = subscription.registration.as_ref();
        Self {
            queue: subscription.queue.clone(),
            correlation_id: registration.and_then(|registration| registration.correlation_id),
            priority: registration.map(|registration| registration.priority).unwrap_or_default(),
            durable: subscription.is_durable(),
            managed: subscription.is_managed(),
        }
    }
}

fn is_among(all: &[Subscription], name: &str) -> bool {
    all.iter().any(|known| known.name == name)
}

fn unknown(name: &str) -> Refusal {
    Refusal::failed(Reason::NoSubscription, format!("{name}: there is no such subscription"))
}

impl Core {
    fn read_subscriptions(&self) -> RwLockReadGuard<'_, Subscriptions> {
        self.subscriptions.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_subscriptions(&self) -> RwLockWriteGuard<'_, Subscriptions> {
        self.subscriptions.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the messages of a topic go. The configuration wins over the store if both have a name.
    pub(crate) fn deliveries(&self, topic: &str, now: Moment) -> Vec<Delivery> {
        let defined = &self.definitions().subscriptions;
        let all = self.read_subscriptions();
        let wanted = |one: &&Subscription| fits(&one.topics, topic) && !one.has_expired(now);
        let stored = all.durable.iter().filter(wanted).filter(|one| !is_among(defined, &one.name));
        let live = all.live.iter().map(|(_, subscription)| subscription).filter(wanted);
        defined.iter().filter(wanted).chain(stored).chain(live).map(Delivery::of).collect()
    }

    /// True if the configuration has a subscription of this name. Its lock must not be taken while that of the
    /// subscriptions is held, because publishing takes them in the other order.
    fn is_defined(&self, name: &str) -> bool {
        is_among(&self.definitions().subscriptions, name)
    }

    fn check_new(&self, all: &Subscriptions, name: &str, is_defined: bool) -> Result<(), Refusal> {
        let is_live = all.live.iter().any(|(_, live)| !name.is_empty() && live.name == name);
        if is_defined || is_live || all.at(name).is_ok() {
            let text = format!("{name}: the subscription exists");
            return Err(Refusal::failed(Reason::SubscriptionExists, text));
        }
        let most = self.limits.subscriptions_max;
        if all.durable.len() + all.live.len() >= most {
            let text = format!("programs have {most} subscriptions, which is subscriptions_max");
            return Err(Refusal::failed(Reason::ResourceProblem, text));
        }
        Ok(())
    }

    fn keep_subscription(&self, all: &Subscriptions, subscription: &Subscription) -> Result<(), Refusal> {
        let (key, value) = (subscription.name.as_bytes(), subscription.encode());
        let is_there = all.at(&subscription.name).is_ok();
        let keep = || -> store::Result<()> {
            let mut unit = self.store.unit()?;
            match is_there {
                true => unit.rewrite(&all.space, key, value)?,
                false => unit.insert(&all.space, key, value)?,
            }
            unit.syncpoint()
        };
        keep().map_err(|error| refusal(&error))
    }
}

impl Manager {
    /// All subscriptions, by their names. The configuration wins over the store if both have a name.
    #[must_use]
    pub fn subscriptions(&self) -> Vec<Subscription> {
        let mut found = self.core.definitions().subscriptions.clone();
        let all = self.core.read_subscriptions();
        let stored: Vec<_> = all.durable.iter().filter(|one| !is_among(&found, &one.name)).cloned().collect();
        found.extend(stored);
        found.extend(all.live.iter().map(|(_, live)| live.clone()));
        found.sort_by(|one, two| one.name.cmp(&two.name));
        found
    }

    /// The subscription of a name.
    #[must_use]
    pub fn subscription(&self, name: &str) -> Option<Subscription> {
        let defined = &self.core.definitions().subscriptions;
        let all = self.core.read_subscriptions();
        let live = || all.live.iter().map(|(_, live)| live).find(|live| live.name == name);
        let stored = || all.at(name).ok().map(|at| &all.durable[at]).or_else(live);
        defined.iter().find(|known| known.name == name).or_else(stored).cloned()
    }

    /// Adds a durable subscription, and keeps it in the store. For a managed one it makes the queue. Gives the
    /// subscription with its queue.
    ///
    /// # Errors
    /// `SubscriptionExists`; `TopicString`; `UnknownObjectName` if the queue does not exist; `ResourceProblem` if there are
    /// too many; as [`Manager::define`]; those of the store.
    pub fn subscribe(&self, mut subscription: Subscription) -> Result<Subscription, Refusal> {
        check_topic(&subscription.topics)?;
        let is_defined = self.core.is_defined(&subscription.name);
        self.core.check_new(&self.core.read_subscriptions(), &subscription.name, is_defined)?;
        let _kept = self.find_queue(&mut subscription)?;
        let mut all = self.core.write_subscriptions();
        self.core.check_new(&all, &subscription.name, is_defined)?;
        self.core.keep_subscription(&all, &subscription)?;
        let at = all.at(&subscription.name).unwrap_or_else(|at| at);
        all.durable.insert(at, subscription.clone());
        Ok(subscription)
    }

    /// Makes the queue of a managed subscription, or checks that the queue of another one exists. A sweep leaves a new queue
    /// alone until the result is dropped.
    fn find_queue(&self, subscription: &mut Subscription) -> Result<Option<HeldQueue>, Refusal> {
        if !subscription.is_managed() {
            return self.definition(&subscription.queue).map(|_| None);
        }
        let core = &self.core;
        let id = core.ids.next(&core.store, &core.state).map_err(|error| refusal(&error))?;
        let unique: String = id.0[16..].iter().map(|byte| format!("{byte:02X}")).collect();
        let (start, origin) = match subscription.is_durable() {
            true => (MANAGED_DURABLE, Origin::Permanent),
            false => (MANAGED, Origin::Temporary),
        };
        let fault = |error| Refusal::failed(Reason::DynamicQueueName, format!("name of a queue: {error}"));
        let name = QueueName::new(&format!("{start}{unique}")).map_err(fault)?;
        let kept = self.hold_queue(&name);
        let attributes = Attributes { depth_max: MANAGED_DEPTH_MAX, ..Attributes::default() };
        self.define(Definition { name: name.clone(), kind: QueueKind::Local, attributes, origin }, false)?;
        subscription.queue = name;
        Ok(Some(kept))
    }

    /// Changes a durable subscription that a program has made. It keeps its queue.
    ///
    /// # Errors
    /// `NoSubscription`, also for a subscription of the configuration; `TopicString`; those of the store.
    pub fn alter_subscription(&self, mut subscription: Subscription) -> Result<Subscription, Refusal> {
        check_topic(&subscription.topics)?;
        let mut all = self.core.write_subscriptions();
        let at = all.at(&subscription.name).map_err(|_| unknown(&subscription.name))?;
        if subscription.is_managed() {
            subscription.queue = all.durable[at].queue.clone();
        }
        self.core.keep_subscription(&all, &subscription)?;
        all.durable[at] = subscription.clone();
        Ok(subscription)
    }

    /// Adds a subscription that ends with the result. For a managed one it makes a temporary queue. Gives the
    /// subscription with its queue.
    ///
    /// # Errors
    /// As [`Manager::subscribe`].
    pub fn subscribe_while_held(
        &self,
        mut subscription: Subscription,
    ) -> Result<(Subscription, HeldSubscription), Refusal> {
        check_topic(&subscription.topics)?;
        let is_defined = self.core.is_defined(&subscription.name);
        self.core.check_new(&self.core.read_subscriptions(), &subscription.name, is_defined)?;
        let _kept = self.find_queue(&mut subscription)?;
        let mut all = self.core.write_subscriptions();
        if let Err(refusal) = self.core.check_new(&all, &subscription.name, is_defined) {
            drop(all);
            if subscription.is_managed() {
                // Nobody else knows it yet.
                let _ = self.delete(&subscription.queue, true);
            }
            return Err(refusal);
        }
        let id = all.next;
        all.next += 1;
        all.live.push((id, subscription.clone()));
        Ok((subscription, HeldSubscription { core: Arc::clone(&self.core), held: Held::Live(id) }))
    }

    /// Uses a durable subscription. Nobody else can until the result is dropped.
    ///
    /// # Errors
    /// `SubscriptionInUse`.
    pub fn hold_subscription(&self, name: &str) -> Result<HeldSubscription, Refusal> {
        if !self.core.write_subscriptions().used.insert(name.to_owned()) {
            let text = format!("{name}: another program uses the subscription");
            return Err(Refusal::failed(Reason::SubscriptionInUse, text));
        }
        Ok(HeldSubscription { core: Arc::clone(&self.core), held: Held::Durable(name.to_owned()) })
    }

    /// Keeps a managed queue while a program has it open.
    #[must_use]
    pub fn hold_queue(&self, queue: &QueueName) -> HeldQueue {
        *self.core.write_subscriptions().open.entry(queue.clone()).or_default() += 1;
        HeldQueue { core: Arc::clone(&self.core), queue: queue.clone() }
    }

    /// Ends a durable subscription that a program has made. Messages on a queue that is not managed stay there.
    ///
    /// # Errors
    /// `NoSubscription`, also for a subscription of the configuration; those of the store.
    pub fn unsubscribe(&self, name: &str) -> Result<(), Refusal> {
        let mut all = self.core.write_subscriptions();
        let at = all.at(name).map_err(|_| unknown(name))?;
        let forget = || -> store::Result<()> {
            let mut unit = self.core.store.unit()?;
            unit.delete(&all.space, name.as_bytes())?;
            unit.syncpoint()
        };
        forget().map_err(|error| refusal(&error))?;
        let gone = all.durable.remove(at);
        all.may_have_orphans |= gone.is_managed();
        Ok(())
    }

    /// Ends durable subscriptions that have expired, and deletes managed queues without a subscription. Units that
    /// have not ended may hold messages of such a queue; a later sweep deletes it then.
    pub(crate) fn sweep_subscriptions(&self, now: Moment) -> Result<(), Refusal> {
        let (expired, orphans) = {
            let mut all = self.core.write_subscriptions();
            let expired: Vec<String> =
                all.durable.iter().filter(|one| one.has_expired(now)).map(|one| one.name.clone()).collect();
            let mut orphans = Vec::new();
            if std::mem::take(&mut all.may_have_orphans) {
                let live = all.live.iter().map(|(_, live)| live);
                let subscribed = all.durable.iter().chain(live).filter(|one| one.is_managed());
                let subscribed: HashSet<&QueueName> = subscribed.map(|one| &one.queue).collect();
                let has_none = |name: &QueueName| {
                    let is_managed =
                        [MANAGED_DURABLE, MANAGED].iter().any(|start| name.as_str().starts_with(start));
                    is_managed && !all.open.contains_key(name) && !subscribed.contains(name)
                };
                let queues = self.core.all_queues().into_iter();
                orphans.extend(queues.map(|queue| queue.name.clone()).filter(has_none));
            }
            (expired, orphans)
        };
        for name in expired {
            self.unsubscribe(&name)?;
        }
        for queue in orphans {
            if self.definition(&queue).is_ok_and(|definition| definition.origin.is_dynamic())
                && self.delete(&queue, true).is_err()
            {
                self.core.write_subscriptions().may_have_orphans = true;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_of_its_names() {
        let of = |name: &str, manager: &str| {
            let subscription = Subscription::new(name, "a", QueueName::new("Q").unwrap());
            subscription.id(&ManagerName::new(manager).unwrap())
        };
        assert_eq!(&of("NEWS", "QM1")[..16], b"AMQ QM1         ");
        assert_eq!(&of("NEWS", "A.QUEUE.MANAGER")[..16], b"AMQ A.QUEUE.MANA");
        assert_eq!(of("NEWS", "QM1"), of("NEWS", "QM1"));
        assert_ne!(of("NEWS", "QM1"), of("NEWS2", "QM1"));
    }

    #[test]
    fn a_subscription_comes_back_from_the_store_as_it_was() {
        let plain = Subscription::new("NEWS", "a=b\nc/\\#", QueueName::new("Q").unwrap());
        assert_eq!(Subscription::decode("NEWS", &plain.encode()).as_ref(), Some(&plain));
        let priorities = [
            SubscriptionPriority::AsPublished,
            SubscriptionPriority::AsQueue,
            SubscriptionPriority::Fixed(Priority::MAX),
        ];
        for priority in priorities {
            let registration = Registration {
                user: "ANNE".to_owned(),
                any_user: true,
                durable: true,
                managed: true,
                correlation_id: Some(CorrelationId([7; 24])),
                priority,
                user_data: "two\nlines".to_owned(),
                expires: Some(Moment(9)),
            };
            let full = Subscription { registration: Some(registration), ..plain.clone() };
            assert_eq!(Subscription::decode("NEWS", &full.encode()), Some(full));
        }
        // The form of earlier versions.
        let old = Subscription::decode("NEWS", b"Q\nnews/#\nmore").unwrap();
        assert_eq!((old.queue.as_str(), old.topics.as_str()), ("Q", "news/#\nmore"));
        for bad in [&b""[..], b"Q", b"a b\nx", b"queue=Q\ncolour=red\n", b"queue=Q\n", b"\xff\n"] {
            assert_eq!(Subscription::decode("NEWS", bad), None, "{bad:?}");
        }
    }
}
