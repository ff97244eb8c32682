//! Dead letters and backed-out messages go back to the queues from which they came.

use std::collections::BTreeMap;
use std::sync::{Arc, mpsc};

use message::{MessageId, Moment, QueueName, Reason, Refusal, Selection};

use crate::changes::Work;
use crate::index::Cursor;
use crate::manager::{Core, Manager, Queue, Wish};

/// Messages whose units are committed together.
const BATCH: usize = 500;

/// The most messages whose reasons to stay are reported.
pub const STAYS_MAX: usize = 20;

/// The outcome of a retry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retried {
    /// The messages that went back, by their queues.
    pub moved: BTreeMap<QueueName, usize>,
    /// The number of messages that stay.
    pub stayed: usize,
    /// Why the first [`STAYS_MAX`] of them stay.
    pub stays: Vec<(MessageId, Refusal)>,
}

/// The outcome for one message.
enum One {
    /// It goes to this queue when the unit commits.
    Goes(QueueName, Work),
    Stays(MessageId, Refusal),
    /// Somebody else has it, or it has expired.
    Gone,
}

impl Manager {
    /// Moves at most `limit` matching messages of a dead-letter or backout queue to the queues from
    /// which they came, as they were there. Their backout counts begin again. A message that cannot go
    /// back stays. So do messages that arrive during the retry, such as one that fails again.
    ///
    /// # Errors
    /// `UnknownObjectName`, `QueueType`; those of the store. Messages that went back before the error
    /// are on their queues.
    pub fn retry(
        &self,
        from: &QueueName,
        selection: &Selection,
        limit: usize,
        now: Moment,
    ) -> Result<Retried, Refusal> {
        let source = self.core.held(from)?;
        let before = source.next_order();
        let (mut retried, mut after, mut seen) = (Retried::default(), None, 0);
        while seen < limit {
            let cursors = source.some_after(after, BATCH.min(limit - seen), before, selection);
            let Some(last) = cursors.last() else { break };
            (after, seen) = (Some(*last), seen + cursors.len());
            let (done, outcomes) = mpsc::channel();
            for cursor in cursors {
                match self.core.retry_one(&source, cursor, now)? {
                    One::Goes(queue, work) => {
                        let done = done.clone();
                        work.commit_then(move |outcome| {
                            let _ = done.send(outcome.map(|()| queue));
                        });
                    }
                    One::Stays(id, why) => {
                        retried.stayed += 1;
                        if retried.stays.len() < STAYS_MAX {
                            retried.stays.push((id, why));
                        }
                    }
                    One::Gone => {}
                }
            }
            drop(done);
            for outcome in outcomes {
                *retried.moved.entry(outcome?).or_default() += 1;
            }
        }
        self.core.forget_if_gone(from);
        Ok(retried)
    }
}

impl Core {
    fn retry_one(self: &Arc<Self>, source: &Arc<Queue>, at: Cursor, now: Moment) -> Result<One, Refusal> {
        let id = {
            let state = source.state();
            if !state.index.is_at(at) {
                return Ok(One::Gone);
            }
            state.index.entry(at.slot).message_id
        };
        let mut work = self.work()?;
        let mut scope = work.scope();
        let message = match self.take_at(&mut scope, source, at, now) {
            Ok(Some(message)) => message,
            Ok(None) => return Ok(One::Gone),
            Err(why) if why.reason == Reason::ObjectDamaged => return Ok(One::Stays(id, why)),
            Err(why) => return Err(why),
        };
        let goes = self.first(message).and_then(|(queue, message)| {
            let target = self.resolve(&queue, Wish::Put)?;
            if Arc::ptr_eq(source, &target) {
                return Err(Refusal::failed(Reason::ObjectInUse, "it came from this queue"));
            }
            self.enqueue(&mut scope, &target, message).map(|()| queue)
        });
        match goes {
            Ok(queue) => Ok(One::Goes(queue, work)),
            Err(why) => {
                // It goes back to its place, and no backout counts.
                work.undo();
                Ok(One::Stays(id, why))
            }
        }
    }
}

impl Queue {
    /// The places of the first matching messages behind a place, with an order below `before`.
    fn some_after(
        &self,
        mut after: Option<Cursor>,
        count: usize,
        before: u64,
        selection: &Selection,
    ) -> Vec<Cursor> {
        let state = self.state();
        let mut found = Vec::new();
        while found.len() < count {
            let Some(slot) = state.index.next(selection, after, before) else { break };
            let cursor = state.index.cursor(slot);
            found.push(cursor);
            after = Some(cursor);
        }
        found
    }
}
