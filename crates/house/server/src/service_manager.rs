//! The service manager that started the process, for example systemd. The gateway reports to it
//! when it is ready. The manager keeps the sockets of listeners while one process replaces another.
//! So a connection that comes meanwhile waits, and is not refused.
//!
//! The protocols are those of sd_notify(3) and sd_listen_fds(3). Without `NOTIFY_SOCKET` and
//! `LISTEN_FDS` in the environment, this module does nothing.

use std::env;
use std::ffi::OsStr;
use std::io::{self, IoSlice, Read};
use std::mem::MaybeUninit;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{self, UnixDatagram, UnixStream};
use std::time::Duration;

use listenfd::ListenFd;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

/// The longest wait until the service manager has closed a socket.
const BARRIER_MAX: Duration = Duration::from_secs(5);

/// The service manager, if there is one.
#[derive(Debug, Default)]
pub struct ServiceManager {
    /// The socket for reports about the process.
    socket: Option<UnixDatagram>,
    /// Sockets that the manager has kept from an earlier process, or opened itself.
    kept: Vec<(SocketAddr, TcpListener)>,
}

impl ServiceManager {
    /// Finds the manager in the environment. Call it once, before there are threads.
    #[must_use]
    pub fn from_environment() -> Self {
        let socket = env::var_os("NOTIFY_SOCKET").and_then(|name| match connect(&name) {
            Ok(socket) => Some(socket),
            Err(error) => {
                tracing::warn!("the service manager cannot be told of anything: {}: {error}", name.display());
                None
            }
        });
        let mut given = ListenFd::from_env();
        let mut kept = Vec::new();
        for number in 0..given.len() {
            match given.take_tcp_listener(number).and_then(usable) {
                Ok(found) => kept.extend(found),
                Err(error) => tracing::warn!("a socket of the service manager is of no use: {error}"),
            }
        }
        Self { socket, kept }
    }

    /// Reports that requests are served, and where.
    pub fn ready(&self, status: &str) {
        self.tell(&format!("READY=1\nSTATUS={}", status.replace('\n', " ")));
    }

    /// Reports that the files are read again. [`Self::ready`] must follow.
    pub fn reloading(&self) {
        self.tell("RELOADING=1");
    }

    /// Reports that the process ends.
    pub fn stopping(&self) {
        self.tell("STOPPING=1\nSTATUS=running requests may end");
    }

    /// Takes the kept socket of an address.
    pub(crate) fn take(&mut self, address: SocketAddr) -> Option<TcpListener> {
        let place = self.kept.iter().position(|(kept, _)| *kept == address)?;
        Some(self.kept.swap_remove(place).1)
    }

    /// Closes the sockets that were not taken, so that others can use their addresses.
    pub(crate) fn close_others(&mut self) {
        if self.kept.is_empty() {
            return;
        }
        for (address, _) in std::mem::take(&mut self.kept) {
            tracing::info!("no listener has the address {address} any more");
            self.tell(&format!("FDSTOREREMOVE=1\nFDNAME={}", name(address)));
        }
        if let Err(error) = self.wait() {
            tracing::warn!("the service manager may still hold an address: {error}");
        }
    }

    /// Gives the manager a copy of a listener's socket for the next process.
    pub(crate) fn keep(&self, address: SocketAddr, socket: impl AsFd) {
        let text = format!("FDSTORE=1\nFDNAME={}", name(address));
        if let Err(error) = self.send(&text, &[socket.as_fd()]) {
            tracing::warn!("the service manager cannot keep the socket of {address}: {error}");
        }
    }

    /// Waits until the manager has handled all earlier reports.
    fn wait(&self) -> io::Result<()> {
        if self.socket.is_none() {
            return Ok(());
        }
        let (mut ours, theirs) = UnixStream::pair()?;
        ours.set_read_timeout(Some(BARRIER_MAX))?;
        self.send("BARRIER=1", &[theirs.as_fd()])?;
        drop(theirs);
        // The manager closes its end without an answer.
        ours.read(&mut [0]).map(drop)
    }

    fn tell(&self, text: &str) {
        if let Err(error) = self.send(text, &[]) {
            tracing::warn!("the service manager was not told: {error}");
        }
    }

