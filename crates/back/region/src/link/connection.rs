//! A connection to another region, on which requests of many tasks are under way at a time.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use store::GlobalId;
use tokio::sync::oneshot;

use super::frame::Unsent;
use super::message::{Answer, Hello, Message, Request, Token};
use super::outbox::Outbox;
use super::session::{Quick, Sessions, Waited};
use super::stream::Reading;

/// How many heartbeats without any byte from the other side mean that it is gone.
pub(super) const SILENT_HEARTBEATS_MAX: u32 = 3;

/// Why a request has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// It was never sent.
    NotSent,
    /// It was not sent, because it is longer than the other region takes.
    TooLong {
        /// Its bytes.
        bytes: usize,
        /// The most that it takes.
        most: usize,
    },
    /// The connection broke: whether it was carried out is not known.
    Broken,
    /// The time is up. The request is cancelled, but may have been carried out.
    TimedOut,
}

impl From<Unsent> for Unanswered {
    fn from(unsent: Unsent) -> Self {
        match unsent {
            Unsent::TooLong { bytes, most } => Unanswered::TooLong { bytes, most },
            Unsent::Closed => Unanswered::NotSent,
        }
    }
}

/// A connection, after both sides have said hello.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(super) outbox: Outbox,
    /// Who is on the other side.
    pub(crate) hello: Hello,
    /// Identifies this connection when sessions are opened for it.
    pub(super) token: Token,
    pub(super) sessions: Sessions,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Answer>>>,
    next_id: AtomicU64,
    /// The number of units that were sent to be backed out, and the number that the other region has surely
    /// backed out.
    forgotten: AtomicU64,
    settled: AtomicU64,
    broken: AtomicBool,
    /// Units of before that were in doubt in the other region are resolved.
    resolved: AtomicBool,
}

/// A request that waits; dropped before its answer is there, it is called back.
struct Waiting<'c> {
    connection: &'c Connection,
    id: u64,
}

/// The same for a request in a session.
struct InSession<'c> {
    connection: &'c Connection,
    id: u64,
    is_answered: bool,
}

impl Drop for InSession<'_> {
    fn drop(&mut self) {
        self.connection.waiting().remove(&self.id);
        if !self.is_answered {
            // A broken connection has called it back.
            let _ = self.connection.outbox.send(&Message::Cancel { id: self.id });
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.connection.waiting().remove(&self.id).is_some() {
            // A broken connection has called it back.
            let _ = self.connection.outbox.send(&Message::Cancel { id: self.id });
        }
    }
}

impl Connection {
    /// A connection with at most `sessions_max` sessions.
    pub(super) fn new(outbox: Outbox, hello: Hello, token: Token, sessions_max: usize) -> Self {
        Self {
            outbox,
            hello,
            token,
            sessions: Sessions::new(sessions_max),
            waiting: Mutex::default(),
            next_id: AtomicU64::new(0),
            forgotten: AtomicU64::new(0),
            settled: AtomicU64::new(0),
            broken: AtomicBool::new(false),
            resolved: AtomicBool::new(false),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<Answer>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Acquire)
    }

    /// True if the other region keeps no locks of units that were in doubt when the connection was made.
    pub(crate) fn is_resolved(&self) -> bool {
        self.resolved.load(Ordering::Acquire)
    }

