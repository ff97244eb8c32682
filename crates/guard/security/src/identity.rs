//! An authenticated caller: name, groups, scopes, and the method of the proof.

use serde_json::{Map, Value};

/// How a caller was authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// HTTP Basic, against a file of users.
    Basic,
    /// HTTP Basic, against an LDAP directory.
    Ldap,
    /// An API key in a header.
    ApiKey,
    /// A bearer token.
    Jwt,
    /// A client certificate of the TLS connection.
    Certificate,
    /// A token of this gateway, given after a login.
    Token,
    /// No proof: the configuration names the user of a queue's listener.
    Listener,
}

impl Method {
    /// The word for logs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Method::Basic => "basic",
            Method::Ldap => "ldap",
            Method::ApiKey => "api_key",
            Method::Jwt => "jwt",
            Method::Certificate => "certificate",
            Method::Token => "token",
            Method::Listener => "listener",
        }
    }
}

/// An authenticated caller.
#[derive(Clone, Debug, PartialEq)]
pub struct Identity {
    /// The user's name, at most 256 bytes without control characters.
    pub name: Box<str>,
    /// The groups, which may have roles.
    pub groups: Box<[Box<str>]>,
    /// The scopes of a token; empty for other methods.
    pub scopes: Box<[Box<str>]>,
    /// The claims of a token.
    pub claims: Option<Map<String, Value>>,
    /// The method of the proof.
    pub method: Method,
}

/// The most bytes of a user name.
pub(crate) const NAME_BYTES_MAX: usize = 256;

impl Identity {
    /// An identity without scopes and claims.
    #[must_use]
    pub fn new(name: impl Into<Box<str>>, groups: Vec<Box<str>>, method: Method) -> Self {
        Self { name: name.into(), groups: groups.into(), scopes: Box::default(), claims: None, method }
    }

    /// Whether the caller is in one of these groups.
    #[must_use]
    pub fn is_in(&self, groups: &[Box<str>]) -> bool {
        self.groups.iter().any(|group| groups.contains(group))
    }

    /// Whether the caller's token has the scope.
    #[must_use]
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes.iter().any(|held| **held == *scope)
    }
}

/// True for a name that is valid in files, headers and logs: not empty, not long, no control
/// characters.
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= NAME_BYTES_MAX && !name.chars().any(char::is_control)
}
