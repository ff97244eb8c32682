//! The keys of an issuer: a shared secret, or public keys from a JWKS (RFC 7517), which change from
//! time to time.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey};
use serde_json::Value;

use crate::digest::{sha256, to_hex};
use crate::secret::Secret;

/// The most keys of a set.
pub const KEYS_MAX: usize = 100;
/// The fewest bytes of a shared secret, as for HS256 (RFC 7518, 3.2).
const SECRET_BYTES_MIN: usize = 32;

/// A running fetch: the JWKS text, or the reason of its failure.
pub type Fetch = Pin<Box<dyn Future<Output = Result<Vec<u8>, String>> + Send>>;

/// Fetches sets of keys while the gateway runs.
pub trait KeySource: Send + Sync + fmt::Debug {
    /// Starts to fetch the issuer's present set.
    fn fetch(&self) -> Fetch;
}

/// A set of keys that is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeysError(String);

impl fmt::Display for KeysError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for KeysError {}

pub(super) struct Key {
    id: Option<String>,
    /// The only algorithm for the key, if the set names one.
    algorithm: Option<Algorithm>,
    pub(super) key: DecodingKey,
    /// The key as written in the set.
    written: Value,
}

/// The keys of an issuer: the present set and the one before. A token that was signed shortly
/// before a change is still good.
pub struct KeyRing {
    sets: RwLock<Sets>,
    is_secret: bool,
    /// Milliseconds since 1970 at which the next fetch for an unknown key may begin.
    next_fetch_ms: AtomicU64,
    fetch_pause_ms: u64,
}

#[derive(Default)]
struct Sets {
    present: Vec<Arc<Key>>,
    before: Vec<Arc<Key>>,
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyRing").field("is_secret", &self.is_secret).finish_non_exhaustive()
    }
}

impl KeyRing {
    /// A ring without keys yet. Unknown key ids start at most one fetch in `fetch_pause_s` seconds.
    #[must_use]
    pub fn empty(fetch_pause_s: u64) -> Self {
        Self::with(Vec::new(), false, fetch_pause_s)
    }

    /// The keys of a JWKS text.
    ///
    /// # Errors
    /// The text is not a JWKS, or has no usable key.
    pub fn of_set(jwks: &[u8], fetch_pause_s: u64) -> Result<Self, KeysError> {
        Ok(Self::with(parse(jwks)?, false, fetch_pause_s))
    }

    /// A secret that the issuer and the gateway share.
    ///
    /// # Errors
    /// It has less than 32 bytes.
    pub fn of_secret(secret: &Secret) -> Result<Self, KeysError> {
        if secret.expose().len() < SECRET_BYTES_MIN {
            return Err(KeysError(format!("the secret is shorter than {SECRET_BYTES_MIN} bytes")));
        }
        let key = DecodingKey::from_secret(secret.expose());
        // The digest tells one secret from another.
        let written = Value::String(to_hex(&sha256(secret.expose())));
        Ok(Self::with(vec![Arc::new(Key { id: None, algorithm: None, key, written })], true, u64::MAX))
    }

    fn with(present: Vec<Arc<Key>>, is_secret: bool, fetch_pause_s: u64) -> Self {
        let sets = RwLock::new(Sets { present, before: Vec::new() });
        let fetch_pause_ms = fetch_pause_s.saturating_mul(1_000);
        Self { sets, is_secret, next_fetch_ms: AtomicU64::new(0), fetch_pause_ms }
    }

    /// Whether keys of this kind can make signatures of this algorithm.
    #[must_use]
    pub fn takes(&self, algorithm: Algorithm) -> bool {
        (algorithm.family() == AlgorithmFamily::Hmac) == self.is_secret
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sets.read().expect("no holder panics").present.is_empty()
    }

    /// The keys that may have signed a token. A secret has no id, so the token's id does not
    /// matter.
    pub(super) fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Vec<Arc<Key>> {
        let sets = self.sets.read().expect("no holder panics");
        let fits = |key: &&Arc<Key>| {
            key.key.family() == algorithm.family()
                && key.algorithm.is_none_or(|only| only == algorithm)
                && (self.is_secret || id.is_none() || key.id.as_deref() == id)
        };
        sets.present.iter().chain(&sets.before).filter(fits).cloned().collect()
    }