    fn send(&self, text: &str, files: &[BorrowedFd<'_>]) -> io::Result<()> {
        let Some(socket) = &self.socket else { return Ok(()) };
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !files.is_empty() && !control.push(SendAncillaryMessage::ScmRights(files)) {
            return Err(io::Error::other("too many files at once"));
        }
        sendmsg(socket, &[IoSlice::new(text.as_bytes())], &mut control, SendFlags::NOSIGNAL)?;
        Ok(())
    }
}

/// Connects to a socket. A name with `@` in front belongs to the abstract namespace.
fn connect(name: &OsStr) -> io::Result<UnixDatagram> {
    let socket = UnixDatagram::unbound()?;
    match name.as_bytes().strip_prefix(b"@") {
        Some(name) => socket.connect_addr(&net::SocketAddr::from_abstract_name(name)?)?,
        None => socket.connect(name)?,
    }
    Ok(socket)
}

fn usable(socket: Option<TcpListener>) -> io::Result<Option<(SocketAddr, TcpListener)>> {
    let Some(socket) = socket else { return Ok(None) };
    socket.set_nonblocking(true)?;
    Ok(Some((socket.local_addr()?, socket)))
}

/// The name of an address's kept socket. It may have no colon.
fn name(address: SocketAddr) -> String {
    address.to_string().replace(':', "-")
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::thread;

    use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

    use super::*;

    /// A manager, and its end of the socket.
    fn manager() -> (ServiceManager, UnixDatagram) {
        let (ours, theirs) = UnixDatagram::pair().expect("a pair of sockets");
        (ServiceManager { socket: Some(ours), kept: Vec::new() }, theirs)
    }

    /// The next message, with its file.
    fn next(socket: &UnixDatagram) -> (String, Option<OwnedFd>) {
        let mut text = [0; 512];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let message =
            recvmsg(socket, &mut [io::IoSliceMut::new(&mut text)], &mut control, RecvFlags::empty())
                .expect("a message");
        let files = control.drain().find_map(|part| match part {
            RecvAncillaryMessage::ScmRights(mut files) => files.next(),
            _ => None,
        });
        (String::from_utf8_lossy(&text[..message.bytes]).into_owned(), files)
    }

    fn listener() -> (SocketAddr, TcpListener) {
        let socket = TcpListener::bind("127.0.0.1:0").expect("a port");
        (socket.local_addr().expect("its address"), socket)
    }

    #[test]
    fn the_manager_hears_of_the_process() {
        let (manager, theirs) = manager();
        manager.ready("two\nlines");
        manager.reloading();
        manager.stopping();
        assert_eq!(next(&theirs).0, "READY=1\nSTATUS=two lines");
        assert_eq!(next(&theirs).0, "RELOADING=1");
        assert!(next(&theirs).0.starts_with("STOPPING=1\n"));
    }

    #[test]
    fn nobody_is_told_where_there_is_no_manager() {
        let mut nobody = ServiceManager::default();
        let (address, socket) = listener();
        nobody.ready("");
        nobody.keep(address, &socket);
        nobody.close_others();
        assert!(nobody.take(address).is_none());
    }

    #[test]
    fn a_socket_that_was_kept_listens_on() {
        let (mut manager, theirs) = manager();
        let (address, socket) = listener();
        manager.keep(address, &socket);
        drop(socket);
        let (text, file) = next(&theirs);
        assert_eq!(text, format!("FDSTORE=1\nFDNAME=127.0.0.1-{}", address.port()));
        // No process accepts it yet.
        let waiting = std::net::TcpStream::connect(address).expect("the kept socket takes it");
        let kept = TcpListener::from(file.expect("the socket"));
        manager.kept.extend(usable(Some(kept)).expect("a socket"));
        let again = manager.take(address).expect("the kept socket");
        assert_eq!(again.accept().expect("a connection").1, waiting.local_addr().expect("its address"));
        assert!(manager.take(address).is_none());
    }

    #[test]
    fn a_socket_without_a_listener_is_closed_before_others_are_opened() {
        let (mut manager, theirs) = manager();
        let (address, socket) = listener();
        manager.kept.push((address, socket));
        let told = thread::spawn(move || {
            let (removed, _) = next(&theirs);
            // The file of the barrier is closed here.
            let (barrier, file) = next(&theirs);
            assert!(file.is_some());
            (removed, barrier)
        });
        manager.close_others();
        let (removed, barrier) = told.join().expect("both messages");
        assert_eq!(removed, format!("FDSTOREREMOVE=1\nFDNAME=127.0.0.1-{}", address.port()));
        assert_eq!(barrier, "BARRIER=1");
        TcpListener::bind(address).expect("the address is free");
    }
}
