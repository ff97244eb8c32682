//! Logins and logouts: a token for a password, and its end.

use std::sync::Arc;

use failure::{Code, Failure};
use http::HeaderMap;
use security::{Basic, Identity};

use super::{Peer, Refusal, Security, now_ms};

/// A user after a login, and the cookie for the next requests.
#[derive(Debug)]
pub struct LoggedIn {
    /// The user.
    pub identity: Arc<Identity>,
    /// The name of the cookie.
    pub cookie: String,
    /// Its value.
    pub token: String,
}

impl Security {
    /// Verifies a password, within the rates of all passwords, and gives a token for it. None if
    /// this gateway gives no tokens.
    ///
    /// # Errors
    /// The password is wrong or cannot be verified now, or the user cannot get a token.
    pub async fn log_in(&self, peer: &Peer, user: &str, password: &str) -> Result<Option<LoggedIn>, Refusal> {
        if self.authenticators.tokens().is_none() {
            return Ok(None);
        }
        let wrong = || {
            let log = Some("a login without a proper user name".to_owned());
            Refusal::new(Failure { log, ..Failure::new(Code::Unauthenticated) })
        };
        let headers = Basic::headers(user, password).ok_or_else(wrong)?;
        // Only the password counts here, not the connection's other credentials.
        let peer = Peer { certificate: None, ..peer.clone() };
        let identity = self.identify(&peer, &headers).await?.ok_or_else(wrong)?;
        match self.authenticators.log_in(&identity, now_ms()) {
            Ok(made) => {
                Ok(made.map(|(cookie, token)| LoggedIn { identity, cookie: cookie.to_owned(), token }))
            }
            Err(log) => Err(Refusal::new(Failure { log: Some(log), ..Failure::new(Code::Internal) })),
        }
    }

    /// Ends the tokens of a request. The answer must ask the client to forget the cookie of this
    /// name.
    pub fn log_out(&self, headers: &HeaderMap) -> Option<&str> {
        let tokens = self.authenticators.tokens()?;
        if let Err(error) = tokens.end(headers, now_ms()) {
            tracing::error!(error, "a logout is forgotten when the process ends");
        }
        self.tell_of_change();
        Some(tokens.cookie())
    }

    /// The start of the names of token cookies.
    pub fn token_cookie(&self) -> Option<&str> {
        self.authenticators.tokens().map(|tokens| tokens.cookie())
    }
}
