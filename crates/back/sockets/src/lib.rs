//! Options and figures of TCP sockets that the system knows by number alone, for connections and for listeners.
//!
//! [`support`] says which options this kernel has, [`wire`] how a connection fares. All of it is `unsafe` calls of the system, which
//! is why it has a crate of its own.
//!
//! An option that a kernel does not have changes nothing: the connection works as before, and [`Support`] says what is missing.
#![allow(unsafe_code)]

use std::io;
use std::mem::size_of_val;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::OnceLock;
use std::time::Duration;

/// The longest time between retransmissions, in milliseconds (Linux 6.15).
const TCP_RTO_MAX_MS: libc::c_int = 44;

/// The shortest time before a retransmission, in microseconds (Linux 6.15).
const TCP_RTO_MIN_US: libc::c_int = 45;

/// The part of the kernel's figures of a connection that is read here.
const TCP_INFO_BYTES: usize = 220;

/// Which of the options this kernel has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Support {
    /// `rto_min_ms`.
    pub rto_min: bool,
    /// `rto_max_ms`.
    pub rto_max: bool,
}

/// How a connection fares on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wire {
    /// Segments that were sent again.
    pub retransmits: u64,
    /// Segments that were sent again needlessly, as the other side reported.
    pub dsacks: u64,
    /// Segments that were sent, those that were sent again and mere acknowledgements too.
    pub segments: u64,
    /// The smoothed round trip time, in microseconds.
    pub srtt_us: u32,
    /// The time before a retransmission, in microseconds.
    pub rto_us: u32,
}

/// Which options this kernel has. It is tried once.
pub fn support() -> Support {
    static SUPPORT: OnceLock<Support> = OnceLock::new();
    *SUPPORT.get_or_init(|| {
        let tried = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None);
        let Ok(socket) = tried else { return Support { rto_min: false, rto_max: false } };
        Support {
            rto_min: set_rto_min(&socket, Duration::from_millis(20)).is_ok(),
            rto_max: set_rto_max(&socket, Duration::from_secs(1)).is_ok(),
        }
    })
}

/// Sets the shortest time before a retransmission: 8 to 200 ms. Connections that a listener accepts have its time.
///
/// # Errors
/// The kernel does not have the option, or not this time.
pub fn set_rto_min(socket: &impl AsFd, time: Duration) -> io::Result<()> {
    set(socket, (libc::IPPROTO_TCP, TCP_RTO_MIN_US), time.as_micros())
}

/// Sets the longest time between retransmissions: at least 1 s. Connections that a listener accepts have its time.
///
/// # Errors
/// The kernel does not have the option, or not this time.
pub fn set_rto_max(socket: &impl AsFd, time: Duration) -> io::Result<()> {
    set(socket, (libc::IPPROTO_TCP, TCP_RTO_MAX_MS), time.as_millis())
}

/// Lets readers of the socket sleep until this many bytes are there.
///
/// # Errors
/// The kernel refuses it.
pub fn set_low_water_mark(socket: &impl AsFd, bytes: usize) -> io::Result<()> {
    set(socket, (libc::SOL_SOCKET, libc::SO_RCVLOWAT), bytes as u128)
}

fn set(socket: &impl AsFd, (level, option): (libc::c_int, libc::c_int), value: u128) -> io::Result<()> {
    let value = libc::c_int::try_from(value).unwrap_or(libc::c_int::MAX);
    // SAFETY: the descriptor is open as long as `socket` is borrowed. The kernel reads `value`, which lives over the call, and
    // no more bytes of it than it has.
    let result = unsafe {
        libc::setsockopt(
            socket.as_fd().as_raw_fd(),
            level,
            option,
            (&raw const value).cast(),
            size_of_val(&value) as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The figures of a connection; zeros if the kernel does not have them.
#[must_use]
pub fn wire(socket: &impl AsFd) -> Wire {
    let mut info = [0_u8; TCP_INFO_BYTES];
    let mut bytes = TCP_INFO_BYTES as libc::socklen_t;
    // SAFETY: the descriptor is open as long as `socket` is borrowed. The kernel writes at most `bytes` bytes to `info`, which has
    // so many, and the number of them to `bytes`.
    let result = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &raw mut bytes,
        )
    };
    if result != 0 {
        return Wire::default();
    }
    // The places are those of `struct tcp_info` in linux/tcp.h, which only grows at its end.
    let field = |at: usize| info[at..].first_chunk().map_or(0, |bytes| u32::from_ne_bytes(*bytes));
    Wire {
        retransmits: field(100).into(),
        dsacks: field(216).into(),
        segments: field(136).into(),
        srtt_us: field(68),
        rto_us: field(8),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn a_connection_tells_how_it_fares() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let stream = TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
        let told = wire(&stream);
        assert!(told.segments >= 2, "the handshake took two: {told:?}");
        assert!(told.rto_us > 0 && told.retransmits == 0, "{told:?}");
        set_low_water_mark(&stream, 100_000).expect("every Linux has it");
        if support().rto_min {
            set_rto_min(&stream, Duration::from_millis(20)).expect("the kernel has it");
            set_rto_max(&stream, Duration::from_secs(1)).expect("the kernel has it");
        }
        assert!(set_rto_max(&stream, Duration::from_millis(1)).is_err(), "it is at least a second");
    }

    #[test]
    fn accepted_connections_have_the_time_of_their_listener() {
        if !support().rto_min {
            return;
        }
        let rto_us = |floor: Option<Duration>| {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            if let Some(floor) = floor {
                set_rto_min(&listener, floor).expect("the kernel has it");
            }
            let mut client =
                TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
            let (mut accepted, _) = listener.accept().expect("a connection");
            // The time is counted from round trips: a few have to be seen.
            for _ in 0..20 {
                accepted.write_all(b"x").expect("written");
                client.read_exact(&mut [0]).expect("read");
                client.write_all(b"y").expect("written");
                accepted.read_exact(&mut [0]).expect("read");
            }
            wire(&accepted).rto_us
        };
        let (usual, short) = (rto_us(None), rto_us(Some(Duration::from_millis(20))));
        assert!(usual >= 200_000 && short < 200_000, "{usual} {short}");
    }
}
