//! The state of a group: its endpoints and the calls that wait. It decides which call gets which
//! endpoint, and what happens to connections.
//!
//! One short lock of the group guards it all. The code opens and closes no connection, and never
//! waits.
//!
//! `queue` decides who gets an endpoint and who waits. `lines` holds those who wait. `choice` picks
//! the endpoint. `endpoint` handles failures. `keeping` says which connections to open and close
//! beside calls. `shown` has the view of operators.

mod choice;
mod endpoint;
mod keeping;
mod lines;
mod queue;
mod shown;

use std::sync::Arc;
use std::thread::ThreadId;
use std::time::{Duration, Instant, SystemTime};

use security::{Caller, Limiter, LimiterSettings};
use tokio::sync::oneshot;

use self::lines::Lines;
use crate::balance::{Candidate, average};
use crate::error::{Trouble, TroubleKind};
use crate::figures::{Figures, Highest};
use crate::reply_time::ReplyTime;
use crate::room::Room;
use crate::settings::{EndpointSettings, GroupSettings};
use crate::transport::WireTotals;

/// The right to send one request to an endpoint.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    /// The number of the endpoint. No number is given twice.
    pub(crate) endpoint: u64,
    lease: u64,
    pub(crate) name: Arc<str>,
    pub(crate) destination: Arc<str>,
    pub(crate) totals: Arc<WireTotals>,
    /// The settings of the group when the right was given.
    pub(crate) settings: Arc<GroupSettings>,
    /// The limit of the endpoint's connections.
    pub(crate) max_sockets: usize,
    begun: Instant,
    /// The generation of connections. A change of the framing begins a new one; older connections
    /// are closed.
    generation: u64,
}

/// A connection or lane that the group lends.
pub(crate) trait Pooled {
    /// True if it must stay with the thread that watches it.
    fn is_bound(&self) -> bool;

    /// True if it takes one-way requests only.
    fn is_one_way(&self) -> bool;

    /// The session of a lane; none for a whole connection.
    fn session(&self) -> Option<usize>;
}

/// How a request ended, from its endpoint's view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Replied,
    TimedOut,
    /// The time ended while it connected.
    ConnectedLate,
    /// The connection broke, or the bytes that came are not a reply.
    Broke(String),
    NotConnected(String),
    /// This process may open no more sockets. The endpoint stays well.
    NoSockets(String),
    /// Nothing was sent, and nothing failed.
    Unused,
}

/// An operator's wish for an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    Start,
    Quiesce,
    Stop,
}

#[derive(Clone, Debug)]
enum Health {
    Well,
    /// The last `tries` attempts to reach it failed. The next one is at `next`.
    Down {
        tries: u32,
        next: Instant,
    },
    Ejected {
        until: Instant,
    },
}

/// An open connection that is not in use.
#[derive(Debug)]
struct Idle<C> {
    connection: C,
    /// The thread whose runtime watches it.
    owner: ThreadId,
    since: Instant,
}

#[derive(Debug)]
struct Endpoint<C> {
    id: u64,
    settings: EndpointSettings,
    name: Arc<str>,
    destination: Arc<str>,
    wish: Wish,
    is_removed: bool,
    health: Health,
    reason: Option<String>,
    /// Until then it opens no connection, because there were no more sockets.
    no_sockets_until: Option<Instant>,
    idle: Vec<Idle<C>>,
    /// The limit of requests under way on one connection; none if connections are not shared.
    lanes: Option<usize>,
    /// The requests under way, the oldest first.
    under_way: Vec<UnderWay>,
    /// How many of those have a connection, or open one.
    connected: usize,
    /// True while somebody opens a connection for it.
    is_opening: bool,
    failures: u32,
    /// When the last failure was counted. Other requests under way may have met the same failure.
    failed: Option<Instant>,
    /// How often it was ejected since its last reply.
    ejections: u32,
    back_since: Option<Instant>,
    average_us: f64,
    last_reply: Instant,
    figures: Figures,
    /// Segments sent again, and the needless ones, when the figures were cleared.
    segments_cleared: (u64, u64),
    totals: Arc<WireTotals>,
}

/// A request under way.
#[derive(Clone, Copy, Debug)]
struct UnderWay {
    lease: u64,
    begun: Instant,
    /// True if it has a connection, or opens one.
    is_connected: bool,
}

/// A call in the queue.
#[derive(Debug)]
struct Waiter {
    id: u64,
    deadline: Instant,
    granted: oneshot::Sender<Option<Grant>>,
}

