//! The calls of one task.

use message::{Ccsid, Message, Moment, NewMessage, Persistence, QueueName, Reason, Refusal, Selection};
use mqi::{DeadLetterHeader, Fields, GET_OPTIONS, MESSAGE, OBJECT, PUT_OPTIONS, Structure};
use queue::{Changes, Definition, Manager, Origin, Put, QueueKind, Scope, Waiter, Work};
use store::Unit;
use wire::{MessageAnswer, MessageAsk, Name, Outgoing};

use crate::convert::convert;
use crate::descriptor::{Defaults, fill, new_message, was_put};
use crate::inquire::{self, Inquired};
use crate::objects::{Object, Objects, OpenQueue, Opens};
use crate::options::{GetOptions, InUnit, PutOptions, Taking, Uses};
use crate::rights::QueueRights;

/// MQOT-Q and MQOT-Q-MGR.
const QUEUE: i32 = 1;
const MANAGER: i32 = 5;
/// MQCO-DELETE and MQCO-DELETE-PURGE.
const DELETE: i32 = 1;
const DELETE_PURGE: i32 = 2;

/// What a call needs beside what the task has open.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'s> {
    /// The queue manager.
    pub manager: &'s Manager,
    /// What the tasks of the region have open for input.
    pub opens: &'s Opens,
    /// The code page of the region.
    pub ccsid: u16,
    /// The user of the task.
    pub user: &'s str,
    /// What users may do.
    pub rights: &'s QueueRights,
    /// The time.
    pub now: Moment,
}

/// What comes of a call.
#[derive(Debug)]
pub enum Step {
    /// It is done, or refused.
    Answer(Box<MessageAnswer>),
    /// It is done when this unit has committed.
    Commit(Work, Box<MessageAnswer>),
    /// There is no message yet: somebody has to wait, and to come back with [`TaskCalls::after_wait`].
    Wait(Box<Waiting>),
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

/// What a task has open, and what its unit of work has done to queues.
#[derive(Debug, Default)]
pub struct TaskCalls {
    objects: Objects,
    changes: Changes,
}

impl From<Box<MessageAnswer>> for Step {
    fn from(answer: Box<MessageAnswer>) -> Self {
        Step::Answer(answer)
    }
}

fn code(reason: Reason) -> i32 {
    i32::try_from(reason.code()).unwrap_or(i32::MAX)
}

fn failed(reason: Reason) -> Box<MessageAnswer> {
    Box::new(MessageAnswer::failed(code(reason)))
}

/// An answer with a reason that is a warning, unless there is none.
fn warned(answer: MessageAnswer, warning: Reason) -> Box<MessageAnswer> {
    let completion = i32::from(warning != Reason::None);
    Box::new(MessageAnswer { completion, reason: code(warning), ..answer })
}

/// What the program hears after its message's own unit has been committed.
#[must_use]
pub fn after_commit(outcome: Result<(), Refusal>, answer: Box<MessageAnswer>) -> Box<MessageAnswer> {
    match outcome {
        Ok(()) => answer,
        Err(refusal) => failed(refusal.reason),
    }
}

impl TaskCalls {
    /// Carries out a call. What belongs to the task's unit of work is done in `unit`.
    pub fn call(&mut self, ask: MessageAsk, around: Surroundings<'_>, unit: &mut Unit) -> Step {
        let done = match ask {
            MessageAsk::Connect { manager } => connect(&manager, around),
            MessageAsk::Disconnect => {
                self.close_all(around.manager);
                Ok(Box::default())
            }
            MessageAsk::Open { object, options } => self.open(&object, options, around),
            MessageAsk::Close { handle, options } => self.close((handle, options), around.manager),
            MessageAsk::Inquire { handle, selectors, numbers, text_bytes } => {
                let room = (numbers as usize, text_bytes as usize);
                self.inquire(handle, &selectors, room, around)
            }
            MessageAsk::Set { handle, selectors, numbers, .. } => {
                self.set(handle, &selectors, &numbers, around.manager)
            }
            MessageAsk::Put { handle, message } => {
                let queue = self.objects.queue(handle, Reason::NotOpenForOutput);
                let queue = queue.and_then(|queue| match queue.uses.output {
                    true => Ok(queue.name.clone()),
                    false => Err(Reason::NotOpenForOutput),
                });
                return self.put(queue, message, around, unit);
            }
            MessageAsk::PutOne { object, message } => return self.put_one(&object, message, around, unit),
            MessageAsk::Get { handle, descriptor, options, room } => {
                return match Get::of((handle, room), &descriptor, &options) {
                    Ok(get) => self.get(get, around, unit),
                    Err(reason) => failed(reason).into(),
                };
            }
            MessageAsk::Commit | MessageAsk::BackOut => Err(Reason::Environment),
        };
        done.unwrap_or_else(failed).into()
    }

