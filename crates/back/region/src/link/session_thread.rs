//! The other end of a session: a thread that carries out one request after the other, and runs each program's task itself.

use std::cell::Cell;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use store::GlobalId;
use tokio::runtime::Handle;

use super::caller::{Caller, answered};
use super::frame::Frames;
use super::message::{Message, Request};
use super::session::Session;
use crate::quick::processors::Guest;

thread_local! {
    static SERVES: Cell<bool> = const { Cell::new(false) };
}

/// True if this thread serves a session.
pub(crate) fn is_this_thread() -> bool {
    SERVES.get()
}

/// Another region's sessions here.
#[derive(Debug, Default)]
pub(super) struct SessionThreads {
    /// The sockets of the open sessions, to end them by.
    open: std::sync::Mutex<Vec<Arc<UnixStream>>>,
    threads: AtomicUsize,
}

impl SessionThreads {
    fn open(&self) -> std::sync::MutexGuard<'_, Vec<Arc<UnixStream>>> {
        self.open.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// True if there are threads that have not ended.
    pub(super) fn are_running(&self) -> bool {
        self.threads.load(Ordering::Acquire) > 0
    }

    /// Ends all sessions, each after its current request.
    pub(super) fn end(&self) {
        for socket in self.open().drain(..) {
            // A socket that is closed already needs no end.
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}

/// Serves a session on a thread of its own. Timers and sockets belong to this runtime.
///
/// # Errors
/// There are too many sessions, or the system has no place for one more: the reason for people.
pub(super) fn serve(caller: Arc<Caller>, way: (UnixStream, Frames)) -> Result<(), String> {
    let limits = &caller.limits;
    let wrong = |error: std::io::Error| error.to_string();
    let mut session = Session::new(way, None, limits.stalled_max).map_err(wrong)?;
    let socket = Arc::new(session.socket().map_err(wrong)?);
    let threads = &caller.session_threads;
    let most = limits.sessions_max;
    if threads.threads.fetch_add(1, Ordering::AcqRel) >= most {
        threads.threads.fetch_sub(1, Ordering::AcqRel);
        return Err(format!("it has more than {most} sessions"));
    }
    threads.open().push(socket.clone());
    let runtime = Handle::current();
    let ends = Ends { caller: caller.clone(), socket };
    let thread = std::thread::Builder::new().name("link session".to_owned()).spawn(move || {
        let ends = ends;
        SERVES.set(true);
        // Bytes that came before the thread began wait in the socket.
        if ends.caller.is_ended() || session.send(&Message::Pong).is_err() {
            return;
        }
        let (mut last, mut guest) = (None, Guest::default());
        loop {
            let (id, request) = match session.receive() {
                Ok(Some(Message::Request { id, request })) => (id, request),
                Ok(Some(Message::At { processor })) => {
                    guest.goes_to(processor);
                    continue;
                }
                _ => break,
            };
            last = unit_of(&request);
            let begun = Instant::now();
            let Some(answer) = carry_out(&ends.caller, id, request, &runtime) else { break };
            if answered(id, answer, |message| session.send(message)).is_err() {
                break;
            }
            guest.took(begun.elapsed());
        }
        // The other region closes a session only if its caller no longer waits for the last answer, or if it
        // wrote a request only in part. In the second case it has had the answer before. If nothing at all
        // came of that request, the unit is backed out though it goes on; its next request says that it
        // should be here, and its task is told.
        if let Some(unit) = last.filter(|_| !session.has_begun()) {
            ends.caller.drop_unprepared(&unit);
        }
    });
    thread.map(drop).map_err(wrong)
}

/// None if the caller no longer waits for the answer.
fn carry_out(
    caller: &Arc<Caller>,
    id: u64,
    request: Request,
    runtime: &Handle,
) -> Option<super::message::Answer> {
    let cancelled = caller.enter(id, &request)?;
    let answer = runtime.block_on(async {
        tokio::select! {
            biased;
            answer = caller.carry_out(request) => Some(answer),
            _ = cancelled => None,
        }
    });
    caller.leave(id);
    answer
}

fn unit_of(request: &Request) -> Option<GlobalId> {
    match request {
        Request::Link(link) => link.unit.as_ref().map(|unit| unit.id.clone()),
        Request::Queue { unit, .. } => Some(unit.id.clone()),
        _ => None,
    }
}

/// However a thread ends, its place is free.
struct Ends {
    caller: Arc<Caller>,
    socket: Arc<UnixStream>,
}

impl Drop for Ends {
    fn drop(&mut self) {
        let threads = &self.caller.session_threads;
        threads.open().retain(|socket| !Arc::ptr_eq(socket, &self.socket));
        threads.threads.fetch_sub(1, Ordering::AcqRel);
    }
}
