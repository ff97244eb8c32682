//! Requests over HTTP that a program writes itself (EXEC CICS WEB): whole, without records.
//!
//! A program names a server, a path and a query. They count only below the URL of one of the configured connections, as the URI of
//! INVOKE SERVICE does. So the configuration alone says which hosts are called.

use std::collections::BTreeMap;
use std::fmt;
use std::net::Ipv6Addr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use percent::bare_host;
use remote::{Answer, Call, CallerName, Connection, ErrorKind, Outgoing, Reachable, basic_value};
use service::{Caller, WebAnswer, WebHeader, WebSend, WebServer};

/// The methods that programs may use.
const METHODS: [Method; 8] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PUT,
    Method::DELETE,
    Method::OPTIONS,
    Method::TRACE,
    Method::PATCH,
];

/// A URIMAP of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UriMap {
    /// The server, and the host of requests; `*` is any host.
    pub server: WebServer,
    /// The path.
    pub path: String,
    /// The program and the transaction that answer requests; none if it is for requests that programs send.
    pub answers: Option<(String, String)>,
}

/// Why a request of a program has no answer. The message is for the log, and shows no query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebFailure {
    /// No URIMAP has that name.
    NoUriMap(String),
    /// The URIMAP has another use or another server.
    OtherUriMap(String),
    /// No connection of the configuration allows it, or the connection got no token.
    NotAllowed(String),
    /// The request cannot be sent as it is.
    Unsendable(String),
    /// No answer came in time.
    TimedOut(String),
    /// The server could not be reached, or what it sent is not an answer.
    Network(String),
    /// The answer is longer than the connection allows.
    TooLarge(String),
}

impl fmt::Display for WebFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (WebFailure::NoUriMap(message)
        | WebFailure::OtherUriMap(message)
        | WebFailure::NotAllowed(message)
        | WebFailure::Unsendable(message)
        | WebFailure::TimedOut(message)
        | WebFailure::Network(message)
        | WebFailure::TooLarge(message)) = self;
        f.write_str(message)
    }
}

impl std::error::Error for WebFailure {}

impl From<remote::Error> for WebFailure {
    fn from(error: remote::Error) -> Self {
        let message = error.message;
        match error.kind {
            ErrorKind::TimedOut => WebFailure::TimedOut(message),
            ErrorKind::TooLarge => WebFailure::TooLarge(message),
            ErrorKind::NoToken => WebFailure::NotAllowed(message),
            ErrorKind::Unsendable => WebFailure::Unsendable(message),
            _ => WebFailure::Network(message),
        }
    }
}

/// The URLs of a path of a server: without the usual port of its scheme, and with its port.
fn urls(server: &WebServer, target: &str) -> Vec<String> {
    let (scheme, usual) = if server.is_secure { ("https", 443) } else { ("http", 80) };
    let host = match server.host.parse::<Ipv6Addr>() {
        Ok(_) => format!("[{}]", server.host),
        Err(_) => server.host.clone(),
    };
    let with_port = format!("{scheme}://{host}:{}{target}", server.port);
    match server.port == usual {
        true => vec![format!("{scheme}://{host}{target}"), with_port],
        false => vec![with_port],
    }
}

/// The URL of a path of a server, for messages.
#[must_use]
pub fn url_of(server: &WebServer, path: &str) -> String {
    urls(server, path).swap_remove(0)
}

/// True for the same server. Case does not matter in its host.
fn is_same(one: &WebServer, other: &WebServer) -> bool {
    one.is_secure == other.is_secure && one.port == other.port && one.host.eq_ignore_ascii_case(&other.host)
}

/// True if a connection allows a path of a server.
#[must_use]
pub fn is_allowed(server: &WebServer, path: &str, reachable: &Reachable) -> bool {
    route(server, path, reachable, "").is_some()
}

/// The connection for a path of a server, and the path below its own. That of the name `opened` goes first.
fn route(
    server: &WebServer,
    target: &str,
    reachable: &Reachable,
    opened: &str,
) -> Option<(Arc<Connection>, String)> {
    urls(server, target).iter().find_map(|url| reachable.at(url, reachable.named(opened)))
}

