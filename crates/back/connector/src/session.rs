//! A connection that many requests share. With correlation ids replies come in any order; without
//! them, in the order of requests.
//!
//! The path of a request: [`Lane::exchange`] frames the message outside of any lock, and puts it
//! into the session's line. If nobody is writing, it writes for all: many frames with one system
//! call. On the session's own thread the task `write` does this as soon as all ready senders have
//! put their frames. The task `listen` reads replies and hands each to its caller, see `reading`.
//!
//! Long messages of Gantry's framing go in parts that take turns. So a short message need not wait
//! for a long one.
//!
//! A caller that leaves before its first byte is written takes its message away. If it leaves
//! later, its reply is dropped when it comes. The session knows that reply by its correlation id,
//! or by its place. An unexpected reply ends the session. So does a heartbeat without an answer.

mod crowd;
mod reading;

use std::collections::{HashSet, VecDeque};
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::thread::{self, ThreadId};
use std::time::Instant;

use tokio::sync::{Notify, oneshot};

use self::crowd::Crowd;
use crate::framing::{FrameType, Framing, GANTRY_HEADER_BYTES, Label};
use crate::parts::Parts;
use crate::room::Account;
use crate::settings::GroupSettings;
use crate::transport::{Connection, Exchange, Fault, Place, Progress};
use crate::wired::Wired;
use sockets::Wire;

/// Bytes of a message in one frame of Gantry's framing, at most.
const PART_BYTES: usize = 64 * 1024 - GANTRY_HEADER_BYTES;

/// Frames and bytes of one write, at most.
const BATCH_FRAMES: usize = 32;
const BATCH_BYTES: usize = 256 * 1024;

/// Replies that may still come although their callers have left. With more of them, the server no
/// longer works properly.
const LATE_MAX: usize = 10_000;

/// Heartbeats of a server whose answers are not written yet. A server that sends more does not read.
const ANSWERS_MAX: usize = 1_000;

/// With more requests under way than this, a write waits until other ready senders have put theirs.
const ALONE: usize = 1;

/// The right to have one request under way on a session.
#[derive(Debug)]
pub(crate) struct Lane {
    session: Arc<Session>,
}

/// A shared connection.
#[derive(Debug)]
pub(crate) struct Session {
    wired: Wired,
    settings: Arc<GroupSettings>,
    /// The thread whose runtime watches it.
    owner: ThreadId,
    state: Mutex<State>,
    /// Wakes the task `write`.
    due: Notify,
    /// Tells the reader that the caller of its current reply has left.
    left: Notify,
    closed: Notify,
    lanes: AtomicUsize,
    next: AtomicU64,
    /// A copy of the state's, to look at without its lock.
    is_one_way: AtomicBool,
}

#[derive(Debug)]
struct State {
    /// Messages that are not wholly written, in the order of their turns.
    line: VecDeque<Outgoing>,
    is_writing: bool,
    crowd: Crowd,
    /// Requests without their replies, in their order.
    pending: VecDeque<Pending>,
    /// Correlation ids whose callers have left.
    late: HashSet<u64>,
    /// True if no new request may come: the server said so, or the connection has ended.
    is_retired: bool,
    /// True if it has sent a one-way request without an id. A reply that comes may be its answer, so
    /// the session takes no other requests.
    is_one_way: bool,
    /// Why it has ended.
    ended: Option<String>,
    /// True while a heartbeat has no answer yet.
    is_asked: bool,
    /// Bytes that the kernel had for the reader when it last looked.
    unread: u64,
    /// Its place among the endpoint's sessions; none once it is retired.
    place: Option<Place>,
    /// Replies in parts that are not yet complete.
    parts: Parts,
    /// Bytes of the reader's buffer, with those of the next read.
    buffer_bytes: usize,
    /// The reply whose unfinished frame is in the buffer.
    reading: Option<u64>,
    /// The memory of all incoming bytes.
    account: Account,
}

/// A message that is being sent.
#[derive(Debug)]
struct Outgoing {
    id: u64,
    frame_type: FrameType,
    message: Vec<u8>,
    /// Bytes of the message that are in written frames.
    at: usize,
    /// Bytes of the message in the next frame. The frame's header follows.
    piece: usize,
    header: [u8; GANTRY_HEADER_BYTES],
    header_bytes: usize,
    /// Written bytes of that frame.
    written: usize,
    /// The sender, if it waits until the message is written.
    told: Option<oneshot::Sender<Ended>>,
}

