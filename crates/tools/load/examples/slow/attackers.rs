//! Clients that hold what others need: each is slow in one way, and one that the gateway lets go comes again.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{interval, sleep};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;
const ACK: u8 = 1;
const END_STREAM_AND_HEADERS: u8 = 5;
const INITIAL_WINDOW_SIZE: u16 = 4;
const DOCUMENT: &str = "/echo/openapi.json";

/// Requests that a client of HTTP/2 has open at one time.
pub(crate) const STREAMS: usize = 20;
/// Clients that share an address.
const CLIENTS_PER_ADDRESS: usize = 100;

/// A way to be slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A byte of a header twice a second.
    Head,
    /// A byte of a body twice a second.
    Body,
    /// HTTP/2 answers that may send nothing. Pings are answered.
    Window0,
    /// HTTP/2 answers that may each send one byte a second. Pings are answered.
    Window1,
    /// HTTP/2 settings five times a second, and no request.
    Settings,
    /// Nothing is ever sent.
    Idle,
}

impl Kind {
    pub(crate) const ALL: [Self; 6] =
        [Self::Head, Self::Body, Self::Window0, Self::Window1, Self::Settings, Self::Idle];

    pub(crate) fn takes_no_answers(self) -> bool {
        matches!(self, Self::Window0 | Self::Window1)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Head => "head",
            Self::Body => "body",
            Self::Window0 => "window 0",
            Self::Window1 => "window 1",
            Self::Settings => "settings",
            Self::Idle => "idle",
        })
    }
}

/// Many clients of a kind, in a thread of their own.
pub(crate) struct Attackers {
    state: Arc<State>,
    thread: Option<std::thread::JoinHandle<()>>,
}

struct State {
    kind: Kind,
    target: SocketAddr,
    /// Where a request with a body goes; it must be one whose body is read.
    path: &'static str,
    again: AtomicBool,
    open: AtomicUsize,
    came: AtomicUsize,
}

impl Attackers {
    pub(crate) fn start(kind: Kind, (target, path): (SocketAddr, &'static str), count: usize) -> Self {
        let state = Arc::new(State {
            kind,
            target,
            path,
            again: AtomicBool::new(true),
            open: AtomicUsize::new(0),
            came: AtomicUsize::new(0),
        });
        let shared = Arc::clone(&state);
        let thread = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                for number in 0..count {
                    tokio::spawn(Arc::clone(&shared).client(number));
                }
                while shared.again.load(Ordering::Relaxed) || shared.open.load(Ordering::Relaxed) > 0 {
                    sleep(Duration::from_millis(20)).await;
                }
            });
        });
        Self { state, thread: Some(thread) }
    }

    /// Connections that were made.
    pub(crate) fn came(&self) -> usize {
        self.state.came.load(Ordering::Relaxed)
    }

    /// Connections that are open now.
    pub(crate) fn open(&self) -> usize {
        self.state.open.load(Ordering::Relaxed)
    }

    /// No client comes again. Waits until the gateway has let all of them go; None if it does not within `limit`.
    pub(crate) fn gone(&mut self, limit: Duration) -> Option<Duration> {
        self.state.again.store(false, Ordering::Relaxed);
        let begun = std::time::Instant::now();
        while begun.elapsed() < limit {
            if self.open() == 0 {
                self.thread.take().map(std::thread::JoinHandle::join);
                return Some(begun.elapsed());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        None
    }
}

impl State {
    async fn client(self: Arc<Self>, number: usize) {
        // Not all in the same moment.
        sleep(Duration::from_millis(number as u64)).await;
        let group = u8::try_from(number / CLIENTS_PER_ADDRESS % 250).unwrap_or(0);
        let source = SocketAddr::from((Ipv4Addr::new(127, 0, 1, group + 1), 0));
        while self.again.load(Ordering::Relaxed) {
            self.open.fetch_add(1, Ordering::Relaxed);
            if let Ok(stream) = connect(source, self.target).await {
                self.came.fetch_add(1, Ordering::Relaxed);
                // It ends when the gateway ends the connection.
                let _ = attack(self.kind, self.path, stream).await;
            }
            self.open.fetch_sub(1, Ordering::Relaxed);
            sleep(Duration::from_millis(100)).await;
        }
    }
}

/// A connection whose end leaves no port behind that waits.
pub(crate) async fn connect(source: SocketAddr, target: SocketAddr) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(source)?;
    let stream = socket.connect(target).await?;
    stream.set_zero_linger()?;
    Ok(stream)
}

