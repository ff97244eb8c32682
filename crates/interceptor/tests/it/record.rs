//! Lines as they are written.

use http::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use interceptor::record::{AUDIT_HEADER_MAX_BYTES, Headers, LoggedBody, WITHHELD, line};
use interceptor::redact::Redaction;

fn headers() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, HeaderValue::from_static("Basic c2VjcmV0"));
    headers.insert(ACCEPT, HeaderValue::from_static("a"));
    headers.append(ACCEPT, HeaderValue::from_static("b"));
    headers.insert("x-long", HeaderValue::from_str(&"x".repeat(100)).expect("a value"));
    headers
}

fn text(line: Vec<u8>) -> String {
    String::from_utf8(line).expect("UTF-8")
}

#[test]
fn headers_are_an_object_without_secrets() {
    let (map, redaction) = (headers(), Redaction::default());
    let all = text(line(&Headers::all(&map, &redaction)));
    let long = "x".repeat(100);
    assert_eq!(all, format!("{{\"authorization\":\"***\",\"accept\":\"a, b\",\"x-long\":\"{long}\"}}\n"));
    let names = [HeaderName::from_static("x-long"), HeaderName::from_static("not-there"), AUTHORIZATION];
    let named = text(line(&Headers::named(&map, &names, &redaction)));
    let cut = &long[..AUDIT_HEADER_MAX_BYTES];
    assert_eq!(named, format!("{{\"x-long\":\"{cut}\",\"authorization\":\"***\"}}\n"));
}

#[test]
fn a_line_is_one_line() {
    let mut map = HeaderMap::new();
    map.insert("a", HeaderValue::from_bytes(b"tab\tand \xFF").expect("a value"));
    let written = text(line(&Headers::all(&map, &Redaction::default())));
    assert_eq!(written.matches('\n').count(), 1, "{written}");
    assert!(written.contains("tab\\tand \u{FFFD}"), "{written}");
}

#[test]
fn bodies_are_cut_after_secrets_are_taken_out() {
    let rules = Redaction::new(Vec::new(), &["pin".to_owned()]).expect("a rule");
    let body = |bytes: &'static [u8], max_bytes| LoggedBody::of(bytes, &rules, max_bytes);
    assert_eq!(body(b"", 9), None);
    assert_eq!(body(b"{\"a\":1}", 9), Some(LoggedBody::Text("{\"a\":1}".into())));
    assert_eq!(body(b"{\"pin\":12345}", 10), Some(LoggedBody::Text("{\"pin\":\"**...".into())));
    assert_eq!(body("[\"öö\"]".as_bytes(), 3), Some(LoggedBody::Text("[\"...".into())), "no half character");
    assert_eq!(body(b"pin=12345", 99), Some(LoggedBody::Withheld(WITHHELD)));
}
