//! `gantry serve`: the gateway and its server, from the start of the process to its end.

use std::fmt::Display;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ::administration::paths;
use admission::Peer;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Body;
use server::{
    Answering, Asked, Counts, Error, Limits, Listening, Server, ServerSettings, ServiceManager, Signals,
};

use crate::administration;
use crate::live::Live;
use configuration::{Settings, Source};

/// Serves until a signal ends the process. `started` gets the addresses when all of them listen.
///
/// # Errors
/// An address is not available, a thread or runtime cannot be made, or requests had no answer at
/// the end.
pub(crate) fn serve(
    settings: Settings,
    source: Source,
    started: impl FnOnce(&[Listening], Option<&Listening>),
) -> Result<(), Error> {
    let manager = ServiceManager::from_environment();
    let connections_max =
        server::raise_limit(settings.gateway.limits.connections_max, settings.groups.sockets_max());
    let runtime = server::runtime().map_err(|error| Error(format!("no runtime: {error}")))?;
    runtime.block_on(run(Serving { settings, connections_max, manager }, source, started))
}

/// The served configuration.
struct Serving {
    settings: Settings,
    /// The limit of connections by available file descriptors.
    connections_max: usize,
    /// The service manager, for reports about the process.
    manager: ServiceManager,
}

async fn run(
    Serving { settings, connections_max, mut manager }: Serving,
    source: Source,
    started: impl FnOnce(&[Listening], Option<&Listening>),
) -> Result<(), Error> {
    let reload_poll = settings.reload_poll;
    let shutdown_timeout = settings.shutdown_timeout;
    let server = ServerSettings {
        listeners: settings.listeners.clone(),
        admin: settings.admin.clone(),
        trusted_proxies: settings.trusted_proxies.clone(),
        workers: settings.workers,
        shutdown_timeout,
        limits: Limits { connections_max, ..limits(&settings.gateway.limits) },
        counts: Counts::default(),
    };
    let live = Live::new(settings.into_loaded(), source)
        .map_err(|error| Error(format!("the gateway cannot begin: {error}")))?;
    let live = Arc::new(live);
    live.gateway().security.keep_fresh();
    live.surround().map_err(|error| Error(format!("no thread for listeners of queues: {error}")))?;
    let mut signals = Signals::new()?;
    let (server, watched) =
        Server::start(ServerSettings { counts: counts(&live), ..server }, &live, &mut manager)?;
    if let Some(every) = reload_poll {
        tokio::spawn(Arc::clone(&live).watch(every));
    }
    if let Some(every) = live.gateway().security.reload_check() {
        tokio::spawn(Arc::clone(&live).watch_secrets(watched, every));
    }
    tokio::spawn(Arc::clone(&live).watch_certificates(CERTIFICATES_LOOK_EVERY));
    live.set_listening(&server.listening);
    started(&server.listening, server.admin.as_ref());
    if let Some(file) = live.store_file() {
        tracing::info!("the store is {}", file.display());
    }
    let manager = Told { status: status(&server).into(), manager: manager.into() };
    manager.ready();

    end_asked(&mut signals, &live, &manager).await;
    manager.manager.stopping();
    if io::stderr().is_terminal() {
        eprintln!("\nstopping: running requests may end, for {} s at most", shutdown_timeout.as_secs());
    }
    tracing::info!("stopping");
    live.stopping.store(true, Ordering::Relaxed);
    // Callers that wait for a message get their answers now.
    live.listeners.stop();
    live.queues.stop();
    let cut = tokio::select! {
        all_answered = ended(server.stop(), &live, shutdown_timeout) => {
            (!all_answered).then(|| format!("requests had no answer within {} ms (server.shutdown_timeout_ms)", shutdown_timeout.as_millis()))
        }
        () = asked_again(&mut signals, &live, &manager) => {
            tracing::warn!("stopped at once by a second signal");
            Some("requests had no answer: stopped at once by a second signal".to_owned())
        }
    };
    settle_region(&live).await;
    flush_store(&live).await;
    // Do this after the last request, when its line is in a queue.
    live.journals.flush(FLUSH_MAX).await;
    if let Some(traces) = &live.gateway().traces {
        traces.flush(FLUSH_MAX).await;
    }
    cut.map_or(Ok(()), |message| Err(Error(message)))
}

