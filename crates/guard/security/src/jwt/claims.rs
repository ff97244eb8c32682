//! The claims of a token: its audience, its times, and its holder.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{BearerSettings, invalid};
use crate::denied::{Denied, DeniedKind, Scheme};
use crate::identity::{Identity, Method, is_name};

/// The most groups or scopes of one token.
const VALUES_MAX: usize = 1_000;
/// Seconds since 1970 at the last second of the year 9999.
const DATE_MAX_S: f64 = 253_402_300_799.0;

/// The place of a claim: its name, or names with dots between them for nested claims
/// (`realm_access.roles`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimPath(String);

impl ClaimPath {
    /// A path in its written form.
    #[must_use]
    pub fn new(path: impl Into<String>) -> Self {
        Self(path.into())
    }

    /// The claim at this place. A claim whose name is the whole path, with its dots, comes first.
    /// Such names are often URLs.
    #[must_use]
    pub fn find<'c>(&self, claims: &'c Map<String, Value>) -> Option<&'c Value> {
        if let Some(found) = claims.get(&self.0) {
            return Some(found);
        }
        let mut names = self.0.split('.');
        let first = claims.get(names.next()?)?;
        names.try_fold(first, |value, name| value.get(name))
    }
}

/// Checks the claims of an authentic token. Gives its holder, and the millisecond at which it ends.
pub(super) fn accept(
    settings: &BearerSettings,
    claims: Map<String, Value>,
    now_ms: u64,
) -> Result<(Arc<Identity>, u64), Denied> {
    let ends_ms = times(settings, &claims, now_ms)?;
    let audiences = texts(claims.get("aud"), None);
    if !audiences.iter().any(|audience| settings.audiences.iter().any(|ours| *ours == **audience)) {
        return Err(invalid("another audience"));
    }
    if let Some(path) = settings.required_claims.iter().find(|path| path.find(&claims).is_none()) {
        return Err(invalid(format!("no claim '{}'", path.0)));
    }
    for (path, values) in &settings.claim_values {
        let held = texts(path.find(&claims), None);
        if !held.iter().any(|held| values.iter().any(|value| *value == **held)) {
            return Err(invalid(format!("another value of claim '{}'", path.0)));
        }
    }
    let name = match settings.user_claim.find(&claims) {
        Some(Value::String(name)) if is_name(name) => name.as_str().into(),
        _ => return Err(invalid(format!("claim '{}' is not a user name", settings.user_claim.0))),
    };
    let groups = settings.groups_claims.iter().flat_map(|path| texts(path.find(&claims), None)).collect();
    let scopes = texts(settings.scope_claim.find(&claims), Some(' ')).into();
    let identity = Identity { name, groups, scopes, method: Method::Jwt, claims: Some(claims) };
    Ok((Arc::new(identity), ends_ms))
}

/// Checks `exp`, which is required, `nbf` and `iat`.
fn times(settings: &BearerSettings, claims: &Map<String, Value>, now_ms: u64) -> Result<u64, Denied> {
    let leeway_ms = settings.leeway_s.saturating_mul(1_000);
    let Some(expires_ms) = date_ms(claims, "exp")? else {
        return Err(invalid("the token has no expiry time"));
    };
    let ends_ms = expires_ms.saturating_add(leeway_ms);
    if now_ms >= ends_ms {
        return Err(Denied::new(DeniedKind::Expired, Scheme::Bearer, "the token has expired"));
    }
    date_ms(claims, "iat")?;
    match date_ms(claims, "nbf")? {
        Some(begins_ms) if begins_ms > now_ms.saturating_add(leeway_ms) => {
            Err(invalid("the token is not good yet"))
        }
        _ => Ok(ends_ms),
    }
}

/// The milliseconds of a claim. The claim has seconds since 1970, perhaps with decimal places. A
/// number outside of 1970 to 9999 is a mistake of the issuer, or an attempt to never expire.
fn date_ms(claims: &Map<String, Value>, name: &str) -> Result<Option<u64>, Denied> {
    let Some(value) = claims.get(name) else { return Ok(None) };
    match value.as_f64() {
        Some(seconds) if (0.0..=DATE_MAX_S).contains(&seconds) => Ok(Some((seconds * 1_000.0) as u64)),
        _ => Err(invalid(format!("claim '{name}' is not a date between 1970 and 9999"))),
    }
}

/// The texts of a claim: an array of texts, or one text. A text is cut at the separator if there is
/// one.
fn texts(value: Option<&Value>, separator: Option<char>) -> Vec<Box<str>> {
    match value {
        Some(Value::String(text)) => match separator {
            Some(separator) => text
                .split(separator)
                .filter(|piece| !piece.is_empty())
                .take(VALUES_MAX)
                .map(Box::from)
                .collect(),
            None => vec![text.as_str().into()],
        },
        Some(Value::Array(values)) => {
            values.iter().filter_map(Value::as_str).take(VALUES_MAX).map(Box::from).collect()
        }
        _ => Vec::new(),
    }
}
