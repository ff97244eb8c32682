//! One remote API as it is reached: a pool of connections, a bounded number of requests, credentials, retries.

use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, LOCATION};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use service::CallContext;
use waiting::{NoPlace, Place, Places, random};

use crate::auth::{Auth, bearer};
use crate::base::Base;
use crate::connector::{ConnectTimedOut, Connector};
use crate::error::{Error, ErrorKind};
use crate::message::{Answer, Outgoing};
use crate::observe::{Observe, Unobserved};
use crate::retry::{Retry, asked_wait};

/// How a remote API is reached.
#[derive(Debug)]
pub struct ConnectionSettings {
    /// Its name, for messages.
    pub name: String,
    /// Where it leads.
    pub base: Base,
    /// Whom it trusts, and the client's certificate. Used for https alone.
    pub tls: rustls::ClientConfig,
    /// Whether HTTP/2 is offered in the TLS handshake.
    pub http2: bool,
    /// Time for a connection to come up.
    pub connect_timeout: Duration,
    /// Time for one request, from the connection to the end of its answer.
    pub response_timeout: Duration,
    /// How long a connection is kept that nobody uses.
    pub idle_timeout: Duration,
    /// Connections that are kept while nobody uses them.
    pub idle_max: usize,
    /// Requests at one time; over HTTP/1.1 also the connections.
    pub requests_max: usize,
    /// Requests that wait for a place at one time; more are refused at once.
    pub waiting_max: usize,
    /// How long a request waits for a place.
    pub wait_max: Duration,
    /// Bytes of an answer's body.
    pub response_body_max_bytes: usize,
    /// When requests are sent again.
    pub retry: Retry,
    /// The handling of redirects.
    pub redirects: Redirects,
    /// The credentials of the gateway there.
    pub auth: Auth,
}

/// The handling of an answer that leads elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Redirects {
    /// It is an answer as any other.
    #[default]
    Refuse,
    /// GET and HEAD follow it on the same server, below the same path, this many times.
    SameOrigin(u32),
}

/// The facts about a call that its request may know.
#[derive(Clone, Debug)]
pub struct Call {
    /// When the caller no longer waits.
    pub deadline: Instant,
    /// Who calls, if that is known and wanted.
    pub caller: Option<CallerName>,
    /// The value of `Authorization` that passes the caller's token on, if there is one and it is wanted.
    pub token: Option<HeaderValue>,
}

/// A caller's name and groups.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallerName {
    /// The user.
    pub user: String,
    /// The user's groups.
    pub groups: Vec<String>,
}

impl CallerName {
    /// A caller as services know it.
    #[must_use]
    pub fn of(caller: &service::Caller<'_>) -> Self {
        let groups = caller.groups.iter().map(|group| group.to_string()).collect();
        Self { user: caller.user.to_owned(), groups }
    }
}

/// A request that is under way, up to its answer.
pub type Exchange<'a> = Pin<Box<dyn Future<Output = Result<Answer, Error>> + Send + 'a>>;

/// The connection. It is shared by all who call its API.
#[derive(Debug)]
pub struct Connection {
    settings: ConnectionSettings,
    client: Client<Connector, Full<Bytes>>,
    places: Places,
    observer: OnceLock<Arc<dyn Observe>>,
}

impl Connection {
    /// Makes a connection; nothing is connected yet.
    #[must_use]
    pub fn new(settings: ConnectionSettings) -> Self {
        let connector = Connector::new(settings.tls.clone(), settings.http2, settings.connect_timeout);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(settings.idle_timeout)
            .pool_max_idle_per_host(settings.idle_max)
            .build(connector);
        let places = Places::new(settings.requests_max, settings.waiting_max);
        Self { settings, client, places, observer: OnceLock::new() }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.settings.name
    }

    /// Where it leads.
    #[must_use]
    pub fn base(&self) -> &Base {
        &self.settings.base
    }

    /// Sets the observer. Only the first one counts.
    pub fn observe(&self, observer: Arc<dyn Observe>) {
        let _ = self.observer.set(observer);
    }

