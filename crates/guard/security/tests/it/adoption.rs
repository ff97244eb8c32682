//! Tests which state a changed configuration takes over.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use security::jwt::{Algorithm, Bearer, BearerSettings, KeyRing};
use security::{Authenticator, Authenticators, Check, Presented, Secret, Users};
use serde_json::json;

use crate::basic::cheap;
use crate::issuer::{Signer, jwks};
use crate::{NOW_MS, ask, headers};

/// True if the password is remembered, false if it must be verified.
fn is_remembered(users: &Arc<Users>, words: &str) -> bool {
    let all = Authenticators::new(vec![Authenticator::Basic(Arc::clone(users))], "test");
    let headers = headers(&format!("Basic {}", STANDARD.encode(words)));
    matches!(all.check(Presented { headers: &headers, certificate: None }, NOW_MS), Check::Known(_))
}

#[test]
fn passwords_stay_verified_while_their_hash_is_the_same() {
    let (mary, john) = (format!("mary:staff:{}\n", cheap(b"secret")), format!("john::{}\n", cheap(b"word")));
    let users = |text: &str, cache_s| Arc::new(Users::parse(text, 100, cache_s).expect("users"));
    let before = users(&format!("{mary}{john}"), 60);
    for words in ["mary:secret", "john:word"] {
        let presented = headers(&format!("Basic {}", STANDARD.encode(words)));
        ask(&Authenticator::Basic(Arc::clone(&before)), &presented, NOW_MS).expect("known");
    }
    // The groups come from the new file, and a changed hash does not count as the old one.
    let after = users(&format!("{}john::{}\n", mary.replace("staff", "clerks"), cheap(b"word")), 60);
    assert!(after.adopt(&before));
    assert!(is_remembered(&after, "mary:secret") && !is_remembered(&after, "john:word"));
    assert!(!is_remembered(&after, "mary:wrong") && !is_remembered(&after, "eve:secret"));
    let presented = headers(&format!("Basic {}", STANDARD.encode("mary:secret")));
    let identity = ask(&Authenticator::Basic(Arc::clone(&after)), &presented, NOW_MS).expect("mary");
    assert_eq!(&*identity.groups, ["clerks".into()]);
    // If the time of remembering differs, passwords are verified again. A memory that has begun is
    // not replaced.
    assert!(!users(&mary, 61).adopt(&before));
    let begun = users(&mary, 60);
    assert!(!is_remembered(&begun, "mary:secret"));
    assert!(!begun.adopt(&before));
    assert!(!is_remembered(&begun, "mary:secret"));
}

#[test]
fn tokens_stay_verified_under_the_same_settings_and_keys() {
    let (one, other) = (Signer::ec("1"), Signer::ec("2"));
    let settings = |audience: &str| {
        BearerSettings::new("https://issuer.example", vec![audience.to_owned()], vec![Algorithm::ES256])
    };
    let bearer = |audience, keys: &[&Signer]| {
        let keys = Arc::new(KeyRing::of_set(&jwks(keys), 30).expect("keys"));
        Arc::new(Bearer::new(settings(audience), keys).expect("settings"))
    };
    let token = headers(&format!("Bearer {}", one.token(json!({}))));
    let before = bearer("gantry", &[&one]);
    let identity = ask(&Authenticator::Bearer(Arc::clone(&before)), &token, NOW_MS).expect("mary");
    let same = bearer("gantry", &[&one]);
    assert!(same.adopt(&before));
    let again = ask(&Authenticator::Bearer(same), &token, NOW_MS).expect("mary");
    assert!(Arc::ptr_eq(&identity, &again), "it is not verified again");
    assert!(!bearer("elsewhere", &[&one]).adopt(&before), "another audience");
    assert!(!bearer("gantry", &[&other]).adopt(&before), "other keys");
    assert!(!bearer("gantry", &[&one, &other]).adopt(&before), "more keys");
    let secret = |text: &str| {
        let keys = KeyRing::of_secret(&Secret::new(text.repeat(32).into_bytes())).expect("a secret");
        let settings = BearerSettings { algorithms: vec![Algorithm::HS256], ..settings("gantry") };
        Bearer::new(settings, Arc::new(keys)).expect("settings")
    };
    assert!(secret("a").adopt(&secret("a")) && !secret("a").adopt(&secret("b")));
}
