//! Clients without a group: one blocks, the other is written by hand over tokio.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::figures::{Counts, window};
use crate::{Options, messages};

/// Frames of requests with the frames of their replies. The server repeats each request `repeat`
/// times in its reply.
type Frames = Arc<Vec<(Vec<u8>, Vec<u8>)>>;

fn frames(options: &Options) -> Frames {
    let framed = |message: Vec<u8>| [&(message.len() as u32).to_be_bytes()[..], &message].concat();
    let repeat = options.number("repeat", 1) as usize;
    let both = |message: Vec<u8>| (framed(message.clone()), framed(message.repeat(repeat)));
    Arc::new(messages(options).into_iter().map(both).collect())
}

/// Runs a thread with blocking calls for each connection.
pub(crate) fn blocking(options: &Options) {
    let (addresses, frames, counts) = (options.addresses(), frames(options), Arc::new(Counts::default()));
    for number in 0..options.number("in_flight", 1) as usize {
        let (address, frames) = (addresses[number % addresses.len()], Arc::clone(&frames));
        let counts = Arc::clone(&counts);
        std::thread::spawn(move || {
            let mut stream = TcpStream::connect(address).expect("the server listens");
            stream.set_nodelay(true).expect("set");
            let mut reply = vec![0; frames[0].1.len()];
            for (frame, expected) in frames.iter().cycle().skip(number) {
                stream.write_all(frame).and_then(|()| stream.read_exact(&mut reply)).expect("a reply");
                counts.compare(&reply, expected);
            }
        });
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(window(&counts, options, tokio::time::sleep));
}

/// Runs a task for each connection. It writes once and reads until the reply is whole.
pub(crate) async fn direct(options: &Options) {
    let (addresses, frames, counts) = (options.addresses(), frames(options), Arc::new(Counts::default()));
    for number in 0..options.number("in_flight", 1) as usize {
        let address = addresses[number % addresses.len()];
        tokio::spawn(ask(address, (Arc::clone(&frames), number), Arc::clone(&counts)));
    }
    window(&counts, options, tokio::time::sleep).await;
}

async fn ask(address: SocketAddr, (frames, first): (Frames, usize), counts: Arc<Counts>) {
    let mut stream = tokio::net::TcpStream::connect(address).await.expect("the server listens");
    stream.set_nodelay(true).expect("set");
    // Read 64 KB at a time, the usual size.
    let mut reply = Vec::with_capacity(frames[0].1.len());
    for (frame, expected) in frames.iter().cycle().skip(first) {
        if stream.write_all(frame).await.is_err() {
            counts.errors.fetch_add(1, Ordering::Relaxed);
            return;
        }
        reply.clear();
        while reply.len() < expected.len() {
            let wanted = (expected.len() - reply.len()).min(64 * 1024);
            let read = (&mut stream).take(wanted as u64).read_buf(&mut reply).await;
            if !matches!(read, Ok(1..)) {
                counts.errors.fetch_add(1, Ordering::Relaxed);
                return;
            }
        }
        counts.compare(&reply, expected);
    }
}
