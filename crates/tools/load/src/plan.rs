//! The plan of a run: every argument checked, every address resolved, every request's bytes built once.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Duration;

use http::{HeaderName, HeaderValue, Method, Uri};
use percent::bare_host;

use crate::error::{Error, ErrorKind};
use crate::frames::Framing;

/// The most clients of one step.
pub const CLIENTS_MAX_COUNT: u32 = 20_000;
/// The most rounds.
pub const ROUNDS_MAX_COUNT: u32 = 1_000;
/// The most threads of the driver.
pub const THREADS_MAX_COUNT: u32 = 64;
/// The longest warm-up, window, think time or time limit of one step.
pub const STEP_MAX_S: u64 = 86_400;
/// The largest request body.
pub const REQUEST_BODY_MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A whole run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Free text of the user, such as a commit.
    pub label: Option<String>,
    /// The targets; each target is swept by itself.
    pub targets: Vec<Target>,
    /// The steps of the sweep.
    pub clients: Vec<u32>,
    /// How often the whole sweep is repeated.
    pub rounds: u32,
    /// From a response to the next request of the same client.
    pub think: Duration,
    /// Requests a second, whether or not there are answers; none if each client waits for its answer.
    pub rate: Option<f64>,
    /// Before the measured window.
    pub warmup: Duration,
    /// The measured window.
    pub duration: Duration,
    /// For one request, with connecting.
    pub timeout: Duration,
    /// Threads that drive clients.
    pub threads: u32,
    /// How long before an intended start the driver stops sleeping and polls.
    pub spin: Duration,
    /// The core that the driver runs on.
    pub pin_core: Option<usize>,
    /// Whose CPU time is measured.
    pub server: Server,
    /// Where the server tells its provider's CPU time.
    pub metrics: Option<Endpoint>,
    /// The directory of the results.
    pub output: Option<PathBuf>,
    /// Whether the figures are printed as JSON instead of the table.
    pub prints_json: bool,
    /// Whether failed requests leave the exit code 0.
    pub allow_errors: bool,
}

/// Whose CPU time is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Server {
    /// The process that listens on the target's port, where it can be found.
    PortOwnerIfFound,
    /// The process that listens on the target's port, which must be found.
    PortOwner,
    /// This process.
    Pid(u32),
    /// Nobody's.
    Unmeasured,
}

/// Requests that are sent over and over.
#[derive(Debug, Clone)]
pub struct Target {
    /// The name in tables and charts.
    pub name: String,
    /// The URL as it was given.
    pub url: String,
    /// The protocol of the connections.
    pub protocol: Protocol,
    /// The method; frames have none.
    pub method: Method,
    /// Where it is sent.
    pub endpoint: Endpoint,
    /// The requests: each client sends them in turn, and clients begin at different ones. There is at least one.
    pub calls: Vec<Call>,
    /// Whether a client keeps its connection; otherwise each request has a connection of its own.
    pub keeps_connections: bool,
    /// The form of a correct answer.
    pub expect: Expect,
}

/// The protocol of the connections to a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1.
    Http,
    /// Frames: each request is one, and so is its reply.
    Frames(Framing),
}

/// One request of a target, with the body of its answer where that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The whole request: head and body.
    pub request: Vec<u8>,
    /// Length of the body.
    pub body_bytes: usize,
    /// The body that a correct answer has, byte for byte; without it, bodies are not compared.
    pub answer: Option<Vec<u8>>,
}

impl Call {
    /// A request whose answer's body is not compared.
    pub fn unchecked(request: Vec<u8>, body_bytes: usize) -> Call {
        Call { request, body_bytes, answer: None }
    }
}

/// The form of a correct answer of a target, for all requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expect {
    /// The status code; [`crate::reader::FRAME_STATUS`] of frames.
    pub status: u16,
    /// The length of the body, where it is checked.
    pub bytes: Option<u64>,
}

/// An address and what is asked for there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Host and port as the `Host` header says them.
    pub authority: String,
    /// Path and query.
    pub path: String,
    /// The resolved address.
    pub address: SocketAddr,
}

