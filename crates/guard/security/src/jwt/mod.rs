//! Bearer tokens: signed JSON Web Tokens (RFC 7519), checked by the advice of RFC 8725.
//!
//! The configuration lists the algorithms, and the key must belong to the algorithm's family. So a
//! public key never counts as a shared secret. `none` does not exist here. A verified token is
//! remembered until it ends.

mod claims;
mod keys;
mod token;
mod unique;

use std::sync::Arc;

use crate::denied::{Denied, DeniedKind, Scheme};
use crate::identity::Identity;
use crate::memory::MemoryPlace;

pub use claims::ClaimPath;
pub use jsonwebtoken::Algorithm;
pub use keys::{Fetch, KEYS_MAX, KeyRing, KeySource, KeysError};

use token::Token;

/// The default for the bytes of a token.
pub const TOKEN_MAX_BYTES_DEFAULT: usize = 8 * 1024;
/// Keys that are tried if a token names no key.
const KEYS_TRIED_MAX: usize = 4;

/// The conditions for tokens, and the claims about their holder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BearerSettings {
    /// The issuer, exactly as in the claim `iss`.
    pub issuer: String,
    /// The audiences (`aud`): a token must be for one of them. Never empty.
    pub audiences: Vec<String>,
    /// The allowed algorithms of signatures. Never empty.
    pub algorithms: Vec<Algorithm>,
    /// Seconds by which clocks may differ.
    pub leeway_s: u64,
    /// Required claims.
    pub required_claims: Vec<ClaimPath>,
    /// Claims that must have, or contain, one of some values.
    pub claim_values: Vec<(ClaimPath, Vec<String>)>,
    /// The claim with the user's name.
    pub user_claim: ClaimPath,
    /// Claims with groups: a text, or an array of texts.
    pub groups_claims: Vec<ClaimPath>,
    /// The claim with scopes: a text with blanks between them, or an array.
    pub scope_claim: ClaimPath,
    /// The most bytes of a token. A longer one is refused unread.
    pub token_max_bytes: usize,
    /// Verified tokens to remember.
    pub cached_tokens_max: usize,
}

impl BearerSettings {
    /// The usual settings: leeway 60 s, `sub`, `groups`, `scope`.
    #[must_use]
    pub fn new(issuer: impl Into<String>, audiences: Vec<String>, algorithms: Vec<Algorithm>) -> Self {
        Self {
            issuer: issuer.into(),
            audiences,
            algorithms,
            leeway_s: 60,
            required_claims: Vec::new(),
            claim_values: Vec::new(),
            user_claim: ClaimPath::new("sub"),
            groups_claims: vec![ClaimPath::new("groups")],
            scope_claim: ClaimPath::new("scope"),
            token_max_bytes: TOKEN_MAX_BYTES_DEFAULT,
            cached_tokens_max: 10_000,
        }
    }
}

/// Accepts the tokens of one issuer.
#[derive(Debug)]
pub struct Bearer {
    settings: BearerSettings,
    keys: Arc<KeyRing>,
    verified: MemoryPlace<Arc<Identity>>,
}

/// The result of checking a token.
#[derive(Debug)]
pub(crate) enum TokenCheck {
    Known(Arc<Identity>),
    Denied(Denied),
    /// The token of another issuer.
    NotOurs,
    /// The token names an unknown key.
    UnknownKey,
}

impl Bearer {
    /// Accepts tokens with these settings and keys.
    ///
    /// # Errors
    /// The settings would accept too much, or nothing.
    pub fn new(settings: BearerSettings, keys: Arc<KeyRing>) -> Result<Self, String> {
        if settings.issuer.is_empty() || settings.audiences.is_empty() || settings.algorithms.is_empty() {
            return Err("issuer, audiences and algorithms must be given".to_owned());
        }
        if let Some(wrong) = settings.algorithms.iter().find(|algorithm| !keys.takes(**algorithm)) {
            return Err(format!(
                "{wrong:?} does not go with these keys: HS256, HS384 and HS512 need a secret, all others public keys"
            ));
        }
        let verified = MemoryPlace::new(settings.cached_tokens_max);
        Ok(Self { settings, keys, verified })
    }

