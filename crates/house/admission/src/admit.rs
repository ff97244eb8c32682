//! Admission of requests: who calls, whether they may, and how often.

mod administration;
mod described;
mod inherit;
mod inquiry;
mod session;
mod standing;
mod turns;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use failure::{Code, Failure};
use http::header::{HeaderMap, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue};
use security::jwt::{Bearer, KeySource};
use security::{
    Access, Authenticator, Authenticators, Caller, CertificateNames, Check, Cors, Denied, DeniedKind,
    Identity, Limited, Limiter, LimiterSettings, PasswordCheck, Permit, Presented, Rate, Refused,
};
use tokio::sync::{Mutex, Semaphore, watch};

pub use administration::Admin;
pub use inherit::keep_limiter;
pub use session::LoggedIn;
pub use standing::Standing;

use self::turns::Turns;
use crate::hosts::Hosts;
use crate::presence::Presence;
use crate::reload::Watched;

/// The seconds after which a caller may try again, if nothing better is known.
const RETRY_AFTER_S: u64 = 1;
/// The pause before failed fetches of keys are repeated.
const FETCH_AGAIN: Duration = Duration::from_secs(10);
/// The most callers whose passwords are counted.
const PASSWORD_CALLERS_MAX: usize = 10_000;

/// The way of a request. Pipelines have handlers for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// HTTP, by a listener that may have a name.
    Http(Option<Arc<str>>),
    /// The queue of this name.
    Queue(Arc<str>),
}

/// The other end of a connection.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Its address.
    pub address: IpAddr,
    /// Whether the connection has TLS.
    pub secure: bool,
    /// The host names of the listener.
    pub hosts: Arc<Hosts>,
    /// The way of its requests.
    pub way: Way,
    /// The names in its client certificate.
    pub certificate: Option<CertificateNames>,
    /// Whether the client is still connected, for requests that wait.
    pub presence: Presence,
    /// The identity of a peer that needs no proof: a listener of a queue.
    pub known: Option<Arc<Identity>>,
}

/// The parts of [`Security`].
pub struct SecuritySettings {
    /// The ways to authenticate.
    pub authenticators: Authenticators,
    /// The rules for the gateway as a whole.
    pub access: Access,
    /// True if calls need TLS, unless an API decides otherwise.
    pub require_secure: bool,
    /// True if everybody may read the metrics.
    pub open_metrics: bool,
    /// Seconds between two checks of the watched files; 0 is never.
    pub reload_check_s: u64,
    /// The most passwords that are verified at one time.
    pub password_checks_max: usize,
    /// The most milliseconds that a call waits for the verification of its password.
    pub password_wait_ms: u64,
    /// The rate of password verifications for one address; none is without a limit.
    pub password_rate: Option<Rate>,
    /// Issuers of tokens whose keys are fetched.
    pub issuers: Vec<Issuer>,
    /// Files that are read again when they change.
    pub watched: Vec<Watched>,
}

/// The security of the whole gateway.
#[derive(Debug)]
pub struct Security {
    authenticators: Authenticators,
    access: Access,
    /// The rights for each service, then for each API requester and each API.
    services: HashMap<String, Access>,
    requesters: HashMap<String, Access>,
    apis: HashMap<String, Access>,
    require_secure: bool,
    open_metrics: bool,
    reload_check: Duration,
    /// Places for password verifications. They need so much CPU and memory that only a few may run
    /// at one time.
    passwords: Arc<Semaphore>,
    turns: Turns,
    password_checks_max: usize,
    password_wait: Duration,
    password_limiter: Option<Arc<Limiter>>,
    issuers: Vec<Issuer>,
    watched: Vec<Watched>,
    started: Instant,
    /// Tells requests that wait of changes, over all configurations.
    changes: watch::Sender<u64>,
}

/// An issuer whose keys are fetched.
#[derive(Debug)]
pub struct Issuer {
    bearer: Arc<Bearer>,
    source: Arc<dyn KeySource>,
    refresh: Duration,
    /// Held during a fetch, so that only one runs at a time.
    fetching: Mutex<()>,
}

/// The guard of an API.
#[derive(Debug)]
pub struct ApiGuard {
    /// The rights to call its operations, and to see its documents.
    pub access: Access,
    /// True if its documents need TLS.
    pub require_secure: bool,
    /// The rights of pages from other sites; none allows nothing.
    pub cors: Option<Cors>,
    /// The limiter that all of its operations share.
    pub limiter: Option<Arc<Limiter>>,
    /// The guards of operations, in the order of the API's operations.
    pub operations: Vec<OperationGuard>,
}

