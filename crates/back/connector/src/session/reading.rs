//! The reading of a session: it hands replies, whole or in parts, to their callers. It reads on
//! only if there is room.

use std::io;
use std::sync::Arc;

use tokio::sync::{Notify, oneshot};

use super::{Ended, Outgoing, Session, State, retire};
use crate::framing::{FrameType, Framing, Label, Scan};
use crate::room::FREE_BYTES;
use crate::settings::GroupSettings;
use crate::transport::{FIRST_READ_BYTES, Fault, LARGE_BYTES};
use crate::wired::at_once;

/// Work for outside of the lock.
#[derive(Debug)]
enum Ready {
    Reply(oneshot::Sender<Ended>, Vec<u8>),
    Heartbeat(u64),
}

/// The next read, after the whole frames are taken.
#[derive(Debug)]
struct Next {
    /// Bytes of the buffer that are used up.
    taken: usize,
    /// Bytes of the unfinished frame, if they are known.
    frame_bytes: Option<usize>,
    /// The same, if many of them are missing. The reader then sleeps until they are there.
    large: Option<usize>,
    /// Bytes to skip: the rest of a frame whose caller has left.
    unwanted: usize,
    /// Set if there is no room for the next read. It tells the reader when to look again.
    room: Option<Arc<Notify>>,
}

impl Session {
    /// Takes the frames that have come, and asks for room for the next read. The first `scanned` bytes
    /// have no whole frame in them.
    fn take(&self, buffer: &[u8], mut scanned: usize) -> Result<Next, Fault> {
        let (mut at, mut ready) = (0, Vec::new());
        let framing = &self.settings.framing;
        let mut state = self.state();
        let frame_bytes = loop {
            let most = self.settings.frame_max_bytes;
            let scan = framing.scan_on(&buffer[at..], std::mem::take(&mut scanned), most);
            match scan.map_err(|fault| Fault::BadReply(fault.0))? {
                Scan::More { frame_bytes, .. } => break frame_bytes,
                Scan::Frame { message, end, label } => {
                    let bytes = &buffer[at + message.start..at + message.end];
                    ready.extend(state.reply(label, bytes, &self.settings)?);
                    at += end;
                }
            }
        };
        if at > 0 {
            state.is_asked = false;
        }
        let left = buffer.len() - at;
        let unwanted = state.unwanted(framing, &buffer[at..], frame_bytes);
        let left = if unwanted > 0 { 0 } else { left };
        let frame_bytes = frame_bytes.filter(|_| unwanted == 0);
        let large = frame_bytes.filter(|all| !self.wired.must_wait() && all - left >= LARGE_BYTES);
        let more = match large {
            // Its room is taken when its bytes are there.
            Some(_) => 0,
            None => at_once(left, frame_bytes.map_or(0, |all| all - left).max(FIRST_READ_BYTES)),
        };
        let room = state.make_room(left, more);
        if state.account.is_overdue() {
            // It reads on until its bytes fit. New requests go to other connections.
            retire(&mut state);
        }
        drop(state);
        self.answer(&mut ready);
        Ok(Next { taken: buffer.len() - left, frame_bytes, large, unwanted, room })
    }

    /// Hands replies to their callers, and answers heartbeats.
    fn answer(&self, ready: &mut Vec<Ready>) {
        for one in ready.drain(..) {
            match one {
                Ready::Reply(caller, reply) => drop(caller.send(Ok(reply))),
                Ready::Heartbeat(id) => {
                    let made = Outgoing::new(id, FrameType::HeartbeatAck, Vec::new(), &self.settings.framing);
                    if let Ok(outgoing) = made {
                        let _ = self.put(outgoing, None);
                    }
                }
            }
        }
    }

    /// Sends a heartbeat to a server that was silent for the interval of heartbeats.
    fn beat(&self) -> Result<(), Fault> {
        let mut state = self.state();
        if state.is_asked {
            return Err(Fault::Broken("no answer to a heartbeat".to_owned()));
        }
        state.is_asked = true;
        drop(state);
        let asked = match &self.settings.heartbeat {
            _ if self.settings.framing.correlates() => self.submit(FrameType::Heartbeat, Vec::new(), None),
            Some(heartbeat) => self.submit(FrameType::Request, heartbeat.request.clone(), None),
            None => return Ok(()),
        };
        asked.map(|_| ()).map_err(|(fault, _)| fault)
    }