/// Waits for the end of the server and of the listeners' messages. True if all requests had their
/// answers.
async fn ended(server: impl Future<Output = bool>, live: &Live, most: Duration) -> bool {
    let (all_answered, drained) = tokio::join!(server, live.listeners.drained(most));
    if !drained {
        tracing::warn!("messages of listeners go back to their queues: their time is up");
    }
    all_answered
}

/// The server's part of the limits.
fn limits(limits: &gateway::Limits) -> Limits {
    Limits {
        connections_max: limits.connections_max,
        connections_per_address_max: limits.connections_per_address_max,
        header_count_max: limits.header_count_max,
        header_max_bytes: limits.header_max_bytes,
        header_read_timeout: Duration::from_millis(limits.header_read_timeout_ms),
        response_write_timeout: Duration::from_millis(limits.response_write_timeout_ms),
        response_waiting_max_bytes: limits.response_waiting_max_bytes,
        tls_handshake_timeout: Duration::from_millis(limits.tls_handshake_timeout_ms),
        http2_streams_max: limits.http2_streams_max,
        http2_stalled_streams_max: limits.http2_stalled_streams_max,
    }
}

/// The metrics of the server.
fn counts(live: &Live) -> Counts {
    Counts {
        connections: live.metrics.connections.clone(),
        connections_refused: live.metrics.connections_refused.clone(),
        answers_waiting: live.metrics.answers_waiting.clone(),
        answers_not_taken: live.metrics.answers_not_taken.clone(),
    }
}

impl Answering for Live {
    /// The gateway that serves when the request comes decides everything about it.
    async fn answer<B>(&self, peer: &Arc<Peer>, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: Body<Data = Bytes> + Send + Unpin,
        B::Error: Display,
    {
        let gateway = self.gateway();
        gateway::answer(&gateway, peer, request).await
    }

    async fn administer<B>(self: &Arc<Self>, peer: &Peer, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: Body<Data = Bytes> + Send + Unpin,
        B::Error: Display,
    {
        administration::answer(self, peer, request).await
    }

    fn is_shared(path: &str) -> bool {
        paths::is_shared(path)
    }
}

/// Lets the region write its named counters.
async fn settle_region(live: &Live) {
    let Some(region) = live.gateway().region.clone() else { return };
    let settling = tokio::task::spawn_blocking(move || region.settle_counters());
    if let Ok(Err(message)) = settling.await {
        tracing::warn!("named counters go on with gaps: {message}");
    }
}

/// Lets the store write waiting data to the disk, mainly gets that were answered before.
async fn flush_store(live: &Arc<Live>) {
    let live = Arc::clone(live);
    if let Ok(Err(error)) = tokio::task::spawn_blocking(move || live.flush_store()).await {
        tracing::warn!("the store: {error}");
    }
}

/// How often a running gateway looks whether certificates end.
const CERTIFICATES_LOOK_EVERY: Duration = Duration::from_secs(24 * 60 * 60);

/// The longest time for lines of interceptors and for spans when the gateway stops.
const FLUSH_MAX: Duration = Duration::from_secs(5);

/// Waits for a signal that ends the process. Meanwhile it carries out reloads.
async fn end_asked(signals: &mut Signals, live: &Arc<Live>, told: &Told) {
    while signals.next().await == Asked::Reload {
        told.manager.reloading();
        let (live, told) = (Arc::clone(live), told.clone());
        tokio::task::spawn_blocking(move || {
            live.reload_unasked();
            told.ready();
        });
    }
}

/// One act may send a signal twice, as GNU timeout does: to the process, and to its group.
const ONE_ACT_MAX: Duration = Duration::from_millis(50);

/// Waits for a signal of another act than the first.
async fn asked_again(signals: &mut Signals, live: &Arc<Live>, told: &Told) {
    let act_ends = tokio::time::Instant::now() + ONE_ACT_MAX;
    while tokio::time::timeout_at(act_ends, end_asked(signals, live, told)).await.is_ok() {}
    end_asked(signals, live, told).await;
}

/// The service manager, and the status for it.
#[derive(Clone)]
struct Told {
    manager: Arc<ServiceManager>,
    status: Arc<str>,
}

impl Told {
    fn ready(&self) {
        self.manager.ready(&self.status);
    }
}

/// The addresses of the process in one line.
fn status(server: &Server) -> String {
    let addresses: Vec<String> =
        server.listening.iter().map(|listening| listening.address.to_string()).collect();
    format!("serves on {}", addresses.join(", "))
}
