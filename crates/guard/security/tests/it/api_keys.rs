//! API keys.

use std::sync::Arc;

use http::HeaderName;
use http::header::{HeaderMap, HeaderValue};
use security::{ApiKeys, Authenticator, Authenticators, DeniedKind, KEY_BYTES_MAX, key_line};

use crate::{NOW_MS, ask, denies};

const HEADER: HeaderName = HeaderName::from_static("x-api-key");

fn with(key: &str) -> HeaderMap {
    HeaderMap::from_iter([(HEADER, HeaderValue::from_str(key).expect("a value"))])
}

fn keys(text: &str) -> Arc<ApiKeys> {
    Arc::new(ApiKeys::parse(HEADER, text).expect("keys"))
}

#[test]
fn a_key_is_known_by_its_digest() {
    let (line, key) = key_line("shop", &["partners".to_owned()]).expect("a key");
    assert_eq!(key.len(), 43);
    assert!(!line.contains(&key), "the key itself is kept nowhere");
    let (other_line, other) = key_line("bank", &[]).expect("a key");
    assert_ne!(key, other);
    let keys = keys(&format!("# keys\n{line}\n{other_line}\n"));
    let way = Authenticator::ApiKey(Arc::clone(&keys));
    let identity = ask(&way, &with(&key), NOW_MS).expect("shop");
    assert_eq!((&*identity.name, &*identity.groups[0]), ("shop", "partners"));
    assert_eq!(&*ask(&way, &with(&other), NOW_MS).expect("bank").name, "bank");
    keys.replace(&other_line).expect("keys");
    denies(&way, &with(&key), DeniedKind::Invalid);
    keys.replace("nonsense").expect_err("no key");
    ask(&way, &with(&other), NOW_MS).expect("a faulty file changes nothing");
    assert!(!format!("{keys:?}").contains(&other));
}

#[test]
fn other_keys_are_refused() {
    let (line, key) = key_line("shop", &[]).expect("a key");
    let way = Authenticator::ApiKey(keys(&line));
    for wrong in ["", "x", &key[1..], &format!("{key}x"), &"k".repeat(KEY_BYTES_MAX + 1)] {
        denies(&way, &with(wrong), DeniedKind::Invalid);
    }
    let denied = denies(&way, &HeaderMap::new(), DeniedKind::Missing);
    assert_eq!(Authenticators::new(vec![way.clone()], "r").challenges(&denied), ["ApiKey realm=\"r\""]);
    let mut twice = with(&key);
    twice.append(HEADER, "x".parse().expect("a value"));
    denies(&way, &twice, DeniedKind::Malformed);
}

#[test]
fn faults_of_a_file_are_told_with_their_line() {
    let digest = "ab".repeat(32);
    let cases = [
        ("shop", "expected id:groups:sha256"),
        (":x:y", "the id is empty"),
        ("shop::abcd", "64 hexadecimal digits"),
        (&format!("a::{digest}\nb::{digest}"), "occurs twice"),
    ];
    for (text, expected) in cases {
        let error = ApiKeys::parse(HEADER, text).expect_err(text);
        assert!(error.message.contains(expected), "{error}");
        assert_eq!(error.line, text.lines().count());
    }
    key_line("a:b", &[]).expect_err("a colon");
    key_line("a", &["b:c".to_owned()]).expect_err("a colon");
}
