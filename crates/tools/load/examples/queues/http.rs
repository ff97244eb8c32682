//! Requests and answers of HTTP/1.1 on a connection that stays.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

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

/// A connection.
pub(crate) struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
    head: String,
    /// The broker closes it after the last answer, as RabbitMQ does after some.
    closing: bool,
}

fn connect(address: SocketAddr) -> Result<TcpStream, String> {
    let failed = |error: std::io::Error| format!("no connection to {address}: {error}");
    let stream = TcpStream::connect(address).map_err(failed)?;
    stream.set_nodelay(true).map_err(failed)?;
    stream.set_read_timeout(Some(ANSWER_MAX)).map_err(failed)?;
    Ok(stream)
}

impl Connection {
    /// `headers` go with every request.
    pub(crate) fn open(address: SocketAddr, headers: &[String]) -> Result<Self, String> {
        let stream = connect(address)?;
        let mut head = format!("host: {address}\r\n");
        headers.iter().for_each(|header| head += &format!("{header}\r\n"));
        Ok(Self { stream, received: Vec::new(), head, closing: false })
    }

    pub(crate) fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Sends a request; `start` is its method and path, `headers` are whole lines.
    pub(crate) fn send(&mut self, start: &str, headers: &str, body: &[u8]) -> Result<(), String> {
        if std::mem::take(&mut self.closing) {
            let address = self.stream.peer_addr().map_err(|error| error.to_string())?;
            self.stream = connect(address)?;
            self.received.clear();
        }
        let mut bytes = Vec::with_capacity(256 + self.head.len() + body.len());
        let length = if start.starts_with("POST") || start.starts_with("PUT") {
            format!("content-length: {}\r\n", body.len())
        } else {
            String::new()
        };
        bytes.extend_from_slice(format!("{start} HTTP/1.1\r\n{}{headers}{length}\r\n", self.head).as_bytes());
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
