//! Listeners, workers and the end of the process.
//!
//! Each worker is a thread with a runtime of its own. The first worker also accepts connections and hands them out in
//! turn. No connection ever moves between threads.

mod accept;
mod activity;
mod connection;
mod descriptors;
mod first_bytes;
pub(crate) mod heads;
mod http2;
mod places;
pub(crate) mod tls;
mod waiting;
mod worker;
mod write_limit;

use std::io::{self, IsTerminal};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use crate::config::{Listener, Settings};
use crate::live::{Listening, Live, Source};
use accept::Acceptor;
use admission::Hosts;
use descriptors::Reserve;
use places::{PerAddress, Places};
use tls::Tls;
use worker::{Entrance, Workers};

/// What can keep the gateway from serving.
#[derive(Debug)]
pub(crate) struct Error(String);

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Serves until a signal ends it; `started` is called with the addresses once all of them listen.
///
/// # Errors
/// An address cannot be listened on, or a thread or runtime cannot be made.
pub(crate) fn serve(
    settings: Settings,
    source: Source,
    started: impl FnOnce(&[Listening], Option<&Listening>),
) -> Result<(), Error> {
    let connections_max = descriptors::raise_limit(settings.gateway.limits.connections_max);
    let runtime = runtime().map_err(|error| Error(format!("no runtime: {error}")))?;
    runtime.block_on(run((settings, connections_max), source, started))
}

/// A runtime for one thread.
fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

async fn run(
    (settings, connections_max): (Settings, usize),
    source: Source,
    started: impl FnOnce(&[Listening], Option<&Listening>),
) -> Result<(), Error> {
    let (workers, shutdown_timeout) = (settings.workers, settings.shutdown_timeout);
    let (address_max, trusted) =
        (settings.gateway.limits.connections_per_address_max, settings.trusted_proxies.clone());
    let (listeners, admin) = (settings.listeners.clone(), settings.admin.clone());
    let reload_poll = settings.reload_poll;
    let live = Live::new(settings.into_loaded(), source)
        .map_err(|error| Error(format!("the gateway cannot begin: {error}")))?;
    let live = Arc::new(live);
    live.surround();
    let (stop, stopping) = watch::channel(false);
    let mut signals = Signals::new()?;

    let per_address = PerAddress {
        max: address_max,
        trusted,
        refused: live.metrics.connections_refused.clone(),
        taken: Arc::default(),
    };
    let places = Arc::new(Places::new(connections_max, Some(per_address)));
    let reserve = Arc::new(Reserve::default());
    reserve.fill();
    let (bound, shown) = bind_all(&listeners, admin.as_ref(), &places)?;
    let watched = bound.iter().filter_map(|bound| bound.tls.as_ref().map(Tls::watched)).collect();

    let (workers, ended) = Workers::start(workers, &live, &stopping, shutdown_timeout).map_err(Error)?;
    let workers = Arc::new(workers);
    for Bound { socket, tls, hosts, entrance, places } in bound {
        let (workers, reserve) = (Arc::clone(&workers), Arc::clone(&reserve));
        let acceptor = Acceptor { socket, tls, hosts, entrance, workers, places, reserve };
        tokio::spawn(acceptor.run(stopping.clone()));
    }
    if let Some(every) = reload_poll {
        tokio::spawn(Arc::clone(&live).watch(every));
    }
    if let Some(every) = live.gateway().security.reload_check() {
        tokio::spawn(Arc::clone(&live).watch_secrets(watched, every));
    }
    let (shown, admin) = shown.split_at(listeners.len());
    live.set_listening(shown);
    started(shown, admin.first());

    signals.end(&live).await;
    if io::stderr().is_terminal() {
        eprintln!("\nstopping: running requests may end, for {} s at most", shutdown_timeout.as_secs());
    }
    tracing::info!("stopping");
    live.stopping.store(true, Ordering::Relaxed);
    let _ = stop.send(true);
    tokio::select! {
        () = ended.wait(shutdown_timeout + Duration::from_millis(500)) => {}
        () = signals.end(&live) => tracing::warn!("stopped at once by a second signal"),
    }
    settle_region(&live).await;
    // After the last request: its line is in a queue by now.
    live.journals.flush(FLUSH_MAX).await;
    if let Some(traces) = &live.gateway().traces {
        traces.flush(FLUSH_MAX).await;
    }
    Ok(())
}

