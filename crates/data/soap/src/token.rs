//! UsernameToken of WS-Security 1.1: a user and a password as text.

use std::fmt;

use failure::Code;
use xml::Cursor;

use crate::trouble::{TokenFault, Trouble};

/// The namespace of `wsse:Security`.
pub(crate) const NAMESPACE: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
/// The namespace of `wsu:Timestamp`.
const UTILITY: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
/// The type of a plain text password.
const TEXT: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText";

/// The most bytes of a user's name or a password.
pub const TOKEN_BYTES_MAX: usize = 1_024;

/// The credentials of a message.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Token {
    /// The user.
    pub user: String,
    /// The password.
    pub password: String,
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token").field("user", &self.user).finish_non_exhaustive()
    }
}

/// Reads `wsse:Security` to its end. Gives the token, and whether the block has nothing else. A
/// time stamp is skipped: TLS prevents others from repeating a message.
pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<(Option<Token>, bool), Trouble> {
    let (mut token, mut all) = (None, true);
    while let Some(open) = cursor.child()? {
        if open.name == "UsernameToken" && cursor.is_in(&open, NAMESPACE) {
            token = only(token, Some(username_token(cursor)?))?;
            continue;
        }
        all &= open.name == "Timestamp" && cursor.is_in(&open, UTILITY);
        cursor.skip()?;
    }
    Ok((token, all))
}

/// The only token of a message, out of two blocks.
pub(crate) fn only(before: Option<Token>, found: Option<Token>) -> Result<Option<Token>, Trouble> {
    match (before, found) {
        (Some(_), Some(_)) => {
            Err(refused(TokenFault::InvalidSecurity, "a message presents one wsse:UsernameToken"))
        }
        (before, found) => Ok(found.or(before)),
    }
}

fn username_token(cursor: &mut Cursor<'_>) -> Result<Token, Trouble> {
    let (mut user, mut password) = (None, None);
    while let Some(open) = cursor.child()? {
        let place = match open.name {
            "Username" if cursor.is_in(&open, NAMESPACE) => &mut user,
            "Password" if cursor.is_in(&open, NAMESPACE) => {
                let given = cursor.attributes(&open)?;
                let kind = given.iter().find(|given| given.name == "Type" && given.namespace.is_empty());
                if kind.is_some_and(|kind| kind.value != TEXT) {
                    let message = "a wsse:Password must be of the type PasswordText";
                    return Err(refused(TokenFault::UnsupportedSecurityToken, message));
                }
                &mut password
            }
            _ => {
                cursor.skip()?;
                continue;
            }
        };
        let text = cursor.text()?;
        if text.len() > TOKEN_BYTES_MAX || place.replace(text.into_owned()).is_some() {
            let message = "a wsse:UsernameToken has one user and one password, and both are short";
            return Err(refused(TokenFault::InvalidSecurityToken, message));
        }
    }
    match (user, password) {
        (Some(user), Some(password)) => Ok(Token { user, password }),
        _ => {
            let message = "a wsse:UsernameToken has a wsse:Username and a wsse:Password";
            Err(refused(TokenFault::InvalidSecurityToken, message))
        }
    }
}

fn refused(fault: TokenFault, message: &str) -> Trouble {
    Trouble { token: Some(fault), ..Trouble::new(Code::Unauthenticated, message) }
}
