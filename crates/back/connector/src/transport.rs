//! Connections with their socket options, and one exchange at a time on each. `session` shares a
//! connection among requests.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::BufMut;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Notify;

use crate::floor::{Floors, Sent, Watched};
use crate::framing::{FrameType, Framing, Label, Scan};
use crate::room::{Account, Room};
use crate::settings::{GroupSettings, SocketSettings};
use crate::stream::Stream;
use crate::wired::at_once;
use sockets::{Wire, set_low_water_mark, set_rto_max, set_rto_min, support, wire};

/// Bytes of one read while the length of the frame is not known. No read is for fewer, unless the frame has fewer.
pub(crate) const FIRST_READ_BYTES: usize = 16 * 1024;

/// How often a connection is tried. The first packet may be lost, and TCP sends it again only after
/// a second.
const CONNECT_TRIES: u32 = 2;

/// A connection to an endpoint.
#[derive(Debug)]
pub(crate) struct Connection {
    socket: Socket,
    place: Place,
    /// The memory of the reply that it reads.
    account: Account,
    /// True if an exchange has begun and has not ended well.
    is_spoilt: bool,
    /// True if it has sent a one-way request without an id. Bytes that come may be its answer, so the
    /// connection serves no other requests.
    is_one_way: bool,
    /// The size of a usual reply, as a frame. The first read of a reply takes this much, so that its buffer is no larger than needed.
    usual_bytes: usize,
}

/// The socket of a connection. Its drop adds its figures to the endpoint's.
#[derive(Debug)]
pub(crate) struct Socket {
    pub(crate) stream: Stream,
    totals: Arc<WireTotals>,
    /// The state of its floor; none if the kernel's value is in force.
    watched: Option<Mutex<Watched>>,
}

/// Figures that the connections of an endpoint share.
#[derive(Debug)]
pub(crate) struct WireTotals {
    /// Retransmissions and DSACKs of closed connections.
    retransmits: AtomicU64,
    dsacks: AtomicU64,
    /// Connections that take requests, or are being opened.
    open: AtomicUsize,
    /// Wakes tasks that wait for a connection when something has changed.
    pub(crate) changed: Notify,
    /// The shortest time before a retransmission, adapted to the server.
    pub(crate) floors: Floors,
    /// The group's memory for incoming replies.
    room: Arc<Room>,
}

/// A place among the connections of an endpoint. Its drop frees it.
#[derive(Debug)]
pub(crate) struct Place(Arc<WireTotals>);

impl WireTotals {
    pub(crate) fn new(room: Arc<Room>) -> Arc<Self> {
        Arc::new(Self {
            retransmits: AtomicU64::new(0),
            dsacks: AtomicU64::new(0),
            open: AtomicUsize::new(0),
            changed: Notify::new(),
            floors: Floors::default(),
            room,
        })
    }

    /// Retransmissions, and the needless ones among them.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.retransmits.load(Ordering::Relaxed), self.dsacks.load(Ordering::Relaxed))
    }

    /// Connections that take requests, or are being opened.
    pub(crate) fn open(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    /// A place for one more connection, if fewer than `most` are open.
    pub(crate) fn place(self: &Arc<Self>, most: usize) -> Option<Place> {
        let one_more = |open: usize| (open < most).then_some(open + 1);
        let taken = self.open.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more);
        taken.is_ok().then(|| Place(Arc::clone(self)))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
        self.0.changed.notify_waiters();
    }
}

impl Socket {
    /// If it is time, checks for needless retransmissions and sets the endpoint's floor.
    pub(crate) fn watch(&self, now: Instant) {
        // If another thread looks at this moment, that is enough.
        let Some(Ok(mut watched)) = self.watched.as_ref().map(Mutex::try_lock) else { return };
        if !watched.is_due(now) {
            return;
        }
        let told = wire(self.stream.tcp());
        let sent = Sent { segments: told.segments, again: told.retransmits, needless: told.dsacks };
        if let Some(floor) = watched.look(&self.totals.floors, sent, now) {
            let _ = set_rto_min(self.stream.tcp(), floor);
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let told = wire(self.stream.tcp());
        self.totals.retransmits.fetch_add(told.retransmits, Ordering::Relaxed);
        self.totals.dsacks.fetch_add(told.dsacks, Ordering::Relaxed);
    }
}

/// The progress of an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// True if at least one byte of the request was given to TCP.
    pub(crate) is_sent: bool,
}

