//! Tokens that are made here: a few signed claims that tell the remote API who calls.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue};
use jsonwebtoken::{Algorithm, AlgorithmFamily, EncodingKey, Header};
use security::Secret;
use serde_json::{Map, Value, json};

use super::sensitive;
use crate::connection::CallerName;
use crate::error::{Error, ErrorKind};

/// Tokens that are kept, one for each caller.
const KEPT_MAX: usize = 1_024;

/// The key that signs tokens.
#[derive(Clone, Debug)]
pub enum JwtKey {
    /// The shared secret of HS256, HS384 and HS512.
    Shared(Secret),
    /// A private key in PEM, of RSA or an elliptic curve.
    Pem(Secret),
}

/// The contents of tokens.
#[derive(Clone, Debug)]
pub struct JwtSettings {
    /// `HS256`, `RS256`, `ES256` and the like.
    pub algorithm: String,
    /// The key.
    pub key: JwtKey,
    /// The key's id, `kid`.
    pub key_id: Option<String>,
    /// The claim `iss`.
    pub issuer: Option<String>,
    /// The claim `aud`.
    pub audience: Option<String>,
    /// The claim `sub`; without it, the caller's name.
    pub subject: Option<String>,
    /// The claim that has the caller's groups, if there is one.
    pub groups_claim: Option<String>,
    /// Further claims, always the same.
    pub claims: Map<String, Value>,
    /// How long a token is valid.
    pub lifetime: Duration,
    /// The header that carries it; `authorization` with `Bearer` in front if it is not said.
    pub header: Option<HeaderName>,
}

/// Makes tokens, and keeps them for half of their lives.
pub struct Jwt {
    settings: JwtSettings,
    head: Header,
    key: EncodingKey,
    kept: Mutex<HashMap<Option<CallerName>, (HeaderValue, SystemTime)>>,
}

impl fmt::Debug for Jwt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jwt").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Jwt {
    /// Checks the settings by making a token.
    ///
    /// # Errors
    /// The algorithm is unknown, or the key does not fit it.
    pub fn new(settings: JwtSettings) -> Result<Self, String> {
        let algorithm: Algorithm = settings
            .algorithm
            .parse()
            .map_err(|_| format!("'{}' is not an algorithm", settings.algorithm))?;
        let wrong = |error: jsonwebtoken::errors::Error| format!("the key: {error}");
        let key = match (&settings.key, algorithm.family()) {
            (JwtKey::Shared(secret), AlgorithmFamily::Hmac) => EncodingKey::from_secret(secret.expose()),
            (JwtKey::Pem(pem), AlgorithmFamily::Rsa) => {
                EncodingKey::from_rsa_pem(pem.expose()).map_err(wrong)?
            }
            (JwtKey::Pem(pem), AlgorithmFamily::Ec) => {
                EncodingKey::from_ec_pem(pem.expose()).map_err(wrong)?
            }
            (JwtKey::Pem(pem), AlgorithmFamily::Ed) => {
                EncodingKey::from_ed_pem(pem.expose()).map_err(wrong)?
            }
            (JwtKey::Shared(_), _) => {
                return Err(format!("{} needs a private key", settings.algorithm));
            }
            (JwtKey::Pem(_), _) => return Err(format!("{} needs a shared secret", settings.algorithm)),
        };
        let head = Header { kid: settings.key_id.clone(), ..Header::new(algorithm) };
        let jwt = Self { settings, head, key, kept: Mutex::default() };
        let somebody = CallerName { user: "somebody".to_owned(), groups: Vec::new() };
        jwt.sign(Some(&somebody), 0).map_err(|error| error.message)?;
        Ok(jwt)
    }

    pub(super) fn header(&self) -> &HeaderName {
        self.settings.header.as_ref().unwrap_or(&AUTHORIZATION)
    }

    pub(super) fn names_callers(&self) -> bool {
        self.settings.subject.is_none() || self.settings.groups_claim.is_some()
    }

    /// The token for a caller.
    pub(super) fn token(&self, caller: Option<&CallerName>) -> Result<HeaderValue, Error> {
        let now = SystemTime::now();
        let key = caller.filter(|_| self.names_callers()).cloned();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((value, until)) = kept.get(&key)
            && now < *until
        {
            return Ok(value.clone());
        }
        drop(kept);
        let seconds = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let value = self.sign(caller, seconds)?;
        kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT_MAX {
            kept.clear();
        }
        kept.insert(key, (value.clone(), now + self.settings.lifetime / 2));
        Ok(value)
    }

    fn sign(&self, caller: Option<&CallerName>, now: u64) -> Result<HeaderValue, Error> {
        let settings = &self.settings;
        let no_token = |message: String| Error::unsent(ErrorKind::NoToken, message);
        let subject = settings.subject.as_deref().or(caller.map(|caller| caller.user.as_str()));
        let subject =
            subject.ok_or_else(|| no_token("the token is to name the caller, who is unknown".to_owned()))?;
        let mut claims = settings.claims.clone();
        claims.insert("sub".to_owned(), json!(subject));
        claims.insert("iat".to_owned(), json!(now));
        claims.insert("exp".to_owned(), json!(now + settings.lifetime.as_secs()));
        for (name, value) in [("iss", &settings.issuer), ("aud", &settings.audience)] {
            if let Some(value) = value {
                claims.insert(name.to_owned(), json!(value));
            }
        }
        if let Some(name) = &settings.groups_claim {
            let groups = caller.map(|caller| caller.groups.as_slice()).unwrap_or_default();
            claims.insert(name.clone(), json!(groups));
        }
        let token = jsonwebtoken::encode(&self.head, &claims, &self.key)
            .map_err(|error| no_token(format!("the token cannot be signed: {error}")))?;
        let value = if settings.header.is_some() { token } else { format!("Bearer {token}") };
        sensitive(value.as_bytes()).map_err(no_token)
    }
}

