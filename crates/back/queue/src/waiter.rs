//! Waits for messages: first come, first served, without polling.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use message::{CorrelationId, Message, MessageId, Moment, Reason, Refusal, Selection};

use crate::changes::Scope;
use crate::index::{Entry, Slot, State};
use crate::manager::{Core, Queue};

/// The function to call when a wait is over.
pub(crate) type Wake = Box<dyn FnOnce() + Send>;

/// The kind of a wait, which decides who gets a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rank {
    /// A caller. Callers are served in the order in which they came.
    Caller,
    /// A wait whose caller has gone. It gets what no caller waits for.
    Left,
}

/// The numbers of waits that were left behind begin here, above those of all callers.
const LEFT: u64 = 1 << 63;

/// The state of a wait.
enum Wait {
    /// No message yet.
    Open(Selection, Wake),
    /// It has this message.
    Given(Slot),
    /// No message will come. Without a reason the manager stops.
    Over(Option<Reason>),
}

/// The waits of one queue. Their numbers ascend with their begin, those of each rank for themselves.
#[derive(Default)]
pub(crate) struct Waits {
    next: u64,
    /// Callers that wait.
    open: usize,
    all: HashMap<u64, Wait>,
    any: BTreeSet<u64>,
    by_message: HashMap<MessageId, BTreeSet<u64>>,
    by_correlation: HashMap<CorrelationId, BTreeSet<u64>>,
}

impl Waits {
    /// The number of callers that wait.
    pub(crate) fn open(&self) -> usize {
        self.open
    }

    /// Notes a wait that has its message already.
    fn add_given(&mut self, slot: Slot) -> u64 {
        self.next += 1;
        self.all.insert(self.next, Wait::Given(slot));
        self.next
    }

    fn add(&mut self, selection: Selection, wake: Wake, rank: Rank) -> u64 {
        self.next += 1;
        let number = match rank {
            Rank::Caller => self.next,
            Rank::Left => LEFT | self.next,
        };
        match (selection.message_id(), selection.correlation_id()) {
            (Some(id), _) => self.by_message.entry(id).or_default().insert(number),
            (None, Some(id)) => self.by_correlation.entry(id).or_default().insert(number),
            (None, None) => self.any.insert(number),
        };
        self.all.insert(number, Wait::Open(selection, wake));
        self.open += usize::from(number < LEFT);
        number
    }

    /// Gives a message to the first wait that it fits. The caller must call the result afterwards.
    pub(crate) fn give(&mut self, slot: Slot, entry: &Entry) -> Option<Wake> {
        if self.all.is_empty() {
            return None;
        }
        let by_message = self.by_message.get(&entry.message_id).into_iter().flatten().copied();
        let by_message = by_message.filter(|number| match self.all.get(number) {
            Some(Wait::Open(selection, _)) => selection.fits_ids(entry.message_id, entry.correlation_id),
            _ => false,
        });
        let by_message = by_message.min();
        let by_correlation =
            self.by_correlation.get(&entry.correlation_id).and_then(BTreeSet::first).copied();
        let first = [self.any.first().copied(), by_message, by_correlation].into_iter().flatten().min()?;
        match self.close(first, Wait::Given(slot)) {
            Some(Wait::Open(_, wake)) => Some(wake),
            _ => None,
        }
    }

    /// Ends all open waits. The caller must call the results afterwards.
    pub(crate) fn end(&mut self, reason: Option<Reason>) -> Vec<Wake> {
        let open = |(number, wait): (&u64, &Wait)| matches!(wait, Wait::Open(..)).then_some(*number);
        let mut numbers: Vec<u64> = self.all.iter().filter_map(open).collect();
        numbers.sort_unstable();
        let ended = numbers.into_iter().filter_map(|number| match self.close(number, Wait::Over(reason)) {
            Some(Wait::Open(_, wake)) => Some(wake),
            _ => None,
        });
        ended.collect()
    }

    /// Gives an open wait its result. Returns its state before.
    fn close(&mut self, number: u64, result: Wait) -> Option<Wait> {
        let before = self.all.insert(number, result);
        self.forget(number, before.as_ref());
        before
    }

    fn remove(&mut self, number: u64) -> Option<Wait> {
        let before = self.all.remove(&number);
        self.forget(number, before.as_ref());
        before
    }

    fn forget(&mut self, number: u64, wait: Option<&Wait>) {
        fn drop_from<K: std::hash::Hash + Eq>(table: &mut HashMap<K, BTreeSet<u64>>, key: K, number: u64) {
            if let Some(numbers) = table.get_mut(&key) {
                numbers.remove(&number);
                if numbers.is_empty() {
                    table.remove(&key);
                }
            }
        }
        let Some(Wait::Open(selection, _)) = wait else { return };
        self.open -= usize::from(number < LEFT);
        match (selection.message_id(), selection.correlation_id()) {
            (Some(id), _) => drop_from(&mut self.by_message, id, number),
            (None, Some(id)) => drop_from(&mut self.by_correlation, id, number),
            (None, None) => {
                self.any.remove(&number);
            }
        }
    }
}

