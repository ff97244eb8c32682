//! Security in its written form: the keys of `[security]`, `[limits]`, `[cors]` and of TLS.

use std::collections::BTreeMap;

use security::jwt::TOKEN_MAX_BYTES_DEFAULT;
use security::{
    Access, CALLERS_MAX_DEFAULT, COOKIE_NAME_DEFAULT, Rate, RoleGroups, TOKEN_EXPIRY_MIN_DEFAULT,
};
use serde::Deserialize;
use settings::SecretSection;
use toml::Spanned;

/// `[security]` of `gantry.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SecuritySection {
    /// The realm of challenges.
    pub(super) realm: String,
    /// True if callers must be known. The default is true if there is an authenticator.
    pub(super) require_auth: Option<bool>,
    /// True if APIs are served only over TLS.
    pub(super) require_secure: bool,
    /// True if unknown callers may read metrics.
    pub(super) open_metrics: bool,
    /// Seconds between checks of the files of certificates, users and keys; 0 is never.
    pub(super) reload_check_s: u64,
    /// Days before the end of a certificate from which on there are warnings; 0 is from its end on.
    pub(super) certificate_warning_days: u32,
    /// The most passwords that are verified at one time.
    pub(super) password_checks_max: usize,
    /// The longest wait of a request for the verification of its password.
    pub(super) password_wait_ms: u64,
    /// The rate of password verifications for one address.
    pub(super) password_rate: RateSection,
    pub(super) roles: RolesSection,
    pub(super) authenticator: Vec<Spanned<AuthenticatorSection>>,
}

/// The default of `certificate_warning_days`.
const CERTIFICATE_WARNING_DAYS: u32 = 30;

impl SecuritySection {
    /// Days before the end of a certificate from which on there are warnings.
    #[must_use]
    pub fn certificate_warning_days(&self) -> u32 {
        self.certificate_warning_days
    }
}

impl Default for SecuritySection {
    fn default() -> Self {
        Self {
            realm: "gantry".to_owned(),
            require_auth: None,
            require_secure: false,
            open_metrics: false,
            reload_check_s: 5,
            certificate_warning_days: CERTIFICATE_WARNING_DAYS,
            password_checks_max: 2,
            password_wait_ms: 5_000,
            password_rate: RateSection { requests: 60, per_ms: 60_000, burst: Some(30) },
            roles: RolesSection::default(),
            authenticator: Vec::new(),
        }
    }
}

/// `roles = { invoke = ["staff"] }`: the groups that have each role.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RolesSection {
    pub(super) admin: Option<Vec<Box<str>>>,
    pub(super) operations: Option<Vec<Box<str>>>,
    pub(super) invoke: Option<Vec<Box<str>>>,
    pub(super) reader: Option<Vec<Box<str>>>,
}

impl RolesSection {
    pub(super) fn groups(&self) -> RoleGroups {
        RoleGroups {
            admin: self.admin.clone(),
            operations: self.operations.clone(),
            invoke: self.invoke.clone(),
            reader: self.reader.clone(),
        }
    }
}

/// `[security]` of an API or a service.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OwnSecuritySection {
    pub(super) require_auth: Option<Spanned<bool>>,
    pub(super) require_secure: Option<bool>,
    pub(super) roles: RolesSection,
}

/// `[security]` of an API requester.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RequesterSecuritySection {
    require_auth: Option<bool>,
    roles: RolesSection,
}

impl RequesterSecuritySection {
    /// The rights to administer it, with the gateway's rules as defaults, and the rights of
    /// programs to call it. The default for programs is everybody.
    pub fn access(&self, outer: &Access) -> (Access, Access) {
        let own = self.roles.groups();
        let require_auth = self.require_auth.unwrap_or(own.invoke.is_some());
        (outer.specific(&own, None), Access::global(own, require_auth))
    }
}

/// `rate = { requests = 100, per_ms = 1000, burst = 20 }`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RateSection {
    pub(super) requests: u32,
    #[serde(default = "second")]
    pub(super) per_ms: u64,
    /// Requests that may come at once; the default is `requests`.
    pub(super) burst: Option<u32>,
}

