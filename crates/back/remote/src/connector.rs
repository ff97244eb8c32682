//! Connects within a time: the name, TCP and TLS together.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use rustls::ClientConfig;
use tower_service::Service;

type BoxError = Box<dyn Error + Send + Sync>;

/// A connector whose every step counts.
#[derive(Clone)]
pub(crate) struct Connector {
    inner: HttpsConnector<HttpConnector>,
    time: Duration,
}

/// No connection came up in time.
#[derive(Debug)]
pub(crate) struct ConnectTimedOut(Duration);

impl fmt::Display for ConnectTimedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no connection within {} ms (connect_timeout_ms)", self.0.as_millis())
    }
}

impl Error for ConnectTimedOut {}

impl Connector {
    pub(crate) fn new(tls: ClientConfig, http2: bool, time: Duration) -> Self {
        let mut tcp = HttpConnector::new();
        // The URL's scheme is https too.
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        let builder = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
        let inner =
            if http2 { builder.enable_http2().wrap_connector(tcp) } else { builder.wrap_connector(tcp) };
        Self { inner, time }
    }
}

impl Service<Uri> for Connector {
    type Response = <HttpsConnector<HttpConnector> as Service<Uri>>::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let (connecting, time) = (self.inner.call(uri), self.time);
        Box::pin(async move {
            match tokio::time::timeout(time, connecting).await {
                Ok(connected) => connected,
                Err(_) => Err(Box::new(ConnectTimedOut(time)) as BoxError),
            }
        })
    }
}
