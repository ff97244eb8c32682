//! How a connection proves who it is to the remote API: nothing, a password, a key, a fetched token, or a token that we
//! sign.

mod jwt;
mod oauth;

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue};
use security::Secret;
use zeroize::Zeroizing;

use crate::connection::Call;
use crate::error::{Error, ErrorKind};
use crate::observe::Observe;
use crate::target::push_query;

pub use jwt::{Jwt, JwtKey, JwtSettings};
pub use oauth::{ClientAuth, Grant, OAuth, OAuthSettings};

/// The credentials of a connection.
pub enum Auth {
    /// None.
    None,
    /// A header that is always the same: Basic, or an API key.
    Header {
        /// Its name.
        name: HeaderName,
        /// Its value, marked as sensitive.
        value: HeaderValue,
    },
    /// An API key in the query.
    Query {
        /// The parameter's name.
        name: String,
        /// Its value.
        key: Secret,
    },
    /// A token from an authorization server.
    OAuth(Box<OAuth>),
    /// A token that is made here.
    Jwt(Box<Jwt>),
    /// The token with which the caller has identified itself to the gateway.
    Caller,
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Auth::None => "None",
            Auth::Header { .. } => "Header",
            Auth::Query { .. } => "Query",
            Auth::OAuth(_) => "OAuth",
            Auth::Jwt(_) => "Jwt",
            Auth::Caller => "Caller",
        })
    }
}

/// Where an API key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKeyPlace {
    /// In a header.
    Header,
    /// In the query.
    Query,
}

/// The part of a request's credentials that may have to be fetched anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UsedToken(u64);

impl Auth {
    /// HTTP Basic (RFC 7617).
    ///
    /// # Errors
    /// The user has a colon, or one of both has control characters.
    pub fn basic(user: &str, password: &Secret) -> Result<Self, String> {
        Ok(Auth::Header { name: AUTHORIZATION, value: basic_value(user, password.expose())? })
    }

    /// An API key.
    ///
    /// # Errors
    /// The name is none, or the key cannot stand there.
    pub fn api_key(place: ApiKeyPlace, name: &str, key: Secret) -> Result<Self, String> {
        if key.expose().is_empty() {
            return Err("the API key is empty".to_owned());
        }
        match place {
            ApiKeyPlace::Header => {
                let name: HeaderName =
                    name.parse().map_err(|_| format!("'{name}' is not a header's name"))?;
                Ok(Auth::Header { name, value: sensitive(key.expose())? })
            }
            ApiKeyPlace::Query => {
                let text = std::str::from_utf8(key.expose()).map_err(|_| "the API key is not UTF-8")?;
                push_query(&mut String::new(), name, text).map_err(|error| error.to_string())?;
                Ok(Auth::Query { name: name.to_owned(), key })
            }
        }
    }

    /// Adds the credentials to a request.
    pub(crate) async fn add(
        &self,
        call: &Call,
        (headers, target): (&mut HeaderMap, &mut String),
        observer: &dyn Observe,
    ) -> Result<Option<UsedToken>, Error> {
        match self {
            Auth::None => {}
            Auth::Header { name, value } => {
                headers.insert(name.clone(), value.clone());
            }
            Auth::Query { name, key } => {
                // This cannot fail, because the key was checked when it was made.
                let _ = push_query(target, name, std::str::from_utf8(key.expose()).unwrap_or_default());
            }
            Auth::OAuth(tokens) => {
                let token = tokens.token(call, observer).await?;
                headers.insert(AUTHORIZATION, token.authorization);
                return Ok(Some(UsedToken(token.number)));
            }
            Auth::Jwt(jwt) => {
                headers.insert(jwt.header().clone(), jwt.token(call.caller.as_ref())?);
            }
            Auth::Caller => {
                let none = || Error::unsent(ErrorKind::NoToken, "the call came with no token to pass on");
                headers.insert(AUTHORIZATION, call.token.clone().ok_or_else(none)?);
            }
        }
        Ok(None)
    }

    /// After 401: forgets the token. False if no other token can be got.
    pub(crate) fn forget(&self, used: Option<&UsedToken>) -> bool {
        match (self, used) {
            (Auth::OAuth(tokens), Some(used)) => {
                tokens.forget(used.0);
                true
            }
            _ => false,
        }
    }

    /// True if the caller's own token goes along.
    pub(crate) fn passes_tokens(&self) -> bool {
        matches!(self, Auth::Caller)
    }

    /// True if the caller's name goes into the credentials.
    pub(crate) fn names_callers(&self) -> bool {
        matches!(self, Auth::Jwt(jwt) if jwt.names_callers())
    }
}

/// The value of `Authorization` that passes a token on; none for other kinds of credentials.
pub(crate) fn bearer(authorization: &str) -> Option<HeaderValue> {
    let (scheme, token) = authorization.split_once(' ')?;
    let is_one = scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty() && !token.contains(',');
    is_one.then(|| sensitive(format!("Bearer {}", token.trim()).as_bytes()).ok())?
}

/// The value of `Authorization` for HTTP Basic (RFC 7617). Logs do not show it.
///
/// # Errors
/// The user has a colon, or control characters.
pub fn basic_value(user: &str, password: &[u8]) -> Result<HeaderValue, String> {
    if user.contains(':') || user.chars().any(char::is_control) {
        return Err("a user of Basic authentication has neither colons nor control characters".to_owned());
    }
    let mut pair = Zeroizing::new(format!("{user}:").into_bytes());
    pair.extend_from_slice(password);
    let encoded = Zeroizing::new(format!("Basic {}", STANDARD.encode(&*pair)));
    sensitive(encoded.as_bytes())
}

/// A header's value that logs do not show.
fn sensitive(bytes: &[u8]) -> Result<HeaderValue, String> {
    let mut value = HeaderValue::from_bytes(bytes)
        .map_err(|_| "it has characters that a header cannot have".to_owned())?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_alone_are_passed_on() {
        assert_eq!(bearer("bearer  a.b.c ").expect("a token"), "Bearer a.b.c");
        assert!(bearer("Bearer a.b.c").expect("a token").is_sensitive());
        for other in ["", "Bearer", "Bearer ", "Basic Ym9iOnB3", "Bearer a, Bearer b", "Bearer a\nb"] {
            assert_eq!(bearer(other), None, "{other}");
        }
    }

    #[test]
    fn credentials_are_checked_and_not_shown() {
        let auth = Auth::basic("bob", &Secret::new(b"pw".to_vec())).expect("credentials");
        let Auth::Header { value, .. } = &auth else { panic!("a header") };
        assert_eq!(value, "Basic Ym9iOnB3");
        assert_eq!(format!("{auth:?} {value:?}"), "Header Sensitive");
        assert!(Auth::basic("a:b", &Secret::new(Vec::new())).is_err());
        let key = |bytes: &[u8]| Secret::new(bytes.to_vec());
        assert!(Auth::api_key(ApiKeyPlace::Header, "x y", key(b"k")).is_err());
        assert!(Auth::api_key(ApiKeyPlace::Header, "x-key", key(b"a\nb")).is_err());
        assert!(Auth::api_key(ApiKeyPlace::Query, "key", key(b"a\nb")).is_err());
        assert!(Auth::api_key(ApiKeyPlace::Query, "key", key(b"")).is_err());
        assert!(Auth::api_key(ApiKeyPlace::Query, "key", key(b"a&b")).is_ok());
    }
}
