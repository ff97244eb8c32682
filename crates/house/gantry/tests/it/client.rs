//! An HTTP/1.1 client that sends exactly the bytes of a test, and reads answers strictly.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

/// The longest wait for an answer. A test that reaches it is broken: passing tests are much faster.
const PATIENCE: Duration = Duration::from_secs(120);

/// A connection.
pub(crate) struct Client {
    stream: TcpStream,
    received: Vec<u8>,
}

/// An answer, as it was sent.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).expect("the gateway accepts"))
    }

    pub(crate) fn over(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout can be set");
        stream.set_write_timeout(Some(PATIENCE)).expect("a timeout can be set");
        stream.set_nodelay(true).expect("TCP_NODELAY can be set");
        Self { stream, received: Vec::new() }
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the gateway reads");
    }

    /// The same connection, for a thread that sends while another reads.
    pub(crate) fn sender(&self) -> Self {
        Self::over(self.stream.try_clone().expect("a descriptor"))
    }

    /// Sends as much as the gateway takes. The gateway may answer and close before the end.
    pub(crate) fn send_until_closed(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    pub(crate) fn finish_sending(&mut self) {
        self.stream.shutdown(Shutdown::Write).expect("the connection is open");
    }

    /// The same where the gateway may have closed already.
    pub(crate) fn finish_sending_if_open(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    /// Sends a request and reads its answer.
    pub(crate) fn ask(&mut self, request: &[u8]) -> Response {
        self.send(request);
        self.response()
    }

    /// Reads one answer.
    pub(crate) fn response(&mut self) -> Response {
        let head_end = loop {
            if let Some(at) = find(&self.received, b"\r\n\r\n") {
                break at;
            }
            assert!(self.receive() > 0, "closed without an answer: {:?}", self.so_far());
        };
        let head = String::from_utf8(self.received[..head_end].to_vec()).expect("a head is ASCII");
        self.received.drain(..head_end + 4);
        let mut lines = head.split("\r\n");
        let status_line = lines.next().expect("a head has a first line");
        let status = status_line.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
        let headers: Vec<(String, String)> = lines
            .map(|line| line.split_once(": ").expect("a header has a value"))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let mut response = Response { status: status.expect("a status line"), headers, body: Vec::new() };
        let length = response.header("content-length").map_or(0, |text| text.parse().expect("a length"));
        while self.received.len() < length {
            assert!(self.receive() > 0, "closed in the middle of a body");
        }
        response.body = self.received.drain(..length).collect();
        response
    }

    /// Reads until the gateway closes; gives what came before.
    pub(crate) fn rest(&mut self) -> String {
        while self.receive() > 0 {}
        self.so_far()
    }

    fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.received).into_owned()
    }

    /// Reads some bytes; 0 when the connection is closed, gracefully or not.
    fn receive(&mut self) -> usize {
        let mut buffer = [0; 16 * 1024];
        match self.stream.read(&mut buffer) {
            Ok(count) => {
                self.received.extend_from_slice(&buffer[..count]);
                count
            }
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => 0,
            Err(error) => panic!("no answer: {error}"),
        }
    }
}

impl Response {
    /// The value of a header; a header that occurs twice is a fault.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        let value = found.next().map(|(_, value)| value.as_str());
        assert!(found.next().is_none(), "{name} occurs twice");
        value
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("a body is UTF-8")
    }

    /// Checks a good answer, byte by byte.
    #[track_caller]
    pub(crate) fn is_json(&self, status: u16, body: &str) {
        assert_eq!((self.status, self.text()), (status, body));
        assert_eq!(self.header("content-type"), Some("application/json"));
    }

    /// Checks a failure: status, code and shape; gives its details.
    #[track_caller]
    pub(crate) fn fails(&self, status: u16, code: &str) -> String {
        let text = self.text();
        assert_eq!(self.status, status, "{text}");
        assert_eq!(self.header("content-type"), Some("application/json"));
        assert!(self.header("x-request-id").is_some_and(|id| !id.is_empty()), "no id: {:?}", self.headers);
        let body: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(text).expect("a failure is a JSON object");
        assert!(body.keys().all(|key| key == "errorMessage" || key == "errorDetails"), "{text}");
        let message = body["errorMessage"].as_str().expect("a message");
        assert!(message.starts_with(&format!("{code}: ")), "expected {code}: {text}");
        body.get("errorDetails").map(|details| details.as_str().expect("text").to_owned()).unwrap_or_default()
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