impl Endpoint {
    /// Parses and resolves an `http://` URL.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] when it is not such a URL, or its host has no address.
    pub fn parse(url: &str) -> Result<Endpoint, Error> {
        let bad = |why: &str| Error::new(ErrorKind::Usage, format!("the URL {url:?} {why}"));
        let uri: Uri = url.parse().map_err(|error| bad(&format!("is not valid: {error}")))?;
        match uri.scheme_str() {
            Some("http") => {}
            Some("https") => {
                return Err(bad("is https, but the driver measures plain HTTP only: use http://"));
            }
            _ => return Err(bad("must begin with http://")),
        }
        let authority = uri.authority().ok_or_else(|| bad("has no host"))?;
        if authority.as_str().contains('@') {
            return Err(bad("has user information: give it with --header 'Authorization: ...'"));
        }
        let host = bare_host(authority.host());
        let port = match authority.as_str().rsplit_once(':') {
            Some((_, port)) if !port.ends_with(']') => {
                port.parse().map_err(|_| bad("has a port that is not a number from 1 to 65535"))?
            }
            _ => 80,
        };
        let mut found =
            (host, port).to_socket_addrs().map_err(|error| bad(&format!("has no address: {error}")))?;
        let address = found.next().ok_or_else(|| bad("has no address"))?;
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        Ok(Endpoint { authority: authority.to_string(), path: path.to_owned(), address })
    }

    /// Parses and resolves a `tcp://HOST:PORT` URL; none if it begins in another way.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] when its host has no address, or it has no port.
    pub fn parse_tcp(url: &str) -> Option<Result<Endpoint, Error>> {
        let authority = url.strip_prefix("tcp://")?;
        let found = authority.to_socket_addrs().map(|mut found| found.next());
        let why = match found {
            Ok(Some(address)) => {
                return Some(Ok(Endpoint { authority: authority.to_owned(), path: String::new(), address }));
            }
            Ok(None) => "has no address".to_owned(),
            Err(error) => format!("is not tcp://HOST:PORT, or has no address: {error}"),
        };
        Some(Err(Error::new(ErrorKind::Usage, format!("the URL {url:?} {why}"))))
    }
}

/// The head and the body of a request, as they go over the wire. The server is asked to close a connection that is not kept.
///
/// # Errors
/// [`ErrorKind::Usage`] when a header is not `Name: value` or is one that the driver writes itself.
pub fn build_request(
    method: &Method,
    endpoint: &Endpoint,
    headers: &[String],
    body: Option<&[u8]>,
    keeps_connection: bool,
) -> Result<Vec<u8>, Error> {
    let mut head = format!("{method} {} HTTP/1.1\r\nhost: {}\r\n", endpoint.path, endpoint.authority);
    let mut has_content_type = false;
    for header in headers {
        let (name, value) = parse_header(header)?;
        has_content_type |= name == http::header::CONTENT_TYPE;
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if let Some(body) = body {
        if !has_content_type {
            head.push_str("content-type: application/json\r\n");
        }
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    if !keeps_connection {
        head.push_str("connection: close\r\n");
    }
    head.push_str("\r\n");
    let mut request = head.into_bytes();
    request.extend_from_slice(body.unwrap_or_default());
    Ok(request)
}

fn parse_header(header: &str) -> Result<(HeaderName, &str), Error> {
    let bad = |why: &str| Error::new(ErrorKind::Usage, format!("the header {header:?} {why}"));
    let (name, value) = header.split_once(':').ok_or_else(|| bad("is not written as 'Name: value'"))?;
    let name: HeaderName = name.trim().parse().map_err(|_| bad("has a name that HTTP does not allow"))?;
    let value = value.trim();
    if HeaderValue::from_str(value).is_err() {
        return Err(bad("has a value that HTTP does not allow"));
    }
    use http::header::{CONNECTION, CONTENT_LENGTH, EXPECT, HOST, TRANSFER_ENCODING};
    if [CONNECTION, CONTENT_LENGTH, EXPECT, HOST, TRANSFER_ENCODING].contains(&name) {
        return Err(bad("is written by the driver itself"));
    }
    Ok((name, value))
}
