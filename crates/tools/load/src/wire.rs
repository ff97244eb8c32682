//! One request on a connection of its own, waiting for the answer: the check before a run, and the metrics page.

use std::io::{ErrorKind as IoKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind};
use crate::plan::Endpoint;
use crate::reader::Reader;
use crate::response::Answer;

/// The largest answer that is read here.
const CONTENT_MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Sends the request and reads the whole answer.
///
/// # Errors
/// [`ErrorKind::Server`] when nobody listens, no answer comes in time, or what comes is not an answer.
pub fn exchange(
    endpoint: &Endpoint,
    request: &[u8],
    reader: impl Into<Reader>,
    timeout: Duration,
) -> Result<(Answer, Vec<u8>), Error> {
    let mut reader = reader.into();
    let word = reader.word();
    let deadline = Instant::now() + timeout;
    let address = endpoint.address;
    let told = |what: &str, error: &std::io::Error| {
        let why = match error.kind() {
            IoKind::WouldBlock | IoKind::TimedOut => format!("no answer within {} ms", timeout.as_millis()),
            _ => error.to_string(),
        };
        Error::new(ErrorKind::Server, format!("{what} {}: {why}", endpoint.authority))
    };
    let mut stream =
        TcpStream::connect_timeout(&address, timeout).map_err(|error| told("no server at", &error))?;
    let mut buffer = vec![0; 64 * 1024];
    let mut send = || -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(timeout))?;
        stream.write_all(request)
    };
    send().map_err(|error| told("cannot send to", &error))?;
    loop {
        let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        let read = stream.set_read_timeout(Some(left)).and_then(|()| stream.read(&mut buffer));
        let length = match read {
            Ok(length) => length,
            Err(error) if error.kind() == IoKind::Interrupted => continue,
            Err(error) => return Err(told("cannot read from", &error)),
        };
        let answer = match length {
            0 => reader.end().map(Some),
            length => reader.feed_against(&buffer[..length], None),
        };
        let answer = answer.map_err(|malformed| {
            let what = format!("the server's answer is not {word}: {}", malformed.0);
            Error::new(ErrorKind::Server, what)
        })?;
        if let Some(answer) = answer {
            return Ok((answer, reader.into_content()));
        }
        if reader.content_bytes() > CONTENT_MAX_BYTES {
            return Err(Error::new(
                ErrorKind::Server,
                format!("the answer of {} is too long", endpoint.authority),
            ));
        }
        if Instant::now() >= deadline {
            return Err(told("cannot read from", &IoKind::TimedOut.into()));
        }
    }
}
