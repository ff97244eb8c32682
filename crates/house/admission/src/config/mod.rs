//! Security in the configuration: turns sections into running parts. A [`SecurityReader`] reads the
//! sections.

#[cfg(feature = "ldap")]
mod ldap;
mod written;

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use http::{HeaderName, Method};
use security::jwt::{Algorithm, Bearer, BearerSettings, ClaimPath, KeyRing};
use security::{
    Access, ApiKeys, Authenticator, Authenticators, CertificateRule, Cors, CorsSettings, DirectoryUsers,
    Limiter, LimiterSettings, NameSource, RoleGroups, Secret, Tokens, UserRule, Users,
};
use toml::Spanned;

use settings::{CertificatesOf, Files, Loader, SecretSection};

use crate::admit::now_ms;
use crate::ended::{ENDED_FILE, EndedFile, OLD_ENDED_FILE};
use crate::{
    ApiGuard, HttpKeys, HttpKeysSettings, Issuer, OperationGuard, Security, SecuritySettings, Unread, Watched,
};
use written::{AuthenticatorSection, JwtSection, LdapSection, NameWord, RateSection};
pub use written::{
    CallLimitsSection, CertificateSection, ClientCertificates, CorsSection, OwnSecuritySection,
    RequesterSecuritySection, SecuritySection,
};

impl OwnSecuritySection {
    /// The rights for the service itself, apart from APIs.
    pub fn access(&self, security: &Security) -> Access {
        security.access().specific(&self.roles.groups(), self.requires_auth(security))
    }

    /// Whether callers must be known here; none if the section leaves that to others. Groups that may call
    /// mean known callers, if callers can be known at all.
    fn requires_auth(&self, security: &Security) -> Option<bool> {
        let by_groups = || (self.roles.invoke.is_some() && !security.knows_nobody()).then_some(true);
        self.require_auth.as_ref().map(|require| *require.get_ref()).or_else(by_groups)
    }
}

impl SecuritySection {
    /// The place of the first authenticator whose tokens the gateway signs itself. None if no authenticator
    /// signs its own tokens.
    pub fn own_tokens(&self) -> Option<Range<usize>> {
        let is_token = |section: &&Spanned<AuthenticatorSection>| {
            matches!(section.get_ref(), AuthenticatorSection::Token { .. })
        };
        self.authenticator.iter().find(is_token).map(Spanned::span)
    }

    /// The users that the authenticators name, each with its place. A file that cannot be read
    /// names no users.
    pub fn named_users(&self, files: &Files) -> Vec<(String, String)> {
        let mut named = Vec::new();
        for section in &self.authenticator {
            match section.get_ref() {
                AuthenticatorSection::Basic { users: file, .. }
                | AuthenticatorSection::ApiKey { keys: file, .. } => {
                    let text = files.read(file).unwrap_or_default();
                    let lines = text.lines().filter(|line| !line.starts_with('#'));
                    let names = lines.filter_map(|line| line.split_once(':'));
                    named.extend(names.map(|(name, _)| (name.trim().to_owned(), file.clone())));
                }
                AuthenticatorSection::Certificate { users, .. } => {
                    let place = || "users of certificates".to_owned();
                    named.extend(users.values().map(|found| (found.user.clone(), place())));
                }
                AuthenticatorSection::Ldap(_)
                | AuthenticatorSection::Jwt(_)
                | AuthenticatorSection::Token { .. } => {}
            }
        }
        named
    }
}

/// The parts of the authenticators.
#[derive(Default)]
struct Parts {
    ways: Vec<Authenticator>,
    issuers: Vec<Issuer>,
    watched: Vec<Watched>,
}

impl Parts {
    /// Watches a file on disk, if it is one.
    fn watch(
        &mut self,
        unread: Option<Unread>,
        take: impl Fn(&str) -> Result<(), String> + Send + Sync + 'static,
    ) {
        self.watched.extend(unread.map(|unread| unread.watched_texts(take)));
    }
}

