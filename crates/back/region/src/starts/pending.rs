//! Tasks that wait for their time, as operators see them, and the way to cancel one, as CANCEL does in a program.

use std::time::SystemTime;

use tokio::time::Instant;
use wire::{Interface, Name, Start};

use super::{Begins, Entry};
use crate::region::Region;

/// A START whose task has not begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingStart {
    /// REQID: the name by which CANCEL knows it. Several STARTs without data may have the same.
    pub request: Name<8>,
    /// The transaction.
    pub transaction: Name<4>,
    /// The user that its task will run under.
    pub user: Option<Name<8>>,
    /// When its time comes, or came: then it waits for a place.
    pub due: SystemTime,
    /// True if its time has come.
    pub is_due: bool,
    /// The bytes of FROM.
    pub data_bytes: Option<usize>,
    /// The bytes of the containers of its channel.
    pub channel_bytes: Option<usize>,
    /// RTERMID.
    pub return_terminal: Option<Name<4>>,
    /// It outlives the process.
    pub protected: bool,
}

impl Begins {
    pub(super) fn of(start: &Start, at: Instant) -> Self {
        let channel_bytes = match &start.interface {
            Interface::Channel { containers, .. } => {
                Some(containers.iter().map(|container| container.bytes.len()).sum())
            }
            _ => None,
        };
        Self {
            transaction: start.transaction,
            user: start.user,
            at,
            data_bytes: start.data.data.as_ref().map(Vec::len),
            channel_bytes,
            return_terminal: start.data.return_terminal,
        }
    }
}

impl Entry {
    /// The entry as operators see it; none for a DELAY.
    fn pending(&self, (now, moment): (SystemTime, Instant)) -> Option<PendingStart> {
        let Begins { transaction, user, at, data_bytes, channel_bytes, return_terminal } =
            self.entered.begins?;
        let due = match at.checked_duration_since(moment) {
            Some(left) => now + left,
            None => now - moment.duration_since(at),
        };
        Some(PendingStart {
            request: self.entered.request,
            transaction,
            user,
            due,
            is_due: at <= moment,
            data_bytes,
            channel_bytes,
            return_terminal,
            protected: self.entered.kept.is_some(),
        })
    }
}

impl Region {
    /// The STARTs whose tasks have not begun, in the order of their times. STARTs of units of work that have
    /// not committed are not among them.
    pub fn pending_starts(&self) -> Vec<PendingStart> {
        let now = (SystemTime::now(), Instant::now());
        let waiting = self.resources().starts.waiting();
        let mut pending: Vec<_> =
            waiting.all.iter().filter_map(|(id, entry)| Some((*id, entry.pending(now)?))).collect();
        drop(waiting);
        pending.sort_by_key(|(id, start)| (start.due, *id));
        pending.into_iter().map(|(_, start)| start).collect()
    }

    /// The number of tasks without a waiting caller that run, or wait only for a place: started tasks,
    /// children, and tasks of triggers. A START whose time has not come does not count.
    pub fn unattended_tasks(&self) -> usize {
        let due = self.pending_starts().iter().filter(|start| start.is_due).count();
        // Read last, because a task counts here before it leaves the waiting tasks.
        due + self.resources().starts.unattended.count()
    }

    /// Cancels the first START of a name whose task has not begun, as CANCEL does. None if no START has the
    /// name. A DELAY of that name goes on.
    ///
    /// # Errors
    /// The store keeps its record, so it begins at its time. The reason.
    pub async fn cancel_start(&self, request: Name<8>) -> Result<Option<PendingStart>, String> {
        let now = (SystemTime::now(), Instant::now());
        let cancelled = {
            let mut waiting = self.resources().starts.waiting();
            let named = waiting.all.iter().filter(|(_, entry)| entry.entered.request == request);
            let first =
                named.filter_map(|(id, entry)| Some((*id, entry.pending(now)?))).min_by_key(|(id, _)| *id);
            first.and_then(|(id, start)| Some((start, waiting.leave(id)?.kept)))
        };
        let Some((start, kept)) = cancelled else { return Ok(None) };
        if let Some(kept) = kept {
            kept.cancel(self.resources()).await.map_err(|trouble| trouble.message)?;
        }
        Ok(Some(start))
    }
}