/// The guard of an operation.
#[derive(Debug)]
pub struct OperationGuard {
    /// The rights to call it.
    pub access: Access,
    /// The rights of those services that name their own groups.
    pub service_access: Box<[Access]>,
    /// True if calls need TLS.
    pub require_secure: bool,
    /// The scopes that a token must have, all of them.
    pub scopes: Box<[Box<str>]>,
    /// The limiter that the API's operations share.
    pub api_limiter: Option<Arc<Limiter>>,
    /// The operation's own limiter.
    pub limiter: Option<Arc<Limiter>>,
}

const CURL_TOKEN: &str = " -H 'authorization: Bearer TOKEN'";
const CURL_CERTIFICATE: &str = " --cert FILE --key FILE";

/// An admitted request. Drop it when the request has ended.
#[derive(Debug, Default)]
pub struct Admitted<'g> {
    /// The caller, if known.
    pub identity: Option<Arc<Identity>>,
    _permits: [Option<Permit<'g>>; 2],
}

/// A refused request.
#[derive(Debug)]
pub struct Refusal {
    /// The texts for the caller and for the log.
    pub failure: Failure,
    /// Headers of the answer.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The refused caller, if known.
    pub identity: Option<Arc<Identity>>,
}

impl Refusal {
    /// A refusal without further headers.
    pub fn new(failure: Failure) -> Self {
        Self { failure, headers: Vec::new(), identity: None }
    }

    fn retry_after(mut self, seconds: u64) -> Self {
        self.headers.push((RETRY_AFTER, HeaderValue::from(seconds)));
        self
    }

    /// True if credentials may help.
    pub fn asks_who(&self) -> bool {
        self.failure.code == Code::Unauthenticated
    }

    fn of(mut self, identity: Option<&Arc<Identity>>) -> Self {
        self.identity = identity.cloned();
        self
    }
}

impl Security {
    /// Makes the security of a gateway. Rules of APIs, services and API requesters are set later.
    pub fn new(settings: SecuritySettings) -> Self {
        let SecuritySettings { password_checks_max, password_wait_ms, password_rate, .. } = settings;
        let rates = LimiterSettings { caller_rate: password_rate, ..LimiterSettings::default() };
        Self {
            authenticators: settings.authenticators,
            access: settings.access,
            services: HashMap::new(),
            requesters: HashMap::new(),
            apis: HashMap::new(),
            require_secure: settings.require_secure,
            open_metrics: settings.open_metrics,
            reload_check: Duration::from_secs(settings.reload_check_s),
            passwords: Arc::new(Semaphore::new(password_checks_max.min(Semaphore::MAX_PERMITS))),
            turns: Turns::default(),
            password_checks_max,
            password_wait: Duration::from_millis(password_wait_ms),
            password_limiter: Limiter::new(LimiterSettings { callers_max: PASSWORD_CALLERS_MAX, ..rates })
                .map(Arc::new),
            issuers: settings.issuers,
            watched: settings.watched,
            started: Instant::now(),
            changes: watch::Sender::new(0),
        }
    }

    /// The rules for the gateway as a whole.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Sets the rights to call and administer services.
    pub fn set_services(&mut self, services: HashMap<String, Access>) {
        self.services = services;
    }

    /// Sets the rights to administer API requesters.
    pub fn set_requesters(&mut self, requesters: HashMap<String, Access>) {
        self.requesters = requesters;
    }

    /// Sets the rights to administer APIs.
    pub fn set_apis(&mut self, apis: HashMap<String, Access>) {
        self.apis = apis;
    }

    /// Whether calls need TLS, unless an API decides otherwise.
    pub fn require_secure(&self) -> bool {
        self.require_secure
    }

    /// Headers with keys of callers. They must never be recorded.
    pub fn secret_headers(&self) -> Vec<HeaderName> {
        self.authenticators.key_headers().cloned().collect()
    }

    /// The arguments of `curl` for authentication, for a person to complete. Empty if there is no
    /// way to authenticate.
    pub fn curl_credentials(&self) -> String {
        let is_certificate = |way: &Authenticator| matches!(way, Authenticator::Certificate(_));
        match () {
            () if self.authenticators.takes_passwords() => " -u USER".to_owned(),
            () if self.authenticators.takes_tokens() => CURL_TOKEN.to_owned(),
            () => match self.authenticators.key_headers().next() {
                Some(header) => format!(" -H '{header}: KEY'"),
                None if self.authenticators.ways().iter().any(is_certificate) => CURL_CERTIFICATE.to_owned(),
                None => String::new(),
            },
        }
    }