fn second() -> u64 {
    1_000
}

impl RateSection {
    pub(super) fn rate(self) -> Option<Rate> {
        Rate::new(self.requests, self.per_ms, self.burst.unwrap_or(self.requests))
    }
}

/// `[limits]` of an API or an operation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CallLimitsSection {
    pub(super) rate: Option<Spanned<RateSection>>,
    pub(super) caller_rate: Option<Spanned<RateSection>>,
    pub(super) concurrent_max: Option<Spanned<u32>>,
    pub(super) caller_concurrent_max: Option<Spanned<u32>>,
    pub(super) callers_max: usize,
}

impl Default for CallLimitsSection {
    fn default() -> Self {
        Self {
            rate: None,
            caller_rate: None,
            concurrent_max: None,
            caller_concurrent_max: None,
            callers_max: CALLERS_MAX_DEFAULT,
        }
    }
}

/// `[cors]` of an API.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorsSection {
    pub(super) origins: Spanned<Vec<String>>,
    pub(super) methods: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    pub(super) headers: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) expose_headers: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) credentials: bool,
    #[serde(default = "ten_minutes")]
    pub(super) max_age_s: u32,
}

fn ten_minutes() -> u32 {
    600
}

/// `[[security.authenticator]]`.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum AuthenticatorSection {
    Basic {
        /// The file of users.
        users: String,
        #[serde(default = "thousand")]
        cached_passwords_max: usize,
        #[serde(default = "five_minutes")]
        password_cache_s: u64,
    },
    Ldap(Box<LdapSection>),
    ApiKey {
        /// The file of keys.
        keys: String,
        #[serde(default = "api_key_header")]
        header: String,
    },
    Jwt(Box<JwtSection>),
    Certificate {
        /// The kind of name that identifies the user.
        user: NameWord,
        /// The names of users. If it is given, other names are not users.
        #[serde(default)]
        users: BTreeMap<String, CertificateUser>,
        /// Groups of all users with a certificate.
        #[serde(default)]
        groups: Vec<String>,
        /// True if the organizational units of the subject are groups.
        #[serde(default)]
        units_are_groups: bool,
    },
    Token {
        /// The key that signs tokens. All instances need the same.
        key: Option<SecretSection>,
        /// Earlier keys, whose tokens are still accepted.
        #[serde(default)]
        previous_keys: Vec<SecretSection>,
        #[serde(default = "cookie_name")]
        cookie: String,
        /// Minutes after which a token ends.
        #[serde(default = "token_expiry_min")]
        expiry_min: u32,
        /// The file that keeps the tokens ended by logouts.
        ended: Option<String>,
    },
}

fn cookie_name() -> String {
    COOKIE_NAME_DEFAULT.to_owned()
}

fn token_expiry_min() -> u32 {
    TOKEN_EXPIRY_MIN_DEFAULT
}

fn thousand() -> usize {
    1_000
}

fn five_minutes() -> u64 {
    300
}

fn api_key_header() -> String {
    "x-api-key".to_owned()
}

/// `user`, of a certificate.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum NameWord {
    CommonName,
    Dns,
    Email,
    Uri,
}

/// `"mary@example.com" = { user = "mary", groups = ["staff"] }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CertificateUser {
    pub(super) user: String,
    #[serde(default)]
    pub(super) groups: Vec<String>,
}