    /// True if the unit of work has put or got messages.
    #[must_use]
    pub fn has_changes(&self) -> bool {
        !self.changes.is_empty()
    }

    /// What the unit of work has done to queues, for whoever ends the unit.
    pub fn take_changes(&mut self) -> Changes {
        std::mem::take(&mut self.changes)
    }

    /// What the unit of work does to queues, to do more.
    pub fn changes(&mut self) -> &mut Changes {
        &mut self.changes
    }

    /// The task ends: what it has open is closed.
    pub fn close_all(&mut self, manager: &Manager) {
        for object in self.objects.remove_all() {
            if let Object::Queue(queue) = object {
                forget_made(manager, &queue);
            }
        }
    }

    fn open(
        &mut self,
        object: &[u8],
        options: i32,
        around: Surroundings<'_>,
    ) -> Result<Box<MessageAnswer>, Reason> {
        let mut object = read(&OBJECT, object, Reason::ObjectDescriptor)?;
        let uses = Uses::of(options)?;
        check_manager(object.text("OBJECTQMGRNAME"), around)?;
        let opened = match object.number("OBJECTTYPE") {
            QUEUE => {
                let name = object.text("OBJECTNAME").unwrap_or_default();
                around.rights.check(around.user, name, uses)?;
                let found = find_queue(&object, around.manager)?;
                object.set_text("OBJECTNAME", found.named.as_str());
                object.set_text("RESOLVEDQNAME", found.base.as_str());
                Object::Queue(OpenQueue::new((found.base, found.is_made), uses, around.opens)?)
            }
            MANAGER if uses == (Uses { inquire: true, ..Uses::default() }) => Object::Manager,
            MANAGER => return Err(Reason::OptionNotValidForType),
            _ => return Err(Reason::ObjectType),
        };
        object.set_text("RESOLVEDQMGRNAME", around.manager.definitions().name.as_str());
        let handle = self.objects.add(opened)?;
        Ok(Box::new(MessageAnswer { handle, object: object.as_bytes().to_vec(), ..MessageAnswer::default() }))
    }

    fn close(
        &mut self,
        (handle, options): (i32, i32),
        manager: &Manager,
    ) -> Result<Box<MessageAnswer>, Reason> {
        let object = self.objects.get(handle)?;
        let (delete, purge) = match options {
            0 => (false, false),
            DELETE => (true, false),
            DELETE_PURGE => (true, true),
            _ => return Err(Reason::Options),
        };
        if delete {
            let Object::Queue(queue) = object else { return Err(Reason::OptionNotValidForType) };
            if !is_dynamic(manager, &queue.name) {
                return Err(Reason::OptionNotValidForType);
            }
            manager.delete(&queue.name, purge)?;
        }
        if let Object::Queue(queue) = self.objects.remove(handle)? {
            forget_made(manager, &queue);
        }
        Ok(Box::default())
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
            Object::Queue(_) => return Err(Reason::NotOpenForInquire),
        };
        let answer = MessageAnswer { numbers: given.numbers, data: given.text, ..MessageAnswer::default() };
        Ok(warned(answer, warning))
    }

