//! MQSUB and MQSUBRQ: a program subscribes to topics.
//!
//! A subscription puts messages on a queue that the program has open, or on a queue that is made for it (managed). One that
//! is not durable ends with its handle, at the latest with the task. A durable one has a name, under which programs resume it.
//!
//! Source: IBM MQ, "MQSUB - Register subscription", "MQSD - Subscription descriptor".

use message::{CorrelationId, Moment, Priority, QueueName, Reason};
use mqi::{Fields, SUBSCRIPTION, SUBSCRIPTION_REQUEST};
use queue::{
    HeldSubscription, QueueKind, Registration, SUBSCRIPTION_NAME_BYTES_MAX, Subscription,
    SubscriptionPriority,
};
use wire::{MessageAnswer, SubscribeAsk};

use crate::apart::{Change, Then};
use crate::objects::{Object, OpenQueue};
use crate::options::{Input, Uses};
use crate::task::{Step, Surroundings, TaskCalls, apart, read};
use crate::topic;

/// MQSO.
mod sub {
    pub(super) const ALTER: i32 = 0x1;
    pub(super) const CREATE: i32 = 0x2;
    pub(super) const RESUME: i32 = 0x4;
    pub(super) const DURABLE: i32 = 0x8;
    pub(super) const MANAGED: i32 = 0x20;
    pub(super) const FIXED_USERID: i32 = 0x100;
    pub(super) const ANY_USERID: i32 = 0x200;
    pub(super) const SET_CORREL_ID: i32 = 0x40_0000;
    pub(super) const NO_READ_AHEAD: i32 = 0x800_0000;
    pub(super) const READ_AHEAD: i32 = 0x1000_0000;
    /// NO_MULTICAST, NEW_PUBLICATIONS_ONLY, FAIL_IF_QUIESCING, WILDCARD_TOPIC and SCOPE_QMGR change nothing here.
    pub(super) const KNOWN: i32 = ALTER
        | CREATE
        | RESUME
        | DURABLE
        | MANAGED
        | FIXED_USERID
        | ANY_USERID
        | SET_CORREL_ID
        | NO_READ_AHEAD
        | READ_AHEAD
        | 0x420_3080;
}

/// MQHO-NONE.
const NO_QUEUE: i32 = 0;
/// MQSR-ACTION-PUBLICATION.
const ACTION_PUBLICATION: i32 = 1;
/// MQPRI-PRIORITY-AS-Q-DEF and MQPRI-PRIORITY-AS-PUBLISHED.
const AS_QUEUE: i32 = -1;
const AS_PUBLISHED: i32 = -3;
/// Expiry is in tenths of a second; MQEI-UNLIMITED.
const EXPIRY_MS: u64 = 100;
const UNLIMITED: i32 = -1;

/// The options in MQSD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SubscribeOptions {
    creates: bool,
    resumes: bool,
    alters: bool,
    durable: bool,
    managed: bool,
    any_user: bool,
    sets_correlation_id: bool,
}

impl SubscribeOptions {
    fn of(options: i32) -> Result<Self, Reason> {
        let has = |bit: i32| options & bit != 0;
        let contradicts = |one: i32, other: i32| has(one) && has(other);
        if options & !sub::KNOWN != 0
            || !has(sub::ALTER | sub::CREATE | sub::RESUME)
            || contradicts(sub::FIXED_USERID, sub::ANY_USERID)
            || contradicts(sub::NO_READ_AHEAD, sub::READ_AHEAD)
        {
            return Err(Reason::Options);
        }
        Ok(Self {
            creates: has(sub::CREATE),
            resumes: has(sub::RESUME | sub::ALTER),
            alters: has(sub::ALTER),
            durable: has(sub::DURABLE),
            managed: has(sub::MANAGED),
            any_user: has(sub::ANY_USERID),
            sets_correlation_id: has(sub::SET_CORREL_ID),
        })
    }
}

/// A subscription that is being made or resumed.
#[derive(Debug)]
pub(crate) struct Subscribing {
    /// MQSD.
    fields: Fields,
    /// The queue that the program has open for the messages; none if it gets a handle.
    queue: Option<i32>,
    /// It was there before.
    is_resumed: bool,
    held: Option<HeldSubscription>,
}

/// The contents of MQSD, checked.
struct Wish<'w> {
    fields: Fields,
    options: SubscribeOptions,
    string: &'w [u8],
    name: String,
    registration: Registration,
    queue: i32,
}

impl TaskCalls {
    pub(crate) fn subscribe(
        &mut self,
        ask: &SubscribeAsk,
        queue: i32,
        around: Surroundings<'_>,
    ) -> Result<Step, Reason> {
        let wish = wish(ask, queue, around)?;
        self.objects.check_room(2)?;
        let existing = match wish.name.as_str() {
            "" => None,
            name => around.manager.subscription(name),
        };
        match existing {
            Some(_) if !wish.options.resumes => Err(Reason::SubscriptionExists),
            None if !wish.options.creates => Err(Reason::NoSubscription),
            Some(existing) => self.resume(wish, existing, around),
            None => self.create(wish, around),
        }
    }

