//! Shows, makes, changes and deletes queues: by commands of MQSC, and by the resource for queues.

use ::messaging::{
    Asked, Attempt, Change, Command, Display, Done as Did, Failed, Item, Kind, Manager as ShownManager,
    Outcome, Process, Queue, Queues as WantedQueues, Reply, Shown, State, Subscription,
    Subscriptions as WantedSubscriptions, Topic, TriggerType as ShownTrigger, Trouble, What, fits, foreign,
};
use http::StatusCode;
use message::{Moment, Persistence, Priority, QueueName, Reason, Refusal};
use queue::{Attributes, Definition, Origin, QueueKind, TriggerType};

use super::run::apart;
use super::{Asking, Desk, Done, Stopped, troubled};

/// The most messages in a unit of work, as shown to clients.
const UNCOMMITTED_MAX: u32 = 10_000;

impl Desk {
    /// Runs a command. A failure becomes a part of the answer.
    pub(super) async fn mqsc(&self, asking: Asking<'_>, asked: Asked, now: Moment) -> Done {
        self.rights.check_look(asking)?;
        let reply = match &asked.command {
            Err(piece) => Reply::failed(Failed::Syntax(piece.clone())),
            Ok(command) => match command.queue() {
                Some(name) if !self.rights.may_change(asking, name) => {
                    Reply::failed(Failed::NotAuthorized(name.to_owned()))
                }
                _ => self.command(asking, command, now).await,
            },
        };
        Ok(Outcome::Mqsc(asked, reply))
    }

    async fn command(&self, asking: Asking<'_>, command: &Command, now: Moment) -> Reply {
        let done = match command {
            Command::Ping => Ok(Did::Pinged),
            Command::Unsupported(words) => Err(Failed::Unsupported(words.clone())),
            Command::Display(display) => return self.display(asking, display, now),
            Command::Define { kind, name, replace, like, changes } => {
                let made = Made { kind: *kind, name, like: like.as_deref(), changes };
                self.define(&made, *replace).await.map(|()| Did::Created)
            }
            Command::Alter { kind, name, changes } => {
                self.alter(Some(*kind), name, changes).await.map(|()| Did::Changed)
            }
            Command::Delete { kind, name, purge, ignore_missing } => {
                match self.delete(*kind, name, *purge).await {
                    Err(Failed::NotFound(_)) if *ignore_missing => Ok(Did::Deleted),
                    done => done.map(|()| Did::Deleted),
                }
            }
            Command::Clear(name) => self.clear(name).await.map(|()| Did::Cleared),
        };
        Reply::one(done.map_or_else(Item::Failed, Item::Done))
    }

    fn display(&self, asking: Asking<'_>, display: &Display, now: Moment) -> Reply {
        let missing = || Reply::failed(Failed::NotFound(display.name.clone()));
        match display.what {
            What::Channel | What::Connection => missing(),
            What::ChannelStatus => Reply::failed(Failed::NoChannelStatus),
            What::Manager | What::ManagerStatus => {
                let definitions = self.manager.definitions();
                let dead = definitions.dead_letter_queue.as_ref().map(|name| name.as_str().to_owned());
                Reply::one(Item::Manager(ShownManager {
                    name: self.manager_name().to_owned(),
                    description: String::new(),
                    dead_letter_queue: dead.unwrap_or_default(),
                    maximum_length: definitions.length_bytes_max,
                    maximum_uncommitted: UNCOMMITTED_MAX,
                }))
            }
            What::Queue | What::QueueStatus => {
                let queues = self.shown(asking, |name| fits(&display.name, name), now);
                let queues = queues.filter(|queue| display.kind.is_none_or(|kind| kind == queue.kind));
                let items: Vec<Item> = queues.map(Item::Queue).collect();
                if items.is_empty() { missing() } else { Reply { items } }
            }
            What::Subscription => {
                let subscriptions = self.subscribed(asking, |name| fits(&display.name, name));
                let items: Vec<Item> = subscriptions.map(Item::Subscription).collect();
                if items.is_empty() { missing() } else { Reply { items } }
            }
            What::Process | What::Topic => {
                let items = match display.what {
                    What::Process => self.processes(asking, display),
                    _ => self.topics(asking, display),
                };
                if items.is_empty() { missing() } else { Reply { items } }
            }
        }
    }

