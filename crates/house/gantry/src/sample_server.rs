//! Sample servers for the example `connector`: processes of this binary that end with the gateway.
//!
//! A server answers frames with a length of four bytes in front, or frames of Gantry's own framing.
//! The answer has its name, the number of answered requests, and the reversed text of the request.
//! All are in code page 037.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use clap::{Args, ValueEnum};
use connector::framing::{FrameType, Framing, Label, Length, Order, Scan, Width};
use settings::Files;

/// The example with servers.
const EXAMPLE: &str = "connector";

/// The servers of its descriptor.
const SERVERS: [(&str, &str); 2] = [("PRCRYP1", "127.0.0.1:15000"), ("BKCRYP1", "127.0.0.1:15001")];

/// The bytes of the server's name.
const NAME_BYTES: usize = 8;

/// The bytes of the text.
const TEXT_BYTES: usize = 20;

/// Bytes of a frame, at most.
const FRAME_MAX_BYTES: usize = 64;

/// How requests stand in the stream.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum FramingWord {
    /// A length of four bytes in front.
    Length,
    /// Gantry's own, with heartbeats.
    Gantry,
}

/// The arguments of a server.
#[derive(Debug, Args)]
pub(crate) struct SampleServerArgs {
    /// Its name: 1 to 8 letters and digits.
    name: String,
    /// Where it listens.
    address: SocketAddr,
    /// How requests stand in the stream.
    #[arg(long, value_enum, default_value = "length")]
    framing: FramingWord,
    /// End when standard input ends.
    #[arg(long)]
    attached: bool,
}

/// Serves until the process ends.
pub(crate) fn run(args: &SampleServerArgs) -> Result<(), String> {
    let name = name(&args.name)?;
    let describe = |error: io::Error| format!("the sample server {}: {}: {error}", args.name, args.address);
    let listener = TcpListener::bind(args.address).map_err(describe)?;
    // Perhaps nobody reads it.
    let _ = writeln!(io::stdout(), "{} listens on {}", args.name, args.address);
    if args.attached {
        thread::spawn(|| {
            let _ = io::copy(&mut io::stdin(), &mut io::sink());
            std::process::exit(0);
        });
    }
    let count = Arc::new(AtomicU32::new(0));
    let framing = match args.framing {
        FramingWord::Length => {
            Framing::Length(Length { width: Width::Four, inclusive: false, order: Order::Big })
        }
        FramingWord::Gantry => Framing::Gantry,
    };
    loop {
        let (stream, _) = listener.accept().map_err(describe)?;
        let (count, framing) = (Arc::clone(&count), framing.clone());
        // A connection ends when its client closes it.
        thread::spawn(move || serve(stream, &framing, |request| reply(request, name, &count)));
    }
}

/// The name in code page 037.
fn name(given: &str) -> Result<[u8; NAME_BYTES], String> {
    let mut name = [0x40; NAME_BYTES];
    if given.is_empty() || given.len() > NAME_BYTES {
        return Err(format!("expected a name of 1 to {NAME_BYTES} letters and digits"));
    }
    for (at, byte) in given.bytes().enumerate() {
        name[at] = match byte {
            b'0'..=b'9' => 0xF0 + (byte - b'0'),
            b'A'..=b'I' => 0xC1 + (byte - b'A'),
            b'J'..=b'R' => 0xD1 + (byte - b'J'),
            b'S'..=b'Z' => 0xE2 + (byte - b'S'),
            _ => return Err(format!("expected upper case letters and digits, found '{given}'")),
        };
    }
    Ok(name)
}

/// Answers the requests of one connection. Requests that came together are answered together.
fn serve(
    mut stream: TcpStream,
    framing: &Framing,
    reply: impl Fn(&[u8]) -> Option<Vec<u8>>,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let invalid = || io::Error::from(io::ErrorKind::InvalidData);
    let (mut bytes, mut out, mut read) = (Vec::new(), Vec::new(), [0; 4_096]);
    loop {
        let mut at = 0;
        while let Scan::Frame { message, end, label } =
            framing.scan(&bytes[at..], FRAME_MAX_BYTES).map_err(|_| invalid())?
        {
            let request = &bytes[at + message.start..at + message.end];
            let (frame_type, answer) = match label.frame_type {
                FrameType::Heartbeat => (FrameType::HeartbeatAck, Vec::new()),
                // A request is short, so it has only one part.
                FrameType::Request if !label.goes_on => {
                    (FrameType::Reply, reply(request).ok_or_else(invalid)?)
                }
                _ => return Err(invalid()),
            };
            let around = framing.write(&answer, Label { frame_type, ..label }).map_err(|_| invalid())?;
            out.extend([around.header(), &answer, around.trailer()].concat());
            at += end;
        }
        bytes.drain(..at);
        stream.write_all(&out)?;
        out.clear();
        match stream.read(&mut read)? {
            0 => return Ok(()),
            count => bytes.extend_from_slice(&read[..count]),
        }
    }
}

