//! Checks HTTP/1 heads before hyper reads them, because hyper accepts more than it should.
//!
//! A line that ends without CR is made unreadable, so that hyper answers 400. So is a line that
//! leaves the end of the body unclear, such as a length beside chunks. A transfer coding other than
//! `chunked` is renamed to [`UNKNOWN_CODING`], which gets the answer 501. Bytes of bodies never
//! change: the end of a body is found in the same way as in hyper. After a refused head, nothing
//! more is checked.
//!
//! It also notices when a client leaves while its request waits. hyper reads nothing meanwhile, but
//! it flushes whenever it is polled. Then the bytes that have come are read ahead, and passed on
//! later.

use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use admission::Peer;
use memchr::memchr;
use tokio::io::{AsyncRead, ReadBuf};

use headers::UNKNOWN_CODING;

use crate::activity::Activity;

const TRANSFER_ENCODING: &[u8] = b"transfer-encoding:";
const END: &[u8] = b"\r\n\r\n";
const CONTENT_LENGTH: &[u8] = b"content-length:";

/// Bytes that are kept of a line that comes in pieces. A longer line matters only if it says where
/// the body ends.
const KEPT_BYTES: usize = 256;

/// A stream whose heads are checked.
pub(crate) struct Heads<S> {
    stream: S,
    heads: Inspector,
    activity: Arc<Activity>,
    peer: Arc<Peer>,
    ahead: Ahead,
}

/// Bytes that were read while a request waited.
#[derive(Debug, Default)]
struct Ahead {
    bytes: Vec<u8>,
    /// The number of bytes that were passed on.
    taken: usize,
    ended: bool,
}

/// The most bytes that are read ahead. If a client sends more while it waits, it is not checked any
/// more.
const AHEAD_MAX_BYTES: usize = 4096;

impl<S> Heads<S> {
    pub(crate) fn new(stream: S, activity: &Arc<Activity>, peer: &Arc<Peer>) -> Self {
        let (activity, peer) = (Arc::clone(activity), Arc::clone(peer));
        Self { stream, heads: Inspector::default(), activity, peer, ahead: Ahead::default() }
    }

    pub(crate) fn get_mut(&mut self) -> &mut S {
        &mut self.stream
    }
}

/// The next part of the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Next {
    /// The request line, or an empty line before it.
    #[default]
    Request,
    Header,
    /// This number of bytes of a body.
    Body(u64),
    /// The line with the size of a chunk.
    Size,
    /// This number of bytes of a chunk, with its line end.
    Chunk(u64),
    Trailer,
    /// The end of a refused head. hyper reads a head when its end has come.
    End,
    /// Bytes that are not checked.
    Anything,
}

#[derive(Debug, Default)]
struct Inspector {
    next: Next,
    /// The beginning of a line whose end has not come yet.
    kept: Vec<u8>,
    /// The length of that line so far, and its last byte.
    partial: (usize, u8),
    length: Option<u64>,
    chunked: bool,
}

/// The effect of a line of a head.
enum Line {
    Fine,
    /// The name of the header must be replaced.
    UnknownCoding,
    /// The end of the body is not clear.
    Unclear,
}

impl Inspector {
    /// True if a request line is next and no byte of it has come.
    fn is_between_requests(&self) -> bool {
        self.next == Next::Request && self.partial.0 == 0
    }