    pub(super) fn has_resolved(&self) {
        self.resolved.store(true, Ordering::Release);
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// There is none.
    pub(crate) async fn ask(&self, request: Request, most: Duration) -> Result<Answer, Unanswered> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let forgotten = self.forgotten.load(Ordering::Acquire);
        // Locks of units that were backed out must be free before this request arrives. Only this connection
        // keeps that order.
        let is_settled = self.settled.load(Ordering::Acquire) >= forgotten;
        if is_settled && let Some(quick) = self.sessions.of(&request) {
            return self.ask_in_session(quick, id, request, most).await;
        }
        let (tell, told) = oneshot::channel();
        self.waiting().insert(id, tell);
        let waiting = Waiting { connection: self, id };
        // Whoever finds the connection broken after this takes the request out.
        let sent = match self.is_broken() {
            true => Err(Unsent::Closed),
            false => self.outbox.send(&Message::Request { id, request }),
        };
        if let Err(unsent) = sent {
            self.waiting().remove(&id);
            return Err(unsent.into());
        }
        let answer = tokio::time::timeout(most, told).await;
        drop(waiting);
        match answer {
            Ok(Ok(answer)) => {
                self.settled.fetch_max(forgotten, Ordering::AcqRel);
                Ok(answer)
            }
            Ok(Err(_)) => Err(Unanswered::Broken),
            Err(_) => Err(Unanswered::TimedOut),
        }
    }

    /// Sends a request over a session. This thread waits for the answer itself, for a short time.
    async fn ask_in_session(
        &self,
        mut quick: Quick<'_>,
        id: u64,
        request: Request,
        most: Duration,
    ) -> Result<Answer, Unanswered> {
        if self.is_broken() {
            return Err(Unanswered::NotSent);
        }
        quick.send(&Message::Request { id, request })?;
        let mut asked = InSession { connection: self, id, is_answered: false };
        let message = match quick.wait() {
            Ok(Waited::Answered(message)) => message,
            Ok(Waited::Later(quick)) => self.wait_later(quick, id, most).await?,
            Err(reason) => {
                tracing::debug!("a session: {reason}");
                return Err(Unanswered::Broken);
            }
        };
        match message {
            Message::Answer { id: answered, answer } if answered == id => {
                asked.is_answered = true;
                Ok(answer)
            }
            _ => Err(Unanswered::Broken),
        }
    }

    async fn wait_later(&self, quick: Quick<'_>, id: u64, most: Duration) -> Result<Message, Unanswered> {
        // Nobody answers here; it only tells the end of the connection.
        let (tell, ended) = oneshot::channel();
        self.waiting().insert(id, tell);
        if self.is_broken() {
            return Err(Unanswered::Broken);
        }
        tokio::select! {
            answered = tokio::time::timeout(most, quick.wait_later()) => match answered {
                Ok(message) => message.map_err(|_| Unanswered::Broken),
                Err(_) => Err(Unanswered::TimedOut),
            },
            _ = ended => Err(Unanswered::Broken),
        }
    }

    /// Backs a unit of work out in the other region. Without a connection the other region does so by itself, or asks.
    pub(crate) fn forget(&self, unit: &GlobalId) {
        let _ = self.outbox.send(&Message::Forget { unit: unit.clone() });
        self.forgotten.fetch_add(1, Ordering::AcqRel);
    }

    /// Hands out answers until the connection is broken; gives the reason.
    pub(super) async fn read(&self, reading: &mut Reading, heartbeat: Duration) -> String {
        let mut ticks = tokio::time::interval(heartbeat);
        let mut silent = 0;
        loop {
            tokio::select! {
                message = reading.message() => match message {
                    Ok(Message::Answer { id, answer }) => {
                        // The caller may have stopped waiting.
                        if let Some(tell) = self.waiting().remove(&id) {
                            let _ = tell.send(answer);
                        }
                    }
                    Ok(Message::Pong) => {}
                    Ok(_) => break "the other region sent an unexpected message".to_owned(),
                    Err(reason) => break reason,
                },
                _ = ticks.tick() => {
                    // While the other side still takes our data, its answer to a heartbeat waits behind them.
                    if reading.has_heard() || self.outbox.is_behind() {
                        silent = 0;
                    }
                    silent += 1;
                    if silent > SILENT_HEARTBEATS_MAX {
                        break "the other region is silent".to_owned();
                    }
                    if self.outbox.send(&Message::Ping).is_err() {
                        break "the other region takes nothing".to_owned();
                    }
                }
            }
        }
    }

