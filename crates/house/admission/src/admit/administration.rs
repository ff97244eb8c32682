//! Rights at the admin address: for the gateway as a whole, or for one API, service or API
//! requester.

use std::sync::Arc;

use http::HeaderMap;
use security::{Access, Action, Identity};

use super::{Peer, Refusal, Security};
use security::Kind;

/// A request at the admin address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admin {
    /// Read the metrics.
    Metrics,
    /// Do something with the gateway as a whole, or with an object that does not exist.
    Action(Action),
    /// Do something with this API or service.
    Object(Kind, String, Action),
    /// List the APIs or services for which the caller has this right.
    List(Kind, Action),
    /// Call this service directly.
    Invoke(String),
}

impl Security {
    /// Admits a request at the admin address, or refuses. If there is no way to authenticate, the
    /// address is open to this machine.
    ///
    /// # Errors
    /// Credentials are missing or wrong, or the role is missing.
    pub async fn admit_administrator(
        &self,
        wanted: &Admin,
        peer: &Peer,
        headers: &HeaderMap,
    ) -> Result<Option<Arc<Identity>>, Refusal> {
        if self.knows_nobody() || (*wanted == Admin::Metrics && self.open_metrics) {
            return Ok(None);
        }
        let identity = self.identify(peer, headers).await?;
        let known = identity.as_deref();
        let allowed = match wanted {
            Admin::Metrics => self.access.may_administer(known, Action::Read),
            Admin::Action(action) => self.access.may_administer(known, *action),
            Admin::Object(kind, name, action) => self.of(*kind, name).may_administer(known, *action),
            Admin::List(kind, action) => {
                let one = || self.all(*kind).any(|access| access.may_administer(known, *action).is_ok());
                self.access
                    .may_administer(known, *action)
                    .or_else(|refused| one().then_some(()).ok_or(refused))
            }
            Admin::Invoke(service) => self.of(Kind::Service, service).may_invoke(known, &[]),
        };
        allowed.map_err(|refused| self.refused(refused).of(identity.as_ref()))?;
        Ok(identity)
    }

    /// Authenticates a caller that asks for health. Unknown callers get a short answer. Others need
    /// the right to read.
    ///
    /// # Errors
    /// Credentials are wrong, or the role is missing.
    pub async fn admit_to_health(
        &self,
        api: &str,
        peer: &Peer,
        headers: &HeaderMap,
    ) -> Result<bool, Refusal> {
        if self.knows_nobody() {
            return Ok(true);
        }
        let Some(identity) = self.identify(peer, headers).await? else { return Ok(false) };
        let allowed = self.of(Kind::Api, api).may_administer(Some(&*identity), Action::Read);
        allowed.map_err(|refused| self.refused(refused).of(Some(&identity)))?;
        Ok(true)
    }

    /// Whether an admitted caller has a right to one object, so that lists show no more than
    /// details.
    pub fn may(&self, identity: Option<&Identity>, (kind, name): (Kind, &str), action: Action) -> bool {
        self.knows_nobody() || self.of(kind, name).may_administer(identity, action).is_ok()
    }

    /// The rules for an API or service. An object that does not exist has the rules of the gateway.
    /// So a refusal does not show whether it exists.
    fn of(&self, kind: Kind, name: &str) -> &Access {
        let known = match kind {
            Kind::Api => self.apis.get(name),
            Kind::Service => self.services.get(name),
            Kind::Requester => self.requesters.get(name),
        };
        known.unwrap_or(&self.access)
    }

    fn all(&self, kind: Kind) -> impl Iterator<Item = &Access> {
        let known = match kind {
            Kind::Api => &self.apis,
            Kind::Service => &self.services,
            Kind::Requester => &self.requesters,
        };
        known.values()
    }
}
