//! The sockets that are listened on.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use admission::Hosts;
use admission::config::TlsFiles;
use tokio::net::TcpListener;

use crate::Error;
use crate::descriptors::ADMIN_CONNECTIONS_MAX;
use crate::places::Places;
use crate::tls::Tls;
use crate::worker::Entrance;

/// An address to serve on.
#[derive(Clone, Debug)]
pub struct Listener {
    /// The address; port 0 lets the system choose one.
    pub address: SocketAddr,
    /// Files of certificates; without them there is no TLS.
    pub tls: Option<TlsFiles>,
    /// Administration is here, too, below the paths that [`crate::Answering::is_shared`] knows.
    pub administration: bool,
    /// The host names for which it answers.
    pub hosts: Hosts,
}

impl Listener {
    /// One without TLS, with the usual host names.
    #[must_use]
    pub fn plain(address: SocketAddr) -> Self {
        Self { address, tls: None, administration: false, hosts: Hosts::of(address.ip(), None) }
    }
}

/// A listener with its address, the port filled in where the configuration says 0.
#[derive(Clone, Debug)]
pub struct Listening {
    /// Where it listens.
    pub address: SocketAddr,
    /// It has TLS.
    pub tls: bool,
}

/// A listener with its socket, before it accepts.
pub(crate) struct Bound {
    pub(crate) socket: TcpListener,
    pub(crate) tls: Option<Arc<Tls>>,
    pub(crate) hosts: Arc<Hosts>,
    pub(crate) entrance: Entrance,
    pub(crate) places: Arc<Places>,
}

/// Binds the listeners of APIs, and then that of administration, which has places of its own: whoever uses up those of
/// the APIs does not keep the operator out.
pub(crate) fn bind_all(
    apis: &[Listener],
    admin: Option<&Listener>,
    places: &Arc<Places>,
) -> Result<(Vec<Bound>, Vec<Listening>), Error> {
    let admin_places = Arc::new(Places::with_guests(ADMIN_CONNECTIONS_MAX));
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
