//! A connection to another region, on which requests of many tasks are under way at a time.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use store::GlobalId;
use tokio::sync::oneshot;

use super::message::{Answer, Hello, Message, Request};
use super::outbox::Outbox;
use super::stream::Reading;

/// How many heartbeats without a sign of the other side mean that it is gone.
pub(super) const SILENT_HEARTBEATS_MAX: u32 = 3;

/// Why a request has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// It was never sent.
    NotSent,
    /// The connection broke: whether it was carried out is not known.
    Broken,
    /// The time is up: it is called back, but may have been carried out.
    TimedOut,
}

/// A connection, after both sides have said hello.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(super) outbox: Outbox,
    /// Who is on the other side.
    pub(crate) hello: Hello,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Answer>>>,
    next_id: AtomicU64,
    broken: AtomicBool,
}

/// A request that waits; dropped before its answer is there, it is called back.
struct Waiting<'c> {
    connection: &'c Connection,
    id: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.connection.waiting().remove(&self.id).is_some() {
            self.connection.outbox.send(&Message::Cancel { id: self.id });
        }
    }
}

impl Connection {
    pub(super) fn new(outbox: Outbox, hello: Hello) -> Self {
        Self {
            outbox,
            hello,
            waiting: Mutex::default(),
            next_id: AtomicU64::new(0),
            broken: AtomicBool::new(false),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<Answer>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Acquire)
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// There is none.
    pub(crate) async fn ask(&self, request: Request, most: Duration) -> Result<Answer, Unanswered> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (tell, told) = oneshot::channel();
        self.waiting().insert(id, tell);
        let waiting = Waiting { connection: self, id };
        // Whoever finds the connection broken after this takes the request out.
        if self.is_broken() || !self.outbox.send(&Message::Request { id, request }) {
            self.waiting().remove(&id);
            return Err(Unanswered::NotSent);
        }
        let answer = tokio::time::timeout(most, told).await;
        drop(waiting);
        match answer {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) => Err(Unanswered::Broken),
            Err(_) => Err(Unanswered::TimedOut),
        }
    }

    /// Backs a unit of work out in the other region. Without a connection the other region does so by itself, or asks.
    pub(crate) fn forget(&self, unit: &GlobalId) {
        self.outbox.send(&Message::Forget { unit: unit.clone() });
    }

    /// Hands out answers until the connection is broken; gives the reason.
    pub(super) async fn read(&self, reading: &mut Reading, heartbeat: Duration) -> String {
        let mut ticks = tokio::time::interval(heartbeat);
        let mut silent = 0;
        loop {
            tokio::select! {
                message = reading.message() => match message {
                    Ok(Message::Answer { id, answer }) => {
                        silent = 0;
                        // Nobody may wait any more.
                        if let Some(tell) = self.waiting().remove(&id) {
                            let _ = tell.send(answer);
                        }
                    }
                    Ok(Message::Pong) => silent = 0,
                    Ok(_) => break "the other region said something out of turn".to_owned(),
                    Err(reason) => break reason,
                },
                _ = ticks.tick() => {
                    silent += 1;
                    if silent > SILENT_HEARTBEATS_MAX {
                        break "the other region is silent".to_owned();
                    }
                    if !self.outbox.send(&Message::Ping) {
                        break "the other region takes nothing".to_owned();
                    }
                }
            }
        }
    }

    /// Nobody gets an answer any more.
    pub(super) fn end(&self) {
        self.broken.store(true, Ordering::Release);
        self.outbox.close();
        self.waiting().clear();
    }
}
