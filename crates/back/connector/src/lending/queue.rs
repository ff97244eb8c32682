//! Who gets an endpoint now, who waits in the queue, and who is refused.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use tokio::sync::oneshot;

use super::{CALL_MAX, Endpoint, Grant, Lending, Pooled, Taken, Waiter, Wanted, Wish};
use crate::error::{Trouble, TroubleKind};
use crate::figures::Highest;

impl<C: Pooled> Lending<C> {
    /// Gives an endpoint now, or a place in the queue.
    pub(crate) fn take(&mut self, wanted: Wanted<'_>, now: Instant) -> Result<Taken, Trouble> {
        if self.let_back(now) {
            self.serve_queue(now);
        }
        self.refuse_stopped(wanted)?;
        // Whoever waits has found no endpoint: the queue is served each time one may have become
        // free. So only calls that wait for the same are before this one.
        if !self.waiting.has(wanted.endpoint) {
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
                false => {
                    let why = format!("the queue is full (qMaxDepth){}", self.lacks());
                    trouble(TroubleKind::QueueFull, &why)
                }
            };
        }
        let (granted, receiver) = oneshot::channel();
        let id = self.number();
        let deadline = wanted.deadline.unwrap_or(now + CALL_MAX);
        self.waiting.add(wanted.endpoint, Waiter { id, deadline, granted });
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
            let state = endpoint.state();
            let reason = endpoint.why(state).unwrap_or("no reason is known");
            format!("{}: {} {reason}", endpoint.name, state.word())
        };
        self.endpoints.iter().map(one).collect::<Vec<_>>().join("; ")
    }

    /// Whether the endpoint opens no connection for now, because there were no more sockets.
    pub(crate) fn lacks_sockets(&self, endpoint: u64) -> bool {
        self.endpoints.iter().any(|one| one.id == endpoint && one.no_sockets_until.is_some())
    }

    /// Why a well endpoint opens no connection, in brackets for the log; empty if all may.
    fn lacks(&self) -> String {
        let lacking = self.endpoints.iter().find(|endpoint| endpoint.no_sockets_until.is_some());
        let reason = lacking.and_then(|endpoint| endpoint.reason.as_deref());
        reason.map(|reason| format!(" ({reason})")).unwrap_or_default()
    }

    /// The error of a call whose time ends in the queue.
    pub(crate) fn waited_in_vain(&self, wanted: Option<&str>) -> Trouble {
        let name = &self.settings.name;
        match self.is_anybody_well(wanted) {
            true => {
                let why = format!("{name}: the time ended in the queue{}", self.lacks());
                Trouble::new(TroubleKind::TimedOutUnsent, why)
            }
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

    /// Gives endpoints to waiting calls, in their order. A line whose first call finds no endpoint does
    /// not hold up the other lines.
    pub(super) fn serve_queue(&mut self, now: Instant) {
        let mut from = 0;
        while let Some((name, oldest)) = self.waiting.next(from) {
            // A line that finds no endpoint now finds none later on. Its first call is too old to
            // be looked at again.
            from = oldest + 1;
            let name = name.map(Arc::clone);
            let wanted = name.as_deref();
            let Some(grant) = self.pick(Wanted { endpoint: wanted, ..Wanted::default() }, now) else {
                continue;
            };
            // A call that would get its reply too late makes room for one that can be answered in
            // time.
            let (late, taken) = self.waiting.take(wanted, now + self.reply_time.most());
            for late in late {
                let _ = late.granted.send(None);
            }
            // A caller that leaves takes its entry out under this lock. So the receiver still exists.
            if let Some(waiter) = taken {
                let _ = waiter.granted.send(Some(grant));
            }
        }
    }

    /// Leaves the queue. Gives back a grant that came meanwhile.
    pub(crate) fn leave(
        &mut self,
        id: u64,
        receiver: &mut oneshot::Receiver<Option<Grant>>,
    ) -> Option<Grant> {
        if self.waiting.remove(id) {
            return None;
        }
        receiver.try_recv().ok().flatten()
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::balance::Role;
    use crate::framing::Framing;
    use crate::lending::End;
    use crate::settings::tests::settings;
    use crate::settings::{EndpointSettings, GroupSettings};
    use crate::transport::NotOpened;
    use crate::view::State;

    /// A connection of these tests. They lend none.
    struct Unused;

    impl Pooled for Unused {
        fn is_bound(&self) -> bool {
            false
        }

        fn is_one_way(&self) -> bool {
            false
        }

        fn session(&self) -> Option<usize> {
            None
        }
    }

    /// A group whose endpoints take one request each. Their names are in the order of the roles: A,
    /// B and so on.
    fn group(roles: &[Role], now: Instant) -> Lending<Unused> {
        let endpoint = |(name, role): (char, &Role)| EndpointSettings {
            name: name.to_string(),
            role: *role,
            destination: "127.0.0.1:1".to_owned(),
            start_sockets: 0,
            max_sockets: 1,
            weight: 1.0,
        };
        let endpoints = ('A'..).zip(roles).map(endpoint).collect();
        let settings = settings(endpoints);
        Lending::new(Arc::new(settings), now)
    }

    /// A call for the endpoint of this name, or for any.
    fn call(group: &mut Lending<Unused>, endpoint: Option<&str>, now: Instant) -> Taken {
        group.take(Wanted { endpoint, ..Wanted::default() }, now).expect("it is not refused")
    }

    fn granted(taken: Taken) -> Grant {
        match taken {
            Taken::Now(grant) => grant,
            Taken::Waiting(..) => panic!("it waits"),
        }
    }

    type Place = (u64, oneshot::Receiver<Option<Grant>>);

    fn waiting(taken: Taken) -> Place {
        match taken {
            Taken::Waiting(id, receiver) => (id, receiver),
            Taken::Now(grant) => panic!("it has {}", grant.name),
        }
    }

    /// The grant of a waiting call, if it has come.
    fn got((_, receiver): &mut Place) -> Option<Grant> {
        receiver.try_recv().ok().flatten()
    }

    fn free(group: &mut Lending<Unused>, grant: &Grant, now: Instant) {
        group.end(grant, End::Unused, None, thread::current().id(), now);
    }

    #[test]
    fn a_call_that_waits_for_one_endpoint_holds_up_no_call_for_another() {
        let now = Instant::now();
        let mut group = group(&[Role::Primary, Role::Primary, Role::Primary], now);
        let busy = granted(call(&mut group, Some("A"), now));
        let mut first = waiting(call(&mut group, Some("A"), now));
        let any = granted(call(&mut group, None, now));
        let other = if &*any.name == "B" { "C" } else { "B" };
        assert_eq!(&*granted(call(&mut group, Some(other), now)).name, other);
        // Calls for the same endpoint keep their order.
        let mut second = waiting(call(&mut group, Some("A"), now));
        free(&mut group, &busy, now);
        let next = got(&mut first).expect("it is the first");
        assert!(got(&mut second).is_none());
        free(&mut group, &next, now);
        assert_eq!(&*got(&mut second).expect("it is next").name, "A");
        assert_eq!(group.waiting.len(), 0);
    }

    #[test]
    fn a_call_for_a_backup_does_not_wait_behind_calls_for_any() {
        let now = Instant::now();
        let mut group = group(&[Role::Primary, Role::Backup], now);
        let primary = granted(call(&mut group, None, now));
        let mut any = waiting(call(&mut group, None, now));
        let backup = granted(call(&mut group, Some("B"), now));
        let mut named = waiting(call(&mut group, Some("B"), now));
        free(&mut group, &backup, now);
        assert_eq!(&*got(&mut named).expect("it passes").name, "B");
        assert!(got(&mut any).is_none(), "a backup serves only if it is named");
        free(&mut group, &primary, now);
        assert_eq!(&*got(&mut any).expect("it is next").name, "A");
    }

    #[test]
    fn the_oldest_call_gets_an_endpoint_whether_it_names_it_or_not() {
        let now = Instant::now();
        for is_named_first in [true, false] {
            let mut group = group(&[Role::Primary], now);
            let busy = granted(call(&mut group, None, now));
            let mut both = [is_named_first, !is_named_first]
                .map(|is_named| waiting(call(&mut group, is_named.then_some("A"), now)));
            free(&mut group, &busy, now);
            assert!(got(&mut both[0]).is_some(), "{is_named_first}");
            assert!(got(&mut both[1]).is_none(), "{is_named_first}");
        }
    }

    #[test]
    fn callers_who_leave_and_endpoints_that_stop_leave_no_place_behind() {
        let now = Instant::now();
        let mut group = group(&[Role::Primary, Role::Primary], now);
        let busy = ["A", "B"].map(|name| granted(call(&mut group, Some(name), now)));
        let (id, mut receiver) = waiting(call(&mut group, Some("A"), now));
        let mut any = waiting(call(&mut group, None, now));
        let mut stopped = waiting(call(&mut group, Some("B"), now));
        let full = group.take(Wanted::default(), now).expect_err("the queue is full");
        assert_eq!(full.kind, TroubleKind::QueueFull);
        assert!(group.leave(id, &mut receiver).is_none());
        group.set_wish("B", Wish::Stop, now);
        assert!(matches!(stopped.1.try_recv(), Err(oneshot::error::TryRecvError::Closed)));
        assert_eq!(group.waiting.len(), 1);
        free(&mut group, &busy[0], now);
        assert!(got(&mut any).is_some());
        assert_eq!(group.waiting.len(), 0);
    }

    #[test]
    fn who_waits_gets_an_endpoint_that_comes_back_before_a_later_call() {
        let now = Instant::now();
        let mut group = group(&[Role::Primary], now);
        let failed = granted(call(&mut group, None, now));
        group.end(&failed, End::TimedOut, None, thread::current().id(), now);
        let mut first = waiting(call(&mut group, None, now));
        let later = now + Duration::from_secs(2);
        let mut second = waiting(call(&mut group, Some("A"), later));
        assert!(got(&mut first).is_some());
        assert!(got(&mut second).is_none());
    }

    #[test]
    fn an_endpoint_without_more_sockets_stays_well_and_its_calls_wait() {
        let (now, here) = (Instant::now(), thread::current().id());
        let mut group = group(&[Role::Primary], now);
        group.endpoints[0].settings.max_sockets = 3;
        let mut first = granted(call(&mut group, None, now));
        assert!(group.idle(&mut first, false, here).is_none());
        let second = granted(call(&mut group, None, now));
        group.end(&second, End::NoSockets("no more sockets".to_owned()), None, here, now);
        let (view, lacks) = (group.view(now, |_| sockets::Wire::default()), group.lacks());
        assert_eq!((view.endpoints[0].state, view.endpoints[0].errors), (State::Active, 0));
        assert_eq!(
            (view.endpoints[0].reason.as_deref(), &*lacks),
            (Some("no more sockets"), " (no more sockets)")
        );
        let mut waits = [None, None].map(|name| waiting(call(&mut group, name, now)));
        // The connection that becomes idle serves one of them, and the trial after the pause the next.
        assert!(group.end(&first, End::Replied, Some(Unused), here, now).is_none());
        assert!(got(&mut waits[0]).is_some());
        assert!(got(&mut waits[1]).is_none());
        let (chores, _, due) = group.chores(now);
        assert!(chores.is_empty() && due.is_some_and(|due| due < now + Duration::from_secs(1)));
        group.chores(now + Duration::from_secs(1));
        assert!(got(&mut waits[1]).is_some());
    }

    #[test]
    fn connections_of_older_settings_do_not_come_back() {
        let (now, here) = (Instant::now(), thread::current().id());
        let mut group = group(&[Role::Primary], now);
        let grant = granted(call(&mut group, None, now));
        let Settings { first, other } = Settings::of(&group);
        assert!(group.end(&grant, End::Replied, Some(Unused), here, now).is_none());
        // The keeper asks whether it is alive, and opens another meanwhile.
        let (kept, silent) = group.silent(Duration::ZERO, now).pop().expect("an idle one");
        let mut started = first;
        started.endpoints[0].start_sockets = 1;
        group.apply(Arc::new(started), &|_| Wish::Start, now);
        let chore = group.chores(now).0.pop().expect("a chore");
        group.apply(Arc::new(other), &|_| Wish::Start, now);
        assert!(group.opened(kept, silent, here, now).is_some());
        assert!(group.opened(chore.kept, Unused, here, now).is_some());
        // A failure with older settings, for example another certificate, is none of the endpoint.
        group.kept(chore.kept, Some(&NotOpened::Failed("refused".to_owned())), now);
        let mut late = granted(call(&mut group, None, now));
        assert!(group.idle(&mut late, false, here).is_none());
        assert!(group.end(&grant, End::NotConnected("refused".to_owned()), None, here, now).is_none());
        assert!(group.is_down(&late).is_none(), "the other request had the older settings");
    }

    #[test]
    fn a_grant_follows_the_settings_until_it_has_a_connection() {
        let (now, here) = (Instant::now(), thread::current().id());
        let mut group = group(&[Role::Primary], now);
        let mut grant = granted(call(&mut group, None, now));
        let other = Settings::of(&group).other;
        group.apply(Arc::new(other.clone()), &|_| Wish::Start, now);
        assert!(group.idle(&mut grant, false, here).is_none());
        assert_eq!(*grant.settings, other);
        assert!(group.end(&grant, End::Replied, Some(Unused), here, now).is_none(), "it is kept");
    }

    /// The settings of a group, and others with another framing.
    struct Settings {
        first: GroupSettings,
        other: GroupSettings,
    }

    impl Settings {
        fn of(group: &Lending<Unused>) -> Self {
            let first = GroupSettings::clone(&group.settings);
            Self { other: GroupSettings { framing: Framing::Gantry, ..first.clone() }, first }
        }
    }
}
