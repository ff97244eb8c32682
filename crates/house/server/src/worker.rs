//! Workers: threads that serve connections, each with its own runtime.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio_rustls::TlsAcceptor;

use crate::connection::Server;
use crate::places::Place;
use crate::waiting::Waiting;
use crate::{Answering, Counts, Limits};
use admission::Hosts;

/// The purpose of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entrance {
    /// APIs and their documents.
    Apis,
    /// Administration.
    Admin,
    /// APIs, and z/OS Connect's administration interface below its own path.
    Shared,
}

/// A connection for a worker.
pub(crate) struct Accepted {
    pub(crate) stream: std::net::TcpStream,
    /// The address of the client.
    pub(crate) address: std::net::IpAddr,
    pub(crate) tls: Option<TlsAcceptor>,
    /// The host names of its listener.
    pub(crate) hosts: Arc<Hosts>,
    pub(crate) listener: Option<Arc<str>>,
    pub(crate) entrance: Entrance,
    /// Its place, held until the connection ends.
    pub(crate) place: Place,
}

/// The common parts of all workers.
pub(crate) struct Shared<'s, A> {
    pub(crate) answering: &'s Arc<A>,
    pub(crate) limits: &'s Limits,
    pub(crate) counts: &'s Counts,
    /// Time for running requests to end when the process stops.
    pub(crate) shutdown_timeout: Duration,
}

/// How workers hear that the process stops.
pub(crate) struct Phases {
    /// True when no further calls are accepted and the running ones may end.
    pub(crate) stopping: watch::Receiver<bool>,
    /// Ends when the listeners of callers have handed out their last connections.
    pub(crate) handed_out: watch::Receiver<bool>,
    /// True when all calls have ended and administration must end, too.
    pub(crate) closing: watch::Receiver<bool>,
}

/// All workers.
pub(crate) struct Workers {
    queues: Vec<mpsc::UnboundedSender<Accepted>>,
    next: AtomicUsize,
}

/// Tells when every worker has let its requests end. Each worker holds a sender. It sends a message
/// only if its requests did not end in time.
#[derive(Debug)]
pub(crate) struct Ended(mpsc::Receiver<Cut>);

/// Requests had no answer within the shutdown time.
#[derive(Debug)]
struct Cut;

impl Ended {
    /// Waits until the requests of all workers have ended, or the time is over. True if they all
    /// ended.
    pub(crate) async fn wait(mut self, time: Duration) -> bool {
        let all = async {
            let mut all_ended = true;
            while let Some(Cut) = self.0.recv().await {
                all_ended = false;
            }
            all_ended
        };
        tokio::time::timeout(time, all).await.unwrap_or(false)
    }
}

impl Workers {
    /// Starts `count` workers: the first in this runtime, the others in threads.
    pub(crate) fn start<A: Answering>(
        count: usize,
        shared: &Shared<'_, A>,
        Phases { stopping, handed_out, closing }: &Phases,
    ) -> Result<(Self, Ended), String> {
        let (running, ended) = mpsc::channel(count.max(1));
        let mut queues = Vec::new();
        let waiting = Waiting::new(shared.limits, shared.counts);
        for number in 0..count.max(1) {
            let (queue, connections) = mpsc::unbounded_channel();
            queues.push(queue);
            let worker = Worker {
                server: Arc::new(Server::new(shared, &waiting)),
                connections,
                stopping: stopping.clone(),
                handed_out: handed_out.clone(),
                closing: closing.clone(),
                shutdown_timeout: shared.shutdown_timeout,
            };
            let running = running.clone();
            if number == 0 {
                tokio::spawn(worker.run(running));
            } else {
                worker.start_thread(number, running)?;
            }
        }
        Ok((Self { queues, next: AtomicUsize::new(0) }, Ended(ended)))
    }

    /// Gives a connection to the next worker.
    pub(crate) fn hand_out(&self, accepted: Accepted) {
        let next = self.next.fetch_add(1, Ordering::Relaxed) % self.queues.len();
        // A closed queue means that the worker has ended. All do so when the gateway stops.
        let _ = self.queues[next].send(accepted);
    }
}

struct Worker<A> {
    server: Arc<Server<A>>,
    connections: mpsc::UnboundedReceiver<Accepted>,
    /// True when no further calls are accepted and the running ones may end.
    stopping: watch::Receiver<bool>,
    /// Ends when the listeners of callers have handed out their last connections.
    handed_out: watch::Receiver<bool>,
    /// True when all calls have ended and administration must end, too.
    closing: watch::Receiver<bool>,
    shutdown_timeout: Duration,
}

impl<A: Answering> Worker<A> {
    fn start_thread(self, number: usize, running: mpsc::Sender<Cut>) -> Result<(), String> {
        let runtime = crate::runtime().map_err(|error| format!("no runtime for worker {number}: {error}"))?;
        std::thread::Builder::new()
            .name(format!("gantry-worker-{number}"))
            .spawn(move || runtime.block_on(self.run(running)))
            .map(drop)
            .map_err(|error| format!("no thread for worker {number}: {error}"))
    }

    /// Serves connections until the gateway stops, then lets running requests end. Administration
    /// goes on until the last request of all workers has ended.
    async fn run(mut self, running: mpsc::Sender<Cut>) {
        // Every connection holds a sender. Nothing is ever sent.
        let (open, mut all_closed) = mpsc::channel::<()>(1);
        loop {
            let stopped = async {
                crate::stopped(&mut self.stopping).await;
                crate::stopped(&mut self.handed_out).await;
            };
            tokio::select! {
                () = stopped => break,
                accepted = self.connections.recv() => match accepted {
                    Some(accepted) => self.serve(accepted, Some(open.clone())),
                    None => break,
                },
            }
        }
        // Connections accepted before the stop are served, too.
        while let Ok(accepted) = self.connections.try_recv() {
            self.serve(accepted, Some(open.clone()));
        }
        drop(open);
        let ended = async {
            if tokio::time::timeout(self.shutdown_timeout, all_closed.recv()).await.is_err() {
                tracing::warn!("some requests did not end within the shutdown time");
                // The channel has room for one message of each worker.
                let _ = running.try_send(Cut);
            }
            drop(running);
            let mut closing = self.closing.clone();
            crate::stopped(&mut closing).await;
        };
        let mut ended = pin!(ended);
        loop {
            tokio::select! {
                () = &mut ended => return,
                Some(accepted) = self.connections.recv() => self.serve(accepted, None),
            }
        }
    }

    /// Serves a connection. It holds `open` as long as the worker must wait for it.
    fn serve(&self, accepted: Accepted, open: Option<mpsc::Sender<()>>) {
        let server = Arc::clone(&self.server);
        let stopping = self.stopping.clone();
        tokio::spawn(async move {
            server.connection(accepted, stopping).await;
            drop(open);
        });
    }
}
