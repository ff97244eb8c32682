//! The security parts in the documents of an API, made from the rules of admission.

use api::{OperationProtection, SchemeKind, SecurityScheme};
use failure::Code;
use security::{Authenticator, Limiter, LimiterSettings, Role};

use super::{OperationGuard, Security};

impl Security {
    /// The ways to authenticate, each under the name of its kind. Issuers of tokens share one,
    /// because clients send the same to all.
    pub fn schemes(&self) -> Vec<SecurityScheme> {
        let mut schemes: Vec<SecurityScheme> = Vec::new();
        let mut issuers = Vec::new();
        for way in self.authenticators.ways() {
            let (name, kind) = match way {
                Authenticator::Basic(_) | Authenticator::Directory(_) => ("basic", SchemeKind::Basic),
                Authenticator::Bearer(bearer) => {
                    issuers.push(bearer.issuer());
                    ("bearer", SchemeKind::Bearer)
                }
                Authenticator::ApiKey(keys) => ("apiKey", SchemeKind::ApiKey(keys.header().to_string())),
                Authenticator::Certificate(_) => ("mutualTLS", SchemeKind::MutualTls),
                // A login gives these tokens. Documents of APIs do not describe it.
                Authenticator::Token(_) => continue,
            };
            if schemes.iter().any(|known| known.kind == kind) {
                continue;
            }
            let same = schemes.iter().filter(|known| known.name.starts_with(name)).count();
            let name = if same == 0 { name.to_owned() } else { format!("{name}{}", same + 1) };
            schemes.push(SecurityScheme { name, kind, description: None });
        }
        for scheme in schemes.iter_mut().filter(|scheme| scheme.kind == SchemeKind::Bearer) {
            scheme.description = Some(format!("Bearer and a token (JWT) of {}.", issuers.join(" or ")));
        }
        schemes
    }

    /// The demands of an operation on its callers, and its possible refusals.
    pub fn protection(&self, guard: &OperationGuard) -> OperationProtection {
        let accesses = || std::iter::once(&guard.access).chain(guard.service_access.iter());
        let limits = |limited: fn(&LimiterSettings) -> bool| {
            let limiters = guard.api_limiter.as_deref().into_iter().chain(guard.limiter.as_deref());
            limiters.map(Limiter::settings).any(limited)
        };
        let basic =
            |way: &Authenticator| matches!(way, Authenticator::Basic(_) | Authenticator::Directory(_));
        let passwords = self.authenticators.ways().iter().any(basic);
        let roles = accesses().any(|access| access.requires_auth() && access.names_groups(Role::Invoke));
        let rated = limits(|limits| limits.rate.is_some() || limits.caller_rate.is_some());
        let counted =
            limits(|limits| limits.concurrent_max.is_some() || limits.caller_concurrent_max.is_some());
        let refusals = [
            // Wrong credentials are refused even if none are needed.
            (Code::Unauthenticated, !self.knows_nobody()),
            (Code::NotAuthorized, roles),
            (Code::ScopeMissing, !guard.scopes.is_empty()),
            (Code::TlsRequired, guard.require_secure),
            (Code::TooManyRequests, rated || passwords),
            (Code::TooManyAtOnce, counted),
            (Code::AuthenticationBusy, passwords || !self.issuers.is_empty()),
        ];
        OperationProtection {
            required: accesses().any(security::Access::requires_auth) || !guard.scopes.is_empty(),
            scopes: guard.scopes.iter().map(ToString::to_string).collect(),
            refusals: refusals.into_iter().filter(|(_, may)| *may).map(|(code, _)| code).collect(),
        }
    }
}
