//! Users of a directory: the gateway asks the directory about their passwords and remembers its
//! answers.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::basic::Basic;
use crate::denied::{Denied, DeniedKind, Scheme};
use crate::digest::Digest;
use crate::identity::{Identity, Method, is_name};
use crate::memory::{Memory, MemoryPlace};
use crate::secret::Secret;

/// A user whose password is right, with the data of the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryUser {
    /// The name, as the directory writes it.
    pub name: Box<str>,
    /// The groups.
    pub groups: Vec<Box<str>>,
}

/// Why a directory does not confirm a user. The texts are for the log. None holds a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DirectoryFault {
    /// No such user, or another password.
    Refused(String),
    /// The directory cannot answer now.
    Unavailable(String),
}

/// A running question.
pub type Asking = Pin<Box<dyn Future<Output = Result<DirectoryUser, DirectoryFault>> + Send>>;

/// A source of users. Its `Debug` text differs from that of other sources.
pub trait DirectorySource: Send + Sync + fmt::Debug {
    /// Starts to ask whether the password is the user's.
    fn ask(&self, user: &str, password: &Secret) -> Asking;
}

/// The users of a directory, and the memory of verified passwords.
#[derive(Debug)]
pub struct DirectoryUsers {
    source: Arc<dyn DirectorySource>,
    verified: MemoryPlace<Arc<Identity>>,
    cache_ms: u64,
}

impl DirectoryUsers {
    /// Users of this source. It remembers `cached_max` of them for `cache_s` seconds each, under a
    /// keyed digest.
    #[must_use]
    pub fn new(source: Arc<dyn DirectorySource>, cached_max: usize, cache_s: u64) -> Self {
        Self { source, verified: MemoryPlace::new(cached_max), cache_ms: cache_s.saturating_mul(1_000) }
    }

    /// Takes over the memory of an equal source. Call it before the first check.
    pub fn adopt(&self, before: &Self) -> bool {
        self.cache_ms == before.cache_ms
            && format!("{:?}", self.source) == format!("{:?}", before.source)
            && self.verified.adopt(&before.verified)
    }

    /// Looks for the password in the memory. If it is not there, gives the question to the
    /// directory.
    pub(crate) fn check(&self, basic: &Basic, now_ms: u64) -> Result<Arc<Identity>, DirectoryCheck> {
        let memory = self.verified.get();
        let epoch = memory.verified.epoch();
        let digest = memory.digest(&[basic.user().as_bytes(), basic.password()]);
        if let Some(identity) = memory.verified.get(&digest, now_ms) {
            return Ok(identity);
        }
        Err(DirectoryCheck {
            source: Arc::clone(&self.source),
            memory: Arc::clone(memory),
            cache_ms: self.cache_ms,
            user: basic.user().to_owned(),
            password: Secret::new(basic.password().to_vec()),
            digest,
            epoch,
        })
    }
}

/// A question to a directory about a password.
pub struct DirectoryCheck {
    source: Arc<dyn DirectorySource>,
    memory: Arc<Memory<Arc<Identity>>>,
    cache_ms: u64,
    user: String,
    password: Secret,
    digest: Digest,
    epoch: u64,
}

impl fmt::Debug for DirectoryCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DirectoryCheck")
    }
}

impl DirectoryCheck {
    /// The caller as it was known before, if a directory told it. The directory is not asked again.
    ///
    /// # Errors
    /// The caller was known in another way, and that way does not know it any more.
    pub fn unchanged(&self, before: Option<&Arc<Identity>>) -> Result<Arc<Identity>, Denied> {
        before.filter(|identity| identity.method == Method::Ldap).cloned().ok_or_else(|| {
            Denied::new(DeniedKind::Invalid, Scheme::Basic, "the user is not in the file of users any more")
        })
    }

    /// Asks the directory, and remembers a good answer from `now_ms` on.
    ///
    /// # Errors
    /// The user does not exist, the password is wrong, or the directory cannot answer.
    pub async fn run(self, now_ms: u64) -> Result<Arc<Identity>, Denied> {
        let denied = |kind, reason: String| Denied::new(kind, Scheme::Basic, reason);
        let user = self.source.ask(&self.user, &self.password).await.map_err(|fault| match fault {
            DirectoryFault::Refused(reason) => denied(DeniedKind::Invalid, reason),
            DirectoryFault::Unavailable(reason) => denied(DeniedKind::Unavailable, reason),
        })?;
        if !is_name(&user.name) {
            return Err(denied(
                DeniedKind::Invalid,
                "the user's name in the directory cannot be one here".to_owned(),
            ));
        }
        // A group without a valid name cannot have a role.
        let groups = user.groups.into_iter().filter(|group| is_name(group)).collect();
        let identity = Arc::new(Identity::new(user.name, groups, Method::Ldap));
        let ends_ms = now_ms.saturating_add(self.cache_ms);
        self.memory.verified.insert(self.digest, self.epoch, ends_ms, Arc::clone(&identity));
        Ok(identity)
    }
}
