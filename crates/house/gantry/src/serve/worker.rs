//! Workers: threads that serve connections, each with a runtime of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio_rustls::TlsAcceptor;

use super::connection::Server;
use super::places::Place;
use super::waiting::Waiting;
use crate::live::Live;
use admission::Hosts;

/// What a listener is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entrance {
    /// APIs and their documents.
    Apis,
    /// Administration.
    Admin,
    /// APIs, and z/OS Connect's administration interface below its own path.
    Shared,
}

/// A connection on its way to a worker.
pub(super) struct Accepted {
    pub(super) stream: std::net::TcpStream,
    /// Where it comes from.
    pub(super) address: std::net::IpAddr,
    pub(super) tls: Option<TlsAcceptor>,
    /// The host names for which its listener answers.
    pub(super) hosts: Arc<Hosts>,
    pub(super) entrance: Entrance,
    /// Held as long as the connection is.
    pub(super) place: Place,
}

/// All workers.
pub(super) struct Workers {
    queues: Vec<mpsc::UnboundedSender<Accepted>>,
    next: AtomicUsize,
}

/// Tells when every worker has ended: each holds a sender, and nothing is ever sent.
pub(super) struct Ended(mpsc::Receiver<()>);

impl Ended {
    /// Waits until all workers have ended, or the time is up.
    pub(super) async fn wait(mut self, time: Duration) {
        let _ = tokio::time::timeout(time, self.0.recv()).await;
    }
}

impl Workers {
    /// Starts `count` workers: the first in this runtime, the others in threads.
    pub(super) fn start(
        count: usize,
        live: &Arc<Live>,
        stopping: &watch::Receiver<bool>,
        shutdown_timeout: Duration,
    ) -> Result<(Self, Ended), String> {
        let (running, ended) = mpsc::channel(1);
        let mut queues = Vec::new();
        let waiting = Waiting::new(live);
        for number in 0..count.max(1) {
            let (queue, connections) = mpsc::unbounded_channel();
            queues.push(queue);
            let worker = Worker {
                server: Arc::new(Server::new(live, &waiting)),
                connections,
                stopping: stopping.clone(),
                shutdown_timeout,
                _running: running.clone(),
            };
            if number == 0 {
                tokio::spawn(worker.run());
            } else {
                worker.start_thread(number)?;
            }
        }
        Ok((Self { queues, next: AtomicUsize::new(0) }, Ended(ended)))
    }

    /// Gives a connection to the next worker.
    pub(super) fn hand_out(&self, accepted: Accepted) {
        let next = self.next.fetch_add(1, Ordering::Relaxed) % self.queues.len();
        // A worker whose queue is closed has ended, as all do when the gateway stops.
        let _ = self.queues[next].send(accepted);
    }
}

struct Worker {
    server: Arc<Server>,
    connections: mpsc::UnboundedReceiver<Accepted>,
    stopping: watch::Receiver<bool>,
    shutdown_timeout: Duration,
    _running: mpsc::Sender<()>,
}

impl Worker {
    fn start_thread(self, number: usize) -> Result<(), String> {
        let runtime = super::runtime().map_err(|error| format!("no runtime for worker {number}: {error}"))?;
        std::thread::Builder::new()
            .name(format!("gantry-worker-{number}"))
            .spawn(move || runtime.block_on(self.run()))
            .map(drop)
            .map_err(|error| format!("no thread for worker {number}: {error}"))
    }

    /// Serves what it is given until the gateway stops, then lets running requests end.
    async fn run(mut self) {
        // Every connection holds a sender; nothing is ever sent.
        let (open, mut all_closed) = mpsc::channel::<()>(1);
        loop {
            tokio::select! {
                () = super::stopped(&mut self.stopping) => break,
                accepted = self.connections.recv() => match accepted {
                    Some(accepted) => self.serve(accepted, open.clone()),
                    None => break,
                },
            }
        }
        // What was accepted before is served too.
        self.connections.close();
        while let Ok(accepted) = self.connections.try_recv() {
            self.serve(accepted, open.clone());
        }
        drop(open);
        if tokio::time::timeout(self.shutdown_timeout, all_closed.recv()).await.is_err() {
            tracing::warn!("some requests did not end within the shutdown time");
        }
    }

    fn serve(&self, accepted: Accepted, open: mpsc::Sender<()>) {
        let server = Arc::clone(&self.server);
        let stopping = self.stopping.clone();
        tokio::spawn(async move {
            server.connection(accepted, stopping).await;
            drop(open);
        });
    }
}