/// The reply to a request; none if it is not a text of the right length.
fn reply(request: &[u8], name: [u8; NAME_BYTES], count: &AtomicU32) -> Option<Vec<u8>> {
    let mut text = <[u8; TEXT_BYTES]>::try_from(request).ok()?;
    let end = text.iter().rposition(|byte| *byte != 0x40).map_or(0, |last| last + 1);
    text[..end].reverse();
    let number = count.fetch_add(1, Ordering::Relaxed) + 1;
    Some([&name[..], &number.to_be_bytes(), &text].concat())
}

/// The servers of an example. They end when this is dropped, or when the process ends for any
/// reason.
#[derive(Debug, Default)]
pub(crate) struct SampleServers(Vec<(&'static str, Child)>);

impl SampleServers {
    /// Starts the servers of the example; none for other configurations.
    pub(crate) fn of(files: &Files) -> Result<Self, String> {
        let mut servers = Self::default();
        if !matches!(files, Files::Example(name, _) if name == EXAMPLE) {
            return Ok(servers);
        }
        for (name, address) in SERVERS {
            let describe = |error: io::Error| format!("the sample server {name} cannot be started: {error}");
            let mut child = Command::new(std::env::current_exe().map_err(describe)?)
                .args(["sample-server", name, address, "--attached"])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .map_err(describe)?;
            let stdout = child.stdout.take();
            servers.0.push((name, child));
            // If it does not listen, it has printed the reason on standard error.
            let mut line = String::new();
            let read = stdout.map(|stdout| BufReader::new(stdout).read_line(&mut line));
            if !matches!(read, Some(Ok(bytes)) if bytes > 0) {
                return Err(format!("the sample server {name} does not serve on {address}"));
            }
        }
        Ok(servers)
    }

    /// A text with the process ids of the servers in place of `{pid NAME}`.
    pub(crate) fn named(&self, text: &str) -> String {
        let replaced = |text: String, (name, child): &(&str, Child)| {
            text.replace(&format!("{{pid {name}}}"), &child.id().to_string())
        };
        self.0.iter().fold(text.to_owned(), replaced)
    }
}

impl Drop for SampleServers {
    fn drop(&mut self) {
        for (_, child) in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_heartbeats_of_gantrys_framing_are_answered() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let mut client =
            TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
        let (stream, _) = listener.accept().expect("a connection");
        let server = thread::spawn(move || {
            let count = AtomicU32::new(0);
            serve(stream, &Framing::Gantry, |request| reply(request, [0xC1; NAME_BYTES], &count))
        });
        let frame = |frame_type, correlation, message: &[u8]| {
            let label = Label { frame_type, correlation, goes_on: false };
            let around = Framing::Gantry.write(message, label).expect("a frame");
            [around.header(), message].concat()
        };
        let (mut text, mut reversed) = ([0x40; TEXT_BYTES], [0x40; TEXT_BYTES]);
        text[..2].copy_from_slice(&[0xC1, 0xC2]);
        reversed[..2].copy_from_slice(&[0xC2, 0xC1]);
        let both = [frame(FrameType::Heartbeat, 7, b""), frame(FrameType::Request, 8, &text)].concat();
        client.write_all(&both).expect("it is sent");
        let answered = [&[0xC1; NAME_BYTES][..], &1_u32.to_be_bytes(), &reversed].concat();
        let expected =
            [frame(FrameType::HeartbeatAck, 7, b""), frame(FrameType::Reply, 8, &answered)].concat();
        let mut read = vec![0; expected.len()];
        client.read_exact(&mut read).expect("the answers");
        assert_eq!(read, expected);
        client.write_all(&frame(FrameType::Request, 9, b"short")).expect("it is sent");
        let ended = server.join().expect("the server").expect_err("the request is too short");
        assert_eq!(ended.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn names_are_in_037() {
        assert_eq!(name("PRCRYP1"), Ok([0xD7, 0xD9, 0xC3, 0xD9, 0xE8, 0xD7, 0xF1, 0x40]));
        assert!(name("lower").is_err() && name("").is_err() && name("NINECHARS").is_err());
    }
}
