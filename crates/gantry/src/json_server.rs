//! JSON to other servers: one POST within limits of time and size, over connections that are kept.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, StatusCode, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use crate::security::trust::{client_config, distrustful_config};

/// Connections without work that are kept.
const IDLE_CONNECTIONS_MAX: usize = 64;
/// How long they are kept.
const IDLE: Duration = Duration::from_secs(60);

/// A server that takes JSON.
#[derive(Clone)]
pub(crate) struct JsonServer {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    uri: Uri,
    timeout: Duration,
    answer_max_bytes: usize,
}

/// How a server is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AskSettings<'a> {
    pub(crate) url: &'a str,
    /// Certificates that the server is trusted by, in place of the system's.
    pub(crate) ca: Option<&'a Path>,
    pub(crate) timeout: Duration,
    pub(crate) answer_max_bytes: usize,
}

impl fmt::Debug for JsonServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonServer").field("uri", &self.uri).finish_non_exhaustive()
    }
}

impl JsonServer {
    /// A server by its URL. Without TLS it must be on this machine: what it is told is nobody else's business.
    ///
    /// # Errors
    /// The URL is none, or not safe; the certificates cannot be read.
    pub(crate) fn new(settings: AskSettings<'_>) -> Result<Self, String> {
        let AskSettings { url, ca, timeout, answer_max_bytes } = settings;
        let uri: Uri = url.parse().map_err(|_| format!("'{url}' is no URL"))?;
        let host = uri.host().ok_or_else(|| format!("'{url}' names no host"))?;
        let is_local = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
        let tls = match uri.scheme_str() {
            Some("https") => client_config(ca, None)?,
            // Never used, but the connector has one type.
            Some("http") if is_local => distrustful_config()?,
            _ => return Err(format!("'{url}' is not https; http is for servers on this machine")),
        };
        let connector =
            HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().build();
        let client = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE)
            .pool_timer(TokioTimer::new())
            .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
            .build(connector);
        Ok(Self { client, uri, timeout, answer_max_bytes })
    }

    /// Sends JSON; gives the body of an answer of status 200.
    ///
    /// # Errors
    /// What happened instead, for the log.
    pub(crate) async fn post(&self, json: Vec<u8>) -> Result<Bytes, String> {
        let asked = tokio::time::timeout(self.timeout, self.ask(json)).await;
        asked
            .unwrap_or_else(|_| Err(format!("no answer within {} ms", self.timeout.as_millis())))
            .map_err(|error| format!("{}: {error}", self.uri))
    }

    async fn ask(&self, json: Vec<u8>) -> Result<Bytes, String> {
        let mut request = Request::post(self.uri.clone())
            .body(Full::new(Bytes::from(json)))
            .map_err(|error| error.to_string())?;
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let response = self.client.request(request).await.map_err(|error| causes(&error))?;
        // No redirects: the server is where the configuration says.
        if response.status() != StatusCode::OK {
            return Err(format!("status {}", response.status()));
        }
        let body = Limited::new(response.into_body(), self.answer_max_bytes).collect().await;
        Ok(body.map_err(|error| error.to_string())?.to_bytes())
    }
}

/// An error with those behind it, of which the last says what happened.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text = format!("{text}: {cause}");
        next = cause.source();
    }
    text
}
