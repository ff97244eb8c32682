//! File descriptors: raises their limit, and keeps some for the admin address.

use std::os::unix::net::UnixDatagram;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Resource, getrlimit, setrlimit};

use crate::line_limit::LineLimit;

/// The most connections to the admin address at one time.
pub(crate) const ADMIN_CONNECTIONS_MAX: usize = 256;

/// Descriptors beside those of connections, with a reserve.
const OTHER_FILES_MAX: u64 = 256 + ADMIN_CONNECTIONS_MAX as u64;

/// Descriptors that are kept for connections to the admin address.
const RESERVED_FILES: usize = 8;

/// Raises the limit of open files for these connections and other sockets. Many systems give more
/// only on request. Gives the possible number of connections.
#[must_use]
pub fn raise_limit(connections_max: usize, sockets_max: usize) -> usize {
    let others = OTHER_FILES_MAX.saturating_add(sockets_max as u64);
    let wanted = (connections_max as u64).saturating_add(others);
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= wanted) {
        return connections_max;
    }
    limit.current = Some(limit.maximum.map_or(wanted, |maximum| maximum.min(wanted)));
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::debug!("the limit of open files stays: {error}");
        limit = getrlimit(Resource::Nofile);
    }
    let files = limit.current.unwrap_or(wanted);
    if files >= wanted {
        return connections_max;
    }
    let possible = files.saturating_sub(others).max(files / 2);
    let possible = usize::try_from(possible).unwrap_or(usize::MAX).min(connections_max);
    let with = match sockets_max {
        0 => String::new(),
        _ => format!(" with {sockets_max} sockets of endpoint groups"),
    };
    tracing::warn!(
        "only {files} files may be open (ulimit -n), but limits.connections_max = {connections_max}{with} needs {wanted}: \
         {possible} connections are served at a time"
    );
    possible
}

/// Descriptors that are kept open to be given away.
#[derive(Default)]
pub(crate) struct Reserve {
    files: Mutex<Vec<UnixDatagram>>,
    /// Limits the log lines when there are no more descriptors.
    pub(crate) lines: LineLimit,
}

impl Reserve {
    /// Fills it as far as possible. True if it is full.
    pub(crate) fn fill(&self) -> bool {
        let mut files = self.lock();
        while files.len() < RESERVED_FILES {
            // A socket needs no path, which a container or a chroot may not have.
            match UnixDatagram::unbound() {
                Ok(socket) => files.push(socket),
                Err(_) => return false,
            }
        }
        true
    }

    /// Closes one, so that another file can be opened. False if there is none.
    pub(crate) fn give(&self) -> bool {
        self.lock().pop().is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<UnixDatagram>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_given_and_filled_again() {
        let reserve = Reserve::default();
        assert!(!reserve.give() && reserve.fill());
        assert_eq!((0..=RESERVED_FILES).filter(|_| reserve.give()).count(), RESERVED_FILES);
        assert!(reserve.fill() && reserve.give());
    }
}
