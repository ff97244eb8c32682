//! A changed configuration takes over state from the one before: fetched keys, verified
//! credentials, and the used part of each limit. This applies wherever the settings are the same.
//! Otherwise every change would reset the limits.

use std::sync::Arc;

use security::{Authenticator, Limiter};

use super::{ApiGuard, Security};

impl ApiGuard {
    /// Keeps the previous limiters with the same settings. `operations` gives the previous index of
    /// each operation, if it had one.
    pub fn inherit(&mut self, before: &Self, operations: impl Iterator<Item = Option<usize>>) {
        keep_limiter(&mut self.limiter, before.limiter.as_ref());
        for (guard, at) in self.operations.iter_mut().zip(operations) {
            guard.api_limiter = self.limiter.clone();
            if let Some(other) = at.and_then(|at| before.operations.get(at)) {
                keep_limiter(&mut guard.limiter, other.limiter.as_ref());
            }
        }
    }
}

impl Security {
    /// Keeps keys, verified credentials and counts. Call it before serving.
    pub fn inherit(&mut self, before: &Self) {
        // The clock comes first, because the counts of limiters are in its time.
        self.started = before.started;
        self.changes = before.changes.clone();
        keep_limiter(&mut self.password_limiter, before.password_limiter.as_ref());
        if self.password_checks_max == before.password_checks_max {
            self.passwords = Arc::clone(&before.passwords);
        }
        for issuer in &self.issuers {
            let same = before.issuers.iter().find(|other| issuer.is_like(other));
            if let Some(same) = same {
                issuer.bearer.keys().adopt(same.bearer.keys());
            }
        }
        self.authenticators.follow(&before.authenticators);
        for way in self.authenticators.ways() {
            // Each way checks for itself whether it is like the other.
            before.authenticators.ways().iter().any(|other| match (way, other) {
                (Authenticator::Basic(users), Authenticator::Basic(other)) => users.adopt(other),
                (Authenticator::Directory(users), Authenticator::Directory(other)) => users.adopt(other),
                (Authenticator::Bearer(bearer), Authenticator::Bearer(other)) => bearer.adopt(other),
                _ => false,
            });
        }
    }
}

/// Keeps the previous limiter if it has the same settings.
pub fn keep_limiter(limiter: &mut Option<Arc<Limiter>>, before: Option<&Arc<Limiter>>) {
    if let (Some(new), Some(before)) = (limiter.as_ref(), before)
        && new.settings() == before.settings()
    {
        *limiter = Some(Arc::clone(before));
    }
}
