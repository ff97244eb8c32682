//! The stream of a connection: TCP as it is, or TLS over it.

use std::io::{self, IoSlice, Read};
use std::pin::Pin;
use std::task::{Context, Poll};

use rustix::net::RecvFlags;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

/// Reads of bytes to throw away, at most, each of 4 KiB.
const DISCARDS_MAX: usize = 64;

/// The stream of a connection.
#[derive(Debug)]
pub(crate) enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Stream {
    /// The socket.
    pub(crate) fn tcp(&self) -> &TcpStream {
        match self {
            Stream::Plain(stream) => stream,
            Stream::Tls(stream) => stream.get_ref().0,
        }
    }

    /// The socket of plain TCP; none for TLS.
    pub(crate) fn plain(&self) -> Option<&TcpStream> {
        match self {
            Stream::Plain(stream) => Some(stream),
            Stream::Tls(_) => None,
        }
    }

    /// Throws away bytes that have come over plain TCP, up to a limit.
    pub(crate) fn discard(&mut self) {
        if let Stream::Plain(stream) = self {
            let mut bytes = [0; 4096];
            let more = |_: &usize| matches!(Now(stream).read(&mut bytes), Ok(1..));
            (0..DISCARDS_MAX).take_while(more).for_each(drop);
        }
    }

    /// Whether it is open and has no unexpected bytes. TLS itself may send at any time.
    pub(crate) fn is_silent(&mut self) -> bool {
        match self {
            Stream::Plain(stream) => {
                let looked = rustix::net::recv(&*stream, &mut [0; 1], RecvFlags::PEEK | RecvFlags::DONTWAIT);
                matches!(looked, Err(rustix::io::Errno::AGAIN))
            }
            Stream::Tls(stream) => is_silent(stream),
        }
    }
}

fn is_silent(stream: &mut TlsStream<TcpStream>) -> bool {
    let (socket, session) = stream.get_mut();
    loop {
        match session.process_new_packets() {
            Ok(state) if state.plaintext_bytes_to_read() == 0 && !state.peer_has_closed() => {}
            _ => return false,
        }
        match session.read_tls(&mut Now(socket)) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(error) => return error.kind() == io::ErrorKind::WouldBlock,
        }
    }
}

/// Reads what a socket has now, without waiting. Any runtime may watch the socket.
struct Now<'s>(&'s TcpStream);

impl Read for Now<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let (read, _) = rustix::net::recv(self.0, bytes, RecvFlags::DONTWAIT)?;
        Ok(read)
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Stream::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Stream::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_write_vectored(context, parts),
            Stream::Tls(stream) => Pin::new(stream).poll_write_vectored(context, parts),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(context),
            Stream::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Stream::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