    /// Whether another ring has the same keys.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let (own, other_sets) = (self.sets(), other.sets());
        let same = |one: &[Arc<Key>], other: &[Arc<Key>]| {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.written == other.written)
        };
        self.is_secret == other.is_secret && same(&own.0, &other_sets.0) && same(&own.1, &other_sets.1)
    }

    /// The present keys and the keys before them.
    fn sets(&self) -> (Vec<Arc<Key>>, Vec<Arc<Key>>) {
        let sets = self.sets.read().expect("no holder panics");
        (sets.present.clone(), sets.before.clone())
    }

    /// Takes over the keys of another ring, for an issuer whose settings have changed.
    pub fn adopt(&self, other: &Self) {
        let (present, before) = other.sets();
        *self.sets.write().expect("no holder panics") = Sets { present, before };
        // A change of settings must not bypass the pause.
        self.next_fetch_ms.store(other.next_fetch_ms.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Whether a fetch may begin now because of an unknown key. If so, the next one must wait for
    /// the pause.
    pub fn may_fetch(&self, now_ms: u64) -> bool {
        let next = self.next_fetch_ms.load(Ordering::Relaxed);
        let after = now_ms.saturating_add(self.fetch_pause_ms);
        now_ms >= next
            && self.next_fetch_ms.compare_exchange(next, after, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Takes a new set. Keys that are not in it stay until the next set. True if a key is gone for
    /// good.
    pub(super) fn replace(&self, jwks: &[u8]) -> Result<bool, KeysError> {
        let present = parse(jwks)?;
        let mut sets = self.sets.write().expect("no holder panics");
        let stays = |key: &Arc<Key>| present.iter().any(|other| key.written == other.written);
        let gone: Vec<Arc<Key>> = sets.present.iter().filter(|key| !stays(key)).cloned().collect();
        // The same set again changes nothing.
        if gone.is_empty() && sets.present.len() == present.len() && sets.before.is_empty() {
            return Ok(false);
        }
        let dropped = sets.before.iter().any(|key| !stays(key));
        *sets = Sets { present, before: gone };
        Ok(dropped)
    }

    /// Takes a new set. Keys that are not in it are gone at once. True if there is such a key.
    pub(super) fn set(&self, jwks: &[u8]) -> Result<bool, KeysError> {
        let present = parse(jwks)?;
        let mut sets = self.sets.write().expect("no holder panics");
        let stays = |key: &Arc<Key>| present.iter().any(|other| key.written == other.written);
        let dropped = sets.present.iter().chain(&sets.before).any(|key| !stays(key));
        *sets = Sets { present, before: Vec::new() };
        Ok(dropped)
    }
}

/// The usable keys of a set: public ones of a known type, for signatures. Others are skipped, as
/// RFC 7517 (5) says.
fn parse(jwks: &[u8]) -> Result<Vec<Arc<Key>>, KeysError> {
    let set: Value = serde_json::from_slice(jwks).map_err(|error| KeysError(format!("no JSON: {error}")))?;
    let Some(keys) = set.get("keys").and_then(Value::as_array) else {
        return Err(KeysError("not a JWKS: the array 'keys' is missing".to_owned()));
    };
    if keys.len() > KEYS_MAX {
        return Err(KeysError(format!("{} keys, {KEYS_MAX} is the most", keys.len())));
    }
    let keys: Vec<Arc<Key>> = keys.iter().filter_map(key).map(Arc::new).collect();
    if keys.is_empty() {
        return Err(KeysError("no key of the JWKS can be used".to_owned()));
    }
    Ok(keys)
}

fn key(value: &Value) -> Option<Key> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    if !matches!(text("use"), None | Some("sig")) || !matches!(text("kty"), Some("RSA" | "EC" | "OKP")) {
        return None;
    }
    let algorithm = match text("alg") {
        Some(name) => Some(name.parse().ok()?),
        None => None,
    };
    let jwk: Jwk = serde_json::from_value(value.clone()).ok()?;
    let key = DecodingKey::from_jwk(&jwk).ok()?;
    Some(Key { id: text("kid").map(str::to_owned), algorithm, key, written: value.clone() })
}
