//! Why a directory does not vouch for somebody: because of the user, or because of the directory.

use ldap3::{LdapError, LdapResult};
use security::DirectoryFault;

/// The kind of failure, and whether a new connection may help.
#[derive(Debug)]
pub(crate) enum Error {
    /// The connection is broken, or could not be made.
    Connection(String),
    /// The directory's last word.
    Fault(DirectoryFault),
}

impl Error {
    pub(crate) fn refused(reason: impl Into<String>) -> Self {
        Error::Fault(DirectoryFault::Refused(reason.into()))
    }

    pub(crate) fn unavailable(reason: impl Into<String>) -> Self {
        Error::Fault(DirectoryFault::Unavailable(reason.into()))
    }

    /// A bind's result that is not success; the codes are those of RFC 4511, 4.1.9. Expired or locked
    /// passwords are refused. A code that says that the directory cannot tell is not a refusal.
    pub(crate) fn of_bind(result: &LdapResult) -> Self {
        const CONSTRAINT_VIOLATION: u32 = 19;
        const NO_SUCH_OBJECT: u32 = 32;
        const INVALID_DN_SYNTAX: u32 = 34;
        const INAPPROPRIATE_AUTHENTICATION: u32 = 48;
        const INVALID_CREDENTIALS: u32 = 49;
        const UNWILLING_TO_PERFORM: u32 = 53;
        let reason = described(result);
        match result.rc {
            CONSTRAINT_VIOLATION
            | NO_SUCH_OBJECT
            | INVALID_DN_SYNTAX
            | INAPPROPRIATE_AUTHENTICATION
            | INVALID_CREDENTIALS
            | UNWILLING_TO_PERFORM => Self::refused(reason),
            _ => Self::unavailable(reason),
        }
    }
}

/// Failures of the library are failures of the connection, unless a new connection would fail in the same
/// way.
impl From<LdapError> for Error {
    fn from(error: LdapError) -> Self {
        match error {
            LdapError::FilterParsing => Self::unavailable("the filter cannot be read"),
            LdapError::LdapResult { result } => Self::unavailable(described(&result)),
            other => Error::Connection(other.to_string()),
        }
    }
}

/// A directory's text beside the code may have any length and content.
pub(crate) fn described(result: &LdapResult) -> String {
    const TEXT_CHARS_MAX: usize = 200;
    let text: String = result.text.chars().filter(|c| !c.is_control()).take(TEXT_CHARS_MAX).collect();
    format!("the directory answers with code {}: {text}", result.rc)
}
