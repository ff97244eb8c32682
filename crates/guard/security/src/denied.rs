//! Why a caller is not known, and what a 401 answer says about it.

use std::fmt;

/// A scheme of the Authorization header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// User and password.
    Basic,
    /// A token.
    Bearer,
    /// Something without a challenge of its own: API keys, certificates.
    Other,
}

/// The kinds of denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeniedKind {
    /// Nothing was presented where something is needed.
    Missing,
    /// What was presented cannot be read.
    Malformed,
    /// What was presented is not accepted: no such user, a wrong password, a bad signature, a wrong audience ...
    Invalid,
    /// The token was good once.
    Expired,
    /// It cannot be told now: the keys of the issuer have never been there.
    Unavailable,
}

/// A denial. What the caller may know is in the kind; the reason is for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denied {
    /// What happened.
    pub kind: DeniedKind,
    /// Which scheme was tried.
    pub scheme: Scheme,
    /// For the log alone; never holds a password, a key or a token.
    pub reason: String,
}

impl Denied {
    pub(crate) fn new(kind: DeniedKind, scheme: Scheme, reason: impl Into<String>) -> Self {
        Self { kind, scheme, reason: reason.into() }
    }

    /// Nothing was presented.
    #[must_use]
    pub fn missing() -> Self {
        Self::new(DeniedKind::Missing, Scheme::Other, "no credentials")
    }
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Denied {}

/// A quoted string of HTTP (RFC 9110, 5.6.4).
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars().filter(|c| !c.is_control()) {
        if matches!(c, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push('"');
    quoted
}