#[derive(Debug)]
struct Pending {
    id: u64,
    /// None if nobody waits for the reply.
    reply: Option<oneshot::Sender<Ended>>,
}

/// The outcome of a request.
type Ended = Result<Vec<u8>, Lost>;

/// A request without a reply. It has its message back if no byte of it was sent.
#[derive(Debug)]
struct Lost {
    fault: Fault,
    unsent: Option<Vec<u8>>,
}

impl Outgoing {
    fn new(
        id: u64,
        frame_type: FrameType,
        message: Vec<u8>,
        framing: &Framing,
    ) -> Result<Self, (Fault, Vec<u8>)> {
        let (header, told) = ([0; GANTRY_HEADER_BYTES], None);
        let mut made =
            Self { id, frame_type, message, at: 0, piece: 0, header, header_bytes: 0, written: 0, told };
        match made.cut(framing) {
            Ok(()) => Ok(made),
            Err(fault) => Err((Fault::Unframeable(fault.0), made.message)),
        }
    }

    /// Makes the next frame.
    fn cut(&mut self, framing: &Framing) -> Result<(), crate::framing::Fault> {
        let left = self.message.len() - self.at;
        let piece = if framing.correlates() { left.min(PART_BYTES) } else { left };
        let label = Label { frame_type: self.frame_type, correlation: self.id, goes_on: piece < left };
        let around = framing.write(&self.message[self.at..self.at + piece], label)?;
        let header = around.header();
        self.header[..header.len()].copy_from_slice(header);
        (self.piece, self.header_bytes, self.written) = (piece, header.len(), 0);
        Ok(())
    }

    fn has_begun(&self) -> bool {
        self.at > 0 || self.written > 0
    }

    /// Whether it is the request with this id, and nothing of it was sent. An answer to a heartbeat
    /// has the server's id, which may be that of a request.
    fn is_unsent(&self, id: u64) -> bool {
        self.id == id && self.frame_type != FrameType::HeartbeatAck && !self.has_begun()
    }

    /// Tells its sender, if it waits, that the message was not wholly written.
    fn lose(self, why: &str) {
        let has_begun = self.has_begun();
        if let Some(told) = self.told {
            let unsent = (!has_begun).then_some(self.message);
            let _ = told.send(Err(Lost { fault: Fault::Broken(why.to_owned()), unsent }));
        }
    }

    /// The bytes of the frame that are not written yet.
    fn left<'o>(&'o self, trailer: &'o [u8]) -> [&'o [u8]; 3] {
        let all = [&self.header[..self.header_bytes], &self.message[self.at..self.at + self.piece], trailer];
        let mut skip = self.written;
        all.map(|part| {
            let skipped = skip.min(part.len());
            skip -= skipped;
            &part[skipped..]
        })
    }
}

impl Session {
    /// Shares a connection. Gives a lane for each request that may be under way.
    pub(crate) fn begin(connection: Connection, settings: &Arc<GroupSettings>) -> Vec<Lane> {
        let (socket, place, account) = connection.into_parts();
        let state = State {
            line: VecDeque::new(),
            is_writing: false,
            crowd: Crowd::default(),
            pending: VecDeque::new(),
            late: HashSet::new(),
            is_retired: false,
            is_one_way: false,
            ended: None,
            is_asked: false,
            unread: 0,
            place: Some(place),
            parts: Parts::new(settings.frame_max_bytes),
            buffer_bytes: 0,
            reading: None,
            account,
        };
        let count = settings.in_flight_max.max(1);
        let session = Arc::new(Self {
            wired: Wired::new(socket),
            settings: Arc::clone(settings),
            owner: thread::current().id(),
            state: Mutex::new(state),
            due: Notify::new(),
            left: Notify::new(),
            closed: Notify::new(),
            lanes: AtomicUsize::new(count),
            next: AtomicU64::new(1),
            is_one_way: AtomicBool::new(false),
        });
        tokio::spawn(listen(Ends(Arc::clone(&session))));
        tokio::spawn(write(Arc::clone(&session)));
        (0..count).map(|_| Lane { session: Arc::clone(&session) }).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a message into the line and makes sure that it is written.
    fn submit(
        &self,
        frame_type: FrameType,
        message: Vec<u8>,
        then: Option<oneshot::Sender<Ended>>,
    ) -> Result<u64, (Fault, Vec<u8>)> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let outgoing = Outgoing::new(id, frame_type, message, &self.settings.framing)?;
        self.put(outgoing, then).map(|()| id)
    }

