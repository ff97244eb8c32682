//! A server that answers each request with the bytes that a test says, and keeps what it was asked.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use remote::{Auth, Base, Call, Connection, ConnectionSettings, Outgoing, Redirects, Retry};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// A reply to a request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// These bytes, and the connection stays.
    Bytes(String),
    /// These bytes, and the connection closes.
    Cut(String),
    /// Nothing, ever.
    Silence,
    /// These bytes, when the test allows it.
    Held(String),
}

/// An answer with a body.
pub(crate) fn answer(status: u16, body: &str) -> Reply {
    with_headers(status, "content-type: application/json\r\n", body)
}

/// An answer with headers and a body.
pub(crate) fn with_headers(status: u16, headers: &str, body: &str) -> Reply {
    Reply::Bytes(format!("HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n{body}", body.len()))
}

/// The server.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    state: Arc<Mutex<State>>,
    /// Lets held answers go.
    pub(crate) gate: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct State {
    replies: VecDeque<Reply>,
    asked: Vec<String>,
    connections: usize,
}

impl Server {
    /// A server that gives these replies in turn, the last of them for ever.
    pub(crate) async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let server = Self::of(listener.local_addr().expect("an address"), replies);
        let accepting = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                accepting.accepted();
                tokio::spawn(accepting.clone().serve(stream));
            }
        });
        server
    }

    pub(crate) fn of(address: SocketAddr, replies: impl IntoIterator<Item = Reply>) -> Self {
        let state = State { replies: replies.into_iter().collect(), ..State::default() };
        Self { address, state: Arc::new(Mutex::new(state)), gate: Arc::new(Semaphore::new(0)) }
    }

    pub(crate) fn accepted(&self) {
        self.state.lock().expect("no panic").connections += 1;
    }

    /// Answers the requests of one connection.
    pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(self, mut stream: S) {
        let mut received = Vec::new();
        while let Some(request) = read_request(&mut stream, &mut received).await {
            let reply = {
                let mut state = self.state.lock().expect("no panic");
                state.asked.push(request);
                match state.replies.len() {
                    0 | 1 => state.replies.front().cloned().unwrap_or(Reply::Silence),
                    _ => state.replies.pop_front().expect("there is one"),
                }
            };
            match reply {
                Reply::Bytes(bytes) => stream.write_all(bytes.as_bytes()).await.unwrap_or_default(),
                Reply::Cut(bytes) => return stream.write_all(bytes.as_bytes()).await.unwrap_or_default(),
                Reply::Silence => std::future::pending().await,
                Reply::Held(bytes) => {
                    self.gate.acquire().await.expect("the gate is open").forget();
                    stream.write_all(bytes.as_bytes()).await.unwrap_or_default();
                }
            }
        }
    }

    /// The requests so far, each as its bytes.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.state.lock().expect("no panic").asked.clone()
    }

    /// How many connections were made.
    pub(crate) fn connections(&self) -> usize {
        self.state.lock().expect("no panic").connections
    }

    /// A connection to the server, with quick retries.
    pub(crate) fn settings(&self) -> ConnectionSettings {
        settings(&format!("http://{}/v1", self.address))
    }
}

async fn read_request<S: AsyncRead + Unpin>(stream: &mut S, received: &mut Vec<u8>) -> Option<String> {
    loop {
        let text = String::from_utf8_lossy(received).into_owned();
        if let Some(head) = text.find("\r\n\r\n") {
            let length = text[..head]
                .lines()
                .find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok())
                .unwrap_or_default();
            if received.len() >= head + 4 + length {
                return String::from_utf8(received.drain(..head + 4 + length).collect()).ok();
            }
        }
        if stream.read_buf(received).await.ok()? == 0 {
            return None;
        }
    }
}

/// Settings that wait long where a test does not care, and hardly between retries.
pub(crate) fn settings(url: &str) -> ConnectionSettings {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    ConnectionSettings {
        name: "test".to_owned(),
        base: Base::parse(url).expect("a base"),
        tls,
        http2: false,
        connect_timeout: PATIENCE,
        response_timeout: PATIENCE,
        idle_timeout: PATIENCE,
        idle_max: 8,
        requests_max: 8,
        waiting_max: 8,
        wait_max: PATIENCE,
        response_body_max_bytes: 1_000,
        retry: Retry { backoff: Duration::from_millis(1), ..Retry::default() },
        redirects: Redirects::Refuse,
        auth: Auth::None,
    }
}

/// A test that waits this long is broken.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A call that may take long.
pub(crate) fn patient() -> Call {
    Call { deadline: Instant::now() + PATIENCE, caller: None, token: None }
}

/// A request without a body.
pub(crate) fn get(target: &str) -> Outgoing {
    Outgoing {
        method: http::Method::GET,
        target: target.to_owned(),
        headers: http::HeaderMap::new(),
        body: bytes::Bytes::new(),
        idempotent: true,
    }
}

/// A request with a body that may not be sent twice.
pub(crate) fn post(target: &str, body: &'static str) -> Outgoing {
    Outgoing { method: http::Method::POST, body: body.into(), idempotent: false, ..get(target) }
}

/// A connection by these settings.
pub(crate) fn connection(settings: ConnectionSettings) -> Arc<Connection> {
    Arc::new(Connection::new(settings))
}
