//! A stream whose peer must take the sent bytes. The connection ends if the peer takes too little
//! in some time.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use crate::RESPONSE_WRITE_MIN_BYTES;
use crate::activity::Activity;
use crate::http2::Backlog;
use crate::waiting::{Held, Waiting};

/// A write fails with [`io::ErrorKind::TimedOut`] if the peer takes too little in time. It fails
/// with [`io::ErrorKind::QuotaExceeded`] if too many bytes wait on all connections.
pub(crate) struct WriteLimit<S> {
    stream: S,
    rules: Waiting,
    /// For HTTP/2: bytes that wait behind those of a write.
    backlog: Option<Backlog>,
    /// Set from a write that had to wait until enough is written.
    wait: Option<Box<Wait>>,
    /// For HTTP/1.1: hears that a write waits.
    activity: Option<Arc<Activity>>,
}

struct Wait {
    deadline: Pin<Box<Sleep>>,
    written: usize,
    _held: Held,
}

impl<S> WriteLimit<S> {
    /// A stream of HTTP/1.1. It reports when a write waits.
    pub(crate) fn http1(stream: S, rules: Waiting, activity: &Arc<Activity>) -> Self {
        Self { stream, rules, backlog: None, wait: None, activity: Some(Arc::clone(activity)) }
    }

    /// A stream of HTTP/2. It counts waiting bytes.
    pub(crate) fn http2(stream: S, rules: Waiting, backlog: Backlog) -> Self {
        Self { stream, rules, backlog: Some(backlog), wait: None, activity: None }
    }

    pub(crate) fn get_mut(&mut self) -> &mut S {
        &mut self.stream
    }

    fn set_wait(&mut self, wait: Option<Box<Wait>>) {
        if wait.is_some() != self.wait.is_some()
            && let Some(activity) = &self.activity
        {
            activity.sends(wait.is_some());
        }
        self.wait = wait;
    }

    /// Ends a wait that takes too long. `bytes` is the size of the write.
    fn written(
        &mut self,
        result: Poll<io::Result<usize>>,
        bytes: usize,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(count)) = result
            && let Some(wait) = &mut self.wait
        {
            wait.written += count;
            if wait.written >= RESPONSE_WRITE_MIN_BYTES {
                self.set_wait(None);
            }
        }
        if result.is_pending() {
            ready!(self.waits(bytes, context))?;
        }
        result
    }

    /// The end of a flush or of the stream: all bytes are written.
    fn finished(&mut self, result: Poll<io::Result<()>>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if result.is_pending() {
            ready!(self.waits(0, context))?;
        } else {
            self.set_wait(None);
        }
        result
    }

    fn waits(&mut self, bytes: usize, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.wait.is_none() {
            let behind = self.backlog.as_ref().map_or(0, Backlog::bytes);
            let Some(held) = self.rules.hold(bytes.saturating_add(behind)) else {
                self.rules.given_up();
                return Poll::Ready(Err(io::ErrorKind::QuotaExceeded.into()));
            };
            let deadline = Box::pin(tokio::time::sleep(self.rules.time));
            self.set_wait(Some(Box::new(Wait { deadline, written: 0, _held: held })));
        }
        if let Some(wait) = &mut self.wait {
            ready!(wait.deadline.as_mut().poll(context));
            self.rules.given_up();
        }
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteLimit<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteLimit<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(result, bytes.len(), context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        let bytes = if result.is_pending() { slices.iter().map(|slice| slice.len()).sum() } else { 0 };
        self.written(result, bytes, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_flush(context);
        self.finished(result, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_shutdown(context);
        self.finished(result, context)
    }
}
