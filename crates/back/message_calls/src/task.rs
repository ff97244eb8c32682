//! The calls of one task.

use message::{Ccsid, Message, Moment, Persistence, QueueName, Reason, Refusal, Selection};
use mqi::{Fields, GET_OPTIONS, MESSAGE, OBJECT, Structure};
use queue::{Changes, Definition, Manager, Origin, QueueKind, Scope, Waiter, Within, Work};
use store::Unit;
use wire::{MessageAnswer, MessageAsk, Name, ObjectAsk, Outgoing};

use crate::apart::{Apart, Change, Changed, Made, Then};
use crate::convert::convert;
use crate::descriptor::fill;
use crate::handles::Handles;
use crate::inquire::{self, Inquired};
use crate::objects::{Object, Objects, OpenQueue, Opens};
use crate::options::{GetOptions, InUnit, Taking, Uses};
use crate::put::Target;
use crate::rfh2::Header;
use crate::rights::QueueRights;
use crate::topic::{self, TOPIC};

/// MQOT-Q and MQOT-Q-MGR.
const QUEUE: i32 = 1;
const MANAGER: i32 = 5;
/// MQCO-DELETE, MQCO-DELETE-PURGE, MQCO-KEEP-SUB and MQCO-REMOVE-SUB.
const DELETE: i32 = 1;
const DELETE_PURGE: i32 = 2;
const KEEP_SUBSCRIPTION: i32 = 4;
const REMOVE_SUBSCRIPTION: i32 = 8;

/// The surroundings of a call, besides the task's open objects.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'s> {
    /// The queue manager.
    pub manager: &'s Manager,
    /// The queues that tasks of the region have open for input.
    pub opens: &'s Opens,
    /// The code page of the region.
    pub ccsid: u16,
    /// The user of the task.
    pub user: &'s str,
    /// The rights of users.
    pub rights: &'s QueueRights,
    /// The time.
    pub now: Moment,
}

/// The outcome of a call.
#[derive(Debug)]
pub enum Step {
    /// It is done, or refused.
    Answer(Box<MessageAnswer>),
    /// It is done when this unit has committed.
    Commit(Work, Box<MessageAnswer>),
    /// There is no message yet. The caller must wait, and come back with [`TaskCalls::after_wait`].
    Wait(Box<Waiting>),
    /// Definitions change: somebody has to run this where waiting for the disk is allowed, and to come back with
    /// [`TaskCalls::after_change`].
    Apart(Box<Apart>),
}

/// A get that waits.
#[derive(Debug)]
pub struct Waiting {
    /// The queue.
    pub queue: QueueName,
    /// The message that is waited for.
    pub selection: Selection,
    /// When the wait ends; none if only the task's own time ends it.
    pub until: Option<Moment>,
    get: Get,
}

/// A get as the program asked for it.
#[derive(Debug)]
struct Get {
    handle: i32,
    options: GetOptions,
    descriptor: Fields,
    fields: Fields,
    room: usize,
}

/// The open objects and the message handles of a task, and its unit's changes of queues.
#[derive(Debug, Default)]
pub struct TaskCalls {
    pub(crate) objects: Objects,
    pub(crate) handles: Handles,
    pub(crate) changes: Changes,
}

impl From<Box<MessageAnswer>> for Step {
    fn from(answer: Box<MessageAnswer>) -> Self {
        Step::Answer(answer)
    }
}

fn code(reason: Reason) -> i32 {
    i32::try_from(reason.code()).unwrap_or(i32::MAX)
}

pub(crate) fn failed(reason: Reason) -> Box<MessageAnswer> {
    Box::new(MessageAnswer::failed(code(reason)))
}

/// An answer with a reason that is a warning, unless there is none.
pub(crate) fn warned(answer: MessageAnswer, warning: Reason) -> Box<MessageAnswer> {
    let completion = i32::from(warning != Reason::None);
    Box::new(MessageAnswer { completion, reason: code(warning), ..answer })
}

/// The program's answer after its message's own unit has been committed.
#[must_use]
pub fn after_commit(outcome: Result<(), Refusal>, answer: Box<MessageAnswer>) -> Box<MessageAnswer> {
    match outcome {
        Ok(()) => answer,
        Err(refusal) => failed(refusal.reason),
    }
}

