//! One client's connection: connects, sends the prebuilt request, reads the answer; never blocks.

use std::io::{ErrorKind as IoKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, sockopt};

use crate::plan::Target;
use crate::reader::Reader;
use crate::response::Answer;
use crate::tally::Failure;

/// The phase of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It thinks; the connection may be open.
    Resting,
    /// The connection is being opened for a request.
    Connecting,
    /// A part of the request is still to be written.
    Sending,
    /// The request is written, its answer is not complete.
    Receiving,
}

/// How an event ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing for the driver to do yet.
    Wait,
    /// The answer is complete, and its body is the expected one if one is.
    Answered(Answer),
    /// The answer is complete, and its body differs from the expected one.
    Differs(Answer),
    /// The request failed, and the connection is closed.
    Failed(Failure),
}

/// One client of the closed loop.
pub(crate) struct Client {
    stream: Option<TcpStream>,
    reader: Reader,
    written: usize,
    /// Which of the target's requests is sent, or was sent last.
    call: usize,
    pub(crate) phase: Phase,
    /// When this request was meant to start.
    pub(crate) intended_ns: u64,
    /// When it did.
    pub(crate) sent_ns: u64,
    /// Whether a connection was open once: the next one counts as opened again.
    pub(crate) was_connected: bool,
}

/// The state that all clients of one thread share.
pub(crate) struct Wire<'a> {
    pub(crate) epoll: &'a OwnedFd,
    pub(crate) target: &'a Target,
}

impl Client {
    /// A client that sends the request after `call` first.
    pub(crate) fn new(target: &Target, call: usize) -> Client {
        Client {
            stream: None,
            reader: Reader::of(target),
            written: 0,
            call,
            phase: Phase::Resting,
            intended_ns: 0,
            sent_ns: 0,
            was_connected: false,
        }
    }

    /// Whether a connection is open or being opened.
    pub(crate) fn is_connected(&self) -> bool {
        self.stream.is_some()
    }

    /// Begins a request: sends it, or opens a connection first.
    pub(crate) fn start(&mut self, wire: &Wire<'_>, key: u64) -> Step {
        self.written = 0;
        self.call = (self.call + 1) % wire.target.calls.len();
        if self.stream.is_some() {
            self.phase = Phase::Sending;
            return self.send(wire, key);
        }
        match connect(wire, key) {
            Ok(stream) => {
                self.stream = Some(stream);
                self.reader = Reader::of(wire.target);
                self.phase = Phase::Connecting;
                Step::Wait
            }
            Err(_) => self.fail(Failure::Connect),
        }
    }

    /// Goes on after the connection became ready.
    pub(crate) fn ready(&mut self, wire: &Wire<'_>, key: u64, flags: EventFlags, buffer: &mut [u8]) -> Step {
        match self.phase {
            Phase::Connecting => self.connected(wire, key),
            // A server may answer, or refuse, before it has read the whole request.
            Phase::Sending if flags.contains(EventFlags::IN) => self.receive(wire, buffer),
            Phase::Sending => self.send(wire, key),
            Phase::Receiving => self.receive(wire, buffer),
            Phase::Resting => {
                // The server closed the idle connection, or sent what nobody asked for: the next request opens
                // another one.
                self.close();
                Step::Wait
            }
        }
    }

    /// Gives up the request and its connection.
    pub(crate) fn fail(&mut self, failure: Failure) -> Step {
        self.close();
        self.phase = Phase::Resting;
        Step::Failed(failure)
    }

    /// Closes the connection; the kernel takes it out of the epoll set by itself.
    pub(crate) fn close(&mut self) {
        self.stream = None;
    }

    fn connected(&mut self, wire: &Wire<'_>, key: u64) -> Step {
        let Some(stream) = &self.stream else { return Step::Wait };
        let outcome = sockopt::socket_error(stream).unwrap_or_else(Err);
        if outcome.is_err() {
            return self.fail(Failure::Connect);
        }
        let watched =
            epoll::modify(wire.epoll, stream, EventData::new_u64(key), EventFlags::IN | EventFlags::RDHUP);
        if watched.is_err() {
            return self.fail(Failure::Connect);
        }
        self.was_connected = true;
        self.phase = Phase::Sending;
        self.send(wire, key)
    }

    fn send(&mut self, wire: &Wire<'_>, key: u64) -> Step {
        let Some(mut stream) = self.stream.as_ref() else { return Step::Wait };
        let request = &wire.target.calls[self.call].request;
        let began_blocked = self.written > 0;
        while self.written < request.len() {
            match stream.write(&request[self.written..]) {
                Ok(length) => self.written += length,
                Err(error) if error.kind() == IoKind::Interrupted => {}
                Err(error) if error.kind() == IoKind::WouldBlock => {
                    let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP;
                    if epoll::modify(wire.epoll, stream, EventData::new_u64(key), flags).is_err() {
                        return self.fail(Failure::BrokenAnswer);
                    }
                    return Step::Wait;
                }
                Err(_) => return self.fail(Failure::BrokenAnswer),
            }
        }
        let flags = EventFlags::IN | EventFlags::RDHUP;
        if began_blocked && epoll::modify(wire.epoll, stream, EventData::new_u64(key), flags).is_err() {
            return self.fail(Failure::BrokenAnswer);
        }
        self.phase = Phase::Receiving;
        Step::Wait
    }

    /// Reads once: epoll is level-triggered, so what does not fit the buffer is announced again.
    fn receive(&mut self, wire: &Wire<'_>, buffer: &mut [u8]) -> Step {
        let Some(mut stream) = self.stream.as_ref() else { return Step::Wait };
        let answer = match stream.read(buffer) {
            Ok(0) => self.reader.end().map(Some),
            Ok(length) => {
                self.reader.feed_against(&buffer[..length], wire.target.calls[self.call].answer.as_deref())
            }
            Err(error) if matches!(error.kind(), IoKind::WouldBlock | IoKind::Interrupted) => Ok(None),
            Err(_) => return self.fail(Failure::BrokenAnswer),
        };
        match answer {
            Ok(None) => Step::Wait,
            Ok(Some(answer)) => {
                // An answer to a half-sent request leaves the connection in an unknown state.
                if !answer.keep_alive || !wire.target.keeps_connections || self.phase == Phase::Sending {
                    self.close();
                }
                self.phase = Phase::Resting;
                let expected = wire.target.calls[self.call].answer.as_deref();
                match expected.is_some_and(|body| self.reader.differs_from(body, &answer)) {
                    true => Step::Differs(answer),
                    false => Step::Answered(answer),
                }
            }
            Err(_) => self.fail(Failure::BrokenAnswer),
        }
    }
}

fn connect(wire: &Wire<'_>, key: u64) -> Result<TcpStream, Errno> {
    let address = wire.target.endpoint.address;
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, None)?;
    sockopt::set_tcp_nodelay(&socket, true)?;
    match rustix::net::connect(&socket, &address) {
        Ok(()) | Err(Errno::INPROGRESS) => {}
        Err(error) => return Err(error),
    }
    // Writable means connected or refused; also when connect was done at once.
    epoll::add(wire.epoll, socket.as_fd(), EventData::new_u64(key), EventFlags::OUT)?;
    Ok(TcpStream::from(socket))
}