async fn attack(kind: Kind, path: &str, stream: TcpStream) -> io::Result<()> {
    match kind {
        Kind::Head => drip(stream, b"GET /echo/7 HTTP/1.1\r\nx: ", b"x").await,
        Kind::Body => {
            let begin = format!(
                "PUT {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                 content-length: 1000\r\n\r\n{{"
            );
            drip(stream, begin.as_bytes(), b" ").await
        }
        Kind::Idle => drip(stream, b"", b"").await,
        Kind::Settings => {
            let again = frame(SETTINGS, 0, 0, &setting(INITIAL_WINDOW_SIZE, 70_000));
            let begin = [PREFACE, &frame(SETTINGS, 0, 0, &[])].concat();
            frames(stream, begin, (Duration::from_millis(200), again)).await
        }
        Kind::Window0 | Kind::Window1 => {
            let size = u32::from(kind == Kind::Window1);
            let mut begin = [PREFACE, &frame(SETTINGS, 0, 0, &setting(INITIAL_WINDOW_SIZE, size))].concat();
            let mut again = Vec::new();
            for stream in (1..).step_by(2).take(STREAMS) {
                begin.extend(get(stream, DOCUMENT));
                if size > 0 {
                    again.extend(frame(WINDOW_UPDATE, 0, stream, &size.to_be_bytes()));
                }
            }
            frames(stream, begin, (Duration::from_secs(1), again)).await
        }
    }
}

/// Sends a beginning and then a byte from time to time, until the other side ends the connection.
async fn drip(mut stream: TcpStream, begin: &[u8], byte: &[u8]) -> io::Result<()> {
    stream.write_all(begin).await?;
    let mut ticks = interval(Duration::from_millis(500));
    let mut buffer = [0; 256];
    loop {
        tokio::select! {
            read = stream.read(&mut buffer) => if read? == 0 {
                return Ok(());
            },
            _ = ticks.tick(), if !byte.is_empty() => stream.write_all(byte).await?,
        }
    }
}

/// Sends a beginning, and something again and again. Settings and pings of the other side are answered.
async fn frames(mut stream: TcpStream, begin: Vec<u8>, again: (Duration, Vec<u8>)) -> io::Result<()> {
    stream.write_all(&begin).await?;
    let (every, bytes) = again;
    let mut ticks = interval(every);
    let mut received = Vec::with_capacity(1024);
    loop {
        tokio::select! {
            read = stream.read_buf(&mut received) => {
                if read? == 0 {
                    return Ok(());
                }
                let answers = answers(&mut received);
                stream.write_all(&answers).await?;
            }
            _ = ticks.tick(), if !bytes.is_empty() => stream.write_all(&bytes).await?,
        }
    }
}

/// The answers to the whole frames in `received`, which are taken out of it.
fn answers(received: &mut Vec<u8>) -> Vec<u8> {
    let (mut at, mut answers) = (0, Vec::new());
    while let Some(head) = received.get(at..at + 9) {
        let end = at + 9 + u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let (kind, flags) = (head[3], head[4]);
        let Some(payload) = received.get(at + 9..end) else { break };
        match kind {
            PING if flags & ACK == 0 => answers.extend(frame(PING, ACK, 0, payload)),
            SETTINGS if flags & ACK == 0 => answers.extend(frame(SETTINGS, ACK, 0, &[])),
            _ => {}
        }
        at = end;
    }
    received.drain(..at);
    answers
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("a short payload").to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

fn setting(name: u16, value: u32) -> Vec<u8> {
    [&name.to_be_bytes()[..], &value.to_be_bytes()].concat()
}

/// A GET request whose headers are literals without Huffman coding (RFC 7541, section 6.2.2).
fn get(stream: u32, path: &str) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in
        [(":method", "GET"), (":scheme", "http"), (":authority", "localhost"), (":path", path)]
    {
        for text in [name, value] {
            if text == name {
                block.push(0);
            }
            block.push(u8::try_from(text.len()).expect("a short text"));
            block.extend(text.as_bytes());
        }
    }
    frame(HEADERS, END_STREAM_AND_HEADERS, stream, &block)
}
