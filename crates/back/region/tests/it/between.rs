//! Somebody who stands between two regions, sees what they say to each other, and strikes at a moment of its choice.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

use region::link::frame::{self, Frames};
use region::link::message::Message;

/// What happens to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It goes on.
    Passes,
    /// It is lost, with the connection.
    Lost,
}

type Judge = Arc<Mutex<dyn FnMut(&Message) -> Fate + Send>>;

/// Takes connections at `at` on to `to`; `judge` sees each message before it goes on.
pub(crate) fn stand_between(at: &Path, to: &Path, judge: impl FnMut(&Message) -> Fate + Send + 'static) {
    let judge: Judge = Arc::new(Mutex::new(judge));
    let listener = UnixListener::bind(at).expect("a socket");
    let to = to.to_owned();
    std::thread::spawn(move || {
        for came in listener.incoming() {
            let Ok(came) = came else { continue };
            // Whoever is not there cannot be reached through us either.
            let Ok(goes) = UnixStream::connect(&to) else { continue };
            let copies = (came.try_clone().expect("a socket"), goes.try_clone().expect("a socket"));
            let (there, back) = (judge.clone(), judge.clone());
            std::thread::spawn(move || pass(came, goes, &there));
            std::thread::spawn(move || pass(copies.1, copies.0, &back));
        }
    });
}

fn pass(mut from: UnixStream, mut to: UnixStream, judge: &Judge) {
    let mut frames = Frames::new(1 << 24);
    let mut bytes = [0; 65_536];
    'connection: while let Ok(count @ 1..) = from.read(&mut bytes) {
        frames.room().extend(&bytes[..count]);
        while let Ok(Some(message)) = frames.next_message() {
            let fate = judge.lock().expect("no holder panics")(&message);
            let mut passed = Vec::new();
            frame::put(&mut passed, &message);
            if fate == Fate::Lost || to.write_all(&passed).is_err() {
                break 'connection;
            }
        }
    }
    for socket in [from, to] {
        let _ = socket.shutdown(std::net::Shutdown::Both);
    }
}
