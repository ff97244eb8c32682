//! Questions about security without a call: whether a caller would be admitted, and the issuers of
//! tokens.

use std::sync::Arc;

use failure::{Code, Failure};
use security::{Authenticator, Identity, Refused};

use super::{OperationGuard, Peer, Refusal, Security};

impl Security {
    /// Decides like [`Security::admit`] about an authenticated caller, without counting a call.
    ///
    /// # Errors
    /// There is no TLS, but it is needed. Or the role or a scope is missing.
    pub fn would_admit(
        &self,
        guard: &OperationGuard,
        peer: &Peer,
        identity: Option<&Arc<Identity>>,
    ) -> Result<(), Refusal> {
        if guard.require_secure && !peer.secure {
            return Err(Refusal::new(Failure::new(Code::TlsRequired)).of(identity));
        }
        let allowed = guard.allows(identity.map(|identity| &**identity));
        allowed.map_err(|refused| self.refused(refused).of(identity))
    }

    /// The accepted issuers of tokens.
    pub fn token_issuers(&self) -> impl Iterator<Item = &str> {
        self.authenticators.ways().iter().filter_map(|way| match way {
            Authenticator::Bearer(bearer) => Some(bearer.issuer()),
            _ => None,
        })
    }
}

impl OperationGuard {
    /// Decides about role and scopes.
    pub(crate) fn allows(&self, identity: Option<&Identity>) -> Result<(), Refused<'_>> {
        self.access.may_invoke(identity, &self.scopes)?;
        self.service_access.iter().try_for_each(|own| own.may_invoke(identity, &[]))
    }

    /// Whether an authenticated caller would be admitted, apart from limits.
    pub fn is_open(&self, peer: &Peer, identity: Option<&Identity>) -> bool {
        (!self.require_secure || peer.secure) && self.allows(identity).is_ok()
    }
}