/// The server of a URL, and its path; none if it is not one of HTTP.
fn server_of(url: &str) -> Option<(WebServer, String)> {
    let uri: Uri = url.parse().ok()?;
    let is_secure = match uri.scheme_str()? {
        "https" => true,
        "http" => false,
        _ => return None,
    };
    let host = bare_host(uri.host()?).to_owned();
    let port = uri.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
    Some((WebServer { is_secure, host, port }, uri.path().to_owned()))
}

/// The servers that programs may call, and the URIMAPs by which they know them.
#[derive(Debug, Default)]
pub struct WebClient {
    reachable: Reachable,
    /// The URLs of the connections: the server and the path of each, by its name.
    bases: BTreeMap<String, (WebServer, String)>,
    uri_maps: BTreeMap<String, UriMap>,
}

impl WebClient {
    /// Makes one of the connections of a configuration, and of its URIMAPs by their names.
    #[must_use]
    pub fn new(reachable: Reachable, uri_maps: BTreeMap<String, UriMap>) -> Self {
        let mut bases = BTreeMap::new();
        for (name, connection) in reachable.all() {
            if let Some(base) = server_of(&connection.base().to_string()) {
                bases.insert(name.to_owned(), base);
            }
        }
        Self { reachable, bases, uri_maps }
    }

    /// The URIMAPs, by their names.
    #[must_use]
    pub fn uri_maps(&self) -> &BTreeMap<String, UriMap> {
        &self.uri_maps
    }

    /// The server and the path of a URIMAP for requests that programs send. A connection is one, too.
    ///
    /// # Errors
    /// There is none.
    pub fn client_map(&self, name: &str) -> Result<(WebServer, String), WebFailure> {
        match (self.uri_maps.get(name), self.bases.get(name)) {
            (Some(UriMap { server, path, answers: None }), _) => Ok((server.clone(), path.clone())),
            (_, Some(base)) => Ok(base.clone()),
            (Some(_), None) => {
                let message = format!("the URIMAP {name:?} is for requests that a program answers");
                Err(WebFailure::OtherUriMap(message))
            }
            (None, None) => {
                let message = format!("there is no [[urimap]] and no connection {name:?}");
                Err(WebFailure::NoUriMap(message))
            }
        }
    }

    /// Checks that programs may call a server at all. Nothing is connected yet.
    ///
    /// # Errors
    /// No connection leads there.
    pub fn check(&self, server: &WebServer) -> Result<(), WebFailure> {
        match self.bases.values().any(|(known, _)| is_same(known, server)) {
            true => Ok(()),
            false => {
                Err(WebFailure::NotAllowed(format!("none of [connections] leads to {}", url_of(server, ""))))
            }
        }
    }

    /// Sends a request of a program and gives its answer, whatever its status.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn send(
        &self,
        call: WebSend,
        caller: Option<Caller<'_>>,
        time_left: Duration,
    ) -> Result<WebAnswer, WebFailure> {
        let path = self.path(&call)?;
        let target = if call.query.is_empty() { path.clone() } else { format!("{path}?{}", call.query) };
        let Some((connection, target)) = route(&call.server, &target, &self.reachable, &call.opened) else {
            let shown = path.split('?').next().unwrap_or_default();
            let message =
                format!("{} is not below the URL of any of [connections]", url_of(&call.server, shown));
            return Err(WebFailure::NotAllowed(message));
        };
        let method = METHODS.into_iter().find(|method| method.as_str() == call.method);
        let method = method.ok_or_else(|| WebFailure::Unsendable("the method is not known".to_owned()))?;
        if method == Method::TRACE && connection.has_credentials() {
            let message = "TRACE would show the credentials of the connection to the program";
            return Err(WebFailure::Unsendable(message.to_owned()));
        }
        let headers = headers(&call)?;
        let idempotent = method.is_idempotent();
        let outgoing = Outgoing { method, target, headers, body: Bytes::from(call.body), idempotent };
        let caller = caller.filter(|_| connection.names_callers());
        let within = Call {
            deadline: Instant::now() + time_left,
            caller: caller.map(|caller| CallerName::of(&caller)),
            token: None,
        };
        Ok(answer(connection.exchange(outgoing, &within).await?))
    }

    fn path(&self, call: &WebSend) -> Result<String, WebFailure> {
        if call.uri_map.is_empty() {
            return Ok(if call.path.is_empty() { "/".to_owned() } else { call.path.clone() });
        }
        let (server, path) = self.client_map(&call.uri_map)?;
        match is_same(&server, &call.server) {
            true => Ok(path),
            false => {
                let message = format!(
                    "the URIMAP {:?} names the server {}, but the session was opened with {}",
                    call.uri_map,
                    url_of(&server, ""),
                    url_of(&call.server, "")
                );
                Err(WebFailure::OtherUriMap(message))
            }
        }
    }
}