/// Why there is no reply on a connection.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// The frame cannot hold the message.
    Unframeable(String),
    /// The connection takes no more requests. Nothing was sent, and nothing failed.
    Retired,
    /// The connection ended or broke.
    Broken(String),
    /// The bytes that came are not a reply.
    BadReply(String),
}

impl Fault {
    /// The reason, as text for people.
    pub(crate) fn text(&self) -> &str {
        match self {
            Fault::Unframeable(text) | Fault::Broken(text) | Fault::BadReply(text) => text,
            Fault::Retired => "the connection takes no more requests",
        }
    }
}

/// Why a connection does not come up, as text for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotOpened {
    /// The server cannot be reached, or does not answer.
    Failed(String),
    /// This process may have no more sockets. That says nothing about the server.
    NoSockets(String),
}

impl NotOpened {
    fn new(destination: &str, error: &io::Error) -> Self {
        let reason = format!("{destination}: {error}");
        match lacks_descriptors(error) {
            true => Self::NoSockets(format!("no more sockets: {reason}")),
            false => Self::Failed(reason),
        }
    }
}

/// Whether this process or the machine has no file descriptor left.
fn lacks_descriptors(error: &io::Error) -> bool {
    let lacks = [rustix::io::Errno::MFILE, rustix::io::Errno::NFILE];
    error.raw_os_error().is_some_and(|code| lacks.iter().any(|lack| lack.raw_os_error() == code))
}

/// The parts of an exchange.
#[derive(Debug)]
pub(crate) struct Exchange<'e> {
    pub(crate) settings: &'e GroupSettings,
    /// The record. If `is_kept`, it stays for a further attempt; else the reply takes its buffer.
    pub(crate) request: &'e mut Vec<u8>,
    pub(crate) is_kept: bool,
    /// True if there is no reply: the exchange then ends when it is written.
    pub(crate) is_one_way: bool,
}

impl Connection {
    /// Connects.
    ///
    /// # Errors
    /// The name is not known, nobody listens there, nothing came in time, or there are no more
    /// sockets.
    pub(crate) async fn open(
        destination: &str,
        totals: &Arc<WireTotals>,
        place: Place,
        settings: &GroupSettings,
    ) -> Result<Self, NotOpened> {
        let mut place = Some(place);
        // Look names up each time, because servers move.
        let addresses: Vec<SocketAddr> = match destination.parse() {
            Ok(address) => vec![address],
            Err(_) => {
                let found = tokio::time::timeout(DNS_TIMEOUT, tokio::net::lookup_host(destination)).await;
                let late = |_| NotOpened::Failed(format!("{destination}: the name was not found in time"));
                found.map_err(late)?.map_err(|error| NotOpened::new(destination, &error))?.collect()
            }
        };
        let failed = |reason| NotOpened::Failed(format!("{destination}: {reason}"));
        let mut reason = failed("the name has no address".to_owned());
        for address in addresses {
            for _ in 0..CONNECT_TRIES {
                match tokio::time::timeout(settings.connect_timeout, connect(address, destination, settings))
                    .await
                {
                    Ok(Ok(stream)) => {
                        let watched = watched(stream.tcp(), totals, settings);
                        let socket = Socket { stream, totals: Arc::clone(totals), watched };
                        // The kernel would wait a second after the next loss, because it knows no
                        // round trip time.
                        if wire(socket.stream.tcp()).retransmits > 0 {
                            reason = failed("a packet of the handshake was lost".to_owned());
                            continue;
                        }
                        let Some(place) = place.take() else { break };
                        let account = totals.room.account();
                        let (is_spoilt, is_one_way) = (false, false);
                        let usual_bytes = FIRST_READ_BYTES;
                        let mut opened = Self { socket, place, account, is_spoilt, is_one_way, usual_bytes };
                        let greeted =
                            tokio::time::timeout(settings.connect_timeout, opened.heartbeat(settings)).await;
                        return match greeted {
                            Ok(Ok(())) => Ok(opened),
                            Ok(Err(fault)) => Err(failed(fault.text().to_owned())),
                            Err(_) => Err(failed("no answer to a heartbeat".to_owned())),
                        };
                    }
                    Ok(Err(error)) => {
                        reason = NotOpened::new(destination, &error);
                        break;
                    }
                    Err(_) => {
                        let ms = settings.connect_timeout.as_millis();
                        reason = failed(format!("no connection within {CONNECT_TRIES} times {ms} ms"));
                    }
                }
            }
        }
        Err(reason)
    }