#[cfg(test)]
mod tests {
    use jsonwebtoken::{DecodingKey, Validation, decode};

    use super::*;

    fn settings() -> JwtSettings {
        JwtSettings {
            algorithm: "HS256".to_owned(),
            key: JwtKey::Shared(Secret::new(vec![7; 32])),
            key_id: Some("k1".to_owned()),
            issuer: Some("gantry".to_owned()),
            audience: Some("shop".to_owned()),
            subject: None,
            groups_claim: Some("groups".to_owned()),
            claims: Map::from_iter([("tenant".to_owned(), json!("a"))]),
            lifetime: Duration::from_secs(60),
            header: None,
        }
    }

    fn caller(user: &str) -> CallerName {
        CallerName { user: user.to_owned(), groups: vec!["staff".to_owned()] }
    }

    #[test]
    fn a_token_names_its_caller() {
        let jwt = Jwt::new(settings()).expect("a signer");
        let value = jwt.token(Some(&caller("bob"))).expect("a token");
        let token = value.to_str().expect("ASCII").strip_prefix("Bearer ").expect("a scheme").to_owned();
        let mut rules = Validation::new(Algorithm::HS256);
        rules.set_audience(&["shop"]);
        rules.set_issuer(&["gantry"]);
        let read = decode::<Value>(&token, &DecodingKey::from_secret(&[7; 32]), &rules).expect("it is valid");
        assert_eq!((&read.claims["sub"], &read.claims["tenant"]), (&json!("bob"), &json!("a")));
        assert_eq!(
            (read.claims["groups"][0].as_str(), read.header.kid.as_deref()),
            (Some("staff"), Some("k1"))
        );
        assert_eq!(jwt.token(Some(&caller("bob"))).expect("a token"), value, "it is kept");
        assert_ne!(jwt.token(Some(&caller("eve"))).expect("a token"), value, "each has an own one");
        assert_eq!(jwt.token(None).map_err(|error| error.kind), Err(ErrorKind::NoToken));
    }

    #[test]
    fn a_fixed_subject_needs_no_caller() {
        let fixed = JwtSettings { subject: Some("us".to_owned()), groups_claim: None, ..settings() };
        let jwt = Jwt::new(fixed).expect("a signer");
        assert!(!jwt.names_callers());
        assert_eq!(jwt.token(None).expect("a token"), jwt.token(Some(&caller("bob"))).expect("the same"));
    }

    #[test]
    fn elliptic_keys_sign_and_others_are_refused() {
        let pair = rcgen::KeyPair::generate().expect("a key");
        let pem = || JwtKey::Pem(Secret::from_text(pair.serialize_pem()));
        let with = |algorithm: &str, key: JwtKey| {
            Jwt::new(JwtSettings { algorithm: algorithm.to_owned(), key, ..settings() })
        };
        assert!(with("ES256", pem()).is_ok());
        assert!(with("RS256", pem()).is_err(), "it is no key of RSA");
        assert!(with("HS256", pem()).is_err() && with("none", pem()).is_err());
        assert!(with("ES256", JwtKey::Shared(Secret::new(vec![1]))).is_err());
        assert!(with("ES256", JwtKey::Pem(Secret::new(b"no key".to_vec()))).is_err());
    }
}