    fn put(
        &self,
        mut outgoing: Outgoing,
        then: Option<oneshot::Sender<Ended>>,
    ) -> Result<(), (Fault, Vec<u8>)> {
        let mut state = self.state();
        // A retired session takes no request. Its heartbeats go on, because replies may still come.
        if let Some(why) = &state.ended {
            return Err((Fault::Broken(why.clone()), outgoing.message));
        }
        let frame_type = outgoing.frame_type;
        let is_request = frame_type == FrameType::Request;
        if then.is_some() && (state.is_retired || (is_request && state.is_one_way)) {
            return Err((Fault::Retired, outgoing.message));
        }
        if frame_type == FrameType::OneWay && !self.settings.framing.correlates() {
            state.is_one_way = true;
            self.is_one_way.store(true, Ordering::Relaxed);
        }
        match frame_type {
            FrameType::Request => {
                state.pending.push_back(Pending { id: outgoing.id, reply: then });
            }
            _ => outgoing.told = then,
        }
        state.line.push_back(outgoing);
        if state.is_writing {
            return Ok(());
        }
        state.is_writing = true;
        let is_own = thread::current().id() == self.owner;
        let is_one_way = frame_type == FrameType::OneWay;
        let others = (is_own && state.pending.len() > ALONE) || (is_one_way && state.crowd.gathers(is_own));
        if self.wired.must_wait() || others {
            self.due.notify_one();
            return Ok(());
        }
        drop(state);
        if self.write_now() == Written::Blocked {
            // The task waits until the other side has taken some bytes.
            self.due.notify_one();
        }
        Ok(())
    }