    fn inspect(&mut self, bytes: &mut [u8]) {
        let mut at = 0;
        while at < bytes.len() {
            match self.next {
                Next::End | Next::Anything => return,
                Next::Body(left) | Next::Chunk(left) => {
                    let count = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len() - at);
                    at += count;
                    self.skipped(left - count as u64);
                }
                Next::Request | Next::Header | Next::Size | Next::Trailer => {
                    let Some(end) = memchr(b'\n', &bytes[at..]) else { return self.keep(&bytes[at..]) };
                    self.line_ends(bytes, at..at + end);
                    at += end + 1;
                }
            }
        }
    }

    fn skipped(&mut self, left: u64) {
        self.next = match self.next {
            Next::Body(_) if left > 0 => Next::Body(left),
            Next::Chunk(_) if left > 0 => Next::Chunk(left),
            Next::Chunk(_) => Next::Size,
            _ => Next::Request,
        };
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = KEPT_BYTES - self.kept.len();
        self.kept.extend_from_slice(&bytes[..room.min(bytes.len())]);
        self.partial = (self.partial.0 + bytes.len(), bytes[bytes.len() - 1]);
    }

    /// Handles a line, or the rest of one. The next byte is a line feed.
    fn line_ends(&mut self, bytes: &mut [u8], line: Range<usize>) {
        let Range { start: at, end } = line;
        let (before, last) = std::mem::take(&mut self.partial);
        let last = if end > at { bytes[end - 1] } else { last };
        if last != b'\r' {
            bytes[end] = 0;
            self.next = Next::End;
            return;
        }
        let line = if before == 0 {
            self.line(&bytes[at..end - 1])
        } else {
            let mut kept = std::mem::take(&mut self.kept);
            let complete = before + (end - at) <= KEPT_BYTES;
            kept.extend_from_slice(&bytes[at..end]);
            kept.truncate(KEPT_BYTES.min(before + (end - at) - 1));
            match self.line(&kept) {
                Line::Fine if complete || !says_length(&kept) => Line::Fine,
                // The name to replace has gone to hyper already.
                _ => Line::Unclear,
            }
        };
        match line {
            Line::Fine => {}
            Line::UnknownCoding => {
                bytes[at..at + UNKNOWN_CODING.len()].copy_from_slice(UNKNOWN_CODING.as_bytes());
                self.next = Next::Anything;
            }
            Line::Unclear => {
                bytes[end] = 0;
                self.next = Next::End;
            }
        }
    }

    /// Handles a whole line, without its end.
    fn line(&mut self, line: &[u8]) -> Line {
        match self.next {
            Next::Request if line.is_empty() => {}
            Next::Request => {
                self.next = Next::Header;
                (self.length, self.chunked) = (None, false);
            }
            Next::Header if line.is_empty() => {
                self.next = match (self.chunked, self.length) {
                    (true, _) => Next::Size,
                    (false, None | Some(0)) => Next::Request,
                    (false, Some(length)) => Next::Body(length),
                };
            }
            Next::Header => return self.header(line),
            Next::Size => match size(line) {
                Some(0) => self.next = Next::Trailer,
                Some(size) => self.next = Next::Chunk(size.saturating_add(2)),
                None => self.next = Next::Anything,
            },
            Next::Trailer if line.is_empty() => self.next = Next::Request,
            _ => {}
        }
        Line::Fine
    }

    fn header(&mut self, line: &[u8]) -> Line {
        // Most lines are neither of the two. Their first letter shows it.
        if !matches!(line[0] | 0x20, b'c' | b't') {
            return Line::Fine;
        }
        if let Some(value) = value(line, TRANSFER_ENCODING) {
            if self.chunked || !value.eq_ignore_ascii_case(b"chunked") {
                return Line::UnknownCoding;
            }
            // A proxy may have gone by the length, and taken the rest for another request (RFC 9112, 6.1).
            if self.length.is_some() {
                return Line::Unclear;
            }
            self.chunked = true;
        } else if let Some(value) = value(line, CONTENT_LENGTH) {
            let length = digits(value, 10);
            if self.chunked || length.is_none() || self.length.is_some_and(|known| Some(known) != length) {
                return Line::Unclear;
            }
            self.length = length;
        }
        Line::Fine
    }
}

fn value<'l>(line: &'l [u8], name: &[u8]) -> Option<&'l [u8]> {
    let (found, value) = line.split_at_checked(name.len())?;
    found.eq_ignore_ascii_case(name).then(|| value.trim_ascii())
}

fn says_length(line: &[u8]) -> bool {
    value(line, TRANSFER_ENCODING).is_some() || value(line, CONTENT_LENGTH).is_some()
}

fn size(line: &[u8]) -> Option<u64> {
    let end = line.iter().position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(line.len());
    digits(&line[..end], 16)
}

fn digits(text: &[u8], radix: u32) -> Option<u64> {
    // No sign is allowed.
    let text = std::str::from_utf8(text).ok().filter(|text| !text.starts_with('+'))?;
    u64::from_str_radix(text, radix).ok()
}

impl<S: AsyncRead + Unpin> Heads<S> {
    fn look_if_asked(&mut self, context: &mut Context<'_>) {
        if self.peer.presence.is_asked() {
            self.look(context);
        }
    }

