//! The socket of a session, which one task reads while others write.

use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::BufMut;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::transport::{Socket, read_rest, wait_for};
use sockets::{Wire, set_low_water_mark, wire};

/// A socket that is read and written at the same time.
#[derive(Debug)]
pub(crate) enum Wired {
    /// TCP as it is: reading and writing do not meet.
    Plain(Socket),
    /// TLS: one at a time, each for as long as it has something to do.
    Tls(Mutex<Socket>),
}

impl Wired {
    pub(crate) fn new(socket: Socket) -> Self {
        if socket.stream.plain().is_some() { Self::Plain(socket) } else { Self::Tls(Mutex::new(socket)) }
    }

    /// Writes may have to wait, so a task must do them.
    pub(crate) fn must_wait(&self) -> bool {
        matches!(self, Wired::Tls(_))
    }

    /// Writes what the socket takes now.
    ///
    /// # Errors
    /// `WouldBlock` if it takes nothing; or it is broken.
    pub(crate) fn try_write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Wired::Plain(socket) => filled(socket.stream.tcp().try_write_vectored(slices)?),
            Wired::Tls(_) => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    /// Writes as soon as the socket takes something.
    ///
    /// # Errors
    /// It is broken.
    pub(crate) async fn write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Wired::Plain(socket) => loop {
                match socket.stream.tcp().try_write_vectored(slices) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        socket.stream.tcp().writable().await?;
                    }
                    written => return filled(written?),
                }
            },
            Wired::Tls(socket) => {
                let written = poll_fn(|context| {
                    Pin::new(&mut locked(socket).stream).poll_write_vectored(context, slices)
                });
                let written = filled(written.await?)?;
                poll_fn(|context| Pin::new(&mut locked(socket).stream).poll_flush(context)).await?;
                Ok(written)
            }
        }
    }

    /// Reads at most so many bytes more, and not more than [`at_once`] says; 0 at the end.
    ///
    /// # Errors
    /// It is broken.
    pub(crate) async fn read(&self, buffer: &mut Vec<u8>, bytes: usize) -> io::Result<usize> {
        let bytes = at_once(buffer.len(), bytes);
        match self {
            Wired::Plain(socket) => {
                let stream = socket.stream.tcp();
                loop {
                    stream.readable().await?;
                    // Memory is taken when the bytes are there.
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

    /// Waits until so many bytes are there, or as many of them as the kernel takes.
    ///
    /// # Errors
    /// It is broken.
    pub(crate) async fn wait_for(&self, missing: usize) -> io::Result<()> {
        match self {
            Wired::Plain(socket) => wait_for(socket.stream.tcp(), missing).await,
            Wired::Tls(_) => Ok(()),
        }
    }

    /// Reads until the buffer has so many bytes; 0 at the end. Where it can, the reader sleeps until most of them are there.
    ///
    /// # Errors
    /// It is broken.
    pub(crate) async fn read_rest(&self, buffer: &mut Vec<u8>, all: usize) -> io::Result<usize> {
        match self {
            Wired::Plain(socket) => read_rest(socket.stream.tcp(), buffer, all).await,
            Wired::Tls(_) => self.read(buffer, all - buffer.len()).await,
        }
    }

    /// Looks whether retransmissions were needless, if it is time to look.
    pub(crate) fn watch(&self, now: Instant) {
        match self {
            Wired::Plain(socket) => socket.watch(now),
            Wired::Tls(socket) => locked(socket).watch(now),
        }
    }

    /// The reader wakes for the next byte again, after a wait for many that it has left.
    pub(crate) fn wake_at_once(&self) {
        if let Wired::Plain(socket) = self {
            // Where it cannot be set it was never raised.
            let _ = set_low_water_mark(socket.stream.tcp(), 1);
        }
    }

    pub(crate) fn wire(&self) -> Wire {
        match self {
            Wired::Plain(socket) => wire(socket.stream.tcp()),
            Wired::Tls(socket) => wire(locked(socket).stream.tcp()),
        }
    }

    /// Nothing more is read or written.
    pub(crate) fn shut_down(&self) {
        let both = |stream: &TcpStream| {
            // One that is closed already needs no more.
            let _ = socket2::SockRef::from(stream).shutdown(std::net::Shutdown::Both);
        };
        match self {
            Wired::Plain(socket) => both(socket.stream.tcp()),
            Wired::Tls(socket) => both(locked(socket).stream.tcp()),
        }
    }
}

/// A reader that has the socket only while it reads.
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

/// Bytes that are read at once, at least.
const READ_BYTES: usize = 16 * 1024;

/// How many of the bytes that may come are read at once into a buffer: as many as it has already, so that a length alone takes
/// no memory.
pub(crate) fn at_once(buffer_bytes: usize, bytes: usize) -> usize {
    bytes.min(buffer_bytes.max(READ_BYTES))
}

fn locked(socket: &Mutex<Socket>) -> MutexGuard<'_, Socket> {
    socket.lock().unwrap_or_else(PoisonError::into_inner)
}

fn filled(written: usize) -> io::Result<usize> {
    if written == 0 { Err(io::ErrorKind::WriteZero.into()) } else { Ok(written) }
}
