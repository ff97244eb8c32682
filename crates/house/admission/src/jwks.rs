//! Fetches sets of keys from the issuer's server: one GET over TLS, with limits of time and size.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, HOST};
use http::{Request, StatusCode, Uri};
use http_body_util::{BodyExt, Empty, Limited};
use hyper_util::rt::TokioIo;
use percent::{BadPort, bare_host, port_of};
use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use security::jwt::{Fetch, KeySource};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use remote::trust::client_config;

/// Settings of a fetch.
pub struct HttpKeysSettings {
    /// The authorities of the server's certificate, in place of the system's.
    pub ca: Option<PathBuf>,
    /// Milliseconds for a whole fetch.
    pub timeout_ms: u64,
    /// The most bytes of an answer.
    pub max_bytes: usize,
}

/// A server with a set of keys.
#[derive(Clone)]
pub struct HttpKeys {
    uri: Uri,
    host: String,
    port: u16,
    tls: Option<Arc<ClientConfig>>,
    timeout: Duration,
    max_bytes: usize,
}

/// The port of a URL, if it has one.
fn port(uri: &Uri) -> Result<Option<u16>, BadPort> {
    port_of(uri.authority().map_or("", |authority| authority.as_str()), uri.host().unwrap_or_default())
}

impl fmt::Debug for HttpKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpKeys").field("uri", &self.uri).finish_non_exhaustive()
    }
}

impl HttpKeys {
    /// A server by its URL. Without TLS it must be on this machine, because an attacker who changes
    /// the keys can sign tokens.
    ///
    /// # Errors
    /// The URL is not valid or not safe, or the certificates cannot be read.
    pub fn new(url: &str, settings: &HttpKeysSettings) -> Result<Self, String> {
        let uri: Uri = url.parse().map_err(|_| format!("'{url}' is not a URL"))?;
        let host = bare_host(uri.host().ok_or_else(|| format!("'{url}' names no host"))?).to_owned();
        let local = matches!(host.as_str(), "localhost" | "127.0.0.1" | "::1");
        let tls = match uri.scheme_str() {
            Some("https") => Some(Arc::new(client_config(settings.ca.as_deref(), None)?)),
            Some("http") if local => None,
            _ => return Err(format!("'{url}' is not https")),
        };
        let usual = if tls.is_some() { 443 } else { 80 };
        let port = port(&uri)
            .map_err(|_| format!("'{url}' has a wrong port; expected 1 to 65535"))?
            .unwrap_or(usual);
        let timeout = Duration::from_millis(settings.timeout_ms);
        Ok(Self { uri, host, port, tls, timeout, max_bytes: settings.max_bytes })
    }

    async fn get(self) -> Result<Vec<u8>, String> {
        let describe = |error: std::io::Error| format!("{}: {error}", self.uri);
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await.map_err(describe)?;
        match &self.tls {
            None => self.ask(stream).await,
            Some(config) => {
                let name = ServerName::try_from(self.host.clone()).map_err(|error| error.to_string())?;
                let connector = TlsConnector::from(Arc::clone(config));
                self.ask(connector.connect(name, stream).await.map_err(describe)?).await
            }
        }
    }

    async fn ask<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
        &self,
        stream: S,
    ) -> Result<Vec<u8>, String> {
        let describe = |error: hyper::Error| format!("{}: {error}", self.uri);
        let handshake = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = handshake.map_err(describe)?;
        let connection = tokio::spawn(connection);
        let authority = self.uri.authority().map_or("", |authority| authority.as_str());
        let path = self.uri.path_and_query().map_or("/", |path| path.as_str());
        let request = Request::get(path)
            .header(HOST, authority)
            .header(ACCEPT, "application/json")
            .body(Empty::<Bytes>::new())
            .map_err(|error| error.to_string())?;
        let response = sender.send_request(request).await.map_err(describe)?;
        // No redirects: the keys must be at the configured URL.
        if response.status() != StatusCode::OK {
            return Err(format!("{}: status {}", self.uri, response.status()));
        }
        let body = Limited::new(response.into_body(), self.max_bytes).collect().await;
        connection.abort();
        Ok(body.map_err(|error| format!("{}: {error}", self.uri))?.to_bytes().to_vec())
    }
}

impl KeySource for HttpKeys {
    fn fetch(&self) -> Fetch {
        let (this, timeout) = (self.clone(), self.timeout);
        Box::pin(async move {
            let uri = this.uri.clone();
            tokio::time::timeout(timeout, this.get())
                .await
                .map_err(|_| format!("{uri}: no answer in time"))?
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_port_is_not_the_usual_one() {
        for (url, expected) in [
            ("https://h/keys", Ok(None)),
            ("https://h:/keys", Ok(None)),
            ("https://1:1/keys", Ok(Some(1))),
            ("https://h@h:8443/keys", Ok(Some(8443))),
            ("https://[::1]:8443/keys", Ok(Some(8443))),
            ("https://h:99999/keys", Err(BadPort)),
            ("https://h:0/keys", Err(BadPort)),
        ] {
            assert_eq!(port(&url.parse().expect("a URL")), expected, "{url}");
        }
    }
}
