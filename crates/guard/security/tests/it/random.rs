//! Random headers, tokens, lines and certificates. Each gives a decision, never a panic, and never
//! a user that does not exist.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use http::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use proptest::prelude::*;
use security::jwt::{Algorithm, Bearer, BearerSettings, KeyRing, read_token};
use security::{
    ApiKeys, Authenticator, Authenticators, Basic, CertificateNames, Check, Denied, DeniedKind, Presented,
    Users,
};

use crate::NOW_MS;
use crate::basic::users;
use crate::issuer::{Signer, claims, jwks};

fn all(signer: &Signer) -> Authenticators {
    let settings =
        BearerSettings::new("https://issuer.example", vec!["gantry".to_owned()], vec![Algorithm::ES256]);
    let keys = Arc::new(KeyRing::of_set(&jwks(&[signer]), 30).expect("keys"));
    let bearer = Arc::new(Bearer::new(settings, keys).expect("settings"));
    Authenticators::new(vec![Authenticator::Basic(users()), Authenticator::Bearer(bearer)], "test")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn basic_goes_both_ways(user in "[^:\\p{Cc}]{1,60}", password in any::<String>(), padded in any::<bool>()) {
        let words = format!("{user}:{password}");
        let encoded = if padded { STANDARD.encode(&words) } else { STANDARD_NO_PAD.encode(&words) };
        let basic = Basic::parse(encoded.as_bytes()).expect("basic");
        prop_assert_eq!(basic.user(), user);
        prop_assert_eq!(basic.password(), password.as_bytes());
    }

    #[test]
    fn any_bytes_are_basic_or_malformed(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for encoded in [bytes.clone(), STANDARD.encode(&bytes).into_bytes()] {
            if let Err(Denied { kind, .. }) = Basic::parse(&encoded) {
                prop_assert_eq!(kind, DeniedKind::Malformed);
            }
        }
    }

    #[test]
    fn any_text_is_a_token_or_none(
        header in "\\PC{0,40}", body in "\\PC{0,40}", rest in "[A-Za-z0-9_.=-]{0,60}", raw in "[ -~]{0,120}",
    ) {
        let encoded = |text: &str| URL_SAFE_NO_PAD.encode(text);
        read_token(raw.as_bytes());
        read_token(format!("{}.{}.{rest}", encoded(&header), encoded(&body)).as_bytes());
        let good = read_token(format!("{}.{}.x", encoded("{\"alg\":\"none\"}"), encoded("{}")).as_bytes());
        prop_assert!(good);
    }

    #[test]
    fn any_text_is_a_file_of_users_or_keys_or_none(text in "(\\PC{0,20}[:\n$,]){0,20}") {
        let _ = Users::parse(&text, 0, 0);
        let _ = ApiKeys::parse(AUTHORIZATION, &text);
        let _ = KeyRing::of_set(text.as_bytes(), 0);
    }

    #[test]
    fn any_bytes_are_a_certificate_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = CertificateNames::parse(&bytes);
    }
}

#[test]
fn no_changed_byte_of_a_header_lets_anybody_in() {
    let signer = Signer::ec("1");
    let all = all(&signer);
    let token =
        signer.with_header(&serde_json::json!({"alg": "ES256", "kid": "1"}), &claims(serde_json::json!({})));
    let good = format!("Bearer {token}");
    let check = |value: &[u8]| {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_bytes(value).expect("a value"));
        all.check(Presented { headers: &headers, certificate: None }, NOW_MS)
    };
    for at in "Bearer ".len()..good.len() {
        for byte in [b'A', b'.', b' ', 0xE9] {
            let mut changed = good.clone().into_bytes();
            // The last characters of a part may have unused bits. The decoder refuses them if they
            // are set.
            if changed[at] != byte {
                changed[at] = byte;
                let outcome = check(&changed);
                assert!(matches!(outcome, Check::Denied(_) | Check::Keys(_)), "{at} {byte}: {outcome:?}");
            }
        }
    }
    assert!(matches!(check(good.as_bytes()), Check::Known(_)));
}
