//! What a group knows of its endpoints and of those who wait: who gets which endpoint, and what becomes of its connections.
//!
//! All of it stands under one short lock of the group. It opens and closes no connection, and waits for nothing.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;
use std::thread::ThreadId;
use std::time::{Duration, Instant, SystemTime};

use security::{Caller, Limiter, LimiterSettings};
use tokio::sync::oneshot;
use waiting::random;

use crate::balance::{Candidate, Role, average, choose, share};
use crate::error::{Trouble, TroubleKind};
use crate::figures::{Figures, Highest};
use crate::reply_time::ReplyTime;
use crate::settings::{EndpointSettings, GroupSettings};
use crate::transport::WireTotals;
use crate::view::{EndpointView, GroupView, Maximum, State};
use sockets::Wire;

/// The right to send one request to an endpoint.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    /// Which endpoint. No number is given twice.
    pub(crate) endpoint: u64,
    lease: u64,
    pub(crate) name: Arc<str>,
    pub(crate) destination: Arc<str>,
    pub(crate) totals: Arc<WireTotals>,
    /// Connections of the endpoint at one time.
    pub(crate) max_sockets: usize,
    begun: Instant,
    /// What connections are for changes with the framing: those of another time are not kept.
    time: u64,
}

/// What is lent.
pub(crate) trait Pooled {
    /// It stays with the thread that watches it.
    fn is_bound(&self) -> bool;

    /// The connection that it is a part of; none if it is one itself.
    fn session(&self) -> Option<usize>;
}

/// How a request ended, for its endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Replied,
    TimedOut,
    /// The connection broke, or what came is no reply.
    Broke(String),
    NotConnected(String),
    /// Nothing was sent, and nothing went wrong.
    Unused,
}

/// What an operator wants of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    Start,
    Quiesce,
    Stop,
}

#[derive(Clone, Debug)]
enum Health {
    Well,
    /// It could not be reached so many times; it is tried again then.
    Down {
        tries: u32,
        next: Instant,
    },
    Ejected {
        until: Instant,
    },
}

/// An open connection that nobody uses.
#[derive(Debug)]
struct Idle<C> {
    connection: C,
    /// The thread of the runtime that it belongs to.
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
    idle: Vec<Idle<C>>,
    /// Requests under way on one connection; none if connections are not shared.
    lanes: Option<usize>,
    /// The requests under way, the oldest first.
    under_way: Vec<UnderWay>,
    /// Somebody opens a connection for it.
    is_opening: bool,
    failures: u32,
    /// When the last failure was counted that others under way may have met, too.
    failed: Option<Instant>,
    /// How often it was left out since it last replied.
    ejections: u32,
    back_since: Option<Instant>,
    average_us: f64,
    last_reply: Instant,
    figures: Figures,
    totals: Arc<WireTotals>,
}

/// A request under way.
#[derive(Clone, Copy, Debug)]
struct UnderWay {
    lease: u64,
    begun: Instant,
    /// It has a connection, or opens one.
    is_connected: bool,
}

/// Somebody who waits.
#[derive(Debug)]
struct Waiter {
    id: u64,
    wanted: Option<Box<str>>,
    deadline: Instant,
    granted: oneshot::Sender<Option<Grant>>,
}

/// What somebody who asks for an endpoint gets.
#[derive(Debug)]
pub(crate) enum Taken {
    Now(Grant),
    /// A place in the queue, by its number. Nothing comes instead of a grant if too little time is left for a reply.
    Waiting(u64, oneshot::Receiver<Option<Grant>>),
}

/// Who is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted<'w> {
    /// This endpoint, and no other.
    pub(crate) endpoint: Option<&'w str>,
    /// Endpoints that were tried for this call.
    pub(crate) tried: &'w [u64],
    /// When the caller no longer waits; none for never.
    pub(crate) deadline: Option<Instant>,
}

/// What the keeper has to do for an endpoint.
#[derive(Debug)]
pub(crate) struct Chore {
    pub(crate) endpoint: u64,
    pub(crate) destination: Arc<str>,
    pub(crate) totals: Arc<WireTotals>,
    /// Connections to open, at least one.
    pub(crate) open: usize,
    /// Connections of the endpoint at one time.
    pub(crate) max_sockets: usize,
}