    fn create(&mut self, wish: Wish<'_>, around: Surroundings<'_>) -> Result<Step, Reason> {
        let Wish { fields, options, string, name, mut registration, queue } = wish;
        let topics = topic::whole(&fields, string, around)?;
        check(&fields, &topics, around)?;
        if !options.sets_correlation_id {
            registration.correlation_id = Some(around.manager.session().new_correlation_id()?);
        }
        let (queue, to) = match options.managed {
            // Its name is made with it.
            true => (None, QueueName::new("SYSTEM.MANAGED").map_err(|_| Reason::Unexpected)?),
            false => (Some(queue), self.destination(queue)?),
        };
        let subscription = Subscription { name, topics, queue: to, registration: Some(registration) };
        let subscribing = Subscribing { fields, queue, is_resumed: false, held: None };
        if options.durable {
            let change = Change::Subscribe { subscription: Box::new(subscription), alters: false };
            return Ok(apart(change, Then::Subscribe(Box::new(subscribing))));
        }
        let (subscription, held) = around.manager.subscribe_while_held(subscription)?;
        let subscribing = Subscribing { held: Some(held), ..subscribing };
        self.subscribed(subscribing, subscription, around).map(Step::Answer)
    }

    fn resume(
        &mut self,
        wish: Wish<'_>,
        existing: Subscription,
        around: Surroundings<'_>,
    ) -> Result<Step, Reason> {
        let Wish { fields, options, string, registration, queue, .. } = wish;
        if existing.is_durable() != options.durable {
            return Err(Reason::DurabilityNotAlterable);
        }
        if !existing.is_durable() {
            return Err(Reason::SubscriptionInUse);
        }
        let owner = existing.registration.as_ref();
        if owner.is_some_and(|owner| !owner.any_user && owner.user != registration.user) {
            return Err(Reason::IdentityMismatch);
        }
        if topic::is_named(&fields, string) && topic::whole(&fields, string, around)? != existing.topics {
            return Err(Reason::TopicNotAlterable);
        }
        check(&fields, &existing.topics, around)?;
        if options.managed && !existing.is_managed() {
            return Err(Reason::AlterSubscription);
        }
        let queue = (!existing.is_managed() && queue != NO_QUEUE).then_some(queue);
        let to = queue.map(|queue| self.destination(queue)).transpose()?;
        if to.as_ref().is_some_and(|to| *to != existing.queue) && !options.alters {
            return Err(Reason::ObjectHandle);
        }
        if queue.is_none() && !existing.is_managed() {
            around.rights.check(around.user, existing.queue.as_str(), DESTINATION)?;
        }
        let held = Some(around.manager.hold_subscription(&existing.name)?);
        let subscribing = Subscribing { fields, queue, is_resumed: true, held };
        if !options.alters {
            return self.subscribed(subscribing, existing, around).map(Step::Answer);
        }
        // Only the file can change its subscriptions.
        let old = existing.registration.ok_or(Reason::AlterSubscription)?;
        let correlation_id = match options.sets_correlation_id {
            true => registration.correlation_id,
            false => old.correlation_id,
        };
        let (user, managed) = (old.user, old.managed);
        let registration = Registration { user, managed, correlation_id, ..registration };
        let subscription = Subscription {
            queue: to.unwrap_or(existing.queue),
            registration: Some(registration),
            name: existing.name,
            topics: existing.topics,
        };
        let change = Change::Subscribe { subscription: Box::new(subscription), alters: true };
        Ok(apart(change, Then::Subscribe(Box::new(subscribing))))
    }

    /// Gives the program the handles of a subscription.
    pub(crate) fn subscribed(
        &mut self,
        subscribing: Subscribing,
        subscription: Subscription,
        around: Surroundings<'_>,
    ) -> Result<Box<MessageAnswer>, Reason> {
        let Subscribing { mut fields, queue, is_resumed, held } = subscribing;
        let held = match held {
            Some(held) => held,
            None => around.manager.hold_subscription(&subscription.name)?,
        };
        let string = topic::give(&mut fields, "RESOBJECTSTRING", &subscription.topics, around);
        let string = string.ok_or(Reason::ResolvedObjectString)?;
        let registration = subscription.registration.clone().unwrap_or_default();
        let correlation_id = registration.correlation_id.unwrap_or_default();
        fields.set_bytes("SUBCORRELID", &correlation_id.0);
        let data = match is_resumed {
            true => {
                topic::give(&mut fields, "SUBUSERDATA", &registration.user_data, around).unwrap_or_default()
            }
            false => Vec::new(),
        };
        let queue = match queue {
            Some(queue) => queue,
            None => self.open_destination(&subscription, around)?,
        };
        let handle = match self.objects.add(Object::Subscription(held)) {
            Ok(handle) => handle,
            Err(reason) => {
                let _ = self.objects.remove(queue);
                return Err(reason);
            }
        };
        let object = fields.into_bytes();
        Ok(Box::new(MessageAnswer { handle, queue, object, string, data, ..MessageAnswer::default() }))
    }