    /// The token of a request to pass on, if the caller is known and this connection does that.
    #[must_use]
    pub fn token_of(&self, context: &CallContext<'_>) -> Option<HeaderValue> {
        let (request, _) =
            context.request.zip(context.caller).filter(|_| self.settings.auth.passes_tokens())?;
        bearer(&request.headers.value(AUTHORIZATION.as_str())?)
    }

    /// True if the caller's name goes into the credentials.
    #[must_use]
    pub fn names_callers(&self) -> bool {
        self.settings.auth.names_callers()
    }

    /// True if requests have credentials of the connection.
    #[must_use]
    pub fn has_credentials(&self) -> bool {
        !matches!(self.settings.auth, Auth::None)
    }

    fn observer(&self) -> &dyn Observe {
        self.observer.get().map_or(&Unobserved, |observer| &**observer)
    }

    /// Sends a request and gives its answer, whatever the status.
    ///
    /// # Errors
    /// There is no answer; the kind says why.
    // Not an async function: its code would be compiled again in each crate that awaits it, with a whole client of HTTP.
    pub fn exchange<'a>(&'a self, outgoing: Outgoing, call: &'a Call) -> Exchange<'a> {
        Box::pin(async move {
            let result = match self.place(call).await {
                Ok(_place) => self.attempts(outgoing, call).await,
                Err(error) => Err(error),
            };
            match &result {
                Ok(answer) => self.observer().answered(answer.status.as_u16()),
                Err(error) => self.observer().failed(error.kind),
            }
            result
        })
    }

