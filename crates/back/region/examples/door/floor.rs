//! The time that the kernel takes to wake another process and to be woken by it. No door can cost less.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, ExitCode, Stdio};

use rustix::event::{EventfdFlags, epoll};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use wire::area::Area;

use super::figures::Figures;

/// The argument of the process on the other side.
pub(crate) const OTHER_SIDE: &str = "floor";

const CALLS: u32 = 100_000;

/// Shows what there is to compare with.
pub(crate) fn measure() -> io::Result<()> {
    for here in [true, false] {
        let place = if here { "on one processor" } else { "wherever the kernel puts them" };
        let pinned = here.then(Pinned::here).transpose()?;
        futexes(place)?;
        eventfds(place)?;
        sockets(place)?;
        drop(pinned);
    }
    Ok(())
}

/// Keeps this process, and those that it starts, on one processor.
struct Pinned(rustix::thread::CpuSet);

impl Pinned {
    fn here() -> io::Result<Self> {
        let before = rustix::thread::sched_getaffinity(None)?;
        let mut one = rustix::thread::CpuSet::new();
        one.set(rustix::thread::sched_getcpu());
        rustix::thread::sched_setaffinity(None, &one)?;
        Ok(Self(before))
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        let _ = rustix::thread::sched_setaffinity(None, &self.0);
    }
}

fn start(how: &str, input: impl AsFd, output: impl AsFd) -> io::Result<Child> {
    let stdio = |file: OwnedFd| Stdio::from(file);
    Command::new("/proc/self/exe")
        .args([OTHER_SIDE, how])
        .stdin(stdio(input.as_fd().try_clone_to_owned()?))
        .stdout(stdio(output.as_fd().try_clone_to_owned()?))
        .spawn()
}

fn futexes(place: &str) -> io::Result<()> {
    let area = Area::create(1 << 16)?;
    let mut child = start("futex", area.file(), io::stderr())?;
    let call = |number: u32| {
        area.to_worker().set(number);
        area.to_worker().wake();
        while area.to_region().value() != number {
            area.to_region().wait(number.wrapping_sub(1), None);
        }
    };
    call(1);
    let begun = Figures::now();
    (2..CALLS).for_each(call);
    begun.show(&format!("floor, futex and futex, {place}"), CALLS as usize);
    child.wait().map(drop)
}

fn eventfds(place: &str) -> io::Result<()> {
    let (there, back) = (
        rustix::event::eventfd(0, EventfdFlags::CLOEXEC)?,
        rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
    );
    // The child's end blocks; only one of the two is ours to wait for.
    let mut child = start("eventfd", &there, &back)?;
    let ready = Ready::of(&back)?;
    let call = || -> io::Result<()> {
        rustix::io::write(&there, &1_u64.to_ne_bytes())?;
        ready.wait()?;
        rustix::io::read(&back, &mut [0; 8])?;
        Ok(())
    };
    call()?;
    let begun = Figures::now();
    (2..CALLS).try_for_each(|_| call())?;
    begun.show(&format!("floor, eventfd and eventfd with epoll, {place}"), CALLS as usize);
    child.wait().map(drop)
}

fn sockets(place: &str) -> io::Result<()> {
    let (ours, theirs) =
        rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
    let mut child = start("socket", &theirs, io::stderr())?;
    let ready = Ready::of(&ours)?;
    let call = || -> io::Result<()> {
        rustix::net::send(&ours, &[1], SendFlags::NOSIGNAL)?;
        ready.wait()?;
        rustix::net::recv(&ours, &mut [0; 1], RecvFlags::empty())?;
        Ok(())
    };
    call()?;
    let begun = Figures::now();
    (2..CALLS).try_for_each(|_| call())?;
    begun.show(&format!("floor, socket and socket with epoll, {place}"), CALLS as usize);
    child.wait().map(drop)
}

struct Ready(OwnedFd);

impl Ready {
    fn of(file: impl AsFd) -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let flags = epoll::EventFlags::IN | epoll::EventFlags::ET;
        epoll::add(&epoll, file, epoll::EventData::new_u64(0), flags)?;
        Ok(Self(epoll))
    }

    fn wait(&self) -> io::Result<()> {
        let mut events =
            [epoll::Event { flags: epoll::EventFlags::empty(), data: epoll::EventData::new_u64(0) }];
        epoll::wait(&self.0, &mut events[..], None)?;
        Ok(())
    }
}

/// The process on the other side: answers as often as it is asked.
pub(crate) fn answer(how: Option<&OsStr>) -> ExitCode {
    let answered = match how.and_then(OsStr::to_str) {
        Some("futex") => answer_futexes(),
        Some("eventfd") => (1..CALLS).try_for_each(|_| {
            rustix::io::read(io::stdin(), &mut [0; 8])?;
            rustix::io::write(io::stdout(), &1_u64.to_ne_bytes())?;
            Ok(())
        }),
        _ => (1..CALLS).try_for_each(|_| {
            rustix::net::recv(io::stdin(), &mut [0; 1], RecvFlags::empty())?;
            rustix::net::send(io::stdin(), &[1], SendFlags::NOSIGNAL)?;
            Ok(())
        }),
    };
    match answered {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => super::fail(&error.to_string()),
    }
}

fn answer_futexes() -> io::Result<()> {
    let area = Area::open(io::stdin().as_fd().try_clone_to_owned()?)?;
    for number in 1..CALLS {
        while area.to_worker().value() != number {
            area.to_worker().wait(number.wrapping_sub(1), None);
        }
        area.to_region().set(number);
        area.to_region().wake();
    }
    Ok(())
}