    /// Wakes every caller that waits for an answer; they get none.
    pub(super) fn end(&self) {
        self.broken.store(true, Ordering::Release);
        self.outbox.close();
        self.sessions.close();
        self.waiting().clear();
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, WriteHalf};

    use super::super::frame::{self, Frames};
    use super::super::message::{InUnit, Link, VERSION};
    use super::super::session::Session;
    use super::*;
    use wire::{Cargo, QueueAnswer, name};

    const LONG: Duration = Duration::from_secs(30);

    /// The other side of a socket.
    struct Far(UnixStream, Frames);

    impl Far {
        fn new(socket: UnixStream) -> Self {
            socket.set_read_timeout(Some(LONG)).expect("a socket");
            Self(socket, Frames::new(1 << 20))
        }

        /// The next message.
        fn next(&mut self) -> Message {
            loop {
                if let Some(message) = self.1.next_message().expect("messages") {
                    return message;
                }
                let mut bytes = [0; 1_000];
                let count = self.0.read(&mut bytes).expect("bytes");
                assert!(count > 0, "the connection is closed");
                self.1.room().extend(&bytes[..count]);
            }
        }

        /// Answers the next request.
        fn answer(&mut self) {
            let Message::Request { id, .. } = self.next() else { panic!("expected a request") };
            let mut bytes = Vec::new();
            frame::put(&mut bytes, &Message::Answer { id, answer: done() });
            self.0.write_all(&bytes).expect("a socket");
        }
    }

    fn done() -> Answer {
        Answer::Queue { answer: QueueAnswer { items: 1, item: 1, data: Vec::new() }, held: true }
    }

    fn unit() -> GlobalId {
        GlobalId::new(b"unit").expect("an id")
    }

    /// Of a program that nobody has called before, so that it counts as quick on any machine.
    fn request(program: &str) -> Request {
        Request::Link(Box::new(Link {
            unit: Some(InUnit { id: unit(), is_there: true }),
            program: name(program),
            transaction: None,
            user: None,
            remaining_ms: 0,
            cargo: Cargo::None,
        }))
    }

    /// A connection with one session, and the other sides of both.
    fn connection() -> (Connection, Far, Far) {
        let (main, far_main) = UnixStream::pair().expect("sockets");
        let (quick, far_quick) = UnixStream::pair().expect("sockets");
        main.set_nonblocking(true).expect("a socket");
        let main = tokio::net::UnixStream::from_std(main).expect("a runtime");
        // Nobody reads here: answers on the first connection are handed out by the test.
        let (_, writing) = main.into_split();
        let hello = Hello { version: VERSION, sysid: *b"FAR1", applid: *b"FAR1    ", ccsid: 819 };
        let outbox = Outbox::new(Some(writing), 1 << 20);
        let connection = Connection::new(outbox, hello, [0; 16], 1);
        let session = Session::new((quick, Frames::new(1 << 20)), Some(LONG), LONG);
        connection.sessions.add(session.expect("a session"));
        (connection, Far::new(far_main), Far::new(far_quick))
    }

    /// Asks over the first connection; gives the messages that the other side got, up to the request.
    async fn ask_on_main(connection: &Connection, mut far: Far) -> Vec<Message> {
        let came = tokio::task::spawn_blocking(move || {
            let mut came = vec![far.next()];
            while !matches!(came.last(), Some(Message::Request { .. })) {
                came.push(far.next());
            }
            came
        });
        let answered = async {
            let came = came.await.expect("a request");
            let Some(Message::Request { id, .. }) = came.last() else { panic!("{came:?}") };
            let waits = connection.waiting().remove(id).expect("it waits");
            waits.send(done()).expect("it still waits");
            came
        };
        let both = async { tokio::join!(connection.ask(request("SECOND"), LONG), answered) };
        tokio::select! {
            (asked, came) = both => {
                assert_eq!(asked, Ok(done()));
                came
            }
            () = connection.outbox.write(None, LONG) => panic!("the connection is closed"),
        }
    }

