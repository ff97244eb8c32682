//! Requests that wait: whether their callers may still call.
//!
//! A caller is authenticated when its request begins. While the request waits, the caller may log out,
//! its user may be removed, or a reload may take its rights away. [`Security::changes`] tells that
//! something has changed, and [`Security::identify_again`] asks again who the caller is. It verifies no
//! password, because thousands of requests may wait.

use std::sync::Arc;

use http::HeaderMap;
use security::{Check, Identity, Method, PasswordMark, Presented};
use tokio::sync::watch;

use super::{Peer, Refusal, Security, now_ms};

/// How a caller was authenticated when its request began.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    identity: Option<Arc<Identity>>,
    /// Of a user of a file, with a password. None if the file was read again before this was made.
    mark: Option<PasswordMark>,
}

impl Standing {
    fn has_lost_mark(&self) -> bool {
        self.mark.is_none() && self.identity.as_ref().is_some_and(|known| known.method == Method::Basic)
    }
}

impl Security {
    /// Remembers how a caller was authenticated. Call it as soon as the caller is known.
    pub fn standing(&self, identity: Option<&Arc<Identity>>) -> Standing {
        let mark = identity.and_then(|identity| self.authenticators.password_mark(identity));
        Standing { identity: identity.cloned(), mark }
    }

    /// Tells of logouts, of changed files of users and keys, and of changed configurations.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Tells requests that wait that their callers' rights may have changed.
    pub fn tell_of_change(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Authenticates the caller of a waiting request again, with its present groups. A user of a file
    /// needs the password that it had. A user of a directory stays: the directory is not asked. A user of a file does not become
    /// one of a directory.
    ///
    /// # Errors
    /// The credentials are no longer good.
    pub async fn identify_again(
        &self,
        peer: &Peer,
        (headers, standing): (&HeaderMap, &Standing),
    ) -> Result<Option<Arc<Identity>>, Refusal> {
        if self.authenticators.is_empty() || peer.known.is_some() {
            return Ok(peer.known.clone());
        }
        let presented = Presented { headers, certificate: peer.certificate.as_ref() };
        match self.authenticators.check(presented, now_ms()) {
            Check::Known(identity) => Ok(Some(identity)),
            // The file changed in the moment in which the caller was authenticated.
            Check::Password(_) if standing.has_lost_mark() => self.identify(peer, headers).await,
            Check::Password(work) => {
                work.unchanged(standing.mark.as_ref()).map(Some).map_err(|denied| self.denied(denied))
            }
            Check::Directory(question) => {
                question.unchanged(standing.identity.as_ref()).map(Some).map_err(|denied| self.denied(denied))
            }
            Check::Anonymous | Check::Denied(_) | Check::Keys(_) => self.identify(peer, headers).await,
        }
    }
}
