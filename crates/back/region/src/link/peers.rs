//! The way to another region: one connection that is made again whenever it breaks, and a limit of requests on it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use waiting::{Pauses, Place, Places, random};
use wire::shown;

use super::connection::Connection;
use super::definition::{Address, LinkLimits, Peer};
use super::message::{Hello, Message, VERSION};
use super::recovery::resynchronize;
use super::session::{Session, WAIT_MAX};
use super::shared::Shared;
use super::stream::{Reading, Tls, connect};
use crate::running::ending::for_people;

/// How long is waited before a broken link is tried again, at first.
const RECONNECT_FIRST: Duration = Duration::from_millis(20);

/// How often is looked whether somebody still uses a connection that is to end.
const UNUSED_POLL: Duration = Duration::from_millis(20);

/// How long is waited before a session is tried again that could not be opened.
const SESSION_AGAIN: Duration = Duration::from_secs(1);

/// Another region, as this one calls it.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) peer: Peer,
    pub(super) limits: LinkLimits,
    tls: Option<Tls>,
    state: Mutex<State>,
    sessions: Places,
    /// Somebody wants the connection, or has learned that units in doubt can be resolved.
    pub(super) wake: Notify,
    /// The configuration replaced or removed this link. It ends when no task uses its connection.
    retires: AtomicBool,
    retired: Notify,
}

#[derive(Debug)]
struct State {
    connection: Option<Arc<Connection>>,
    trouble: String,
}

/// How a link stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkState {
    /// The other region.
    pub sysid: String,
    /// Its application id; none if it is not connected.
    pub applid: Option<String>,
    /// Requests that are under way there.
    pub sessions: usize,
    /// The reason why there is no connection.
    pub trouble: Option<String>,
}

impl Route {
    pub(super) fn new(peer: Peer, limits: &LinkLimits, tls: Option<Tls>) -> Self {
        Self {
            peer,
            tls,
            state: Mutex::new(State { connection: None, trouble: "not connected yet".to_owned() }),
            sessions: Places::new(limits.sessions_max, limits.waiting_max),
            limits: limits.clone(),
            wake: Notify::new(),
            retires: AtomicBool::new(false),
            retired: Notify::new(),
        }
    }

    /// Closes the route to new callers. It ends when its last users have ended.
    pub(super) fn retire(&self) {
        self.retires.store(true, Ordering::Release);
        self.retired.notify_one();
        self.wake.notify_one();
    }

    fn retires(&self) -> bool {
        self.retires.load(Ordering::Acquire)
    }

    /// Waits until the route is to end, and then until nobody uses the connection.
    async fn unused(&self, connection: &Arc<Connection>) {
        while !self.retires() {
            self.retired.notified().await;
        }
        // The state has one reference, and the thread that keeps the connection has another.
        while Arc::strong_count(connection) > 2 {
            tokio::time::sleep(UNUSED_POLL).await;
        }
    }

