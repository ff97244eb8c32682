//! Bearer tokens: the good one, and all faulty ones.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use security::jwt::{Algorithm, Bearer, BearerSettings, ClaimPath, KeyRing};
use security::{Authenticator, Authenticators, Check, DeniedKind, Method, Presented, Secret};
use serde_json::{Value, json};

use crate::issuer::{Signer, claims, jwks};
use crate::{NOW_MS, ask, denies, headers};

fn settings(algorithms: &[Algorithm]) -> BearerSettings {
    let audiences = vec!["other".to_owned(), "gantry".to_owned()];
    BearerSettings::new("https://issuer.example", audiences, algorithms.to_vec())
}

fn bearer(settings: BearerSettings, signers: &[&Signer]) -> Arc<Bearer> {
    let keys = KeyRing::of_set(&jwks(signers), 30).expect("keys");
    Arc::new(Bearer::new(settings, Arc::new(keys)).expect("settings"))
}

#[track_caller]
fn refuses(way: &Authenticator, token: &str, kind: DeniedKind) -> String {
    denies(way, &headers(&format!("Bearer {token}")), kind).reason
}

#[test]
fn a_good_token_tells_who_its_holder_is() {
    for signer in [Signer::ec("1"), Signer::rsa("1")] {
        let way = Authenticator::Bearer(bearer(settings(&[Algorithm::RS256, Algorithm::ES256]), &[&signer]));
        let token = signer.token(json!({"aud": ["a", "gantry"], "nbf": NOW_MS / 1_000}));
        let identity = ask(&way, &headers(&format!("Bearer {token}")), NOW_MS).expect("mary");
        assert_eq!((&*identity.name, &*identity.groups[0], identity.method), ("mary", "staff", Method::Jwt));
        assert!(identity.has_scope("orders:write") && !identity.has_scope("orders"));
        assert_eq!(identity.claims.as_ref().expect("claims")["iss"], "https://issuer.example");
    }
}

#[test]
fn a_token_ends_and_the_cache_with_it() {
    let signer = Signer::ec("1");
    let way = Authenticator::Bearer(bearer(settings(&[Algorithm::ES256]), &[&signer]));
    let token = headers(&format!("Bearer {}", signer.token(json!({}))));
    let first = ask(&way, &token, NOW_MS).expect("mary");
    let again = ask(&way, &token, NOW_MS + 1).expect("mary");
    assert!(Arc::ptr_eq(&first, &again), "the second comes from the cache");
    let end_ms = (NOW_MS / 1_000 + 600 + 60) * 1_000;
    ask(&way, &token, end_ms - 1).expect("still good, with leeway");
    let denied = ask(&way, &token, end_ms).expect_err("expired");
    assert_eq!(denied.kind, DeniedKind::Expired);
    let all = Authenticators::new(vec![way], "r");
    let challenge = r#"Bearer realm="r", error="invalid_token", error_description="The token has expired""#;
    assert_eq!(all.challenges(&denied), [challenge]);
}

