//! Good clients: requests at a fixed rate, most on connections that stay, some on new ones, some for health.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;
use tokio::time::{Instant, sleep_until, timeout};

use crate::attackers::connect;

const BODY: &str = r#"{"words":"hi"}"#;
/// The text that every answer contains.
const WORDS: &str = r#""words":"hi""#;
const HEALTH: &str = "GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n";
/// Connections that stay.
const LANES: usize = 64;
/// Requests on new connections, beside the others.
const NEW_PER_SECOND: f64 = 100.0;
const HEALTH_PER_SECOND: f64 = 2.0;
/// An answer that takes longer counts as refused.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);

/// The results of good clients.
#[derive(Default)]
pub(crate) struct Found {
    /// Times of answers, in order; each from when its request was due.
    pub(crate) times: Vec<Duration>,
    pub(crate) refused: BTreeMap<String, usize>,
}

impl Found {
    /// The time that this share of the answers took at most; `of` is in hundredths.
    pub(crate) fn percentile(&self, of: usize) -> Duration {
        self.times.get(self.times.len() * of / 100).copied().unwrap_or(Duration::MAX)
    }
}

/// Where good clients send their requests.
#[derive(Clone, Copy)]
pub(crate) struct Targets {
    pub(crate) apis: SocketAddr,
    pub(crate) admin: SocketAddr,
}

/// The kind of a request: over a kept or a new connection, or for the health.
#[derive(Clone, Copy)]
enum Use {
    Kept,
    New,
    Health,
}

struct Clients {
    targets: Targets,
    echo: String,
    found: RefCell<Found>,
}

/// Sends `rate` requests a second for some time, in this thread.
pub(crate) fn run(targets: Targets, rate: u64, seconds: f64) -> Found {
    block_on(async move {
        let clients = Rc::new(Clients::new(targets));
        let begun = Instant::now();
        let lanes = (0..LANES)
            .map(|number| (Use::Kept, rate as f64 / LANES as f64, number as f64 / LANES as f64))
            .chain([(Use::New, NEW_PER_SECOND, 0.0), (Use::Health, HEALTH_PER_SECOND, 0.5)]);
        let tasks: Vec<_> = lanes
            .map(|(what, per_second, ahead)| {
                let clients = Rc::clone(&clients);
                tokio::task::spawn_local(async move {
                    let mut stream = None;
                    for number in 0..(per_second * seconds) as u64 {
                        let due = begun + Duration::from_secs_f64((number as f64 + ahead) / per_second);
                        if due > Instant::now() {
                            sleep_until(due).await;
                        }
                        stream = clients.timed(what, stream, due).await;
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("good clients do not panic");
        }
        let mut found = clients.found.take();
        found.times.sort_unstable();
        found
    })
}

/// Requests a second that the gateway answers when each client sends the next one at once.
pub(crate) fn capacity(targets: Targets, seconds: f64) -> u64 {
    let answered = block_on(async move {
        let clients = Rc::new(Clients::new(targets));
        let end = Instant::now() + Duration::from_secs_f64(seconds);
        let tasks: Vec<_> = (0..LANES)
            .map(|_| {
                let clients = Rc::clone(&clients);
                tokio::task::spawn_local(async move {
                    let (mut answered, mut stream) = (0_u64, None);
                    while Instant::now() < end {
                        stream = clients.kept(stream).await.ok();
                        answered += u64::from(stream.is_some());
                    }
                    answered
                })
            })
            .collect();
        let mut answered = 0;
        for task in tasks {
            answered += task.await.unwrap_or(0);
        }
        answered
    });
    (answered as f64 / seconds) as u64
}

fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    LocalSet::new().block_on(&runtime, future)
}

impl Clients {
    fn new(targets: Targets) -> Self {
        let echo = format!(
            "PUT /echo/7 HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{BODY}",
            BODY.len()
        );
        Self { targets, echo, found: RefCell::default() }
    }

    /// One request, whose time counts from when it was due. Gives back a connection that stays.
    async fn timed(&self, what: Use, stream: Option<TcpStream>, due: Instant) -> Option<TcpStream> {
        let answer = async {
            match what {
                Use::Health => {
                    exchange(self.connect(self.targets.admin).await?, HEALTH, "up").await.map(|_| None)
                }
                Use::New => {
                    exchange(self.connect(self.targets.apis).await?, &self.echo, WORDS).await.map(|_| None)
                }
                Use::Kept => self.kept(stream).await.map(Some),
            }
        };
        let outcome = match timeout(ANSWER_LIMIT, answer).await {
            Ok(Ok(stream)) => {
                self.found.borrow_mut().times.push(due.elapsed());
                return stream;
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "no answer".to_owned(),
        };
        *self.found.borrow_mut().refused.entry(outcome).or_default() += 1;
        None
    }

    async fn connect(&self, target: SocketAddr) -> io::Result<TcpStream> {
        let stream = connect(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), target).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// On a connection that stays, or on a new one if there is none or the gateway has closed it for being idle.
    async fn kept(&self, stream: Option<TcpStream>) -> io::Result<TcpStream> {
        let kept = match stream {
            Some(stream) => exchange(stream, &self.echo, WORDS).await,
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        };
        match kept {
            Err(error) if is_closed(&error) => {
                exchange(self.connect(self.targets.apis).await?, &self.echo, WORDS).await
            }
            kept => kept,
        }
    }
}

fn is_closed(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionReset | UnexpectedEof)
}

/// Sends a request and reads its answer, whose status must be 200 and whose body must contain `expected`.
async fn exchange(mut stream: TcpStream, request: &str, expected: &str) -> io::Result<TcpStream> {
    stream.write_all(request.as_bytes()).await?;
    let mut received = Vec::with_capacity(1024);
    loop {
        if stream.read_buf(&mut received).await? == 0 {
            return Err(match received.is_empty() {
                true => io::ErrorKind::UnexpectedEof.into(),
                false => io::Error::other("half an answer"),
            });
        }
        let text = String::from_utf8_lossy(&received);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .and_then(|length| length.parse::<usize>().ok())
                .ok_or_else(|| io::Error::other("no length"))?;
            if body.len() >= length {
                return match head.starts_with("HTTP/1.1 200") && body.contains(expected) {
                    true => Ok(stream),
                    false => Err(io::Error::other(head.lines().next().unwrap_or_default().to_owned())),
                };
            }
        }
    }
}
