//! Connections as they are written: `[connections.NAME]` of `gantry.toml`, and `connections/*.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;
use settings::SecretSection;
use toml::Spanned;

/// `[connections.NAME]` of `gantry.toml`, or a file in `connections/`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectionSection {
    /// `https://host[:port][/path]`.
    pub(crate) url: Spanned<String>,
    /// Certificates that the server is trusted by, in place of the system's.
    pub(crate) ca: Option<Spanned<String>>,
    pub(crate) client_certificate: Option<Spanned<String>>,
    pub(crate) client_private_key: Option<Spanned<String>>,
    /// The consent to send requests to another machine without TLS.
    #[serde(default)]
    pub(crate) allow_plaintext: bool,
    #[serde(default)]
    pub(crate) http2: bool,
    #[serde(default = "defaults::connect_timeout_ms")]
    pub(crate) connect_timeout_ms: u64,
    #[serde(default = "defaults::response_timeout_ms")]
    pub(crate) response_timeout_ms: u64,
    #[serde(default = "defaults::idle_timeout_ms")]
    pub(crate) idle_timeout_ms: u64,
    #[serde(default = "defaults::requests_max")]
    pub(crate) requests_max: usize,
    #[serde(default = "defaults::waiting_max")]
    pub(crate) waiting_max: usize,
    #[serde(default = "defaults::wait_max_ms")]
    pub(crate) wait_max_ms: u64,
    #[serde(default = "defaults::response_body_max_bytes")]
    pub(crate) response_body_max_bytes: usize,
    #[serde(default = "defaults::retries_max")]
    pub(crate) retries_max: u32,
    /// Statuses after which a request that does no harm twice is sent again.
    pub(crate) retry_statuses: Option<Vec<Spanned<u16>>>,
    /// How many redirects on the same server are followed; 0 is none.
    #[serde(default)]
    pub(crate) redirects_max: u32,
    pub(crate) auth: Option<Spanned<AuthSection>>,
}

mod defaults {
    pub(super) fn connect_timeout_ms() -> u64 {
        5_000
    }
    pub(super) fn response_timeout_ms() -> u64 {
        30_000
    }
    pub(super) fn idle_timeout_ms() -> u64 {
        60_000
    }
    pub(super) fn requests_max() -> usize {
        64
    }
    pub(super) fn waiting_max() -> usize {
        256
    }
    pub(super) fn wait_max_ms() -> u64 {
        1_000
    }
    pub(super) fn response_body_max_bytes() -> usize {
        1024 * 1024
    }
    pub(super) fn retries_max() -> u32 {
        2
    }
    pub(super) fn lifetime_s() -> u64 {
        300
    }
}

/// `[connections.NAME.auth]`.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum AuthSection {
    Basic {
        user: String,
        password: SecretSection,
    },
    ApiKey {
        key: SecretSection,
        #[serde(default)]
        place: KeyPlaceWord,
        name: String,
    },
    #[serde(rename = "oauth2")]
    OAuth2(Box<OAuthSection>),
    Jwt(Box<SignedSection>),
    Caller {},
}

/// `place`, of an API key.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum KeyPlaceWord {
    #[default]
    Header,
    Query,
}

/// `auth = { kind = "oauth2", ... }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OAuthSection {
    #[serde(default)]
    pub(crate) grant: GrantWord,
    /// The URL of the token endpoint.
    pub(crate) token_url: String,
    /// Certificates that its server is trusted by; by default those of the connection.
    pub(crate) ca: Option<String>,
    pub(crate) client_id: String,
    pub(crate) client_secret: Option<SecretSection>,
    #[serde(default)]
    pub(crate) client_auth: ClientAuthWord,
    pub(crate) user: Option<String>,
    pub(crate) password: Option<SecretSection>,
    pub(crate) scope: Option<String>,
    /// Further parameters of the request for a token.
    #[serde(default)]
    pub(crate) parameters: BTreeMap<String, String>,
    /// The lifetime of a token whose answer has none.
    #[serde(default = "defaults::lifetime_s")]
    pub(crate) lifetime_s: u64,
}

/// `grant`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GrantWord {
    #[default]
    ClientCredentials,
    Password,
}

/// `client_auth`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ClientAuthWord {
    #[default]
    Basic,
    Body,
}

/// `auth = { kind = "jwt", ... }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignedSection {
    pub(crate) algorithm: String,
    /// The shared secret of HS256 and the like.
    pub(crate) secret: Option<SecretSection>,
    /// The private key of the others, in PEM.
    pub(crate) private_key: Option<SecretSection>,
    pub(crate) key_id: Option<String>,
    pub(crate) issuer: Option<String>,
    pub(crate) audience: Option<String>,
    /// The claim `sub`; without it, the caller's name.
    pub(crate) subject: Option<String>,
    /// The claim that has the caller's groups.
    pub(crate) groups_claim: Option<String>,
    /// Further claims.
    #[serde(default)]
    pub(crate) claims: BTreeMap<String, String>,
    #[serde(default = "defaults::lifetime_s")]
    pub(crate) lifetime_s: u64,
    /// The header that carries the token; `Authorization` with `Bearer` if it is not said.
    pub(crate) header: Option<String>,
}