impl TaskCalls {
    /// Carries out a call. Changes that belong to the task's unit of work are made in `unit`.
    pub fn call(&mut self, ask: MessageAsk, around: Surroundings<'_>, unit: &mut Unit) -> Step {
        let step = match ask {
            MessageAsk::Connect { manager } => connect(&manager, around).map(Step::Answer),
            MessageAsk::Disconnect => {
                self.close_all(around.manager);
                Ok(Step::Answer(Box::default()))
            }
            MessageAsk::Open { object, options } => self.open(&object, options, around),
            MessageAsk::Close { handle, options } => self.close((handle, options), around.manager),
            MessageAsk::Inquire { handle, selectors, numbers, text_bytes } => {
                let room = (numbers as usize, text_bytes as usize);
                self.inquire(handle, &selectors, room, around).map(Step::Answer)
            }
            MessageAsk::Set { handle, selectors, numbers, .. } => {
                self.set(handle, (selectors, numbers), around.manager)
            }
            MessageAsk::Put { handle, message } => {
                let target = self.objects.get(handle).and_then(|object| Target::of(object));
                target.and_then(|target| self.put(&target, message, around, unit))
            }
            MessageAsk::PutOne { object, message } => self.put_one(&object, message, around, unit),
            MessageAsk::Get { handle, descriptor, options, room } => {
                Get::of((handle, room), &descriptor, &options).map(|get| self.get(get, around, unit))
            }
            MessageAsk::Subscribe { subscription, queue } => self.subscribe(&subscription, queue, around),
            MessageAsk::Request { handle, action, options } => {
                self.request(handle, action, &options).map(Step::Answer)
            }
            MessageAsk::Commit | MessageAsk::BackOut => Err(Reason::Environment),
            of_handle => self.call_of_handle(&of_handle, around).map(Step::Answer),
        };
        step.unwrap_or_else(|reason| failed(reason).into())
    }

    /// Carries out a call that changes only a message handle.
    fn call_of_handle(
        &mut self,
        ask: &MessageAsk,
        around: Surroundings<'_>,
    ) -> Result<Box<MessageAnswer>, Reason> {
        match ask {
            MessageAsk::CreateHandle { options } => self.create_handle(options),
            MessageAsk::DeleteHandle { handle, options } => self.delete_handle(*handle, options),
            MessageAsk::SetProperty { handle, property, kind, value } => {
                self.set_property(*handle, property, *kind, value, around)
            }
            MessageAsk::InquireProperty { handle, property, kind, room } => {
                self.inquire_property(*handle, property, *kind, *room as usize, around)
            }
            MessageAsk::DeleteProperty { handle, property } => {
                self.delete_property(*handle, property, around)
            }
            _ => Err(Reason::Unexpected),
        }
    }

    /// Goes on with a call after its change of definitions.
    pub fn after_change(&mut self, changed: Changed, around: Surroundings<'_>, unit: &mut Unit) -> Step {
        let step = match (changed.outcome, changed.then) {
            (Err(reason), _) => Err(reason),
            (Ok(Made::Queue(made)), Then::Open { object, uses }) => {
                self.opened(object, NamedQueue::made(made), (uses, around)).map(Step::Answer)
            }
            (Ok(Made::Queue(made)), Then::PutOne { object, message }) => {
                self.put_to((object, NamedQueue::made(made)), message, around, unit)
            }
            (Ok(Made::Subscription(made)), Then::Subscribe(subscribing)) => {
                self.subscribed(*subscribing, *made, around).map(Step::Answer)
            }
            (Ok(_), Then::Close { handle }) => self.forget(handle, around.manager),
            (Ok(_), _) => Ok(Step::Answer(Box::default())),
        };
        step.unwrap_or_else(|reason| failed(reason).into())
    }

    /// The unit's changes of queues, for the code that ends the unit.
    pub fn take_changes(&mut self) -> Changes {
        std::mem::take(&mut self.changes)
    }

    /// The unit's changes of queues, to add more.
    pub fn changes(&mut self) -> &mut Changes {
        &mut self.changes
    }

    /// The task ends: closes its open objects, and forgets its message handles.
    pub fn close_all(&mut self, manager: &Manager) {
        self.handles.clear();
        let is_subscription = |object: &Object| matches!(object, Object::Subscription(_));
        let (subscriptions, others): (Vec<_>, Vec<_>) = self.objects.remove_all().partition(is_subscription);
        // Their queues get no more messages.
        drop(subscriptions);
        for object in others {
            if let Object::Queue(queue) = object {
                forget_made(manager, &queue);
            }
        }
    }