    /// Writes for all until the line is empty or the socket is full.
    fn write_now(&self) -> Written {
        let mut batch = VecDeque::new();
        loop {
            if !self.refill(&mut batch, false) {
                return Written::All;
            }
            match self.wired.try_write(&slices(&batch, &self.settings.framing)) {
                Ok(bytes) => self.account(&mut batch, bytes),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.put_back(&mut batch);
                    return Written::Blocked;
                }
                Err(error) => {
                    self.put_back(&mut batch);
                    self.end(&Fault::Broken(error.to_string()));
                    return Written::All;
                }
            }
        }
    }

    /// Writes the next frames as soon as the socket takes some of their bytes. False if there are
    /// none. While the socket takes nothing, all messages stay in the line. So a caller who leaves
    /// takes its message back, and nobody says of a message that waits that it was sent.
    fn poll_write(&self, context: &mut Context<'_>, was_held: &mut bool) -> Poll<bool> {
        let is_ready = ready!(self.wired.poll_ready(context));
        let mut batch = VecDeque::new();
        if !self.refill(&mut batch, std::mem::take(was_held)) {
            return Poll::Ready(false);
        }
        let written = match is_ready {
            Ok(()) => self.wired.poll_write(context, &slices(&batch, &self.settings.framing)),
            Err(error) => Poll::Ready(Err(error)),
        };
        if let Poll::Ready(Ok(bytes)) = written {
            self.account(&mut batch, bytes);
        }
        // Messages that have not begun were not sent.
        self.put_back(&mut batch);
        let written = ready!(written);
        if let Err(error) = written {
            self.end(&Fault::Broken(error.to_string()));
        }
        Poll::Ready(true)
    }

    /// Takes the next frames out of the line. False if there are none; then nobody writes any more.
    /// `was_held` says that a message was held back so that others could join it.
    fn refill(&self, batch: &mut VecDeque<Outgoing>, was_held: bool) -> bool {
        if !batch.is_empty() {
            return true;
        }
        let mut state = self.state();
        let mut bytes = 0;
        while batch.len() < BATCH_FRAMES && bytes < BATCH_BYTES {
            let Some(next) = state.line.pop_front() else { break };
            bytes += next.piece;
            batch.push_back(next);
        }
        if was_held {
            state.crowd.came(batch.len());
        }
        state.is_writing = !batch.is_empty();
        state.is_writing
    }

    /// Notes that `bytes` bytes are written.
    fn account(&self, batch: &mut VecDeque<Outgoing>, mut bytes: usize) {
        let trailer = self.settings.framing.trailer().len();
        while let Some(first) = batch.front_mut() {
            let left = first.header_bytes + first.piece + trailer - first.written;
            if bytes < left {
                first.written += bytes;
                return;
            }
            bytes -= left;
            let Some(mut done) = batch.pop_front() else { return };
            done.at += done.piece;
            if done.at < done.message.len() {
                // The rest waits for its next turn. Its framing cannot fail, because the beginning
                // was framed.
                let _ = done.cut(&self.settings.framing);
                let mut state = self.state();
                match state.ended.clone() {
                    None => state.line.push_back(done),
                    Some(why) => {
                        drop(state);
                        done.lose(&why);
                    }
                }
            } else if let Some(told) = done.told.take() {
                let _ = told.send(Ok(Vec::new()));
            }
        }
    }

    /// Puts unwritten frames back to the front of the line. If the session has ended, nobody writes
    /// the line any more, so the senders hear the reason instead.
    fn put_back(&self, batch: &mut VecDeque<Outgoing>) {
        let mut state = self.state();
        let Some(why) = state.ended.clone() else {
            while let Some(last) = batch.pop_back() {
                state.line.push_front(last);
            }
            return;
        };
        drop(state);
        batch.drain(..).for_each(|outgoing| outgoing.lose(&why));
    }

    /// Takes a caller's request out. Gives its message back if no byte of it was sent.
    fn withdraw(&self, id: u64) -> Option<Vec<u8>> {
        let mut state = self.state();
        let waits = state.line.iter().position(|one| one.is_unsent(id));
        if let Some(outgoing) = waits.and_then(|at| state.line.remove(at)) {
            state.pending.retain(|one| one.id != id);
            return Some(outgoing.message);
        }
        let at = state.pending.iter().position(|one| one.id == id)?;
        if self.settings.framing.correlates() {
            state.pending.remove(at);
            state.late.insert(id);
            state.parts.forget(id);
            state.settle();
            state.account.look_again();
            if state.reading == Some(id) {
                self.left.notify_one();
            }
            if state.late.len() > LATE_MAX {
                drop(state);
                self.end(&Fault::BadReply("too many replies are late".to_owned()));
            }
        } else {
            // Its reply is still to come, before all later ones.
            state.pending[at].reply = None;
            retire(&mut state);
        }
        None
    }

    /// Ends the session. All waiting callers get the reason.
    fn end(&self, fault: &Fault) {
        let mut state = self.state();
        if state.ended.is_some() {
            return;
        }
        state.ended = Some(fault.text().to_owned());
        retire(&mut state);
        let (pending, mut line) = (std::mem::take(&mut state.pending), std::mem::take(&mut state.line));
        state.parts.clear();
        state.account.end();
        drop(state);
        for one in pending {
            let unsent = line.iter_mut().find(|outgoing| outgoing.is_unsent(one.id));
            let unsent = unsent.map(|outgoing| std::mem::take(&mut outgoing.message));
            if let Some(reply) = one.reply {
                let _ = reply.send(Err(Lost { fault: fault.clone(), unsent }));
            }
        }
        line.into_iter().for_each(|outgoing| outgoing.lose(fault.text()));
        self.wired.shut_down();
        self.closed.notify_waiters();
        self.closed.notify_one();
        self.due.notify_one();
    }
}

impl State {
    /// Whether nothing of the request was sent so far.
    fn waits(&self, id: u64) -> bool {
        self.line.iter().any(|one| one.is_unsent(id))
    }

    /// Whether a server has sent too many heartbeats without reading the answers.
    fn is_flooded(&self) -> bool {
        let is_answer = |one: &&Outgoing| one.frame_type == FrameType::HeartbeatAck;
        self.line.len() > ANSWERS_MAX && self.line.iter().filter(is_answer).count() > ANSWERS_MAX
    }

    /// Gives back the room of replies that have left, or whose callers have left.
    fn settle(&mut self) {
        self.account.settle(self.buffer_bytes + self.parts.held_bytes());
    }
}

/// The result of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    All,
    /// The socket takes no more now. This writer still owns the line.
    Blocked,
}

/// Lets no new request come. The session no longer counts among the endpoint's connections.
fn retire(state: &mut State) {
    state.is_retired = true;
    state.place = None;
}

