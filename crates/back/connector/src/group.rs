//! A group: the path of a call from its beginning to its end.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::{Notify, oneshot};

use crate::error::{Trouble, TroubleKind};
use crate::lending::{CALL_MAX, End, Grant, Lending, Taken, Wanted, Wish};
use crate::link::Link;
use crate::settings::GroupSettings;
use crate::transport::{Connection, Exchange, Fault, NotOpened, Place, Progress};
use crate::view::GroupView;

/// A group that runs.
#[derive(Debug)]
pub struct Group {
    lending: Mutex<Lending<Link>>,
    /// Wakes the keeper when there may be work.
    pub(crate) woken: Notify,
}

/// The terms of a call, beside its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Call<'c> {
    /// The endpoint that must get it; none for any.
    pub endpoint: Option<&'c str>,
    /// When the caller stops waiting. It covers the queue, connecting and the wire.
    pub deadline: Instant,
    /// True if the server may carry out the request twice without harm.
    pub is_idempotent: bool,
    /// True if there is no reply. The call then ends when TCP has taken the request.
    pub is_one_way: bool,
}

/// The state of a call.
#[derive(Clone, Debug, Default)]
struct Standing {
    progress: Progress,
    /// True if any attempt has sent the request.
    was_sent: bool,
    /// True if the call waits for an endpoint.
    waits: bool,
    endpoint: Option<Arc<str>>,
}

/// The failure of an attempt.
struct Attempt {
    trouble: Trouble,
    /// True if another endpoint may be tried.
    again: bool,
}

impl Group {
    /// Makes a group. It connects only when a call or the keeper needs a connection.
    #[must_use]
    pub fn new(settings: GroupSettings) -> Arc<Self> {
        let lending = Mutex::new(Lending::new(Arc::new(settings), Instant::now()));
        Arc::new(Self { lending, woken: Notify::new() })
    }

    pub(crate) fn lending(&self) -> MutexGuard<'_, Lending<Link>> {
        self.lending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over new settings and loses no request. New endpoints begin with the operators' wish.
    pub(crate) fn apply(&self, settings: GroupSettings, wish: &dyn Fn(&str) -> Wish) {
        let closed = self.lending().apply(Arc::new(settings), wish, Instant::now());
        drop(closed);
        self.woken.notify_one();
    }

    /// Starts or stops the group.
    pub(crate) fn set_stopped(&self, is_stopped: bool) {
        let closed = self.lending().set_stopped(is_stopped, Instant::now());
        drop(closed);
        self.woken.notify_one();
    }

    /// Sets an operator's wish for an endpoint; false if the endpoint does not exist.
    pub(crate) fn set_wish(&self, endpoint: &str, wish: Wish) -> bool {
        let closed = self.lending().set_wish(endpoint, wish, Instant::now());
        self.woken.notify_one();
        closed.is_some()
    }

    /// The state of the group now.
    #[must_use]
    pub fn view(&self) -> GroupView {
        self.lending().view(Instant::now(), Link::wire)
    }

    /// Resets all figures.
    pub fn clear(&self) {
        self.lending().clear(Instant::now(), Link::wire);
    }

    /// Sends a request and gives its reply, in the same buffer or another. The call ends at the
    /// deadline at the latest. The error then says whether the request was sent.
    ///
    /// # Errors
    /// There is no reply.
    pub async fn send(self: &Arc<Self>, mut request: Vec<u8>, call: Call<'_>) -> Result<Vec<u8>, Trouble> {
        let mut standing = Standing::default();
        let ended = {
            // Pinned here, because the future is large and the timeout would move it.
            let attempts = pin!(self.attempts(&mut request, call, &mut standing));
            tokio::time::timeout_at(call.deadline.into(), attempts).await
        };
        ended.unwrap_or_else(|_| Err(self.late(&standing, call)))
    }

    /// The error of a call whose time has ended.
    fn late(&self, standing: &Standing, call: Call<'_>) -> Trouble {
        let endpoint = standing.endpoint.as_deref().unwrap_or("no endpoint");
        match standing.was_sent || standing.progress.is_sent {
            true => Trouble::new(
                TroubleKind::TimedOutSent,
                format!("{endpoint}: no reply in time; the request was sent"),
            ),
            false if standing.waits => self.lending().waited_in_vain(call.endpoint),
            false => Trouble::new(
                TroubleKind::TimedOutUnsent,
                format!("{endpoint}: the time ended before the request was sent"),
            ),
        }
    }