    fn topics(&self, asking: Asking<'_>, display: &Display) -> Vec<Item> {
        let topics = self.manager.definitions().topic_objects().into_iter();
        let wanted = topics.filter(|topic| self.rights.may_read(asking) && fits(&display.name, &topic.name));
        let shown = |topic: queue::Topic| {
            Item::Topic(Topic {
                name: topic.name,
                topic: topic.topic,
                publish_enabled: topic.publish_enabled,
                persistent: topic.persistence.map(|persistence| persistence == Persistence::Persistent),
                priority: topic.priority.map(Priority::number),
            })
        };
        wanted.map(shown).collect()
    }

    fn processes(&self, asking: Asking<'_>, display: &Display) -> Vec<Item> {
        let processes = self.manager.definitions().processes.into_iter();
        let wanted =
            processes.filter(|process| self.rights.may_read(asking) && fits(&display.name, &process.name));
        let shown = |process: queue::Process| {
            Item::Process(Process {
                name: process.name,
                transaction: process.transaction,
                environment_data: process.environment_data,
                user_data: process.user_data,
            })
        };
        wanted.map(shown).collect()
    }

    /// The subscriptions with matching names whose queues the caller may see, by name.
    fn subscribed<'d>(
        &'d self,
        asking: Asking<'d>,
        wanted: impl Fn(&str) -> bool + 'd,
    ) -> impl Iterator<Item = Subscription> + 'd {
        let manager = self.manager.definitions().name;
        let is_wanted = move |one: &queue::Subscription| {
            wanted(&one.name) && self.rights.may_look(asking, one.queue.as_str())
        };
        self.manager.subscriptions().into_iter().filter(is_wanted).map(move |one| Subscription {
            durable: one.is_durable(),
            managed: one.is_managed(),
            user: one.registration.as_ref().map(|registration| registration.user.clone()),
            id: one.id(&manager).iter().map(|byte| format!("{byte:02X}")).collect(),
            name: one.name,
            topics: one.topics,
            queue: one.queue.as_str().to_owned(),
            manager: manager.as_str().to_owned(),
        })
    }

    /// The queues with matching names that the caller may see, by name.
    fn shown<'d>(
        &'d self,
        asking: Asking<'d>,
        wanted: impl Fn(&str) -> bool + 'd,
        now: Moment,
    ) -> impl Iterator<Item = Queue> + 'd {
        let seen = self.manager.inquire_all().into_iter();
        let seen = seen.filter(move |found| {
            let name = found.name.as_str();
            wanted(name) && self.rights.may_look(asking, name)
        });
        seen.map(move |found| {
            let state = found.is_local().then(|| State {
                depth: found.depth as u64,
                uncommitted: found.uncommitted as u64,
                oldest_age_s: found.oldest.map(|put| now.since_ms(put) / 1_000),
                open_input: u32::try_from(found.waiters).unwrap_or(u32::MAX),
                open_output: 0,
            });
            match &found.definition {
                Some(definition) => queue_of(definition, state),
                // Its definition was dropped. It keeps its messages until they are removed.
                None => queue_of(&Definition::local(found.name), state),
            }
        })
    }

    async fn define(&self, made: &Made<'_>, replace: bool) -> Result<(), Failed> {
        check_had(made.kind, made.changes)?;
        let name = named(made.name)?;
        let existing = self.manager.definition(&name).ok();
        let pattern =
            made.like.and_then(|like| named(like).ok()).and_then(|name| self.manager.definition(&name).ok());
        let base = match (&existing, made.like, &pattern) {
            (Some(_), ..) if !replace => return Err(Failed::Exists(made.name.to_owned())),
            (Some(found), ..) if kind_of(&found.kind) != made.kind => {
                return Err(Failed::OtherKind(made.name.to_owned()));
            }
            (_, _, Some(pattern)) => pattern.attributes.clone(),
            // The queues of MQ that have nothing but the defaults.
            (_, Some(like), None) if DEFAULT_QUEUES.contains(&like) => Attributes::default(),
            (_, Some(like), None) => return Err(Failed::NotFound(like.to_owned())),
            // The attributes of an object that is replaced do not count.
            (_, None, None) => Attributes::default(),
        };
        let is_permanent = matches!(
            pattern.as_deref().map(|pattern| &pattern.kind),
            Some(QueueKind::Model { permanent: true })
        );
        let kind = match (made.kind, existing) {
            (Kind::Remote, _) => return Err(no_remote()),
            (_, Some(found)) => found.kind.clone(),
            (Kind::Local, None) => QueueKind::Local,
            (Kind::Model, None) => QueueKind::Model { permanent: is_permanent },
            (Kind::Alias, None) => QueueKind::Alias(target_of(made.changes)?),
        };
        let mut definition = Definition { name, kind, attributes: base, origin: Origin::Command };
        apply(&mut definition, made.changes)?;
        self.keep(definition, replace).await
    }

    async fn alter(&self, kind: Option<Kind>, name: &str, changes: &[Change]) -> Result<(), Failed> {
        let missing = || Failed::NotFound(name.to_owned());
        let found = self.manager.definition(&named(name).map_err(|_| missing())?).map_err(|_| missing())?;
        if kind.is_some_and(|kind| kind != kind_of(&found.kind)) {
            return Err(Failed::OtherKind(name.to_owned()));
        }
        check_had(kind_of(&found.kind), changes)?;
        let mut definition = Definition::clone(&found);
        apply(&mut definition, changes)?;
        self.keep(definition, true).await
    }

    /// Keeps a definition. A definition of a file cannot be changed, and the refusal names file and
    /// line.
    async fn keep(&self, definition: Definition, replace: bool) -> Result<(), Failed> {
        let (manager, name) = (self.manager.clone(), definition.name.as_str().to_owned());
        let kept = apart(move || manager.define(definition, replace)).await;
        kept.map_err(|refusal| refused(&name, refusal))
    }

    async fn delete(&self, kind: Option<Kind>, name: &str, purge: bool) -> Result<(), Failed> {
        let missing = || Failed::NotFound(name.to_owned());
        let queue = named(name).map_err(|_| missing())?;
        if let (Some(kind), Ok(found)) = (kind, self.manager.definition(&queue))
            && kind != kind_of(&found.kind)
        {
            return Err(Failed::OtherKind(name.to_owned()));
        }
        let manager = self.manager.clone();
        let deleted = apart(move || manager.delete(&queue, purge)).await;
        deleted.map_err(|refusal| refused(name, refusal))
    }

    async fn clear(&self, name: &str) -> Result<(), Failed> {
        let queue = named(name).map_err(|_| Failed::NotFound(name.to_owned()))?;
        let manager = self.manager.clone();
        let cleared = apart(move || manager.purge(&queue)).await;
        cleared.map(drop).map_err(|refusal| refused(name, refusal))
    }
}

