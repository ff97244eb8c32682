//! What a changed configuration takes over from the one before: keys that were fetched, what was verified, and how much of
//! each limit is used up, wherever the settings are the same. Else every change would be a way around the limits.

use std::sync::Arc;

use security::{Authenticator, Limiter};

use super::{ApiGuard, Security};

impl ApiGuard {
    /// Goes on with the limiters of before that limit the same. `operations` tells of each operation its place in the guard of
    /// before, if it was there.
    pub fn inherit(&mut self, before: &Self, operations: impl Iterator<Item = Option<usize>>) {
        keep(&mut self.limiter, before.limiter.as_ref());
        for (guard, at) in self.operations.iter_mut().zip(operations) {
            guard.api_limiter = self.limiter.clone();
            if let Some(other) = at.and_then(|at| before.operations.get(at)) {
                keep(&mut guard.limiter, other.limiter.as_ref());
            }
        }
    }
}

impl Security {
    /// Goes on with keys, with what was verified and with what was counted; to be called before anybody is served.
    pub fn inherit(&mut self, before: &Self) {
        // The clock first: what limiters have counted is in its time.
        self.started = before.started;
        keep(&mut self.password_limiter, before.password_limiter.as_ref());
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
            // Whether one is like the other it knows itself.
            before.authenticators.ways().iter().any(|other| match (way, other) {
                (Authenticator::Basic(users), Authenticator::Basic(other)) => users.adopt(other),
                (Authenticator::Directory(users), Authenticator::Directory(other)) => users.adopt(other),
                (Authenticator::Bearer(bearer), Authenticator::Bearer(other)) => bearer.adopt(other),
                _ => false,
            });
        }
    }
}

/// Goes on with the limiter of before if it limits the same.
fn keep(limiter: &mut Option<Arc<Limiter>>, before: Option<&Arc<Limiter>>) {
    if let (Some(new), Some(before)) = (limiter.as_ref(), before)
        && new.settings() == before.settings()
    {
        *limiter = Some(Arc::clone(before));
    }
}