/// The state of a group, with connections of the type `C`.
#[derive(Debug)]
pub(crate) struct Lending<C> {
    pub(crate) settings: Arc<GroupSettings>,
    endpoints: Vec<Endpoint<C>>,
    waiting: VecDeque<Waiter>,
    limiter: Option<Limiter>,
    begun: Instant,
    is_stopped: bool,
    is_warned: bool,
    next: u64,
    time: u64,
    turn: u64,
    queue_highest: Highest,
    reply_time: ReplyTime,
    /// Retries that may be spent, in hundredths.
    budget: u64,
    retries: u64,
    since: SystemTime,
    candidates: Vec<Candidate>,
}

/// Among so many who wait is looked for one who can be answered in time.
const LOOK_MAX: usize = 64;

/// Longer than anybody waits.
const LONGEST: Duration = Duration::from_secs(24 * 3_600);

/// So many retries can be saved up, in hundredths.
const BUDGET_MAX: u64 = 100 * 100;

/// What counts the requests of a group; none if it has no rate.
fn limiter(settings: &GroupSettings) -> Option<Limiter> {
    Limiter::new(LimiterSettings { rate: settings.rate, ..LimiterSettings::default() })
}

/// A group that has just begun may send so many requests again, in hundredths.
const BUDGET_FIRST: u64 = 10 * 100;

impl<C> Endpoint<C> {
    /// Whether it may have requests, room or not.
    fn serves(&self) -> bool {
        self.wish == Wish::Start && !self.is_removed && matches!(self.health, Health::Well)
    }

    fn has_room(&self) -> bool {
        self.under_way.len() < self.room()
    }

    /// Requests that may be under way.
    fn room(&self) -> usize {
        self.settings.max_sockets * self.lanes.unwrap_or(1)
    }

    fn sessions(&self) -> usize {
        match self.lanes {
            None => self.idle.len() + self.under_way.iter().filter(|request| request.is_connected).count(),
            Some(_) => self.totals.open(),
        }
    }

    /// Whether a connection that is not used is kept. One that is shared counts already.
    fn keeps(&self) -> bool {
        let most = self.settings.max_sockets;
        let has_room = if self.lanes.is_some() { self.sessions() <= most } else { self.sessions() < most };
        self.wish != Wish::Stop && !self.is_removed && has_room
    }

    /// Takes a shared connection away that nobody needs, if there is one: all its lanes.
    fn unused(&mut self, lanes: usize, idle_timeout: Duration, now: Instant) -> Vec<C>
    where
        C: Pooled,
    {
        if self.sessions() <= self.settings.start_sockets {
            return Vec::new();
        }
        let mut sessions: BTreeMap<usize, (usize, Instant)> = BTreeMap::new();
        for idle in &self.idle {
            if let Some(session) = idle.connection.session() {
                let (count, since) = sessions.entry(session).or_insert((0, idle.since));
                (*count, *since) = (*count + 1, (*since).max(idle.since));
            }
        }
        let is_unused = |(count, since): &(usize, Instant)| *count == lanes && *since + idle_timeout <= now;
        let Some((unused, _)) = sessions.into_iter().find(|(_, one)| is_unused(one)) else {
            return Vec::new();
        };
        let taken = self.idle.extract_if(.., |idle| idle.connection.session() == Some(unused));
        taken.map(|idle| idle.connection).collect()
    }

    fn come_back(&mut self, now: Instant) {
        if !matches!(self.health, Health::Well) {
            self.health = Health::Well;
            self.back_since = Some(now);
            self.average_us = 0.0;
        }
    }

    fn state(&self) -> State {
        match (&self.health, self.wish) {
            _ if self.is_removed => State::Removed,
            (_, Wish::Stop) => State::Stopped,
            (_, Wish::Quiesce) => State::Quiesced,
            (Health::Well, Wish::Start) => State::Active,
            (Health::Down { .. }, Wish::Start) => State::Down,
            (Health::Ejected { .. }, Wish::Start) => State::Ejected,
        }
    }

    fn candidate(&self, place: usize, slow_start: Duration, now: Instant) -> Candidate {
        let since = |then: Instant| now.saturating_duration_since(then);
        let share = self.back_since.map_or(1.0, |back| share(since(back), slow_start));
        Candidate {
            place,
            in_flight: self.under_way.len(),
            average_us: self.average_us,
            oldest_us: self.under_way.first().map_or(0.0, |first| since(first.begun).as_micros() as f64),
            weight: self.settings.weight * share,
        }
    }
}

