//! A remote API on a real socket. It answers according to the path.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A request's first line, its headers in one text, and its body.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) line: String,
    pub(crate) headers: String,
    pub(crate) body: String,
}

/// A remote API. It serves until the test ends.
pub(crate) struct Remote {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// Makes status, headers and body for a request.
pub(crate) type Answer = fn(&Asked) -> (u16, &'static str, String);

impl Remote {
    pub(crate) fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("an address");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || serve(stream, answer, &kept));
            }
        });
        Self { address, asked }
    }

    /// Gives the lines of a connection with this name that leads here.
    pub(crate) fn connection(&self, name: &str) -> String {
        format!("[connections.{name}]\nurl = \"http://{}/v1\"\n", self.address)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no panic").clone()
    }
}

fn serve(stream: TcpStream, answer: Answer, kept: &Mutex<Vec<Asked>>) {
    let mut reader = BufReader::new(stream.try_clone().expect("a handle"));
    let mut writer = stream;
    loop {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            if reader.read_until(b'\n', &mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let head = String::from_utf8(head).expect("a head is ASCII");
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        reader.read_exact(&mut body).expect("the whole body comes");
        let (line, headers) = head.split_once("\r\n").expect("a line");
        let body = String::from_utf8(body).expect("UTF-8");
        let asked = Asked { line: line.to_owned(), headers: headers.to_owned(), body };
        let (status, headers, body) = answer(&asked);
        kept.lock().expect("no panic").push(asked);
        let head = format!("HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n", body.len());
        if writer.write_all((head + &body).as_bytes()).is_err() {
            return;
        }
    }
}
