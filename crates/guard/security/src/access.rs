//! Roles and their rights. Groups have roles for everything, or for one API or service.
//!
//! | role | may |
//! | --- | --- |
//! | Admin | everything, deploying what runs code too |
//! | Operations | deploy, update, start, stop, delete, statistics, and what Reader may |
//! | Invoke | call, and read the documents of what it may call |
//! | Reader | list, details, schemas, documents, metrics |

use crate::identity::Identity;

/// A role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// May do everything.
    Admin,
    /// May deploy and operate.
    Operations,
    /// May call.
    Invoke,
    /// May look.
    Reader,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 4] = [Role::Admin, Role::Operations, Role::Invoke, Role::Reader];

    /// The role's name for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Admin => "Admin",
            Role::Operations => "Operations",
            Role::Invoke => "Invoke",
            Role::Reader => "Reader",
        }
    }
}

/// A kind of object that can be started, stopped and administered alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An API. While it is stopped, its operations answer so, and its documents stay.
    Api,
    /// A service. While it is stopped, every operation that calls it answers so.
    Service,
    /// An API requester. While it is stopped, calls of programs fail.
    Requester,
}

/// An action on an API, a service or the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Call it.
    Invoke,
    /// See its existence, details, schemas and documents; see metrics of the gateway.
    Read,
    /// Deploy, update, start, stop or delete it; see its statistics.
    Operate,
    /// Deploy objects with their own code: programs, WebAssembly.
    DeployCode,
}

impl Action {
    /// The roles that allow it. A refusal names the first.
    #[must_use]
    pub fn roles(self) -> &'static [Role] {
        match self {
            Action::Invoke => &[Role::Invoke, Role::Admin],
            Action::Read => &[Role::Reader, Role::Operations, Role::Admin],
            Action::Operate => &[Role::Operations, Role::Admin],
            Action::DeployCode => &[Role::Admin],
        }
    }
}

/// The groups of each role; none if the configuration names no groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleGroups {
    /// Groups with the role Admin.
    pub admin: Option<Vec<Box<str>>>,
    /// Groups with the role Operations.
    pub operations: Option<Vec<Box<str>>>,
    /// Groups with the role Invoke.
    pub invoke: Option<Vec<Box<str>>>,
    /// Groups with the role Reader.
    pub reader: Option<Vec<Box<str>>>,
}

impl RoleGroups {
    /// The groups of a role.
    #[must_use]
    pub fn of(&self, role: Role) -> Option<&[Box<str>]> {
        match role {
            Role::Admin => self.admin.as_deref(),
            Role::Operations => self.operations.as_deref(),
            Role::Invoke => self.invoke.as_deref(),
            Role::Reader => self.reader.as_deref(),
        }
    }

    fn merged(&self, own: &Self) -> Self {
        let merged = |role| own.of(role).or(self.of(role)).map(<[_]>::to_vec);
        Self {
            admin: merged(Role::Admin),
            operations: merged(Role::Operations),
            invoke: merged(Role::Invoke),
            reader: merged(Role::Reader),
        }
    }
}

/// Why an action is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused<'a> {
    /// The caller is not known, but must be.
    Unknown,
    /// None of the caller's groups has a role that allows it. This role would.
    Role(Role),
    /// The caller's token lacks one of these scopes.
    Scope(&'a [Box<str>]),
}

/// The rights for one API, one service, or the gateway as a whole.
#[derive(Clone, Debug)]
pub struct Access {
    groups: RoleGroups,
    require_auth: bool,
}

impl Access {
    /// Rules for the gateway as a whole.
    #[must_use]
    pub fn global(groups: RoleGroups, require_auth: bool) -> Self {
        Self { groups, require_auth }
    }

    /// Rules for one API or service. If it names groups for a role, they replace the global ones.
    #[must_use]
    pub fn specific(&self, own: &RoleGroups, require_auth: Option<bool>) -> Self {
        Self { groups: self.groups.merged(own), require_auth: require_auth.unwrap_or(self.require_auth) }
    }

    /// Whether callers must be known.
    #[must_use]
    pub fn requires_auth(&self) -> bool {
        self.require_auth
    }

    /// Whether the role has groups here.
    #[must_use]
    pub fn names_groups(&self, role: Role) -> bool {
        self.groups.of(role).is_some()
    }

    /// Whether one of the caller's groups has the role here. If no group is named for Invoke, every
    /// known caller has it. Nobody has another role without a named group.
    #[must_use]
    pub fn has(&self, identity: &Identity, role: Role) -> bool {
        match self.groups.of(role) {
            Some(groups) => identity.is_in(groups),
            None => role == Role::Invoke,
        }
    }

    /// Decides about a call of an operation that needs all these scopes.
    ///
    /// # Errors
    /// The missing condition.
    pub fn may_invoke<'a>(
        &self,
        identity: Option<&Identity>,
        scopes: &'a [Box<str>],
    ) -> Result<(), Refused<'a>> {
        self.may(identity, Action::Invoke)?;
        match identity {
            Some(identity) if !scopes.iter().all(|scope| identity.has_scope(scope)) => {
                Err(Refused::Scope(scopes))
            }
            None if !scopes.is_empty() => Err(Refused::Unknown),
            _ => Ok(()),
        }
    }

    /// Decides about a call on behalf of a user. Gets only the user's groups; none if the user is
    /// not known.
    ///
    /// # Errors
    /// The missing condition.
    pub fn may_call_for(&self, groups: Option<&[Box<str>]>) -> Result<(), Refused<'static>> {
        let Some(groups) = groups else {
            return if self.require_auth { Err(Refused::Unknown) } else { Ok(()) };
        };
        let has = |role: Role| match self.groups.of(role) {
            Some(named) => groups.iter().any(|group| named.contains(group)),
            None => role == Role::Invoke,
        };
        let roles = Action::Invoke.roles();
        let may = !self.require_auth || roles.iter().any(|role| has(*role));
        if may { Ok(()) } else { Err(Refused::Role(roles[0])) }
    }

    /// Decides about documents of an API. Users who may call it or read about it may see them.
    ///
    /// # Errors
    /// The missing condition.
    pub fn may_see_documents(&self, identity: Option<&Identity>) -> Result<(), Refused<'static>> {
        self.may(identity, Action::Invoke).or_else(|_| self.may(identity, Action::Read))
    }

    /// Decides about administration. It always refuses unknown callers, even if calls do not need
    /// known ones.
    ///
    /// # Errors
    /// The missing condition.
    pub fn may_administer(
        &self,
        identity: Option<&Identity>,
        action: Action,
    ) -> Result<(), Refused<'static>> {
        identity.map_or(Err(Refused::Unknown), |identity| self.has_one_of(identity, action.roles()))
    }

    fn may(&self, identity: Option<&Identity>, action: Action) -> Result<(), Refused<'static>> {
        match identity {
            Some(identity) if self.require_auth => self.has_one_of(identity, action.roles()),
            None if self.require_auth => Err(Refused::Unknown),
            // If unknown callers may do it, known ones may, too.
            _ => Ok(()),
        }
    }

    fn has_one_of(&self, identity: &Identity, roles: &[Role]) -> Result<(), Refused<'static>> {
        if roles.iter().any(|role| self.has(identity, *role)) { Ok(()) } else { Err(Refused::Role(roles[0])) }
    }
}