/// The keys of an `ldap` authenticator.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(feature = "ldap"), allow(dead_code))]
pub(super) struct LdapSection {
    /// URLs, asked in turn until one answers.
    pub(super) servers: Vec<String>,
    /// True if `ldap://` changes to TLS before anything else is sent.
    #[serde(default)]
    pub(super) start_tls: bool,
    /// The authorities of the servers' certificates, in place of those of the system.
    pub(super) ca: Option<String>,
    /// The entry that binds for look-ups.
    pub(super) bind_dn: Option<String>,
    pub(super) bind_password: Option<SecretSection>,
    /// The name of a user's entry, as a pattern.
    pub(super) user_dn: Option<String>,
    /// Or the base of the search for users, and its filter.
    pub(super) user_base: Option<String>,
    pub(super) user_filter: Option<String>,
    /// The attribute with the user's name in this gateway.
    #[serde(default = "uid")]
    pub(super) name_attribute: String,
    /// The attribute with the groups' names.
    pub(super) groups_attribute: Option<String>,
    /// The base of groups that count, or of the search for groups.
    pub(super) group_base: Option<String>,
    /// The filter of the search for groups.
    pub(super) group_filter: Option<String>,
    #[serde(default)]
    pub(super) nested_groups_max_depth: usize,
    #[serde(default)]
    pub(super) whole_group_names: bool,
    #[serde(default = "four")]
    pub(super) connections_max: usize,
    #[serde(default = "five_seconds")]
    pub(super) timeout_ms: u64,
    #[serde(default = "thousand")]
    pub(super) cached_passwords_max: usize,
    #[serde(default = "five_minutes")]
    pub(super) password_cache_s: u64,
}

fn uid() -> String {
    "uid".to_owned()
}
fn four() -> usize {
    4
}

/// The keys of a `jwt` authenticator.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JwtSection {
    pub(super) issuer: String,
    pub(super) audiences: Vec<String>,
    pub(super) algorithms: Vec<String>,
    /// A file with a JWKS.
    pub(super) jwks_file: Option<String>,
    /// The URL of a JWKS.
    pub(super) jwks_url: Option<String>,
    /// The authorities of the certificate of this URL's server, in place of those of the system.
    pub(super) jwks_ca: Option<String>,
    /// The secret of HS256, HS384, HS512.
    pub(super) secret: Option<SecretSection>,
    #[serde(default = "minute")]
    pub(super) leeway_s: u64,
    #[serde(default)]
    pub(super) required_claims: Vec<String>,
    #[serde(default)]
    pub(super) claim_values: BTreeMap<String, Vec<String>>,
    #[serde(default = "sub")]
    pub(super) user_claim: String,
    #[serde(default = "groups")]
    pub(super) groups_claims: Vec<String>,
    #[serde(default = "scope")]
    pub(super) scope_claim: String,
    #[serde(default = "token_max_bytes")]
    pub(super) token_max_bytes: usize,
    #[serde(default = "ten_thousand")]
    pub(super) cached_tokens_max: usize,
    /// The pause between fetches of the JWKS.
    #[serde(default = "hour")]
    pub(super) jwks_refresh_s: u64,
    /// The shortest pause between fetches because of unknown keys.
    #[serde(default = "half_minute")]
    pub(super) jwks_pause_s: u64,
    #[serde(default = "five_seconds")]
    pub(super) jwks_timeout_ms: u64,
    #[serde(default = "jwks_max_bytes")]
    pub(super) jwks_max_bytes: usize,
}

fn minute() -> u64 {
    60
}
fn half_minute() -> u64 {
    30
}
fn hour() -> u64 {
    3_600
}
fn five_seconds() -> u64 {
    5_000
}
fn ten_thousand() -> usize {
    10_000
}
fn token_max_bytes() -> usize {
    TOKEN_MAX_BYTES_DEFAULT
}
fn jwks_max_bytes() -> usize {
    256 * 1024
}
fn sub() -> String {
    "sub".to_owned()
}
fn groups() -> Vec<String> {
    vec!["groups".to_owned()]
}
fn scope() -> String {
    "scope".to_owned()
}

/// `sni = [{ certificate = "...", private_key = "..." }]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateSection {
    /// The file of the chain.
    pub certificate: Spanned<String>,
    /// The file of its key.
    pub private_key: Spanned<String>,
}

/// `client_certificates`.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ClientCertificates {
    /// Clients are not asked for a certificate.
    #[default]
    None,
    /// Clients are asked, but need not have one.
    Optional,
    /// A handshake without a certificate fails.
    Required,
}