    /// Tries endpoints until one replies or no further attempt is allowed.
    async fn attempts(
        self: &Arc<Self>,
        request: &mut Vec<u8>,
        call: Call<'_>,
        standing: &mut Standing,
    ) -> Result<Vec<u8>, Trouble> {
        let mut tried = Vec::new();
        self.lending().begin(Instant::now())?;
        // The trouble of an attempt that was sent. Later attempts do not change it.
        let mut sent = None;
        loop {
            standing.waits = true;
            let deadline = Some(call.deadline);
            let wanted = Wanted { endpoint: call.endpoint, tried: &tried, deadline };
            let grant = self.take(wanted).await.map_err(|trouble| sent.take().unwrap_or(trouble))?;
            standing.waits = false;
            standing.progress = Progress::default();
            standing.endpoint = Some(Arc::clone(&grant.grant.name));
            let endpoint = grant.grant.endpoint;
            let result = self.attempt(request, call, grant, standing).await;
            standing.was_sent |= standing.progress.is_sent;
            match result {
                Ok(reply) => return Ok(reply),
                Err(Attempt { trouble, again }) => {
                    // Without more sockets it counts as full, not as tried.
                    if !self.lending().lacks_sockets(endpoint) {
                        tried.push(endpoint);
                    }
                    let is_sent = standing.progress.is_sent;
                    // The server may have carried the request out, so it does not get it again.
                    if !again || (is_sent && !self.may_send_again(call, &tried)) {
                        return Err(if is_sent { trouble } else { sent.unwrap_or(trouble) });
                    }
                    if is_sent {
                        sent = Some(trouble);
                    }
                }
            }
        }
    }

    /// Whether a request that was sent may be sent to another endpoint.
    fn may_send_again(&self, call: Call<'_>, tried: &[u64]) -> bool {
        let mut lending = self.lending();
        call.is_idempotent && call.endpoint.is_none() && lending.has_other(tried) && lending.spend()
    }

    /// Gives an endpoint, at once or when it is this call's turn.
    async fn take(self: &Arc<Self>, wanted: Wanted<'_>) -> Result<Lease, Trouble> {
        let taken = self.lending().take(wanted, Instant::now())?;
        let grant = match taken {
            Taken::Now(grant) => grant,
            Taken::Waiting(id, receiver) => {
                let mut place = QueuePlace { group: self, id, receiver };
                match (&mut place.receiver).await {
                    Ok(Some(grant)) => grant,
                    // No grant comes: wait for the deadline.
                    Ok(None) => std::future::pending().await,
                    Err(_) => {
                        let message =
                            format!("{}: stopped while the request waited", self.lending().settings.name);
                        return Err(Trouble::new(TroubleKind::Stopped, message));
                    }
                }
            }
        };
        let until = Instant::now();
        let group = Arc::clone(self);
        Ok(Lease { group, grant, link: None, is_new: false, end: Some(End::Unused), until })
    }

    /// Sends the request to one endpoint.
    async fn attempt(
        &self,
        request: &mut Vec<u8>,
        call: Call<'_>,
        mut lease: Lease,
        standing: &mut Standing,
    ) -> Result<Vec<u8>, Attempt> {
        // This applies if the time ends while it connects.
        (lease.end, lease.until) = (Some(End::ConnectedLate), call.deadline);
        if let Err((end, reason)) = lease.connect(call.is_one_way).await {
            let message = format!("{}: {reason}", lease.grant.name);
            lease.end = Some(end);
            return Err(Attempt { trouble: Trouble::new(TroubleKind::NobodyWell, message), again: true });
        }
        lease.end = Some(End::Unused);
        let settings = Arc::clone(&lease.grant.settings);
        let now = Instant::now();
        if now >= call.deadline {
            // The task ran late. Do not send a request that nobody waits for.
            let message = format!("{}: the time ended before the request was sent", lease.grant.name);
            return Err(Attempt {
                trouble: Trouble::new(TroubleKind::TimedOutUnsent, message),
                again: false,
            });
        }
        // This also applies if the caller leaves.
        lease.end = Some(End::TimedOut);
        let time = settings.sync_timeout.unwrap_or(Duration::MAX);
        lease.until = call.deadline.min(now.checked_add(time).unwrap_or(call.deadline));
        let is_kept = call.is_idempotent;
        let exchange = Exchange { settings: &settings, request, is_kept, is_one_way: call.is_one_way };
        let link = lease.link.as_mut().ok_or_else(|| Attempt::lost(&lease.grant))?;
        let ended = {
            let exchanged = pin!(link.exchange(exchange, &mut standing.progress));
            match settings.sync_timeout {
                Some(time) => tokio::time::timeout(time, exchanged).await,
                None => Ok(exchanged.await),
            }
        };
        match ended {
            Ok(Ok(reply)) => {
                lease.end = Some(End::Replied);
                Ok(reply)
            }
            Ok(Err(fault)) => Err(self.failed(&mut lease, fault, call, standing.progress)),
            Err(_) => {
                let ms = settings.sync_timeout.unwrap_or_default().as_millis();
                let message = format!("{}: no reply within {ms} ms (syncTimeout)", lease.grant.name);
                let (kind, again) = match standing.progress.is_sent {
                    true => (TroubleKind::TimedOutSent, call.is_idempotent),
                    false => (TroubleKind::TimedOutUnsent, true),
                };
                Err(Attempt { trouble: Trouble::new(kind, message), again })
            }
        }
    }

