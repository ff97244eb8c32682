//! The worker's end of what joins it to its region: the shared memory with its bells, and a socket for a region that does
//! not wait at its bell.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags};

use crate::area::{Area, NOTE_BYTES};
use crate::bells::{AT_THE_BELL, AT_THE_SOCKET, RUNG};
use crate::wire::{Answer, Ask, FromWorker, Task, ToWorker, Told};

/// The worker's end.
#[derive(Debug)]
pub(super) struct Door {
    socket: OwnedFd,
    area: Area,
    /// The region's bell as it was heard last.
    heard: u32,
    buffer: Vec<u8>,
}

impl Door {
    /// Takes the socket, over which the region sends the shared memory first.
    ///
    /// # Errors
    /// The other end is no region.
    pub(super) fn open(socket: OwnedFd) -> io::Result<Self> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0];
        let mut data = [io::IoSliceMut::new(&mut byte)];
        rustix::net::recvmsg(&socket, &mut data, &mut control, RecvFlags::CMSG_CLOEXEC)?;
        let file = control.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut files) => files.next(),
            _ => None,
        });
        let missing = || io::Error::new(io::ErrorKind::InvalidData, "expected shared memory on the socket");
        let area = Area::open(file.ok_or_else(missing)?)?;
        // The region rings for the first time when it has heard of us.
        Ok(Self { socket, heard: area.to_worker().value(), area, buffer: Vec::new() })
    }

    /// Waits for the next task. None if the region is gone.
    pub(super) fn next_task(&mut self) -> Option<Task> {
        match self.receive()? {
            ToWorker::Task(task) => Some(task),
            ToWorker::Answer(_) => None,
        }
    }

    /// Asks the region for something, and waits for what comes of it. Ends the process if the region is gone.
    pub(super) fn ask(&mut self, ask: Ask) -> Answer {
        match self.tell(&FromWorker::Ask(ask)).then(|| self.receive()) {
            Some(Some(ToWorker::Answer(answer))) => answer,
            _ => std::process::exit(1),
        }
    }

    /// Lets the region know something of the task; gives whether it wants more of it. What is too long for the shared memory is
    /// left out. Ends the process if the region is gone.
    pub(super) fn told(&mut self, told: Told) -> bool {
        let message = FromWorker::Told(told);
        self.buffer.clear();
        message.encode(&mut self.buffer);
        if self.buffer.len() > self.area.message_max_bytes() {
            return true;
        }
        match self.tell(&message).then(|| self.receive()) {
            Some(Some(ToWorker::Answer(answer))) => answer != Answer::Enough,
            _ => std::process::exit(1),
        }
    }

    /// Notes a command, which outlives this process.
    pub(super) fn note(&mut self, number: u32, note: &[u8; NOTE_BYTES]) {
        self.area.make_note(number, note);
    }

    /// Says what processor time the task has taken.
    pub(super) fn set_cpu_nanoseconds(&self, nanoseconds: u64) {
        self.area.set_cpu_nanoseconds(nanoseconds);
    }

    /// Tells the region something. False if it is gone.
    pub(super) fn tell(&mut self, message: &FromWorker) -> bool {
        self.buffer.clear();
        message.encode(&mut self.buffer);
        if let Err(too_long) = self.area.write(&self.buffer) {
            // Only what a program made can be too long; that is its abend.
            self.buffer.clear();
            let (code, program) = (*b"GLEN", [b' '; 8]);
            FromWorker::Abended { code, program, message: too_long.to_string(), last: true }
                .encode(&mut self.buffer);
            if self.area.write(&self.buffer).is_err() {
                return false;
            }
        }
        match self.area.to_region().replace(RUNG) {
            AT_THE_BELL => {
                self.area.to_region().wake();
                true
            }
            AT_THE_SOCKET => {
                matches!(rustix::net::send(self.socket.as_fd(), &[1], SendFlags::NOSIGNAL), Ok(1))
            }
            // The region has not asked for anything.
            _ => false,
        }
    }

    /// Waits without an end: the kernel ends a worker whose region is gone.
    fn receive(&mut self) -> Option<ToWorker> {
        let bell = self.area.to_worker();
        while bell.value() == self.heard {
            bell.wait(self.heard, None);
        }
        self.heard = bell.value();
        self.area.read(&mut self.buffer)?;
        ToWorker::decode(&self.buffer).ok()
    }
}
