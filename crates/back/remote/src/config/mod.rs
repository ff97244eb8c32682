//! From `[connections.NAME]` and `connections/*.toml` to connections that run.

mod written;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use security::Secret;
use settings::{CertificatesOf, Files, GANTRY_FILE, Loader, Retired, SecretSection};
use toml::Spanned;

use crate::Reachable;
use crate::trust::{ClientIdentity, client_config, distrustful_config};
use crate::{
    ApiKeyPlace, Auth, Base, ClientAuth, Connection, ConnectionSettings, Grant, Jwt, JwtKey, JwtSettings,
    OAuth, OAuthSettings, Redirects, Retry,
};
pub use written::ConnectionSection;
use written::{AuthSection, ClientAuthWord, GrantWord, KeyPlaceWord, OAuthSection, SignedSection};

/// The folder of connections that have files of their own.
const FOLDER: &str = "connections";

/// Connections to one server that are kept unused.
const IDLE_CONNECTIONS_MAX: usize = 32;

/// The first wait before a request is sent again.
const RETRY_BACKOFF: Duration = Duration::from_millis(50);

/// The longest wait before a request is sent again.
const RETRY_BACKOFF_MAX: Duration = Duration::from_secs(2);

/// How long before its end a token is replaced.
const REFRESH_BEFORE: Duration = Duration::from_secs(30);

/// The keys that are retired from one file.
#[must_use]
pub fn retired_keys(path: &str) -> Vec<Retired> {
    let key = |place, constant| Retired { place, constant };
    if path.strip_prefix(FOLDER).is_some_and(|name| name.starts_with('/')) {
        return vec![
            key(&["idle_max"], IDLE_CONNECTIONS_MAX as u128),
            key(&["retry_backoff_ms"], RETRY_BACKOFF.as_millis()),
            key(&["retry_backoff_max_ms"], RETRY_BACKOFF_MAX.as_millis()),
            key(&["auth", "refresh_before_s"], REFRESH_BEFORE.as_secs().into()),
        ];
    }
    if path != GANTRY_FILE {
        return Vec::new();
    }
    vec![
        key(&["connections", "*", "idle_max"], IDLE_CONNECTIONS_MAX as u128),
        key(&["connections", "*", "retry_backoff_ms"], RETRY_BACKOFF.as_millis()),
        key(&["connections", "*", "retry_backoff_max_ms"], RETRY_BACKOFF_MAX.as_millis()),
        key(&["connections", "*", "auth", "refresh_before_s"], REFRESH_BEFORE.as_secs().into()),
    ]
}

/// All connections of a configuration, by name.
#[derive(Debug, Default)]
pub struct Connections {
    running: BTreeMap<String, Arc<Connection>>,
    /// Names of connections with faults, which are already reported.
    faulty: HashSet<String>,
}

impl Connections {
    /// The connection of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Connection>> {
        self.running.get(name)
    }

    /// All connections, for callers that may reach servers by URLs.
    #[must_use]
    pub fn reachable(&self) -> Reachable {
        Reachable(self.running.clone())
    }

    /// The connection of that name.
    ///
    /// # Errors
    /// The connection does not exist: the message about it, or none if its own faults have been reported.
    pub fn find(&self, name: &str) -> Result<&Arc<Connection>, Option<String>> {
        self.get(name).ok_or_else(|| (!self.is_faulty(name)).then(|| self.unknown(name)))
    }

    /// True if a use of the name needs no report that it does not exist.
    #[must_use]
    pub fn is_faulty(&self, name: &str) -> bool {
        self.faulty.contains(name)
    }

    /// The message about an unknown name.
    #[must_use]
    pub fn unknown(&self, name: &str) -> String {
        let known: Vec<&str> = self.running.keys().map(String::as_str).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        format!("there is no connection '{name}'; known: {known}")
    }

    /// All of them.
    #[must_use]
    pub fn into_all(self) -> BTreeMap<String, Arc<Connection>> {
        self.running
    }

    /// Reads all connections: those of `gantry.toml`, and those with files of their own.
    pub fn read(
        loader: &mut Loader<'_>,
        sections: &BTreeMap<Spanned<String>, Spanned<ConnectionSection>>,
    ) -> Self {
        let mut connections = Connections::default();
        for (name, section) in sections {
            connection(loader, GANTRY_FILE, (name.get_ref(), section.get_ref()), &mut connections);
        }
        for entry in loader.entries(FOLDER) {
            let path = format!("{FOLDER}/{entry}");
            let Some(name) = entry.strip_suffix(".toml") else {
                loader.at_file(&path, "is not a connection: files in connections/ end with .toml");
                continue;
            };
            if sections.keys().any(|known| known.get_ref() == name) {
                loader.at_file(&path, "gantry.toml has a connection of this name too");
                continue;
            }
            match loader.parse::<ConnectionSection>(&path) {
                Some((section, _)) => connection(loader, &path, (name, &section), &mut connections),
                None => {
                    connections.faulty.insert(name.to_owned());
                }
            }
        }
        connections
    }
}