    /// Waits for a place among the requests that are under way.
    async fn place(&self, call: &Call) -> Result<Place<'_>, Error> {
        if let Some(place) = self.places.free_place() {
            return Ok(place);
        }
        let begun = Instant::now();
        let place = self.places.wait(call.deadline.min(begun + self.settings.wait_max)).await;
        if !matches!(place, Err(NoPlace::Crowded)) {
            self.observer().waited(begun.elapsed());
        }
        place.map_err(|none| {
            let most = self.settings.requests_max;
            let why = match none {
                NoPlace::Crowded => "too many wait for a place (waiting_max)",
                NoPlace::Late => "none ended in time (wait_max_ms)",
            };
            let message = format!("{}: {most} requests are under way, and {why}", self.name());
            Error::unsent(ErrorKind::Full, message)
        })
    }

    /// Sends the request as often as it must and may be.
    async fn attempts(&self, mut outgoing: Outgoing, call: &Call) -> Result<Answer, Error> {
        let retry = &self.settings.retry;
        let (mut retries, mut redirects, mut token_refused) = (0, 0, false);
        loop {
            let (result, used) = self.attempt(&outgoing, call).await;
            let asked = match &result {
                Ok(answer) => {
                    if answer.status == StatusCode::UNAUTHORIZED && !token_refused {
                        token_refused = true;
                        if self.settings.auth.forget(used.as_ref()) {
                            continue;
                        }
                    }
                    if let Some(target) = self.redirected(&outgoing.method, answer, redirects) {
                        redirects += 1;
                        outgoing.target = target;
                        continue;
                    }
                    if !retry.after_status(answer.status, outgoing.idempotent) {
                        return result;
                    }
                    asked_wait(&answer.headers)
                }
                Err(error) if retry.after_error(error, outgoing.idempotent) => None,
                Err(_) => return result,
            };
            let wait = retry.wait(retries, random()).max(asked.unwrap_or_default());
            // The server may ask for a time that no clock can tell.
            let again = Instant::now().checked_add(wait).filter(|again| *again < call.deadline);
            if retries >= retry.retries_max || again.is_none() {
                return result;
            }
            retries += 1;
            self.observer().retried();
            tokio::time::sleep(wait).await;
        }
    }

    fn redirected(&self, method: &Method, answer: &Answer, followed: u32) -> Option<String> {
        let Redirects::SameOrigin(most) = self.settings.redirects else { return None };
        let may = followed < most && matches!(*method, Method::GET | Method::HEAD);
        let leads = matches!(answer.status.as_u16(), 301 | 302 | 303 | 307 | 308);
        let location = answer.headers.get(LOCATION).filter(|_| may && leads)?;
        self.settings.base.redirected(location.to_str().ok()?)
    }

    /// Sends the request once, within its time.
    async fn attempt(
        &self,
        outgoing: &Outgoing,
        call: &Call,
    ) -> (Result<Answer, Error>, Option<crate::auth::UsedToken>) {
        let mut used = None;
        let now = Instant::now();
        let until = call.deadline.min(now + self.settings.response_timeout);
        if until <= now {
            let message = format!("{}: no time is left to send the request", self.name());
            return (Err(Error::unsent(ErrorKind::TimedOut, message)), None);
        }
        let sent = async {
            let (request, token) = self.request(outgoing, call).await?;
            used = token;
            let response = self.client.request(request).await.map_err(|error| self.failed(&error))?;
            self.receive(response).await
        };
        let result = tokio::time::timeout_at(until.into(), sent).await.unwrap_or_else(|_| {
            let message = format!("{}: no answer in time", self.name());
            Err(Error::sent(ErrorKind::TimedOut, message))
        });
        (result, used)
    }

    async fn request(
        &self,
        outgoing: &Outgoing,
        call: &Call,
    ) -> Result<(Request<Full<Bytes>>, Option<crate::auth::UsedToken>), Error> {
        let mut headers: HeaderMap = outgoing.headers.clone();
        let named: Vec<_> =
            headers.keys().filter(|name| headers::refused_in_request(name.as_str())).cloned().collect();
        for name in named {
            headers.remove(name);
        }
        // Bodies are limited by the bytes that come, so they must not be compressed.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let mut target = outgoing.target.clone();
        let used = self.settings.auth.add(call, (&mut headers, &mut target), self.observer()).await?;
        let uri = self.settings.base.uri(&target).map_err(|_| {
            // The target is not shown: a key may be in it.
            let message = format!("{}: the path and query cannot be sent", self.name());
            Error::unsent(ErrorKind::Unsendable, message)
        })?;
        let mut request = Request::new(Full::new(outgoing.body.clone()));
        *request.method_mut() = outgoing.method.clone();
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        Ok((request, used))
    }

    async fn receive(&self, response: http::Response<Incoming>) -> Result<Answer, Error> {
        let (parts, body) = response.into_parts();
        let most = self.settings.response_body_max_bytes;
        let is_other = |coding: &HeaderValue| !coding.as_bytes().eq_ignore_ascii_case(b"identity");
        if parts.headers.get_all(CONTENT_ENCODING).iter().any(is_other) {
            let message = format!("{}: the answer is compressed, which was not asked for", self.name());
            return Err(Error::sent(ErrorKind::Broken, message));
        }
        match Limited::new(body, most).collect().await {
            Ok(body) => Ok(Answer { status: parts.status, headers: parts.headers, body: body.to_bytes() }),
            Err(error) if error.is::<LengthLimitError>() => {
                let message = format!(
                    "{}: the answer has more than {most} bytes (response_body_max_bytes)",
                    self.name()
                );
                Err(Error::sent(ErrorKind::TooLarge, message))
            }
            Err(error) => {
                let message = format!("{}: the answer broke off: {}", self.name(), chain(&*error));
                Err(Error::sent(ErrorKind::Broken, message))
            }
        }
    }

    fn failed(&self, error: &hyper_util::client::legacy::Error) -> Error {
        let message = format!("{}: {}", self.name(), chain(error));
        if error.is_connect() {
            let late = causes(error).any(|cause| cause.is::<ConnectTimedOut>());
            let kind = if late { ErrorKind::TimedOut } else { ErrorKind::Unreachable };
            return Error::unsent(kind, message);
        }
        let unsent = causes(error)
            .filter_map(|cause| cause.downcast_ref::<hyper::Error>())
            .any(hyper::Error::is_canceled);
        Error { kind: ErrorKind::Broken, retry_is_safe: unsent, message }
    }
}

fn causes<'e>(
    error: &'e (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'e (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| error.source())
}

/// An error with its causes, which say the real reason.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    causes(error).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