    /// The arguments of `curl` for a call of an operation; empty if everybody may call it.
    pub fn curl_credentials_for(&self, guard: &OperationGuard) -> String {
        match self.protection(guard) {
            // Only tokens have scopes.
            protection if !protection.scopes.is_empty() => CURL_TOKEN.to_owned(),
            protection if protection.required => self.curl_credentials(),
            _ => String::new(),
        }
    }

    /// True if there is no way to authenticate.
    pub fn knows_nobody(&self) -> bool {
        self.authenticators.is_empty()
    }

    /// Admits a call or refuses it: TLS, identity, role, scopes, limits, in this order.
    ///
    /// # Errors
    /// The first condition that is not met.
    pub async fn admit<'g>(
        &self,
        guard: &'g OperationGuard,
        peer: &Peer,
        headers: &HeaderMap,
    ) -> Result<Admitted<'g>, Refusal> {
        if guard.require_secure && !peer.secure {
            return Err(Refusal::new(Failure::new(Code::TlsRequired)));
        }
        let identity = self.identify(peer, headers).await?;
        guard.allows(identity.as_deref()).map_err(|refused| self.refused(refused).of(identity.as_ref()))?;
        self.admit_known(guard, peer, identity)
    }

    /// Gives the caller of a request whose role is checked apart, or that only logs in: TLS, identity.
    /// `known` demands a known caller if calls need one. [`Security::admit_known`] then counts the call.
    ///
    /// # Errors
    /// The first condition that is not met.
    pub async fn enter(
        &self,
        guard: &OperationGuard,
        peer: &Peer,
        (headers, known): (&HeaderMap, bool),
    ) -> Result<Option<Arc<Identity>>, Refusal> {
        if guard.require_secure && !peer.secure {
            return Err(Refusal::new(Failure::new(Code::TlsRequired)));
        }
        let identity = if known { self.identify(peer, headers).await? } else { None };
        if known && identity.is_none() && guard.access.requires_auth() {
            return Err(self.refused(Refused::Unknown));
        }
        Ok(identity)
    }

    /// Admits a caller whose identity and rights were checked, if the limits of the API and of the
    /// operation let it. A refused caller takes nothing of what all callers share.
    ///
    /// # Errors
    /// A limit is reached.
    pub fn admit_known<'g>(
        &self,
        guard: &'g OperationGuard,
        peer: &Peer,
        identity: Option<Arc<Identity>>,
    ) -> Result<Admitted<'g>, Refusal> {
        let limiters = [guard.api_limiter.as_deref(), guard.limiter.as_deref()];
        let permits = Limiter::admit_by(limiters, caller(peer, identity.as_ref()), self.now_ns());
        let permits = permits.map_err(|limited| over(limited).of(identity.as_ref()))?;
        Ok(Admitted { identity, _permits: permits })
    }

    /// The refusal for a forbidden action.
    pub fn refusal(&self, refused: Refused<'_>, identity: Option<&Arc<Identity>>) -> Refusal {
        self.refused(refused).of(identity)
    }

    /// Counts a caller against a limit. A running request counts until the permit is dropped.
    ///
    /// # Errors
    /// The limit is reached.
    pub fn count<'l>(
        &self,
        limiter: &'l Limiter,
        peer: &Peer,
        identity: Option<&Arc<Identity>>,
    ) -> Result<Permit<'l>, Refusal> {
        limiter.admit(caller(peer, identity), self.now_ns()).map_err(|limited| over(limited).of(identity))
    }

    /// Lets a caller see the documents of an API, or refuses.
    ///
    /// # Errors
    /// There is no TLS, but it is needed. Or credentials are missing or wrong, or the caller has no
    /// right.
    pub async fn admit_reader(
        &self,
        guard: &ApiGuard,
        peer: &Peer,
        headers: &HeaderMap,
    ) -> Result<Option<Arc<Identity>>, Refusal> {
        if guard.require_secure && !peer.secure {
            return Err(Refusal::new(Failure::new(Code::TlsRequired)));
        }
        let identity = self.identify(peer, headers).await?;
        let allowed = guard.access.may_see_documents(identity.as_deref());
        allowed.map_err(|refused| self.refused(refused).of(identity.as_ref()))?;
        Ok(identity)
    }

    /// Authenticates the caller. Gives none if there are no credentials.
    ///
    /// # Errors
    /// The credentials are wrong, or cannot be verified now.
    pub async fn identify(&self, peer: &Peer, headers: &HeaderMap) -> Result<Option<Arc<Identity>>, Refusal> {
        if self.authenticators.is_empty() || peer.known.is_some() {
            return Ok(peer.known.clone());
        }
        let presented = Presented { headers, certificate: peer.certificate.as_ref() };
        let mut check = self.authenticators.check(presented, now_ms());
        if let Check::Keys(bearer) = &check {
            self.fetch_for_unknown_key(bearer).await;
            check = self.authenticators.check_again(presented, now_ms());
        }
        match check {
            Check::Known(identity) => Ok(Some(identity)),
            Check::Anonymous => Ok(None),
            Check::Denied(denied) => Err(self.denied(denied)),
            // Boxed, because few requests come here.
            Check::Password(_) | Check::Directory(_) => {
                Box::pin(self.verify_in_turn(presented, peer)).await.map(Some)
            }
            Check::Keys(_) => Err(Refusal::new(Failure::new(Code::Internal))),
        }
    }

    /// Verifies a password when no other request with the same credentials does so. What that one has found is remembered,
    /// and does not count again: a busy caller would exceed the rate of passwords by its own requests.
    async fn verify_in_turn(&self, presented: Presented<'_>, peer: &Peer) -> Result<Arc<Identity>, Refusal> {
        let turn = self.turns.of(presented.headers);
        let Ok(_turn) = tokio::time::timeout(self.password_wait, turn.lock()).await else {
            return Err(passwords_busy());
        };
        match self.authenticators.check(presented, now_ms()) {
            Check::Known(identity) => Ok(identity),
            Check::Denied(denied) => Err(self.denied(denied)),
            Check::Password(work) => self.verify(*work, peer).await,
            Check::Directory(question) => {
                self.count_password(peer)?;
                question.run(now_ms()).await.map_err(|denied| self.denied(denied))
            }
            Check::Anonymous | Check::Keys(_) => Err(Refusal::new(Failure::new(Code::Internal))),
        }
    }

    /// Counts the verification of a password, for all ways.
    fn count_password(&self, peer: &Peer) -> Result<(), Refusal> {
        match &self.password_limiter {
            Some(limiter) => {
                let counted = limiter.admit(Caller::Address(peer.address), self.now_ns());
                counted.map(drop).map_err(|limited| over_password_rate(over(limited), peer))
            }
            None => Ok(()),
        }
    }

    /// Verifies a password on a thread that serves no requests.
    async fn verify(&self, work: PasswordCheck, peer: &Peer) -> Result<Arc<Identity>, Refusal> {
        self.count_password(peer)?;
        let permit =
            tokio::time::timeout(self.password_wait, Arc::clone(&self.passwords).acquire_owned()).await;
        let Ok(Ok(permit)) = permit else { return Err(passwords_busy()) };
        let verified = tokio::task::spawn_blocking(move || {
            let verified = work.run(now_ms());
            drop(permit);
            verified
        });
        match verified.await {
            Ok(Ok(identity)) => Ok(identity),
            Ok(Err(denied)) => Err(self.denied(denied)),
            Err(error) => {
                let log = Some(format!("a password could not be verified: {error}"));
                Err(Refusal::new(Failure { log, ..Failure::new(Code::Internal) }))
            }
        }
    }

    async fn fetch_for_unknown_key(&self, bearer: &Arc<Bearer>) {
        let Some(issuer) = self.issuers.iter().find(|issuer| Arc::ptr_eq(&issuer.bearer, bearer)) else {
            return;
        };
        // A request that waited here for another's fetch finds that the pause has begun. It uses
        // the result of that fetch.
        let _fetching = issuer.fetching.lock().await;
        if issuer.bearer.keys().may_fetch(now_ms()) {
            issuer.fetch().await;
        }
    }

    fn denied(&self, denied: Denied) -> Refusal {
        if denied.kind == DeniedKind::Unavailable {
            let failure = Failure { log: Some(denied.reason), ..Failure::new(Code::AuthenticationBusy) };
            return Refusal::new(failure).retry_after(RETRY_AFTER_S);
        }
        let challenges = self.authenticators.challenges(&denied);
        let failure = Failure { log: Some(denied.reason), ..Failure::new(Code::Unauthenticated) };
        Refusal { headers: challenge_headers(&challenges), ..Refusal::new(failure) }
    }

    fn refused(&self, refused: Refused<'_>) -> Refusal {
        match refused {
            Refused::Unknown => self.denied(Denied::missing()),
            Refused::Role(role) => {
                let (code, text) = (Code::RoleMissing.as_str(), Code::RoleMissing.text());
                let details = format!("{code}: {text} ({})", role.as_str());
                Refusal::new(Failure::with_details(Code::NotAuthorized, details))
            }
            Refused::Scope(scopes) => {
                let details = format!("needed: {}", scopes.join(" "));
                let headers = challenge_headers(&[self.authenticators.scope_challenge(scopes)]);
                Refusal { headers, ..Refusal::new(Failure::with_details(Code::ScopeMissing, details)) }
            }
        }
    }

    fn now_ns(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// The pause between checks of files; none is never.
    pub fn reload_check(&self) -> Option<Duration> {
        (!self.reload_check.is_zero()).then_some(self.reload_check)
    }

    /// Reads changed files of users and keys again.
    pub fn look(&self) {
        let read = self.watched.iter().filter(|watched| watched.look()).count();
        if read > 0 {
            self.tell_of_change();
        }
    }

    /// Keeps the keys of issuers fresh while this object lives.
    pub fn keep_fresh(self: &Arc<Self>) {
        // Without a runtime nobody can ask for keys either.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        for at in 0..self.issuers.len() {
            let this = Arc::downgrade(self);
            runtime.spawn(async move {
                while let Some(this) = this.upgrade() {
                    let pause = this.issuers[at].refresh().await;
                    drop(this);
                    tokio::time::sleep(pause).await;
                }
            });
        }
    }
}

