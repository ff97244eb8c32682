//! A worker that does not keep to what was agreed, for the tests of this crate.

use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::process::ExitCode;
use std::time::Duration;

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags};
use wire::area::Area;
use wire::batch::{BATCH, next_task, put_said};
use wire::bells::{ABOUT_TO_LOOK, AT_THE_BELL, RUNG};
use wire::{Clipped, FromWorker, State, Task, ToWorker, Told};

fn main() -> ExitCode {
    let how = std::env::args().nth(1).unwrap_or_default();
    if how == "ends" {
        return ExitCode::FAILURE;
    }
    let socket = std::io::stdin().as_fd().try_clone_to_owned().expect("a socket");
    let file = shared_memory(&socket);
    let mut area = Area::open(file.try_clone().expect("a file")).expect("an area");
    let wake = |count: usize| rustix::net::send(&socket, &vec![1; count], SendFlags::NOSIGNAL);
    if how == "silent" {
        std::thread::sleep(Duration::from_secs(600));
    }
    let mut ready = Vec::new();
    FromWorker::Ready { notes: Vec::new() }.encode(&mut ready);
    area.write(&ready).expect("room");
    let _ = wake(1);
    let (mut heard, mut boasted) = (0, false);
    loop {
        while area.to_worker().value() == heard {
            area.to_worker().wait(heard, None);
        }
        heard = area.to_worker().value();
        match how.as_str() {
            // The memory cannot go away under the region.
            "shrinks" => {
                assert!(rustix::fs::ftruncate(&file, 0).is_err());
                area.write(&[]).expect("room");
            }
            "length" => {
                rustix::io::pwrite(&file, &u32::MAX.to_le_bytes(), 0).expect("the length");
            }
            "garbage" => area.write(&[b'E', 2, 255, 255, 255, 255]).expect("room"),
            "ready" => area.write(&ready).expect("room"),
            // Many wake-ups for one message.
            "often" => {
                let _ = wake(10_000);
            }
            // A bell that says what no bell says, and one that says that nobody has rung.
            "bell" => area.to_region().set(0xFFFF_FFFF),
            // One that says that the region has not looked yet.
            "unseen" => {
                area.to_region().set(ABOUT_TO_LOOK);
                area.to_region().wake();
                continue;
            }
            "unrung" => {
                area.to_region().set(AT_THE_BELL);
                area.to_region().wake();
                continue;
            }
            // The region is woken again and again, and there is never anything.
            "rattles" => loop {
                area.to_region().wake();
            },
            // It asks for nothing and does not end: it only tells.
            "tells" => {
                let mut told = Vec::new();
                FromWorker::Told(Told::NoDump).encode(&mut told);
                area.write(&told).expect("room");
            }
            // More than it was asked for, of a task that fails.
            "boasts" if !boasted => {
                boasted = true;
                let commarea = Some(Clipped { bytes: 10_000, first: vec![b'x'; 10_000] });
                let mut told = Vec::new();
                let state = Box::new(State { commarea, ..State::default() });
                FromWorker::Told(Told::State(state)).encode(&mut told);
                area.write(&told).expect("room");
            }
            "dies" | "boasts" => return ExitCode::from(9),
            "goes-on" | "passes-over" | "too-many" | "half" | "takes-all" | "shortens" | "tells-and-says" => {
                match answer(&how, &mut area) {
                    Next::Returned if how == "goes-on" => {
                        // The answer comes, and the worker never rests again.
                        if !matches!(area.to_region().replace(RUNG), AT_THE_BELL | ABOUT_TO_LOOK) {
                            let _ = wake(1);
                        }
                        area.to_region().wake();
                        loop {
                            std::hint::spin_loop();
                        }
                    }
                    Next::Ring | Next::Returned => {}
                    Next::Silence => continue,
                    Next::End => return ExitCode::from(9),
                }
            }
            other => panic!("{other} is not known"),
        }
        match how.as_str() {
            "bell" => drop(wake(1)),
            _ => match area.to_region().replace(RUNG) {
                AT_THE_BELL | ABOUT_TO_LOOK => {}
                _ => drop(wake(1)),
            },
        }
        area.to_region().wake();
    }
}

/// The file that the region sends first.
fn shared_memory(socket: &OwnedFd) -> OwnedFd {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    rustix::net::recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::empty())
        .expect("a message");
    let file = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    file.expect("the shared memory")
}

/// What comes after an answer is written.
enum Next {
    Ring,
    /// The same, after a task alone.
    Returned,
    Silence,
    End,
}

/// Answers a task as it should, and a batch in a way in which no worker does.
fn answer(how: &str, area: &mut Area) -> Next {
    let mut message = Vec::new();
    area.read(&mut message).expect("a message");
    match message.first() {
        Some(&BATCH) if how == "shortens" => area.write(&[]).expect("room"),
        Some(&BATCH) => {
            let said = lie(how, area, &message);
            area.append(message.len(), &said).expect("room");
            if how == "takes-all" {
                return Next::Silence;
            }
        }
        _ => {
            let Ok(ToWorker::Task(task)) = ToWorker::decode(&message) else { return Next::End };
            let mut answer = Vec::new();
            FromWorker::Returned(task.interface).encode(&mut answer);
            area.write(&answer).expect("room");
            return Next::Returned;
        }
    }
    Next::Ring
}

/// The messages of a worker that lies about a batch.
fn lie(how: &str, area: &Area, message: &[u8]) -> Vec<u8> {
    let mut left = &message[1..];
    let tasks: Vec<Task> = std::iter::from_fn(|| next_task(&mut left).expect("tasks")).collect();
    while area.turns().take() {}
    let mut said = Vec::new();
    let mut say = |task: &Task| put_said(&mut said, u64::MAX, &FromWorker::Returned(task.interface.clone()));
    match how {
        "passes-over" => say(&tasks[0]),
        "too-many" => tasks.iter().chain(&tasks[..1]).for_each(say),
        "half" => {
            tasks.iter().for_each(say);
            said.truncate(said.len() - 3);
        }
        "tells-and-says" => {
            put_said(&mut said, 0, &FromWorker::Told(Told::NoDump));
            put_said(&mut said, 0, &FromWorker::Returned(tasks[0].interface.clone()));
        }
        _ => {}
    }
    said
}
