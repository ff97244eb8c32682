//! An issuer of tokens for tests. It makes keys, sets of keys and signatures.

use aws_lc_rs::encoding::AsDer;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeyPair as RsaKeyPair, KeySize};
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};

use crate::NOW_MS;

/// Bytes before the key itself in PKCS#8, for RSA with 2,048 bits.
const PKCS8_HEAD_BYTES: usize = 26;

pub(crate) struct Signer {
    pub(crate) id: &'static str,
    algorithm: Algorithm,
    key: EncodingKey,
}

impl Signer {
    pub(crate) fn ec(id: &'static str) -> Self {
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        let key = EncodingKey::from_ec_der(made.expect("a key").as_ref());
        Self { id, algorithm: Algorithm::ES256, key }
    }

    pub(crate) fn rsa(id: &'static str) -> Self {
        let made = RsaKeyPair::generate(KeySize::Rsa2048).expect("a key");
        let der: aws_lc_rs::encoding::Pkcs8V1Der<'_> = made.as_der().expect("PKCS#8");
        Self {
            id,
            algorithm: Algorithm::RS256,
            key: EncodingKey::from_rsa_der(&der.as_ref()[PKCS8_HEAD_BYTES..]),
        }
    }

    pub(crate) fn secret(secret: &[u8]) -> Self {
        Self { id: "secret", algorithm: Algorithm::HS256, key: EncodingKey::from_secret(secret) }
    }

    pub(crate) fn jwk(&self) -> Value {
        let jwk = Jwk::from_encoding_key(&self.key, self.algorithm).expect("a public key");
        let mut jwk = serde_json::to_value(jwk).expect("JSON");
        jwk["kid"] = json!(self.id);
        jwk["use"] = json!("sig");
        jwk
    }

    /// A token with the good claims and these changes. A null removes a claim.
    pub(crate) fn token(&self, changes: Value) -> String {
        let mut header = Header::new(self.algorithm);
        header.kid = Some(self.id.to_owned());
        jsonwebtoken::encode(&header, &claims(changes), &self.key).expect("a token")
    }

    /// A token with exactly this header.
    pub(crate) fn with_header(&self, header: &Value, claims: &Value) -> String {
        self.with_text(&header.to_string(), &claims.to_string())
    }

    /// A token with exactly these texts. A library need not write them so.
    pub(crate) fn with_text(&self, header: &str, claims: &str) -> String {
        let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
        let signature =
            jsonwebtoken::crypto::sign(signed.as_bytes(), &self.key, self.algorithm).expect("a signature");
        format!("{signed}.{signature}")
    }
}

pub(crate) fn jwks(keys: &[&Signer]) -> Vec<u8> {
    json!({ "keys": keys.iter().map(|signer| signer.jwk()).collect::<Vec<_>>() }).to_string().into_bytes()
}

pub(crate) fn claims(changes: Value) -> Value {
    let mut claims = json!({
        "iss": "https://issuer.example", "aud": "gantry", "sub": "mary", "exp": NOW_MS / 1_000 + 600,
        "groups": ["staff"], "scope": "orders:read orders:write",
    });
    for (name, value) in changes.as_object().expect("an object") {
        match value {
            Value::Null => claims.as_object_mut().expect("an object").remove(name),
            value => claims.as_object_mut().expect("an object").insert(name.clone(), value.clone()),
        };
    }
    claims
}
