//! One connection: TLS if the listener has it, then HTTP/1.1 or HTTP/2, whichever the client speaks.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::Watcher;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

use super::first_bytes::FirstBytes;
use super::worker::Accepted;
use crate::gateway::Gateway;
use crate::handler::handle;

/// How one worker serves connections.
pub(super) struct Server {
    gateway: Arc<Gateway>,
    http: auto::Builder<TokioExecutor>,
    handshake_timeout: Duration,
    first_bytes_timeout: Duration,
}

impl Server {
    pub(super) fn new(gateway: &Arc<Gateway>) -> Self {
        let limits = gateway.limits;
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
            gateway: Arc::clone(gateway),
            http,
            handshake_timeout: Duration::from_millis(limits.tls_handshake_timeout_ms),
            first_bytes_timeout: Duration::from_millis(limits.header_read_timeout_ms),
        }
    }

    /// Serves a connection to its end. A handshake that is not done when the gateway stops is given up.
    pub(super) async fn connection(
        &self,
        accepted: Accepted,
        watcher: Watcher,
        mut stopping: watch::Receiver<bool>,
    ) {
        let Accepted { stream, tls, permit } = accepted;
        self.gateway.metrics.connections.inc();
        match tls {
            None => self.http(stream, watcher).await,
            Some(acceptor) => {
                let handshake = tokio::time::timeout(self.handshake_timeout, acceptor.accept(stream));
                tokio::select! {
                    () = super::stopped(&mut stopping) => {}
                    done = handshake => match done {
                        Ok(Ok(stream)) => self.http(stream, watcher).await,
                        Ok(Err(error)) => tracing::debug!("TLS handshake failed: {error}"),
                        Err(_) => tracing::debug!("TLS handshake timed out"),
                    },
                }
            }
        }
        self.gateway.metrics.connections.dec();
        drop(permit);
    }

    async fn http<S>(&self, stream: S, watcher: Watcher)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let gateway = Arc::clone(&self.gateway);
        let service = service_fn(move |request| {
            let gateway = Arc::clone(&gateway);
            async move { Ok::<_, Infallible>(handle(&gateway, request).await) }
        });
        let stream = TokioIo::new(FirstBytes::new(stream, self.first_bytes_timeout));
        let connection = self.http.serve_connection(stream, service);
        if let Err(error) = watcher.watch(connection.into_owned()).await {
            tracing::debug!("connection ended: {error}");
        }
    }
}
