//! The three parts of a signed token in its compact form (RFC 7515, 7.1).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::Algorithm;
use serde_json::{Map, Value};

use super::keys::Key;
use super::unique::{self, Fault};

/// A token with a correct form. Nothing of it is verified yet.
pub(super) struct Token<'t> {
    /// Header and claims in their signed form.
    signed: &'t [u8],
    claims: &'t [u8],
    signature: &'t str,
    header: Map<String, Value>,
}

impl<'t> Token<'t> {
    pub(super) fn parse(token: &'t [u8]) -> Result<Self, &'static str> {
        let mut parts = token.split(|byte| *byte == b'.');
        let (Some(header), Some(claims), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err("the token does not have three parts");
        };
        let signature = std::str::from_utf8(signature).map_err(|_| "the signature is not base64url")?;
        let signed = &token[..header.len() + 1 + claims.len()];
        let header = object(header).map_err(|fault| match fault {
            Fault::Twice => "the token's header has a name twice",
            Fault::Form => "the token's header is not a JSON object in base64url",
        })?;
        // `crit` names extensions that the reader must understand (RFC 7515, 4.1.11). This code
        // supports none.
        if header.contains_key("crit") {
            return Err("the token asks for extensions");
        }
        Ok(Self { signed, claims, signature, header })
    }

    pub(super) fn claims(&self) -> Result<Map<String, Value>, &'static str> {
        object(self.claims).map_err(|fault| match fault {
            Fault::Twice => "the token has a claim twice",
            Fault::Form => "the token's claims are not a JSON object in base64url",
        })
    }

    /// The algorithm; none for an unknown one, above all for `none`.
    pub(super) fn algorithm(&self) -> Option<Algorithm> {
        self.header.get("alg")?.as_str()?.parse().ok()
    }

    pub(super) fn key_id(&self) -> Option<&str> {
        self.header.get("kid")?.as_str()
    }

    pub(super) fn is_signed_by(&self, key: &Key, algorithm: Algorithm) -> bool {
        jsonwebtoken::crypto::verify(self.signature, self.signed, &key.key, algorithm) == Ok(true)
    }
}

fn object(encoded: &[u8]) -> Result<Map<String, Value>, Fault> {
    unique::object(&URL_SAFE_NO_PAD.decode(encoded).map_err(|_| Fault::Form)?)
}
