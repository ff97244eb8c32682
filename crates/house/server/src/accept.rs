//! Accepts connections within the limits and hands them to the workers in turn.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::descriptors::Reserve;
use crate::places::Places;
use crate::tls::Tls;
use crate::worker::{Accepted, Entrance, Workers};
use admission::Hosts;

/// The pause after an error that only time can end, for example no free file descriptors.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

pub(crate) struct Acceptor {
    pub(crate) socket: TcpListener,
    pub(crate) tls: Option<Arc<Tls>>,
    pub(crate) name: Option<Arc<str>>,
    pub(crate) hosts: Arc<Hosts>,
    pub(crate) entrance: Entrance,
    pub(crate) workers: Arc<Workers>,
    pub(crate) places: Arc<Places>,
    pub(crate) reserve: Arc<Reserve>,
    /// Its end tells the workers that there are no more connections of callers. None for administration.
    pub(crate) _accepting: Option<Arc<watch::Sender<bool>>>,
}

impl Acceptor {
    /// Accepts until the gateway stops. Then the socket closes.
    pub(crate) async fn run(self, mut stopping: watch::Receiver<bool>) {
        loop {
            let accepted = tokio::select! {
                () = crate::stopped(&mut stopping) => return,
                accepted = self.accept_one() => accepted,
            };
            if let Some((stream, peer)) = accepted {
                self.hand_out(stream, peer, &mut stopping).await;
            }
        }
    }

    /// The next connection. None after a fault.
    async fn accept_one(&self) -> Option<(TcpStream, SocketAddr)> {
        // First fill the reserve for the admin address.
        if self.entrance != Entrance::Admin && !self.reserve.fill() {
            self.no_descriptors("no file descriptor is free (ulimit -n)");
            tokio::time::sleep(ACCEPT_RETRY).await;
            return None;
        }
        match self.socket.accept().await {
            Ok(accepted) => return Some(accepted),
            Err(error) if is_of_one_connection(&error) => {}
            Err(_) if self.entrance == Entrance::Admin && self.reserve.give() => {}
            Err(error) => {
                self.no_descriptors(&error.to_string());
                tokio::time::sleep(ACCEPT_RETRY).await;
            }
        }
        None
    }

    /// Gives a connection a place, and hands it to a worker. The place comes after the connection, so that an idle listener holds
    /// none. Beyond the limit, one connection of each listener waits here, and the others wait in the kernel's queue.
    async fn hand_out(&self, stream: TcpStream, peer: SocketAddr, stopping: &mut watch::Receiver<bool>) {
        self.reserve.fill();
        let Some(of_address) = self.places.of_address(peer.ip()) else {
            tracing::debug!("a connection is refused: {} has too many", peer.ip());
            return;
        };
        let place = self.places.enter_until(of_address, crate::stopped(stopping)).await;
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!("no TCP_NODELAY: {error}");
        }
        // Take the stream out of this thread's runtime, so that the worker's own runtime watches it.
        match stream.into_std() {
            Ok(stream) => {
                let tls = self.tls.as_deref().map(Tls::acceptor);
                let (address, entrance) = (peer.ip(), self.entrance);
                let (hosts, listener) = (Arc::clone(&self.hosts), self.name.clone());
                self.workers.hand_out(Accepted { stream, address, tls, hosts, listener, entrance, place });
            }
            Err(error) => tracing::error!("a connection is lost: {error}"),
        }
    }

    fn no_descriptors(&self, reason: &str) {
        if self.reserve.lines.may_say() {
            tracing::error!("connections cannot be accepted: {reason}");
        }
    }
}

/// True if the peer went away before it was accepted. This is not a fault of the gateway.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
    )
}
