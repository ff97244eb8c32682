//! A relay between the clients and the broker that adds to each round trip, as a long way would.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes, and when they are to arrive.
type Piece = (Instant, Vec<u8>);

/// Starts a relay to an address; where it listens. Each direction takes half of `round_trip`. It ends with the process.
pub(crate) fn start(to: SocketAddr, round_trip: Duration) -> Result<SocketAddr, String> {
    let failed = |error: std::io::Error| format!("no relay to {to}: {error}");
    let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    thread::spawn(move || {
        for near in listener.incoming().flatten() {
            if let Err(error) = connect(near, to, round_trip / 2) {
                eprintln!("queues: the relay: {error}");
            }
        }
    });
    Ok(address)
}

fn connect(near: TcpStream, to: SocketAddr, delay: Duration) -> std::io::Result<()> {
    let far = TcpStream::connect(to)?;
    for stream in [&near, &far] {
        stream.set_nodelay(true)?;
    }
    for (from, to) in [(near.try_clone()?, far.try_clone()?), (far, near)] {
        let (sender, receiver) = channel();
        thread::spawn(move || read(from, &sender, delay));
        thread::spawn(move || write(to, &receiver));
    }
    Ok(())
}

fn read(mut from: TcpStream, pieces: &Sender<Piece>, delay: Duration) {
    let mut buffer = [0; 64 * 1024];
    while let Ok(count) = from.read(&mut buffer) {
        let piece = (Instant::now() + delay, buffer[..count].to_vec());
        if count == 0 || pieces.send(piece).is_err() {
            return;
        }
    }
}

fn write(mut to: TcpStream, pieces: &Receiver<Piece>) {
    for (due, bytes) in pieces {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        if to.write_all(&bytes).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_arrive_whole_and_no_sooner_than_they_may() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = start(server.local_addr().unwrap(), Duration::from_millis(40)).unwrap();
        let mut client = TcpStream::connect(address).unwrap();
        let (mut served, _) = server.accept().unwrap();
        let begun = Instant::now();
        client.write_all(b"there").unwrap();
        let mut found = [0; 5];
        served.read_exact(&mut found).unwrap();
        served.write_all(b"again").unwrap();
        client.read_exact(&mut found).unwrap();
        assert_eq!(&found, b"again");
        assert!(begun.elapsed() >= Duration::from_millis(40));
        drop(served);
        assert_eq!(client.read(&mut found).unwrap(), 0, "the end passes, too");
    }
}
