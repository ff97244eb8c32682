//! HTTP/2: the requests of one connection, and answers that its client must take.
//!
//! h2 gets only as much of an answer as the client's windows allow. So a stream with too slow a
//! client can be ended here, and the waiting bytes can be counted.

mod answer;
mod backlog;
mod received;

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use h2::server::{Builder, Connection, SendResponse};
use h2::{Ping, PingPong, Reason, RecvStream};
use http::Request;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Notify, watch};
use tokio::time::MissedTickBehavior;

use crate::activity::{RequestCounts, Running, Stuck};
use crate::connection::Caller;
use crate::waiting::Waiting;
use crate::{Answering, Limits};
use answer::Reply;
use backlog::Counted;
pub(crate) use backlog::{Backlog, CONNECTION_BUFFER_BYTES};
use received::{Received, Rests};

/// The most bytes of request bodies before they are read: of a stream, and of a connection.
const WINDOW_BYTES: u32 = 1024 * 1024;
/// The most streams that may end by an error of the client before the connection ends.
const ERROR_RESETS_MAX: usize = 1024;

/// The settings of HTTP/2.
pub(crate) struct Http2 {
    builder: Builder,
    /// The client's first frames and its answer to a ping must come within this time. After this
    /// time without requests, or up to twice this time, the connection ends.
    idle_timeout: Duration,
    stalled_max: usize,
    waiting: Waiting,
}

/// The client of a connection: the sender of its requests, and the backlog of its answers.
pub(crate) struct Client<A> {
    pub(crate) caller: Arc<Caller<A>>,
    /// The same count that the connection's writer uses.
    pub(crate) backlog: Backlog,
}

/// The common parts of a connection's streams.
struct Shared<A> {
    caller: Arc<Caller<A>>,
    backlog: Backlog,
    waiting: Waiting,
    stalled: AtomicUsize,
    stalled_max: usize,
    hopeless: Notify,
    rests: Rests,
}

impl Http2 {
    pub(crate) fn new(limits: &Limits, waiting: &Waiting) -> Self {
        let mut builder = Builder::new();
        builder
            .initial_window_size(WINDOW_BYTES)
            .initial_connection_window_size(WINDOW_BYTES)
            .max_concurrent_streams(limits.http2_streams_max)
            .max_header_list_size(u32::try_from(limits.header_max_bytes).unwrap_or(u32::MAX))
            .max_local_error_reset_streams(Some(ERROR_RESETS_MAX))
            .max_send_buffer_size(CONNECTION_BUFFER_BYTES);
        Self {
            builder,
            idle_timeout: limits.header_read_timeout,
            stalled_max: limits.http2_stalled_streams_max,
            waiting: waiting.clone(),
        }
    }

    /// Serves a connection to its end.
    pub(crate) async fn serve<S, A: Answering>(
        &self,
        stream: S,
        client: Client<A>,
        mut stopping: watch::Receiver<bool>,
    ) where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let handshake = tokio::time::timeout(self.idle_timeout, self.builder.handshake(stream));
        let connection = tokio::select! {
            () = crate::dismissed(&mut stopping) => return,
            connection = handshake => match connection {
                Ok(Ok(connection)) => connection,
                Ok(Err(error)) => return tracing::debug!("connection ended: {error}"),
                Err(_) => return tracing::debug!("connection ended: no HTTP/2 in time"),
            },
        };
        let shared = Arc::new(Shared {
            caller: client.caller,
            backlog: client.backlog,
            waiting: self.waiting.clone(),
            stalled: AtomicUsize::new(0),
            stalled_max: self.stalled_max,
            hopeless: Notify::new(),
            rests: Rests::default(),
        });
        self.requests(connection, &shared, stopping).await;
    }

    async fn requests<S, A: Answering>(
        &self,
        mut connection: Connection<S, Counted>,
        shared: &Arc<Shared<A>>,
        mut stopping: watch::Receiver<bool>,
    ) where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let mut pulse = Pulse { pings: connection.ping_pong(), asked: false, begun: None, ending: false };
        let mut ticks = tokio::time::interval(self.idle_timeout);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ticks.reset();
        let mut stop = pin!(crate::stopped(&mut stopping));
        let mut hopeless = pin!(shared.hopeless.notified());
        let (mut stopped, mut given_up) = (false, false);
        loop {
            tokio::select! {
                biased;
                accepted = connection.accept() => match accepted {
                    Some(Ok((request, respond))) => {
                        // It runs from now on, and not only when its task is polled.
                        let running = shared.caller.activity.begin();
                        tokio::spawn(stream(Arc::clone(shared), running, (request, respond)));
                    }
                    Some(Err(error)) => return tracing::debug!("connection ended: {error}"),
                    None => return,
                },
                () = stop.as_mut(), if !stopped => {
                    stopped = true;
                    pulse.ending = true;
                    connection.graceful_shutdown();
                }
                () = hopeless.as_mut(), if !given_up => {
                    given_up = true;
                    tracing::debug!("connection ends: its client does not take its answers");
                    connection.abrupt_shutdown(Reason::ENHANCE_YOUR_CALM);
                }
                _ = ticks.tick() => match pulse.beat(shared.caller.activity.counts()) {
                    Beat::Alive if given_up => return,
                    Beat::Alive => {}
                    Beat::Idle => connection.graceful_shutdown(),
                    Beat::Dead => return tracing::debug!("connection ended: its client is gone"),
                },
            }
        }
    }
}