    /// Decides what a fault of a connection means for the call and for the endpoint.
    fn failed(&self, lease: &mut Lease, fault: Fault, call: Call<'_>, progress: Progress) -> Attempt {
        let name = Arc::clone(&lease.grant.name);
        let told = |kind, message: &str| Trouble::new(kind, format!("{name}: {message}"));
        match fault {
            Fault::Unframeable(message) => {
                // Nothing was written, so the connection is still good.
                lease.end = Some(End::Unused);
                Attempt { trouble: told(TroubleKind::Unframeable, &message), again: false }
            }
            Fault::Retired => {
                let message = fault.text();
                // A server that lets no first request through is not well.
                let is_one_way = lease.link.as_ref().is_some_and(Link::takes_one_way_only);
                let is_failed = lease.is_new && !is_one_way;
                lease.end = Some(if is_failed { End::Broke(message.to_owned()) } else { End::Unused });
                Attempt { trouble: told(TroubleKind::NobodyWell, message), again: true }
            }
            Fault::Broken(message) => {
                lease.end = Some(End::Broke(message.clone()));
                let again = !progress.is_sent || call.is_idempotent;
                Attempt { trouble: told(TroubleKind::Broken, &message), again }
            }
            Fault::BadReply(message) => {
                lease.end = Some(End::Broke(message.clone()));
                // It was another request's reply, if this request was not sent.
                Attempt { trouble: told(TroubleKind::BadReply, &message), again: !progress.is_sent }
            }
        }
    }
}

impl Attempt {
    fn lost(grant: &Grant) -> Self {
        let message = format!("{}: the connection is gone", grant.name);
        Self { trouble: Trouble::new(TroubleKind::NobodyWell, message), again: true }
    }
}

/// A place in the queue. Dropping it leaves the queue.
struct QueuePlace<'g> {
    group: &'g Arc<Group>,
    id: u64,
    receiver: oneshot::Receiver<Option<Grant>>,
}

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        let mut lending = self.group.lending();
        if let Some(grant) = lending.leave(self.id, &mut self.receiver) {
            // The grant came after the caller had gone.
            lending.end(&grant, End::Unused, None, thread::current().id(), Instant::now());
        }
    }
}

/// An endpoint, lent to one request. Its drop reports to the endpoint how the request ended.
struct Lease {
    group: Arc<Group>,
    grant: Grant,
    /// The connection or lane of the request.
    link: Option<Link>,
    /// True if the connection was opened for this request.
    is_new: bool,
    end: Option<End>,
    /// When the attempt's time ends.
    until: Instant,
}

impl Lease {
    /// Finds an idle connection that is alive, or opens one.
    ///
    /// # Errors
    /// There is no connection: what that means for the endpoint, and the reason.
    async fn connect(&mut self, is_one_way: bool) -> Result<(), (End, String)> {
        if self.connect_idle(is_one_way) {
            return Ok(());
        }
        let totals = Arc::clone(&self.grant.totals);
        loop {
            let mut changed = pin!(totals.changed.notified());
            changed.as_mut().enable();
            let shares = self.grant.settings.shares();
            // One may have become idle since the last look.
            if shares && self.connect_idle(is_one_way) {
                return Ok(());
            }
            // Whoever opened a connection for all has failed. Not everybody has to try the same.
            if let Some(reason) = self.group.lending().is_down(&self.grant) {
                return Err((End::Unused, reason));
            }
            let most = if shares { self.grant.max_sockets } else { usize::MAX };
            match totals.place(most) {
                Some(place) => {
                    return self.open(place).await.map_err(|error| match error {
                        NotOpened::Failed(reason) => (End::NotConnected(reason.clone()), reason),
                        NotOpened::NoSockets(reason) => (End::NoSockets(reason.clone()), reason),
                    });
                }
                // Others are opening connections, with lanes for all callers that wait.
                None => changed.await,
            }
        }
    }

