//! File descriptors: raises their limit, keeps some for the admin address, and limits the log lines
//! when they run out.

use std::os::unix::net::UnixDatagram;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Resource, getrlimit, setrlimit};

/// The most connections to the admin address at one time.
pub(crate) const ADMIN_CONNECTIONS_MAX: usize = 256;

/// Descriptors beside those of connections, with a reserve.
const OTHER_FILES_MAX: u64 = 256 + ADMIN_CONNECTIONS_MAX as u64;

/// Descriptors that are kept for connections to the admin address.
const RESERVED_FILES: usize = 8;

/// The pause between two log lines about the same trouble.
const LINE_EVERY: Duration = Duration::from_secs(1);

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
pub(crate) struct Reserve(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    files: Vec<UnixDatagram>,
    said: Option<Instant>,
}

impl Reserve {
    /// Fills it as far as possible. True if it is full.
    pub(crate) fn fill(&self) -> bool {
        let mut kept = self.lock();
        while kept.files.len() < RESERVED_FILES {
            // A socket needs no path, which a container or a chroot may not have.
            match UnixDatagram::unbound() {
                Ok(socket) => kept.files.push(socket),
                Err(_) => return false,
            }
        }
        true
    }

    /// Closes one, so that another file can be opened. False if there is none.
    pub(crate) fn give(&self) -> bool {
        self.lock().files.pop().is_some()
    }

    /// Whether a line may be written now. If so, it counts as written.
    pub(crate) fn may_say(&self) -> bool {
        let mut kept = self.lock();
        let now = Instant::now();
        if kept.said.is_some_and(|said| now.duration_since(said) < LINE_EVERY) {
            return false;
        }
        kept.said = Some(now);
        true
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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

    #[test]
    fn a_line_a_second_is_said() {
        let reserve = Reserve::default();
        assert!(reserve.may_say() && !reserve.may_say() && !reserve.may_say());
        let mut kept = reserve.lock();
        kept.said = kept.said.and_then(|said| said.checked_sub(LINE_EVERY));
        drop(kept);
        assert!(reserve.may_say() && !reserve.may_say());
    }
}
