//! The cost of authentication on one core: nanoseconds a request for each method, with the cache
//! and without.
//!
//! `cargo bench -p security --bench authenticate`. A word after `--` selects the cases whose names
//! contain it.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderName;
use http::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{EncodingKey, Header};
use security::jwt::{Algorithm, Bearer, BearerSettings, KeyRing};
use security::{
    Access, ApiKeys, Authenticator, Authenticators, CALLERS_MAX_DEFAULT, Caller, Check, Limiter,
    LimiterSettings, Presented, Rate, RoleGroups, Users, key_line, user_line,
};

const NOW_MS: u64 = 1_795_000_000_000;
const ROUND: Duration = Duration::from_millis(300);
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

fn main() {
    let wanted: Option<String> = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let case = |name: &str, run: &mut dyn FnMut()| {
        if wanted.as_ref().is_none_or(|word| name.contains(word.as_str())) {
            measure(name, run);
        }
    };
    let (token, keys) = token();
    println!("a token of {} bytes", token.len());
    let bearer = authorization(&format!("Bearer {token}"));
    let cached = bearer_way(&keys, 1_000);
    case("jwt cached", &mut || known(&cached, &bearer));
    let uncached = bearer_way(&keys, 0);
    case("jwt verified", &mut || known(&uncached, &bearer));

    let line = user_line("mary", &["staff".to_owned()], b"secret").expect("a user");
    let users = Authenticator::Basic(Arc::new(Users::parse(&line, 100, 3_600).expect("users")));
    let users = Authenticators::new(vec![users], "bench");
    let basic = authorization(&format!("Basic {}", STANDARD.encode("mary:secret")));
    // It was remembered for an hour, and this hour is over.
    case("password verified", &mut || password(&users, &basic, NOW_MS - 3_600_000));
    password(&users, &basic, NOW_MS);
    case("password cached", &mut || known(&users, &basic));

    let (line, key) = key_line("shop", &[]).expect("a key");
    let api_keys = Authenticator::ApiKey(Arc::new(ApiKeys::parse(API_KEY, &line).expect("keys")));
    let api_keys = Authenticators::new(vec![api_keys], "bench");
    let key = HeaderMap::from_iter([(API_KEY, HeaderValue::from_str(&key).expect("a value"))]);
    case("api key", &mut || known(&api_keys, &key));

    let Check::Known(identity) = check(&cached, &bearer) else { panic!("mary is known") };
    let own = RoleGroups { invoke: Some(vec!["clerks".into(), "staff".into()]), ..RoleGroups::default() };
    let access = Access::global(RoleGroups::default(), true).specific(&own, None);
    let scopes: Vec<Box<str>> = vec!["orders:read".into()];
    case("role and scope", &mut || {
        assert!(black_box(&access).may_invoke(Some(&identity), &scopes).is_ok());
    });
    let rate = Rate::new(1_000_000_000, 10_000, 1_000_000);
    let settings =
        LimiterSettings { rate, caller_rate: rate, callers_max: CALLERS_MAX_DEFAULT, ..Default::default() };
    let limiter = Limiter::new(LimiterSettings { concurrent_max: Some(100), ..settings }).expect("limits");
    let mut now_ns = 0;
    case("rates and concurrency", &mut || {
        now_ns += 1_000;
        assert!(limiter.admit(Caller::User(black_box("mary")), now_ns).is_ok());
    });
}

fn authorization(value: &str) -> HeaderMap {
    HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_str(value).expect("a value"))])
}

/// A token of the usual size, and the set with its key.
fn token() -> (String, Vec<u8>) {
    let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
    let key = EncodingKey::from_ec_der(made.expect("a key").as_ref());
    let claims = serde_json::json!({
        "iss": "https://issuer.example/realms/main", "aud": ["gantry", "account"], "sub": "mary", "azp": "shop",
        "exp": NOW_MS / 1_000 + 3_600, "iat": NOW_MS / 1_000, "jti": "2f1c7a3e-6a39-4a57-8a54-6c0d5f0f9a11",
        "groups": ["staff", "offline_access", "uma_authorization", "default-roles-main"],
        "scope": "openid profile email orders:read orders:write", "name": "Mary Example",
        "email": "mary@example.com", "email_verified": true, "sid": "0f1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9",
    });
    let token = jsonwebtoken::encode(&Header::new(Algorithm::ES256), &claims, &key).expect("a token");
    let jwk = Jwk::from_encoding_key(&key, Algorithm::ES256).expect("a public key");
    (token, serde_json::json!({ "keys": [jwk] }).to_string().into_bytes())
}

fn bearer_way(keys: &[u8], cached_tokens_max: usize) -> Authenticators {
    let audiences = vec!["gantry".to_owned()];
    let settings =
        BearerSettings::new("https://issuer.example/realms/main", audiences, vec![Algorithm::ES256]);
    let keys = Arc::new(KeyRing::of_set(keys, 30).expect("keys"));
    let bearer = Bearer::new(BearerSettings { cached_tokens_max, ..settings }, keys).expect("settings");
    Authenticators::new(vec![Authenticator::Bearer(Arc::new(bearer))], "bench")
}

fn check(all: &Authenticators, headers: &HeaderMap) -> Check {
    all.check(Presented { headers: black_box(headers), certificate: None }, NOW_MS)
}

fn known(all: &Authenticators, headers: &HeaderMap) {
    assert!(matches!(check(all, headers), Check::Known(_)));
}

fn password(all: &Authenticators, headers: &HeaderMap, now_ms: u64) {
    let Check::Password(work) = check(all, headers) else { panic!("nothing is remembered") };
    work.run(now_ms).expect("mary");
}

/// Prints the best and the median of some rounds.
fn measure(name: &str, run: &mut dyn FnMut()) {
    let mut rounds: Vec<f64> = (0..7)
        .map(|_| {
            let (begin, mut count) = (Instant::now(), 0_u32);
            while begin.elapsed() < ROUND {
                for _ in 0..16 {
                    run();
                }
                count += 16;
            }
            begin.elapsed().as_secs_f64() * 1e9 / f64::from(count)
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    println!("{name:24} {:>12.0} ns best {:>12.0} ns median", rounds[0], rounds[rounds.len() / 2]);
}