/// Reads the sections of one file.
pub struct SecurityReader<'a, 'f> {
    /// Reads files and gathers problems.
    pub loader: &'a mut Loader<'f>,
    /// The present file, for problems.
    pub path: &'a str,
}

impl SecurityReader<'_, '_> {
    /// The security of the gateway as a whole.
    pub fn security(&mut self, section: &SecuritySection) -> Security {
        let mut parts = Parts::default();
        for authenticator in &section.authenticator {
            if let Err(message) = self.authenticator(authenticator.get_ref(), &mut parts) {
                self.at(authenticator.span(), message);
            }
        }
        let authenticators = Authenticators::new(parts.ways, section.realm.clone());
        // A faulty authenticator counts as one, too, so that no further message follows from it.
        let require_auth = section.require_auth.unwrap_or(!section.authenticator.is_empty());
        if require_auth && section.authenticator.is_empty() {
            self.loader.at_file(
                self.path,
                "security.require_auth is true, but there is no [[security.authenticator]]",
            );
        }
        let password_rate = section.password_rate.rate();
        if password_rate.is_none() || section.password_checks_max == 0 {
            self.loader
                .at_file(self.path, "security.password_rate and security.password_checks_max must not be 0");
        }
        Security::new(SecuritySettings {
            authenticators,
            access: Access::global(section.roles.groups(), require_auth),
            require_secure: section.require_secure,
            open_metrics: section.open_metrics || section.authenticator.is_empty(),
            reload_check_s: section.reload_check_s,
            password_checks_max: section.password_checks_max,
            password_wait_ms: section.password_wait_ms,
            password_rate,
            issuers: parts.issuers,
            watched: parts.watched,
        })
    }

    fn at(&mut self, span: Range<usize>, message: impl Into<String>) {
        self.loader.at(self.path, span, message);
    }

    fn read(&self, path: &str) -> Result<String, String> {
        self.loader.files.read(path).map_err(|error| format!("{}: {error}", self.loader.files.display(path)))
    }

