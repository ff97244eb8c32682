//! Connections: opened with their socket options, and one exchange at a time on each.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::BufMut;
use rustix::net::RecvFlags;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::framing::{FrameType, Framing, Label, Scan};
use crate::options::{Wire, set_low_water_mark, set_rto_max, set_rto_min, wire};
use crate::settings::{GroupSettings, SocketSettings};

/// Bytes that are read at once while the length of a frame is not known.
const FIRST_READ_BYTES: usize = 16 * 1024;

/// How often a connection is tried: the first packet may be lost, and TCP sends it again only after a second.
const CONNECT_TRIES: u32 = 2;

/// A connection to an endpoint.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    /// The correlation id of the last request.
    correlation: u64,
    totals: Arc<WireTotals>,
}

/// What connections of an endpoint that are closed met on the wire.
#[derive(Debug, Default)]
pub(crate) struct WireTotals {
    retransmits: AtomicU64,
    dsacks: AtomicU64,
}

impl WireTotals {
    /// Retransmissions, and how many of them were needless.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.retransmits.load(Ordering::Relaxed), self.dsacks.load(Ordering::Relaxed))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let told = self.wire();
        self.totals.retransmits.fetch_add(told.retransmits, Ordering::Relaxed);
        self.totals.dsacks.fetch_add(told.dsacks, Ordering::Relaxed);
    }
}

/// How far an exchange came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// At least one byte of the request was given to TCP.
    pub(crate) is_sent: bool,
}

/// Why there is no reply on a connection.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The frame cannot hold the message.
    Unframeable(String),
    /// The connection ended or broke.
    Broken(String),
    /// What came is not a reply.
    BadReply(String),
}

/// What an exchange is about.
#[derive(Debug)]
pub(crate) struct Exchange<'e> {
    pub(crate) settings: &'e GroupSettings,
    /// The record. It stays as it is if it may have to be sent again; else the reply takes its buffer.
    pub(crate) request: &'e mut Vec<u8>,
    pub(crate) is_kept: bool,
}

impl Connection {
    /// Connects.
    ///
    /// # Errors
    /// The reason, for people: the name is not known, nobody listens there, or nothing came in time.
    pub(crate) async fn open(
        (destination, totals): (&str, &Arc<WireTotals>),
        settings: &GroupSettings,
    ) -> Result<Self, String> {
        let describe = |error: io::Error| format!("{destination}: {error}");
        // Names are looked up each time: servers move.
        let addresses: Vec<SocketAddr> = match destination.parse() {
            Ok(address) => vec![address],
            Err(_) => {
                let found = tokio::time::timeout(DNS_TIMEOUT, tokio::net::lookup_host(destination)).await;
                let found = found.map_err(|_| format!("{destination}: the name was not found in time"))?;
                found.map_err(describe)?.collect()
            }
        };
        let mut reason = format!("{destination}: the name has no address");
        for address in addresses {
            for _ in 0..CONNECT_TRIES {
                match tokio::time::timeout(settings.connect_timeout, connect(address, settings)).await {
                    Ok(Ok(stream)) => {
                        let opened = Self { stream, correlation: 0, totals: Arc::clone(totals) };
                        // The kernel would wait a second at the next loss: it knows no round trip time.
                        if opened.wire().retransmits == 0 {
                            return Ok(opened);
                        }
                        reason = format!("{destination}: a packet of the handshake was lost");
                    }
                    Ok(Err(error)) => {
                        reason = format!("{destination}: {error}");
                        break;
                    }
                    Err(_) => {
                        let ms = settings.connect_timeout.as_millis();
                        reason = format!("{destination}: no connection within {CONNECT_TRIES} times {ms} ms");
                    }
                }
            }
        }
        Err(reason)
    }

    /// Whether it is open, and nothing came that nobody asked for.
    pub(crate) fn is_alive(&self) -> bool {
        let looked = rustix::net::recv(&self.stream, &mut [0; 1], RecvFlags::PEEK | RecvFlags::DONTWAIT);
        matches!(looked, Err(rustix::io::Errno::AGAIN))
    }

