//! Drives the clients of one thread through one round: one epoll loop, one precise timer, no other thread involved.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::os::fd::OwnedFd;

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};

use crate::client::{Client, Phase, Step, Wire};
use crate::clock::now_ns;
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::plan::Target;
use crate::tally::{Exchange, Failure, Tally, Window};

/// How often time limits and the interrupt are looked at.
const CHECK_INTERVAL_NS: u64 = 20_000_000;
/// How long a client waits at least after a broken connection, so that a dead server is not stormed.
const FAILURE_PAUSE_NS: u64 = 10_000_000;
const READ_BUFFER_BYTES: usize = 64 * 1024;
const EVENTS_MAX_COUNT: usize = 256;
/// The key of the timer among the keys of the clients.
const TIMER_KEY: u64 = u64::MAX;

/// The clients of one thread in one round.
#[derive(Debug, Clone)]
pub(crate) struct Shift<'a> {
    pub(crate) target: &'a Target,
    /// First client of this thread, of all clients, and how many this thread drives.
    pub(crate) first_client: u32,
    pub(crate) own_clients: u32,
    pub(crate) all_clients: u32,
    pub(crate) think_ns: u64,
    /// Requests come at this rate, whether or not there are answers; none if each client waits for its answer.
    pub(crate) pace: Option<Pace>,
    pub(crate) timeout_ns: u64,
    pub(crate) spin_ns: u64,
    /// When the first client starts; the others follow evenly over one think time.
    pub(crate) begin_ns: u64,
    pub(crate) window: Window,
    pub(crate) interrupt: Interrupt,
}

impl Shift<'_> {
    /// When the client begins: all are spread evenly over one think time, over all threads.
    fn first_start_ns(&self, client: u32) -> u64 {
        let place = u128::from(self.first_client + client);
        let offset = u128::from(self.think_ns) * place / u128::from(self.all_clients.max(1));
        self.begin_ns + u64::try_from(offset).unwrap_or(u64::MAX)
    }
}

/// When requests of one thread begin that come at a rate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    pub(crate) first_ns: u64,
    pub(crate) interval_ns: f64,
}

impl Pace {
    fn due_ns(self, number: u64) -> u64 {
        self.first_ns + (number as f64 * self.interval_ns) as u64
    }
}

/// The times of a request that was never sent.
fn unsent(due_ns: u64, now: u64) -> Exchange {
    Exchange { intended_ns: due_ns, sent_ns: now, done_ns: now }
}

/// Runs the shift to its end.
///
/// # Errors
/// A system call that must work did not.
pub(crate) fn drive(shift: &Shift<'_>) -> Result<Tally, Error> {
    let epoll = epoll::create(CreateFlags::CLOEXEC)
        .map_err(|error| Error::system("cannot create an epoll", error))?;
    let timer = Timer::new(&epoll).map_err(|error| Error::system("cannot create a timer", error))?;
    let client = |own| Client::new(shift.target, (shift.first_client + own) as usize);
    let clients: Vec<Client> = (0..shift.own_clients).map(client).collect();
    let (mut starts, mut idle) = (BinaryHeap::new(), Vec::new());
    match shift.pace {
        None => starts
            .extend((0..shift.own_clients).map(|client| Reverse((shift.first_start_ns(client), client)))),
        Some(_) => idle.extend((0..shift.own_clients).rev()),
    }
    let wire = Wire { epoll: &epoll, target: shift.target };
    let tally = Tally::new(shift.window);
    let mut driver = Driver { shift, wire, timer, clients, starts, idle, sent: 0, tally, in_flight: 0 };
    driver.run().map_err(|error| Error::system("the driver cannot wait for the network", error))?;
    Ok(driver.tally)
}

struct Driver<'a> {
    shift: &'a Shift<'a>,
    wire: Wire<'a>,
    timer: Timer,
    clients: Vec<Client>,
    /// Intended starts, the earliest first.
    starts: BinaryHeap<Reverse<(u64, u32)>>,
    /// With a pace, the clients that have no request.
    idle: Vec<u32>,
    /// With a pace, the requests that were due and taken.
    sent: u64,
    tally: Tally,
    in_flight: usize,
}