/// The names of queues that each queue manager of MQ has. Scripts name them in LIKE.
const DEFAULT_QUEUES: [&str; 3] =
    ["SYSTEM.DEFAULT.ALIAS.QUEUE", "SYSTEM.DEFAULT.LOCAL.QUEUE", "SYSTEM.DEFAULT.MODEL.QUEUE"];

fn no_remote() -> Failed {
    Failed::Reason(Reason::QueueType.code(), NO_REMOTE.to_owned())
}

const NO_REMOTE: &str = "there are no other queue managers, so no queue can be remote";

/// A new queue.
struct Made<'m> {
    kind: Kind,
    name: &'m str,
    like: Option<&'m str>,
    changes: &'m [Change],
}

fn named(name: &str) -> Result<QueueName, Failed> {
    QueueName::new(name)
        .map_err(|error| Failed::Reason(Reason::ObjectType.code(), format!("{name}: {error}")))
}

fn target_of(changes: &[Change]) -> Result<QueueName, Failed> {
    let target = changes.iter().rev().find_map(|change| match change {
        Change::Target(name) => Some(name.as_str()),
        _ => None,
    });
    target_named(target.unwrap_or_default())
}

fn target_named(target: &str) -> Result<QueueName, Failed> {
    if target.is_empty() {
        let told = "an alias needs TARGQ, the local queue that it stands for".to_owned();
        return Err(Failed::Reason(Reason::UnknownAliasBaseQueue.code(), told));
    }
    named(target)
}