    /// Reads a file that a command makes.
    fn read_or(&self, path: &str, command: &str) -> Result<String, String> {
        let shown = self.loader.files.display(path);
        self.loader.files.read(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => format!("{shown}: {error}; {command} makes it"),
            _ => format!("{shown}: {error}"),
        })
    }

    /// A file on disk that will be watched. Call this before it is read.
    fn unread(&self, path: &str) -> Option<Unread> {
        self.loader.files.on_disk(path).map(|file| Unread::note(vec![file]))
    }

    fn authenticator(&self, section: &AuthenticatorSection, parts: &mut Parts) -> Result<(), String> {
        let way = match section {
            AuthenticatorSection::Basic { users, cached_passwords_max, password_cache_s } => {
                let unread = self.unread(users);
                let text = self.read_or(users, "gantry user add")?;
                let parsed = Users::parse(&text, *cached_passwords_max, *password_cache_s);
                let parsed = Arc::new(parsed.map_err(|error| format!("{users}: {error}"))?);
                let again = Arc::clone(&parsed);
                parts.watch(unread, move |text| again.replace(text).map_err(|error| error.to_string()));
                Authenticator::Basic(parsed)
            }
            AuthenticatorSection::Ldap(section) => Authenticator::Directory(self.directory(section)?),
            AuthenticatorSection::ApiKey { keys, header } => {
                let name: HeaderName =
                    header.parse().map_err(|_| format!("'{header}' cannot be a header's name"))?;
                let unread = self.unread(keys);
                let text = self.read_or(keys, "gantry key add")?;
                let parsed = ApiKeys::parse(name, &text);
                let parsed = Arc::new(parsed.map_err(|error| format!("{keys}: {error}"))?);
                let again = Arc::clone(&parsed);
                parts.watch(unread, move |text| again.replace(text).map_err(|error| error.to_string()));
                Authenticator::ApiKey(parsed)
            }
            AuthenticatorSection::Jwt(section) => Authenticator::Bearer(self.bearer(section, parts)?),
            AuthenticatorSection::Token { key, previous_keys, cookie, expiry_min, ended } => {
                let keys = key.iter().chain(previous_keys).map(|key| self.secret(key));
                let keys = keys.collect::<Result<Vec<_>, _>>()?;
                if key.is_none() && !previous_keys.is_empty() {
                    return Err("previous_keys without a key".to_owned());
                }
                let tokens = Tokens::new(cookie, *expiry_min, &keys)?;
                Authenticator::Token(self.kept(tokens, ended.as_deref())?)
            }
            AuthenticatorSection::Certificate { user, users, groups, units_are_groups } => {
                let source = match user {
                    NameWord::CommonName => NameSource::CommonName,
                    NameWord::Dns => NameSource::Dns,
                    NameWord::Email => NameSource::Email,
                    NameWord::Uri => NameSource::Uri,
                };
                let table: HashMap<_, _> = users
                    .iter()
                    .map(|(name, found)| (name.clone(), (found.user.clone(), found.groups.clone())))
                    .collect();
                let users = if table.is_empty() { UserRule::AsIs } else { UserRule::Table(table) };
                let (groups, units_are_groups) = (groups.clone(), *units_are_groups);
                Authenticator::Certificate(Arc::new(CertificateRule {
                    source,
                    users,
                    groups,
                    units_are_groups,
                }))
            }
        };
        parts.ways.push(way);
        Ok(())
    }

    /// Keeps the ends of tokens in a file, if the configuration is on disk.
    fn kept(&self, tokens: Tokens, ended: Option<&str>) -> Result<Arc<Tokens>, String> {
        let files = &self.loader.files;
        let old = || files.on_disk(OLD_ENDED_FILE).filter(|path| path.exists());
        let path = match ended {
            Some(given) => files.on_disk(given),
            None => old().or_else(|| files.on_disk(ENDED_FILE)),
        };
        let Some(path) = path else { return Ok(Arc::new(tokens)) };
        let now_ms = now_ms();
        let (file, text) = EndedFile::open(path, now_ms)?;
        Ok(Arc::new(tokens.kept_by(Arc::new(file), &text, now_ms)))
    }

    fn bearer(&self, section: &JwtSection, parts: &mut Parts) -> Result<Arc<Bearer>, String> {
        let settings = bearer_settings(section)?;
        match (&section.jwks_file, &section.jwks_url, &section.secret) {
            (Some(file), None, None) => {
                let unread = self.unread(file);
                let keys = KeyRing::of_set(self.read(file)?.as_bytes(), section.jwks_pause_s)
                    .map_err(|error| format!("{file}: {error}"))?;
                let bearer = Arc::new(Bearer::new(settings, Arc::new(keys))?);
                let again = Arc::clone(&bearer);
                parts.watch(unread, move |text| {
                    again.set_keys(text.as_bytes()).map_err(|error| error.to_string())
                });
                Ok(bearer)
            }
            (None, Some(url), None) => {
                let keys = Arc::new(KeyRing::empty(section.jwks_pause_s));
                let bearer = Arc::new(Bearer::new(settings, keys)?);
                let ca = section.jwks_ca.as_ref().and_then(|path| self.authorities(path));
                let (timeout_ms, max_bytes) = (section.jwks_timeout_ms, section.jwks_max_bytes);
                let source = HttpKeys::new(url, &HttpKeysSettings { ca, timeout_ms, max_bytes })?;
                parts.issuers.push(Issuer::new(
                    Arc::clone(&bearer),
                    Arc::new(source),
                    section.jwks_refresh_s,
                ));
                Ok(bearer)
            }
            (None, None, Some(secret)) => {
                let keys = KeyRing::of_secret(&self.secret(secret)?).map_err(|error| error.to_string())?;
                Ok(Arc::new(Bearer::new(settings, Arc::new(keys))?))
            }
            _ => Err("expected one of jwks_file, jwks_url and secret".to_owned()),
        }
    }

    /// A file of authorities on disk, which is noted.
    fn authorities(&self, path: &str) -> Option<PathBuf> {
        let found = self.loader.files.on_disk(path)?;
        self.loader.note_certificates(&found, CertificatesOf::Authorities, (self.path, None));
        Some(found)
    }

    #[cfg(feature = "ldap")]
    fn directory(&self, section: &LdapSection) -> Result<Arc<DirectoryUsers>, String> {
        let password = section.bind_password.as_ref().map(|secret| self.secret(secret)).transpose()?;
        let ca = section.ca.as_ref().and_then(|path| self.authorities(path));
        let source = ldap::directory(section, ldap::Parts { password, ca })?;
        Ok(Arc::new(DirectoryUsers::new(source, section.cached_passwords_max, section.password_cache_s)))
    }

    #[cfg(not(feature = "ldap"))]
    fn directory(&self, _: &LdapSection) -> Result<Arc<DirectoryUsers>, String> {
        Err("this gantry was built without LDAP".to_owned())
    }

    /// Reads the value of a secret.
    ///
    /// # Errors
    /// The section does not name exactly one place, or the place cannot be read.
    pub fn secret(&self, section: &SecretSection) -> Result<Secret, String> {
        section.text(self.loader.files).map(Secret::from_text)
    }

    /// The guard of an API.
    pub fn api(&mut self, security: &Security, api: ApiSections<'_>) -> ApiGuard {
        let access = self.access(api.security, security);
        ApiGuard {
            require_secure: api.security.require_secure.unwrap_or(security.require_secure()),
            access,
            cors: api.cors.and_then(|section| self.cors(section)),
            limiter: self.limiter(api.limits).map(Arc::new),
            operations: Vec::new(),
        }
    }

    fn access(&mut self, own: &OwnSecuritySection, security: &Security) -> Access {
        if let Some(require) = &own.require_auth {
            let groups = own.roles.groups();
            if *require.get_ref() && security.knows_nobody() {
                self.at(
                    require.span(),
                    "gantry.toml has no [[security.authenticator]] to authenticate callers",
                );
            } else if !*require.get_ref() && groups != RoleGroups::default() {
                self.at(require.span(), "roles without authentication would guard nothing");
            }
        }
        security.access().specific(&own.roles.groups(), own.requires_auth(security))
    }

    /// The guard of an operation of this API: the rules of the API and of its services together.
    pub fn operation(
        &mut self,
        security: &Security,
        api: &ApiGuard,
        operation: &OperationSections<'_>,
    ) -> OperationGuard {
        let services = &operation.services;
        let asks = |own: &&OwnSecuritySection| own.requires_auth(security) == Some(true);
        let named = operation.roles.is_some();
        let require_auth = api.access.requires_auth() || named || services.iter().any(asks);
        // If services name groups, callers of the operation must be in these groups, too.
        let roles = services.iter().map(|own| own.roles.groups());
        let roles = roles.filter(|groups| *groups != RoleGroups::default());
        let service_access =
            roles.map(|groups| security.access().specific(&groups, Some(require_auth))).collect();
        let invoke = operation.roles.map(|roles| roles.iter().map(|role| role.as_str().into()).collect());
        let own = RoleGroups { invoke, ..RoleGroups::default() };
        OperationGuard {
            require_secure: api.require_secure || services.iter().any(|own| own.require_secure == Some(true)),
            access: api.access.specific(&own, Some(require_auth)),
            service_access,
            scopes: operation.scopes.to_vec().into(),
            api_limiter: api.limiter.clone(),
            limiter: self.limiter(operation.limits).map(Arc::new),
        }
    }

    /// The limiter of calls; none without limits.
    pub fn limiter(&mut self, section: &CallLimitsSection) -> Option<Limiter> {
        let mut rate = |section: &Option<Spanned<RateSection>>| {
            let section = section.as_ref()?;
            let rate = section.get_ref().rate();
            if rate.is_none() {
                self.loader.at(self.path, section.span(), "a rate has requests, per_ms and burst above 0");
            }
            rate
        };
        let (all, caller_rate) = (rate(&section.rate), rate(&section.caller_rate));
        let mut at_once = |section: &Option<Spanned<u32>>| {
            let section = section.as_ref()?;
            if *section.get_ref() == 0 {
                self.loader.at(self.path, section.span(), "0 at a time would refuse every caller");
            }
            Some(*section.get_ref())
        };
        Limiter::new(LimiterSettings {
            rate: all,
            caller_rate,
            concurrent_max: at_once(&section.concurrent_max),
            caller_concurrent_max: at_once(&section.caller_concurrent_max),
            callers_max: section.callers_max,
        })
    }

    fn cors(&mut self, section: &CorsSection) -> Option<Cors> {
        let methods = match &section.methods {
            Some(words) => {
                Some(self.words(words, "method", |word| Method::from_bytes(word.as_bytes()).ok())?)
            }
            None => None,
        };
        let settings = CorsSettings {
            origins: section.origins.get_ref().clone(),
            methods,
            headers: self.words(&section.headers, "header's name", |word| word.parse().ok())?,
            expose: self.words(&section.expose_headers, "header's name", |word| word.parse().ok())?,
            credentials: section.credentials,
            max_age_s: section.max_age_s,
        };
        match Cors::new(&settings) {
            Ok(cors) => Some(cors),
            Err(message) => {
                self.at(section.origins.span(), message);
                None
            }
        }
    }

    fn words<T>(
        &mut self,
        words: &[Spanned<String>],
        what: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut found = Vec::new();
        for word in words {
            match read(word.get_ref()) {
                Some(value) => found.push(value),
                None => self.at(word.span(), format!("'{}' cannot be a {what}", word.get_ref())),
            }
        }
        (found.len() == words.len()).then_some(found)
    }
}