fn connection(
    loader: &mut Loader<'_>,
    path: &str,
    (name, section): (&str, &ConnectionSection),
    connections: &mut Connections,
) {
    match (ConnectionReader { loader, path, name }).connection(section) {
        Some(connection) => {
            connections.running.insert(name.to_owned(), Arc::new(connection));
        }
        None => {
            connections.faulty.insert(name.to_owned());
        }
    }
}

struct ConnectionReader<'a, 'f> {
    loader: &'a mut Loader<'f>,
    path: &'a str,
    name: &'a str,
}

/// The settings of a connection that take more than copying.
struct Made {
    base: Base,
    tls: rustls::ClientConfig,
    retry: Retry,
    redirects: Redirects,
    auth: Auth,
}

impl ConnectionReader<'_, '_> {
    fn connection(&mut self, section: &ConnectionSection) -> Option<Connection> {
        let base = self.base(section);
        let tls = base.as_ref().and_then(|base| self.tls(section, base));
        let limits = self.limits(section);
        let retry = self.retry(section);
        let auth = match &section.auth {
            None => Some(Auth::None),
            Some(auth) => match self.auth(auth.get_ref(), section) {
                Ok(auth) => Some(auth),
                Err(message) => {
                    self.loader.at(self.path, auth.span(), message);
                    None
                }
            },
        };
        limits?;
        let redirects = match section.redirects_max {
            0 => Redirects::Refuse,
            most => Redirects::SameOrigin(most),
        };
        let made = Made { base: base?, tls: tls?, retry: retry?, redirects, auth: auth? };
        Some(Connection::new(settings(self.name.to_owned(), section, made)))
    }

    fn at(&mut self, text: &Spanned<String>, message: impl Into<String>) {
        self.loader.at(self.path, text.span(), message);
    }

    fn base(&mut self, section: &ConnectionSection) -> Option<Base> {
        let base = match Base::parse(section.url.get_ref()) {
            Ok(base) => base,
            Err(error) => {
                self.at(&section.url, error.to_string());
                return None;
            }
        };
        if !base.is_secure() && !base.is_local() && !section.allow_plaintext {
            let message =
                "requests go to another machine without TLS; set allow_plaintext = true to allow this";
            self.at(&section.url, message);
            return None;
        }
        Some(base)
    }

    fn tls(&mut self, section: &ConnectionSection, base: &Base) -> Option<rustls::ClientConfig> {
        let ca = self.file(section.ca.as_ref())?;
        let certificate = self.file(section.client_certificate.as_ref())?;
        let private_key = self.file(section.client_private_key.as_ref())?;
        let identity = match (certificate, private_key) {
            (Some(certificate), Some(private_key)) => Some(ClientIdentity { certificate, private_key }),
            (None, None) => None,
            _ => {
                self.at(&section.url, "client_certificate and client_private_key go together");
                return None;
            }
        };
        if !base.is_secure() {
            if ca.is_some() || identity.is_some() || section.http2 {
                self.at(&section.url, "ca, client_certificate and http2 are for https");
                return None;
            }
            return self.told(section, distrustful_config());
        }
        let own = identity.as_ref().map(|identity| &identity.certificate);
        for (file, written, of) in [
            (ca.as_ref(), &section.ca, CertificatesOf::Authorities),
            (own, &section.client_certificate, CertificatesOf::Own),
        ] {
            if let (Some(file), Some(written)) = (file, written) {
                self.loader.note_certificates(file, of, (self.path, Some(written.span())));
            }
        }
        let config = client_config(ca.as_deref(), identity.as_ref());
        self.told(section, config)
    }

