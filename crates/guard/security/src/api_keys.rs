//! API keys: a text file with one line `id:groups:sha256` for each key, and the header for the key.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};

use aws_lc_rs::rand::SecureRandom;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::HeaderName;

use crate::denied::{Denied, DeniedKind, Scheme};
use crate::digest::{Digest, equal, from_hex, sha256, to_hex};
use crate::identity::{Identity, Method, is_name};
use crate::users::{LineError, USERS_MAX, check_groups, parse_groups};

/// The most bytes of a key. A longer one cannot be valid.
pub const KEY_BYTES_MAX: usize = 512;
/// Random bytes in a key of [`key_line`].
const KEY_RANDOM_BYTES: usize = 32;

/// A file of API keys. It has only digests. Keys are so random that a slow hash would not protect
/// them better.
#[derive(Debug)]
pub struct ApiKeys {
    header: HeaderName,
    keys: RwLock<Arc<Keys>>,
}

/// Keys by the first bytes of their digests. The whole digest is compared in constant time.
type Keys = HashMap<[u8; 8], Vec<(Digest, Arc<Identity>)>>;

impl ApiKeys {
    /// Reads a file of keys. Requests carry a key in this header.
    ///
    /// # Errors
    /// The first line that is not a key.
    pub fn parse(header: HeaderName, text: &str) -> Result<Self, LineError> {
        Ok(Self { header, keys: RwLock::new(Arc::new(parse(text)?)) })
    }

    /// Takes a new version of the file. A version with a fault changes nothing.
    ///
    /// # Errors
    /// The first line that is not a key.
    pub fn replace(&self, text: &str) -> Result<(), LineError> {
        let keys = Arc::new(parse(text)?);
        *self.keys.write().expect("no holder panics") = keys;
        Ok(())
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &HeaderName {
        &self.header
    }

    /// Finds the identity of a key.
    pub(crate) fn check(&self, key: &[u8]) -> Result<Arc<Identity>, Denied> {
        let unknown = || Denied::new(DeniedKind::Invalid, Scheme::Other, "unknown API key");
        if key.len() > KEY_BYTES_MAX {
            return Err(unknown());
        }
        let digest = sha256(key);
        let keys = self.keys.read().expect("no holder panics");
        let near = keys.get(&digest[..8]).map_or(&[][..], Vec::as_slice);
        let found = near.iter().find(|(known, _)| equal(known, &digest));
        found.map(|(_, identity)| Arc::clone(identity)).ok_or_else(unknown)
    }
}

fn parse(text: &str) -> Result<Keys, LineError> {
    let mut keys = Keys::new();
    let mut digests = std::collections::HashSet::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fail = |message: String| LineError { line: index + 1, message };
        let (digest, identity) = parse_key(line).map_err(fail)?;
        if !digests.insert(digest) {
            return Err(fail(format!("the key of '{}' occurs twice", identity.name)));
        }
        if digests.len() > USERS_MAX {
            return Err(fail(format!("more than {USERS_MAX} keys")));
        }
        let first = digest[..8].try_into().expect("eight bytes");
        keys.entry(first).or_default().push((digest, Arc::new(identity)));
    }
    Ok(keys)
}

fn parse_key(line: &str) -> Result<(Digest, Identity), String> {
    let mut pieces = line.splitn(3, ':');
    let (Some(id), Some(groups), Some(hex)) = (pieces.next(), pieces.next(), pieces.next()) else {
        return Err("expected id:groups:sha256".to_owned());
    };
    if !is_name(id) {
        return Err("the id is empty, too long, or has control characters".to_owned());
    }
    let digest = from_hex(hex.trim())
        .ok_or_else(|| format!("key '{id}': expected SHA-256 in 64 hexadecimal digits"))?;
    Ok((digest, Identity::new(id, parse_groups(groups)?, Method::ApiKey)))
}

/// Makes a new key: the line for the file, and the key itself. The key is stored nowhere.
///
/// # Errors
/// An id or group is not valid in a line, or there are no random bytes.
pub fn key_line(id: &str, groups: &[String]) -> Result<(String, String), String> {
    if !is_name(id) || id.contains(':') || id.starts_with('#') || id != id.trim() {
        return Err(format!(
            "'{id}' cannot be an id: no colon or control character, no '#' first, no blanks around it"
        ));
    }
    check_groups(groups)?;
    let mut random = [0; KEY_RANDOM_BYTES];
    let system = aws_lc_rs::rand::SystemRandom::new();
    system.fill(&mut random).map_err(|_| "the system gives no random bytes".to_owned())?;
    let key = URL_SAFE_NO_PAD.encode(random);
    Ok((format!("{id}:{}:{}", groups.join(","), to_hex(&sha256(key.as_bytes()))), key))
}