    /// Checks whether the client has gone. The flushing task is woken when there is news.
    #[cold]
    fn look(&mut self, context: &mut Context<'_>) {
        let mut bytes = [0; 512];
        while !self.ahead.ended && self.ahead.bytes.len() < AHEAD_MAX_BYTES {
            let room = bytes.len().min(AHEAD_MAX_BYTES - self.ahead.bytes.len());
            let mut buffer = ReadBuf::new(&mut bytes[..room]);
            match Pin::new(&mut self.stream).poll_read(context, &mut buffer) {
                Poll::Pending => return,
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                    self.ahead.bytes.extend_from_slice(buffer.filled());
                }
                // hyper meets the same failure when it reads or writes.
                Poll::Ready(_) => {
                    self.ahead.ended = true;
                    self.peer.presence.set_gone();
                }
            }
        }
    }

    /// Passes on the bytes that were read ahead. False if there are none.
    #[cold]
    fn hand_on(&mut self, buffer: &mut ReadBuf<'_>) -> bool {
        let left = &self.ahead.bytes[self.ahead.taken..];
        if left.is_empty() {
            self.ahead = Ahead { ended: self.ahead.ended, ..Ahead::default() };
            return self.ahead.ended;
        }
        let count = left.len().min(buffer.remaining());
        buffer.put_slice(&left[..count]);
        self.ahead.taken += count;
        true
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Heads<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.heads.next == Next::End && buffer.remaining() >= END.len() {
            self.heads.next = Next::Anything;
            buffer.put_slice(END);
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        let has_ahead = self.ahead.ended || !self.ahead.bytes.is_empty();
        if !(has_ahead && self.hand_on(buffer)) {
            ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        }
        self.heads.inspect(&mut buffer.filled_mut()[before..]);
        self.activity.receives(!self.heads.is_between_requests());
        Poll::Ready(Ok(()))
    }
}

crate::passing::pass_writes_on!(Heads, before a flush look_if_asked);

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that hyper gets, if the text comes in pieces of this length.
    fn seen(text: &str, piece: usize) -> String {
        let mut heads = Inspector::default();
        let mut bytes = text.as_bytes().to_vec();
        bytes.chunks_mut(piece).for_each(|piece| heads.inspect(piece));
        String::from_utf8(bytes).expect("UTF-8")
    }

    #[test]
    fn bodies_are_not_changed() {
        let with_length = "\r\nPUT / HTTP/1.1\r\nContent-Length: 6\r\n\r\na\nb\r\nc";
        let chunked =
            "PUT / HTTP/1.1\r\nTransfer-Encoding:  Chunked \r\n\r\n5;x=y\r\na\nb\nc\r\n0\r\nt: 1\r\n\r\n";
        let text = [with_length, chunked, "GET / HTTP/1.1\r\n\r\n", with_length].concat();
        for piece in 1..text.len() {
            assert_eq!(seen(&text, piece), text, "in pieces of {piece}");
        }
    }

    #[test]
    fn lines_end_with_both() {
        let good = "PUT / HTTP/1.1\r\ncontent-length: 2\r\n\r\n\n\n";
        for (bad, expected) in [
            ("GET / HTTP/1.1\nhost: a\r\n\r\n", "GET / HTTP/1.1\0host: a\r\n\r\n"),
            ("GET / HTTP/1.1\r\na: b\nc: d\r\n\r\n", "GET / HTTP/1.1\r\na: b\0c: d\r\n\r\n"),
            ("G / H\r\n\n", "G / H\r\n\0"),
            ("\nGET", "\0GET"),
        ] {
            for piece in 1..good.len() {
                assert_eq!(seen(&format!("{good}{bad}"), piece), format!("{good}{expected}"), "{piece}");
            }
        }
    }

    #[test]
    fn a_length_and_chunks_together_are_unclear() {
        for both in [
            "content-length: 1\r\ntransfer-encoding: chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 1",
        ] {
            let text = format!("PUT / HTTP/1.1\r\n{both}\r\n\r\n2\r\nab\r\n0\r\n\r\n");
            for piece in 1..text.len() {
                assert!(seen(&text, piece).contains('\0'), "{both} in pieces of {piece}");
            }
        }
    }

    #[test]
    fn other_codings_are_marked() {
        for coding in [
            "gzip",
            "gzip, chunked",
            "chunked, gzip",
            "identity",
            "",
            "chunked\r\nTransfer-Encoding: chunked",
        ] {
            let text = format!("PUT / HTTP/1.1\r\nTransfer-Encoding: {coding}\r\n\r\n");
            let whole = seen(&text, text.len());
            assert!(whole.contains("\r\nx-unknown-coding!: "), "{whole:?}");
            assert_eq!(whole.len(), text.len());
            // In pieces, the name has gone before the value comes.
            assert!(seen(&text, 1).contains('\0'), "{coding}");
        }
        let long = format!("PUT / HTTP/1.1\r\nContent-Length: {}5\r\n\r\n", " ".repeat(300));
        assert_eq!(seen(&long, 512), long);
        assert!(seen(&long, 20).contains('\0'));
    }
}
