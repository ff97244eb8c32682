//! Other servers that speak JSON, each by one URL or below one: requests within limits of time and size, over connections that are
//! kept.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use crate::trust::{client_config, distrustful_config};
use crate::{
    Answer, Auth, Base, Call, Connection, ConnectionSettings, ErrorKind, Outgoing, Redirects, Retry,
};

/// Connections without work that are kept.
const IDLE_CONNECTIONS_MAX: usize = 64;
/// How long they are kept.
const IDLE: Duration = Duration::from_secs(60);
/// The longest wait for a connection.
const CONNECT_MAX: Duration = Duration::from_secs(10);

/// A server that takes JSON.
#[derive(Clone)]
pub struct JsonServer {
    connection: Arc<Connection>,
    /// The path and the query of its URL.
    target: String,
    timeout: Duration,
}

/// How a server is asked.
#[derive(Clone, Copy, Debug)]
pub struct AskSettings<'a> {
    /// The server's URL; `https`, or `http` on this machine.
    pub url: &'a str,
    /// Certificates that the server is trusted by, in place of the system's.
    pub ca: Option<&'a Path>,
    /// How long an answer may take.
    pub timeout: Duration,
    /// Bytes of an answer that are read at most.
    pub answer_max_bytes: usize,
}

/// Something to ask a server for.
#[derive(Clone, Debug)]
pub struct Question {
    /// The method.
    pub method: Method,
    /// The path behind that of the server's URL, and the query; empty for the URL as it is.
    pub target: String,
    /// JSON; empty for none.
    pub json: Vec<u8>,
}

impl fmt::Debug for JsonServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonServer").field("server", &self.connection.name()).finish_non_exhaustive()
    }
}

impl JsonServer {
    /// A server by its URL, which needs no credentials.
    ///
    /// # Errors
    /// As [`known`](Self::known).
    pub fn new(settings: AskSettings<'_>) -> Result<Self, String> {
        Self::known(settings, Auth::None)
    }

    /// A server by its URL, with the gateway's credentials there. Without TLS it must be on this machine, so
    /// that nobody else can read the requests.
    ///
    /// # Errors
    /// The URL is none, or not safe; the certificates cannot be read.
    pub fn known(settings: AskSettings<'_>, auth: Auth) -> Result<Self, String> {
        let AskSettings { url, ca, timeout, answer_max_bytes } = settings;
        let (server, target) = apart(url);
        let base = Base::parse(server).map_err(|error| error.to_string())?;
        let tls = match (base.is_secure(), base.is_local()) {
            (true, _) => client_config(ca, None)?,
            // Never used, but the connector has one type.
            (false, true) => distrustful_config()?,
            (false, false) => {
                return Err(format!("'{url}' is not https; http is for servers on this machine"));
            }
        };
        let connection = Connection::new(ConnectionSettings {
            name: url.to_owned(),
            base,
            tls,
            http2: false,
            connect_timeout: timeout.min(CONNECT_MAX),
            response_timeout: timeout,
            idle_timeout: IDLE,
            idle_max: IDLE_CONNECTIONS_MAX,
            // Whoever asks has limits of its own.
            requests_max: usize::MAX,
            waiting_max: 0,
            wait_max: Duration::ZERO,
            response_body_max_bytes: answer_max_bytes,
            retry: Retry { retries_max: 0, ..Retry::default() },
            // The server is where the configuration says.
            redirects: Redirects::Refuse,
            auth,
        });
        Ok(Self { connection: Arc::new(connection), target: target.to_owned(), timeout })
    }

    /// Sends JSON; gives the body of an answer of status 200.
    ///
    /// # Errors
    /// The reason, for the log.
    pub async fn post(&self, json: Vec<u8>) -> Result<Bytes, String> {
        let answer = self.ask(Question { method: Method::POST, target: String::new(), json }).await;
        let answer = answer.map_err(|(_, message)| message)?;
        match answer.status {
            StatusCode::OK => Ok(answer.body),
            status => Err(format!("{}: status {status}", self.connection.name())),
        }
    }

    /// Asks for something; gives the answer, whatever its status.
    ///
    /// # Errors
    /// There is no answer: the kind of error, and a description for people.
    pub async fn ask(&self, question: Question) -> Result<Answer, (ErrorKind, String)> {
        let Question { method, target, json } = question;
        let mut headers = HeaderMap::new();
        if !json.is_empty() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        let target = match (self.target.as_str(), target.is_empty()) {
            (own, true) => own.to_owned(),
            (own, false) => format!("{}{target}", own.trim_end_matches('/')),
        };
        let outgoing = Outgoing { method, target, headers, body: Bytes::from(json), idempotent: false };
        let call = Call { deadline: Instant::now() + self.timeout, caller: None, token: None };
        let answer = self.connection.exchange(outgoing, &call).await;
        answer.map_err(|error| match error.kind {
            ErrorKind::TimedOut => {
                let message = format!("no answer within {} ms", self.timeout.as_millis());
                (error.kind, format!("{}: {message}", self.connection.name()))
            }
            kind => (kind, error.message),
        })
    }
}

/// A URL's scheme and host, and the path and query behind them.
fn apart(url: &str) -> (&str, &str) {
    let host = url.find("://").map_or(0, |at| at + 3);
    match url[host..].find(['/', '?']) {
        Some(at) if host > 0 && url.as_bytes()[host + at] == b'/' => url.split_at(host + at),
        // A text that is not a URL is shown as a whole.
        _ => (url, "/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_a_server_and_what_is_asked_there() {
        assert_eq!(apart("http://[::1]:80/v1/traces?a=b"), ("http://[::1]:80", "/v1/traces?a=b"));
        assert_eq!(apart("https://h"), ("https://h", "/"));
        assert_eq!(apart("/nothing"), ("/nothing", "/"));
    }

    #[test]
    fn only_this_machine_is_told_anything_without_tls() {
        let server = |url| {
            let timeout = Duration::from_secs(1);
            JsonServer::new(AskSettings { url, ca: None, timeout, answer_max_bytes: 1 }).map(|_| ())
        };
        for url in ["http://localhost/x", "http://127.0.0.1:1/x", "http://[::1]"] {
            assert_eq!(server(url), Ok(()), "{url}");
        }
        for (url, expected) in [
            ("http://other.example/x", "is not https"),
            ("/nothing", "has no scheme"),
            ("nothing", "has no scheme"),
            ("ftp://h/x", "is neither https nor http"),
        ] {
            let refused = server(url).expect_err("it is refused");
            assert!(refused.contains(expected), "{url}: {refused}");
        }
    }
}
