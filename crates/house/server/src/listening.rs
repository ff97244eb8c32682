//! The sockets of the listeners.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use admission::Hosts;
use admission::config::TlsFiles;
use tokio::net::TcpListener;

use crate::Error;
use crate::descriptors::ADMIN_CONNECTIONS_MAX;
use crate::places::Places;
use crate::service_manager::ServiceManager;
use crate::tls::Tls;
use crate::worker::Entrance;

/// An address to serve.
#[derive(Clone, Debug)]
pub struct Listener {
    /// Its name for pipelines.
    pub name: Option<Arc<str>>,
    /// The address; port 0 lets the system choose one.
    pub address: SocketAddr,
    /// Files of certificates; without them there is no TLS.
    pub tls: Option<TlsFiles>,
    /// True if administration is here, too, below the paths of [`crate::Answering::is_shared`].
    pub administration: bool,
    /// Its host names.
    pub hosts: Hosts,
    /// Options of the sockets of its connections.
    pub sockets: SocketOptions,
}

/// Options of accepted sockets. Options that the kernel lacks are skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SocketOptions {
    /// The shortest time before a retransmission, 8 to 200 ms; none for the kernel's value.
    pub rto_min: Option<Duration>,
    /// The longest time between retransmissions, at least 1 s; none for the kernel's value.
    pub rto_max: Option<Duration>,
    /// How long sent bytes may stay without an acknowledgement; none for the kernel's value.
    pub user_timeout: Option<Duration>,
}

impl SocketOptions {
    /// Sets them on a socket that will listen. Accepted sockets inherit them.
    fn set(self, socket: &socket2::Socket) -> io::Result<()> {
        let support = sockets::support();
        if let Some(time) = self.rto_min.filter(|_| support.rto_min) {
            sockets::set_rto_min(socket, time)?;
        }
        if let Some(time) = self.rto_max.filter(|_| support.rto_max) {
            sockets::set_rto_max(socket, time)?;
        }
        match self.user_timeout {
            Some(_) => socket.set_tcp_user_timeout(self.user_timeout),
            None => Ok(()),
        }
    }

    /// The keys of wanted options that this kernel lacks.
    fn missing(self) -> Vec<&'static str> {
        let support = sockets::support();
        let wanted = [
            ("rto_min_ms", self.rto_min.is_some() && !support.rto_min),
            ("rto_max_ms", self.rto_max.is_some() && !support.rto_max),
        ];
        wanted.into_iter().filter(|(_, is_missing)| *is_missing).map(|(key, _)| key).collect()
    }
}

impl Listener {
    /// A listener without TLS, with the usual host names.
    #[must_use]
    pub fn plain(address: SocketAddr) -> Self {
        let hosts = Hosts::of(address.ip(), None);
        let sockets = SocketOptions::default();
        Self { name: None, address, tls: None, administration: false, hosts, sockets }
    }
}

/// The real address of a listener, where the configuration may have port 0.
#[derive(Clone, Debug)]
pub struct Listening {
    /// The address.
    pub address: SocketAddr,
    /// True if it has TLS.
    pub tls: bool,
}

/// A listener with its socket, before it accepts.
pub(crate) struct Bound {
    pub(crate) name: Option<Arc<str>>,
    pub(crate) socket: TcpListener,
    pub(crate) tls: Option<Arc<Tls>>,
    pub(crate) hosts: Arc<Hosts>,
    pub(crate) entrance: Entrance,
    pub(crate) places: Arc<Places>,
}