    /// Reads replies until a fault comes.
    pub(super) async fn hear(&self) -> Result<(), Fault> {
        let (mut buffer, mut scanned, mut unwanted) = (Vec::new(), 0, 0);
        loop {
            let next = self.take(&buffer, scanned)?;
            buffer.drain(..next.taken);
            scanned = buffer.len();
            unwanted += next.unwanted;
            if buffer.is_empty() && buffer.capacity() > FREE_BYTES {
                // Small frames do not need the memory of a large one.
                buffer = Vec::new();
            }
            if let Some(told) = next.room {
                told.notified().await;
                continue;
            }
            match self.read(&mut buffer, &next).await? {
                Read::Nothing => continue,
                Read::End => return Err(closed(buffer.len(), unwanted)),
                Read::Some => {}
            }
            let skipped = unwanted.min(buffer.len());
            buffer.drain(..skipped);
            unwanted -= skipped;
        }
    }

    /// Reads the next bytes, for which there is room. For a large frame it waits for its bytes
    /// first, and then for room.
    async fn read(&self, buffer: &mut Vec<u8>, next: &Next) -> Result<Read, Fault> {
        let missing = next.frame_bytes.unwrap_or_default().saturating_sub(buffer.len());
        let Some(all) = next.large else {
            let read = self.wired.read(buffer, missing.max(FIRST_READ_BYTES));
            // Only the caller of a large reply can stop the read by leaving: other replies hold no
            // room.
            return match next.frame_bytes.is_some_and(|all| all >= LARGE_BYTES) {
                true => self.heard(self.unless_left(read)).await,
                false => self.heard(async { Some(read.await) }).await,
            };
        };
        let there = async { self.wired.wait_for(missing).await.map(|()| 1) };
        match self.heard(self.unless_left(there)).await? {
            Read::Some => {}
            other => return Ok(other),
        }
        // This wait is not the server's fault, so there is no heartbeat meanwhile.
        if self.unless_left(self.room_for(all)).await.is_none() {
            self.wired.wake_at_once();
            return Ok(Read::Nothing);
        }
        self.heard(self.unless_left(self.wired.read_rest(buffer, all))).await
    }

    /// Waits for a read. Sends a heartbeat if the server is silent for too long.
    async fn heard(&self, read: impl Future<Output = Option<io::Result<usize>>>) -> Result<Read, Fault> {
        let heard = match self.settings.heartbeats() {
            None => read.await,
            Some(interval) => match tokio::time::timeout(interval, read).await {
                Ok(heard) => heard,
                Err(_) => {
                    if self.is_silent() {
                        self.beat()?;
                    }
                    None
                }
            },
        };
        match heard {
            None => {
                self.wired.wake_at_once();
                Ok(Read::Nothing)
            }
            Some(Ok(0)) => Ok(Read::End),
            Some(Ok(_)) => Ok(Read::Some),
            Some(Err(error)) => Err(Fault::Broken(error.to_string())),
        }
    }

    /// Whether nothing has come since the last look. A reader that sleeps until a large frame is
    /// there does not see its bytes come, and no answer to a heartbeat can come amid them.
    fn is_silent(&self) -> bool {
        let unread = self.wired.unread();
        let mut state = self.state();
        let is_silent = unread == std::mem::replace(&mut state.unread, unread);
        state.is_asked &= is_silent;
        is_silent
    }

    /// Waits until the buffer may hold this many bytes.
    async fn room_for(&self, bytes: usize) {
        loop {
            let held = self.state().hold(bytes);
            match held {
                Ok(()) => return,
                Err(told) => told.notified().await,
            }
        }
    }

    /// The result of a future; none if the caller of the current reply leaves first.
    async fn unless_left<R>(&self, future: impl Future<Output = R>) -> Option<R> {
        tokio::select! {
            biased;
            given = future => Some(given),
            () = self.left.notified() => None,
        }
    }
}

/// The result of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Read {
    Some,
    /// Nothing yet: the reader must look again.
    Nothing,
    /// The server has closed the connection.
    End,
}

