//! Logins: a password for a token, and the end of one.

use std::sync::Arc;

use failure::{Code, Failure};
use http::HeaderMap;
use security::{Basic, Identity};

use super::{Peer, Refusal, Security, now_ms};

/// Who has logged in, and the cookie that says so from now on.
#[derive(Debug)]
pub struct LoggedIn {
    /// Who it is.
    pub identity: Arc<Identity>,
    /// The name of the cookie.
    pub cookie: String,
    /// Its value.
    pub token: String,
}

impl Security {
    /// Verifies a password, at the rates of all passwords, and gives a token for it. None if no tokens are given here.
    ///
    /// # Errors
    /// The password is wrong or cannot be verified now, or the user can have no token.
    pub async fn log_in(&self, peer: &Peer, user: &str, password: &str) -> Result<Option<LoggedIn>, Refusal> {
        if self.authenticators.tokens().is_none() {
            return Ok(None);
        }
        let wrong = || {
            let log = Some("a login without a proper user name".to_owned());
            Refusal::new(Failure { log, ..Failure::new(Code::Unauthenticated) })
        };
        let headers = Basic::headers(user, password).ok_or_else(wrong)?;
        // Only the password counts here, not what else the connection brings.
        let peer = Peer { certificate: None, ..peer.clone() };
        let identity = self.identify(&peer, &headers).await?.ok_or_else(wrong)?;
        match self.authenticators.log_in(&identity, now_ms()) {
            Ok(made) => {
                Ok(made.map(|(cookie, token)| LoggedIn { identity, cookie: cookie.to_owned(), token }))
            }
            Err(log) => Err(Refusal::new(Failure { log: Some(log), ..Failure::new(Code::Internal) })),
        }
    }

    /// Ends the tokens that a request brings. Its answer asks the client to forget the cookie of this name.
    pub fn log_out(&self, headers: &HeaderMap) -> Option<&str> {
        let tokens = self.authenticators.tokens()?;
        if let Err(error) = tokens.end(headers, now_ms()) {
            tracing::error!(error, "a logout is forgotten when the process ends");
        }
        Some(tokens.cookie())
    }

    /// The name with which cookies of tokens begin.
    pub fn token_cookie(&self) -> Option<&str> {
        self.authenticators.tokens().map(|tokens| tokens.cookie())
    }
}
