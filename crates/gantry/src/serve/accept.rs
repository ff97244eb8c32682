//! Accepting connections: as many as the limit allows, handed to the workers in turn.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

use super::tls::Tls;
use super::worker::{Accepted, Entrance, Workers};
use crate::hosts::Hosts;

/// Pause after an error that passes only with time, such as no free file descriptors.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

pub(super) struct Acceptor {
    pub(super) socket: TcpListener,
    pub(super) tls: Option<Arc<Tls>>,
    pub(super) hosts: Arc<Hosts>,
    pub(super) entrance: Entrance,
    pub(super) workers: Arc<Workers>,
    pub(super) connections: Arc<Semaphore>,
}

impl Acceptor {
    /// Accepts until the gateway stops; then the socket closes.
    pub(super) async fn run(self, mut stopping: watch::Receiver<bool>) {
        loop {
            tokio::select! {
                () = super::stopped(&mut stopping) => return,
                () = self.accept_one() => {}
            }
        }
    }

    async fn accept_one(&self) {
        // The permit is taken after the connection, so that a listener without any holds none. Beyond the limit one
        // connection of each listener waits here, the others in the kernel's queue.
        match self.socket.accept().await {
            Ok((stream, peer)) => {
                let Ok(permit) = Arc::clone(&self.connections).acquire_owned().await else { return };
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!("no TCP_NODELAY: {error}");
                }
                // Taken from this thread's runtime, so that the worker's own watches it.
                match stream.into_std() {
                    Ok(stream) => {
                        let tls = self.tls.as_deref().map(Tls::acceptor);
                        let (address, entrance) = (peer.ip(), self.entrance);
                        let hosts = Arc::clone(&self.hosts);
                        self.workers.hand_out(Accepted { stream, address, tls, hosts, entrance, permit });
                    }
                    Err(error) => tracing::error!("a connection is lost: {error}"),
                }
            }
            Err(error) => {
                if !is_of_one_connection(&error) {
                    tracing::error!("connections cannot be accepted: {error}");
                    tokio::time::sleep(ACCEPT_RETRY).await;
                }
            }
        }
    }
}

/// The peer went away before it was accepted: nothing of ours is wrong.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
    )
}
