//! Listeners, connections and HTTP: takes requests in and sends answers out.
//!
//! A connection goes this way:
//!
//! 1. `accept::Acceptor` accepts it on its listener. The connection takes a place (`places`) within
//!    the limits of all connections and of its address.
//! 2. The acceptor hands it to the next worker (`worker`). Each worker is a thread with its own
//!    runtime. The first worker also accepts. No connection ever moves between threads.
//! 3. `connection` does the TLS handshake if the listener has TLS (`tls`). The first bytes
//!    (`first_bytes`) show which HTTP the client speaks.
//! 4. hyper serves HTTP/1.1, behind `heads` (which refuses heads that hyper wrongly accepts) and
//!    behind `write_limit`. `http2` serves HTTP/2 with h2 itself.
//! 5. Each request goes to [`Answering`]. An answer waits for its client within limits (`waiting`).
//!
//! `service_manager` reports the process to systemd, and lets systemd keep the sockets until the
//! next process.
//!
//! An **entrance** is the purpose of a listener: APIs, administration, or both. A **guest** is a
//! connection that may be asked to leave when another one needs its place. **Activity** shows
//! whether a connection is idle.
//!
//! Deliberately absent: configuration files, and the meaning of requests. [`Answering`] gives the
//! answers.

mod accept;
mod activity;
mod connection;
mod descriptors;
mod first_bytes;
mod heads;
mod http2;
mod line_limit;
mod lingering;
mod listening;
mod passing;
mod places;
mod service_manager;
mod signals;
mod tls;
mod waiting;
mod worker;
mod write_limit;

use std::fmt::Display;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use admission::{Peer, Watched};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Body;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use settings::Network;
use tokio::sync::watch;

use crate::accept::Acceptor;
use crate::descriptors::Reserve;
use crate::listening::{Bound, bind_all};
use crate::places::{PerAddress, Places};
use crate::tls::Tls;
use crate::worker::{Ended, Entrance, Phases, Workers};

pub use crate::descriptors::raise_limit;
pub use crate::listening::{Listener, Listening, SocketOptions, check_free};
pub use crate::service_manager::ServiceManager;
pub use crate::signals::{Asked, Signals};
pub use crate::tls::server_config;

/// Why the process cannot serve: a text for people.
#[derive(Debug)]
pub struct Error(pub String);

impl Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Answers requests.
pub trait Answering: Send + Sync + 'static {
    /// Answers a request to an API.
    fn answer<B>(
        &self,
        peer: &Arc<Peer>,
        request: Request<B>,
    ) -> impl Future<Output = Response<Full<Bytes>>> + Send
    where
        B: Body<Data = Bytes> + Send + Unpin,
        B::Error: Display;

    /// Answers a request for administration.
    fn administer<B>(
        self: &Arc<Self>,
        peer: &Peer,
        request: Request<B>,
    ) -> impl Future<Output = Response<Full<Bytes>>> + Send
    where
        B: Body<Data = Bytes> + Send + Unpin,
        B::Error: Display;

    /// Whether a path belongs to administration on a listener that has both APIs and administration.
    fn is_shared(path: &str) -> bool;
}

/// The bytes of an answer that a client must take within [`Limits::response_write_timeout`].
pub const RESPONSE_WRITE_MIN_BYTES: usize = 4096;

/// Limits of connections and of their requests.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most connections at one time, over all listeners of APIs. More wait in the listen queue.
    pub connections_max: usize,
    /// The most connections at one time from one address. More are closed at once.
    pub connections_per_address_max: usize,
    /// The most headers of a request.
    pub header_count_max: usize,
    /// The most bytes of a request's line and headers together.
    pub header_max_bytes: usize,
    /// The time for the line and headers of a request, and between requests of one connection.
    pub header_read_timeout: Duration,
    /// The time in which the client must take [`RESPONSE_WRITE_MIN_BYTES`] of an answer, or all of
    /// its rest.
    pub response_write_timeout: Duration,
    /// The most bytes of answers that wait for their clients, over all connections.
    pub response_waiting_max_bytes: usize,
    /// Time for a TLS handshake.
    pub tls_handshake_timeout: Duration,
    /// The most requests at one time on an HTTP/2 connection.
    pub http2_streams_max: u32,
    /// The most streams of an HTTP/2 connection that may end because the client does not take their
    /// answers. One more ends the connection.
    pub http2_stalled_streams_max: usize,
}

/// The counters of the server.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Open connections, without those to the admin address.
    pub connections: Gauge,
    /// Connections that were closed at once because their address had too many.
    pub connections_refused: Counter,
    /// Bytes of answers that wait for their clients.
    pub answers_waiting: Gauge,
    /// Answers that ended because their clients did not take them.
    pub answers_not_taken: Counter,
}