    fn told<T>(&mut self, section: &ConnectionSection, result: Result<T, String>) -> Option<T> {
        result.map_err(|message| self.at(&section.url, message)).ok()
    }

    /// The path on disk, if a file is named; none around it if that is a fault.
    #[expect(clippy::option_option, reason = "the outer one is a fault that was told")]
    fn file(&mut self, path: Option<&Spanned<String>>) -> Option<Option<PathBuf>> {
        let Some(path) = path else { return Some(None) };
        let found = self.loader.files.on_disk(path.get_ref());
        if found.is_none() {
            self.at(path, "certificates are read from disk; an example in the binary has none");
        }
        found.map(Some)
    }

    fn limits(&mut self, section: &ConnectionSection) -> Option<()> {
        let least = [
            ("connect_timeout_ms", section.connect_timeout_ms),
            ("response_timeout_ms", section.response_timeout_ms),
            ("requests_max", section.requests_max as u64),
            ("response_body_max_bytes", section.response_body_max_bytes as u64),
        ];
        let mut fine = Some(());
        for (name, _) in least.iter().filter(|(_, value)| *value == 0) {
            self.at(&section.url, format!("{name} is 0; it must be 1 at least"));
            fine = None;
        }
        fine
    }

    fn retry(&mut self, section: &ConnectionSection) -> Option<Retry> {
        let mut retry = Retry {
            retries_max: section.retries_max,
            backoff: RETRY_BACKOFF,
            backoff_max: RETRY_BACKOFF_MAX,
            ..Retry::default()
        };
        if let Some(statuses) = &section.retry_statuses {
            retry.statuses.clear();
            for status in statuses {
                match StatusCode::from_u16(*status.get_ref()) {
                    Ok(code) if code.is_server_error() || code == StatusCode::TOO_MANY_REQUESTS => {
                        retry.statuses.push(code);
                    }
                    _ => {
                        self.loader.at(self.path, status.span(), "is neither 429 nor from 500 to 599");
                        return None;
                    }
                }
            }
        }
        Some(retry)
    }

    fn auth(&mut self, auth: &AuthSection, section: &ConnectionSection) -> Result<Auth, String> {
        let files = self.loader.files;
        match auth {
            AuthSection::Basic { user, password } => Auth::basic(user, &secret_of(files, password)?),
            AuthSection::ApiKey { key, place, name } => {
                let place = match place {
                    KeyPlaceWord::Header => ApiKeyPlace::Header,
                    KeyPlaceWord::Query => ApiKeyPlace::Query,
                };
                Auth::api_key(place, name, secret_of(files, key)?)
            }
            AuthSection::Jwt(signed) => Ok(Auth::Jwt(Box::new(jwt(signed, files)?))),
            AuthSection::Caller {} => {
                let base = Base::parse(section.url.get_ref()).map_err(|error| error.to_string())?;
                match base.is_secure() || base.is_local() {
                    true => Ok(Auth::Caller),
                    false => Err("url is not https: others could read the callers' tokens".to_owned()),
                }
            }
            AuthSection::OAuth2(oauth) => self.oauth(oauth, section),
        }
    }

