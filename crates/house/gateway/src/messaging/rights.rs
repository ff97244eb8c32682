//! The rights of callers to queues.

use std::sync::Arc;

use ::messaging::{Attempt, Trouble, fits};
use admission::{Refusal, Security};
use security::{Access, Action, Identity};

use super::{Asking, Stopped};

/// A right to a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Right {
    /// Put messages, and publish to topics.
    Put,
    /// Get messages.
    Get,
    /// Browse messages.
    Browse,
    /// Make, change, clear and delete it, and see its definition.
    Administer,
}

/// The rights of some groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The names of queues and of topics. An asterisk at the end matches anything.
    pub queues: Vec<Box<str>>,
    /// The groups.
    pub groups: Vec<Box<str>>,
    /// The rights.
    pub rights: Vec<Right>,
}

/// All grants. Without any, everybody who may call may put, get and browse everywhere.
#[derive(Debug)]
pub(crate) struct Rights(Vec<Grant>);

impl Right {
    fn verb(self) -> &'static str {
        match self {
            Self::Put => "put to",
            Self::Get => "get from",
            Self::Browse => "browse from",
            Self::Administer => "administer",
        }
    }
}

impl Rights {
    pub(super) fn new(grants: Vec<Grant>) -> Self {
        Self(grants)
    }

    fn grants(&self, identity: Option<&Arc<Identity>>, right: Right, name: &str) -> bool {
        let Some(identity) = identity else { return false };
        self.0.iter().any(|grant| {
            grant.rights.contains(&right)
                && grant.queues.iter().any(|queue| fits(queue, name))
                && identity.is_in(&grant.groups)
        })
    }

    /// Whether a caller has a right to messages. Its right to call at all was checked before.
    pub(super) fn check(&self, asking: Asking<'_>, right: Right, name: &str) -> Result<(), Stopped> {
        if self.0.is_empty() || self.grants(asking.identity, right, name) {
            return Ok(());
        }
        Err(Trouble::not_authorized(Attempt { verb: right.verb(), name }).into())
    }

    /// Whether a caller may see the definition of a queue.
    pub(super) fn may_look(&self, asking: Asking<'_>, name: &str) -> bool {
        self.grants(asking.identity, Right::Administer, name) || role(asking, Action::Read)
    }

    /// Whether a caller may see what belongs to no queue.
    pub(super) fn may_read(&self, asking: Asking<'_>) -> bool {
        role(asking, Action::Read)
    }

    /// Whether a caller may make, change or delete a queue.
    pub(super) fn may_change(&self, asking: Asking<'_>, name: &str) -> bool {
        self.grants(asking.identity, Right::Administer, name) || role(asking, Action::Operate)
    }

    /// Whether a caller may see any queue.
    pub(super) fn check_look(&self, asking: Asking<'_>) -> Result<(), Stopped> {
        if self.administers_some(asking.identity) {
            return Ok(());
        }
        let allowed = asking.access.may_administer(asking.identity.map(|identity| &**identity), Action::Read);
        allowed.map_err(|refused| asking.security.refusal(refused, asking.identity).into())
    }

    /// Whether a caller may see or change any queue.
    pub(super) fn check_administers(
        &self,
        access: &Access,
        security: &Security,
        identity: Option<&Arc<Identity>>,
    ) -> Result<(), Refusal> {
        let caller = identity.map(|identity| &**identity);
        if self.administers_some(identity) || access.may_administer(caller, Action::Operate).is_ok() {
            return Ok(());
        }
        let allowed = access.may_administer(caller, Action::Read);
        allowed.map_err(|refused| security.refusal(refused, identity))
    }

    /// Whether a grant lets a caller administer some queue.
    fn administers_some(&self, identity: Option<&Arc<Identity>>) -> bool {
        identity.is_some_and(|identity| {
            let may =
                |grant: &Grant| grant.rights.contains(&Right::Administer) && identity.is_in(&grant.groups);
            self.0.iter().any(may)
        })
    }

    /// The caller's roles, in IBM's words.
    pub(super) fn roles(&self, asking: Asking<'_>) -> Vec<&'static str> {
        let mut roles = Vec::new();
        if role(asking, Action::Operate) {
            roles.push("MQWebAdmin");
        } else if role(asking, Action::Read) {
            roles.push("MQWebAdminRO");
        }
        let identity = asking.identity.map(|identity| &**identity);
        if asking.access.may_invoke(identity, &[]).is_ok() {
            roles.push("MQWebUser");
        }
        roles
    }
}

fn role(asking: Asking<'_>, action: Action) -> bool {
    asking.access.may_administer(asking.identity.map(|identity| &**identity), action).is_ok()
}

#[cfg(test)]
mod tests {
    use security::Method;

    use super::*;

    #[test]
    fn a_grant_is_for_its_groups_queues_and_rights() {
        let grant = Grant {
            queues: vec!["DEV.*".into(), "ORDERS".into()],
            groups: vec!["staff".into()],
            rights: vec![Right::Put],
        };
        let rights = Rights::new(vec![grant]);
        let user = |group: &str| Some(Arc::new(Identity::new("mary", vec![group.into()], Method::Basic)));
        let has = |group, right, name| rights.grants(user(group).as_ref(), right, name);
        assert!(has("staff", Right::Put, "DEV.QUEUE.1") && has("staff", Right::Put, "ORDERS"));
        assert!(!has("staff", Right::Get, "ORDERS") && !has("staff", Right::Put, "ORDERS.X"));
        assert!(!has("visitors", Right::Put, "ORDERS") && !rights.grants(None, Right::Put, "ORDERS"));
    }
}