    /// How it fares on the wire.
    pub(crate) fn wire(&self) -> Wire {
        wire(&self.stream)
    }

    /// Takes it over into the runtime that runs now.
    ///
    /// # Errors
    /// The runtime cannot watch it.
    pub(crate) fn taken_over(mut self) -> io::Result<Self> {
        let copy = std::net::TcpStream::from(self.stream.as_fd().try_clone_to_owned()?);
        self.stream = TcpStream::from_std(copy)?;
        Ok(self)
    }

    /// Sends a request and reads its reply. After an error the connection must not be used again, unless nothing was sent.
    ///
    /// # Errors
    /// There is no reply.
    pub(crate) async fn exchange(
        &mut self,
        exchange: Exchange<'_>,
        progress: &mut Progress,
    ) -> Result<Vec<u8>, Fault> {
        let Exchange { settings, request, is_kept } = exchange;
        self.correlation = self.correlation.wrapping_add(1);
        let label = Label { frame_type: FrameType::Request, correlation: self.correlation };
        let around = settings.framing.write(request, label).map_err(|fault| Fault::Unframeable(fault.0))?;
        let frame_bytes = around.header().len() + request.len() + around.trailer().len();
        if frame_bytes > settings.frame_max_bytes {
            let most = settings.frame_max_bytes;
            let message = format!("the frame has {frame_bytes} bytes; at most {most} may be sent");
            return Err(Fault::Unframeable(message));
        }
        let parts = [IoSlice::new(around.header()), IoSlice::new(request), IoSlice::new(around.trailer())];
        self.write(parts, progress).await.map_err(|error| Fault::Broken(error.to_string()))?;
        let mut reply = if is_kept { Vec::new() } else { std::mem::take(request) };
        let label = self.read(settings, &mut reply).await?;
        match settings.framing.correlates() {
            true if label.frame_type != FrameType::Reply || label.correlation != self.correlation => {
                let message = format!(
                    "expected the reply {}, found the frame {:?} {}",
                    self.correlation, label.frame_type, label.correlation
                );
                Err(Fault::BadReply(message))
            }
            _ => Ok(reply),
        }
    }

