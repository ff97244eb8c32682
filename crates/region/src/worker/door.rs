//! The worker's end of what joins it to its region: the shared memory, and a socket on which single bytes say that there
//! is something in it.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags};

use crate::area::Area;
use crate::wire::{Answer, Ask, FromWorker, Task, ToWorker};

/// The worker's end.
#[derive(Debug)]
pub(super) struct Door {
    socket: OwnedFd,
    area: Area,
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
        Ok(Self { socket, area: Area::open(file.ok_or_else(missing)?)?, buffer: Vec::new() })
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
        matches!(rustix::net::send(self.socket.as_fd(), &[1], SendFlags::NOSIGNAL), Ok(1))
    }

    fn receive(&mut self) -> Option<ToWorker> {
        let mut byte = [0; 1];
        loop {
            match rustix::net::recv(self.socket.as_fd(), &mut byte, RecvFlags::empty()) {
                Ok((_, 1)) => break,
                Err(rustix::io::Errno::INTR) => {}
                _ => return None,
            }
        }
        self.area.read(&mut self.buffer)?;
        ToWorker::decode(&self.buffer).ok()
    }
}