/// Checks that queues of a kind have these attributes.
fn check_had(kind: Kind, changes: &[Change]) -> Result<(), Failed> {
    match foreign(kind, changes).filter(|_| kind != Kind::Remote) {
        Some(name) => {
            let told = format!("a queue of the type {} has no attribute {name}", kind.word());
            Err(Failed::Reason(Reason::OptionNotValidForType.code(), told))
        }
        None => Ok(()),
    }
}

/// Applies changes to a definition.
fn apply(definition: &mut Definition, changes: &[Change]) -> Result<(), Failed> {
    let attributes = &mut definition.attributes;
    let queue = |name: &str| if name.is_empty() { Ok(None) } else { named(name).map(Some) };
    for change in changes {
        match change {
            Change::Description(text) => attributes.description.clone_from(text),
            Change::MaximumDepth(depth) => attributes.depth_max = *depth,
            Change::MaximumLength(bytes) => attributes.length_bytes_max = *bytes,
            Change::DefaultPersistent(true) => attributes.persistence = Persistence::Persistent,
            Change::DefaultPersistent(false) => attributes.persistence = Persistence::NonPersistent,
            Change::DefaultPriority(number) => {
                attributes.priority = Priority::new(*number).unwrap_or_default();
            }
            Change::ByPriority(yes) => attributes.by_priority = *yes,
            Change::PutEnabled(yes) => attributes.put_enabled = *yes,
            Change::GetEnabled(yes) => attributes.get_enabled = *yes,
            Change::BackoutThreshold(count) => attributes.backout_threshold = *count,
            Change::BackoutQueue(name) => attributes.backout_queue = queue(name)?,
            Change::Target(name) => definition.kind = QueueKind::Alias(target_named(name)?),
            Change::Trigger(yes) => attributes.trigger.enabled = *yes,
            Change::TriggerType(kind) => attributes.trigger.kind = trigger_of(*kind),
            Change::TriggerDepth(depth) => attributes.trigger.depth = *depth,
            Change::TriggerPriority(number) => {
                attributes.trigger.priority = Priority::new(*number).unwrap_or_default();
            }
            Change::TriggerData(text) => attributes.trigger.data.clone_from(text),
            Change::Process(text) => attributes.trigger.process.clone_from(text),
            Change::InitiationQueue(text) => attributes.trigger.initiation_queue.clone_from(text),
            Change::Permanent(permanent) => definition.kind = QueueKind::Model { permanent: *permanent },
            // A usual value is not kept: versions before 0.3 cannot read it.
            Change::Kept(name, value) if ::messaging::usual(name) == Some(value) => {
                attributes.kept.remove(*name);
            }
            Change::Kept(name, value) => {
                attributes.kept.insert((*name).to_owned(), value.clone());
            }
            Change::RemoteQueue(_) | Change::RemoteManager(_) | Change::TransmissionQueue(_) => {
                return Err(no_remote());
            }
        }
    }
    Ok(())
}