/// The answer to a call that asks for an endpoint.
#[derive(Debug)]
pub(crate) enum Taken {
    Now(Grant),
    /// A place in the queue, with its number. The receiver gets no grant if too little time is left
    /// for a reply.
    Waiting(u64, oneshot::Receiver<Option<Grant>>),
}

/// The endpoint that a call wants.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted<'w> {
    /// Only this endpoint.
    pub(crate) endpoint: Option<&'w str>,
    /// Endpoints that this call has tried.
    pub(crate) tried: &'w [u64],
    /// When the caller stops waiting; none for never.
    pub(crate) deadline: Option<Instant>,
}

/// An endpoint that the keeper works for, and the generation of connections at that time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept {
    endpoint: u64,
    generation: u64,
}

/// Work of the keeper for an endpoint.
#[derive(Debug)]
pub(crate) struct Chore {
    pub(crate) kept: Kept,
    pub(crate) destination: Arc<str>,
    pub(crate) totals: Arc<WireTotals>,
    /// The number of connections to open, at least one.
    pub(crate) open: usize,
    /// The limit of the endpoint's connections.
    pub(crate) max_sockets: usize,
}

/// The state of a group, with connections of the type `C`.
#[derive(Debug)]
pub(crate) struct Lending<C> {
    pub(crate) settings: Arc<GroupSettings>,
    endpoints: Vec<Endpoint<C>>,
    waiting: Lines,
    limiter: Option<Limiter>,
    begun: Instant,
    is_stopped: bool,
    is_warned: bool,
    next: u64,
    /// The generation of connections that are made now.
    generation: u64,
    turn: u64,
    queue_highest: Highest,
    reply_time: ReplyTime,
    /// Retries that are still allowed, in hundredths.
    budget: u64,
    retries: u64,
    since: SystemTime,
    candidates: Vec<Candidate>,
    /// The memory for replies that are received.
    room: Arc<Room>,
}

/// The longest time of a call, because points in time have an end.
pub(crate) const CALL_MAX: Duration = Duration::from_secs(24 * 3_600);

/// The most retries that a group can save up, in hundredths.
const BUDGET_MAX: u64 = 100 * 100;

/// The rate limiter of a group; none if it has no rate.
fn limiter(settings: &GroupSettings) -> Option<Limiter> {
    Limiter::new(LimiterSettings { rate: settings.rate, ..LimiterSettings::default() })
}

/// The retries of a new group, in hundredths.
const BUDGET_FIRST: u64 = 10 * 100;