impl Issuer {
    /// An issuer. Its keys are fetched from `source` every `refresh_s` seconds, at least one.
    pub fn new(bearer: Arc<Bearer>, source: Arc<dyn KeySource>, refresh_s: u64) -> Self {
        Self { bearer, source, refresh: Duration::from_secs(refresh_s.max(1)), fetching: Mutex::new(()) }
    }

    /// Fetches the keys once. True if this succeeds.
    async fn fetch(&self) -> bool {
        let fetched = match self.source.fetch().await {
            Ok(jwks) => self.bearer.replace_keys(&jwks).map_err(|error| error.to_string()),
            Err(error) => Err(error),
        };
        if let Err(error) = &fetched {
            tracing::warn!(source = ?self.source, error, "keys of an issuer cannot be fetched");
        }
        fetched.is_ok()
    }

    /// Fetches the keys. Gives the time until the next fetch.
    async fn refresh(&self) -> Duration {
        let _fetching = self.fetching.lock().await;
        // Repeat a failed fetch soon: until then, its users may be unknown.
        if self.fetch().await { self.refresh } else { self.refresh.min(FETCH_AGAIN) }
    }

    /// Whether the keys come from the same source.
    fn is_like(&self, other: &Self) -> bool {
        format!("{:?}", self.source) == format!("{:?}", other.source)
    }
}

