//! Who gets an endpoint now, who waits in the queue, and who is refused.

use std::time::{Instant, SystemTime};

use tokio::sync::oneshot;

use super::{Endpoint, Grant, LONGEST, Lending, Pooled, Taken, Waiter, Wanted, Wish};
use crate::error::{Trouble, TroubleKind};
use crate::figures::Highest;

/// The search for a call that can be answered in time stops after this many.
const LOOK_MAX: usize = 64;

impl<C: Pooled> Lending<C> {
    /// Gives an endpoint now, or a place in the queue.
    pub(crate) fn take(&mut self, wanted: Wanted<'_>, now: Instant) -> Result<Taken, Trouble> {
        self.let_back(now);
        self.refuse_stopped(wanted)?;
        if self.waiting.is_empty() {
            // An endpoint that was tried is better than none.
            let untried = self.pick(wanted, now);
            let any = untried.or_else(|| self.pick(Wanted { tried: &[], ..wanted }, now));
            if let Some(grant) = any {
                return Ok(Taken::Now(grant));
            }
        }
        let trouble = |kind, why: &str| Err(Trouble::new(kind, format!("{}: {why}", self.settings.name)));
        let nobody = !self.is_anybody_well(wanted.endpoint);
        let reason = || format!("no endpoint is well ({})", self.reasons());
        if nobody && self.settings.fail_fast {
            return trouble(TroubleKind::NobodyWell, &reason());
        }
        if self.waiting.len() >= self.settings.queue_max {
            return match nobody {
                true => trouble(TroubleKind::NobodyWell, &reason()),
                false => trouble(TroubleKind::QueueFull, "the queue is full (qMaxDepth)"),
            };
        }
        let (granted, receiver) = oneshot::channel();
        let id = self.number();
        let deadline = wanted.deadline.unwrap_or(now + LONGEST);
        self.waiting.push_back(Waiter { id, wanted: wanted.endpoint.map(Into::into), deadline, granted });
        self.watch_queue();
        Ok(Taken::Waiting(id, receiver))
    }

    pub(super) fn refuse_stopped(&self, wanted: Wanted<'_>) -> Result<(), Trouble> {
        let stopped = |why: String| Err(Trouble::new(TroubleKind::Stopped, why));
        let name = &self.settings.name;
        if self.is_stopped {
            return stopped(format!("{name} is stopped"));
        }
        let mut meant = self.endpoints.iter().filter(|endpoint| !endpoint.is_removed);
        match wanted.endpoint {
            Some(wanted) => match meant.find(|endpoint| &*endpoint.name == wanted) {
                None => stopped(format!("{name} has no endpoint '{wanted}'")),
                Some(endpoint) if endpoint.wish != Wish::Start => {
                    stopped(format!("{name}: the endpoint {wanted} is stopped"))
                }
                Some(_) => Ok(()),
            },
            None if meant.all(|endpoint| endpoint.wish != Wish::Start) => {
                stopped(format!("all endpoints of {name} are stopped"))
            }
            None => Ok(()),
        }
    }

    pub(super) fn is_anybody_well(&self, wanted: Option<&str>) -> bool {
        let meant = |endpoint: &Endpoint<C>| wanted.is_none_or(|name| &*endpoint.name == name);
        self.endpoints.iter().any(|endpoint| endpoint.serves() && meant(endpoint))
    }

    /// Whether an endpoint serves that is not in `tried`.
    pub(crate) fn has_other(&self, tried: &[u64]) -> bool {
        self.endpoints.iter().any(|endpoint| endpoint.serves() && !tried.contains(&endpoint.id))
    }

    /// The reasons why endpoints do not serve, for the log.
    pub(super) fn reasons(&self) -> String {
        let one = |endpoint: &Endpoint<C>| {
            let reason = endpoint.reason.as_deref().unwrap_or("no reason is known");
            format!("{}: {} {reason}", endpoint.name, endpoint.state().word())
        };
        self.endpoints.iter().map(one).collect::<Vec<_>>().join("; ")
    }

    /// The error of a call whose time ends in the queue.
    pub(crate) fn waited_in_vain(&self, wanted: Option<&str>) -> Trouble {
        let name = &self.settings.name;
        match self.is_anybody_well(wanted) {
            true => Trouble::new(TroubleKind::TimedOutUnsent, format!("{name}: the time ended in the queue")),
            false => {
                let why = format!("{name}: no endpoint is well ({})", self.reasons());
                Trouble::new(TroubleKind::NobodyWell, why)
            }
        }
    }

    /// Notes how many calls wait. Warns once each time the number passes the threshold.
    pub(super) fn watch_queue(&mut self) {
        let waiting = self.waiting.len();
        if waiting as f64 > self.queue_highest.value {
            self.queue_highest = Highest { value: waiting as f64, at: Some(SystemTime::now()) };
        }
        let threshold = self.settings.queue_max * self.settings.queue_threshold_percent as usize / 100;
        match waiting >= threshold.max(1) {
            true if !self.is_warned => {
                self.is_warned = true;
                let (group, queue_max) = (&self.settings.name, self.settings.queue_max);
                tracing::warn!(group, waiting, queue_max, "the queue of an endpoint group is filling up");
            }
            false if waiting < threshold / 2 => self.is_warned = false,
            _ => {}
        }
    }

    /// Gives endpoints to waiting calls, in their order.
    pub(super) fn serve_queue(&mut self, now: Instant) {
        let mut at = 0;
        while at < self.waiting.len() {
            // A call that would get its reply too late makes room for one that can be answered in
            // time.
            for _ in at..self.in_time(at, now) {
                if let Some(late) = self.waiting.remove(at) {
                    let _ = late.granted.send(None);
                }
            }
            let wanted = self.waiting[at].wanted.clone();
            let grant = self.pick(Wanted { endpoint: wanted.as_deref(), ..Wanted::default() }, now);
            match grant {
                Some(grant) => {
                    let Some(waiter) = self.waiting.remove(at) else { return };
                    // A caller that leaves takes its entry out under this lock. So the receiver
                    // still exists.
                    let _ = waiter.granted.send(Some(grant));
                }
                // Calls behind it may want an endpoint that has room.
                None if wanted.is_some() => at += 1,
                None => break,
            }
        }
    }

    /// Searches from `from` for the first call with time enough for a reply. Gives `from` itself if
    /// it finds none.
    pub(super) fn in_time(&self, from: usize, now: Instant) -> usize {
        let needed = now + self.reply_time.most();
        let found = self.waiting.iter().skip(from).take(LOOK_MAX).position(|one| one.deadline >= needed);
        from + found.unwrap_or(0)
    }

    /// Leaves the queue. Gives back a grant that came meanwhile.
    pub(crate) fn leave(
        &mut self,
        id: u64,
        receiver: &mut oneshot::Receiver<Option<Grant>>,
    ) -> Option<Grant> {
        if let Some(at) = self.waiting.iter().position(|waiter| waiter.id == id) {
            self.waiting.remove(at);
            return None;
        }
        receiver.try_recv().ok().flatten()
    }
}