impl<C: Pooled> Lending<C> {
    pub(crate) fn new(settings: Arc<GroupSettings>, now: Instant) -> Self {
        let mut new = Self {
            settings: Arc::clone(&settings),
            endpoints: Vec::new(),
            waiting: Lines::default(),
            limiter: limiter(&settings),
            begun: now,
            is_stopped: false,
            is_warned: false,
            next: 0,
            generation: 0,
            turn: 0,
            queue_highest: Highest { value: 0.0, at: None },
            reply_time: ReplyTime::default(),
            budget: BUDGET_FIRST,
            retries: 0,
            since: SystemTime::now(),
            candidates: Vec::new(),
            room: Room::new(settings.receive_max_bytes, settings.connection_max_bytes()),
        };
        new.apply(settings, &|_| Wish::Start, now);
        new
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Takes over new settings. Endpoints of the same name keep their connections and figures. A new
    /// one begins with the operators' last wish for its name. Gives connections to close.
    pub(crate) fn apply(
        &mut self,
        settings: Arc<GroupSettings>,
        wish: &dyn Fn(&str) -> Wish,
        now: Instant,
    ) -> Vec<C> {
        let mut closed = Vec::new();
        let mut before = std::mem::take(&mut self.endpoints);
        let lanes = settings.shares().then(|| settings.in_flight_max.max(1));
        for wanted in &settings.endpoints {
            let same = |known: &Endpoint<C>| {
                *known.name == *wanted.name && *known.destination == *wanted.destination && !known.is_removed
            };
            let endpoint = match before.iter().position(same) {
                Some(at) => Endpoint { settings: wanted.clone(), lanes, ..before.remove(at) },
                None => Endpoint {
                    id: self.number(),
                    settings: wanted.clone(),
                    name: wanted.name.as_str().into(),
                    destination: wanted.destination.as_str().into(),
                    wish: wish(&wanted.name),
                    is_removed: false,
                    health: Health::Well,
                    reason: None,
                    no_sockets_until: None,
                    idle: Vec::new(),
                    lanes,
                    under_way: Vec::new(),
                    connected: 0,
                    is_opening: false,
                    failures: 0,
                    failed: None,
                    ejections: 0,
                    back_since: None,
                    average_us: 0.0,
                    last_reply: now,
                    figures: Figures::new(now),
                    segments_cleared: (0, 0),
                    totals: WireTotals::new(Arc::clone(&self.room)),
                },
            };
            self.endpoints.push(endpoint);
        }
        // Connections of the old framing are useless for the new one.
        let is_reframed = self.settings.framing != settings.framing
            || self.settings.tls != settings.tls
            || self.settings.in_flight_max != settings.in_flight_max
            || self.settings.frame_max_bytes != settings.frame_max_bytes
            || self.settings.heartbeat != settings.heartbeat;
        self.generation += u64::from(is_reframed);
        for endpoint in &mut self.endpoints {
            let room = endpoint.room().saturating_sub(endpoint.under_way.len());
            let kept = if is_reframed { 0 } else { room.min(endpoint.idle.len()) };
            closed.extend(endpoint.idle.drain(kept..).map(|idle| idle.connection));
        }
        for mut endpoint in before {
            closed.extend(endpoint.idle.drain(..).map(|idle| idle.connection));
            endpoint.is_removed = true;
            if !endpoint.under_way.is_empty() {
                self.endpoints.push(endpoint);
            }
        }
        if self.settings.rate != settings.rate {
            self.limiter = limiter(&settings);
        }
        self.room.resize(settings.receive_max_bytes, settings.connection_max_bytes());
        self.settings = settings;
        self.serve_queue(now);
        closed
    }

    /// Takes an idle connection of the endpoint: one of this thread, else one of another. If there
    /// is none, the caller opens one. A connection that is bound to another thread comes only if no
    /// more may be opened.
    ///
    /// A connection for one-way requests only goes to them first. Another request gets it only to give
    /// it up, if no more may be opened.
    ///
    /// The grant may be older than the settings. It then gets those of the connection.
    pub(crate) fn idle(
        &mut self,
        grant: &mut Grant,
        is_one_way: bool,
        thread: ThreadId,
    ) -> Option<(C, bool)> {
        let endpoint = self.endpoints.iter_mut().find(|endpoint| endpoint.id == grant.endpoint)?;
        if !endpoint.is_removed {
            (grant.settings, grant.generation) = (Arc::clone(&self.settings), self.generation);
            grant.max_sockets = endpoint.settings.max_sockets;
        }
        let at = endpoint.find_idle(grant.lease, is_one_way, thread);
        let taken = at.map(|at| {
            let idle = endpoint.idle.remove(at);
            (idle.connection, idle.owner == thread)
        });
        if let Some(request) = endpoint.under_way.iter_mut().find(|request| request.lease == grant.lease) {
            endpoint.connected += usize::from(!request.is_connected);
            request.is_connected = true;
        }
        endpoint.figures.sessions(endpoint.sessions(), endpoint.under_way.len());
        taken
    }

    /// Why the endpoint cannot be reached, if another request or the keeper has found this out since
    /// the grant.
    pub(crate) fn is_down(&self, grant: &Grant) -> Option<String> {
        let endpoint = self.endpoints.iter().find(|endpoint| endpoint.id == grant.endpoint)?;
        let is_down = matches!(endpoint.health, Health::Down { .. });
        is_down.then(|| endpoint.reason.clone().unwrap_or_default())
    }

    /// Ends the use of an endpoint. Gives the connection back if it is to be closed.
    pub(crate) fn end(
        &mut self,
        grant: &Grant,
        end: End,
        connection: Option<C>,
        thread: ThreadId,
        now: Instant,
    ) -> Option<C> {
        let at = self.endpoints.iter().position(|endpoint| endpoint.id == grant.endpoint)?;
        let is_fault = !matches!(end, End::Replied | End::Unused | End::NoSockets(_));
        let may_eject = is_fault && self.may_eject();
        let endpoint = &mut self.endpoints[at];
        if let Some(ended) = endpoint.under_way.iter().position(|request| request.lease == grant.lease) {
            endpoint.connected -= usize::from(endpoint.under_way.remove(ended).is_connected);
        }
        let took = now.saturating_duration_since(grant.begun);
        match &end {
            End::Replied => {
                endpoint.figures.replied(now, took);
                self.reply_time.see(took);
                let since = now.saturating_duration_since(endpoint.last_reply);
                endpoint.average_us = average(endpoint.average_us, took.as_micros() as f64, since);
                endpoint.last_reply = now;
                (endpoint.failures, endpoint.ejections) = (0, 0);
            }
            End::Unused => {}
            // A connection that was tried with older settings says nothing about the endpoint.
            End::ConnectedLate | End::NotConnected(_) | End::NoSockets(_)
                if grant.generation != self.generation => {}
            End::TimedOut | End::ConnectedLate => {
                endpoint.figures.timeouts += 1;
                endpoint.average_us = endpoint.average_us.max(took.as_micros() as f64);
                endpoint.last_reply = now;
                // Requests that were under way together count as one failure, not as many in a row.
                if endpoint.failed.is_none_or(|last| grant.begun >= last) {
                    endpoint.failed = Some(now);
                    let reason =
                        if end == End::TimedOut { "no reply in time" } else { "no connection in time" };
                    endpoint.fail(reason, may_eject, &self.settings, now);
                }
            }
            End::Broke(reason) => {
                endpoint.figures.errors += 1;
                // The same holds for requests that shared a connection.
                if endpoint.lanes.is_none() || endpoint.failed.is_none_or(|last| grant.begun >= last) {
                    endpoint.failed = Some(now);
                    endpoint.fail(reason, may_eject, &self.settings, now);
                }
            }
            End::NotConnected(reason) => {
                endpoint.figures.errors += 1;
                endpoint.unreachable(reason, &self.settings, now);
            }
            End::NoSockets(reason) => endpoint.lack_sockets(reason, &self.settings, now),
        }
        let keeps = !self.is_stopped && endpoint.keeps() && grant.generation == self.generation;
        let closed = match connection {
            Some(connection) if keeps => {
                endpoint.idle.push(Idle { connection, owner: thread, since: now });
                None
            }
            other => other,
        };
        if endpoint.is_removed && endpoint.under_way.is_empty() {
            self.endpoints.remove(at);
        }
        self.serve_queue(now);
        closed
    }

    /// Whether one more endpoint may be left out because of its failures.
    fn may_eject(&self) -> bool {
        let percent_max = self.settings.ejection.percent_max as usize;
        let out = self.endpoints.iter().filter(|one| matches!(one.health, Health::Ejected { .. })).count();
        (out + 1) * 100 <= percent_max * self.endpoints.len()
    }

    /// Begins a request. Each request adds to the allowed retries.
    ///
    /// # Errors
    /// The requests exceed the group's rate.
    pub(crate) fn begin(&mut self, now: Instant) -> Result<(), Trouble> {
        if let Some(limiter) = &self.limiter {
            let passed = now.saturating_duration_since(self.begun).as_nanos() as u64;
            // One caller stands for all, because a group does not know its callers.
            if limiter.admit(Caller::User(""), passed).is_err() {
                let message = format!("{}: more requests than its rate", self.settings.name);
                return Err(Trouble::new(TroubleKind::TooMany, message));
            }
        }
        self.budget = (self.budget + u64::from(self.settings.retry_percent)).min(BUDGET_MAX);
        Ok(())
    }

    /// Takes one retry, if one is left.
    pub(crate) fn spend(&mut self) -> bool {
        match self.budget.checked_sub(100) {
            Some(left) => {
                self.budget = left;
                self.retries += 1;
                true
            }
            None => false,
        }
    }

    /// Starts or stops the group. Gives connections to close.
    pub(crate) fn set_stopped(&mut self, is_stopped: bool, now: Instant) -> Vec<C> {
        self.is_stopped = is_stopped;
        if !is_stopped {
            self.serve_queue(now);
            return Vec::new();
        }
        // Dropping the waiters' senders shows them that the group is stopped.
        self.waiting = Lines::default();
        let idle = self.endpoints.iter_mut().flat_map(|endpoint| endpoint.idle.drain(..));
        idle.map(|idle| idle.connection).collect()
    }

    /// Starts, quiesces or stops an endpoint. Gives connections to close; none if the endpoint does
    /// not exist.
    pub(crate) fn set_wish(&mut self, name: &str, wish: Wish, now: Instant) -> Option<Vec<C>> {
        let mut named = self.endpoints.iter_mut().filter(|endpoint| !endpoint.is_removed);
        let endpoint = named.find(|endpoint| &*endpoint.name == name)?;
        endpoint.wish = wish;
        if wish == Wish::Start {
            endpoint.come_back(now);
            (endpoint.failures, endpoint.ejections) = (0, 0);
        }
        let closed = match wish {
            Wish::Stop => endpoint.idle.drain(..).map(|idle| idle.connection).collect(),
            Wish::Start | Wish::Quiesce => Vec::new(),
        };
        // Calls that want only this endpoint stop waiting.
        if wish != Wish::Start {
            self.waiting.drop_named(name);
        }
        self.serve_queue(now);
        Some(closed)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.endpoints.iter().any(|endpoint| &*endpoint.name == name && !endpoint.is_removed)
    }
}