    /// Whether it is open and has no unexpected bytes.
    pub(crate) fn is_alive(&mut self) -> bool {
        if self.is_one_way {
            // To close it with answers unread could take requests from the server that it has not read.
            self.socket.stream.discard();
        }
        !self.is_spoilt && self.socket.stream.is_silent()
    }

    /// Whether it takes one-way requests only.
    pub(crate) fn is_one_way(&self) -> bool {
        self.is_one_way
    }

    /// Whether it may be used again.
    pub(crate) fn is_reusable(&self) -> bool {
        !self.is_spoilt
    }

    /// Checks for needless retransmissions, if it is time.
    pub(crate) fn watch(&self, now: Instant) {
        self.socket.watch(now);
    }

    /// Its figures on the wire.
    pub(crate) fn wire(&self) -> Wire {
        wire(self.socket.stream.tcp())
    }

    pub(crate) fn into_parts(self) -> (Socket, Place, Account) {
        (self.socket, self.place, self.account)
    }

    /// Moves it into the current runtime.
    ///
    /// # Errors
    /// The runtime cannot watch it.
    pub(crate) fn take_over(&mut self) -> io::Result<()> {
        // TLS cannot change its socket, so its first runtime keeps watching it.
        if let Some(socket) = self.socket.stream.plain() {
            match socket.as_fd().try_clone_to_owned() {
                Ok(copy) => {
                    let copy = TcpStream::from_std(std::net::TcpStream::from(copy))?;
                    self.socket.stream = Stream::Plain(copy);
                }
                // Its first runtime then keeps watching it, too.
                Err(error) if lacks_descriptors(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Sends a heartbeat, if the group has one.
    ///
    /// # Errors
    /// The server does not answer, or not with the expected answer.
    pub(crate) async fn heartbeat(&mut self, settings: &GroupSettings) -> Result<(), Fault> {
        let (framing, mut progress) = (&settings.framing, Progress::default());
        let (message, expected) = match &settings.heartbeat {
            _ if framing.correlates() => (&[][..], None),
            Some(heartbeat) => (&heartbeat.request[..], heartbeat.reply.as_deref()),
            None => return Ok(()),
        };
        self.is_spoilt = true;
        let label = Label { frame_type: FrameType::Heartbeat, ..Label::default() };
        let around = framing.write(message, label).map_err(|fault| Fault::Unframeable(fault.0))?;
        let parts = [IoSlice::new(around.header()), IoSlice::new(message), IoSlice::new(around.trailer())];
        self.write(parts, &mut progress).await.map_err(|error| Fault::Broken(error.to_string()))?;
        let mut reply = Vec::new();
        let label = self.read(settings, &mut reply).await?;
        let is_answer = !framing.correlates() || label.frame_type == FrameType::HeartbeatAck;
        if !is_answer || expected.is_some_and(|expected| expected != reply) {
            return Err(Fault::BadReply("the answer to a heartbeat is not as expected".to_owned()));
        }
        self.is_spoilt = false;
        Ok(())
    }

    /// Sends a request and reads its reply. After an error the connection must not be used again,
    /// unless nothing was sent.
    ///
    /// # Errors
    /// There is no reply.
    pub(crate) async fn exchange(
        &mut self,
        exchange: Exchange<'_>,
        progress: &mut Progress,
    ) -> Result<Vec<u8>, Fault> {
        let Exchange { settings, request, is_kept, is_one_way } = exchange;
        let around =
            settings.framing.write(request, Label::default()).map_err(|fault| Fault::Unframeable(fault.0))?;
        let frame_bytes = around.header().len() + request.len() + around.trailer().len();
        if frame_bytes > settings.frame_max_bytes {
            let most = settings.frame_max_bytes;
            let message = format!("the frame has {frame_bytes} bytes; at most {most} may be sent");
            return Err(Fault::Unframeable(message));
        }
        self.is_spoilt = true;
        let parts = [IoSlice::new(around.header()), IoSlice::new(request), IoSlice::new(around.trailer())];
        self.write(parts, progress).await.map_err(|error| Fault::Broken(error.to_string()))?;
        let mut reply = if is_kept { Vec::new() } else { std::mem::take(request) };
        if is_one_way {
            self.is_one_way = !settings.framing.correlates();
            reply.clear();
        } else {
            self.read(settings, &mut reply).await?;
            // From now on the reply is the caller's.
            self.account.settle(0);
        }
        self.is_spoilt = false;
        Ok(reply)
    }

    async fn write(&mut self, mut parts: [IoSlice<'_>; 3], progress: &mut Progress) -> io::Result<()> {
        let mut left = &mut parts[..];
        IoSlice::advance_slices(&mut left, 0);
        while !left.is_empty() {
            let written = self.socket.stream.write_vectored(left).await?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            progress.is_sent = true;
            IoSlice::advance_slices(&mut left, written);
        }
        self.socket.stream.flush().await
    }

    /// Reads one frame, and leaves its message in the buffer.
    async fn read(&mut self, settings: &GroupSettings, buffer: &mut Vec<u8>) -> Result<Label, Fault> {
        let bad = |fault: crate::framing::Fault| Fault::BadReply(fault.0);
        let most = settings.frame_max_bytes;
        buffer.clear();
        let mut wanted = match settings.framing {
            Framing::Fixed(bytes) => bytes,
            _ => self.usual_bytes.max(buffer.capacity()).min(FIRST_READ_BYTES).min(most),
        };
        loop {
            let scanned = buffer.len();
            self.receive(buffer, wanted).await?;
            match settings.framing.scan_on(buffer, scanned, most).map_err(bad)? {
                Scan::Frame { message, end, label } => {
                    if end != buffer.len() {
                        let more = buffer.len() - end;
                        return Err(Fault::BadReply(format!("{more} bytes came behind the reply")));
                    }
                    // It falls slowly: a reply that is longer needs a second read.
                    self.usual_bytes = end.max(self.usual_bytes - self.usual_bytes / 8);
                    buffer.truncate(message.end);
                    buffer.drain(..message.start);
                    return Ok(label);
                }
                // Read the bytes that must come, and not beyond.
                Scan::More { frame_bytes: Some(all), message_at }
                    if all - buffer.len() >= LARGE_BYTES && self.socket.stream.plain().is_some() =>
                {
                    return self.read_large(buffer, all, message_at.unwrap_or(0)).await;
                }
                Scan::More { frame_bytes: Some(all), .. } => wanted = all - buffer.len(),
                Scan::More { frame_bytes: None, .. } => {
                    wanted = FIRST_READ_BYTES.min(most.saturating_sub(buffer.len()).max(1));
                }
            }
        }
    }

    /// Reads the rest of a large frame. Its message begins at `at`.
    async fn read_large(&mut self, buffer: &mut Vec<u8>, all: usize, at: usize) -> Result<Label, Fault> {
        // Remove the bytes before the message now, while there are few bytes to move.
        buffer.drain(..at);
        let stream = self.socket.stream.tcp();
        let broken = |error: io::Error| Fault::Broken(error.to_string());
        wait_for(stream, all - at - buffer.len()).await.map_err(broken)?;
        self.account.hold(all - at).await;
        match read_rest(stream, buffer, all - at).await {
            Ok(0) => Err(Fault::BadReply(format!("closed after {} bytes of the reply", buffer.len() + at))),
            Ok(_) => Ok(Label::default()),
            Err(error) => Err(broken(error)),
        }
    }

    /// Reads at most `wanted` more bytes.
    async fn receive(&mut self, buffer: &mut Vec<u8>, wanted: usize) -> Result<(), Fault> {
        // Memory grows with the bytes that come. An announced length takes none.
        let more = at_once(buffer.len(), wanted);
        self.account.hold(buffer.len() + more).await;
        buffer.reserve(more);
        match self.socket.stream.read_buf(&mut (&mut *buffer).limit(more)).await {
            Ok(0) if buffer.is_empty() => Err(Fault::Broken("closed before the reply".to_owned())),
            Ok(0) => Err(Fault::BadReply(format!("closed after {} bytes of the reply", buffer.len()))),
            Ok(_) => Ok(()),
            Err(error) => Err(Fault::Broken(error.to_string())),
        }
    }
}

/// Waits until `missing` bytes are there, or the most that the kernel allows. The caller must read next, see
/// [`read_rest`].
///
/// # Errors
/// The connection broke.
pub(crate) async fn wait_for(stream: &TcpStream, missing: usize) -> io::Result<()> {
    set_low_water_mark(stream, missing.min(MARK_MAX_BYTES))?;
    stream.readable().await
}

/// Reads until the buffer has `all` bytes; 0 at the end. The reader sleeps until most of them are
/// there. Only then it takes memory.
///
/// Two rules keep both sides from waiting for each other for ever. Before each wait, the mark is
/// set to the missing bytes, because the kernel wakes the reader earlier when its memory is full.
/// And the mark is only set if a wait without reading follows.
///
/// # Errors
/// The connection broke.
pub(crate) async fn read_rest(stream: &TcpStream, buffer: &mut Vec<u8>, all: usize) -> io::Result<usize> {
    let before = buffer.len();
    while buffer.len() < all {
        let missing = all - buffer.len();
        wait_for(stream, missing).await?;
        buffer.reserve_exact(missing);
        match stream.try_read_buf(&mut (&mut *buffer).limit(missing)) {
            Ok(0) => return Ok(0),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    set_low_water_mark(stream, 1)?;
    Ok(buffer.len() - before)
}

/// Time for looking up a name.
const DNS_TIMEOUT: Duration = Duration::from_secs(5);

/// With this many bytes missing, a reader sleeps until they are there. For fewer, setting the mark
/// costs more than it saves.
pub(crate) const LARGE_BYTES: usize = 64 * 1024;

/// A reader sleeps for at most this many bytes, because the kernel must have room for them.
const MARK_MAX_BYTES: usize = 1 << 20;

async fn connect(address: SocketAddr, destination: &str, settings: &GroupSettings) -> io::Result<Stream> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_nodelay(true)?;
    set_options(&socket, &settings.sockets)?;
    if let Some(interval) = settings.heartbeat_interval {
        // TCP counts whole seconds.
        let keepalive = TcpKeepalive::new().with_time(interval.max(Duration::from_secs(1)));
        let keepalive = keepalive.with_interval(KEEPALIVE_INTERVAL).with_retries(3);
        SockRef::from(&socket).set_tcp_keepalive(&keepalive)?;
    }
    let stream = socket.connect(address).await?;
    match &settings.tls {
        None => Ok(Stream::Plain(stream)),
        Some(tls) => Ok(Stream::Tls(Box::new(tls.begin(destination, stream).await?))),
    }
}

/// Watches a new connection. It begins with the current floor of its endpoint.
fn watched(stream: &TcpStream, totals: &WireTotals, settings: &GroupSettings) -> Option<Mutex<Watched>> {
    let own = settings.sockets.rto_min.filter(|_| support().rto_min)?;
    let now = Instant::now();
    let floor = totals.floors.of_new(own, now);
    if floor != own {
        let _ = set_rto_min(stream, floor);
    }
    Some(Mutex::new(Watched::new(own, floor, now)))
}

/// Sets the options before the connection comes up. Options that the kernel lacks are skipped.
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

/// If a server is silent for the interval of heartbeats, TCP sends three probes with this pause.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
