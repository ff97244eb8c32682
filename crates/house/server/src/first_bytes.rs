//! The first bytes of a connection. They distinguish HTTP/2 from HTTP/1.1, and must come in time.
//!
//! The server allocates nothing else before they come, so a silent client costs little.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};

use crate::passing::pass_writes_on;

/// The first bytes of an HTTP/2 client (RFC 9113, section 3.4).
const PREFACE: [u8; 24] = *b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    Http1,
    Http2,
}

/// A stream whose first bytes were read already. Its reader gets them first.
pub(crate) struct Begun<S> {
    stream: S,
    first: [u8; PREFACE.len()],
    /// The range of `first` that was not read yet.
    left: (usize, usize),
}

/// Reads until the version is clear.
///
/// # Errors
/// The stream fails, or the time is over.
pub(crate) async fn version<S>(mut stream: S, time: Duration) -> io::Result<(Version, Begun<S>)>
where
    S: AsyncRead + Unpin,
{
    let mut first = [0; PREFACE.len()];
    let mut filled = 0;
    let reading = async {
        while filled < PREFACE.len() {
            let count = stream.read(&mut first[filled..]).await?;
            let (from, to) = (filled, filled + count);
            filled = to;
            // The end of the stream shows the version, too.
            if count == 0 || first[from..to] != PREFACE[from..to] {
                return Ok::<_, io::Error>(Version::Http1);
            }
        }
        Ok(Version::Http2)
    };
    let timed = tokio::time::timeout(time, reading).await;
    let version = timed.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))?;
    Ok((version, Begun { stream, first, left: (0, filled) }))
}

impl<S: AsyncRead + Unpin> Begun<S> {
    /// Waits for the first bytes of another request. The reader gets them first. False at the end
    /// of the stream.
    ///
    /// # Errors
    /// The stream fails, or the time is over.
    pub(crate) async fn begin_again(&mut self, time: Duration) -> io::Result<bool> {
        if self.left.0 == self.left.1 {
            let reading = tokio::time::timeout(time, self.stream.read(&mut self.first));
            let count = reading.await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))?;
            self.left = (0, count);
        }
        Ok(self.left.1 > 0)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Begun<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (from, to) = self.left;
        if from == to {
            return Pin::new(&mut self.stream).poll_read(context, buffer);
        }
        let count = buffer.remaining().min(to - from);
        buffer.put_slice(&self.first[from..from + count]);
        self.left.0 += count;
        Poll::Ready(Ok(()))
    }
}

pass_writes_on!(Begun);
