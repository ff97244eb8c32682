//! A server of frames that behaves as each request says, and a group for it.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use connector::balance::{Policy, Role};
use connector::framing::{Framing, Length, Order, Width};
use connector::{Call, EjectionSettings, EndpointSettings, GroupSettings, SocketSettings};
use waiting::Pauses;

/// A server. The first word of a request is a command. Other requests get the server's name and the
/// request back.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) requests: Arc<AtomicUsize>,
    stopped: Arc<AtomicBool>,
    connections: Arc<Mutex<Vec<TcpStream>>>,
}

impl Server {
    pub(crate) fn start(name: &'static str) -> Self {
        Self::on(name, "127.0.0.1:0")
    }

    pub(crate) fn on(name: &'static str, address: &str) -> Self {
        let listener = TcpListener::bind(address).expect("a port");
        let address = listener.local_addr().expect("an address");
        let (requests, stopped) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let connections = Arc::new(Mutex::new(Vec::new()));
        let server = Self { address, requests, stopped, connections };
        let (requests, stopped, connections) =
            (Arc::clone(&server.requests), Arc::clone(&server.stopped), Arc::clone(&server.connections));
        thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                connections.lock().expect("the list").push(stream.try_clone().expect("a socket"));
                let requests = Arc::clone(&requests);
                thread::spawn(move || while answer(&stream, name, &requests).is_some() {});
            }
        });
        server
    }

    /// Ends like a killed process: nobody listens any more, and all connections are closed.
    pub(crate) fn kill(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wait until the listening thread has seen it.
        while TcpStream::connect(self.address).is_ok() {
            thread::sleep(Duration::from_millis(1));
        }
        for connection in self.connections.lock().expect("the list").drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
    }

    /// The connections that have come.
    pub(crate) fn connections(&self) -> usize {
        self.connections.lock().expect("the list").len()
    }

    pub(crate) fn count(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

fn answer(mut stream: &TcpStream, name: &str, requests: &AtomicUsize) -> Option<()> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).ok()?;
    let mut request = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut request).ok()?;
    requests.fetch_add(1, Ordering::SeqCst);
    let text = String::from_utf8_lossy(&request).into_owned();
    let mut reply = format!("{name} {text}").into_bytes();
    match text.split(' ').next()? {
        "break" => {
            let _ = stream.shutdown(Shutdown::Both);
            return None;
        }
        "slow" => thread::sleep(Duration::from_millis(text.split(' ').nth(1)?.parse().ok()?)),
        "long" => {
            stream.write_all(&[0x7f, 0, 0, 0]).ok()?;
            return Some(());
        }
        "short" => {
            stream.write_all(&[0, 0, 0, 9, 1]).ok()?;
            let _ = stream.shutdown(Shutdown::Both);
            return None;
        }
        "paced" | "stalled" => {
            let bytes = text.split(' ').nth(1)?.parse().ok()?;
            let sent = if text.starts_with("paced") { bytes } else { bytes / 2 };
            stream.write_all(&(bytes as u32).to_be_bytes()).ok()?;
            for piece in vec![b'x'; sent].chunks(14_480) {
                stream.write_all(piece).ok()?;
                thread::sleep(Duration::from_micros(200));
            }
            return Some(());
        }
        // Send a length and only a few of the announced bytes.
        "announced" => {
            let bytes: u32 = text.split(' ').nth(1)?.parse().ok()?;
            stream.write_all(&[&bytes.to_be_bytes()[..], &[b'x'; 1_000]].concat()).ok()?;
            return Some(());
        }
        "large" => reply = vec![b'x'; text.split(' ').nth(1)?.parse().ok()?],
        _ => {}
    }
    let more: &[u8] = if text == "extra" { b"nobody asked" } else { b"" };
    let frame = [&(reply.len() as u32).to_be_bytes()[..], &reply, more].concat();
    stream.write_all(&frame).ok()
}

pub(crate) fn endpoint(name: &str, role: Role, address: SocketAddr) -> EndpointSettings {
    EndpointSettings {
        name: name.to_owned(),
        role,
        destination: address.to_string(),
        start_sockets: 0,
        max_sockets: 4,
        weight: 1.0,
    }
}

pub(crate) fn settings(endpoints: Vec<EndpointSettings>) -> GroupSettings {
    GroupSettings {
        name: "GROUP".to_owned(),
        endpoints,
        framing: Framing::Length(Length { width: Width::Four, inclusive: false, order: Order::Big }),
        frame_max_bytes: 1 << 20,
        receive_max_bytes: 256 << 20,
        queue_max: 2,
        queue_threshold_percent: 80,
        sync_timeout: None,
        in_flight_max: 1,
        heartbeat_interval: None,
        heartbeat: None,
        tls: None,
        rate: None,
        sockets: SocketSettings::default(),
        connect_timeout: Duration::from_secs(2),
        idle_timeout: Duration::from_secs(60),
        policy: Policy::LeastLoaded,
        slow_start: Duration::ZERO,
        backup_when_full: true,
        fail_fast: false,
        ejection: EjectionSettings { failures: 0, percent_max: 50, time: Duration::from_secs(10) },
        reconnect: Pauses { first: Duration::from_millis(20), longest: Duration::from_millis(100) },
        retry_percent: 10,
    }
}

/// A call that has this much time.
pub(crate) fn within(ms: u64) -> Call<'static> {
    let deadline = Instant::now() + Duration::from_millis(ms);
    Call { endpoint: None, deadline, is_idempotent: false, is_one_way: false }
}

/// Longer than any machine needs.
pub(crate) const LONG: u64 = 60_000;