impl<C: Pooled> Lending<C> {
    pub(crate) fn new(settings: Arc<GroupSettings>, now: Instant) -> Self {
        let mut new = Self {
            settings: Arc::clone(&settings),
            endpoints: Vec::new(),
            waiting: VecDeque::new(),
            limiter: limiter(&settings),
            begun: now,
            is_stopped: false,
            is_warned: false,
            next: 0,
            time: 0,
            turn: 0,
            queue_highest: Highest { value: 0.0, at: None },
            reply_time: ReplyTime::default(),
            budget: BUDGET_FIRST,
            retries: 0,
            since: SystemTime::now(),
            candidates: Vec::new(),
        };
        new.apply(settings, now);
        new
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Takes new settings over: endpoints of the same name keep their connections and figures. Gives connections to close.
    pub(crate) fn apply(&mut self, settings: Arc<GroupSettings>, now: Instant) -> Vec<C> {
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
                    wish: Wish::Start,
                    is_removed: false,
                    health: Health::Well,
                    reason: None,
                    idle: Vec::new(),
                    lanes,
                    under_way: Vec::new(),
                    is_opening: false,
                    failures: 0,
                    failed: None,
                    ejections: 0,
                    back_since: None,
                    average_us: 0.0,
                    last_reply: now,
                    figures: Figures::new(now),
                    totals: Arc::default(),
                },
            };
            self.endpoints.push(endpoint);
        }
        // What was said to other framings is of no use to the new one.
        let is_reframed = self.settings.framing != settings.framing
            || self.settings.tls != settings.tls
            || self.settings.in_flight_max != settings.in_flight_max
            || self.settings.frame_max_bytes != settings.frame_max_bytes
            || self.settings.heartbeat != settings.heartbeat;
        self.time += u64::from(is_reframed);
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
        self.settings = settings;
        self.serve_queue(now);
        closed
    }

    /// An endpoint now, or a place in the queue.
    pub(crate) fn take(&mut self, wanted: Wanted<'_>, now: Instant) -> Result<Taken, Trouble> {
        self.let_back(now);
        self.refuse_stopped(wanted)?;
        if self.waiting.is_empty() {
            // One that was tried is better than none.
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

    fn refuse_stopped(&self, wanted: Wanted<'_>) -> Result<(), Trouble> {
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

    fn is_anybody_well(&self, wanted: Option<&str>) -> bool {
        let meant = |endpoint: &Endpoint<C>| wanted.is_none_or(|name| &*endpoint.name == name);
        self.endpoints.iter().any(|endpoint| endpoint.serves() && meant(endpoint))
    }

    /// Whether another endpoint than those could be asked.
    pub(crate) fn has_other(&self, tried: &[u64]) -> bool {
        self.endpoints.iter().any(|endpoint| endpoint.serves() && !tried.contains(&endpoint.id))
    }

    /// Why endpoints do not serve, for the log.
    fn reasons(&self) -> String {
        let one = |endpoint: &Endpoint<C>| {
            let reason = endpoint.reason.as_deref().unwrap_or("no reason is known");
            format!("{}: {} {reason}", endpoint.name, endpoint.state().word())
        };
        self.endpoints.iter().map(one).collect::<Vec<_>>().join("; ")
    }

    /// What is wrong when a call's time ends in the queue.
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

    /// Notes how many wait, and warns once each time that the threshold is passed.
    fn watch_queue(&mut self) {
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

    /// The endpoint that gets the next request, if one has room.
    fn pick(&mut self, wanted: Wanted<'_>, now: Instant) -> Option<Grant> {
        let place = match wanted.endpoint {
            Some(name) => self
                .endpoints
                .iter()
                .position(|endpoint| &*endpoint.name == name && endpoint.serves() && endpoint.has_room())?,
            None => self.pick_by_role(wanted.tried, now)?,
        };
        let lease = self.number();
        let endpoint = &mut self.endpoints[place];
        endpoint.under_way.push(UnderWay { lease, begun: now, is_connected: false });
        let (name, destination) = (Arc::clone(&endpoint.name), Arc::clone(&endpoint.destination));
        let totals = Arc::clone(&endpoint.totals);
        let max_sockets = endpoint.settings.max_sockets;
        let (endpoint, time) = (endpoint.id, self.time);
        Some(Grant { endpoint, lease, name, destination, totals, max_sockets, begun: now, time })
    }

    fn pick_by_role(&mut self, tried: &[u64], now: Instant) -> Option<usize> {
        let chosen = self.pick_of(Role::Primary, tried, now);
        if chosen.is_some() {
            return chosen;
        }
        let is_primary =
            |endpoint: &Endpoint<C>| endpoint.settings.role == Role::Primary && endpoint.serves();
        let is_full =
            self.endpoints.iter().any(|endpoint| is_primary(endpoint) && !tried.contains(&endpoint.id));
        if is_full && !self.settings.backup_when_full {
            return None;
        }
        self.pick_of(Role::Backup, tried, now)
    }

    fn pick_of(&mut self, role: Role, tried: &[u64], now: Instant) -> Option<usize> {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        let slow_start = self.settings.slow_start;
        candidates.extend(self.endpoints.iter().enumerate().filter_map(|(place, endpoint)| {
            let may = endpoint.settings.role == role && endpoint.serves() && endpoint.has_room();
            (may && !tried.contains(&endpoint.id)).then(|| endpoint.candidate(place, slow_start, now))
        }));
        self.turn = self.turn.wrapping_add(1);
        // Chance is only needed where not all are looked at.
        let chance = if candidates.len() > 4 { u64::from(random()) << 32 | u64::from(random()) } else { 0 };
        let chosen = choose(self.settings.policy, &candidates, self.turn, chance);
        self.candidates = candidates;
        chosen
    }

    /// An idle connection of the endpoint: one of this thread, or else of another. If there is none, the caller opens one. What
    /// is bound to another thread comes only if no more may be opened.
    pub(crate) fn idle(&mut self, grant: &Grant, thread: ThreadId) -> Option<(C, bool)> {
        let endpoint = self.endpoints.iter_mut().find(|endpoint| endpoint.id == grant.endpoint)?;
        let own = endpoint.idle.iter().rposition(|idle| idle.owner == thread);
        let is_full = endpoint.lanes.is_none() || endpoint.sessions() >= endpoint.settings.max_sockets;
        let other = || endpoint.idle.iter().rposition(|idle| is_full || !idle.connection.is_bound());
        let at = own.or_else(other);
        let taken = at.map(|at| (endpoint.idle.remove(at).connection, own.is_some()));
        if let Some(request) = endpoint.under_way.iter_mut().find(|request| request.lease == grant.lease) {
            request.is_connected = true;
        }
        endpoint.figures.sessions(endpoint.sessions(), endpoint.under_way.len());
        taken
    }

    /// Ends the use of an endpoint. Gives the connection back if it is to be closed.
    pub(crate) fn end(
        &mut self,
        grant: &Grant,
        (end, connection): (End, Option<C>),
        (thread, now): (ThreadId, Instant),
    ) -> Option<C> {
        let percent_max = self.settings.ejection.percent_max as usize;
        let out = self.endpoints.iter().filter(|one| matches!(one.health, Health::Ejected { .. })).count();
        let may_eject = (out + 1) * 100 <= percent_max * self.endpoints.len();
        let settings = Arc::clone(&self.settings);
        let at = self.endpoints.iter().position(|endpoint| endpoint.id == grant.endpoint)?;
        let endpoint = &mut self.endpoints[at];
        endpoint.under_way.retain(|request| request.lease != grant.lease);
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
            End::TimedOut => {
                endpoint.figures.timeouts += 1;
                endpoint.average_us = endpoint.average_us.max(took.as_micros() as f64);
                endpoint.last_reply = now;
                // Requests that were under way together and got no reply are one failure, not many in a row.
                if endpoint.failed.is_none_or(|last| grant.begun >= last) {
                    endpoint.failed = Some(now);
                    endpoint.fail("no reply in time", (may_eject, &settings), now);
                }
            }
            End::Broke(reason) => {
                endpoint.figures.errors += 1;
                // So are those that shared a connection.
                if endpoint.lanes.is_none() || endpoint.failed.is_none_or(|last| grant.begun >= last) {
                    endpoint.failed = Some(now);
                    endpoint.fail(reason, (may_eject, &settings), now);
                }
            }
            End::NotConnected(reason) => {
                endpoint.figures.errors += 1;
                endpoint.unreachable(reason, &settings, now);
            }
        }
        let keeps = endpoint.keeps() && grant.time == self.time;
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

    /// Gives endpoints to those who wait, in their order.
    fn serve_queue(&mut self, now: Instant) {
        let mut at = 0;
        while at < self.waiting.len() {
            // A request whose reply comes too late would take the place of one that can be answered in time.
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
                    // Who has gone has left the queue, under this lock: so there is a receiver.
                    let _ = waiter.granted.send(Some(grant));
                }
                // Others may want an endpoint that has room.
                None if wanted.is_some() => at += 1,
                None => break,
            }
        }
    }

    /// The place of the next one from a place on who has time enough for a reply; the place itself if nobody is found.
    fn in_time(&self, from: usize, now: Instant) -> usize {
        let needed = now + self.reply_time.most();
        let found = self.waiting.iter().skip(from).take(LOOK_MAX).position(|one| one.deadline >= needed);
        from + found.unwrap_or(0)
    }

    /// Leaves the queue. Gives back what was granted meanwhile.
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

    /// Those whose time of being left out is over serve again, or are asked first if there is a way to ask: the keeper then opens
    /// a connection, which has a heartbeat before it is used.
    fn let_back(&mut self, now: Instant) -> bool {
        let mut is_changed = false;
        let asks = self.settings.asks();
        for endpoint in &mut self.endpoints {
            if matches!(endpoint.health, Health::Ejected { until } if until <= now) {
                match asks {
                    true => endpoint.health = Health::Down { tries: 0, next: now },
                    false => endpoint.come_back(now),
                }
                // One more failure is enough to be left out again.
                endpoint.failures = self.settings.ejection.failures.saturating_sub(1);
                is_changed = true;
            }
        }
        is_changed
    }

    /// A request begins: it adds to what may be sent again.
    ///
    /// # Errors
    /// More requests come than the group may have.
    pub(crate) fn begin(&mut self, now: Instant) -> Result<(), Trouble> {
        if let Some(limiter) = &self.limiter {
            let passed = now.saturating_duration_since(self.begun).as_nanos() as u64;
            // One caller stands for all: a group does not know who calls.
            if limiter.admit(Caller::User(""), passed).is_err() {
                let message = format!("{}: more requests than its rate", self.settings.name);
                return Err(Trouble::new(TroubleKind::TooMany, message));
            }
        }
        self.budget = (self.budget + u64::from(self.settings.retry_percent)).min(BUDGET_MAX);
        Ok(())
    }

    /// Whether one more request may be sent again now.
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

    /// Takes idle connections away that are not alive any more: they are to be closed.
    pub(crate) fn dead(&mut self, is_alive: impl Fn(&mut C) -> bool) -> Vec<C> {
        let mut dead = Vec::new();
        for endpoint in &mut self.endpoints {
            let gone = endpoint.idle.extract_if(.., |idle| !is_alive(&mut idle.connection));
            dead.extend(gone.map(|idle| idle.connection));
        }
        dead
    }

    /// What is to be done now, and when to ask again.
    pub(crate) fn chores(&mut self, now: Instant) -> (Vec<Chore>, Vec<C>, Option<Instant>) {
        if self.let_back(now) {
            self.serve_queue(now);
        }
        let (mut chores, mut closed, mut due) = (Vec::new(), Vec::new(), None::<Instant>);
        let idle_timeout = self.settings.idle_timeout;
        let mut sooner = |at: Instant| due = Some(due.map_or(at, |before| before.min(at)));
        let is_stopped = self.is_stopped;
        for endpoint in &mut self.endpoints {
            if is_stopped || endpoint.is_removed || endpoint.wish == Wish::Stop {
                continue;
            }
            let missing = endpoint.settings.start_sockets.saturating_sub(endpoint.sessions());
            let open = match endpoint.health {
                _ if endpoint.is_opening || endpoint.wish == Wish::Quiesce => 0,
                Health::Well => missing,
                Health::Down { next, .. } if next <= now => missing.max(1),
                Health::Down { next: at, .. } | Health::Ejected { until: at } => {
                    sooner(at);
                    0
                }
            };
            if open > 0 {
                endpoint.is_opening = true;
                let destination = Arc::clone(&endpoint.destination);
                let totals = Arc::clone(&endpoint.totals);
                // One that is only tried needs no room: if there is none, the connection is closed again.
                let is_tried = matches!(endpoint.health, Health::Down { .. });
                let max_sockets = if is_tried { usize::MAX } else { endpoint.settings.max_sockets };
                chores.push(Chore { endpoint: endpoint.id, destination, totals, open, max_sockets });
            }
            if let Some(lanes) = endpoint.lanes {
                closed.extend(endpoint.unused(lanes, idle_timeout, now));
                continue;
            }
            while endpoint.sessions() > endpoint.settings.start_sockets {
                // The first is the one that was used longest ago.
                match endpoint.idle.first().map(|idle| idle.since + idle_timeout) {
                    Some(end) if end <= now => closed.push(endpoint.idle.remove(0).connection),
                    Some(end) => {
                        sooner(end);
                        break;
                    }
                    None => break,
                }
            }
        }
        (chores, closed, due)
    }

    /// A connection that the keeper opened. Gives it back if it is not needed.
    pub(crate) fn opened(&mut self, id: u64, connection: C, (thread, now): (ThreadId, Instant)) -> Option<C> {
        let Some(endpoint) = self.endpoints.iter_mut().find(|endpoint| endpoint.id == id) else {
            return Some(connection);
        };
        if matches!(endpoint.health, Health::Down { .. }) {
            endpoint.come_back(now);
            let (group, endpoint) = (&self.settings.name, &*endpoint.name);
            tracing::info!(group, endpoint, "an endpoint can be reached again");
        }
        let closed = match endpoint.keeps() {
            true => {
                endpoint.idle.push(Idle { connection, owner: thread, since: now });
                endpoint.figures.sessions(endpoint.sessions(), endpoint.under_way.len());
                None
            }
            false => Some(connection),
        };
        self.serve_queue(now);
        closed
    }

    /// The lanes of a connection that was opened for a request, but for the one that it has. Gives them back if they are not
    /// needed.
    pub(crate) fn spare(
        &mut self,
        grant: &Grant,
        lanes: Vec<C>,
        (thread, now): (ThreadId, Instant),
    ) -> Vec<C> {
        let time = self.time;
        let endpoint = self.endpoints.iter_mut().find(|endpoint| endpoint.id == grant.endpoint);
        match endpoint.filter(|endpoint| endpoint.keeps() && grant.time == time) {
            Some(endpoint) => {
                let idle = |connection| Idle { connection, owner: thread, since: now };
                endpoint.idle.extend(lanes.into_iter().map(idle));
                endpoint.figures.sessions(endpoint.sessions(), endpoint.under_way.len());
                Vec::new()
            }
            None => lanes,
        }
    }

    /// Takes idle connections that nobody used for so long, to ask whether their servers are there. They come back by `opened`.
    pub(crate) fn silent(&mut self, interval: Duration, now: Instant) -> Vec<(u64, C)> {
        let mut silent = Vec::new();
        for endpoint in &mut self.endpoints {
            let is_due = |idle: &mut Idle<C>| !idle.connection.is_bound() && idle.since + interval <= now;
            let due = endpoint.idle.extract_if(.., is_due);
            silent.extend(due.map(|idle| (endpoint.id, idle.connection)));
        }
        silent
    }

    /// The keeper has ended its work for an endpoint, or why it could not.
    pub(crate) fn kept(&mut self, id: u64, fault: Option<&str>, now: Instant) {
        let settings = Arc::clone(&self.settings);
        if let Some(endpoint) = self.endpoints.iter_mut().find(|endpoint| endpoint.id == id) {
            endpoint.is_opening = false;
            if let Some(reason) = fault {
                endpoint.unreachable(reason, &settings, now);
            }
        }
    }

    /// Starts or stops the group. Gives connections to close.
    pub(crate) fn set_stopped(&mut self, is_stopped: bool, now: Instant) -> Vec<C> {
        self.is_stopped = is_stopped;
        if !is_stopped {
            self.serve_queue(now);
            return Vec::new();
        }
        // Those who wait learn that the group is stopped when they see that nobody grants anything more.
        self.waiting.clear();
        let idle = self.endpoints.iter_mut().flat_map(|endpoint| endpoint.idle.drain(..));
        idle.map(|idle| idle.connection).collect()
    }

    /// Starts, quiesces or stops an endpoint; none if there is no such endpoint. Gives connections to close.
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
        // Who waits for this endpoint alone waits no more.
        if wish != Wish::Start {
            self.waiting.retain(|waiter| waiter.wanted.as_deref() != Some(name));
        }
        self.serve_queue(now);
        Some(closed)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.endpoints.iter().any(|endpoint| &*endpoint.name == name && !endpoint.is_removed)
    }

    /// Begins all figures again.
    pub(crate) fn clear(&mut self, now: Instant) {
        for endpoint in &mut self.endpoints {
            endpoint.figures = Figures::new(now);
        }
        (self.queue_highest, self.retries) = (Highest { value: 0.0, at: None }, 0);
        self.since = SystemTime::now();
    }

    pub(crate) fn view(&mut self, now: Instant, wire: impl Fn(&C) -> Wire) -> GroupView {
        self.let_back(now);
        let shown = |highest: Highest| Maximum { value: highest.value, at: highest.at };
        let one = |endpoint: &mut Endpoint<C>| {
            let rate = endpoint.figures.rate(now);
            let mut seen = HashSet::new();
            let is_first = |idle: &&Idle<C>| idle.connection.session().is_none_or(|one| seen.insert(one));
            let told: Vec<Wire> =
                endpoint.idle.iter().filter(is_first).map(|idle| wire(&idle.connection)).collect();
            let (closed, floor) = (endpoint.totals.counts(), endpoint.totals.floors.stands());
            let (state, sessions, figures) = (endpoint.state(), endpoint.sessions(), &endpoint.figures);
            EndpointView {
                name: endpoint.name.to_string(),
                role: endpoint.settings.role,
                destination: endpoint.destination.to_string(),
                state,
                reason: endpoint.reason.clone(),
                sessions,
                max_sessions: endpoint.settings.max_sockets,
                in_use: endpoint.under_way.len(),
                replies: figures.replies,
                rate,
                mean_ms: figures.mean_ms(),
                timeouts: figures.timeouts,
                errors: figures.errors,
                retransmits: closed.0 + told.iter().map(|one| one.retransmits).sum::<u64>(),
                dsacks: closed.1 + told.iter().map(|one| one.dsacks).sum::<u64>(),
                srtt_us: mean(told.iter().map(|one| one.srtt_us)),
                rto_us: mean(told.iter().map(|one| one.rto_us)),
                rto_floor_us: floor.and_then(|floor| u32::try_from(floor.floor.as_micros()).ok()),
                rto_floor_rises: floor.map_or(0, |floor| floor.rises),
                rto_floor_falls: floor.map_or(0, |floor| floor.falls),
                sessions_highest: shown(figures.sessions_highest),
                in_use_highest: shown(figures.in_use_highest),
                rate_highest: shown(figures.rate_highest),
                took_ms_highest: shown(figures.took_ms_highest),
            }
        };
        GroupView {
            name: self.settings.name.clone(),
            is_stopped: self.is_stopped,
            queue: self.waiting.len(),
            queue_highest: shown(self.queue_highest),
            queue_max: self.settings.queue_max,
            retries: self.retries,
            since: self.since,
            endpoints: self.endpoints.iter_mut().map(one).collect(),
        }
    }
}