impl Driver<'_> {
    /// Until the window ends requests are started; then the last answers are awaited, each within its time limit.
    fn run(&mut self) -> Result<(), Errno> {
        let mut events: Vec<Event> = Vec::with_capacity(EVENTS_MAX_COUNT);
        let mut buffer = vec![0; READ_BUFFER_BYTES];
        let mut next_check_ns = 0;
        loop {
            let now = now_ns();
            let starting = now < self.shift.window.end_ns;
            if starting {
                self.start_due(now);
            } else if self.in_flight == 0 {
                self.give_up_unsent();
                return Ok(());
            }
            if now >= next_check_ns {
                if self.shift.interrupt.is_set() {
                    return Ok(());
                }
                self.give_up_late(now);
                next_check_ns = now + CHECK_INTERVAL_NS;
            }
            let due = self.next_due();
            self.wait(if starting { due.min(next_check_ns) } else { next_check_ns }, &mut events)?;
            for event in events.drain(..) {
                let key = event.data.u64();
                if key != TIMER_KEY {
                    self.ready(key, event.flags, &mut buffer);
                }
            }
        }
    }

    /// When the next request is to begin, if a client can send it.
    fn next_due(&self) -> u64 {
        match self.shift.pace {
            Some(pace) if !self.idle.is_empty() => pace.due_ns(self.sent),
            Some(_) => u64::MAX,
            None => self.starts.peek().map_or(u64::MAX, |Reverse((due, _))| *due),
        }
    }

    /// Begins the requests that are due at a pace, as far as there are clients for them. A request whose time ended before
    /// there was one is a time-out.
    fn start_paced(&mut self, pace: Pace, now: u64) {
        while !self.idle.is_empty() {
            let due = pace.due_ns(self.sent);
            if due > now || due >= self.shift.window.end_ns {
                return;
            }
            self.sent += 1;
            if now - due >= self.shift.timeout_ns {
                self.tally.failed(unsent(due, now), Failure::Timeout);
                continue;
            }
            if let Some(client) = self.idle.pop() {
                self.start(client, due, now_ns());
            }
        }
    }

    /// At the end: requests that were due within the window and found no client.
    fn give_up_unsent(&mut self) {
        let (Some(pace), now) = (self.shift.pace, now_ns()) else { return };
        while pace.due_ns(self.sent) < self.shift.window.end_ns {
            self.tally.failed(unsent(pace.due_ns(self.sent), now), Failure::Timeout);
            self.sent += 1;
        }
    }

    fn start_due(&mut self, now: u64) {
        if let Some(pace) = self.shift.pace {
            return self.start_paced(pace, now);
        }
        while let Some(&Reverse((due, client))) = self.starts.peek() {
            if due > now {
                return;
            }
            self.starts.pop();
            self.start(client, due, now_ns());
        }
    }

    fn start(&mut self, index: u32, intended_ns: u64, sent_ns: u64) {
        let client = &mut self.clients[index as usize];
        client.intended_ns = intended_ns;
        client.sent_ns = sent_ns;
        if self.wire.target.keeps_connections && !client.is_connected() && client.was_connected {
            self.tally.reconnected(sent_ns);
        }
        self.in_flight += 1;
        let step = client.start(&self.wire, u64::from(index));
        self.conclude(index, step);
    }

    fn ready(&mut self, key: u64, flags: EventFlags, buffer: &mut [u8]) {
        // Keys are made from indexes of `clients` only.
        let index = key as u32;
        let step = self.clients[index as usize].ready(&self.wire, key, flags, buffer);
        self.conclude(index, step);
    }

    /// Counts a request that ended and sets the client's next start.
    fn conclude(&mut self, index: u32, step: Step) {
        let client = &self.clients[index as usize];
        if step == Step::Wait {
            return;
        }
        self.in_flight -= 1;
        let done_ns = now_ns();
        let exchange = Exchange { intended_ns: client.intended_ns, sent_ns: client.sent_ns, done_ns };
        let expect = self.shift.target.expect;
        let mut pause_ns = self.shift.think_ns;
        match step {
            Step::Wait => {}
            Step::Answered(answer) | Step::Differs(answer) if answer.status != expect.status => {
                self.tally.failed(exchange, Failure::Status(answer.status));
            }
            Step::Differs(_) => self.tally.failed(exchange, Failure::Content),
            Step::Answered(answer) if expect.bytes.is_some_and(|bytes| bytes != answer.body_bytes) => {
                self.tally.failed(exchange, Failure::BodyLength);
            }
            Step::Answered(_) => self.tally.answered(exchange),
            Step::Failed(failure) => {
                self.tally.failed(exchange, failure);
                pause_ns = pause_ns.max(FAILURE_PAUSE_NS);
            }
        }
        if self.shift.pace.is_some() {
            self.idle.push(index);
            return;
        }
        if pause_ns == 0 && done_ns < self.shift.window.end_ns {
            // Without think time the next request begins here, without a turn through the heap.
            return self.start(index, done_ns, done_ns);
        }
        self.starts.push(Reverse((done_ns + pause_ns, index)));
    }

    /// Ends the requests whose time limit has passed.
    fn give_up_late(&mut self, now: u64) {
        for index in 0..self.shift.own_clients {
            let client = &mut self.clients[index as usize];
            if client.phase != Phase::Resting && now.saturating_sub(client.sent_ns) >= self.shift.timeout_ns {
                let step = client.fail(Failure::Timeout);
                self.conclude(index, step);
            }
        }
    }

    /// Sleeps until the network is ready or the time has come; polls without sleeping shortly before it.
    fn wait(&mut self, until_ns: u64, events: &mut Vec<Event>) -> Result<(), Errno> {
        const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
        let wake_ns = until_ns.saturating_sub(self.shift.spin_ns);
        let timeout = if wake_ns <= now_ns() {
            Some(&AT_ONCE)
        } else {
            self.timer.wake_at(wake_ns)?;
            None
        };
        match epoll::wait(self.wire.epoll, rustix::buffer::spare_capacity(events), timeout) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Wakes the epoll at an absolute time. A timerfd runs on the kernel's high-resolution timer without the slack that
/// time-outs of epoll itself have (50 µs by default), and far more precisely than a runtime's wheel of 1 ms.
struct Timer {
    descriptor: OwnedFd,
    set_to_ns: u64,
}

impl Timer {
    fn new(epoll: &OwnedFd) -> Result<Timer, Errno> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let descriptor = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        epoll::add(epoll, &descriptor, EventData::new_u64(TIMER_KEY), EventFlags::IN)?;
        Ok(Timer { descriptor, set_to_ns: 0 })
    }

    /// Setting the timer also takes back an earlier expiry, so its counter is never read.
    fn wake_at(&mut self, at_ns: u64) -> Result<(), Errno> {
        if at_ns == self.set_to_ns {
            return Ok(());
        }
        let value =
            Timespec { tv_sec: (at_ns / 1_000_000_000) as i64, tv_nsec: (at_ns % 1_000_000_000) as i64 };
        let interval = Timespec { tv_sec: 0, tv_nsec: 0 };
        let spec = Itimerspec { it_interval: interval, it_value: value };
        timerfd_settime(&self.descriptor, TimerfdTimerFlags::ABSTIME, &spec)?;
        self.set_to_ns = at_ns;
        Ok(())
    }
}
