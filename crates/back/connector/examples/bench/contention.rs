//! Many senders on one connection. Compares three ways: a lock around building and writing, a lock
//! around writing alone, and a group. Also measures short requests beside long ones on one
//! connection.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use connector::framing::{FrameType, Framing, Label, Scan};
use connector::parts::Parts;
use connector::{Call, Group};
use socket2::SockRef;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{Mutex, Notify};

use crate::figures::{Counts, window};
use crate::group::start;
use crate::server::listen;
use crate::{Options, messages};

/// Bytes of a message, at most.
const MESSAGE_MAX_BYTES: usize = 16 << 20;

/// Bytes of a frame of the server's replies, its header included.
const PART_BYTES: usize = 64 * 1024 - 16;

/// Bytes that wait in the server's kernel. A short reply cannot pass them.
const NOTSENT_LOW_WATER_BYTES: u32 = 128 * 1024;

/// Longest time of a call in a benchmark.
const LONG: Duration = Duration::from_secs(30);

/// The work of a sender before it frames a message: it passes all bytes through a table, as for
/// code pages.
fn built(message: &[u8]) -> Vec<u8> {
    message.iter().map(|byte| TABLE[usize::from(*byte)]).collect()
}

const TABLE: [u8; 256] = {
    let (mut table, mut at) = ([0; 256], 0);
    while at < 256 {
        table[at] = (at as u8).rotate_left(3) ^ 0x5a;
        at += 1;
    }
    table
};

/// The messages of senders. The first byte is the number of the message.
fn numbered(options: &Options) -> Vec<Vec<u8>> {
    let mut all = messages(options);
    (0..).zip(&mut all).for_each(|(number, message)| message[0] = number);
    all
}

/// Sends one-way messages. `how` is `under` (build and write under the lock), `outside` (build
/// before the lock) or `group`.
pub(crate) async fn senders(options: &Options) {
    let (messages, counts) = (Arc::new(numbered(options)), Arc::new(Counts::default()));
    let (count, noted) = (options.number("senders", 32) as usize, Arc::clone(&counts));
    match options.word("how") {
        "group" => {
            let (_groups, group) = group(options, count);
            spread(options, move |number| {
                let (group, messages, counts) =
                    (Arc::clone(&group), Arc::clone(&messages), Arc::clone(&noted));
                async move {
                    for message in messages.iter().cycle().skip(number) {
                        let begun = Instant::now();
                        let sent = group.send(built(message), call(true)).await;
                        counts.sent(sent.is_ok(), begun.elapsed());
                    }
                }
            });
            window(&counts, options, tokio::time::sleep).await;
        }
        how => {
            let is_under = how == "under";
            let stream = TcpStream::connect(options.addresses()[0]).await.expect("the server listens");
            stream.set_nodelay(true).expect("set");
            let stream = Arc::new(Mutex::new(stream));
            spread(options, move |number| {
                let (stream, messages, counts) =
                    (Arc::clone(&stream), Arc::clone(&messages), Arc::clone(&noted));
                async move {
                    for message in messages.iter().cycle().skip(number) {
                        let begun = Instant::now();
                        let is_sent = locked(&stream, message, is_under, &counts).await;
                        counts.sent(is_sent, begun.elapsed());
                    }
                }
            });
            window(&counts, options, tokio::time::sleep).await;
        }
    }
}

/// Spreads the senders over this thread and further threads. Each thread has its own runtime.
fn spread<F: Future<Output = ()> + Send + 'static>(
    options: &Options,
    sender: impl Fn(usize) -> F + Clone + Send + 'static,
) {
    let (threads, count) = (options.number("threads", 1) as usize, options.number("senders", 32) as usize);
    for thread in 1..threads {
        let sender = sender.clone();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                (thread..count).step_by(threads).for_each(|number| drop(tokio::spawn(sender(number))));
                std::future::pending::<()>().await;
            });
        });
    }
    (0..count).step_by(threads).for_each(|number| drop(tokio::spawn(sender(number))));
}

/// Sends a message under the lock of the connection.
async fn locked(stream: &Mutex<TcpStream>, message: &[u8], is_under: bool, counts: &Counts) -> bool {
    let label = Label { frame_type: FrameType::OneWay, ..Label::default() };
    let framed = || {
        let message = built(message);
        let around = Framing::Gantry.write(&message, label).expect("a frame");
        [around.header(), &message].concat()
    };
    let before = if is_under { None } else { Some(framed()) };
    let mut stream = stream.lock().await;
    let frame = before.unwrap_or_else(framed);
    let mut left = &frame[..];
    while !left.is_empty() {
        counts.writes.fetch_add(1, Ordering::Relaxed);
        match stream.write(left).await {
            Ok(written @ 1..) => left = &left[written..],
            _ => return false,
        }
    }
    true
}

