//! One connection: TLS if the listener has it, then HTTP/1.1 or HTTP/2, whichever the client speaks.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use security::CertificateNames;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::watch;

use super::first_bytes::FirstBytes;
use super::worker::{Accepted, Entrance};
use super::write_limit::WriteLimit;
use super::{admin, zos_connect};
use crate::handler::handle;
use crate::live::Live;
use crate::security::Peer;

/// How one worker serves connections.
pub(super) struct Server {
    live: Arc<Live>,
    http: auto::Builder<TokioExecutor>,
    handshake_timeout: Duration,
    first_bytes_timeout: Duration,
    write_timeout: Duration,
    idle_timeout: Duration,
}

impl Server {
    /// What is set here holds for the connections of the process; a changed configuration does not change it.
    pub(super) fn new(live: &Arc<Live>) -> Self {
        let limits = live.gateway().limits;
        let mut http = auto::Builder::new(TokioExecutor::new());
        // A client that has sent all that it will send still gets its answers. One that is gone looks the same, so its
        // request runs on, for the service's time at most.
        // Without pipeline_flush: it holds answers back while bytes of a next request are there, and loses them when
        // the connection ends so.
        http.http1()
            .timer(TokioTimer::new())
            .header_read_timeout(Duration::from_millis(limits.header_read_timeout_ms))
            .max_headers(limits.header_count_max)
            .max_buf_size(limits.header_max_bytes)
            .half_close(true);
        http.http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(limits.http2_streams_max)
            .max_header_list_size(u32::try_from(limits.header_max_bytes).unwrap_or(u32::MAX))
            .keep_alive_interval(Duration::from_millis(limits.header_read_timeout_ms));
        Self {
            live: Arc::clone(live),
            http,
            handshake_timeout: Duration::from_millis(limits.tls_handshake_timeout_ms),
            first_bytes_timeout: Duration::from_millis(limits.header_read_timeout_ms),
            write_timeout: Duration::from_millis(limits.response_write_timeout_ms),
            idle_timeout: Duration::from_millis(limits.header_read_timeout_ms),
        }
    }

    /// Serves a connection to its end. A handshake that is not done when the gateway stops is given up.
    pub(super) async fn connection(&self, accepted: Accepted, mut stopping: watch::Receiver<bool>) {
        let Accepted { stream, address, tls, hosts, entrance, permit } = accepted;
        let plain = Peer { address, secure: false, hosts, certificate: None };
        // Administration is not counted: what reads the figures does not change them.
        let counted = (entrance != Entrance::Admin).then_some(&self.live.metrics.connections);
        if let Some(gauge) = counted {
            gauge.inc();
        }
        match (TcpStream::from_std(stream), tls) {
            (Err(error), _) => tracing::error!("a connection is lost: {error}"),
            (Ok(stream), None) => self.http(stream, (entrance, plain), stopping).await,
            (Ok(stream), Some(acceptor)) => {
                let handshake = tokio::time::timeout(self.handshake_timeout, acceptor.accept(stream));
                tokio::select! {
                    () = super::stopped(&mut stopping) => {}
                    done = handshake => match done {
                        Ok(Ok(stream)) => {
                            let certificates = stream.get_ref().1.peer_certificates().unwrap_or_default();
                            let certificate = certificates.first().and_then(|der| CertificateNames::parse(der));
                            let peer = Peer { secure: true, certificate, ..plain };
                            self.http(stream, (entrance, peer), stopping).await;
                        }
                        Ok(Err(error)) => tracing::debug!("TLS handshake failed: {error}"),
                        Err(_) => tracing::debug!("TLS handshake timed out"),
                    },
                }
            }
        }
        if let Some(gauge) = counted {
            gauge.dec();
        }
        drop(permit);
    }

    async fn http<S>(
        &self,
        stream: S,
        (entrance, peer): (Entrance, Peer),
        mut stopping: watch::Receiver<bool>,
    ) where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let activity = Arc::new(Activity::default());
        let peer = Arc::new(peer);
        let service = service_fn({
            let (live, activity) = (Arc::clone(&self.live), Arc::clone(&activity));
            move |request| {
                let (gateway, peer) = (live.gateway(), Arc::clone(&peer));
                let administers = match entrance {
                    Entrance::Apis => false,
                    Entrance::Admin => true,
                    Entrance::Shared => zos_connect::is_here(request.uri().path()),
                };
                let (live, running) = (administers.then(|| Arc::clone(&live)), activity.begin());
                async move {
                    let response = match (live, &gateway.mcp) {
                        // What is seldom asked makes the future of every other request no bigger.
                        (Some(live), _) => Box::pin(admin::answer(&live, &peer, request)).await,
                        (None, Some(mcp)) if mcp.has(request.uri().path()) => {
                            Box::pin(mcp.answer(&gateway, &peer, request)).await
                        }
                        (None, _) => handle(&gateway, &peer, request).await,
                    };
                    drop(running);
                    Ok::<_, Infallible>(response)
                }
            }
        });
        let stream = WriteLimit::new(FirstBytes::new(stream, self.first_bytes_timeout), self.write_timeout);
        let mut connection = pin!(self.http.serve_connection(TokioIo::new(stream), service));
        let mut ending = false;
        loop {
            tokio::select! {
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!("connection ended: {error}");
                    }
                    return;
                }
                () = super::stopped(&mut stopping), if !ending => {}
                () = activity.idle(self.idle_timeout), if !ending => {}
            }
            ending = true;
            connection.as_mut().graceful_shutdown();
        }
    }
}

/// What a connection does, to tell when it does nothing: an HTTP/2 client may keep it open with pings alone.
#[derive(Default)]
struct Activity {
    begun: AtomicU64,
    running: AtomicU64,
}

/// A request that runs.
struct Running(Arc<Activity>);

impl Activity {
    fn begin(self: &Arc<Self>) -> Running {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.running.fetch_add(1, Ordering::Relaxed);
        Running(Arc::clone(self))
    }

    /// Ends when no request has begun or run for the time, or for up to twice the time: the clock is not read for
    /// every request.
    async fn idle(&self, time: Duration) {
        loop {
            let before = self.begun.load(Ordering::Relaxed);
            tokio::time::sleep(time).await;
            if self.running.load(Ordering::Relaxed) == 0 && self.begun.load(Ordering::Relaxed) == before {
                return;
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}