/// The caller of a request, as limits count it.
fn caller<'c>(peer: &Peer, identity: Option<&'c Arc<Identity>>) -> Caller<'c> {
    identity.map_or(Caller::Address(peer.address), |identity| Caller::User(&identity.name))
}

/// The refusal of a request that has waited too long for its turn.
fn passwords_busy() -> Refusal {
    let log = Some("too many passwords wait for their verification".to_owned());
    Refusal::new(Failure { log, ..Failure::new(Code::AuthenticationBusy) }).retry_after(RETRY_AFTER_S)
}

/// The refusal of an address whose passwords are no longer verified for a while.
fn over_password_rate(mut refusal: Refusal, peer: &Peer) -> Refusal {
    let details = "too many passwords from this address, `security.password_rate`";
    refusal.failure.details = Some(details.to_owned());
    refusal.failure.log =
        Some(format!("{} sends more passwords than `security.password_rate` lets", peer.address));
    refusal
}

fn over(limited: Limited) -> Refusal {
    match limited {
        Limited::Rate { retry_after_s, caller } => {
            let details = if caller { "the caller's rate" } else { "the rate of all callers" };
            let failure = Failure::with_details(Code::TooManyRequests, details);
            Refusal::new(failure).retry_after(retry_after_s)
        }
        Limited::Concurrency { caller } => {
            let details = if caller {
                "the limit is the caller's own: `limits.caller_concurrent_max`"
            } else {
                "the limit is that of all callers: `limits.concurrent_max`"
            };
            Refusal::new(Failure::with_details(Code::TooManyAtOnce, details)).retry_after(RETRY_AFTER_S)
        }
    }
}

fn challenge_headers(challenges: &[String]) -> Vec<(HeaderName, HeaderValue)> {
    // Challenges with other characters than visible ASCII are not sent.
    challenges.iter().filter_map(|text| Some((WWW_AUTHENTICATE, HeaderValue::from_str(text).ok()?))).collect()
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