/// Sends short requests from `senders` callers beside long requests, all on one connection.
pub(crate) async fn beside(options: &Options) {
    let (callers, large) = (options.number("senders", 8) as usize, options.number("large", 1) as usize);
    let (_groups, group) = group(options, callers + large);
    let (messages, counts) = (Arc::new(messages(options)), Arc::new(Counts::default()));
    let long = Arc::new(messages.concat().repeat(options.number("repeat", 128) as usize));
    for number in 0..callers + large {
        let (group, messages, counts) = (Arc::clone(&group), Arc::clone(&messages), Arc::clone(&counts));
        let long = (number >= callers).then(|| Arc::clone(&long));
        tokio::spawn(async move {
            for short in messages.iter().cycle().skip(number) {
                let message = long.as_deref().unwrap_or(short);
                let begun = Instant::now();
                match (group.send(message.clone(), call(false)).await, &long) {
                    (Ok(reply), None) => {
                        counts.took(begun.elapsed());
                        counts.compare(&reply, message);
                    }
                    (Ok(reply), Some(_)) if reply == *message => {
                        counts.large.fetch_add(1, Ordering::Relaxed);
                    }
                    (Ok(_), Some(_)) => drop(counts.wrong.fetch_add(1, Ordering::Relaxed)),
                    (Err(_), _) => drop(counts.errors.fetch_add(1, Ordering::Relaxed)),
                }
            }
        });
    }
    window(&counts, options, tokio::time::sleep).await;
}

/// A group with one connection. It may have `in_flight` requests under way.
fn group(options: &Options, in_flight: usize) -> (connector::Groups, Arc<Group>) {
    let lines = format!(
        "framing = \"gantry\"\nin_flight_max = {in_flight}\nframe_max_bytes = {MESSAGE_MAX_BYTES}\nconnect_timeout_ms = 5000\n"
    );
    start(&options.addresses()[..1], (&lines, "max_sockets = 1"))
}

fn call(is_one_way: bool) -> Call<'static> {
    Call { endpoint: None, deadline: Instant::now() + LONG, is_idempotent: false, is_one_way }
}

/// The server. It compares one-way messages with the expected bytes. It sends requests back in
/// parts that take turns.
pub(crate) async fn sink(address: &str, options: &Options) {
    let expected: Rc<Vec<Vec<u8>>> =
        Rc::new(numbered(options).iter().map(|message| built(message)).collect());
    let counts = Rc::new(Counts::default());
    let noted = Rc::clone(&counts);
    listen(address, move |stream| serve(stream, (Rc::clone(&expected), Rc::clone(&noted)))).await;
    let [messages, wrong] = [&counts.replies, &counts.wrong].map(|count| count.load(Ordering::Relaxed));
    println!("{{\"messages\": {messages}, \"wrong\": {wrong}}}");
}

/// Replies of a connection that still wait to be written.
#[derive(Default)]
struct Line {
    waiting: std::cell::RefCell<VecDeque<(Label, Vec<u8>, usize)>>,
    filled: Notify,
}

async fn serve(stream: TcpStream, (expected, counts): (Rc<Vec<Vec<u8>>>, Rc<Counts>)) {
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let _ = SockRef::from(&stream).set_tcp_notsent_lowat(NOTSENT_LOW_WATER_BYTES);
    let (reader, writer) = stream.into_split();
    let line = Rc::new(Line::default());
    tokio::select! {
        _ = read(reader, &line, (&expected, &counts)) => {}
        _ = write(writer, &line) => {}
    }
}

async fn read(
    mut reader: OwnedReadHalf,
    line: &Line,
    (expected, counts): (&[Vec<u8>], &Counts),
) -> Option<()> {
    let (mut buffer, mut parts) = (Vec::with_capacity(1 << 20), Parts::new(MESSAGE_MAX_BYTES));
    loop {
        if reader.read_buf(&mut buffer).await.ok()? == 0 {
            return None;
        }
        let mut done = 0;
        while let Scan::Frame { message, end, label } =
            Framing::Gantry.scan(&buffer[done..], MESSAGE_MAX_BYTES).ok()?
        {
            let part = &buffer[done + message.start..done + message.end];
            done += end;
            match label.frame_type {
                FrameType::OneWay if !label.goes_on => {
                    let is_right = |of: &Vec<u8>| of[..] == *part;
                    let is_known = part
                        .first()
                        .is_some_and(|first| expected.iter().any(|of| of[0] == *first && is_right(of)));
                    counts.count(is_known);
                }
                FrameType::Heartbeat => {
                    line.put(Label { frame_type: FrameType::HeartbeatAck, ..label }, Vec::new());
                }
                FrameType::Request => {
                    if let Some(whole) = parts.take(label, part).ok()? {
                        line.put(Label { frame_type: FrameType::Reply, ..label }, whole);
                    }
                }
                _ => return None,
            }
        }
        buffer.drain(..done);
    }
}

impl Line {
    fn put(&self, label: Label, message: Vec<u8>) {
        self.waiting.borrow_mut().push_back((label, message, 0));
        self.filled.notify_one();
    }
}

async fn write(mut writer: OwnedWriteHalf, line: &Line) -> Option<()> {
    loop {
        let next = line.waiting.borrow_mut().pop_front();
        let Some((label, message, at)) = next else {
            line.filled.notified().await;
            continue;
        };
        let end = message.len().min(at + PART_BYTES);
        let goes_on = end < message.len();
        let around = Framing::Gantry.write(&message[at..end], Label { goes_on, ..label }).ok()?;
        let frame = [around.header(), &message[at..end]].concat();
        writer.write_all(&frame).await.ok()?;
        if goes_on {
            line.waiting.borrow_mut().push_back((label, message, end));
        }
    }
}
