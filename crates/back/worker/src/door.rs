//! The worker's end of its connection to the region: the shared memory with its bells, and a socket for a
//! region that does not wait at its bell.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags};
use wire::area::{Area, NOTE_BYTES};
use wire::batch::{BATCH, NEEDS_ROOM_BYTES, next_task, put_said};
use wire::bells::{ABOUT_TO_LOOK, AT_THE_BELL, AT_THE_SOCKET, RUNG};
use wire::{Answer, Ask, FromWorker, Name, Task, ToWorker, Told};

/// A file that the region sends over the socket.
fn received_file(socket: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let mut data = [io::IoSliceMut::new(&mut byte)];
    rustix::net::recvmsg(socket, &mut data, &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let file = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    file.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "expected a file on the socket"))
}

/// The worker's end.
#[derive(Debug)]
pub(super) struct Door {
    socket: OwnedFd,
    area: Area,
    /// The region's bell as it was heard last.
    heard: u32,
    buffer: Vec<u8>,
    /// The other tasks of the running task's batch, while it is in one.
    batch: Option<Batch>,
}

/// Several tasks of one message.
#[derive(Debug)]
struct Batch {
    /// Their messages.
    tasks: Vec<u8>,
    /// The bytes of tasks that have begun or are refused.
    read: usize,
    /// The written bytes of the shared memory: the tasks, and the messages about them.
    written: usize,
}

impl Door {
    /// Takes the socket, over which the region sends the shared memory first.
    ///
    /// # Errors
    /// The other end is not a region.
    pub(super) fn open(socket: OwnedFd) -> io::Result<Self> {
        let file = received_file(socket.as_fd())?;
        let area = Area::open(file)?;
        // The region rings for the first time when it has heard of us.
        Ok(Self { socket, heard: area.to_worker().value(), area, buffer: Vec::new(), batch: None })
    }

    /// Waits for the next task. None if the region is gone.
    pub(super) fn next_task(&mut self) -> Option<Task> {
        loop {
            if let Some(batch) = &mut self.batch {
                if self.area.turns().take() {
                    return self.next_of_batch();
                }
                self.buffer = std::mem::take(&mut batch.tasks);
                self.batch = None;
                if !self.ring() {
                    return None;
                }
            }
            self.wait();
            self.area.read(&mut self.buffer)?;
            if self.buffer.first() != Some(&BATCH) {
                break;
            }
            let tasks = std::mem::take(&mut self.buffer);
            self.batch = Some(Batch { written: tasks.len(), tasks, read: 1 });
        }
        match ToWorker::decode(&self.buffer) {
            Ok(ToWorker::Task(task)) => Some(task),
            _ => None,
        }
    }

    /// The next task of the batch, after its turn was taken.
    fn next_of_batch(&mut self) -> Option<Task> {
        self.area.forget_notes();
        let batch = self.batch.as_mut()?;
        let mut left = &batch.tasks[batch.read..];
        match next_task(&mut left) {
            Ok(Some(task)) => {
                batch.read = batch.tasks.len() - left.len();
                Some(task)
            }
            _ => None,
        }
    }

    /// Sends the region a request, and waits for the answer. Ends the process if the region is gone.
    pub(super) fn ask(&mut self, ask: Ask) -> Answer {
        match self.tell(&FromWorker::Ask(ask)).then(|| self.receive()) {
            Some(Some(ToWorker::Answer(answer))) => answer,
            _ => std::process::exit(1),
        }
    }

    /// Sends the region a report of the task; gives whether the region wants more. A report that is too long
    /// for the shared memory is left out. Ends the process if the region is gone.
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

    /// A copy of a program from the region.
    ///
    /// # Errors
    /// The region gives none: the reason for people.
    pub(super) fn copy_of(&mut self, program: Name<8>) -> Result<OwnedFd, String> {
        if !self.told(Told::WantsCopy(program)) {
            return Err("the region gives no further instance of it to this worker".to_owned());
        }
        received_file(self.socket.as_fd()).map_err(|error| format!("a copy of it: {error}"))
    }

    /// Notes a command, which outlives this process.
    pub(super) fn note(&mut self, number: u32, note: &[u8; NOTE_BYTES]) {
        self.area.make_note(number, note);
    }

    /// Sets the task's processor time.
    pub(super) fn set_cpu_nanoseconds(&self, nanoseconds: u64) {
        self.area.set_cpu_nanoseconds(nanoseconds);
    }

    /// Tells the region something. False if it is gone.
    pub(super) fn tell(&mut self, message: &FromWorker) -> bool {
        match self.batch.is_some() {
            true => self.tell_in_batch(message),
            false => self.tell_alone(message),
        }
    }

    /// Writes a message about a task of a batch. The region gets results with the last of them. Any other
    /// message goes at once, and ends the batch.
    fn tell_in_batch(&mut self, message: &FromWorker) -> bool {
        let written = self.batch.as_ref().map_or(0, |batch| batch.written);
        let has_ended = matches!(message, FromWorker::Returned(_));
        self.buffer.clear();
        put_said(&mut self.buffer, self.area.cpu_nanoseconds(), message);
        let left = self.area.message_max_bytes().saturating_sub(written + self.buffer.len());
        let fits = left >= NEEDS_ROOM_BYTES && self.area.append(written, &self.buffer).is_ok();
        if let Some(batch) = self.batch.as_mut().filter(|_| fits && has_ended) {
            batch.written += self.buffer.len();
            self.area.set_cpu_nanoseconds(0);
            return true;
        }
        self.batch = None;
        if fits {
            return self.ring();
        }
        self.buffer.clear();
        put_said(&mut self.buffer, 0, &FromWorker::Told(Told::NeedsRoom));
        let told = self.area.append(written, &self.buffer).is_ok() && self.ring();
        told && self.receive().is_some() && self.tell_alone(message)
    }

    fn tell_alone(&mut self, message: &FromWorker) -> bool {
        self.buffer.clear();
        message.encode(&mut self.buffer);
        if let Err(too_long) = self.area.write(&self.buffer) {
            // Only data of a program can be too long; that is the program's abend.
            self.buffer.clear();
            let (code, program) = (*b"GLEN", [b' '; 8]);
            FromWorker::Abended { code, program, message: too_long.to_string(), last: true }
                .encode(&mut self.buffer);
            if self.area.write(&self.buffer).is_err() {
                return false;
            }
        }
        self.ring()
    }

    /// Lets the region know that there is something for it. False if it is gone.
    fn ring(&self) -> bool {
        match self.area.to_region().replace(RUNG) {
            ABOUT_TO_LOOK => true,
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
    fn wait(&mut self) {
        let bell = self.area.to_worker();
        while bell.value() == self.heard {
            bell.wait(self.heard, None);
        }
        self.heard = bell.value();
    }

    fn receive(&mut self) -> Option<ToWorker> {
        self.wait();
        self.area.read(&mut self.buffer)?;
        ToWorker::decode(&self.buffer).ok()
    }
}