/// The settings of the server.
#[derive(Clone, Debug)]
pub struct ServerSettings {
    /// The listeners for callers.
    pub listeners: Vec<Listener>,
    /// The listener for administration, if there is one.
    pub admin: Option<Listener>,
    /// Proxies. Their connections are not counted by address.
    pub trusted_proxies: Vec<Network>,
    /// The number of worker threads, at least one.
    pub workers: usize,
    /// Time for running requests to end when the process stops.
    pub shutdown_timeout: Duration,
    /// Limits of connections.
    pub limits: Limits,
    /// Its counters.
    pub counts: Counts,
}

/// A runtime for one thread. [`Server::start`] and the later calls run on it.
///
/// # Errors
/// The system refuses the needed resources.
pub fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// All running listeners and workers.
#[derive(Debug)]
pub struct Server {
    /// The addresses for callers, in the order of the settings.
    pub listening: Vec<Listening>,
    /// The address for administration.
    pub admin: Option<Listening>,
    stop: watch::Sender<bool>,
    close: watch::Sender<bool>,
    ended: Ended,
    shutdown_timeout: Duration,
}

impl Server {
    /// Binds all listeners, starts the workers and accepts connections. The manager gives the
    /// sockets that it has kept, and keeps the new ones. The second value has the files of
    /// certificates. The caller must check them for changes.
    ///
    /// # Errors
    /// An address is not available, a certificate cannot be read, or a thread or runtime cannot be
    /// made.
    pub fn start<A: Answering>(
        settings: ServerSettings,
        answering: &Arc<A>,
        manager: &mut ServiceManager,
    ) -> Result<(Self, Vec<Watched>), Error> {
        let ServerSettings { listeners, admin, trusted_proxies, workers, shutdown_timeout, limits, counts } =
            settings;
        let (stop, stopping) = watch::channel(false);
        let (close, closing) = watch::channel(false);
        let per_address = PerAddress {
            max: limits.connections_per_address_max,
            trusted: trusted_proxies,
            refused: counts.connections_refused.clone(),
            taken: Arc::default(),
        };
        let places = Arc::new(Places::new(limits.connections_max, Some(per_address)));
        let reserve = Arc::new(Reserve::default());
        reserve.fill();
        let (bound, mut listening) = bind_all(&listeners, admin.as_ref(), &places, manager)?;
        let watched = bound.iter().filter_map(|bound| bound.tls.as_ref().map(Tls::watched)).collect();

        let shared = worker::Shared { answering, limits: &limits, counts: &counts, shutdown_timeout };
        let (accepting, handed_out) = watch::channel(false);
        let (accepting, phases) = (Arc::new(accepting), Phases { stopping, handed_out, closing });
        let (workers, ended) = Workers::start(workers, &shared, &phases).map_err(Error)?;
        let workers = Arc::new(workers);
        for Bound { name, socket, tls, hosts, entrance, places } in bound {
            let (workers, reserve) = (Arc::clone(&workers), Arc::clone(&reserve));
            // A client that asks for readiness must hear that the gateway stops.
            let (until, accepts) = match entrance {
                Entrance::Admin => (&phases.closing, None),
                _ => (&phases.stopping, Some(Arc::clone(&accepting))),
            };
            let acceptor = Acceptor {
                name,
                socket,
                tls,
                hosts,
                entrance,
                workers,
                places,
                reserve,
                _accepting: accepts,
            };
            tokio::spawn(acceptor.run(until.clone()));
        }
        let admin = if admin.is_some() { listening.pop() } else { None };
        Ok((Self { listening, admin, stop, close, ended, shutdown_timeout }, watched))
    }

    /// Stops accepting, and waits until running requests have ended or their time is over. The
    /// admin address answers until then. True if all requests had their answers.
    pub async fn stop(self) -> bool {
        let _ = self.stop.send(true);
        let all_answered = self.ended.wait(self.shutdown_timeout + Duration::from_millis(500)).await;
        let _ = self.close.send(true);
        all_answered
    }
}

/// Waits until the process stops.
async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // An error means that the sender is gone. This is the end, too.
    let _ = stopping.wait_for(|stop| *stop).await;
}

/// How long a connection without a request stays open when the process stops. A request may be on
/// its way.
const LAST_REQUEST: Duration = Duration::from_millis(250);

/// Waits until the process stops, and then for requests that clients sent before they could know.
async fn dismissed(stopping: &mut watch::Receiver<bool>) {
    stopped(stopping).await;
    tokio::time::sleep(LAST_REQUEST).await;
}
