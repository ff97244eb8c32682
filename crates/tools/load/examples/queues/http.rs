//! Requests and answers of HTTP/1.1 on a connection that stays.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};

/// No answer takes longer.
const ANSWER_MAX: Duration = Duration::from_secs(60);

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The header that was asked for.
    pub(crate) header: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// A socket, with TLS or without.
enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Stream {
    fn socket(&self) -> &TcpStream {
        match self {
            Self::Plain(socket) => socket,
            Self::Tls(tls) => &tls.sock,
        }
    }

    fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Self::Plain(socket) => socket.write_all(bytes),
            Self::Tls(tls) => tls.write_all(bytes).and_then(|()| tls.flush()),
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.read(buffer),
            Self::Tls(tls) => tls.read(buffer),
        }
    }
}

/// A connection.
pub(crate) struct Connection {
    stream: Stream,
    address: SocketAddr,
    tls: Option<Arc<ClientConfig>>,
    received: Vec<u8>,
    head: String,
    /// The line of the cookie, once there is one.
    cookie: String,
    /// The broker closes it after the last answer, as RabbitMQ does after some.
    closing: bool,
}

fn connect(address: SocketAddr, tls: Option<&Arc<ClientConfig>>) -> Result<Stream, String> {
    let failed = |error: std::io::Error| format!("no connection to {address}: {error}");
    let socket = TcpStream::connect(address).map_err(failed)?;
    socket.set_nodelay(true).map_err(failed)?;
    socket.set_read_timeout(Some(ANSWER_MAX)).map_err(failed)?;
    let Some(config) = tls else { return Ok(Stream::Plain(socket)) };
    let name = ServerName::try_from("localhost").map_err(|error| error.to_string())?;
    let session = ClientConnection::new(Arc::clone(config), name).map_err(|error| error.to_string())?;
    Ok(Stream::Tls(Box::new(StreamOwned::new(session, socket))))
}

impl Connection {
    /// `headers` go with every request.
    pub(crate) fn open(
        address: SocketAddr,
        tls: Option<Arc<ClientConfig>>,
        headers: &[String],
    ) -> Result<Self, String> {
        let stream = connect(address, tls.as_ref())?;
        let mut head = format!("host: {address}\r\n");
        headers.iter().for_each(|header| head += &format!("{header}\r\n"));
        Ok(Self { stream, address, tls, received: Vec::new(), head, cookie: String::new(), closing: false })
    }

    pub(crate) fn stream(&self) -> &TcpStream {
        self.stream.socket()
    }

    /// Sends this cookie from now on.
    pub(crate) fn set_cookie(&mut self, pair: &str) {
        self.cookie = format!("cookie: {pair}\r\n");
    }

    /// Sends a request; `start` is its method and path, `headers` are whole lines.
    pub(crate) fn send(&mut self, start: &str, headers: &str, body: &[u8]) -> Result<(), String> {
        if std::mem::take(&mut self.closing) {
            self.stream = connect(self.address, self.tls.as_ref())?;
            self.received.clear();
        }
        let mut bytes = Vec::with_capacity(256 + self.head.len() + body.len());
        let length = if start.starts_with("POST") || start.starts_with("PUT") {
            format!("content-length: {}\r\n", body.len())
        } else {
            String::new()
        };
        bytes.extend_from_slice(
            format!("{start} HTTP/1.1\r\n{}{}{headers}{length}\r\n", self.head, self.cookie).as_bytes(),
        );
        bytes.extend_from_slice(body);
        self.stream.write_all(&bytes).map_err(|error| format!("cannot send: {error}"))
    }

    /// Reads an answer, and one of its headers.
    pub(crate) fn answer(&mut self, wanted: &str) -> Result<Answer, String> {
        let mut answer = Answer { status: 0, header: None, body: Vec::new() };
        let (head, framing) = loop {
            let mut headers = [httparse::EMPTY_HEADER; 64];
            let mut parsed = httparse::Response::new(&mut headers);
            let state = parsed.parse(&self.received).map_err(|error| format!("not HTTP: {error}"))?;
            if let httparse::Status::Complete(length) = state {
                answer.status = parsed.code.unwrap_or_default();
                let header = |name: &str| {
                    let found = parsed.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
                    found.and_then(|header| std::str::from_utf8(header.value).ok())
                };
                answer.header = header(wanted).map(str::to_owned);
                self.closing = header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
                let chunked = header("transfer-encoding").is_some_and(|coding| coding.contains("chunked"));
                let sized = header("content-length").and_then(|text| text.trim().parse().ok());
                break (length, if chunked { None } else { Some(sized.unwrap_or(0)) });
            }
            self.read_more()?;
        };
        self.received.drain(..head);
        answer.body = match framing {
            Some(length) => self.take(length)?,
            None => self.chunks()?,
        };
        Ok(answer)
    }

    fn chunks(&mut self) -> Result<Vec<u8>, String> {
        let mut body = Vec::new();
        loop {
            let end = loop {
                if let Some(at) = self.received.windows(2).position(|pair| pair == b"\r\n") {
                    break at;
                }
                self.read_more()?;
            };
            let line: Vec<u8> = self.received.drain(..end + 2).collect();
            let text = String::from_utf8_lossy(&line);
            let digits = text.trim().split(';').next().unwrap_or_default().trim().to_owned();
            let length =
                usize::from_str_radix(&digits, 16).map_err(|_| format!("a chunk of {digits:?} bytes"))?;
            body.extend(self.take(length)?);
            self.take(2)?;
            if length == 0 {
                return Ok(body);
            }
        }
    }

    fn take(&mut self, length: usize) -> Result<Vec<u8>, String> {
        while self.received.len() < length {
            self.read_more()?;
        }
        Ok(self.received.drain(..length).collect())
    }

    fn read_more(&mut self) -> Result<(), String> {
        let mut buffer = [0; 16 * 1024];
        match self.stream.read(&mut buffer) {
            Ok(0) => Err("the broker has closed the connection".to_owned()),
            Ok(count) => {
                self.received.extend_from_slice(&buffer[..count]);
                Ok(())
            }
            Err(error) => Err(format!("no answer: {error}")),
        }
    }
}