/// A wait for a message. Dropping it withdraws the wait, and its message goes to the next waiter.
pub struct Waiter {
    core: Arc<Core>,
    queue: Arc<Queue>,
    rank: Rank,
    /// None once its holder has ended the wait.
    number: Option<u64>,
}

impl std::fmt::Debug for Waiter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waiter").field("queue", &self.queue.name).finish_non_exhaustive()
    }
}

impl Waiter {
    /// Begins a wait. `wake` is called once: at once if there is a message, else on the thread that commits one.
    pub(crate) fn begin(
        core: Arc<Core>,
        queue: Arc<Queue>,
        (selection, rank): (Selection, Rank),
        wake: Wake,
        now: Moment,
    ) -> Result<Waiter, Refusal> {
        // From here on, dropping the waiter reduces the count.
        let mut waiter = Waiter { core, queue, rank, number: None };
        let open = waiter.count().fetch_add(1, Ordering::Relaxed);
        if open >= waiter.core.limits.waiters_max {
            let text = match rank {
                Rank::Caller => format!("{open} callers wait, which is waiters_max"),
                Rank::Left => format!("{open} replies are overdue, which is waiters_max"),
            };
            return Err(Refusal::failed(Reason::ResourceProblem, text));
        }
        let mut state = waiter.queue.state();
        state.may_get(&waiter.queue.name)?;
        if waiter.core.is_stopping() {
            return Err(Refusal::failed(Reason::ManagerQuiescing, "the queue manager is stopping"));
        }
        if let Some(slot) = state.take_first(&selection, now) {
            waiter.number = Some(state.waits.add_given(slot));
            drop(state);
            wake();
            return Ok(waiter);
        }
        waiter.number = Some(state.waits.add(selection, wake, rank));
        drop(state);
        Ok(waiter)
    }

    /// The waits of its rank in all queues.
    fn count(&self) -> &AtomicUsize {
        match self.rank {
            Rank::Caller => &self.core.waiters,
            Rank::Left => &self.core.left_waits,
        }
    }

    /// True if the wait is over: it has a message, or no message will come.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let state = self.queue.state();
        let wait = self.number.and_then(|number| state.waits.all.get(&number));
        !matches!(wait, Some(Wait::Open(..)))
    }

    /// True if the wait has no message whose body may have more bytes than this.
    #[must_use]
    pub fn fits(&self, room: usize) -> bool {
        let state = self.queue.state();
        match self.number.and_then(|number| state.waits.all.get(&number)) {
            Some(Wait::Given(slot)) => state.fits(*slot, room),
            _ => true,
        }
    }

    /// Gets the message of the wait in a unit. None if it has none yet, if its message has expired
    /// meanwhile, or if the manager stops. In all cases the wait is withdrawn.
    ///
    /// # Errors
    /// `GetInhibited` or `QueueDeleted` if this happened meanwhile; those of
    /// [`Session::get`](crate::Session::get).
    pub fn get(self, scope: &mut Scope<'_>, now: Moment) -> Result<Option<Message>, Refusal> {
        let (core, queue) = (Arc::clone(&self.core), Arc::clone(&self.queue));
        if self.expires(now) {
            return Ok(None);
        }
        let message = self.take(scope)?;
        if let Some(message) = &message {
            core.report_delivery(scope, &queue.name, message, now);
        }
        Ok(message)
    }

    /// Lets the message of the wait expire, if its time is over. The next sweep discards it.
    fn expires(&self, now: Moment) -> bool {
        let mut state = self.queue.state();
        let Some(number) = self.number else { return false };
        let Some(Wait::Given(slot)) = state.waits.all.get(&number) else { return false };
        let slot = *slot;
        let is_over = state.index.entry(slot).expires <= now;
        if is_over {
            state.waits.all.remove(&number);
            state.index.entry_mut(slot).state = State::Expired;
            state.expired.push(slot);
        }
        is_over
    }

    /// Like [`Waiter::get`], but puts no report of delivery, because the message goes to another
    /// place.
    ///
    /// # Errors
    /// As [`Waiter::get`].
    pub fn take(mut self, scope: &mut Scope<'_>) -> Result<Option<Message>, Refusal> {
        let Some(number) = self.number.take() else { return Ok(None) };
        let wait = self.queue.state().waits.remove(number);
        match wait {
            Some(Wait::Given(slot)) => self.core.take(scope, &self.queue, slot),
            Some(Wait::Over(Some(reason))) => {
                let text = format!("{}: the queue can no longer be read", self.queue.name);
                Err(Refusal::failed(reason, text))
            }
            _ => Ok(None),
        }
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.count().fetch_sub(1, Ordering::Relaxed);
        let Some(number) = self.number.take() else { return };
        let mut state = self.queue.state();
        let wake = match state.waits.remove(number) {
            Some(Wait::Given(slot)) => state.make_ready(slot),
            _ => None,
        };
        drop(state);
        if let Some(wake) = wake {
            wake();
        }
    }
}
