//! Replies that come after their callers have stopped waiting.
//!
//! A call that is given up leaves a wait behind. Its reply does not stay on the reply queue: it goes to the dead-letter
//! queue, or is dropped, on the thread that commits it. A caller that waits for the same reply is served first. Waits are left
//! for a limited time, and there is a limited number. They outlive the configuration of their service.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use message::{Message, Moment, QueueName, Reason, Refusal, Selection};
use queue::{DeadLetter, Session, Waiter};
use serde::Deserialize;
use service::Error;
use tokio::time::Instant;

use crate::provider::{Woken, get, waiting};
use crate::running::now;

/// How long a reply is looked out for, in milliseconds.
const LATE_MS: u64 = 600_000;
/// The most calls whose late replies are awaited. The oldest ones make room for new ones.
const LATE_MAX: usize = 50_000;

/// `late_replies`: what happens to late replies.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LateReplies {
    /// They go to the dead-letter queue; without one they are dropped.
    #[default]
    DeadLetter,
    /// They are dropped.
    Drop,
}

/// The calls of the process whose replies may still come.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftWaits(Arc<Mutex<LeftList>>);

/// Waits that were left behind, each with the moment from which it counts. The oldest comes first.
type LeftList = VecDeque<(Moment, Arc<Left>)>;

/// A wait that was left behind.
#[derive(Debug, Default)]
struct Left(Mutex<LeftState>);

#[derive(Debug, Default)]
struct LeftState {
    waiter: Option<Waiter>,
    is_woken: bool,
}

impl LeftWaits {
    /// A wait that is left behind if it is dropped.
    pub(crate) fn watched(
        &self,
        session: &Session,
        queue: &QueueName,
        (waiter, selection): (Waiter, Selection),
        replies: LateReplies,
    ) -> Watched {
        let (left, session, queue) = (self.clone(), session.clone(), queue.clone());
        Watched { waiter: Some(waiter), left, session, queue, selection, replies }
    }

    fn leave(&self, session: &Session, queue: &QueueName, selection: &Selection, replies: LateReplies) {
        self.forget_old(now());
        let kept = match self.try_leave(session, queue, selection, replies) {
            // The oldest makes room.
            Err(refusal) if refusal.reason == Reason::ResourceProblem && self.forget_oldest() => {
                self.try_leave(session, queue, selection, replies)
            }
            kept => kept,
        };
        if let Err(refusal) = kept {
            tracing::warn!("a reply that comes late will stay on its queue: {refusal}");
        }
    }

    fn try_leave(
        &self,
        session: &Session,
        queue: &QueueName,
        selection: &Selection,
        replies: LateReplies,
    ) -> Result<(), Refusal> {
        let left = Arc::<Left>::default();
        // The queue has this function for as long as the wait is open. Only the list owns the wait, so the wait ends when it is
        // forgotten.
        let (woken, in_it, of) = (Arc::downgrade(&left), session.clone(), queue.clone());
        let wake = move || {
            if let Some(waiter) = woken.upgrade().and_then(|left| left.wake()) {
                put_away((&in_it, &of), waiter, replies);
            }
        };
        match left.keep(session.look_out(queue, selection, wake, now())?) {
            Some(waiter) => put_away((session, queue), waiter, replies),
            None => self.all().push_back((now(), left)),
        }
        Ok(())
    }

    /// Ends the wait that was left first. False if there is none.
    fn forget_oldest(&self) -> bool {
        let oldest = self.all().pop_front();
        oldest.is_some()
    }

    /// Ends the waits that were left for long enough, or are too many with the next one.
    fn forget_old(&self, now: Moment) {
        let mut all = self.all();
        let is_old = |(since, _): &(Moment, Arc<Left>)| now.since_ms(*since) > LATE_MS;
        let old = all.iter().take_while(|left| is_old(left)).count();
        let beyond = (all.len() + 1).saturating_sub(LATE_MAX);
        let ended: Vec<_> = all.drain(..old.max(beyond)).collect();
        drop(all);
        // A reply that has come meanwhile goes to the next wait here, which may need the list.
        drop(ended);
    }

