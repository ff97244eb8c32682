//! Reads HTTP/1.1 answers: bytes in, facts out. It does no IO and knows no clock.

use crate::error::{Error, ErrorKind};

/// The largest head of an answer that is accepted.
pub const HEAD_MAX_BYTES: usize = 64 * 1024;
/// The most header lines of an answer that are accepted.
pub const HEADERS_MAX_COUNT: usize = 64;
/// The longest line with the size of a chunk, and the longest trailer line.
const CHUNK_LINE_MAX_BYTES: usize = 4 * 1024;

/// An answer without its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Length of the body without chunk framing.
    pub body_bytes: u64,
    /// Whether the connection may carry another request.
    pub keep_alive: bool,
}

/// Why bytes are not an HTTP/1.1 answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

impl From<Malformed> for Error {
    fn from(malformed: Malformed) -> Error {
        Error::new(ErrorKind::Server, format!("the server's answer is not HTTP/1.1: {}", malformed.0))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Head,
    Sized { left: u64 },
    ChunkSize,
    ChunkData { left: u64 },
    ChunkEnd,
    Trailer,
    UntilClose,
}

/// Reads one answer after the other from the bytes of one connection.
#[derive(Debug)]
pub struct ResponseReader {
    state: State,
    /// The part of a head or of a chunk's size line that came without its end.
    pending: Vec<u8>,
    answer: Answer,
    answers_have_no_body: bool,
    content: Option<Vec<u8>>,
    /// Whether the body of this answer differed from what was expected, as far as it was read.
    differs: bool,
}

impl ResponseReader {
    /// A reader for a connection on which nothing was read yet. Answers to `HEAD` have no body.
    pub fn new(method_is_head: bool) -> ResponseReader {
        ResponseReader {
            state: State::Head,
            pending: Vec::new(),
            answer: Answer { status: 0, body_bytes: 0, keep_alive: true },
            answers_have_no_body: method_is_head,
            content: None,
            differs: false,
        }
    }

    /// A reader that keeps the body of its (only) answer for [`ResponseReader::into_content`].
    pub fn keeping_content() -> ResponseReader {
        ResponseReader { content: Some(Vec::new()), ..ResponseReader::new(false) }
    }

    /// The body, if this reader keeps it.
    pub fn into_content(self) -> Vec<u8> {
        self.content.unwrap_or_default()
    }

    /// Whether the body of the answer just completed was another than this one, against which it was fed.
    pub fn differs_from(&self, expected: &[u8], answer: &Answer) -> bool {
        self.differs || answer.body_bytes != expected.len() as u64
    }

    /// How much of the body of the present answer was read.
    pub fn content_bytes(&self) -> u64 {
        self.answer.body_bytes
    }

    /// Takes what the connection delivered; `Some` once the answer is complete.
    ///
    /// # Errors
    /// [`Malformed`] when the bytes are no answer, or go on after it: this driver never pipelines.
    pub fn feed(&mut self, data: &[u8]) -> Result<Option<Answer>, Malformed> {
        self.feed_against(data, None)
    }

    /// As [`ResponseReader::feed`], and compares the body with the expected one as it comes:
    /// [`ResponseReader::differs_from`] tells the outcome.
    ///
    /// # Errors
    /// As [`ResponseReader::feed`].
    pub fn feed_against(
        &mut self,
        mut data: &[u8],
        expected: Option<&[u8]>,
    ) -> Result<Option<Answer>, Malformed> {
        loop {
            let (used, done) = match self.state {
                State::Head => self.head(data)?,
                State::Sized { left } => self.body(data, expected, left, None),
                State::UntilClose => self.body(data, expected, u64::MAX, None),
                State::ChunkData { left } => self.body(data, expected, left, Some(State::ChunkEnd)),
                State::ChunkSize | State::ChunkEnd | State::Trailer => self.chunk_line(data)?,
            };
            data = &data[used..];
            match (done, data.is_empty()) {
                (true, true) => return Ok(Some(self.finish())),
                (true, false) => return Err(Malformed("bytes follow the end of the answer")),
                (false, true) => return Ok(None),
                (false, false) => {}
            }
        }
    }

    /// Takes the end of the connection: complete only for an answer whose body ends so.
    ///
    /// # Errors
    /// [`Malformed`] when the answer was cut off or never began.
    pub fn end(&mut self) -> Result<Answer, Malformed> {
        match self.state {
            State::UntilClose => Ok(self.finish()),
            _ => Err(Malformed("the connection ended before the answer")),
        }
    }

    /// Whether no byte of the next answer has arrived.
    pub fn is_between_answers(&self) -> bool {
        self.state == State::Head && self.pending.is_empty()
    }

    fn finish(&mut self) -> Answer {
        self.state = State::Head;
        self.answer
    }

