//! Admission of requests: who calls, whether they may, and how often.

mod administration;
mod described;
mod inherit;
mod inquiry;
mod session;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use failure::{Code, Failure};
use http::header::{HeaderMap, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue};
use security::jwt::{Bearer, KeySource};
use security::{
    Access, Authenticators, Caller, CertificateNames, Check, Cors, Denied, DeniedKind, Identity, Limited,
    Limiter, LimiterSettings, PasswordCheck, Permit, Presented, Rate, Refused,
};
use tokio::sync::{Mutex, Semaphore};

pub use administration::Admin;
pub use session::LoggedIn;

use crate::hosts::Hosts;
use crate::presence::Presence;
use crate::reload::Watched;

/// Seconds after which a caller may try again where nothing better is known.
const RETRY_AFTER_S: u64 = 1;
/// Time until keys are fetched again that could not be.
const FETCH_AGAIN: Duration = Duration::from_secs(10);
/// Callers whose passwords are counted.
const PASSWORD_CALLERS_MAX: usize = 10_000;

/// The way by which requests come. Pipelines have handlers for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// HTTP, by a listener that may have a name.
    Http(Option<Arc<str>>),
    /// The queue of this name.
    Queue(Arc<str>),
}

/// What is known of the other end of a connection.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Where it calls from.
    pub address: IpAddr,
    /// Whether the connection has TLS.
    pub secure: bool,
    /// The host names for which the listener answers.
    pub hosts: Arc<Hosts>,
    /// By which way it came.
    pub way: Way,
    /// The names in its client certificate.
    pub certificate: Option<CertificateNames>,
    /// Whether it is still there, for requests that wait.
    pub presence: Presence,
    /// Who it is, if nothing that it sends must prove that: a listener of a queue.
    pub known: Option<Arc<Identity>>,
}

/// Everything that [`Security`] is made of.
pub struct SecuritySettings {
    /// The ways to be known.
    pub authenticators: Authenticators,
    /// The rules for the gateway as a whole.
    pub access: Access,
    /// Calls need TLS, unless an API says otherwise.
    pub require_secure: bool,
    /// Everybody may read the metrics.
    pub open_metrics: bool,
    /// Seconds between two looks at the watched files; 0 is never.
    pub reload_check_s: u64,
    /// Passwords that are verified at one time.
    pub password_checks_max: usize,
    /// Milliseconds that a call waits for the verification of its password.
    pub password_wait_ms: u64,
    /// Passwords of one address that are verified; none is without a limit.
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
    /// Who may do what with which service, and with which API.
    services: HashMap<String, Access>,
    requesters: HashMap<String, Access>,
    apis: HashMap<String, Access>,
    require_secure: bool,
    open_metrics: bool,
    reload_check: Duration,
    /// Verifying a password takes so much CPU and memory that only a few may be verified at one time.
    passwords: Arc<Semaphore>,
    password_checks_max: usize,
    password_wait: Duration,
    password_limiter: Option<Arc<Limiter>>,
    issuers: Vec<Issuer>,
    watched: Vec<Watched>,
    started: Instant,
}

/// An issuer whose keys are fetched.
#[derive(Debug)]
pub struct Issuer {
    bearer: Arc<Bearer>,
    source: Arc<dyn KeySource>,
    refresh: Duration,
    /// Held during a fetch, so that there is one at a time.
    fetching: Mutex<()>,
}

/// What guards an API.
#[derive(Debug)]
pub struct ApiGuard {
    /// Who may call its operations, and see its documents.
    pub access: Access,
    /// Its documents need TLS.
    pub require_secure: bool,
    /// What pages of other sites may send; none is nothing.
    pub cors: Option<Cors>,
    /// What all of its operations share.
    pub limiter: Option<Arc<Limiter>>,
    /// In the order of the API's operations.
    pub operations: Vec<OperationGuard>,
}

/// What guards an operation.
#[derive(Debug)]
pub struct OperationGuard {
    /// Who may call.
    pub access: Access,
    /// Those of its services that name groups of their own.
    pub service_access: Box<[Access]>,
    /// Calls need TLS.
    pub require_secure: bool,
    /// What a token must have, all of them.
    pub scopes: Box<[Box<str>]>,
    /// The limiter that the API's operations share.
    pub api_limiter: Option<Arc<Limiter>>,
    /// The operation's own.
    pub limiter: Option<Arc<Limiter>>,
}