    fn connect_idle(&mut self, is_one_way: bool) -> bool {
        loop {
            let here = thread::current().id();
            let idle = self.group.lending().idle(&mut self.grant, is_one_way, here);
            let Some((mut link, is_own)) = idle else { return false };
            if link.takes_one_way_only() && !is_one_way {
                link.give_up();
                continue;
            }
            if link.is_alive()
                && let Ok(ready) = link.ready(&self.grant.settings, is_own)
            {
                self.have(ready);
                return true;
            }
        }
    }

    async fn open(&mut self, place: Place) -> Result<(), NotOpened> {
        let settings = Arc::clone(&self.grant.settings);
        let (destination, totals) = (&self.grant.destination, &self.grant.totals);
        let connection = Connection::open(destination, totals, place, &settings).await?;
        let link = Link::new(connection, &settings);
        self.have(link.ready(&settings, true).map_err(|error| NotOpened::Failed(error.to_string()))?);
        self.is_new = true;
        Ok(())
    }

    /// Takes a link, and lends the other lanes of its connection.
    fn have(&mut self, (link, spare): (Link, Vec<Link>)) {
        if !spare.is_empty() {
            let closed = self.group.lending().spare(&self.grant, spare, link.owner(), Instant::now());
            drop(closed);
            self.grant.totals.changed.notify_waiters();
        }
        self.link = Some(link);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let now = Instant::now();
        let end = match self.end.take() {
            // The caller has gone. That is not the server's fault.
            Some(End::TimedOut | End::ConnectedLate) if now < self.until => End::Unused,
            end => end.unwrap_or(End::Unused),
        };
        let is_trouble = !matches!(end, End::Replied | End::Unused);
        if let (End::Replied, Some(link)) = (&end, &self.link) {
            link.watch(now);
        }
        let link = self.link.take().filter(Link::is_reusable);
        let is_lane = matches!(link, Some(Link::Lane(_)));
        let owner = link.as_ref().map_or_else(|| thread::current().id(), Link::owner);
        let closed = self.group.lending().end(&self.grant, end, link, owner, now);
        // Close the connection outside of the lock.
        drop(closed);
        if is_lane {
            self.grant.totals.changed.notify_waiters();
        }
        if is_trouble {
            self.group.woken.notify_one();
        }
    }
}

/// The deadline of a call that has `time_left`.
pub(crate) fn deadline(time_left: Duration) -> Instant {
    Instant::now() + time_left.min(CALL_MAX)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;
    use crate::balance::Role;
    use crate::settings::tests::settings;
    use crate::settings::{EjectionSettings, EndpointSettings};

    #[tokio::test]
    async fn a_connection_that_retires_behind_the_look_is_no_failure_of_its_endpoint() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let endpoint = EndpointSettings {
            name: "ONE".to_owned(),
            role: Role::Primary,
            destination: address,
            start_sockets: 0,
            max_sockets: 1,
            weight: 1.0,
        };
        let ejection = EjectionSettings { failures: 0, percent_max: 0, time: Duration::ZERO };
        let settings = GroupSettings { in_flight_max: 2, ejection, ..settings(vec![endpoint]) };
        let group = Group::new(settings);
        let deadline = deadline(Duration::from_secs(60));
        let call = Call { endpoint: None, deadline, is_idempotent: false, is_one_way: false };
        for is_new in [true, false] {
            let mut lease = group.take(Wanted::default()).await.expect("an endpoint");
            lease.connect(false).await.expect("a connection");
            lease.is_new = is_new;
            let Some(Link::Lane(lane)) = &mut lease.link else { panic!("it is shared") };
            lane.retire();
            let (mut request, mut progress) = (b"request".to_vec(), Progress::default());
            let settings = Arc::clone(&lease.grant.settings);
            let exchange =
                Exchange { settings: &settings, request: &mut request, is_kept: false, is_one_way: false };
            let fault = lane.exchange(exchange, &mut progress).await.expect_err("it takes no request");
            let failed = group.failed(&mut lease, fault, call, progress);
            assert!(failed.again && !progress.is_sent);
            assert_eq!(request, b"request");
            drop(lease);
            // A server that lets not even the first request of a connection through is not well.
            let errors = group.view().endpoints[0].errors;
            assert_eq!(errors, 1, "{is_new}");
        }
    }
}
