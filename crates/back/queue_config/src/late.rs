//! Replies that come after nobody waits for them any more.
//!
//! A call that is given up leaves a wait behind. Its reply does not stay on the reply queue: it goes to the dead-letter
//! queue, or is dropped, on the thread that commits it. Waits are left for a limited time, and there is a limited number.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use message::{Moment, QueueName, Reason, Refusal, Selection};
use queue::{DeadLetter, Session, Waiter};
use serde::Deserialize;

use crate::running::now;

/// How long a reply is looked out for, in milliseconds.
const LATE_MS: u64 = 600_000;
/// Calls of one service whose replies are looked out for.
const LATE_MAX: usize = 10_000;

/// `late_replies`: what becomes of them.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LateReplies {
    /// They go to the dead-letter queue; without one they are dropped.
    #[default]
    DeadLetter,
    /// They are dropped.
    Drop,
}

/// The calls of a service whose replies may still come.
#[derive(Clone, Debug)]
pub(crate) struct Late {
    replies: LateReplies,
    left: Arc<Mutex<LeftWaits>>,
}

/// Waits that were left behind, each with the moment from which it counts.
type LeftWaits = VecDeque<(Moment, Arc<Left>)>;

/// A wait that was left behind.
#[derive(Debug, Default)]
struct Left(Mutex<LeftState>);

#[derive(Debug, Default)]
struct LeftState {
    waiter: Option<Waiter>,
    is_woken: bool,
}

impl Late {
    pub(crate) fn new(replies: LateReplies) -> Self {
        Self { replies, left: Arc::default() }
    }

    /// A wait that is left behind if it is dropped.
    pub(crate) fn watched(
        &self,
        session: &Session,
        queue: &QueueName,
        (waiter, selection): (Waiter, Selection),
    ) -> Watched {
        let (late, session, queue) = (self.clone(), session.clone(), queue.clone());
        Watched { waiter: Some(waiter), late, session, queue, selection }
    }

    fn leave(&self, session: &Session, queue: &QueueName, selection: &Selection) {
        let left = Arc::<Left>::default();
        let (woken, replies, in_it) = (Arc::clone(&left), self.replies, session.clone());
        let of = queue.clone();
        let wake = move || {
            let waiter = {
                let mut state = woken.0.lock().unwrap_or_else(PoisonError::into_inner);
                state.is_woken = true;
                state.waiter.take()
            };
            if let Some(waiter) = waiter {
                put_away((&in_it, &of), waiter, replies);
            }
        };
        let waiter = match session.wait(queue, selection, wake, now()) {
            Ok(waiter) => waiter,
            Err(refusal) => {
                tracing::warn!("a reply that comes late will stay on its queue: {refusal}");
                return;
            }
        };
        let here = {
            let mut state = left.0.lock().unwrap_or_else(PoisonError::into_inner);
            if state.is_woken {
                Some(waiter)
            } else {
                state.waiter = Some(waiter);
                None
            }
        };
        if let Some(waiter) = here {
            return put_away((session, queue), waiter, self.replies);
        }
        let now = now();
        let mut all = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let mut old = Vec::new();
        while all.len() >= LATE_MAX || all.front().is_some_and(|(since, _)| now.since_ms(*since) > LATE_MS) {
            old.extend(all.pop_front());
        }
        all.push_back((now, left));
        drop(all);
        drop(old);
    }
}

/// Takes a late reply from its queue.
fn put_away((session, queue): (&Session, &QueueName), waiter: Waiter, replies: LateReplies) {
    let take = || {
        let mut work = session.begin()?;
        let Some(message) = waiter.take(&mut work.scope())? else { return Ok(()) };
        let id = message.descriptor.message_id;
        let dead = match replies {
            LateReplies::DeadLetter => {
                let text = "a reply came after its caller had gone";
                let why = Refusal::failed(Reason::NoMessageAvailable, text);
                session.put_dead(&mut work.scope(), (queue, message), &why, now())
            }
            LateReplies::Drop => Ok(DeadLetter::NoQueue),
        };
        match dead {
            Ok(went) => {
                // What else becomes of it, the queue manager tells.
                if went == DeadLetter::NoQueue {
                    tracing::warn!(%id, "a reply came after its caller had gone, and was dropped");
                }
                work.commit_then(|_| ());
                Ok(())
            }
            Err(refusal) => {
                work.undo();
                Err(refusal)
            }
        }
    };
    if let Err(refusal) = take() {
        tracing::warn!("a reply that came late stays on its queue: {refusal}");
    }
}

/// A wait for a reply.
pub(crate) struct Watched {
    waiter: Option<Waiter>,
    late: Late,
    session: Session,
    queue: QueueName,
    selection: Selection,
}

impl Watched {
    /// The wait, which is over.
    pub(crate) fn take(mut self) -> Waiter {
        self.waiter.take().expect("it is taken once")
    }

    /// Ends the wait: no reply will come.
    pub(crate) fn withdraw(mut self) {
        self.waiter = None;
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let Some(waiter) = self.waiter.take() else { return };
        // A reply that came at the last moment goes back to the queue here, and from there to the new wait.
        drop(waiter);
        if !self.selection.is_any() {
            self.late.leave(&self.session, &self.queue, &self.selection);
        }
    }
}