    fn oauth(&mut self, oauth: &OAuthSection, section: &ConnectionSection) -> Result<Auth, String> {
        let (origin, target) = split_url(&oauth.token_url)?;
        let base = Base::parse(origin).map_err(|error| format!("token_url: {error}"))?;
        if !base.is_secure() && !base.is_local() {
            return Err("token_url is not https: others could read the secret".to_owned());
        }
        let tls = match (base.is_secure(), oauth.ca.as_ref().or(section.ca.as_ref().map(Spanned::get_ref))) {
            (false, _) => distrustful_config()?,
            (true, None) => client_config(None, None)?,
            (true, Some(ca)) => {
                let file = self.loader.files.on_disk(ca).ok_or("certificates are read from disk")?;
                let place = (self.path, Some(section.url.span()));
                self.loader.note_certificates(&file, CertificatesOf::Authorities, place);
                client_config(Some(Path::new(&file)), None)?
            }
        };
        let files = self.loader.files;
        let grant = match (oauth.grant, &oauth.user, &oauth.password) {
            (GrantWord::ClientCredentials, None, None) => Grant::ClientCredentials,
            (GrantWord::Password, Some(user), Some(password)) => {
                Grant::Password { user: user.clone(), password: secret_of(files, password)? }
            }
            _ => return Err("user and password go with grant = \"password\", both of them".to_owned()),
        };
        let client_secret =
            oauth.client_secret.as_ref().map(|secret| secret_of(files, secret)).transpose()?;
        if client_secret.is_none() && matches!(grant, Grant::ClientCredentials) {
            return Err("grant = \"client_credentials\" needs a client_secret".to_owned());
        }
        let scope = oauth.scope.iter().map(|scope| ("scope".to_owned(), scope.clone()));
        let more = oauth.parameters.iter().map(|(name, value)| (name.clone(), value.clone()));
        let made = Made {
            base,
            tls,
            retry: Retry { retries_max: section.retries_max, ..Retry::default() },
            redirects: Redirects::Refuse,
            auth: Auth::None,
        };
        let server = Connection::new(settings(format!("{} (token)", self.name), section, made));
        Ok(Auth::OAuth(Box::new(OAuth::new(OAuthSettings {
            server: Arc::new(server),
            target: target.to_owned(),
            grant,
            client_id: oauth.client_id.clone(),
            client_secret,
            client_auth: match oauth.client_auth {
                ClientAuthWord::Basic => ClientAuth::Basic,
                ClientAuthWord::Body => ClientAuth::Body,
            },
            parameters: scope.chain(more).collect(),
            refresh_before: REFRESH_BEFORE,
            lifetime_default: Duration::from_secs(oauth.lifetime_s),
        }))))
    }
}

fn settings(name: String, section: &ConnectionSection, made: Made) -> ConnectionSettings {
    let ms = Duration::from_millis;
    ConnectionSettings {
        name,
        base: made.base,
        tls: made.tls,
        http2: section.http2,
        connect_timeout: ms(section.connect_timeout_ms),
        response_timeout: ms(section.response_timeout_ms),
        idle_timeout: ms(section.idle_timeout_ms),
        idle_max: IDLE_CONNECTIONS_MAX,
        requests_max: section.requests_max,
        waiting_max: section.waiting_max,
        wait_max: ms(section.wait_max_ms),
        response_body_max_bytes: section.response_body_max_bytes,
        retry: made.retry,
        redirects: made.redirects,
        auth: made.auth,
    }
}

fn jwt(section: &SignedSection, files: &Files) -> Result<Jwt, String> {
    let key = match (&section.secret, &section.private_key) {
        (Some(secret), None) => JwtKey::Shared(secret_of(files, secret)?),
        (None, Some(key)) => JwtKey::Pem(secret_of(files, key)?),
        _ => return Err("expected one of secret and private_key".to_owned()),
    };
    let header = match &section.header {
        Some(name) => Some(name.parse().map_err(|_| format!("'{name}' cannot be a header's name"))?),
        None => None,
    };
    if section.lifetime_s == 0 {
        return Err("lifetime_s is 0; it must be 1 at least".to_owned());
    }
    Jwt::new(JwtSettings {
        algorithm: section.algorithm.clone(),
        key,
        key_id: section.key_id.clone(),
        issuer: section.issuer.clone(),
        audience: section.audience.clone(),
        subject: section.subject.clone(),
        groups_claim: section.groups_claim.clone(),
        claims: section.claims.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect(),
        lifetime: Duration::from_secs(section.lifetime_s),
        header,
    })
}

fn secret_of(files: &Files, section: &SecretSection) -> Result<Secret, String> {
    section.text(files).map(Secret::from_text)
}

/// A URL's scheme and host, and the path and query behind them.
fn split_url(url: &str) -> Result<(&str, &str), String> {
    let host = url.find("://").map(|at| at + 3).ok_or_else(|| format!("token_url: '{url}' is not a URL"))?;
    let path = url[host..].find('/').map(|at| host + at);
    let path = path.ok_or_else(|| format!("token_url: '{url}' has no path"))?;
    Ok(url.split_at(path))
}