    fn set(
        &mut self,
        handle: i32,
        selectors: &[i32],
        numbers: &[i32],
        manager: &Manager,
    ) -> Result<Box<MessageAnswer>, Reason> {
        let queue = self.objects.queue(handle, Reason::NotOpenForSet)?;
        if !queue.uses.set {
            return Err(Reason::NotOpenForSet);
        }
        let inquiry = manager.inquire(&queue.name)?;
        let mut definition = Definition::clone(&*manager.definition(&queue.name)?);
        definition.attributes.trigger = inquiry.trigger;
        let mut attributes = definition.attributes.clone();
        inquire::set(&mut attributes, selectors, numbers)?;
        if !matches!(definition.origin, Origin::File { .. }) {
            manager.define(Definition { attributes, ..definition }, true)?;
            return Ok(Box::default());
        }
        let trigger = attributes.trigger.clone();
        definition.attributes.trigger.clone_from(&trigger);
        // Only the file can change what else a file says.
        if definition.attributes != attributes {
            return Err(Reason::NotAuthorized);
        }
        manager.set_trigger(&queue.name, trigger)?;
        Ok(Box::default())
    }

    fn put_one(
        &mut self,
        object: &[u8],
        message: Outgoing,
        around: Surroundings<'_>,
        unit: &mut Unit,
    ) -> Step {
        let found = read(&OBJECT, object, Reason::ObjectDescriptor).and_then(|object| {
            check_manager(object.text("OBJECTQMGRNAME"), around)?;
            if object.number("OBJECTTYPE") != QUEUE {
                return Err(Reason::ObjectType);
            }
            let uses = Uses { output: true, ..Uses::default() };
            let name = object.text("OBJECTNAME").unwrap_or_default();
            around.rights.check(around.user, name, uses)?;
            let found = find_queue(&object, around.manager)?;
            Ok((object, found))
        });
        let (mut object, found) = match found {
            Ok(found) => found,
            Err(reason) => return failed(reason).into(),
        };
        object.set_text("OBJECTNAME", found.named.as_str());
        object.set_text("RESOLVEDQNAME", found.base.as_str());
        object.set_text("RESOLVEDQMGRNAME", around.manager.definitions().name.as_str());
        let mut step = self.put(Ok(found.base), message, around, unit);
        if let Step::Answer(answer) | Step::Commit(_, answer) = &mut step {
            answer.object = object.as_bytes().to_vec();
        }
        step
    }

    fn put(
        &mut self,
        queue: Result<QueueName, Reason>,
        message: Outgoing,
        around: Surroundings<'_>,
        unit: &mut Unit,
    ) -> Step {
        match self.try_put(queue, message, around, unit) {
            Ok(step) => step,
            Err(reason) => failed(reason).into(),
        }
    }

