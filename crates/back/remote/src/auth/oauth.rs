//! Tokens from an authorization server (RFC 6749), fetched once for all calls, and kept until shortly before
//! they end.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method};
use percent::escaped;
use security::Secret;
use serde_json::Value;
use zeroize::Zeroizing;

use super::{basic_value, sensitive};
use crate::connection::{Call, Connection};
use crate::error::{Error, ErrorKind};
use crate::message::{Answer, Outgoing};
use crate::observe::Observe;

/// After a failed fetch others do not try again for this long.
const FAILED_FETCH_PAUSE: Duration = Duration::from_secs(1);

/// For which right a token is asked.
#[derive(Debug)]
pub enum Grant {
    /// That of the client itself (section 4.4).
    ClientCredentials,
    /// That of a user (section 4.3), for servers that know nothing better.
    Password {
        /// The user.
        user: String,
        /// The password.
        password: Secret,
    },
}

/// How the client shows its secret to the authorization server (section 2.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientAuth {
    /// By HTTP Basic.
    Basic,
    /// In the body.
    Body,
}

/// Where tokens come from.
#[derive(Debug)]
pub struct OAuthSettings {
    /// The connection to the authorization server.
    pub server: Arc<Connection>,
    /// The path of its token endpoint.
    pub target: String,
    /// The grant.
    pub grant: Grant,
    /// The client's id.
    pub client_id: String,
    /// The client's secret; a public client has none.
    pub client_secret: Option<Secret>,
    /// How the secret is shown.
    pub client_auth: ClientAuth,
    /// Further parameters: `scope`, `audience` and others that a server wants.
    pub parameters: Vec<(String, String)>,
    /// A token is not used for this long before its end.
    pub refresh_before: Duration,
    /// The lifetime of a token whose answer has none.
    pub lifetime_default: Duration,
}

/// The tokens of one client.
#[derive(Debug)]
pub struct OAuth {
    settings: OAuthSettings,
    state: Mutex<State>,
    /// Held during a fetch, so that there is one at a time.
    fetching: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    token: Option<Token>,
    fetched: u64,
    failed: Option<(Instant, String)>,
}

/// A token as it is sent.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) authorization: HeaderValue,
    /// Which of all fetched ones it is.
    pub(super) number: u64,
    until: Instant,
}

