//! Reads the answers of one connection: HTTP, or frames.

use crate::frames::Framing;
use crate::plan::{Protocol, Target};
use crate::response::{Answer, Malformed, ResponseReader};

/// The status that a frame counts as: it has none.
pub const FRAME_STATUS: u16 = 0;

/// The reader of a connection's answers.
#[derive(Debug)]
pub enum Reader {
    /// HTTP/1.1.
    Http(ResponseReader),
    /// One frame for each request.
    Frames(FrameReader),
}

impl Reader {
    /// A reader for a connection to the target on which nothing was read yet.
    pub fn of(target: &Target) -> Reader {
        match &target.protocol {
            Protocol::Http => Reader::Http(ResponseReader::new(target.method == http::Method::HEAD)),
            Protocol::Frames(framing) => Reader::Frames(FrameReader::new(framing.clone())),
        }
    }

    /// The name of a correct answer, for people.
    pub fn word(&self) -> &'static str {
        match self {
            Reader::Http(_) => "HTTP/1.1",
            Reader::Frames(_) => "a frame",
        }
    }

    /// Takes what the connection delivered, and compares it with the expected body as it comes; `Some` once the answer is
    /// complete.
    ///
    /// # Errors
    /// The bytes are no answer, or go on after it: this driver never pipelines.
    pub fn feed_against(
        &mut self,
        data: &[u8],
        expected: Option<&[u8]>,
    ) -> Result<Option<Answer>, Malformed> {
        match self {
            Reader::Http(reader) => reader.feed_against(data, expected),
            Reader::Frames(reader) => reader.feed(data),
        }
    }

    /// Takes the end of the connection.
    ///
    /// # Errors
    /// The answer was cut off, or never began.
    pub fn end(&mut self) -> Result<Answer, Malformed> {
        match self {
            Reader::Http(reader) => reader.end(),
            Reader::Frames(_) => Err(Malformed("the connection ended before the reply")),
        }
    }

    /// Whether the body of the answer just completed was another than this one.
    pub fn differs_from(&self, expected: &[u8], answer: &Answer) -> bool {
        match self {
            Reader::Http(reader) => reader.differs_from(expected, answer),
            Reader::Frames(reader) => reader.message() != expected,
        }
    }

    /// How much of the present answer was read.
    pub fn content_bytes(&self) -> u64 {
        match self {
            Reader::Http(reader) => reader.content_bytes(),
            Reader::Frames(reader) => reader.bytes.len() as u64,
        }
    }

    /// The body of the answer. Of HTTP only a reader that keeps it has it.
    pub fn into_content(self) -> Vec<u8> {
        match self {
            Reader::Http(reader) => reader.into_content(),
            Reader::Frames(reader) => reader.message().to_vec(),
        }
    }
}

impl From<ResponseReader> for Reader {
    fn from(reader: ResponseReader) -> Reader {
        Reader::Http(reader)
    }
}

/// Reads one reply after the other.
#[derive(Debug)]
pub struct FrameReader {
    framing: Framing,
    bytes: Vec<u8>,
    /// Where the message of the whole frame stands; none while it is not whole.
    message: Option<std::ops::Range<usize>>,
}

impl FrameReader {
    /// A reader for a connection on which nothing was read yet.
    pub fn new(framing: Framing) -> FrameReader {
        FrameReader { framing, bytes: Vec::new(), message: None }
    }

    /// Takes what the connection delivered; `Some` once the reply is complete.
    ///
    /// # Errors
    /// The bytes are no frame, or go on after it.
    pub fn feed(&mut self, data: &[u8]) -> Result<Option<Answer>, Malformed> {
        if self.message.take().is_some() {
            self.bytes.clear();
        }
        let searched = self.bytes.len();
        self.bytes.extend_from_slice(data);
        let Some(found) = self.framing.scan(&self.bytes, searched)? else { return Ok(None) };
        if found.end != self.bytes.len() {
            return Err(Malformed("bytes follow the end of the reply"));
        }
        let body_bytes = found.message.len() as u64;
        self.message = Some(found.message);
        Ok(Some(Answer { status: FRAME_STATUS, body_bytes, keep_alive: true }))
    }

    /// The message of the reply just completed.
    pub fn message(&self) -> &[u8] {
        self.message.clone().map_or(&[], |place| &self.bytes[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_one_after_the_other() {
        let mut reader = FrameReader::new(Framing::Llzz);
        assert_eq!(reader.feed(b"\0\x06\0"), Ok(None));
        let answer = reader.feed(b"\0AB").expect("a frame").expect("it is whole");
        assert_eq!((answer.body_bytes, reader.message()), (2, &b"AB"[..]));
        reader.feed(b"\0\x07\0\0CDE").expect("a frame").expect("it is whole");
        assert_eq!(reader.message(), b"CDE");
        assert!(reader.feed(b"\0\x05\0\0XY").is_err(), "a byte that nobody asked for");
    }
}