    /// The connection, if there is one now.
    pub(crate) fn connection(&self) -> Option<Arc<Connection>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = state.connection.clone().filter(|connection| !connection.is_broken());
        drop(state);
        if connection.is_none() {
            self.wake.notify_one();
        }
        connection
    }

    /// The right to one more running request. None if too many wait for it, or if the wait was too long.
    pub(crate) async fn session(&self, most: Duration) -> Option<Place<'_>> {
        match self.sessions.free_place() {
            Some(place) => Some(place),
            None => self.sessions.wait(Instant::now() + most).await.ok(),
        }
    }

    pub(crate) fn state(&self) -> LinkState {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = state.connection.as_ref().filter(|connection| !connection.is_broken());
        LinkState {
            sysid: shown(&self.peer.sysid),
            applid: connection.map(|connection| shown(&connection.hello.applid)),
            sessions: self.sessions.taken(),
            trouble: connection.is_none().then(|| state.trouble.clone()),
        }
    }

    /// Keeps the connection for as long as the region has links, and resolves units in doubt over it.
    pub(super) async fn keep(self: Arc<Self>, shared: Arc<Shared>) {
        let longest = self.limits.reconnect_max.max(RECONNECT_FIRST);
        let (pauses, mut tries) = (Pauses { first: RECONNECT_FIRST, longest }, 0);
        while !self.retires() {
            let reason = match tokio::time::timeout(self.limits.hello_max, self.connect(&shared.own)).await {
                Ok(Ok((connection, reading, writing))) => {
                    tries = 0;
                    self.serve(&shared, &connection, reading, writing).await
                }
                Ok(Err(reason)) => reason,
                Err(_) => format!("no hello in {} ms", self.limits.hello_max.as_millis()),
            };
            self.lost(reason);
            if self.retires() {
                break;
            }
            tokio::select! {
                () = tokio::time::sleep(pauses.pause(tries, random())) => {}
                // Who wants the connection need not wait longer than the first pause.
                () = async { self.wake.notified().await; tokio::time::sleep(RECONNECT_FIRST).await } => {}
            }
            tries += 1;
        }
    }

    async fn serve(
        &self,
        shared: &Arc<Shared>,
        connection: &Arc<Connection>,
        mut reading: Reading,
        writing: Writing,
    ) -> String {
        tracing::info!("link to {}: connected", shown(&self.peer.sysid));
        self.state.lock().unwrap_or_else(PoisonError::into_inner).connection = Some(connection.clone());
        let _ends = Ends(connection);
        let (heartbeat, stalled_max) = (self.limits.heartbeat, self.limits.stalled_max);
        let read = connection.read(&mut reading, heartbeat);
        let write = async {
            connection.outbox.write(writing, stalled_max).await;
            "the other region takes nothing".to_owned()
        };
        tokio::select! {
            reason = read => reason,
            reason = write => reason,
            () = resynchronize(shared, self, connection) => "units in doubt cannot be resolved".to_owned(),
            () = self.open_sessions(connection) => "sessions cannot be opened".to_owned(),
            () = self.unused(connection) => "it is not configured any more".to_owned(),
        }
    }

    /// Opens a session whenever one more would have been of use.
    async fn open_sessions(&self, connection: &Connection) {
        loop {
            connection.sessions.wanted.notified().await;
            let opened = tokio::time::timeout(self.limits.hello_max, self.session_of(connection)).await;
            match opened.unwrap_or_else(|_| Err("no answer".to_owned())) {
                Ok(session) => connection.sessions.add(session),
                Err(reason) => {
                    tracing::debug!("link to {}: a session: {reason}", shown(&self.peer.sysid));
                    tokio::time::sleep(SESSION_AGAIN).await;
                }
            }
        }
    }

    async fn session_of(&self, connection: &Connection) -> Result<Session, String> {
        let mut stream = connect(&self.peer, self.tls.as_ref(), self.limits.frame_max_bytes).await?;
        if !stream.origin.is(&self.peer) {
            return Err("the other side cannot prove that it is this region".to_owned());
        }
        // A message that could not be sent gets no answer, which the next lines notice.
        let _ = stream.outbox.send(&Message::Session { token: connection.token });
        match stream.reading.message().await? {
            Message::Pong => {}
            _ => return Err("the other region sent an unexpected message".to_owned()),
        }
        let way = stream.into_socket().ok_or("it is not a socket of this machine")?;
        Session::new(way, Some(WAIT_MAX), self.limits.stalled_max).map_err(|error| error.to_string())
    }

    async fn connect(&self, own: &Hello) -> Result<(Arc<Connection>, Reading, Writing), String> {
        let mut stream = connect(&self.peer, self.tls.as_ref(), self.limits.frame_max_bytes).await?;
        if !stream.origin.is(&self.peer) {
            return Err("the other side cannot prove that it is this region".to_owned());
        }
        let _ = stream.outbox.send(&Message::Hello(own.clone()));
        let mut writing = stream.writing;
        let (hello, token) = {
            // The hello may have to wait for the socket.
            let write = stream.outbox.write_once(&mut writing);
            let read = stream.reading.message();
            let (_, message) = tokio::join!(write, read);
            match message? {
                Message::Welcome { hello, token } => (hello, token),
                Message::Refused { reason } => return Err(format!("refused: {}", for_people(reason))),
                _ => return Err("the other region sent an unexpected message".to_owned()),
            }
        };
        check(&hello, &self.peer)?;
        let sessions_max = match &self.peer.address {
            Some(Address::Unix(_)) => self.limits.sessions_max,
            _ => 0,
        };
        let connection = Connection::new(stream.outbox, hello, token, sessions_max);
        Ok((Arc::new(connection), stream.reading, writing))
    }

    fn lost(&self, reason: String) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.connection = None;
        if state.trouble != reason {
            tracing::warn!("link to {}: {reason}", shown(&self.peer.sysid));
            state.trouble = reason;
        }
    }
}

/// On every way out of the connection, callers that wait for answers are woken.
struct Ends<'c>(&'c Connection);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

type Writing = Option<Box<dyn tokio::io::AsyncWrite + Send + Unpin>>;

/// Checks that a hello is that of a region, and that both understand each other.
///
/// # Errors
/// The reason for people.
pub(super) fn check(hello: &Hello, peer: &Peer) -> Result<(), String> {
    if hello.version != VERSION {
        return Err(format!("expected version {VERSION} of the protocol, found {}", hello.version));
    }
    if hello.sysid != peer.sysid {
        let (expected, found) = (shown(&peer.sysid), shown(&hello.sysid));
        return Err(format!("expected the region {expected}, found {found}"));
    }
    Ok(())
}