fn trigger_of(kind: ShownTrigger) -> TriggerType {
    match kind {
        ShownTrigger::None => TriggerType::None,
        ShownTrigger::First => TriggerType::First,
        ShownTrigger::Every => TriggerType::Every,
        ShownTrigger::Depth => TriggerType::Depth,
    }
}

fn kind_of(kind: &QueueKind) -> Kind {
    match kind {
        QueueKind::Local => Kind::Local,
        QueueKind::Alias(_) => Kind::Alias,
        QueueKind::Model { .. } => Kind::Model,
    }
}

/// A queue in its shown form.
fn queue_of(definition: &Definition, state: Option<State>) -> Queue {
    let Attributes { trigger, .. } = &definition.attributes;
    let own = &definition.attributes;
    let mut attributes = vec![
        Change::Description(own.description.clone()),
        Change::PutEnabled(own.put_enabled),
        Change::GetEnabled(own.get_enabled),
        Change::DefaultPersistent(own.persistence == Persistence::Persistent),
        Change::DefaultPriority(own.priority.number()),
    ];
    if let QueueKind::Alias(target) = &definition.kind {
        attributes.push(Change::Target(target.as_str().to_owned()));
    } else {
        let backout = own.backout_queue.as_ref().map(|name| name.as_str().to_owned());
        attributes.extend([
            Change::MaximumDepth(own.depth_max),
            Change::MaximumLength(own.length_bytes_max),
            Change::ByPriority(own.by_priority),
            Change::BackoutThreshold(own.backout_threshold),
            Change::BackoutQueue(backout.unwrap_or_default()),
            Change::Trigger(trigger.enabled),
            Change::TriggerType(match trigger.kind {
                TriggerType::None => ShownTrigger::None,
                TriggerType::First => ShownTrigger::First,
                TriggerType::Every => ShownTrigger::Every,
                TriggerType::Depth => ShownTrigger::Depth,
            }),
            Change::TriggerDepth(trigger.depth),
            Change::TriggerPriority(trigger.priority.number()),
            Change::TriggerData(trigger.data.clone()),
            Change::Process(trigger.process.clone()),
            Change::InitiationQueue(trigger.initiation_queue.clone()),
        ]);
    }
    if let QueueKind::Model { permanent } = definition.kind {
        attributes.push(Change::Permanent(permanent));
    }
    attributes.extend(own.kept.iter().filter_map(|(name, value)| ::messaging::kept(name, value)));
    Queue { name: definition.name.as_str().to_owned(), kind: kind_of(&definition.kind), attributes, state }
}

impl Desk {
    /// Shows queues for the resource for queues.
    pub(super) fn queues(&self, asking: Asking<'_>, wanted: WantedQueues, now: Moment) -> Done {
        self.rights.check_look(asking)?;
        let WantedQueues { name, one, kind, shown } = wanted;
        let fits = |found: &str| match &name {
            Some(name) if one => name == found,
            Some(name) => fits(name, found),
            None => true,
        };
        let queues: Vec<Queue> = self
            .shown(asking, fits, now)
            .filter(|queue| kind.is_none_or(|kind| kind == queue.kind))
            .collect();
        if let (true, Some(name)) = (queues.is_empty() && one, &name) {
            return Err(failed("display", name, Failed::NotFound(name.clone())));
        }
        Ok(Outcome::Queues(queues, shown))
    }

    /// Shows channels, which a queue manager here does not have.
    pub(super) fn channels(&self, asking: Asking<'_>, name: Option<&str>) -> Done {
        self.rights.check_look(asking)?;
        match name {
            Some(name) => Err(failed("display", name, Failed::NotFound(name.to_owned()))),
            None => Ok(Outcome::Channels),
        }
    }

