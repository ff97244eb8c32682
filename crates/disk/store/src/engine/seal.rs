//! A checksum behind each value, over key and value. A read then finds bytes that changed on disk, or that
//! stand under another key.

use crate::error::{Error, ErrorKind, Result};

const SEAL_BYTES: usize = 4;

fn checksum(key: &[u8], value: &[u8]) -> [u8; SEAL_BYTES] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(key);
    hasher.update(value);
    hasher.finalize().to_be_bytes()
}

/// The value with its seal.
pub(super) fn seal(key: &[u8], value: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(value.len() + SEAL_BYTES);
    sealed.extend_from_slice(value);
    sealed.extend_from_slice(&checksum(key, value));
    sealed
}

/// The length of the value without its seal.
pub(super) fn content_bytes(sealed: &[u8]) -> u64 {
    sealed.len().saturating_sub(SEAL_BYTES) as u64
}

/// The value without its seal.
///
/// # Errors
/// `Corrupt` if the seal does not fit this key and value.
pub(super) fn open<'a>(key: &[u8], sealed: &'a [u8]) -> Result<&'a [u8]> {
    let parts = sealed.split_last_chunk::<SEAL_BYTES>();
    parts.filter(|(value, found)| checksum(key, value) == **found).map(|(value, _)| value).ok_or_else(|| {
        let message =
            format!("store: {} bytes do not have the checksum they were written with", sealed.len());
        Error::new(ErrorKind::Corrupt, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_flipped_bit_is_found() {
        let sealed = seal(b"key", b"value");
        assert_eq!(open(b"key", &sealed).unwrap(), b"value");
        for bit in 0..sealed.len() * 8 {
            let mut damaged = sealed.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(open(b"key", &damaged).unwrap_err().kind(), ErrorKind::Corrupt);
        }
        assert_eq!(open(b"kez", &sealed).unwrap_err().kind(), ErrorKind::Corrupt);
        assert_eq!(open(b"", b"abc").unwrap_err().kind(), ErrorKind::Corrupt);
    }
}