    fn open(
        &mut self,
        ObjectAsk { descriptor, string }: &ObjectAsk,
        options: i32,
        around: Surroundings<'_>,
    ) -> Result<Step, Reason> {
        let mut object = read(&OBJECT, descriptor, Reason::ObjectDescriptor)?;
        let uses = Uses::of(options)?;
        check_manager(object.text("OBJECTQMGRNAME"), around)?;
        match object.number("OBJECTTYPE") {
            QUEUE => {
                topic::check_selection(&object, Reason::SelectionNotAvailable)?;
                let name = object.text("OBJECTNAME").unwrap_or_default();
                around.rights.check(around.user, name, uses)?;
                // A queue that is made of a model must not be left behind.
                self.objects.check_room(1)?;
                match find_queue(&object, around.manager)? {
                    Found::Queue(found) => self.opened(object, found, (uses, around)).map(Step::Answer),
                    Found::Model(make) => Ok(apart(make, Then::Open { object, uses })),
                }
            }
            TOPIC if uses == (Uses { output: true, ..Uses::default() }) => {
                let (topic, answer) = topic::resolve(object, string, around)?;
                let handle = self.objects.add(Object::Topic(topic))?;
                Ok(Step::Answer(Box::new(MessageAnswer { handle, ..answer })))
            }
            TOPIC => Err(Reason::OptionNotValidForType),
            MANAGER if uses == (Uses { inquire: true, ..Uses::default() }) => {
                object.set_text("RESOLVEDQMGRNAME", around.manager.definitions().name.as_str());
                self.opened_as(Object::Manager, &object).map(Step::Answer)
            }
            MANAGER => Err(Reason::OptionNotValidForType),
            _ => Err(Reason::ObjectType),
        }
    }

