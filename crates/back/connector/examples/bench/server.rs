//! The server. It sends the message of each frame back, `repeat` times in one frame. `work_us` is
//! its working time for each request. With `chunk_us` replies go out in pieces.

use std::cell::Cell;
use std::io::Read;
use std::rc::Rc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::LocalSet;

use crate::Options;
use crate::figures::clock_ns;

/// Bytes of one piece of a paced reply: ten full segments.
const CHUNK_BYTES: usize = 14_480;

/// A request that was sent in time may arrive this long after its deadline.
const SLACK_NS: u64 = 2_000_000;

/// How replies are made.
#[derive(Clone, Copy)]
struct How {
    pace: Duration,
    work: Duration,
    repeat: usize,
}

#[derive(Default)]
struct Counts {
    requests: Cell<u64>,
    late: Cell<u64>,
}

pub(crate) async fn run(address: &str, options: &Options) {
    let counts = Rc::new(Counts::default());
    let how = How {
        pace: Duration::from_micros(options.number("chunk_us", 0)),
        work: Duration::from_micros(options.number("work_us", 0)),
        repeat: options.number("repeat", 1) as usize,
    };
    let noted = Rc::clone(&counts);
    listen(address, move |stream| serve(stream, how, Rc::clone(&noted))).await;
    println!("{{\"requests\": {}, \"late\": {}}}", counts.requests.get(), counts.late.get());
}

/// Serves each connection until standard input ends.
pub(crate) async fn listen<F: Future + 'static>(address: &str, serve: impl Fn(TcpStream) -> F) {
    let listener = TcpListener::bind(address).await.expect("the address is free");
    println!("ready");
    let (ended, end) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        let _ = ended.send(());
    });
    let accept = async {
        while let Ok((stream, _)) = listener.accept().await {
            let served = serve(stream);
            tokio::task::spawn_local(async move {
                served.await;
            });
        }
    };
    LocalSet::new()
        .run_until(async {
            tokio::select! { () = accept => {}, _ = end => {} }
        })
        .await;
}

async fn serve(mut stream: TcpStream, how: How, counts: Rc<Counts>) -> Option<()> {
    let How { pace, work, repeat } = how;
    stream.set_nodelay(true).ok()?;
    let mut buffer = Vec::with_capacity(64 * 1024);
    loop {
        if stream.read_buf(&mut buffer).await.ok()? == 0 {
            return None;
        }
        let mut done = 0;
        while let Some(header) = buffer[done..].first_chunk::<4>() {
            let end = done + 4 + u32::from_be_bytes(*header) as usize;
            let Some(frame) = buffer.get(done..end) else { break };
            counts.requests.set(counts.requests.get() + 1);
            if !work.is_zero() {
                // The request begins with its deadline. After that time nobody waits for the reply.
                let deadline = u64::from_be_bytes(frame[4..12].try_into().ok()?);
                counts.late.set(counts.late.get() + u64::from(clock_ns() > deadline + SLACK_NS));
                tokio::time::sleep(work).await;
            }
            let repeated;
            let frame = if repeat == 1 {
                frame
            } else {
                let length = ((frame.len() - 4) * repeat) as u32;
                repeated = [&length.to_be_bytes()[..], &frame[4..].repeat(repeat)].concat();
                &repeated[..]
            };
            if pace.is_zero() {
                stream.write_all(frame).await.ok()?;
            } else {
                paced(&mut stream, frame, pace).await?;
            }
            done = end;
        }
        buffer.drain(..done);
    }
}

/// Writes pieces at a rate, as a link would bring them. It does not sleep, because the server has
/// its own core.
async fn paced(stream: &mut TcpStream, frame: &[u8], pace: Duration) -> Option<()> {
    let mut due = clock_ns();
    for piece in frame.chunks(CHUNK_BYTES) {
        while clock_ns() < due {
            std::hint::spin_loop();
        }
        stream.write_all(piece).await.ok()?;
        due += pace.as_nanos() as u64;
    }
    Some(())
}
