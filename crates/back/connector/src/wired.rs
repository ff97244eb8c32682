//! The socket of a session. One task reads it while others write.

use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::BufMut;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::transport::{FIRST_READ_BYTES, Socket, read_rest, wait_for};
use sockets::{Wire, set_low_water_mark, wire};

/// A socket that is read and written at the same time.
#[derive(Debug)]
pub(crate) enum Wired {
    /// Plain TCP: reading and writing do not disturb each other.
    Plain(Socket),
    /// TLS: reading and writing take turns, each only as long as it has work.
    Tls(Mutex<Socket>),
}

impl Wired {
    pub(crate) fn new(socket: Socket) -> Self {
        if socket.stream.plain().is_some() { Self::Plain(socket) } else { Self::Tls(Mutex::new(socket)) }
    }

    /// True if a write may have to wait. Then a task must write.
    pub(crate) fn must_wait(&self) -> bool {
        matches!(self, Wired::Tls(_))
    }

    /// Writes as much as the socket takes now.
    ///
    /// # Errors
    /// `WouldBlock` if the socket takes nothing; else the socket is broken.
    pub(crate) fn try_write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Wired::Plain(socket) => filled(socket.stream.tcp().try_write_vectored(slices)?),
            Wired::Tls(_) => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    /// Waits until the socket may take some bytes.
    ///
    /// # Errors
    /// The socket is broken.
    pub(crate) fn poll_ready(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Wired::Plain(socket) => socket.stream.tcp().poll_write_ready(context),
            // TLS has a buffer of its own.
            Wired::Tls(_) => Poll::Ready(Ok(())),
        }
    }

    /// Writes as much as the socket takes now. If it takes nothing, it wakes the task later.
    ///
    /// # Errors
    /// The socket is broken.
    pub(crate) fn poll_write(
        &self,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = match self {
            Wired::Plain(socket) => {
                let stream = socket.stream.tcp();
                loop {
                    match stream.try_write_vectored(slices) {
                        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                            ready!(stream.poll_write_ready(context))?;
                        }
                        written => break written?,
                    }
                }
            }
            Wired::Tls(socket) => {
                ready!(Pin::new(&mut locked(socket).stream).poll_write_vectored(context, slices))?
            }
        };
        Poll::Ready(filled(written))
    }

    /// Gives the kernel all bytes that are written.
    ///
    /// # Errors
    /// The socket is broken.
    pub(crate) async fn flush(&self) -> io::Result<()> {
        match self {
            Wired::Plain(_) => Ok(()),
            Wired::Tls(socket) => {
                poll_fn(|context| Pin::new(&mut locked(socket).stream).poll_flush(context)).await
            }
        }
    }

    /// Reads at most `bytes` more bytes, and not more than [`at_once`] allows; 0 at the end.
    ///
    /// # Errors
    /// The socket is broken.
    pub(crate) async fn read(&self, buffer: &mut Vec<u8>, bytes: usize) -> io::Result<usize> {
        let bytes = at_once(buffer.len(), bytes);
        match self {
            Wired::Plain(socket) => {
                let stream = socket.stream.tcp();
                loop {
                    stream.readable().await?;
                    // Take memory only when the bytes are there.
                    buffer.reserve(bytes);
                    match stream.try_read_buf(&mut (&mut *buffer).limit(bytes)) {
                        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                        read => return read,
                    }
                }
            }
            Wired::Tls(socket) => {
                buffer.reserve(bytes);
                Reading(socket).read_buf(&mut (&mut *buffer).limit(bytes)).await
            }
        }
    }

    /// Waits until `missing` bytes are there, or the most that the kernel allows.
    ///
    /// # Errors
    /// The socket is broken.
    pub(crate) async fn wait_for(&self, missing: usize) -> io::Result<()> {
        match self {
            Wired::Plain(socket) => wait_for(socket.stream.tcp(), missing).await,
            Wired::Tls(_) => Ok(()),
        }
    }

    /// Reads until the buffer has `all` bytes; 0 at the end. On plain TCP the reader sleeps until
    /// most of them are there.
    ///
    /// # Errors
    /// The socket is broken.
    pub(crate) async fn read_rest(&self, buffer: &mut Vec<u8>, all: usize) -> io::Result<usize> {
        match self {
            Wired::Plain(socket) => read_rest(socket.stream.tcp(), buffer, all).await,
            Wired::Tls(_) => self.read(buffer, all - buffer.len()).await,
        }
    }

    /// Bytes that the kernel has for the reader of plain TCP.
    pub(crate) fn unread(&self) -> u64 {
        match self {
            Wired::Plain(socket) => rustix::io::ioctl_fionread(socket.stream.tcp()).unwrap_or(0),
            // TLS is read as its bytes come.
            Wired::Tls(_) => 0,
        }
    }

    /// Checks for needless retransmissions, if it is time.
    pub(crate) fn watch(&self, now: Instant) {
        match self {
            Wired::Plain(socket) => socket.watch(now),
            Wired::Tls(socket) => locked(socket).watch(now),
        }
    }

    /// Wakes the reader for the next byte again, after it gave up a wait for many bytes.
    pub(crate) fn wake_at_once(&self) {
        if let Wired::Plain(socket) = self {
            // If the mark cannot be set, it was never raised.
            let _ = set_low_water_mark(socket.stream.tcp(), 1);
        }
    }

    pub(crate) fn wire(&self) -> Wire {
        match self {
            Wired::Plain(socket) => wire(socket.stream.tcp()),
            Wired::Tls(socket) => wire(locked(socket).stream.tcp()),
        }
    }

    /// Ends reading and writing.
    pub(crate) fn shut_down(&self) {
        let both = |stream: &TcpStream| {
            // A closed socket needs no shutdown.
            let _ = socket2::SockRef::from(stream).shutdown(std::net::Shutdown::Both);
        };
        match self {
            Wired::Plain(socket) => both(socket.stream.tcp()),
            Wired::Tls(socket) => both(locked(socket).stream.tcp()),
        }
    }
}

/// A reader that locks the socket only while it reads.
struct Reading<'s>(&'s Mutex<Socket>);

impl AsyncRead for Reading<'_> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut locked(self.0).stream).poll_read(context, buffer)
    }
}

/// The size of the next read into a buffer: at most the number of bytes in the buffer, but at least 16 KiB.
/// So memory grows with the bytes that come, not with their announced length.
pub(crate) fn at_once(buffer_bytes: usize, bytes: usize) -> usize {
    bytes.min(buffer_bytes.max(FIRST_READ_BYTES))
}

fn locked(socket: &Mutex<Socket>) -> MutexGuard<'_, Socket> {
    socket.lock().unwrap_or_else(PoisonError::into_inner)
}

fn filled(written: usize) -> io::Result<usize> {
    if written == 0 { Err(io::ErrorKind::WriteZero.into()) } else { Ok(written) }
}