/// Checks from time to time whether a client is there and sends requests.
struct Pulse {
    pings: Option<PingPong>,
    /// True if a ping has no answer yet.
    asked: bool,
    /// The requests begun at the last beat; none before the first.
    begun: Option<u64>,
    /// True if no more requests may come.
    ending: bool,
}

enum Beat {
    Alive,
    /// No request has begun since the last beat.
    Idle,
    /// The client answers no ping, or keeps an ended connection open.
    Dead,
}

impl Pulse {
    fn beat(&mut self, RequestCounts { begun, running }: RequestCounts) -> Beat {
        let quiet = running == 0 && self.begun.replace(begun) == Some(begun);
        if self.asked && !self.is_answered() {
            return Beat::Dead;
        }
        if quiet && self.ending {
            return Beat::Dead;
        }
        if quiet {
            self.ending = true;
            return Beat::Idle;
        }
        self.asked = self.pings.as_mut().is_some_and(|pings| pings.send_ping(Ping::opaque()).is_ok());
        Beat::Alive
    }

    fn is_answered(&mut self) -> bool {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        self.pings.as_mut().is_none_or(|pings| pings.poll_pong(&mut context).is_ready())
    }
}

impl<A> Shared<A> {
    /// Notes that a stream ends because its client does not take the answer. Too many such streams
    /// end the connection.
    fn stalled(&self) {
        self.waiting.given_up();
        if self.stalled.fetch_add(1, Ordering::Relaxed) >= self.stalled_max {
            self.hopeless.notify_one();
        }
    }

    /// Notes that a client took an answer that had to wait. It is only slow.
    fn taken(&self) {
        let less = |count: usize| count.checked_sub(1);
        let _ = self.stalled.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }
}

/// Serves one request.
async fn stream<A: Answering>(
    shared: Arc<Shared<A>>,
    // The request runs until the client has its answer.
    running: Running,
    (request, mut respond): (Request<RecvStream>, SendResponse<Counted>),
) {
    let without_body = request.method() == http::Method::HEAD;
    let response = {
        let request = request.map(|stream| Received::new(stream, &shared.rests));
        let mut answering = pin!(shared.caller.answer(request));
        tokio::select! {
            biased;
            response = answering.as_mut() => response,
            // The client has cancelled it.
            _ = std::future::poll_fn(|context| respond.poll_reset(context)) => return,
        }
    };
    match shared.send(respond, Reply { response, without_body }).await {
        Ok(None) => {}
        // The new task is small, and the one that made the answer ends.
        Ok(Some(waiting)) => drop(tokio::spawn(async move {
            let _stuck = Stuck::new(&shared.caller.activity);
            if let Err(error) = shared.send_waiting(waiting).await {
                tracing::debug!("an answer is not sent: {error}");
            }
            drop(running);
        })),
        Err(error) => tracing::debug!("an answer is not sent: {error}"),
    }
}