    fn all(&self) -> MutexGuard<'_, LeftList> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Left {
    /// The wait is over. Gives the waiter, unless the wait has only begun.
    fn wake(&self) -> Option<Waiter> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_woken = true;
        state.waiter.take()
    }

    /// Keeps the wait until it is over. Gives it back if it is.
    fn keep(&self, waiter: Waiter) -> Option<Waiter> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_woken {
            return Some(waiter);
        }
        state.waiter = Some(waiter);
        None
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
                session.put_dead(&mut work.scope(), (queue.into(), message), &why, now())
            }
            LateReplies::Drop => Ok(DeadLetter::NoQueue),
        };
        match dead {
            Ok(went) => {
                // The queue manager reports any other end of the reply.
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
    left: LeftWaits,
    replies: LateReplies,
    session: Session,
    queue: QueueName,
    selection: Selection,
}

impl Watched {
    /// Waits for the reply, and gets it; none if none came until then. A reply that expires between is none: the wait
    /// begins again.
    pub(crate) async fn reply(mut self, mut woken: Woken, until: Instant) -> Result<Option<Message>, Error> {
        while woken.until(until).await
            && let Some(waiter) = self.waiter.take()
        {
            if let Some(message) = get(&self.session, waiter).await? {
                return Ok(Some(message));
            }
            let (waiter, again) = waiting(&self.session, &self.queue, &self.selection)?;
            (self.waiter, woken) = (Some(waiter), again);
        }
        Ok(None)
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
            self.left.leave(&self.session, &self.queue, &self.selection, self.replies);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use message::{CorrelationId, ManagerName, NewMessage};
    use queue::{Definition, Definitions, Limits, Manager};
    use store::{Options, Store};

    const REPLIES: &str = "REPLIES";
    const DEAD: &str = "DEAD";

    fn name(text: &str) -> QueueName {
        QueueName::new(text).unwrap()
    }

    /// A manager with a queue of replies and a dead-letter queue, in a folder.
    fn manager(limits: Limits) -> (Manager, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("store"), Options::default()).unwrap();
        let queues = [REPLIES, DEAD].map(|queue| Definition::local(name(queue)));
        let definitions = Definitions {
            dead_letter_queue: Some(name(DEAD)),
            queues: queues.to_vec(),
            ..Definitions::new(ManagerName::new("QM1").unwrap())
        };
        let (manager, _) = Manager::open(Arc::new(store), &definitions, limits, now()).unwrap();
        (manager, folder)
    }

    /// A call whose caller has given up.
    fn given_up(left: &LeftWaits, session: &Session, id: u8, replies: LateReplies) {
        let wanted = Selection::by_correlation_id(CorrelationId([id; 24]));
        let waiter = session.wait(&name(REPLIES), &wanted, || (), now()).unwrap();
        drop(left.watched(session, &name(REPLIES), (waiter, wanted), replies));
    }

    fn reply(session: &Session, id: u8) {
        let message = NewMessage { correlation_id: CorrelationId([id; 24]), ..NewMessage::text("reply") };
        let mut work = session.begin().unwrap();
        session.put(&mut work.scope(), &name(REPLIES), message, now()).unwrap();
        work.commit().unwrap();
    }

    /// The messages on the queue of replies and on the dead-letter queue, when they are as expected or after a second.
    fn depths(manager: &Manager, expected: (usize, usize)) -> (usize, usize) {
        let depth = |queue| manager.inquire(&name(queue)).unwrap().depth;
        for _ in 0..100 {
            if (depth(REPLIES), depth(DEAD)) == expected {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        (depth(REPLIES), depth(DEAD))
    }

    #[test]
    fn late_replies_go_to_the_dead_letter_queue_or_are_dropped() {
        let (manager, _folder) = manager(Limits::default());
        let (session, left) = (manager.session(), LeftWaits::default());
        given_up(&left, &session, 1, LateReplies::DeadLetter);
        given_up(&left, &session, 2, LateReplies::Drop);
        reply(&session, 1);
        reply(&session, 2);
        assert_eq!(depths(&manager, (0, 1)), (0, 1));
    }

    #[test]
    fn a_caller_gets_the_reply_that_an_earlier_call_has_missed() {
        let (manager, _folder) = manager(Limits::default());
        let (session, left) = (manager.session(), LeftWaits::default());
        given_up(&left, &session, 1, LateReplies::DeadLetter);
        let wanted = Selection::by_correlation_id(CorrelationId([1; 24]));
        let waiter = session.wait(&name(REPLIES), &wanted, || (), now()).unwrap();
        reply(&session, 1);
        let mut work = session.begin().unwrap();
        assert!(waiter.get(&mut work.scope(), now()).unwrap().is_some());
        work.commit().unwrap();
        assert_eq!(depths(&manager, (0, 0)), (0, 0));
    }

    #[tokio::test]
    async fn a_reply_that_has_expired_is_not_the_end_of_the_wait() {
        let (manager, _folder) = manager(Limits::default());
        let (session, left) = (manager.session(), LeftWaits::default());
        let wanted = Selection::by_correlation_id(CorrelationId([1; 24]));
        let (waiter, woken) = waiting(&session, &name(REPLIES), &wanted).unwrap();
        let waiter = left.watched(&session, &name(REPLIES), (waiter, wanted), LateReplies::Drop);
        let message = NewMessage {
            correlation_id: CorrelationId([1; 24]),
            expiry: message::Expiry::AfterMs(1),
            ..NewMessage::text("old")
        };
        let mut work = session.begin().unwrap();
        session.put(&mut work.scope(), &name(REPLIES), message, now()).unwrap();
        work.commit().unwrap();
        // The wait has the reply, and nobody has taken it in time.
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        let waiting = tokio::spawn(waiter.reply(woken, Instant::now() + std::time::Duration::from_mins(1)));
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        reply(&session, 1);
        let got = waiting.await.unwrap().unwrap().expect("the reply");
        assert_eq!(got.body, b"reply");
    }

    #[test]
    fn the_oldest_makes_room_if_the_manager_has_no_more() {
        let (manager, _folder) = manager(Limits { waiters_max: 2, ..Limits::default() });
        let (session, left) = (manager.session(), LeftWaits::default());
        for id in 1..=3 {
            given_up(&left, &session, id, LateReplies::DeadLetter);
        }
        assert_eq!(left.all().len(), 2);
        for id in 1..=3 {
            reply(&session, id);
        }
        assert_eq!(depths(&manager, (1, 2)), (1, 2));
    }

    #[test]
    fn waits_that_were_left_for_long_end_and_so_do_the_oldest_of_too_many() {
        let (manager, _folder) = manager(Limits::default());
        let (session, left) = (manager.session(), LeftWaits::default());
        given_up(&left, &session, 1, LateReplies::DeadLetter);
        left.forget_old(now());
        assert_eq!(left.all().len(), 1);
        left.forget_old(Moment(now().0 + LATE_MS + 1_000));
        assert_eq!(left.all().len(), 0);
        reply(&session, 1);
        assert_eq!(depths(&manager, (1, 0)), (1, 0));
        let full = LATE_MAX + 3;
        for id in 0..full {
            let mut bytes = [9; 24];
            bytes[..8].copy_from_slice(&id.to_be_bytes());
            left.leave(
                &session,
                &name(REPLIES),
                &Selection::by_correlation_id(CorrelationId(bytes)),
                LateReplies::Drop,
            );
        }
        assert_eq!(left.all().len(), LATE_MAX);
    }
}