/// The security sections of an API.
pub struct ApiSections<'s> {
    /// `[security]`.
    pub security: &'s OwnSecuritySection,
    /// `[limits]`.
    pub limits: &'s CallLimitsSection,
    /// `[cors]`.
    pub cors: Option<&'s CorsSection>,
}

/// The security sections of an operation.
pub struct OperationSections<'s> {
    /// The scopes that a token must have, all of them.
    pub scopes: &'s [Box<str>],
    /// `[limits]`.
    pub limits: &'s CallLimitsSection,
    /// The sections of the services that it calls.
    pub services: Vec<&'s OwnSecuritySection>,
    /// The groups that may call it, if its document names them.
    pub roles: Option<&'s [String]>,
}

fn bearer_settings(section: &JwtSection) -> Result<BearerSettings, String> {
    let algorithm = |name: &String| {
        name.parse::<Algorithm>().map_err(|_| {
            format!("'{name}' is not a supported algorithm, such as RS256, PS256, ES256, EdDSA or HS256")
        })
    };
    let algorithms = section.algorithms.iter().map(algorithm).collect::<Result<_, _>>()?;
    let paths = |paths: &[String]| paths.iter().map(ClaimPath::new).collect();
    Ok(BearerSettings {
        leeway_s: section.leeway_s,
        required_claims: paths(&section.required_claims),
        claim_values: section
            .claim_values
            .iter()
            .map(|(path, values)| (ClaimPath::new(path.as_str()), values.clone()))
            .collect(),
        user_claim: ClaimPath::new(section.user_claim.as_str()),
        groups_claims: paths(&section.groups_claims),
        scope_claim: ClaimPath::new(section.scope_claim.as_str()),
        token_max_bytes: section.token_max_bytes,
        cached_tokens_max: section.cached_tokens_max,
        ..BearerSettings::new(section.issuer.as_str(), section.audiences.clone(), algorithms)
    })
}

/// The files of a TLS listener.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// Certificate chains and their keys. Clients that name no known host get the first.
    pub certificates: Vec<(PathBuf, PathBuf)>,
    /// The authorities of client certificates, if clients are asked for one.
    pub clients: Option<ClientAuthorities>,
}

/// The authorities of client certificates.
#[derive(Clone, Debug)]
pub struct ClientAuthorities {
    /// Their certificates.
    pub file: PathBuf,
    /// True if a handshake without a certificate fails.
    pub required: bool,
}
