//! Every way to authenticate, every role, every limit, and all refusals.

mod access;
mod adoption;
mod api_keys;
mod basic;
mod bearer;
mod certificate;
mod cors;
mod directory;
mod issuer;
mod limits;
mod random;
mod tokens;

use std::sync::Arc;

use http::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use security::{Authenticator, Authenticators, Check, Denied, DeniedKind, Identity, Presented};

/// The time of the tests, in milliseconds since 1970.
const NOW_MS: u64 = 1_795_000_000_000;

fn headers(authorization: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, HeaderValue::from_str(authorization).expect("a header's value"));
    headers
}

/// Authenticates by one way. Passwords are verified at once.
fn ask(way: &Authenticator, headers: &HeaderMap, now_ms: u64) -> Result<Arc<Identity>, Denied> {
    let all = Authenticators::new(vec![way.clone()], "test");
    match all.check(Presented { headers, certificate: None }, now_ms) {
        Check::Known(identity) => Ok(identity),
        Check::Denied(denied) => Err(denied),
        Check::Anonymous => Err(Denied::missing()),
        Check::Password(work) => work.run(now_ms),
        Check::Directory(_) => panic!("a directory is wanted"),
        Check::Keys(_) => panic!("keys are wanted"),
    }
}

#[track_caller]
fn denies(way: &Authenticator, headers: &HeaderMap, kind: DeniedKind) -> Denied {
    let denied = ask(way, headers, NOW_MS).expect_err("a denial");
    assert_eq!(denied.kind, kind, "{denied}");
    denied
}