impl OAuth {
    /// Tokens by these settings; none is fetched yet.
    #[must_use]
    pub fn new(settings: OAuthSettings) -> Self {
        Self { settings, state: Mutex::default(), fetching: tokio::sync::Mutex::default() }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn current(&self) -> Option<Token> {
        let now = Instant::now();
        self.state().token.clone().filter(|token| now < token.until)
    }

    /// The token, fetched if there is none.
    pub(super) async fn token(&self, call: &Call, observer: &dyn Observe) -> Result<Token, Error> {
        if let Some(token) = self.current() {
            return Ok(token);
        }
        let _one_at_a_time = tokio::time::timeout_at(call.deadline.into(), self.fetching.lock())
            .await
            .map_err(|_| Error::unsent(ErrorKind::TimedOut, "no token came in time"))?;
        // Another call may have fetched it, or failed, meanwhile.
        if let Some(token) = self.current() {
            return Ok(token);
        }
        if let Some((at, message)) = &self.state().failed
            && at.elapsed() < FAILED_FETCH_PAUSE
        {
            return Err(Error::unsent(ErrorKind::NoToken, message.clone()));
        }
        let begun = Instant::now();
        let fetched = self.fetch(call).await;
        observer.token(fetched.is_ok());
        let mut state = self.state();
        match fetched {
            Ok((authorization, until)) => {
                state.fetched += 1;
                let token = Token { authorization, number: state.fetched, until };
                state.token = Some(token.clone());
                state.failed = None;
                Ok(token)
            }
            Err(message) => {
                // A call that had little time left says nothing about the server.
                if Instant::now() < call.deadline || begun.elapsed() >= FAILED_FETCH_PAUSE {
                    state.failed = Some((Instant::now(), message.clone()));
                }
                Err(Error::unsent(ErrorKind::NoToken, message))
            }
        }
    }

    /// Forgets a token that was not accepted, unless there is a newer one already.
    pub(super) fn forget(&self, number: u64) {
        let mut state = self.state();
        if state.token.as_ref().is_some_and(|token| token.number == number) {
            state.token = None;
        }
    }

    async fn fetch(&self, call: &Call) -> Result<(HeaderValue, Instant), String> {
        let asked = Instant::now();
        let outgoing = self.request()?;
        let call = Call { caller: None, ..call.clone() };
        let answer = self
            .settings
            .server
            .exchange(outgoing, &call)
            .await
            .map_err(|error| format!("no token: {error}"))?;
        self.read(&answer, asked)
    }

    fn request(&self) -> Result<Outgoing, String> {
        let settings = &self.settings;
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        let mut form = Zeroizing::new(String::new());
        match &settings.grant {
            Grant::ClientCredentials => push(&mut form, "grant_type", b"client_credentials"),
            Grant::Password { user, password } => {
                push(&mut form, "grant_type", b"password");
                push(&mut form, "username", user.as_bytes());
                push(&mut form, "password", password.expose());
            }
        }
        for (name, value) in &settings.parameters {
            push(&mut form, name, value.as_bytes());
        }
        match (&settings.client_secret, settings.client_auth) {
            (Some(secret), ClientAuth::Basic) => {
                // Both are escaped as in a form before they become a user and a password.
                let password = Secret::from_text(escaped(secret.expose()).to_string());
                let user = escaped(&settings.client_id).to_string();
                headers.insert(AUTHORIZATION, basic_value(&user, password.expose())?);
            }
            (Some(secret), ClientAuth::Body) => {
                push(&mut form, "client_id", settings.client_id.as_bytes());
                push(&mut form, "client_secret", secret.expose());
            }
            (None, _) => push(&mut form, "client_id", settings.client_id.as_bytes()),
        }
        Ok(Outgoing {
            method: Method::POST,
            target: settings.target.clone(),
            headers,
            body: Bytes::copy_from_slice(form.as_bytes()),
            // A second token does no harm.
            idempotent: true,
        })
    }

    /// The token in an answer (section 5.1). An error message has only the error's code, and nothing else of
    /// the body.
    fn read(&self, answer: &Answer, asked: Instant) -> Result<(HeaderValue, Instant), String> {
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
        if !answer.status.is_success() {
            let code = body["error"].as_str().filter(|code| code.len() <= 64).unwrap_or("no code");
            return Err(format!("no token: status {} ({})", answer.status.as_u16(), code.escape_default()));
        }
        let token = body["access_token"].as_str().filter(|token| !token.is_empty());
        let token = token.ok_or("no token: the answer has no access_token")?;
        if body["token_type"].as_str().is_some_and(|kind| !kind.eq_ignore_ascii_case("bearer")) {
            return Err("no token: expected one of the type Bearer".to_owned());
        }
        // Some servers write the number as text.
        let lifetime = match &body["expires_in"] {
            Value::Null => self.settings.lifetime_default,
            Value::String(text) => Duration::from_secs(text.parse().map_err(|_| NO_LIFETIME)?),
            number => Duration::from_secs(number.as_f64().filter(|n| *n >= 0.0).ok_or(NO_LIFETIME)? as u64),
        };
        // A token of a short life is used for half of it.
        let usable =
            lifetime.saturating_sub(self.settings.refresh_before).max(lifetime / 2).min(LIFETIME_MAX);
        let authorization = sensitive(format!("Bearer {token}").as_bytes())?;
        Ok((authorization, asked + usable))
    }
}

const NO_LIFETIME: &str = "no token: expires_in is not a number of seconds";

/// No token is kept longer.
const LIFETIME_MAX: Duration = Duration::from_secs(24 * 3600);

fn push(form: &mut String, name: &str, value: &[u8]) {
    if !form.is_empty() {
        form.push('&');
    }
    form.extend(escaped(name));
    form.push('=');
    form.extend(escaped(value));
}