/// The headers of a request.
fn headers(call: &WebSend) -> Result<HeaderMap, WebFailure> {
    let mut headers = HeaderMap::new();
    for WebHeader { name, value } in &call.headers {
        let unsendable = || WebFailure::Unsendable(format!("the header {name:?} cannot be sent"));
        let value = HeaderValue::from_bytes(value).map_err(|_| unsendable())?;
        headers.append(HeaderName::try_from(name.as_str()).map_err(|_| unsendable())?, value);
    }
    if let Some((user, password)) = &call.credentials {
        headers.insert(AUTHORIZATION, basic_value(user, password).map_err(WebFailure::Unsendable)?);
    }
    Ok(headers)
}

fn answer(answer: Answer) -> WebAnswer {
    let Answer { status, headers, body } = answer;
    let header = |(name, value): (&HeaderName, &HeaderValue)| WebHeader {
        name: name.as_str().to_owned(),
        value: value.as_bytes().to_vec(),
    };
    WebAnswer {
        status: status.as_u16(),
        reason: status.canonical_reason().unwrap_or_default().as_bytes().to_vec(),
        headers: headers.iter().map(header).collect(),
        body: body.into(),
        closes: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(is_secure: bool, host: &str, port: u16) -> WebServer {
        WebServer { is_secure, host: host.to_owned(), port }
    }

    #[test]
    fn servers_have_urls_with_and_without_their_usual_port() {
        assert_eq!(urls(&server(true, "h", 443), "/a"), ["https://h/a", "https://h:443/a"]);
        assert_eq!(urls(&server(false, "::1", 443), ""), ["http://[::1]:443"]);
        assert!(
            is_same(&server(true, "H", 1), &server(true, "h", 1))
                && !is_same(&server(true, "h", 1), &server(false, "h", 1))
        );
    }

    #[test]
    fn urls_have_servers() {
        for (url, expected, path) in [
            ("http://h/a/b?c", server(false, "h", 80), "/a/b"),
            ("https://[::1]:81", server(true, "::1", 81), "/"),
        ] {
            assert_eq!(server_of(url), Some((expected, path.to_owned())), "{url}");
        }
        assert_eq!(server_of("ftp://h/"), None);
    }

    #[test]
    fn a_uri_map_is_of_one_use() {
        let map = |answers: Option<(String, String)>| UriMap {
            server: server(false, "h", 80),
            path: "/a".to_owned(),
            answers,
        };
        let own = ("PROG".to_owned(), "CWBA".to_owned());
        let maps = [("OUT".to_owned(), map(None)), ("IN".to_owned(), map(Some(own)))];
        let client = WebClient { uri_maps: BTreeMap::from(maps), ..WebClient::default() };
        assert_eq!(client.client_map("OUT"), Ok((server(false, "h", 80), "/a".to_owned())));
        assert!(matches!(client.client_map("IN"), Err(WebFailure::OtherUriMap(_))));
        assert!(matches!(client.client_map("NONE"), Err(WebFailure::NoUriMap(_))));
        assert!(matches!(client.check(&server(false, "h", 80)), Err(WebFailure::NotAllowed(_))));
    }

    #[test]
    fn secrets_are_not_shown() {
        let call = WebSend {
            server: server(false, "h", 80),
            opened: String::new(),
            uri_map: String::new(),
            method: "GET".to_owned(),
            path: "/a".to_owned(),
            query: "key=secret".to_owned(),
            headers: vec![WebHeader { name: "x".to_owned(), value: b"secret".to_vec() }],
            body: b"secret".to_vec(),
            credentials: Some(("secret".to_owned(), b"secret".to_vec())),
        };
        let headers = headers(&call).expect("headers");
        assert_eq!(headers.get(AUTHORIZATION).expect("credentials"), "Basic c2VjcmV0OnNlY3JldA==");
        assert!(!format!("{headers:?}").contains("c2Vj"));
    }
}