    /// Opens a queue that was found.
    fn opened(
        &mut self,
        mut object: Fields,
        found: NamedQueue,
        (uses, around): (Uses, Surroundings<'_>),
    ) -> Result<Box<MessageAnswer>, Reason> {
        resolved(&mut object, &found, around);
        let queue = OpenQueue::new((found.base, found.is_made), uses, around.opens)?;
        self.opened_as(Object::Queue(queue), &object)
    }

    fn opened_as(&mut self, opened: Object, object: &Fields) -> Result<Box<MessageAnswer>, Reason> {
        let handle = self.objects.add(opened)?;
        Ok(Box::new(MessageAnswer { handle, object: object.as_bytes().to_vec(), ..MessageAnswer::default() }))
    }

    fn close(&mut self, (handle, options): (i32, i32), manager: &Manager) -> Result<Step, Reason> {
        let object = self.objects.get(handle)?;
        if let Object::Subscription(held) = object {
            let durable = held.name().map(str::to_owned);
            return self.close_subscription(handle, options, durable, manager);
        }
        let (delete, purge) = match options {
            0 => (false, false),
            KEEP_SUBSCRIPTION | REMOVE_SUBSCRIPTION => return Err(Reason::OptionNotValidForType),
            DELETE => (true, false),
            DELETE_PURGE => (true, true),
            _ => return Err(Reason::Options),
        };
        if delete {
            let Object::Queue(queue) = object else { return Err(Reason::OptionNotValidForType) };
            let definition = manager.definition(&queue.name);
            let origin = definition.map_or(Origin::Command, |definition| definition.origin.clone());
            match origin {
                Origin::Permanent => {
                    let delete = Change::Delete { queue: queue.name.clone(), purge };
                    return Ok(apart(delete, Then::Close { handle }));
                }
                Origin::Temporary => manager.delete(&queue.name, purge)?,
                Origin::Command | Origin::File { .. } => return Err(Reason::OptionNotValidForType),
            }
        }
        self.forget(handle, manager)
    }

    /// Closes a subscription. A durable one stays unless the program removes it.
    fn close_subscription(
        &mut self,
        handle: i32,
        options: i32,
        durable: Option<String>,
        manager: &Manager,
    ) -> Result<Step, Reason> {
        match (options, durable) {
            (KEEP_SUBSCRIPTION, None) | (DELETE | DELETE_PURGE, _) => Err(Reason::OptionNotValidForType),
            (0 | KEEP_SUBSCRIPTION, _) | (REMOVE_SUBSCRIPTION, None) => self.forget(handle, manager),
            (REMOVE_SUBSCRIPTION, Some(name)) => {
                // Only the file can remove its subscriptions.
                if manager.definitions().subscriptions.iter().any(|defined| defined.name == name) {
                    return Err(Reason::NotAuthorized);
                }
                Ok(apart(Change::Unsubscribe { name }, Then::Close { handle }))
            }
            _ => Err(Reason::Options),
        }
    }

    /// Closes the object of a handle.
    fn forget(&mut self, handle: i32, manager: &Manager) -> Result<Step, Reason> {
        if let Object::Queue(queue) = self.objects.remove(handle)? {
            forget_made(manager, &queue);
        }
        Ok(Step::Answer(Box::default()))
    }

    fn inquire(
        &mut self,
        handle: i32,
        selectors: &[i32],
        room: (usize, usize),
        around: Surroundings<'_>,
    ) -> Result<Box<MessageAnswer>, Reason> {
        let definitions = around.manager.definitions();
        let (given, warning) = match self.objects.get(handle)? {
            Object::Manager => {
                let inquired = Inquired::Manager {
                    name: definitions.name.as_str(),
                    ccsid: around.ccsid,
                    length_bytes_max: definitions.length_bytes_max,
                };
                inquire::inquire(&inquired, selectors, room)?
            }
            Object::Queue(queue) if queue.uses.inquire => {
                let inquiry = around.manager.inquire(&queue.name)?;
                inquire::inquire(&Inquired::Queue(&inquiry, around.opens), selectors, room)?
            }
            Object::Queue(_) | Object::Topic(_) | Object::Subscription(_) => {
                return Err(Reason::NotOpenForInquire);
            }
        };
        let answer = MessageAnswer { numbers: given.numbers, data: given.text, ..MessageAnswer::default() };
        Ok(warned(answer, warning))
    }

    fn set(
        &mut self,
        handle: i32,
        (selectors, numbers): (Vec<i32>, Vec<i32>),
        manager: &Manager,
    ) -> Result<Step, Reason> {
        let queue = self.objects.queue(handle, Reason::NotOpenForSet)?;
        if !queue.uses.set {
            return Err(Reason::NotOpenForSet);
        }
        let inquiry = manager.inquire(&queue.name)?;
        let mut definition = Definition::clone(&*manager.definition(&queue.name)?);
        if !matches!(definition.origin, Origin::File { .. }) {
            let set = Change::Set { queue: queue.name.clone(), selectors, numbers };
            return Ok(apart(set, Then::Answer));
        }
        definition.attributes.trigger = inquiry.trigger;
        let mut attributes = definition.attributes.clone();
        inquire::set(&mut attributes, &selectors, &numbers)?;
        let trigger = attributes.trigger.clone();
        definition.attributes.trigger.clone_from(&trigger);
        // Only the file can change its other attributes.
        if definition.attributes != attributes {
            return Err(Reason::NotAuthorized);
        }
        manager.set_trigger(&queue.name, trigger)?;
        Ok(Step::Answer(Box::default()))
    }

    fn put_one(
        &mut self,
        ObjectAsk { descriptor, string }: &ObjectAsk,
        message: Outgoing,
        around: Surroundings<'_>,
        unit: &mut Unit,
    ) -> Result<Step, Reason> {
        let object = read(&OBJECT, descriptor, Reason::ObjectDescriptor)?;
        check_manager(object.text("OBJECTQMGRNAME"), around)?;
        match object.number("OBJECTTYPE") {
            QUEUE => topic::check_selection(&object, Reason::SelectorInvalidForType)?,
            TOPIC => {
                let (topic, answer) = topic::resolve(object, string, around)?;
                return Ok(self.put_resolved(&Target::Topic(topic), answer, message, around, unit));
            }
            _ => return Err(Reason::ObjectType),
        }
        let uses = Uses { output: true, ..Uses::default() };
        let name = object.text("OBJECTNAME").unwrap_or_default();
        around.rights.check(around.user, name, uses)?;
        match find_queue(&object, around.manager)? {
            Found::Queue(found) => self.put_to((object, found), message, around, unit),
            Found::Model(make) => Ok(apart(make, Then::PutOne { object, message })),
        }
    }

    /// Puts one message on a queue that was found.
    fn put_to(
        &mut self,
        (mut object, found): (Fields, NamedQueue),
        message: Outgoing,
        around: Surroundings<'_>,
        unit: &mut Unit,
    ) -> Result<Step, Reason> {
        resolved(&mut object, &found, around);
        let answer = MessageAnswer { object: object.into_bytes(), ..MessageAnswer::default() };
        let (made, manager) = (found.is_made.then(|| found.base.clone()), around.manager);
        let step = self.put_resolved(&Target::Queue(found.base), answer, message, around, unit);
        if let Some(made) = made.filter(|made| is_temporary(made, manager)) {
            // MQPUT1 closes what it has opened. Nobody else knows the queue.
            manager.delete_when_free(&made);
        }
        Ok(step)
    }

    /// Puts one message to a target that was found. A put that fails has the object descriptor, too.
    fn put_resolved(
        &mut self,
        target: &Target,
        resolved: MessageAnswer,
        message: Outgoing,
        around: Surroundings<'_>,
        unit: &mut Unit,
    ) -> Step {
        let step = self.put(target, message, around, unit);
        let mut step = step.unwrap_or_else(|reason| failed(reason).into());
        if let Step::Answer(answer) | Step::Commit(_, answer) = &mut step {
            (answer.object, answer.string) = (resolved.object, resolved.string);
        }
        step
    }

    fn get(&mut self, get: Get, around: Surroundings<'_>, unit: &mut Unit) -> Step {
        let queue = match self.queue_for(&get) {
            Ok(queue) => queue,
            Err(reason) => return failed(reason).into(),
        };
        match self.try_get(&get, &queue, None, around, unit) {
            Ok(Some(step)) => step,
            Err(reason) => failed(reason).into(),
            Ok(None) if get.options.wait_ms == 0 => failed(Reason::NoMessageAvailable).into(),
            Ok(None) => {
                let until =
                    (get.options.wait_ms != u64::MAX).then(|| around.now.plus_ms(get.options.wait_ms));
                Step::Wait(Box::new(Waiting { queue, selection: get.options.selection, until, get }))
            }
        }
    }

    /// Goes on with a get whose wait is over. None if the time has come without a message.
    pub fn after_wait(
        &mut self,
        waiting: Box<Waiting>,
        waiter: Option<Waiter>,
        around: Surroundings<'_>,
        unit: &mut Unit,
    ) -> Step {
        let Waiting { queue, selection, until, get } = *waiting;
        let is_late = waiter.is_none();
        match self.try_get(&get, &queue, waiter, around, unit) {
            Ok(Some(step)) => step,
            Err(reason) => failed(reason).into(),
            Ok(None) if is_late => failed(Reason::NoMessageAvailable).into(),
            // Somebody else has got the message.
            Ok(None) => Step::Wait(Box::new(Waiting { queue, selection, until, get })),
        }
    }

    /// The queue of a get, if it was opened for that.
    fn queue_for(&mut self, get: &Get) -> Result<QueueName, Reason> {
        if let Some(handle) = get.options.message_handle {
            self.handles.get(handle)?;
        }
        let (browses, otherwise) = match get.options.taking.is_browse() {
            true => (true, Reason::NotOpenForBrowse),
            false => (false, Reason::NotOpenForInput),
        };
        let queue = self.objects.queue(get.handle, otherwise)?;
        let is_open = if browses { queue.uses.browse } else { queue.uses.input.is_some() };
        if !is_open {
            return Err(otherwise);
        }
        if get.options.taking == Taking::BrowseFirst {
            queue.cursor = None;
        }
        let needs_cursor = matches!(get.options.taking, Taking::GetUnderCursor | Taking::BrowseUnderCursor);
        if needs_cursor && queue.cursor.is_none() {
            return Err(Reason::NoMessageUnderCursor);
        }
        Ok(queue.name.clone())
    }

    /// Gets or browses; none if there is no message.
    fn try_get(
        &mut self,
        get: &Get,
        queue: &QueueName,
        waiter: Option<Waiter>,
        around: Surroundings<'_>,
        unit: &mut Unit,
    ) -> Result<Option<Step>, Reason> {
        if get.options.taking.is_browse() {
            // A waiter for a browse takes nothing, because another task may get the message too.
            drop(waiter);
            return self.browse(get, queue, around);
        }
        let (own, found) = self.taken(get, queue, waiter, around, unit)?;
        Ok(match found {
            Gotten::None => None,
            Gotten::TooLong(message) => {
                Some(self.told(get, message, Some(Reason::TruncatedFailed), (queue, around))?.into())
            }
            Gotten::Message(message) => {
                let answer = self.told(get, message, None, (queue, around))?;
                Some(match own {
                    Some(work) => Step::Commit(work, answer),
                    None => Step::Answer(answer),
                })
            }
        })
    }

    /// Takes a message, in the task's unit or in a unit of its own.
    fn taken(
        &mut self,
        get: &Get,
        queue: &QueueName,
        mut waiter: Option<Waiter>,
        around: Surroundings<'_>,
        unit: &mut Unit,
    ) -> Result<(Option<Work>, Gotten), Reason> {
        let session = around.manager.session();
        let mut is_found_persistent = false;
        loop {
            let own = match get.options.in_unit {
                _ if is_found_persistent => None,
                InUnit::Yes => None,
                InUnit::No => Some(session.begin()?),
                // The message of the waiter or under the cursor need not be the first of the queue.
                InUnit::IfPersistent if waiter.is_some() || get.options.taking == Taking::GetUnderCursor => {
                    Some(session.begin()?)
                }
                InUnit::IfPersistent => {
                    match session.browse(queue, &get.options.selection, None, around.now)? {
                        Some(first) if is_persistent(&first.message) => None,
                        _ => Some(session.begin()?),
                    }
                }
            };
            let place = (queue, self.objects.queue(get.handle, Reason::ObjectHandle)?);
            let Some(mut work) = own else {
                let scope = &mut Scope { unit, changes: &mut self.changes };
                return Ok((None, take(get, place, waiter.take(), around, scope)?));
            };
            let found = take(get, place, waiter.take(), around, &mut work.scope())?;
            is_found_persistent = get.options.in_unit == InUnit::IfPersistent
                && matches!(&found, Gotten::Message(message) if is_persistent(message));
            if !is_found_persistent {
                return Ok((Some(work), found));
            }
            work.undo();
        }
    }

    fn browse(
        &mut self,
        get: &Get,
        queue: &QueueName,
        around: Surroundings<'_>,
    ) -> Result<Option<Step>, Reason> {
        let session = around.manager.session();
        let open = self.objects.queue(get.handle, Reason::NotOpenForBrowse)?;
        if get.options.taking == Taking::BrowseUnderCursor {
            let cursor = open.cursor.ok_or(Reason::NoMessageUnderCursor)?;
            let at = session.browse_at(queue, cursor, around.now)?;
            let message = at.ok_or(Reason::NoMessageUnderCursor)?;
            let cut = get.cut(&message);
            return Ok(Some(self.told(get, message, cut, (queue, around))?.into()));
        }
        let Some(browsed) = session.browse(queue, &get.options.selection, open.cursor, around.now)? else {
            return Ok(None);
        };
        let cut = get.cut(&browsed.message);
        if cut.is_none() {
            open.cursor = Some(browsed.position);
        }
        Ok(Some(self.told(get, browsed.message, cut, (queue, around))?.into()))
    }

    /// The program's view of a message. Its properties are in the handle, if the program gives one.
    fn told(
        &mut self,
        get: &Get,
        mut message: Message,
        cut: Option<Reason>,
        place: (&QueueName, Surroundings<'_>),
    ) -> Result<Box<MessageAnswer>, Reason> {
        let Some(handle) = get.options.message_handle else { return Ok(get.answer(message, cut, place)) };
        let properties = std::mem::take(&mut message.properties);
        let descriptor = message.descriptor.clone();
        let answer = get.answer(message, cut, place);
        let fields = read(&MESSAGE, &answer.descriptor, Reason::MessageDescriptor)?;
        let held = Message { descriptor, properties, body: Vec::new() };
        self.hold(handle, held, fields.number("CODEDCHARSETID"), place.1)?;
        Ok(answer)
    }
}

/// The result of a get.
enum Gotten {
    None,
    Message(Message),
    /// It is longer than the program's buffer, and stays on its queue.
    TooLong(Message),
}

fn is_persistent(message: &Message) -> bool {
    message.descriptor.persistence == Persistence::Persistent
}

/// Takes a message of a queue in a unit.
fn take(
    get: &Get,
    (queue, open): (&QueueName, &mut OpenQueue),
    waiter: Option<Waiter>,
    around: Surroundings<'_>,
    scope: &mut Scope<'_>,
) -> Result<Gotten, Reason> {
    let session = around.manager.session();
    let takes_all = get.options.accepts_truncated;
    let found = |message: Option<Message>| message.map_or(Gotten::None, Gotten::Message);
    match (get.options.taking, waiter) {
        (Taking::GetUnderCursor, _) => {
            let cursor = open.cursor.ok_or(Reason::NoMessageUnderCursor)?;
            if !takes_all {
                let at = session.browse_at(queue, cursor, around.now)?.ok_or(Reason::NoMessageUnderCursor)?;
                if get.length(&at) > get.room {
                    return Ok(Gotten::TooLong(at));
                }
            }
            let message = session.get_at(scope, queue, cursor, around.now)?;
            Ok(Gotten::Message(message.ok_or(Reason::NoMessageUnderCursor)?))
        }
        (_, Some(waiter)) if takes_all || (!get.options.wants_header && waiter.fits(get.room)) => {
            Ok(found(waiter.get(scope, around.now)?))
        }
        (_, None) if takes_all => Ok(found(session.get(scope, queue, &get.options.selection, around.now)?)),
        (_, waiter) => {
            // Its message, if it has one, is there for others again.
            drop(waiter);
            let wanted = (&get.options.selection, get.room);
            // The length of a header is not known before the message is.
            if !get.options.wants_header {
                match session.get_within(scope, queue, wanted, around.now)? {
                    Within::None => return Ok(Gotten::None),
                    Within::Message(message) => return Ok(Gotten::Message(*message)),
                    // Only its body tells how long it is.
                    Within::Longer => {}
                }
            }
            loop {
                let Some(first) = session.browse(queue, &get.options.selection, None, around.now)? else {
                    return Ok(Gotten::None);
                };
                if get.length(&first.message) > get.room {
                    return Ok(Gotten::TooLong(first.message));
                }
                // Another task may have got it since; then the next one is the first.
                if let Some(message) = session.get_at(scope, queue, first.position, around.now)? {
                    return Ok(Gotten::Message(message));
                }
            }
        }
    }
}

impl Get {
    fn of((handle, room): (i32, u32), descriptor: &[u8], options: &[u8]) -> Result<Self, Reason> {
        let descriptor = read(&MESSAGE, descriptor, Reason::MessageDescriptor)?;
        let fields = read(&GET_OPTIONS, options, Reason::GetOptions)?;
        let options = GetOptions::of(&fields, &descriptor)?;
        Ok(Self { handle, options, descriptor, fields, room: room as usize })
    }

    /// The reason if a message that is browsed is longer than the program's buffer.
    fn cut(&self, message: &Message) -> Option<Reason> {
        let is_cut = self.length(message) > self.room && !self.options.accepts_truncated;
        is_cut.then_some(Reason::TruncatedFailed)
    }

    /// The bytes of a message, with a header if the program wants one.
    fn length(&self, message: &Message) -> usize {
        let header = self.options.wants_header.then(|| Header::of(&message.properties)).flatten();
        header.as_ref().map_or(0, Header::length) + message.body.len()
    }

    /// The program's view of a message: the descriptor, and the part of the data that it has room for.
    fn answer(
        &self,
        mut message: Message,
        cut: Option<Reason>,
        (queue, around): (&QueueName, Surroundings<'_>),
    ) -> Box<MessageAnswer> {
        // A conversion changes no properties, so the header is made once.
        let header = self.options.wants_header.then(|| Header::of(&message.properties)).flatten();
        let length = |message: &Message| header.as_ref().map_or(0, Header::length) + message.body.len();
        let mut warning = cut.unwrap_or(Reason::None);
        if warning == Reason::None && self.options.converts {
            let to = match self.descriptor.number("CODEDCHARSETID") {
                0 => Ccsid(around.ccsid.into()),
                other => Ccsid(u32::try_from(other).unwrap_or(around.ccsid.into())),
            };
            let (bytes, ccsid) = (length(&message), message.descriptor.ccsid);
            let mut converted = message.clone();
            warning = convert(&mut converted, to);
            // A text that was to fit and no longer does stays as it is.
            if bytes <= self.room && length(&converted) > self.room {
                warning = Reason::ConvertedMessageTooBig;
                message.descriptor.ccsid = ccsid;
            } else {
                message = converted;
            }
        }
        if let Some(header) = header {
            header.put_before(&mut message, around.ccsid);
        }
        let length = message.body.len();
        if warning == Reason::None && length > self.room {
            warning = Reason::TruncatedAccepted;
        }
        let (mut descriptor, mut fields) = (self.descriptor.clone(), self.fields.clone());
        fill(&mut descriptor, &message, around.now);
        fields.set_text("RESOLVEDQNAME", queue.as_str());
        for name in ["GROUPSTATUS", "SEGMENTSTATUS", "SEGMENTATION"] {
            fields.set_text(name, "");
        }
        message.body.truncate(self.room);
        fields.set_number("RETURNEDLENGTH", i32::try_from(message.body.len()).unwrap_or(i32::MAX));
        let answer = MessageAnswer {
            length: u32::try_from(length).unwrap_or(u32::MAX),
            descriptor: descriptor.as_bytes().to_vec(),
            options: fields.as_bytes().to_vec(),
            data: message.body,
            ..MessageAnswer::default()
        };
        warned(answer, warning)
    }
}

/// A queue that a program has named.
struct NamedQueue {
    /// The name for the program: the one that it gave, or the one of a queue made from a model.
    named: QueueName,
    /// The queue that has the messages.
    base: QueueName,
    is_made: bool,
}

impl NamedQueue {
    fn there(named: QueueName, base: QueueName) -> Self {
        Self { named, base, is_made: false }
    }

    fn made(made: QueueName) -> Self {
        Self { named: made.clone(), base: made, is_made: true }
    }
}

/// The object that a descriptor names.
enum Found {
    Queue(NamedQueue),
    /// A model of permanent queues: one has to be made.
    Model(Change),
}

pub(crate) fn apart(change: Change, then: Then) -> Step {
    Step::Apart(Box::new(Apart::new(change, then)))
}

/// Tells in an object descriptor which queue was found.
fn resolved(object: &mut Fields, found: &NamedQueue, around: Surroundings<'_>) {
    object.set_text("OBJECTNAME", found.named.as_str());
    object.set_text("RESOLVEDQNAME", found.base.as_str());
    object.set_text("RESOLVEDQMGRNAME", around.manager.definitions().name.as_str());
    object.set_number("RESOLVEDTYPE", QUEUE);
}

/// Finds the queue that an object descriptor names, and makes a temporary one if it names a model.
fn find_queue(object: &Fields, manager: &Manager) -> Result<Found, Reason> {
    let name = object.text("OBJECTNAME").and_then(|name| QueueName::new(name).ok());
    let named = name.ok_or(Reason::UnknownObjectName)?;
    let definition = match manager.definition(&named) {
        Ok(definition) => definition,
        // A queue that has lost its definition still has messages, which can be got.
        Err(_) if manager.inquire(&named).is_ok() => {
            return Ok(Found::Queue(NamedQueue::there(named.clone(), named)));
        }
        Err(refusal) => return Err(refusal.into()),
    };
    match &definition.kind {
        QueueKind::Local => Ok(Found::Queue(NamedQueue::there(named.clone(), named))),
        QueueKind::Alias(base) => match manager.inquire(base) {
            Ok(inquiry) if inquiry.is_local() => Ok(Found::Queue(NamedQueue::there(named, base.clone()))),
            Ok(_) => Err(Reason::AliasBaseQueueType),
            Err(_) => Err(Reason::UnknownAliasBaseQueue),
        },
        QueueKind::Model { permanent } => {
            let pattern = object.text("DYNAMICQNAME").ok_or(Reason::DynamicQueueName)?;
            if *permanent {
                return Ok(Found::Model(Change::Make { model: named, pattern: pattern.to_owned() }));
            }
            Ok(Found::Queue(NamedQueue::made(manager.make_of_model(&named, pattern)?)))
        }
    }
}

fn is_temporary(queue: &QueueName, manager: &Manager) -> bool {
    manager.definition(queue).is_ok_and(|definition| definition.origin == Origin::Temporary)
}

/// A temporary queue that this open has made goes with it.
fn forget_made(manager: &Manager, queue: &OpenQueue) {
    if queue.is_made && is_temporary(&queue.name, manager) {
        // The program itself may have deleted it already.
        manager.delete_when_free(&queue.name);
    }
}

fn connect(manager: &Name<48>, around: Surroundings<'_>) -> Result<Box<MessageAnswer>, Reason> {
    let name = str::from_utf8(manager).map_err(|_| Reason::ManagerName)?;
    let name = name.split('\0').next().unwrap_or_default().trim_end_matches(' ');
    match name.is_empty() || name == around.manager.definitions().name.as_str() {
        true => Ok(Box::default()),
        false => Err(Reason::ManagerName),
    }
}

fn check_manager(name: Option<&str>, around: Surroundings<'_>) -> Result<(), Reason> {
    match name {
        Some("") => Ok(()),
        Some(name) if name == around.manager.definitions().name.as_str() => Ok(()),
        _ => Err(Reason::UnknownRemoteManager),
    }
}

pub(crate) fn read(structure: &'static Structure, bytes: &[u8], otherwise: Reason) -> Result<Fields, Reason> {
    Fields::read(structure, bytes).map_err(|_| otherwise)
}