/// Binds the listeners of APIs, and then that of administration. Administration has its own places,
/// so a flood of API connections does not keep operators out.
///
/// An address whose socket the service manager has kept is not bound again.
pub(crate) fn bind_all(
    apis: &[Listener],
    admin: Option<&Listener>,
    places: &Arc<Places>,
    manager: &mut ServiceManager,
) -> Result<(Vec<Bound>, Vec<Listening>), Error> {
    let admin_places = Arc::new(Places::with_guests(ADMIN_CONNECTIONS_MAX));
    let entrance =
        |listener: &Listener| if listener.administration { Entrance::Shared } else { Entrance::Apis };
    let apis = apis.iter().map(|listener| (listener, entrance(listener), places));
    let admins = admin.into_iter().map(|listener| (listener, Entrance::Admin, &admin_places));
    let all: Vec<_> = apis.chain(admins).collect();
    let kept: Vec<_> = all.iter().map(|(listener, ..)| manager.take(listener.address)).collect();
    manager.close_others();
    let (mut bound, mut shown) = (Vec::new(), Vec::new());
    for ((listener, entrance, places), kept) in all.into_iter().zip(kept) {
        let tls = listener.tls.as_ref().map(Tls::new).transpose().map_err(Error)?;
        let socket = open(listener, kept)?;
        // A port that the system chooses differs the next time.
        if listener.address.port() != 0 {
            manager.keep(listener.address, &socket);
        }
        shown.push(Listening { address: local_address(&socket)?, tls: listener.tls.is_some() });
        let (hosts, places) = (Arc::new(listener.hosts.clone()), Arc::clone(places));
        let name = listener.name.clone();
        bound.push(Bound { name, socket, tls, hosts, entrance, places });
    }
    Ok((bound, shown))
}

/// The socket of a listener: a kept one, or a new one. Both get the options of the configuration.
fn open(listener: &Listener, kept: Option<std::net::TcpListener>) -> Result<TcpListener, Error> {
    let (address, options) = (listener.address, listener.sockets);
    let missing = options.missing();
    if !missing.is_empty() {
        let keys = missing.join(" and ");
        tracing::warn!(
            "{address}: this kernel does not have {keys} (Linux 6.15); `ip route change ROUTE rto_min 20ms` sets the first for a route"
        );
    }
    let Some(kept) = kept else { return listen(address, options) };
    let again = || -> io::Result<TcpListener> {
        let kept = socket2::Socket::from(kept);
        options.set(&kept)?;
        TcpListener::from_std(kept.into())
    };
    again().map_err(|error| Error(format!("cannot listen on {address} again: {error}")))
}

/// The most connections in the kernel's queue before they are accepted, the kernel's own default
/// limit. The kernel drops further ones, and their clients try again after a second.
const LISTEN_BACKLOG: i32 = 4096;

fn listen(address: SocketAddr, options: SocketOptions) -> Result<TcpListener, Error> {
    let open = || -> io::Result<TcpListener> {
        let socket = bound(address)?;
        options.set(&socket)?;
        socket.listen(LISTEN_BACKLOG)?;
        TcpListener::from_std(socket.into())
    };
    open().map_err(|error| refused(address, &error))
}

/// Checks that an address can be had, before long work. The address is released again; another program may still
/// take it. Sockets that a service manager has kept have their addresses already, so it looks at none then.
///
/// # Errors
/// It cannot be had: the reason.
pub fn check_free(address: SocketAddr) -> Result<(), Error> {
    if std::env::var_os("LISTEN_FDS").is_some() {
        return Ok(());
    }
    bound(address).map(|_| ()).map_err(|error| refused(address, &error))
}

/// A socket on an address, which does not listen yet.
fn bound(address: SocketAddr) -> io::Result<socket2::Socket> {
    let domain = if address.is_ipv4() { socket2::Domain::IPV4 } else { socket2::Domain::IPV6 };
    let socket = socket2::Socket::new(domain, socket2::Type::STREAM, Some(socket2::Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    Ok(socket)
}

fn refused(address: SocketAddr, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::AddrInUse => Error(format!(
            "{address} is in use by another program; stop it, or choose another address: --listen or [[listener]] for requests, --admin or [admin] for administration"
        )),
        _ => Error(format!("cannot listen on {address}: {error}")),
    }
}

fn local_address(socket: &TcpListener) -> Result<SocketAddr, Error> {
    socket.local_addr().map_err(|error| Error(format!("a listener has no address: {error}")))
}