    const HEARTBEAT: Duration = Duration::from_secs(1);

    /// A connection through memory: its reading and writing ends, and the other side.
    fn in_memory() -> (Connection, Reading, WriteHalf<DuplexStream>, DuplexStream) {
        let (near, far) = tokio::io::duplex(100);
        let (reading, writing) = tokio::io::split(near);
        let hello = Hello { version: VERSION, sysid: *b"FAR1", applid: *b"FAR1    ", ccsid: 819 };
        let connection = Connection::new(Outbox::new(None, 1 << 20), hello, [0; 16], 0);
        (connection, Reading::of(Box::new(reading), 1 << 20), writing, far)
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_comes_slowly_is_no_silence() {
        let (connection, mut reading, writing, mut far) = in_memory();
        let (tell, told) = oneshot::channel();
        connection.waiting().insert(7, tell);
        let drips = async {
            let mut bytes = Vec::new();
            frame::put(&mut bytes, &Message::Answer { id: 7, answer: done() });
            assert!(bytes.len() > 2 * SILENT_HEARTBEATS_MAX as usize);
            for byte in bytes {
                tokio::time::sleep(HEARTBEAT).await;
                far.write_all(&[byte]).await.expect("it is open");
            }
            told.await.expect("an answer");
            // Heartbeats are read, and not answered.
            let _ = tokio::io::copy(&mut far, &mut tokio::io::sink()).await;
        };
        let reason = tokio::select! {
            reason = connection.read(&mut reading, HEARTBEAT) => reason,
            () = connection.outbox.write(Some(Box::new(writing)), LONG) => panic!("it takes all"),
            () = drips => panic!("the connection is closed"),
        };
        assert_eq!(reason, "the other region is silent");
        assert!(connection.waiting().is_empty(), "the answer has come as a whole");
    }

    #[tokio::test(start_paused = true)]
    async fn a_region_that_still_takes_a_request_need_not_answer_heartbeats() {
        let (connection, mut reading, writing, mut far) = in_memory();
        assert_eq!(connection.outbox.send(&Message::Refused { reason: "x".repeat(2_000) }), Ok(()));
        let begun = tokio::time::Instant::now();
        let takes = async {
            for _ in 0..20 {
                tokio::time::sleep(HEARTBEAT).await;
                far.read_exact(&mut [0; 100]).await.expect("bytes");
            }
            let _ = tokio::io::copy(&mut far, &mut tokio::io::sink()).await;
        };
        let reason = tokio::select! {
            reason = connection.read(&mut reading, HEARTBEAT) => reason,
            () = connection.outbox.write(Some(Box::new(writing)), LONG) => panic!("it takes all"),
            () = takes => panic!("the connection is closed"),
        };
        assert_eq!(reason, "the other region is silent");
        assert!(begun.elapsed() >= HEARTBEAT * 20, "{:?}", begun.elapsed());
    }

    #[tokio::test]
    async fn a_request_does_not_overtake_the_end_of_a_unit() {
        let (connection, main, mut quick) = connection();
        let session = std::thread::spawn(move || {
            quick.answer();
            quick
        });
        assert_eq!(connection.ask(request("FIRST"), LONG).await, Ok(done()));
        let mut quick = session.join().expect("it has answered");
        connection.forget(&unit());
        // In the session it could be there before the other region has heard of the end.
        let came = ask_on_main(&connection, main).await;
        assert!(matches!(&came[..], [Message::Forget { .. }, Message::Request { .. }]), "{came:?}");
        // The answer says that the end is behind it.
        let session = std::thread::spawn(move || quick.answer());
        assert_eq!(connection.ask(request("THIRD"), LONG).await, Ok(done()));
        session.join().expect("it has answered");
    }
}