    /// The issuer, exactly as in the claim `iss`.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.settings.issuer
    }

    /// The keys.
    #[must_use]
    pub fn keys(&self) -> &Arc<KeyRing> {
        &self.keys
    }

    /// Takes keys from an operator, as JWKS text. A key that is not in it is gone at once. All
    /// remembered tokens are then checked again.
    ///
    /// # Errors
    /// As [`Bearer::replace_keys`].
    pub fn set_keys(&self, jwks: &[u8]) -> Result<(), KeysError> {
        if self.keys.set(jwks)? {
            self.verified.get().verified.clear();
        }
        Ok(())
    }

    /// Takes a set of keys that the issuer has published, as JWKS text. A key that is not in it
    /// stays until the next set, for tokens that were signed before the change. When it is gone,
    /// all remembered tokens are checked again.
    ///
    /// # Errors
    /// The text is not a JWKS, or has no usable key. Then nothing changes.
    pub fn replace_keys(&self, jwks: &[u8]) -> Result<(), KeysError> {
        if self.keys.replace(jwks)? {
            self.verified.get().verified.clear();
        }
        Ok(())
    }

    /// Takes over the remembered tokens of a bearer with the same settings and keys. Call it before
    /// the first check.
    pub fn adopt(&self, before: &Self) -> bool {
        self.settings == before.settings
            && self.keys.is_same(&before.keys)
            && self.verified.adopt(&before.verified)
    }

    pub(crate) fn check(&self, token: &[u8], now_ms: u64) -> TokenCheck {
        if token.len() > self.settings.token_max_bytes {
            return TokenCheck::Denied(malformed("the token is too long"));
        }
        let memory = self.verified.get();
        let digest = memory.digest(&[token]);
        if let Some(identity) = memory.verified.get(&digest, now_ms) {
            return TokenCheck::Known(identity);
        }
        let epoch = memory.verified.epoch();
        match self.verify(token, now_ms) {
            Ok((identity, ends_ms)) => {
                memory.verified.insert(digest, epoch, ends_ms, Arc::clone(&identity));
                TokenCheck::Known(identity)
            }
            Err(check) => check,
        }
    }

    /// Verifies a token fully. Gives its holder, and its end.
    fn verify(&self, token: &[u8], now_ms: u64) -> Result<(Arc<Identity>, u64), TokenCheck> {
        let token = Token::parse(token).map_err(|reason| TokenCheck::Denied(malformed(reason)))?;
        let claims = token.claims().map_err(|reason| TokenCheck::Denied(malformed(reason)))?;
        if claims.get("iss").and_then(|issuer| issuer.as_str()) != Some(&self.settings.issuer) {
            return Err(TokenCheck::NotOurs);
        }
        let algorithm = token.algorithm();
        let Some(algorithm) = algorithm.filter(|algorithm| self.settings.algorithms.contains(algorithm))
        else {
            return Err(TokenCheck::Denied(invalid("an algorithm that is not accepted")));
        };
        let keys = self.keys.find(token.key_id(), algorithm);
        if keys.is_empty() {
            return Err(if self.keys.is_empty() {
                let reason = "the issuer's keys could not be fetched";
                TokenCheck::Denied(Denied::new(DeniedKind::Unavailable, Scheme::Bearer, reason))
            } else {
                TokenCheck::UnknownKey
            });
        }
        if !keys.iter().take(KEYS_TRIED_MAX).any(|key| token.is_signed_by(key, algorithm)) {
            return Err(TokenCheck::Denied(invalid("a bad signature")));
        }
        claims::accept(&self.settings, claims, now_ms).map_err(TokenCheck::Denied)
    }
}

pub(crate) fn invalid(reason: impl Into<String>) -> Denied {
    Denied::new(DeniedKind::Invalid, Scheme::Bearer, reason)
}

fn malformed(reason: &str) -> Denied {
    Denied::new(DeniedKind::Malformed, Scheme::Bearer, reason)
}

/// Reads the parts of a token like [`Bearer`], but verifies nothing. It is for fuzzing.
#[doc(hidden)]
pub fn read_token(token: &[u8]) -> bool {
    Token::parse(token).is_ok_and(|token| token.claims().is_ok())
}
