//! A server of frames. It notes each request in a file before it replies. The notes survive when
//! the server is killed.
//!
//! Arguments: the server's number, the address, the file. A request is an id of 8 bytes and any
//! bytes. The reply is the id, one byte with the server's number, and the other bytes. For each
//! request the file gets 9 bytes: the id and the number.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [number, address, notes] = &arguments[..] else { panic!("noting NUMBER ADDRESS FILE") };
    let number: u8 = number.parse().expect("a number");
    let notes = Arc::new(OpenOptions::new().create(true).append(true).open(notes)?);
    let listener = TcpListener::bind(address)?;
    writeln!(io::stdout(), "ready")?;
    loop {
        let (stream, _) = listener.accept()?;
        let notes = Arc::clone(&notes);
        thread::spawn(move || serve(stream, number, &notes));
    }
}

fn serve(mut stream: TcpStream, number: u8, mut notes: &File) -> io::Result<()> {
    stream.set_nodelay(true)?;
    loop {
        let mut length = [0; 4];
        stream.read_exact(&mut length)?;
        let mut request = vec![0; u32::from_be_bytes(length) as usize];
        stream.read_exact(&mut request)?;
        let (id, rest) = request.split_at(8);
        // One system call appends to the file, so no other server's note comes in between.
        notes.write_all(&[id, &[number]].concat())?;
        // A kill may come between the note and the reply.
        thread::sleep(Duration::from_micros(u64::from(id[7]) * 8));
        let length = (request.len() as u32 + 1).to_be_bytes();
        stream.write_all(&[&length[..], id, &[number], rest].concat())?;
    }
}