    /// Shows subscriptions for the resource for them.
    pub(super) fn subscriptions(&self, asking: Asking<'_>, wanted: WantedSubscriptions) -> Done {
        self.rights.check_look(asking)?;
        let WantedSubscriptions { name, one, id, attributes } = wanted;
        let is_wanted = |found: &str| match &name {
            Some(name) if one => name == found,
            Some(name) => fits(name, found),
            None => true,
        };
        let found = self.subscribed(asking, is_wanted);
        let found = found.filter(|one| id.as_ref().is_none_or(|id| one.id.eq_ignore_ascii_case(id)));
        let found: Vec<Subscription> = found.collect();
        if let (true, Some(name)) = (found.is_empty() && one, &name) {
            return Err(failed("display", name, Failed::NotFound(name.clone())));
        }
        Ok(Outcome::Subscriptions(found, Shown { attributes, status: None }))
    }

    /// Makes, changes or deletes a queue for the resource for queues.
    pub(super) async fn administer(&self, asking: Asking<'_>, act: Act<'_>) -> Done {
        let (verb, name) = match act {
            Act::Define { name, .. } => ("define", name),
            Act::Alter(name, ..) => ("alter", name),
            Act::Delete(name, _) => ("delete", name),
        };
        if !self.rights.may_change(asking, name) {
            self.rights.check_look(asking)?;
            return Err(Trouble::not_authorized(Attempt { verb, name }).into());
        }
        let (done, outcome) = match act {
            Act::Define { kind, name, replace, like, changes } => {
                // This resource cannot say of which type a model's queues are: they are permanent.
                let is_model = kind == Kind::Model && like.is_none();
                let permanent = is_model.then_some(Change::Permanent(true));
                let changes: Vec<Change> = changes.iter().cloned().chain(permanent).collect();
                (self.define(&Made { kind, name, like, changes: &changes }, replace).await, Outcome::Created)
            }
            Act::Alter(name, kind, changes) => (self.alter(kind, name, changes).await, Outcome::Nothing),
            Act::Delete(name, purge) => (self.delete(None, name, purge).await, Outcome::Nothing),
        };
        done.map(|()| outcome).map_err(|failure| failed(verb, name, failure))
    }
}

/// A change of a queue.
#[derive(Clone, Copy)]
pub(super) enum Act<'a> {
    Define { kind: Kind, name: &'a str, replace: bool, like: Option<&'a str>, changes: &'a [Change] },
    Alter(&'a str, Option<Kind>, &'a [Change]),
    Delete(&'a str, bool),
}

/// The same failure as a separate answer.
fn failed(verb: &str, name: &str, failure: Failed) -> Stopped {
    let reason = match &failure {
        Failed::NotFound(_) => Reason::UnknownObjectName,
        Failed::Exists(_) => Reason::ObjectAlreadyExists,
        Failed::OtherKind(_) => Reason::ObjectType,
        Failed::NotEmpty(_) => Reason::QueueNotEmpty,
        Failed::InUse(_) => Reason::ObjectInUse,
        Failed::NotAuthorized(_) => Reason::NotAuthorized,
        Failed::Syntax(_) => Reason::CommandFailed,
        // Of commands only, not of what the other resources do.
        Failed::NoChannelStatus | Failed::Unsupported(_) => Reason::Unexpected,
        Failed::Reason(code, _) => Reason::of_code(*code).unwrap_or(Reason::Unexpected),
    };
    let text = match failure {
        Failed::Reason(_, text) => text,
        _ => format!("{name}: {}", reason.name()),
    };
    if reason == Reason::CommandFailed {
        return Trouble::new(StatusCode::BAD_REQUEST, "GTY0460W", text).into();
    }
    troubled(verb, name)(Refusal::failed(reason, text))
}

/// Turns a refusal of the queue manager into the failure of a command.
pub(super) fn refused(name: &str, refusal: Refusal) -> Failed {
    let name = name.to_owned();
    match refusal.reason {
        Reason::UnknownObjectName => Failed::NotFound(name),
        Reason::ObjectAlreadyExists => Failed::Exists(name),
        Reason::QueueNotEmpty => Failed::NotEmpty(name),
        Reason::ObjectInUse => Failed::InUse(name),
        reason => Failed::Reason(reason.code(), refusal.text),
    }
}