    async fn write(&mut self, mut parts: [IoSlice<'_>; 3], progress: &mut Progress) -> io::Result<()> {
        let mut left = &mut parts[..];
        IoSlice::advance_slices(&mut left, 0);
        while !left.is_empty() {
            let written = self.stream.write_vectored(left).await?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            progress.is_sent = true;
            IoSlice::advance_slices(&mut left, written);
        }
        Ok(())
    }

    /// Reads one frame, and leaves its message in the buffer.
    async fn read(&mut self, settings: &GroupSettings, buffer: &mut Vec<u8>) -> Result<Label, Fault> {
        let bad = |fault: crate::framing::Fault| Fault::BadReply(fault.0);
        let most = settings.frame_max_bytes;
        buffer.clear();
        let mut wanted = match settings.framing {
            Framing::Fixed(bytes) => bytes,
            _ => FIRST_READ_BYTES.min(most),
        };
        loop {
            self.receive(buffer, wanted).await?;
            match settings.framing.scan(buffer, most).map_err(bad)? {
                Scan::Frame { message, end, label } => {
                    if end != buffer.len() {
                        let more = buffer.len() - end;
                        return Err(Fault::BadReply(format!("{more} bytes came behind the reply")));
                    }
                    buffer.truncate(message.end);
                    buffer.drain(..message.start);
                    return Ok(label);
                }
                // What is known to come is read to its end, and not beyond.
                Scan::More { frame_bytes: Some(all), message_at } if all - buffer.len() >= LARGE_BYTES => {
                    let place = (all, message_at.unwrap_or(0), settings.framing.correlates());
                    return self.read_large(buffer, place).await;
                }
                Scan::More { frame_bytes: Some(all), .. } => wanted = all - buffer.len(),
                Scan::More { frame_bytes: None, .. } => {
                    wanted = FIRST_READ_BYTES.min(most.saturating_sub(buffer.len()).max(1));
                }
            }
        }
    }

    /// Reads the rest of a large frame: the reader sleeps until most of it is there, and the buffer is taken then.
    ///
    /// Two rules keep both sides from sleeping for ever. The mark is set anew to what is missing before each wait, because the
    /// kernel wakes the reader earlier when its memory is full. And it is only ever set before a wait that does not read.
    async fn read_large(
        &mut self,
        buffer: &mut Vec<u8>,
        (all, at, correlates): (usize, usize, bool),
    ) -> Result<Label, Fault> {
        let broken = |error: io::Error| Fault::Broken(error.to_string());
        let label = if correlates { Framing::label(buffer) } else { Label::default() };
        // What stands in front of the message is few bytes now, and many later.
        buffer.drain(..at);
        let all = all - at;
        while buffer.len() < all {
            let missing = all - buffer.len();
            set_low_water_mark(&self.stream, missing.min(MARK_MAX_BYTES)).map_err(broken)?;
            self.stream.readable().await.map_err(broken)?;
            buffer.reserve_exact(missing);
            match self.stream.try_read_buf(&mut (&mut *buffer).limit(missing)) {
                Ok(0) => {
                    let message = format!("closed after {} bytes of the reply", buffer.len() + at);
                    return Err(Fault::BadReply(message));
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(broken(error)),
            }
        }
        set_low_water_mark(&self.stream, 1).map_err(broken)?;
        Ok(label)
    }

    /// Reads at most so many bytes more.
    async fn receive(&mut self, buffer: &mut Vec<u8>, wanted: usize) -> Result<(), Fault> {
        // Memory is taken as bytes come, so that a length alone takes none.
        buffer.reserve(wanted.min(FIRST_READ_BYTES.max(buffer.len())));
        match self.stream.read_buf(&mut (&mut *buffer).limit(wanted)).await {
            Ok(0) if buffer.is_empty() => Err(Fault::Broken("closed before the reply".to_owned())),
            Ok(0) => Err(Fault::BadReply(format!("closed after {} bytes of the reply", buffer.len()))),
            Ok(_) => Ok(()),
            Err(error) => Err(Fault::Broken(error.to_string())),
        }
    }
}

/// Time for the look-up of a name.
const DNS_TIMEOUT: Duration = Duration::from_secs(5);

/// With so many bytes missing, a reader sleeps until they are there. For fewer, setting the mark costs more than it saves.
const LARGE_BYTES: usize = 64 * 1024;

/// A reader sleeps for so many bytes at most: the kernel must have room for them.
const MARK_MAX_BYTES: usize = 1 << 20;

async fn connect(address: SocketAddr, settings: &GroupSettings) -> io::Result<TcpStream> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_nodelay(true)?;
    set_options(&socket, &settings.sockets)?;
    if let Some(interval) = settings.heartbeat_interval {
        let keepalive =
            TcpKeepalive::new().with_time(interval).with_interval(KEEPALIVE_INTERVAL).with_retries(3);
        SockRef::from(&socket).set_tcp_keepalive(&keepalive)?;
    }
    socket.connect(address).await
}

/// Sets the options before the connection comes up. What a kernel lacks is left as it is.
fn set_options(socket: &TcpSocket, wanted: &SocketSettings) -> io::Result<()> {
    if let Some(time) = wanted.rto_min {
        let _ = set_rto_min(socket, time);
    }
    if let Some(time) = wanted.rto_max {
        let _ = set_rto_max(socket, time);
    }
    let socket = SockRef::from(socket);
    if wanted.user_timeout.is_some() {
        socket.set_tcp_user_timeout(wanted.user_timeout)?;
    }
    if let Some(name) = &wanted.congestion {
        socket.set_tcp_congestion(name.as_bytes())?;
    }
    if let Some(bytes) = wanted.notsent_low_water_bytes {
        socket.set_tcp_notsent_lowat(bytes)?;
    }
    Ok(())
}

/// Once a server has been silent for the interval of heartbeats, TCP asks again after this time, three times.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