/// A request that is let in; dropped when it has ended.
#[derive(Debug, Default)]
pub struct Admitted<'g> {
    /// Who calls, if that is known.
    pub identity: Option<Arc<Identity>>,
    _permits: [Option<Permit<'g>>; 2],
}

/// A request that is not let in.
#[derive(Debug)]
pub struct Refusal {
    /// What the caller learns, and what the log has.
    pub failure: Failure,
    /// Headers of the answer.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// Who was refused, if that is known.
    pub identity: Option<Arc<Identity>>,
}

impl Refusal {
    /// Without further headers.
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
    /// Security that has let in nobody yet. Rules of APIs, services and API requesters are set later.
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
            password_checks_max,
            password_wait: Duration::from_millis(password_wait_ms),
            password_limiter: Limiter::new(LimiterSettings { callers_max: PASSWORD_CALLERS_MAX, ..rates })
                .map(Arc::new),
            issuers: settings.issuers,
            watched: settings.watched,
            started: Instant::now(),
        }
    }

    /// The rules for the gateway as a whole.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Says who may call and administer services.
    pub fn set_services(&mut self, services: HashMap<String, Access>) {
        self.services = services;
    }

    /// Says who may administer API requesters.
    pub fn set_requesters(&mut self, requesters: HashMap<String, Access>) {
        self.requesters = requesters;
    }

    /// Says who may administer APIs.
    pub fn set_apis(&mut self, apis: HashMap<String, Access>) {
        self.apis = apis;
    }

    /// Whether calls need TLS where an API does not say otherwise.
    pub fn require_secure(&self) -> bool {
        self.require_secure
    }

    /// Headers that hold keys of callers, and so are never written down.
    pub fn secret_headers(&self) -> Vec<HeaderName> {
        self.authenticators.key_headers().cloned().collect()
    }

    /// What `curl` needs to be known, as a person completes it; nothing if nobody can be, or by certificates alone.
    pub fn curl_credentials(&self) -> String {
        match () {
            () if self.authenticators.takes_passwords() => " -u USER".to_owned(),
            () if self.authenticators.takes_tokens() => " -H 'authorization: Bearer TOKEN'".to_owned(),
            () => match self.authenticators.key_headers().next() {
                Some(header) => format!(" -H '{header}: KEY'"),
                None => String::new(),
            },
        }
    }

    /// True if there is no way to be known.
    pub fn knows_nobody(&self) -> bool {
        self.authenticators.is_empty()
    }

    /// Lets a call in, or not: TLS, identity, role, scopes, limits, in this order.
    ///
    /// # Errors
    /// The first of them that is not met.
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
        let permits = self.permits(guard, peer, identity.as_ref())?;
        Ok(Admitted { identity, _permits: permits })
    }

    /// Lets somebody in whose role is looked at later, or who only logs in: TLS, identity, limits. `known` says that the
    /// caller must be known where callers must be.
    ///
    /// # Errors
    /// The first of them that is not met.
    pub async fn admit_any_role<'g>(
        &self,
        guard: &'g OperationGuard,
        peer: &Peer,
        (headers, known): (&HeaderMap, bool),
    ) -> Result<Admitted<'g>, Refusal> {
        if guard.require_secure && !peer.secure {
            return Err(Refusal::new(Failure::new(Code::TlsRequired)));
        }
        let identity = if known { self.identify(peer, headers).await? } else { None };
        if known && identity.is_none() && guard.access.requires_auth() {
            return Err(self.refused(Refused::Unknown));
        }
        let permits = self.permits(guard, peer, identity.as_ref())?;
        Ok(Admitted { identity, _permits: permits })
    }

    /// Counts a call against the limits of its API and its own.
    fn permits<'g>(
        &self,
        guard: &'g OperationGuard,
        peer: &Peer,
        identity: Option<&Arc<Identity>>,
    ) -> Result<[Option<Permit<'g>>; 2], Refusal> {
        let mut permits = [None, None];
        let limiters = [guard.api_limiter.as_deref(), guard.limiter.as_deref()];
        for (permit, limiter) in permits.iter_mut().zip(limiters) {
            if let Some(limiter) = limiter {
                *permit = Some(self.count(limiter, peer, identity)?);
            }
        }
        Ok(permits)
    }

    /// What somebody hears who may not do something.
    pub fn refusal(&self, refused: Refused<'_>, identity: Option<&Arc<Identity>>) -> Refusal {
        self.refused(refused).of(identity)
    }

    /// Counts somebody against a limit; what is counted as running lasts until the permit is dropped.
    ///
    /// # Errors
    /// The limit is reached.
    pub fn count<'l>(
        &self,
        limiter: &'l Limiter,
        peer: &Peer,
        identity: Option<&Arc<Identity>>,
    ) -> Result<Permit<'l>, Refusal> {
        let caller = identity.map_or(Caller::Address(peer.address), |identity| Caller::User(&identity.name));
        limiter.admit(caller, self.now_ns()).map_err(|limited| over(limited).of(identity))
    }

    /// Lets somebody see the documents of an API, or not.
    ///
    /// # Errors
    /// There is no TLS where it is needed; credentials are missing or wrong; the caller may not.
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

    /// Finds out who calls; nobody, if nothing is presented.
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
            Check::Password(work) => self.verify(*work, peer).await.map(Some),
            Check::Directory(question) => {
                self.count_password(peer)?;
                question.run(now_ms()).await.map(Some).map_err(|denied| self.denied(denied))
            }
            Check::Keys(_) => Err(Refusal::new(Failure::new(Code::Internal))),
        }
    }

    /// Counts a password that must be verified, whoever does it.
    fn count_password(&self, peer: &Peer) -> Result<(), Refusal> {
        match &self.password_limiter {
            Some(limiter) => {
                limiter.admit(Caller::Address(peer.address), self.now_ns()).map(drop).map_err(over)
            }
            None => Ok(()),
        }
    }

    /// Verifies a password on a thread that serves nobody.
    async fn verify(&self, work: PasswordCheck, peer: &Peer) -> Result<Arc<Identity>, Refusal> {
        self.count_password(peer)?;
        let permit =
            tokio::time::timeout(self.password_wait, Arc::clone(&self.passwords).acquire_owned()).await;
        let Ok(Ok(permit)) = permit else {
            let log = Some("too many passwords wait for their verification".to_owned());
            let failure = Failure { log, ..Failure::new(Code::AuthenticationBusy) };
            return Err(Refusal::new(failure).retry_after(RETRY_AFTER_S));
        };
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
        // Whoever waited here while another fetched finds the pause begun, and looks at what was fetched.
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

    /// How often files are looked at for changes; none is never.
    pub fn reload_check(&self) -> Option<Duration> {
        (!self.reload_check.is_zero()).then_some(self.reload_check)
    }

    /// Reads files of users and keys again that have changed.
    pub fn look(&self) {
        self.watched.iter().for_each(Watched::look);
    }

    /// Keeps the keys of issuers fresh for as long as this serves.
    pub fn keep_fresh(self: &Arc<Self>) {
        // Without a runtime there is nobody who could ask for keys either.
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
    /// An issuer whose keys are fetched from there again after these seconds, at least one.
    pub fn new(bearer: Arc<Bearer>, source: Arc<dyn KeySource>, refresh_s: u64) -> Self {
        Self { bearer, source, refresh: Duration::from_secs(refresh_s.max(1)), fetching: Mutex::new(()) }
    }

    /// Fetches the keys once. True if there are some.
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

    /// Fetches the keys; gives the time until that is due again.
    async fn refresh(&self) -> Duration {
        let _fetching = self.fetching.lock().await;
        // A fetch that failed is tried again soon: nobody may be known before.
        if self.fetch().await { self.refresh } else { self.refresh.min(FETCH_AGAIN) }
    }

    /// Whether the keys come from the same place.
    fn is_like(&self, other: &Self) -> bool {
        format!("{:?}", self.source) == format!("{:?}", other.source)
    }
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
    // Realms of other characters than visible ASCII are not shown.
    challenges.iter().filter_map(|text| Some((WWW_AUTHENTICATE, HeaderValue::from_str(text).ok()?))).collect()
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
