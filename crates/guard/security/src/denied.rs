//! Why a caller is not known, and the contents of a 401 answer.

use std::fmt;

/// A scheme of the Authorization header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// User and password.
    Basic,
    /// A token.
    Bearer,
    /// A way without its own challenge: API keys, certificates.
    Other,
}

/// The kinds of denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeniedKind {
    /// There are no credentials, but they are needed.
    Missing,
    /// The credentials cannot be read.
    Malformed,
    /// The credentials are not accepted: an unknown user, a wrong password, a bad signature, a
    /// wrong audience ...
    Invalid,
    /// The token was good earlier.
    Expired,
    /// The check is not possible now, because the issuer's keys were never read.
    Unavailable,
}

/// A denial. The kind is for the caller. The reason is for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denied {
    /// The reason.
    pub kind: DeniedKind,
    /// The scheme of the credentials.
    pub scheme: Scheme,
    /// Only for the log. It never holds a password, a key or a token.
    pub reason: String,
}

impl Denied {
    pub(crate) fn new(kind: DeniedKind, scheme: Scheme, reason: impl Into<String>) -> Self {
        Self { kind, scheme, reason: reason.into() }
    }

    /// There are no credentials.
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