#[test]
fn claims_that_do_not_fit_are_refused() {
    let signer = Signer::ec("1");
    let mut settings = settings(&[Algorithm::ES256]);
    settings.required_claims = vec![ClaimPath::new("azp")];
    settings.claim_values = vec![(ClaimPath::new("tenant.id"), vec!["7".to_owned(), "8".to_owned()])];
    let way = Authenticator::Bearer(bearer(settings, &[&signer]));
    let good = json!({"azp": "app", "tenant": {"id": "8"}});
    let with = |name: &str, value: Value| {
        let mut changes = good.clone();
        changes[name] = value;
        signer.token(changes)
    };
    ask(&way, &headers(&format!("Bearer {}", signer.token(good.clone()))), NOW_MS).expect("mary");
    let cases = [
        ("iss", json!("https://issuer.example/"), "another issuer"),
        ("iss", Value::Null, "another issuer"),
        ("aud", json!("gantry2"), "another audience"),
        ("aud", json!([]), "another audience"),
        ("aud", Value::Null, "another audience"),
        ("exp", Value::Null, "the token has no expiry time"),
        ("exp", json!("soon"), "'exp' is not a date"),
        ("exp", json!(-5), "'exp' is not a date"),
        ("exp", json!(1e300), "'exp' is not a date"),
        ("exp", json!(u64::MAX), "'exp' is not a date"),
        ("exp", json!(253_402_300_800_u64), "'exp' is not a date"),
        ("nbf", json!(NOW_MS / 1_000 + 61), "not good yet"),
        ("nbf", json!("x"), "'nbf' is not a date"),
        ("nbf", json!(-1e300), "'nbf' is not a date"),
        ("iat", json!(1e300), "'iat' is not a date"),
        ("iat", json!([1]), "'iat' is not a date"),
        ("sub", Value::Null, "not a user name"),
        ("sub", json!(""), "not a user name"),
        ("sub", json!("a\nb"), "not a user name"),
        ("sub", json!(7), "not a user name"),
        ("azp", Value::Null, "no claim 'azp'"),
        ("tenant", json!({"id": "9"}), "another value of claim 'tenant.id'"),
        ("tenant", json!("8"), "another value of claim 'tenant.id'"),
    ];
    for (name, value, expected) in cases {
        let reason = refuses(&way, &with(name, value.clone()), DeniedKind::Invalid);
        assert!(reason.contains(expected), "{name} {value}: {reason}");
    }
    for exp in [json!(0), json!(NOW_MS / 1_000 - 61), json!(1.5)] {
        refuses(&way, &with("exp", exp), DeniedKind::Expired);
    }
    for far in [json!(253_402_300_799_u64), json!(253_402_300_799.0)] {
        let far = with("exp", far);
        ask(&way, &headers(&format!("Bearer {far}")), NOW_MS).expect("a date far away");
    }
}

