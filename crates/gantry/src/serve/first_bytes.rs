//! A stream whose peer must show within some time which version of HTTP it speaks.
//!
//! The server tells HTTP/2 from HTTP/1.1 by the first bytes, and its own limits of time begin only after that: without
//! this, a client that sends nothing, or the beginning of HTTP/2's preface, would hold its connection for ever.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// What an HTTP/2 client sends first (RFC 9113, section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Fails a read with [`io::ErrorKind::TimedOut`] if the version is not clear in time.
pub(super) struct FirstBytes<S> {
    stream: S,
    /// None once the version is clear.
    deadline: Option<Pin<Box<Sleep>>>,
    /// Bytes of the preface that have come so far.
    matched: usize,
}

impl<S> FirstBytes<S> {
    pub(super) fn new(stream: S, time: Duration) -> Self {
        Self { stream, deadline: Some(Box::pin(tokio::time::sleep(time))), matched: 0 }
    }

    fn received(&mut self, bytes: &[u8]) {
        let missing = &PREFACE[self.matched..];
        let compared = bytes.len().min(missing.len());
        self.matched += compared;
        // The end of the stream makes it clear too.
        if bytes.is_empty() || bytes[..compared] != missing[..compared] || self.matched == PREFACE.len() {
            self.deadline = None;
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for FirstBytes<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let Some(deadline) = &mut self.deadline else { return read };
        if read.is_pending() {
            ready!(deadline.as_mut().poll(context));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        self.received(&buffer.filled()[before..]);
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for FirstBytes<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