/// A listener with its socket, before it accepts.
struct Bound {
    socket: TcpListener,
    tls: Option<Arc<Tls>>,
    hosts: Arc<Hosts>,
    entrance: Entrance,
    places: Arc<Places>,
}

/// Binds the listeners of APIs, and then that of administration, which has places of its own: whoever uses up those of
/// the APIs does not keep the operator out.
fn bind_all(
    apis: &[Listener],
    admin: Option<&Listener>,
    places: &Arc<Places>,
) -> Result<(Vec<Bound>, Vec<Listening>), Error> {
    let admin_places = Arc::new(Places::with_guests(descriptors::ADMIN_CONNECTIONS_MAX));
    let entrance =
        |listener: &Listener| if listener.administration { Entrance::Shared } else { Entrance::Apis };
    let apis = apis.iter().map(|listener| (listener, entrance(listener), places));
    let admins = admin.into_iter().map(|listener| (listener, Entrance::Admin, &admin_places));
    let (mut bound, mut shown) = (Vec::new(), Vec::new());
    for (listener, entrance, places) in apis.chain(admins) {
        let (socket, tls) = bind(listener)?;
        shown.push(Listening { address: local_address(&socket)?, tls: listener.tls.is_some() });
        let (hosts, places) = (Arc::new(listener.hosts.clone()), Arc::clone(places));
        bound.push(Bound { socket, tls, hosts, entrance, places });
    }
    Ok((bound, shown))
}

/// Lets the region write how far its named counters have gone.
async fn settle_region(live: &Live) {
    let Some(region) = live.gateway().region.clone() else { return };
    let settling = tokio::task::spawn_blocking(move || region.settle_counters());
    if let Ok(Err(message)) = settling.await {
        tracing::warn!("named counters go on with gaps: {message}");
    }
}

/// How long lines of interceptors may take to be written, and spans to be sent, when the gateway stops.
const FLUSH_MAX: Duration = Duration::from_secs(5);

/// Waits until the gateway stops.
async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // An error means that the sender is gone, which is the end too.
    let _ = stopping.wait_for(|stop| *stop).await;
}

/// The signals that end the process, received from the beginning, so that none is lost.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// Asks for the files to be read again.
    hang_up: Signal,
}

impl Signals {
    fn new() -> Result<Self, Error> {
        let describe = |error: io::Error| Error(format!("signals cannot be received: {error}"));
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).map_err(describe)?,
            terminate: signal(SignalKind::terminate()).map_err(describe)?,
            hang_up: signal(SignalKind::hangup()).map_err(describe)?,
        })
    }

    /// Waits for a signal that ends the process; one that asks for a reload gets it.
    async fn end(&mut self, live: &Arc<Live>) {
        loop {
            tokio::select! {
                _ = self.interrupt.recv() => return,
                _ = self.terminate.recv() => return,
                _ = self.hang_up.recv() => {
                    let live = Arc::clone(live);
                    tokio::task::spawn_blocking(move || live.reload_unasked());
                }
            }
        }
    }
}

fn bind(listener: &Listener) -> Result<(TcpListener, Option<Arc<Tls>>), Error> {
    let tls = match &listener.tls {
        Some(files) => Some(Tls::new(files).map_err(Error)?),
        None => None,
    };
    Ok((listen(listener.address)?, tls))
}

/// Connections that the kernel holds until they are accepted: as many as it allows by default. It drops one beyond that,
/// and its client tries again after a second.
const LISTEN_BACKLOG: i32 = 4096;

fn listen(address: SocketAddr) -> Result<TcpListener, Error> {
    let open = || -> io::Result<TcpListener> {
        let domain = if address.is_ipv4() { socket2::Domain::IPV4 } else { socket2::Domain::IPV6 };
        let socket = socket2::Socket::new(domain, socket2::Type::STREAM, Some(socket2::Protocol::TCP))?;
        socket.set_reuse_address(true)?;
        socket.set_nonblocking(true)?;
        socket.bind(&address.into())?;
        socket.listen(LISTEN_BACKLOG)?;
        TcpListener::from_std(socket.into())
    };
    open().map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => Error(format!(
            "{address} is in use by another program; stop it, or choose another address (--listen, or [[listener]] in gantry.toml)"
        )),
        _ => Error(format!("cannot listen on {address}: {error}")),
    })
}

fn local_address(socket: &TcpListener) -> Result<SocketAddr, Error> {
    socket.local_addr().map_err(|error| Error(format!("a listener has no address: {error}")))
}