#[test]
fn a_claim_that_stands_twice_is_refused() {
    let signer = Signer::ec("1");
    let way = Authenticator::Bearer(bearer(settings(&[Algorithm::ES256]), &[&signer]));
    let header = r#"{"alg":"ES256","kid":"1"}"#;
    let good = claims(json!({"tenant": {"id": 1}})).to_string();
    ask(&way, &headers(&format!("Bearer {}", signer.with_text(header, &good))), NOW_MS).expect("mary");
    let twice = |more: &str| format!("{},{more}}}", good.strip_suffix('}').expect("an object"));
    let cases = [
        (header.to_owned(), twice(r#""sub":"root""#), "a claim twice"),
        (header.to_owned(), twice(r#""sub":"mary""#), "a claim twice"),
        // The same name, with an escape.
        (header.to_owned(), twice(r#""\u0073ub":"root""#), "a claim twice"),
        (header.to_owned(), twice(r#""realm_access":{"roles":[],"roles":["admin"]}"#), "a claim twice"),
        (header.to_owned(), twice(r#""list":[{"a":1,"a":2}]"#), "a claim twice"),
        (r#"{"alg":"none","alg":"ES256","kid":"1"}"#.to_owned(), good.clone(), "a name twice"),
    ];
    for (header, claims, expected) in cases {
        let reason = refuses(&way, &signer.with_text(&header, &claims), DeniedKind::Malformed);
        assert!(reason.contains(expected), "{claims}: {reason}");
    }
}

#[test]
fn claims_become_user_groups_and_scopes_as_configured() {
    let signer = Signer::ec("1");
    let mut settings = settings(&[Algorithm::ES256]);
    settings.user_claim = ClaimPath::new("preferred_username");
    settings.groups_claims = vec![
        ClaimPath::new("realm_access.roles"),
        ClaimPath::new("https://example.com/team"),
        ClaimPath::new("x.y"),
    ];
    settings.scope_claim = ClaimPath::new("scp");
    let way = Authenticator::Bearer(bearer(settings, &[&signer]));
    let token = signer.token(json!({
        "preferred_username": "mary@example.com", "realm_access": {"roles": ["a", "b", 7]},
        "https://example.com/team": "blue team", "scp": ["s1", "s2"],
    }));
    let identity = ask(&way, &headers(&format!("Bearer {token}")), NOW_MS).expect("mary");
    assert_eq!(&*identity.name, "mary@example.com");
    assert_eq!(identity.groups.iter().map(|group| &**group).collect::<Vec<_>>(), ["a", "b", "blue team"]);
    assert_eq!(identity.scopes.len(), 2);
}

#[test]
fn signatures_that_are_not_right_are_refused() {
    let signer = Signer::ec("1");
    let way = Authenticator::Bearer(bearer(settings(&[Algorithm::ES256]), &[&signer]));
    let token = signer.token(json!({}));
    let (signed, signature) = token.rsplit_once('.').expect("three parts");
    let (header, _) = signed.split_once('.').expect("three parts");
    let other_claims = URL_SAFE_NO_PAD.encode(claims(json!({"sub": "root"})).to_string());
    let wrong = [
        Signer::ec("1").token(json!({})),
        format!("{signed}."),
        format!("{signed}.!!!"),
        format!("{signed}.{}", &signature[..20]),
        format!("{header}.{other_claims}.{signature}"),
    ];
    for token in wrong {
        refuses(&way, &token, DeniedKind::Invalid);
    }
}

#[test]
fn no_algorithm_but_those_of_the_list() {
    let (signer, rsa) = (Signer::ec("1"), Signer::rsa("2"));
    let way = Authenticator::Bearer(bearer(settings(&[Algorithm::ES256]), &[&signer, &rsa]));
    let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    for alg in ["none", "None", "NONE", "nOnE", "ES257", "", "HS256", "RS256", "PS256"] {
        let token = format!("{}.{}.", part(json!({"alg": alg, "kid": "1"})), part(claims(json!({}))));
        refuses(&way, &token, DeniedKind::Invalid);
    }
    // This token is right, but its algorithm is not accepted.
    refuses(&way, &rsa.token(json!({})), DeniedKind::Invalid);
    for header in [json!({"kid": "1"}), json!({"alg": 7}), json!({"alg": ["ES256"]})] {
        refuses(&way, &signer.with_header(&header, &claims(json!({}))), DeniedKind::Invalid);
    }
}

#[test]
fn a_public_key_is_never_taken_for_a_secret() {
    let rsa = Signer::rsa("1");
    let way = Authenticator::Bearer(bearer(settings(&[Algorithm::RS256]), &[&rsa]));
    // The attacker signs with HMAC. The secret is any public text that a careless verifier could
    // use.
    let jwk = rsa.jwk();
    let modulus = URL_SAFE_NO_PAD.decode(jwk["n"].as_str().expect("n")).expect("base64url");
    for secret in [modulus.as_slice(), jwk["n"].as_str().expect("n").as_bytes(), jwk.to_string().as_bytes()] {
        let forger = Signer::secret(secret);
        for alg in ["HS256", "RS256"] {
            let header = json!({"alg": alg, "kid": "1", "typ": "JWT"});
            refuses(&way, &forger.with_header(&header, &claims(json!({}))), DeniedKind::Invalid);
        }
    }
    // Such settings are refused, too.
    let keys = Arc::new(KeyRing::of_set(&jwks(&[&rsa]), 30).expect("keys"));
    let error =
        Bearer::new(settings(&[Algorithm::RS256, Algorithm::HS256]), keys).expect_err("no secret there");
    assert!(error.contains("HS256"), "{error}");
    let secret = Arc::new(KeyRing::of_secret(&Secret::new(vec![7; 32])).expect("a secret"));
    Bearer::new(settings(&[Algorithm::RS256]), secret).expect_err("no public key there");
    // A set never brings secrets, because everybody who may write to it could sign.
    let set = json!({"keys": [{"kty": "oct", "k": "AAAA", "kid": "1"}]}).to_string();
    KeyRing::of_set(set.as_bytes(), 30).expect_err("no usable key");
}

#[test]
fn a_token_cannot_bring_its_own_key() {
    let (ours, theirs) = (Signer::ec("1"), Signer::ec("1"));
    let way = Authenticator::Bearer(bearer(settings(&[Algorithm::ES256]), &[&ours]));
    let jwk = theirs.jwk();
    for header in [
        json!({"jwk": jwk}),
        json!({"jku": "https://evil.example/keys"}),
        json!({"x5u": "https://evil.example/cert"}),
        json!({"x5c": ["MIIB"]}),
    ] {
        let mut header = header;
        header["alg"] = json!("ES256");
        header["kid"] = json!("1");
        let token = theirs.with_header(&header, &claims(json!({})));
        assert_eq!(refuses(&way, &token, DeniedKind::Invalid), "a bad signature", "{header}");
    }
    // A key's id is only compared.
    for id in ["../../dev/null", "1' OR '1'='1", "1\0", "", " 1"] {
        let token = theirs.with_header(&json!({"alg": "ES256", "kid": id}), &claims(json!({})));
        let all = Authenticators::new(vec![way.clone()], "r");
        let check = all.check_again(
            Presented { headers: &headers(&format!("Bearer {token}")), certificate: None },
            NOW_MS,
        );
        assert!(matches!(check, Check::Denied(_)), "{id}: {check:?}");
    }
}

#[test]
fn a_shared_secret_signs_too() {
    let secret = [9; 32];
    let keys = KeyRing::of_secret(&Secret::new(secret.to_vec())).expect("a secret");
    let bearer = Bearer::new(settings(&[Algorithm::HS256]), Arc::new(keys)).expect("settings");
    let way = Authenticator::Bearer(Arc::new(bearer));
    ask(&way, &headers(&format!("Bearer {}", Signer::secret(&secret).token(json!({})))), NOW_MS)
        .expect("mary");
    refuses(&way, &Signer::secret(&[8; 32]).token(json!({})), DeniedKind::Invalid);
    KeyRing::of_secret(&Secret::new(vec![1; 31])).expect_err("too short");
}

#[test]
fn what_is_no_token_is_malformed() {
    let signer = Signer::ec("1");
    let way = Authenticator::Bearer(bearer(settings(&[Algorithm::ES256]), &[&signer]));
    let good = signer.token(json!({}));
    let (head, rest) = good.split_once('.').expect("three parts");
    let part = |text: &str| URL_SAFE_NO_PAD.encode(text);
    let huge = format!("{head}.{}.x", "A".repeat(9_000));
    let deep = format!("{}.{}.x", part("{\"alg\":\"ES256\"}"), part(&"[".repeat(3_000)));
    let wrong = [
        "",
        "a",
        "a.b",
        "a.b.c",
        "a.b.c.d",
        "..",
        &format!("{good}.x"),
        &format!("{head}=.{rest}"),
        &format!("{}.{rest}", part("[1]")),
        &format!("{}.{rest}", part("{\"alg\":")),
        &signer.with_header(&json!({"alg": "ES256", "kid": "1", "crit": ["x"]}), &claims(json!({}))),
        &huge,
        &deep,
    ];
    for token in wrong {
        refuses(&way, token, DeniedKind::Malformed);
    }
    let mut twice = headers(&format!("Bearer {good}"));
    twice.append("authorization", "Basic x".parse().expect("a value"));
    denies(&way, &twice, DeniedKind::Malformed);
}

#[test]
fn keys_rotate() {
    let (old, new, newer) = (Signer::ec("old"), Signer::ec("new"), Signer::ec("newer"));
    let bearer = bearer(settings(&[Algorithm::ES256]), &[&old]);
    let all = Authenticators::new(vec![Authenticator::Bearer(Arc::clone(&bearer))], "test");
    let check = |signer: &Signer, again: bool| {
        let headers = headers(&format!("Bearer {}", signer.token(json!({}))));
        let presented = Presented { headers: &headers, certificate: None };
        if again { all.check_again(presented, NOW_MS) } else { all.check(presented, NOW_MS) }
    };
    assert!(matches!(check(&old, false), Check::Known(_)));
    assert!(matches!(check(&new, false), Check::Keys(_)));
    // Fetches for unknown keys have pauses between them.
    assert!(bearer.keys().may_fetch(NOW_MS));
    assert!(!bearer.keys().may_fetch(NOW_MS + 29_999));
    assert!(bearer.keys().may_fetch(NOW_MS + 30_000));
    bearer.replace_keys(&jwks(&[&new])).expect("keys");
    assert!(matches!(check(&new, true), Check::Known(_)));
    assert!(matches!(check(&old, true), Check::Known(_)), "the old key stays until the next set");
    assert!(matches!(check(&newer, true), Check::Denied(denied) if denied.kind == DeniedKind::Invalid));
    bearer.replace_keys(b"{}").expect_err("no set");
    bearer.replace_keys(b"{\"keys\":[]}").expect_err("no key");
    assert!(matches!(check(&new, true), Check::Known(_)), "a bad set changes nothing");
    bearer.replace_keys(&jwks(&[&new, &newer])).expect("keys");
    assert!(matches!(check(&old, true), Check::Denied(_)), "gone, from the cache too");
    assert!(matches!(check(&newer, true), Check::Known(_)));
    assert!(matches!(check(&new, true), Check::Known(_)));
    bearer.set_keys(b"{}").expect_err("no set");
    bearer.set_keys(&jwks(&[&newer])).expect("keys");
    assert!(matches!(check(&new, true), Check::Denied(_)), "what an operator removes is gone at once");
    assert!(matches!(check(&newer, true), Check::Known(_)));
}

#[test]
fn without_keys_nobody_can_tell() {
    let signer = Signer::ec("1");
    let keys = Arc::new(KeyRing::empty(30));
    let bearer = Arc::new(Bearer::new(settings(&[Algorithm::ES256]), keys).expect("settings"));
    let way = Authenticator::Bearer(Arc::clone(&bearer));
    let token = signer.token(json!({}));
    refuses(&way, &token, DeniedKind::Unavailable);
    bearer.replace_keys(&jwks(&[&signer])).expect("keys");
    ask(&way, &headers(&format!("Bearer {token}")), NOW_MS).expect("mary");
}

#[test]
fn a_token_without_key_id_is_tried_with_the_keys_that_fit() {
    let (one, two) = (Signer::ec("1"), Signer::ec("2"));
    let way = Authenticator::Bearer(bearer(settings(&[Algorithm::ES256]), &[&one, &two]));
    let token = two.with_header(&json!({"alg": "ES256"}), &claims(json!({})));
    ask(&way, &headers(&format!("Bearer {token}")), NOW_MS).expect("mary");
}

#[test]
fn each_issuer_has_its_own_keys_and_rules() {
    let (one, two) = (Signer::ec("1"), Signer::ec("1"));
    let mut second = settings(&[Algorithm::ES256]);
    second.issuer = "https://second.example".to_owned();
    let ways = vec![
        Authenticator::Bearer(bearer(settings(&[Algorithm::ES256]), &[&one])),
        Authenticator::Bearer(bearer(second, &[&two])),
    ];
    let all = Authenticators::new(ways, "test");
    let check = |token: String| {
        let headers = headers(&format!("Bearer {token}"));
        all.check(Presented { headers: &headers, certificate: None }, NOW_MS)
    };
    assert!(matches!(check(one.token(json!({}))), Check::Known(_)));
    assert!(matches!(check(two.token(json!({"iss": "https://second.example"}))), Check::Known(_)));
    assert!(matches!(check(one.token(json!({"iss": "https://second.example"}))), Check::Denied(_)));
    assert!(matches!(check(two.token(json!({"iss": "https://third.example"}))), Check::Denied(_)));
}

#[test]
fn debug_output_has_no_secret_and_no_token() {
    let keys =
        KeyRing::of_secret(&Secret::new(b"0123456789abcdef0123456789abcdef".to_vec())).expect("a secret");
    let bearer = Bearer::new(settings(&[Algorithm::HS256]), Arc::new(keys)).expect("settings");
    let way = Authenticator::Bearer(Arc::new(bearer));
    let token = Signer::secret(b"0123456789abcdef0123456789abcdef").token(json!({}));
    ask(&way, &headers(&format!("Bearer {token}")), NOW_MS).expect("mary");
    let shown = format!("{way:?}");
    assert!(!shown.contains("cdef") && !shown.contains(&token[..20]), "{shown}");
}