    fn try_put(
        &mut self,
        queue: Result<QueueName, Reason>,
        message: Outgoing,
        around: Surroundings<'_>,
        unit: &mut Unit,
    ) -> Result<Step, Reason> {
        let queue = queue?;
        let mut fields = read(&PUT_OPTIONS, &message.options, Reason::PutOptions)?;
        let mut descriptor = read(&MESSAGE, &message.descriptor, Reason::MessageDescriptor)?;
        let options = PutOptions::of(&fields)?;
        let mut new = new_message(&descriptor, Defaults { ccsid: around.ccsid, user: around.user })?;
        if let Some(to) = new.reply_to.as_ref().filter(|_| new.report.wants_any()) {
            // Reports are put for the task's user, who must be allowed to.
            let uses = Uses { output: true, ..Uses::default() };
            around.rights.check(around.user, to.queue.as_str(), uses)?;
        }
        new.body = message.data;
        if options.new_message_id {
            new.message_id = None;
        }
        let session = around.manager.session();
        if options.new_correlation_id {
            new.correlation_id = session.new_correlation_id()?;
        }
        let correlation_id = new.correlation_id;
        let put = |scope: &mut Scope<'_>, new: NewMessage| session.put(scope, &queue, new, around.now);
        let (put, work) = match options.in_unit {
            InUnit::No => {
                let mut work = session.begin()?;
                (put(&mut work.scope(), new)?, Some(work))
            }
            InUnit::Yes | InUnit::IfPersistent => {
                (put(&mut Scope { unit, changes: &mut self.changes }, new)?, None)
            }
        };
        let Put { message_id, queue, .. } = put;
        descriptor.set_bytes("MSGID", &message_id.0);
        descriptor.set_bytes("CORRELID", &correlation_id.0);
        was_put(&mut descriptor, around.user, around.now);
        fields.set_text("RESOLVEDQNAME", queue.as_str());
        fields.set_text("RESOLVEDQMGRNAME", around.manager.definitions().name.as_str());
        let answer = Box::new(MessageAnswer {
            descriptor: descriptor.as_bytes().to_vec(),
            options: fields.as_bytes().to_vec(),
            ..MessageAnswer::default()
        });
        Ok(match work {
            Some(work) => Step::Commit(work, answer),
            None => Step::Answer(answer),
        })
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

    /// Goes on with a get whose wait is over. `waiter` is what waited; none if its time has come.
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
            // What waits for a browse takes nothing: another may have the message too.
            drop(waiter);
            return self.browse(get, queue, around);
        }
        let session = around.manager.session();
        let own = match get.options.in_unit {
            InUnit::Yes => None,
            InUnit::No => Some(session.begin()?),
            InUnit::IfPersistent => match session.browse(queue, &get.options.selection, None, around.now)? {
                Some(first) if first.message.descriptor.persistence == Persistence::Persistent => None,
                _ => Some(session.begin()?),
            },
        };
        let (own, found) = match own {
            None => {
                let scope = &mut Scope { unit, changes: &mut self.changes };
                (
                    None,
                    take(
                        get,
                        (queue, self.objects.queue(get.handle, Reason::ObjectHandle)?),
                        waiter,
                        around,
                        scope,
                    )?,
                )
            }
            Some(mut work) => {
                let open = self.objects.queue(get.handle, Reason::ObjectHandle)?;
                let found = take(get, (queue, open), waiter, around, &mut work.scope())?;
                (Some(work), found)
            }
        };
        Ok(match found {
            Found::None => None,
            Found::TooLong(message) => {
                Some(get.answer(message, Some(Reason::TruncatedFailed), (queue, around)).into())
            }
            Found::Message(message) => {
                let answer = get.answer(message, None, (queue, around));
                Some(match own {
                    Some(work) => Step::Commit(work, answer),
                    None => Step::Answer(answer),
                })
            }
        })
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
            return Ok(Some(get.shown(message, (queue, around)).into()));
        }
        let Some(browsed) = session.browse(queue, &get.options.selection, open.cursor, around.now)? else {
            return Ok(None);
        };
        let is_cut = browsed.message.body.len() > get.room && !get.options.accepts_truncated;
        if !is_cut {
            open.cursor = Some(browsed.position);
        }
        Ok(Some(get.shown(browsed.message, (queue, around)).into()))
    }
}

/// What a get finds.
enum Found {
    None,
    Message(Message),
    /// It is longer than the program's buffer, and stays on its queue.
    TooLong(Message),
}

