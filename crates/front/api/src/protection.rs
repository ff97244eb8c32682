//! The security part of an API's documents: how callers authenticate, what they need, and how they may be refused.
//!
//! Plain data from whoever guards the API. Nothing here decides about a request.

use failure::Code;

/// A way in which callers can be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecurityScheme {
    /// Its name in the documents, unique in the API.
    pub name: String,
    /// The way itself.
    pub kind: SchemeKind,
    /// A sentence for people.
    pub description: Option<String>,
}

/// The ways that the documents can tell apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemeKind {
    /// User and password (RFC 7617).
    Basic,
    /// A token (RFC 6750); only tokens have scopes.
    Bearer,
    /// A key in a header of this name.
    ApiKey(String),
    /// The certificate of a TLS client; Swagger 2.0 has no word for it.
    MutualTls,
}

/// The requirements of an operation on its callers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperationProtection {
    /// Callers must be known.
    pub required: bool,
    /// Scopes that a token must have, all of them.
    pub scopes: Vec<String>,
    /// The failures that may refuse a caller before the call begins.
    pub refusals: Vec<Code>,
}

impl OperationProtection {
    /// The security schemes of an API that this operation accepts.
    pub(crate) fn ways<'s>(
        &self,
        schemes: &'s [SecurityScheme],
    ) -> impl Iterator<Item = &'s SecurityScheme> + use<'s> {
        let tokens_only = !self.scopes.is_empty();
        schemes.iter().filter(move |scheme| !tokens_only || scheme.kind == SchemeKind::Bearer)
    }
}