/// The bytes of the frames of a batch.
fn slices<'b>(batch: &'b VecDeque<Outgoing>, framing: &'b Framing) -> Vec<IoSlice<'b>> {
    let trailer = framing.trailer();
    let parts = batch.iter().flat_map(|outgoing| outgoing.left(trailer));
    parts.filter(|part| !part.is_empty()).map(IoSlice::new).collect()
}

/// Ends the session when its reader ends, for any reason.
struct Ends(Arc<Session>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.end(&Fault::Broken("the connection is over".to_owned()));
    }
}

/// Reads for a session until it ends.
async fn listen(session: Ends) {
    let over = tokio::select! {
        over = session.0.hear() => over,
        () = session.0.closed.notified() => return,
    };
    if let Err(fault) = over {
        session.0.end(&fault);
    }
}

/// Writes for a session each time it is woken.
async fn write(session: Arc<Session>) {
    loop {
        session.due.notified().await;
        let mut was_held = true;
        loop {
            if session.state().ended.is_some() {
                return;
            }
            if !poll_fn(|context| session.poll_write(context, &mut was_held)).await {
                break;
            }
            if let Err(error) = session.wired.flush().await {
                session.end(&Fault::Broken(error.to_string()));
            }
        }
    }
}

impl Lane {
    /// Whether it may send a request.
    pub(crate) fn is_alive(&self) -> bool {
        !self.session.state().is_retired
    }

    /// Whether it takes one-way requests only.
    pub(crate) fn is_one_way(&self) -> bool {
        self.session.is_one_way.load(Ordering::Relaxed)
    }

    /// Lets no new request come. The connection no longer counts among the endpoint's.
    pub(crate) fn retire(&self) {
        retire(&mut self.session.state());
    }

    pub(crate) fn owner(&self) -> ThreadId {
        self.session.owner
    }

    /// A number for its session.
    pub(crate) fn session(&self) -> usize {
        Arc::as_ptr(&self.session).addr()
    }

    /// Checks the session for needless retransmissions, if it is time.
    pub(crate) fn watch(&self, now: Instant) {
        self.session.wired.watch(now);
    }

    /// The figures of the session on the wire.
    pub(crate) fn wire(&self) -> Wire {
        self.session.wired.wire()
    }

    /// Sends a request and waits for its reply. A one-way request only waits until it is written.
    ///
    /// # Errors
    /// There is no reply. If the message was not sent, the request has it again.
    pub(crate) async fn exchange(
        &mut self,
        exchange: Exchange<'_>,
        progress: &mut Progress,
    ) -> Result<Vec<u8>, Fault> {
        let Exchange { settings: _, request, is_kept, is_one_way } = exchange;
        let message = if is_kept { request.clone() } else { std::mem::take(request) };
        let framing = &self.session.settings.framing;
        let most = self.session.settings.frame_max_bytes;
        if message.len() + framing.around_bytes() > most {
            let bytes = message.len() + framing.around_bytes();
            *request = message;
            return Err(Fault::Unframeable(format!(
                "the frame has {bytes} bytes; at most {most} may be sent"
            )));
        }
        let (told, ended) = oneshot::channel();
        let frame_type = if is_one_way { FrameType::OneWay } else { FrameType::Request };
        let id = match self.session.submit(frame_type, message, Some(told)) {
            Ok(id) => id,
            Err((fault, message)) => {
                *request = message;
                return Err(fault);
            }
        };
        let mut waiting = Waiting { session: &self.session, id: Some(id), request, progress };
        let ended = ended.await;
        waiting.id = None;
        waiting.progress.is_sent = true;
        match ended {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(Lost { fault, unsent })) => {
                waiting.progress.is_sent = unsent.is_none();
                if let Some(message) = unsent {
                    *waiting.request = message;
                }
                Err(fault)
            }
            Err(_) => Err(Fault::Broken("the connection is over".to_owned())),
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        if self.session.lanes.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.session.end(&Fault::Broken("the connection was closed".to_owned()));
        }
    }
}

/// A waiting caller. Its drop takes the message back, or notes that it was sent.
struct Waiting<'w> {
    session: &'w Arc<Session>,
    id: Option<u64>,
    request: &'w mut Vec<u8>,
    progress: &'w mut Progress,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id else { return };
        match self.session.withdraw(id) {
            Some(message) => *self.request = message,
            None => self.progress.is_sent = true,
        }
    }
}