/// Takes a message of a queue in a unit.
fn take(
    get: &Get,
    (queue, open): (&QueueName, &mut OpenQueue),
    waiter: Option<Waiter>,
    around: Surroundings<'_>,
    scope: &mut Scope<'_>,
) -> Result<Found, Reason> {
    let session = around.manager.session();
    // The header of a dead letter comes on top.
    let longest = around.manager.definition(queue).map_or(usize::MAX, |definition| {
        (definition.attributes.length_bytes_max as usize).saturating_add(DeadLetterHeader::BYTES)
    });
    let fits_all = get.options.accepts_truncated || get.room >= longest;
    let found = |message: Option<Message>| message.map_or(Found::None, Found::Message);
    match (get.options.taking, waiter) {
        (Taking::GetUnderCursor, _) => {
            let cursor = open.cursor.ok_or(Reason::NoMessageUnderCursor)?;
            if !fits_all {
                let at = session.browse_at(queue, cursor, around.now)?.ok_or(Reason::NoMessageUnderCursor)?;
                if at.body.len() > get.room {
                    return Ok(Found::TooLong(at));
                }
            }
            let message = session.get_at(scope, queue, cursor, around.now)?;
            Ok(Found::Message(message.ok_or(Reason::NoMessageUnderCursor)?))
        }
        (_, Some(waiter)) if fits_all => Ok(found(waiter.get(scope, around.now)?)),
        (_, None) if fits_all => Ok(found(session.get(scope, queue, &get.options.selection, around.now)?)),
        (_, waiter) => {
            // Its message, if it has one, is there for the browse again.
            drop(waiter);
            loop {
                let Some(first) = session.browse(queue, &get.options.selection, None, around.now)? else {
                    return Ok(Found::None);
                };
                if first.message.body.len() > get.room {
                    return Ok(Found::TooLong(first.message));
                }
                // Somebody else may have got it since: then the next one is the first.
                if let Some(message) = session.get_at(scope, queue, first.position, around.now)? {
                    return Ok(Found::Message(message));
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

    /// What the program gets of a message that it has browsed.
    fn shown(&self, message: Message, place: (&QueueName, Surroundings<'_>)) -> Box<MessageAnswer> {
        let is_cut = message.body.len() > self.room && !self.options.accepts_truncated;
        self.answer(message, is_cut.then_some(Reason::TruncatedFailed), place)
    }

    /// What the program gets of a message: the descriptor, and as much of the data as it has room for.
    fn answer(
        &self,
        mut message: Message,
        cut: Option<Reason>,
        (queue, around): (&QueueName, Surroundings<'_>),
    ) -> Box<MessageAnswer> {
        let mut warning = cut.unwrap_or(Reason::None);
        if warning == Reason::None && self.options.converts {
            let to = match self.descriptor.number("CODEDCHARSETID") {
                0 => Ccsid(around.ccsid.into()),
                other => Ccsid(u32::try_from(other).unwrap_or(around.ccsid.into())),
            };
            let (body, ccsid) = (message.body.len(), message.descriptor.ccsid);
            let mut converted = message.clone();
            warning = convert(&mut converted, to);
            // A text that was to fit and no longer does stays as it is.
            if body <= self.room && converted.body.len() > self.room {
                warning = Reason::ConvertedMessageTooBig;
                message.descriptor.ccsid = ccsid;
            } else {
                message = converted;
            }
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
    /// What the program sees: the name that it gave, or that of a queue made of a model.
    named: QueueName,
    /// The queue that has the messages.
    base: QueueName,
    is_made: bool,
}

/// Finds the queue that an object descriptor names, and makes one if it names a model.
fn find_queue(object: &Fields, manager: &Manager) -> Result<NamedQueue, Reason> {
    let name = object.text("OBJECTNAME").and_then(|name| QueueName::new(name).ok());
    let named = name.ok_or(Reason::UnknownObjectName)?;
    let definition = match manager.definition(&named) {
        Ok(definition) => definition,
        // A queue that has lost its definition still has messages, which can be got.
        Err(_) if manager.inquire(&named).is_ok() => {
            return Ok(NamedQueue { base: named.clone(), named, is_made: false });
        }
        Err(refusal) => return Err(refusal.into()),
    };
    match &definition.kind {
        QueueKind::Local => Ok(NamedQueue { base: named.clone(), named, is_made: false }),
        QueueKind::Alias(base) => match manager.inquire(base) {
            Ok(inquiry) if inquiry.is_local() => Ok(NamedQueue { named, base: base.clone(), is_made: false }),
            Ok(_) => Err(Reason::AliasBaseQueueType),
            Err(_) => Err(Reason::UnknownAliasBaseQueue),
        },
        QueueKind::Model { .. } => {
            let pattern = object.text("DYNAMICQNAME").ok_or(Reason::DynamicQueueName)?;
            let made = manager.make_of_model(&named, pattern)?;
            Ok(NamedQueue { named: made.clone(), base: made, is_made: true })
        }
    }
}

/// A temporary queue that this open has made goes with it.
fn forget_made(manager: &Manager, queue: &OpenQueue) {
    let is_temporary =
        manager.definition(&queue.name).is_ok_and(|definition| definition.origin == Origin::Temporary);
    if queue.is_made && is_temporary {
        // It may have gone already, by the program's own wish.
        let _ = manager.delete(&queue.name, true);
    }
}

fn is_dynamic(manager: &Manager, queue: &QueueName) -> bool {
    manager.definition(queue).is_ok_and(|definition| definition.origin.is_dynamic())
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

fn read(structure: &'static Structure, bytes: &[u8], otherwise: Reason) -> Result<Fields, Reason> {
    Fields::read(structure, bytes).map_err(|_| otherwise)
}
