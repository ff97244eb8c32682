//! Bearer tokens: signed JSON Web Tokens (RFC 7519), checked by the advice of RFC 8725.
//!
//! The algorithm is one of a list of ours, and the key must be of the algorithm's family. So a public key is never
//! taken for a shared secret. `none` does not exist here. A verified token is remembered until it ends.

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

/// Bytes of a token, unless the settings say otherwise.
pub const TOKEN_MAX_BYTES_DEFAULT: usize = 8 * 1024;
/// Keys that are tried for a token that names none.
const KEYS_TRIED_MAX: usize = 4;

/// What tokens are accepted, and what they say about their holder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BearerSettings {
    /// The issuer, exactly as in the claim `iss`.
    pub issuer: String,
    /// A token must be for one of these (`aud`); never empty.
    pub audiences: Vec<String>,
    /// The algorithms that signatures may have; never empty.
    pub algorithms: Vec<Algorithm>,
    /// Seconds by which clocks may differ.
    pub leeway_s: u64,
    /// Claims that must be there.
    pub required_claims: Vec<ClaimPath>,
    /// Claims that must have, or hold, one of some values.
    pub claim_values: Vec<(ClaimPath, Vec<String>)>,
    /// The claim that is the user's name.
    pub user_claim: ClaimPath,
    /// Claims with groups: a text, or an array of texts.
    pub groups_claims: Vec<ClaimPath>,
    /// The claim with scopes: a text with blanks between them, or an array.
    pub scope_claim: ClaimPath,
    /// A longer token is refused unread.
    pub token_max_bytes: usize,
    /// Verified tokens that are remembered.
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

/// What came of a token.
#[derive(Debug)]
pub(crate) enum TokenCheck {
    Known(Arc<Identity>),
    Denied(Denied),
    /// Another issuer's.
    NotOurs,
    /// It names a key that is not there.
    UnknownKey,
}

impl Bearer {
    /// Accepts tokens by these settings, signed with these keys.
    ///
    /// # Errors
    /// Settings that would accept too much, or nothing.
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

    /// Takes the keys that an operator has written: JWKS text. A key that is not in it is gone at once, and all remembered tokens
    /// are judged again.
    ///
    /// # Errors
    /// As [`Bearer::replace_keys`].
    pub fn set_keys(&self, jwks: &[u8]) -> Result<(), KeysError> {
        if self.keys.set(jwks)? {
            self.verified.get().verified.clear();
        }
        Ok(())
    }

    /// Takes a set of keys that the issuer has published: JWKS text. A key that is not in it stays until the next set, for tokens
    /// that were signed before the change. When it is gone, all remembered tokens are judged again.
    ///
    /// # Errors
    /// The text is no JWKS, or has no key that can be used; nothing changes then.
    pub fn replace_keys(&self, jwks: &[u8]) -> Result<(), KeysError> {
        if self.keys.replace(jwks)? {
            self.verified.get().verified.clear();
        }
        Ok(())
    }

    /// Remembers the tokens that another one remembers, if it has the same settings and keys; to be called before the
    /// first check.
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

    /// Verifies all of a token; gives whose it is, and when it ends.
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

/// Reads the parts of a token as [`Bearer`] does, without verifying anything: for fuzzing.
#[doc(hidden)]
pub fn read_token(token: &[u8]) -> bool {
    Token::parse(token).is_ok_and(|token| token.claims().is_ok())
}