    /// The queue of a handle, if messages can be got there.
    fn destination(&mut self, queue: i32) -> Result<QueueName, Reason> {
        let queue = self.objects.queue(queue, Reason::ObjectHandle)?;
        match queue.uses.input.is_some() || queue.uses.browse {
            true => Ok(queue.name.clone()),
            false => Err(Reason::ObjectHandle),
        }
    }

    /// Opens the queue of a subscription.
    fn open_destination(
        &mut self,
        subscription: &Subscription,
        around: Surroundings<'_>,
    ) -> Result<i32, Reason> {
        let definition = around.manager.definition(&subscription.queue)?;
        let base = match &definition.kind {
            QueueKind::Alias(base) => base.clone(),
            _ => subscription.queue.clone(),
        };
        let is_temporary = subscription.is_managed() && !subscription.is_durable();
        let mut queue = OpenQueue::new((base, is_temporary), DESTINATION, around.opens)?;
        queue.held = subscription.is_managed().then(|| around.manager.hold_queue(&subscription.queue));
        self.objects.add(Object::Queue(queue))
    }

    /// MQSUBRQ. No publication is retained.
    pub(crate) fn request(
        &mut self,
        handle: i32,
        action: i32,
        options: &[u8],
    ) -> Result<Box<MessageAnswer>, Reason> {
        read(&SUBSCRIPTION_REQUEST, options, Reason::SubscriptionRequestOptions)?;
        match self.objects.get(handle)? {
            Object::Subscription(_) if action == ACTION_PUBLICATION => Err(Reason::NoRetainedMessage),
            Object::Subscription(_) => Err(Reason::Action),
            _ => Err(Reason::ObjectHandle),
        }
    }
}

/// How the program gets the queue of a subscription.
const DESTINATION: Uses =
    Uses { input: Some(Input::Shared), browse: true, output: false, inquire: true, set: false };

/// Checks the right to the topics, and the place for their text, before anything changes.
fn check(fields: &Fields, topics: &str, around: Surroundings<'_>) -> Result<(), Reason> {
    let uses = Uses { input: Some(Input::Shared), ..Uses::default() };
    around.rights.check(around.user, topics, uses)?;
    let given = topic::give(&mut fields.clone(), "RESOBJECTSTRING", topics, around);
    given.map(|_| ()).ok_or(Reason::ResolvedObjectString)
}

/// Reads MQSD.
fn wish<'w>(ask: &'w SubscribeAsk, queue: i32, around: Surroundings<'_>) -> Result<Wish<'w>, Reason> {
    let fields = read(&SUBSCRIPTION, &ask.descriptor, Reason::SubscriptionDescriptor)?;
    let options = SubscribeOptions::of(fields.number("OPTIONS"))?;
    topic::check_selection(&fields, Reason::SelectionNotAvailable)?;
    // Publications come to all subscriptions at the same time.
    if fields.number("SUBLEVEL") != 1 {
        return Err(Reason::Options);
    }
    let name = topic::given(&fields, "SUBNAME", &ask.name, around).ok_or(Reason::SubscriptionName)?;
    let needs_name = options.durable || !options.creates;
    let is_good = name.len() <= SUBSCRIPTION_NAME_BYTES_MAX && !name.contains('\0');
    if !is_good || (name.is_empty() && needs_name) {
        return Err(Reason::SubscriptionName);
    }
    let data = topic::given(&fields, "SUBUSERDATA", &ask.user_data, around);
    let correlation = fields.bytes("SUBCORRELID").and_then(|id| id.first_chunk().copied());
    let correlation = CorrelationId(correlation.unwrap_or_default());
    let registration = Registration {
        user: around.user.trim_end().to_owned(),
        any_user: options.any_user,
        durable: options.durable,
        managed: options.managed,
        correlation_id: (!correlation.is_none()).then_some(correlation),
        priority: priority(fields.number("PUBPRIORITY"))?,
        user_data: data.ok_or(Reason::SubscriptionUserData)?,
        expires: expires(fields.number("SUBEXPIRY"), around.now)?,
    };
    Ok(Wish { fields, options, string: &ask.string, name, registration, queue })
}

fn priority(number: i32) -> Result<SubscriptionPriority, Reason> {
    match number {
        AS_PUBLISHED => Ok(SubscriptionPriority::AsPublished),
        AS_QUEUE => Ok(SubscriptionPriority::AsQueue),
        number => {
            let priority = u8::try_from(number).ok().and_then(Priority::new).ok_or(Reason::Priority)?;
            Ok(SubscriptionPriority::Fixed(priority))
        }
    }
}

fn expires(tenths: i32, now: Moment) -> Result<Option<Moment>, Reason> {
    match u64::try_from(tenths) {
        Ok(tenths) if tenths > 0 => Ok(Some(now.plus_ms(tenths * EXPIRY_MS))),
        _ if tenths == UNLIMITED => Ok(None),
        _ => Err(Reason::Expiry),
    }
}