/// The mean; none of nothing.
fn mean(values: impl ExactSizeIterator<Item = u32>) -> Option<u32> {
    let count = u64::try_from(values.len()).ok().filter(|count| *count > 0)?;
    u32::try_from(values.map(u64::from).sum::<u64>() / count).ok()
}

impl<C> Endpoint<C> {
    /// Counts a failure. An endpoint that fails too often in a row is left out for a while.
    fn fail(&mut self, reason: &str, (may_eject, settings): (bool, &GroupSettings), now: Instant) {
        self.reason = Some(reason.to_owned());
        self.failures += 1;
        let ejection = settings.ejection;
        let is_enough = ejection.failures > 0 && self.failures >= ejection.failures;
        if is_enough && may_eject && matches!(self.health, Health::Well) {
            self.ejections += 1;
            self.health = Health::Ejected { until: now + ejection.time * self.ejections };
            let (group, endpoint, failures) = (&settings.name, &*self.name, self.failures);
            tracing::warn!(group, endpoint, failures, reason, "an endpoint failed too often and is left out");
        }
    }

    /// Notes that no connection comes up. It is tried again after a pause.
    fn unreachable(&mut self, reason: &str, settings: &GroupSettings, now: Instant) {
        self.reason = Some(reason.to_owned());
        let tries = match self.health {
            // Another call has noted it, and its pause runs.
            Health::Down { next, .. } if next > now => return,
            Health::Down { tries, .. } => tries + 1,
            _ => {
                let (group, endpoint) = (&settings.name, &*self.name);
                tracing::warn!(group, endpoint, reason, "an endpoint cannot be reached");
                0
            }
        };
        // They led to a server that is gone.
        self.idle.clear();
        self.health = Health::Down { tries, next: now + settings.reconnect.pause(tries, random()) };
    }
}
