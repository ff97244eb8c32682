//! Tests HTTP/2 clients that do not take their answers. The tests write the frames.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::folder::{ECHO_ANSWER, ECHO_REQUEST, Folder};
use crate::process::Gantry;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;
const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// The document of an API: an answer of some thousand bytes.
const DOCUMENT: &str = "/echo/openapi.json";

/// A connection. The test sets the windows of its streams.
struct Peer(TcpStream);

#[derive(Debug)]
struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    payload: Vec<u8>,
}

impl Peer {
    fn connect(address: SocketAddr, window: u32) -> Self {
        let stream = TcpStream::connect(address).expect("the gateway accepts");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a timeout can be set");
        let mut peer = Self(stream);
        peer.0.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").expect("the gateway reads");
        let mut settings = vec![0, 4];
        settings.extend(window.to_be_bytes());
        peer.send(SETTINGS, 0, (0, &settings));
        peer
    }

    fn send(&mut self, kind: u8, flags: u8, (stream, payload): (u32, &[u8])) {
        let mut frame = u32::try_from(payload.len()).expect("a small frame").to_be_bytes()[1..].to_vec();
        frame.extend([kind, flags]);
        frame.extend(stream.to_be_bytes());
        frame.extend(payload);
        // The gateway may have closed the connection. Then the next read shows it.
        let _ = self.0.write_all(&frame);
    }

    fn get(&mut self, stream: u32, path: &str) {
        let mut block = Vec::new();
        for (name, value) in
            [(":method", "GET"), (":scheme", "http"), (":authority", "localhost"), (":path", path)]
        {
            block.push(0);
            for text in [name, value] {
                block.push(u8::try_from(text.len()).expect("a short text"));
                block.extend(text.as_bytes());
            }
        }
        self.send(HEADERS, END_STREAM | END_HEADERS, (stream, &block));
    }

    fn open_window(&mut self, stream: u32, bytes: u32) {
        self.send(WINDOW_UPDATE, 0, (stream, &bytes.to_be_bytes()));
    }

    /// Gives the next frame, or none if the connection is closed. Answers pings and settings.
    fn frame(&mut self) -> Option<Frame> {
        loop {
            let mut head = [0; 9];
            self.0.read_exact(&mut head).ok()?;
            let length = usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
            let mut payload = vec![0; length];
            self.0.read_exact(&mut payload).ok()?;
            let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
            let frame = Frame { kind: head[3], flags: head[4], stream, payload };
            match frame.kind {
                PING if frame.flags & ACK == 0 => self.send(PING, ACK, (0, &frame.payload)),
                SETTINGS if frame.flags & ACK == 0 => self.send(SETTINGS, ACK, (0, &[])),
                _ => return Some(frame),
            }
        }
    }

    /// Reads to the end of a stream. For each frame of data it opens the window by `grant` bytes.
    /// Gives the bytes, and whether the gateway gave the stream up.
    fn take(&mut self, stream: u32, grant: u32) -> (Vec<u8>, bool) {
        let mut taken = Vec::new();
        loop {
            let frame = self.frame().expect("the connection is open");
            if frame.stream != stream {
                continue;
            }
            match frame.kind {
                RESET => return (taken, true),
                DATA => taken.extend(&frame.payload),
                _ => {}
            }
            if frame.kind != WINDOW_UPDATE && frame.flags & END_STREAM != 0 {
                return (taken, false);
            }
            if grant > 0 {
                // The client is slower than the gateway.
                std::thread::sleep(Duration::from_millis(2));
                self.open_window(stream, grant);
            }
        }
    }
}

fn gantry(limits: &str) -> (Folder, Gantry) {
    let folder = Folder::echo(&format!("[limits]\nheader_read_timeout_ms = 500\n{limits}"));
    let gantry = Gantry::folder(folder.path());
    (folder, gantry)
}

#[test]
fn an_answer_that_nobody_takes_ends_alone() {
    let (_folder, gantry) = gantry("response_write_timeout_ms = 1500\n");
    let mut peer = Peer::connect(gantry.address(), 0);
    peer.get(1, DOCUMENT);
    // The client answers pings meanwhile.
    let (taken, given_up) = peer.take(1, 0);
    assert!(given_up && taken.is_empty());
    // The connection still serves.
    peer.get(3, "/nowhere");
    peer.open_window(3, 1000);
    let (taken, given_up) = peer.take(3, 0);
    assert!(!given_up && taken.starts_with(b"{\"errorMessage\""));
    assert_eq!(gantry.metric("gantry_answers_not_taken_total"), 1.0);
    assert_eq!(gantry.metric("gantry_answers_waiting_bytes"), 0.0);
}

#[test]
fn an_answer_that_is_taken_byte_by_byte_ends() {
    let (_folder, gantry) = gantry("response_write_timeout_ms = 400\n");
    for path in [DOCUMENT, "/nowhere"] {
        let mut peer = Peer::connect(gantry.address(), 1);
        peer.get(1, path);
        let mut taken = 0;
        let given_up = loop {
            let frame = peer.frame().expect("the connection is open");
            match frame.kind {
                RESET => break true,
                DATA if frame.flags & END_STREAM != 0 => break false,
                DATA => {
                    taken += frame.payload.len();
                    std::thread::sleep(Duration::from_millis(50));
                    peer.open_window(1, 1);
                }
                _ => {}
            }
        };
        assert!(given_up && taken > 0, "{path}: {taken} bytes");
    }
}

#[test]
fn a_slow_client_that_takes_enough_gets_all() {
    let (_folder, gantry) = gantry("response_write_timeout_ms = 2000\n");
    let whole = gantry.get(DOCUMENT).body;
    let mut peer = Peer::connect(gantry.address(), 10);
    peer.get(1, DOCUMENT);
    let (taken, given_up) = peer.take(1, 700);
    assert!(!given_up);
    assert_eq!(taken, whole);
}

#[test]
fn a_connection_with_many_answers_that_nobody_takes_ends() {
    let (_folder, gantry) = gantry("response_write_timeout_ms = 300\nhttp2_stalled_streams_max = 2\n");
    let mut peer = Peer::connect(gantry.address(), 0);
    for stream in [1, 3, 5] {
        peer.get(stream, DOCUMENT);
    }
    while peer.frame().is_some() {}
    while gantry.metric("gantry_connections") > 0.0 {}
    gantry.request(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
}

#[test]
fn all_answers_that_wait_are_bounded_together() {
    let limits = "response_waiting_max_bytes = 65536\nhttp2_stalled_streams_max = 1000\n";
    let (_folder, gantry) = gantry(limits);
    let one = gantry.get(DOCUMENT).body.len();
    let fit = 65536 / one;
    let mut peer = Peer::connect(gantry.address(), 0);
    for number in 0..=fit {
        peer.get(2 * u32::try_from(number).expect("few") + 1, DOCUMENT);
    }
    // One answer more than fits ends at once, long before the time-out.
    while peer.frame().expect("the connection is open").kind != RESET {}
    assert!(gantry.metric("gantry_answers_waiting_bytes") <= 65536.0);
    // A client that takes its answers gets them.
    gantry.request(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
    assert_eq!(gantry.get(DOCUMENT).body.len(), one);
}