/// The fault of a connection that the server closed. `bytes` of a reply had come, or `unwanted`
/// bytes of a late reply were missing.
fn closed(bytes: usize, unwanted: usize) -> Fault {
    match (bytes, unwanted) {
        (0, 0) => Fault::Broken("closed before the reply".to_owned()),
        (0, _) => Fault::Broken("closed amid the reply to a caller who had left".to_owned()),
        (bytes, _) => Fault::BadReply(format!("closed after {bytes} bytes of a reply")),
    }
}

impl State {
    /// Holds this many bytes of the buffer, beside the parts.
    fn hold(&mut self, buffer_bytes: usize) -> Result<(), Arc<Notify>> {
        if self.ended.is_some() {
            // All room was given back. The reader ends as soon as it looks.
            return Ok(());
        }
        self.buffer_bytes = buffer_bytes;
        self.account.try_hold(buffer_bytes + self.parts.held_bytes())
    }

    /// Gives back the room of replies that have left, and asks for room for `more` bytes. Without
    /// room, it gives the notice that tells when to look again.
    fn make_room(&mut self, left: usize, more: usize) -> Option<Arc<Notify>> {
        self.buffer_bytes = left;
        self.settle();
        self.hold(left + more).err()
    }

    /// Notes whose reply the unfinished frame is. If its caller has left, gives the number of its
    /// bytes that follow.
    fn unwanted(&mut self, framing: &Framing, begun: &[u8], frame_bytes: Option<usize>) -> usize {
        self.reading = None;
        let (Some(all), Some(label)) = (frame_bytes, framing.label(begun)) else { return 0 };
        if label.frame_type != FrameType::Reply {
            return 0;
        }
        self.reading = Some(label.correlation).filter(|_| all >= LARGE_BYTES);
        if !self.is_late(label) {
            return 0;
        }
        self.is_asked = false;
        all - begun.len()
    }

    /// Whether a frame belongs to a reply whose caller has left. After its last part, the reply is
    /// forgotten.
    fn is_late(&mut self, label: Label) -> bool {
        let id = label.correlation;
        !self.late.is_empty() && if label.goes_on { self.late.contains(&id) } else { self.late.remove(&id) }
    }

    /// Decides what to do with a frame.
    fn reply(
        &mut self,
        label: Label,
        message: &[u8],
        settings: &GroupSettings,
    ) -> Result<Option<Ready>, Fault> {
        let unasked = || Fault::BadReply("a reply came that nobody asked for".to_owned());
        if !settings.framing.correlates() {
            let first = self.pending.front();
            if first.is_none_or(|one| self.waits(one.id)) {
                // The answer to a one-way request is for nobody.
                let is_ignored = self.is_one_way && first.is_none_or(|one| one.reply.is_none());
                return if is_ignored { Ok(None) } else { Err(unasked()) };
            }
            let first = self.pending.pop_front().ok_or_else(unasked)?;
            return Ok(first.reply.map(|reply| Ready::Reply(reply, message.to_vec())));
        }
        let id = label.correlation;
        match label.frame_type {
            FrameType::Reply => {}
            FrameType::Heartbeat if self.is_flooded() => {
                return Err(Fault::BadReply("the server sends heartbeats and reads no answer".to_owned()));
            }
            FrameType::Heartbeat => return Ok(Some(Ready::Heartbeat(id))),
            FrameType::HeartbeatAck => return Ok(None),
            FrameType::GoAway => {
                retire(self);
                return Ok(None);
            }
            other => {
                return Err(Fault::BadReply(format!("expected a reply, found the frame {other:?} {id}")));
            }
        }
        let Some(at) = self.pending.iter().position(|one| one.id == id) else {
            return if self.is_late(label) { Ok(None) } else { Err(unasked()) };
        };
        if self.waits(id) {
            return Err(unasked());
        }
        let whole = self.parts.take(label, message).map_err(|fault| Fault::BadReply(fault.0))?;
        let Some(whole) = whole else { return Ok(None) };
        let Some(done) = self.pending.remove(at) else { return Ok(None) };
        Ok(done.reply.map(|reply| Ready::Reply(reply, whole)))
    }
}
