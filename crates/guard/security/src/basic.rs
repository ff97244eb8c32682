//! The Basic scheme (RFC 7617): user and password in one header.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use http::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use zeroize::Zeroizing;

use crate::denied::{Denied, DeniedKind, Scheme};
use crate::identity::is_name;

/// Bytes of the value of an Authorization header of this scheme.
pub const BASIC_BYTES_MAX: usize = 4096;

/// Some clients leave the padding out.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// User and password, overwritten when dropped.
pub struct Basic {
    text: Zeroizing<Vec<u8>>,
    colon: usize,
}

impl Basic {
    /// Reads the text behind the word `Basic` and its blanks: base64 of `user:password`, both
    /// UTF-8.
    ///
    /// # Errors
    /// The text is too long, or is not base64 or UTF-8, or has no colon or no name.
    pub fn parse(encoded: &[u8]) -> Result<Self, Denied> {
        let malformed = |reason: &str| Denied::new(DeniedKind::Malformed, Scheme::Basic, reason);
        if encoded.len() > BASIC_BYTES_MAX {
            return Err(malformed("Basic credentials are too long"));
        }
        let mut text = Zeroizing::new(Vec::with_capacity(encoded.len()));
        BASE64.decode_vec(encoded, &mut text).map_err(|_| malformed("Basic credentials are not base64"))?;
        let words = std::str::from_utf8(&text).map_err(|_| malformed("Basic credentials are not UTF-8"))?;
        let colon = words.find(':').ok_or_else(|| malformed("Basic credentials have no colon"))?;
        if !is_name(&words[..colon]) {
            return Err(malformed("Basic credentials have no proper user name"));
        }
        Ok(Self { text, colon })
    }

    /// The headers of a request with this user and password; none if they are not valid there.
    #[must_use]
    pub fn headers(user: &str, password: &str) -> Option<HeaderMap> {
        if user.contains(':') {
            return None;
        }
        let pair = Zeroizing::new(format!("{user}:{password}"));
        let value = Zeroizing::new(format!("Basic {}", BASE64.encode(pair.as_bytes())));
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        Some(HeaderMap::from_iter([(AUTHORIZATION, value)]))
    }

    /// The user's name.
    #[must_use]
    pub fn user(&self) -> &str {
        std::str::from_utf8(&self.text[..self.colon]).unwrap_or_default()
    }

    /// The password, which may hold colons.
    #[must_use]
    pub fn password(&self) -> &[u8] {
        &self.text[self.colon + 1..]
    }
}

impl std::fmt::Debug for Basic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Basic").field("user", &self.user()).finish_non_exhaustive()
    }
}