    /// Parses the head from the new bytes alone when it came whole, as it nearly always does.
    fn head(&mut self, data: &[u8]) -> Result<(usize, bool), Malformed> {
        let before = self.pending.len();
        let parsed = if before == 0 {
            parse_head(data)?
        } else {
            self.pending.extend_from_slice(data);
            parse_head(&self.pending)?
        };
        let Some(head) = parsed else {
            if before == 0 {
                self.pending.extend_from_slice(data);
            }
            if self.pending.len() > HEAD_MAX_BYTES {
                return Err(Malformed("its head is longer than 65,536 bytes"));
            }
            return Ok((data.len(), false));
        };
        self.pending.clear();
        let used = head.length - before;
        if head.status < 200 {
            return Ok((used, false)); // 100 Continue and the like: the answer itself follows
        }
        self.answer = Answer { status: head.status, body_bytes: 0, keep_alive: head.keep_alive };
        self.differs = false;
        let no_body = self.answers_have_no_body || head.status == 204 || head.status == 304;
        self.state = match head.body {
            _ if no_body => return Ok((used, true)),
            BodyFraming::Length(0) => return Ok((used, true)),
            BodyFraming::Length(left) => State::Sized { left },
            BodyFraming::Chunked => State::ChunkSize,
            BodyFraming::Close => {
                self.answer.keep_alive = false;
                State::UntilClose
            }
        };
        Ok((used, false))
    }

    /// Takes body bytes, at most `left`; `then` is the state after them, or the answer is done.
    fn body(
        &mut self,
        data: &[u8],
        expected: Option<&[u8]>,
        left: u64,
        then: Option<State>,
    ) -> (usize, bool) {
        let used = usize::try_from(left).map_or(data.len(), |left| data.len().min(left));
        if let Some(expected) = expected {
            let from = usize::try_from(self.answer.body_bytes).unwrap_or(usize::MAX);
            let here = expected.get(from..from.saturating_add(used));
            self.differs |= here.is_none_or(|here| here != &data[..used]);
        }
        self.answer.body_bytes += used as u64;
        if let Some(content) = &mut self.content {
            content.extend_from_slice(&data[..used]);
        }
        let rest = left - used as u64;
        let done = rest == 0 && then.is_none();
        self.state = match (then, self.state) {
            (Some(next), _) if rest == 0 => next,
            (Some(_), _) => State::ChunkData { left: rest },
            (None, State::UntilClose) => State::UntilClose,
            (None, _) => State::Sized { left: rest },
        };
        (used, done)
    }

    /// Takes one line of the chunk framing: a size, the end of a chunk's data, or a trailer.
    fn chunk_line(&mut self, data: &[u8]) -> Result<(usize, bool), Malformed> {
        let end = data.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(data.len(), |end| end + 1);
        self.pending.extend_from_slice(&data[..used]);
        if self.pending.len() > CHUNK_LINE_MAX_BYTES {
            return Err(Malformed("a line of the chunked body is longer than 4,096 bytes"));
        }
        if end.is_none() {
            return Ok((used, false));
        }
        let line = self.pending.trim_ascii();
        let (state, done) = match self.state {
            State::ChunkEnd if line.is_empty() => (State::ChunkSize, false),
            State::ChunkEnd => return Err(Malformed("a chunk is longer than its size")),
            State::Trailer => (State::Trailer, line.is_empty()),
            _ => match chunk_size(line)? {
                0 => (State::Trailer, false),
                left => (State::ChunkData { left }, false),
            },
        };
        self.pending.clear();
        self.state = state;
        Ok((used, done))
    }
}

fn chunk_size(line: &[u8]) -> Result<u64, Malformed> {
    let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    std::str::from_utf8(digits)
        .ok()
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .and_then(|digits| u64::from_str_radix(digits, 16).ok())
        .ok_or(Malformed("the size of a chunk is not a hexadecimal number"))
}

enum BodyFraming {
    Length(u64),
    Chunked,
    Close,
}

struct Head {
    length: usize,
    status: u16,
    keep_alive: bool,
    body: BodyFraming,
}

fn parse_head(data: &[u8]) -> Result<Option<Head>, Malformed> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX_COUNT];
    let mut response = httparse::Response::new(&mut headers);
    let length = match response.parse(data) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Malformed("it has more than 64 headers")),
        Err(_) => return Err(Malformed("its head cannot be parsed")),
    };
    let mut keep_alive = response.version == Some(1);
    let mut body = BodyFraming::Close;
    for header in response.headers.iter() {
        if header.name.eq_ignore_ascii_case("content-length") && !matches!(body, BodyFraming::Chunked) {
            body = BodyFraming::Length(content_length(header.value)?);
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            if !header.value.trim_ascii().eq_ignore_ascii_case(b"chunked") {
                return Err(Malformed("its transfer encoding is not chunked"));
            }
            body = BodyFraming::Chunked;
        } else if header.name.eq_ignore_ascii_case("connection") {
            for token in header.value.split(|byte| *byte == b',') {
                match token.trim_ascii() {
                    token if token.eq_ignore_ascii_case(b"close") => keep_alive = false,
                    token if token.eq_ignore_ascii_case(b"keep-alive") => keep_alive = true,
                    _ => {}
                }
            }
        }
    }
    Ok(Some(Head { length, status: response.code.unwrap_or(0), keep_alive, body }))
}

fn content_length(value: &[u8]) -> Result<u64, Malformed> {
    std::str::from_utf8(value)
        .ok()
        .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
        .and_then(|text| text.parse().ok())
        .ok_or(Malformed("its content length is not a number"))
}
