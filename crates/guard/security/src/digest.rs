//! Digests: keyed ones, so that caches recognize secrets without keeping them, and plain ones of
//! API keys.

use aws_lc_rs::{digest, rand};
use zeroize::Zeroizing;

/// 256 bits.
pub(crate) type Digest = [u8; 32];

/// SHA-256 behind a block of random bytes that only this process knows. The digests never leave the
/// process, so nobody can extend the hashed text. HMAC would protect no better, at twice the cost.
pub(crate) struct KeyedHash(digest::Context);

/// A whole block of SHA-256, so that the state after the key is computed only once.
const KEY_BYTES: usize = 64;

impl KeyedHash {
    pub(crate) fn new() -> Self {
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        rand::fill(key.as_mut_slice()).expect("the system has random bytes");
        let mut keyed = digest::Context::new(&digest::SHA256);
        keyed.update(key.as_slice());
        Self(keyed)
    }

    /// The digest of some pieces. The length precedes each piece, so different lists give different
    /// digests.
    pub(crate) fn of(&self, pieces: &[&[u8]]) -> Digest {
        let mut context = self.0.clone();
        for piece in pieces {
            context.update(&(piece.len() as u64).to_le_bytes());
            context.update(piece);
        }
        context.finish().as_ref().try_into().expect("SHA-256 has 32 bytes")
    }
}

impl std::fmt::Debug for KeyedHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeyedHash")
    }
}

pub(crate) fn sha256(bytes: &[u8]) -> Digest {
    digest::digest(&digest::SHA256, bytes).as_ref().try_into().expect("SHA-256 has 32 bytes")
}

/// Compares in constant time.
pub(crate) fn equal(one: &Digest, other: &Digest) -> bool {
    aws_lc_rs::constant_time::verify_slices_are_equal(one, other).is_ok()
}

pub(crate) fn to_hex(digest: &Digest) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn from_hex(text: &str) -> Option<Digest> {
    let mut digest = [0; 32];
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, at) in digest.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(text.get(at..at + 2)?, 16).ok()?;
    }
    Some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_goes_both_ways() {
        let digest = sha256(b"abc");
        assert_eq!(to_hex(&digest), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(from_hex(&to_hex(&digest).to_uppercase()), Some(digest));
        assert_eq!(from_hex("ba78"), None);
        assert_eq!(from_hex(&"+1".repeat(32)), None);
        assert_eq!(from_hex(&"é".repeat(32)), None);
    }

    #[test]
    fn pieces_do_not_run_together() {
        let hash = KeyedHash::new();
        assert_eq!(hash.of(&[b"ab", b"c"]), hash.of(&[b"ab", b"c"]));
        assert_ne!(hash.of(&[b"ab", b"c"]), hash.of(&[b"a", b"bc"]));
        assert_ne!(hash.of(&[b"ab"]), KeyedHash::new().of(&[b"ab"]));
    }
}
