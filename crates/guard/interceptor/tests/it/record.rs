//! The lines of records.

use calendar::Utc;
use http::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use interceptor::record::{AUDIT_HEADER_MAX_BYTES, AuditRecord, Headers, LoggedBody, WITHHELD, line};
use interceptor::redact::Redaction;
use proptest::prelude::*;

fn headers() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, HeaderValue::from_static("Basic c2VjcmV0"));
    headers.insert(ACCEPT, HeaderValue::from_static("a"));
    headers.append(ACCEPT, HeaderValue::from_static("b"));
    headers.insert("x-long", HeaderValue::from_str(&"x".repeat(100)).expect("a value"));
    headers
}

fn text_of(line: Vec<u8>) -> String {
    String::from_utf8(line).expect("UTF-8")
}

#[test]
fn headers_are_an_object_without_secrets() {
    let (map, redaction) = (headers(), Redaction::default());
    let all = text_of(line(&Headers::all(&map, &redaction)));
    let long = "x".repeat(100);
    assert_eq!(all, format!("{{\"authorization\":\"***\",\"accept\":\"a, b\",\"x-long\":\"{long}\"}}\n"));
    let names = [HeaderName::from_static("x-long"), HeaderName::from_static("not-there"), AUTHORIZATION];
    let named = text_of(line(&Headers::named(&map, &names, &redaction)));
    let cut = &long[..AUDIT_HEADER_MAX_BYTES];
    assert_eq!(named, format!("{{\"x-long\":\"{cut}\",\"authorization\":\"***\"}}\n"));
}

#[test]
fn a_line_is_one_line() {
    let mut map = HeaderMap::new();
    map.insert("a", HeaderValue::from_bytes(b"tab\tand \xFF").expect("a value"));
    let written = text_of(line(&Headers::all(&map, &Redaction::default())));
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

/// The parts of random records: texts that may be missing, numbers, and whether headers are
/// configured.
type Parts = (Vec<Option<String>>, [u64; 4], bool);

fn parts() -> impl Strategy<Value = Parts> {
    let texts =
        proptest::collection::vec(proptest::option::of("[ -~]{0,8}|\\PC{0,8}|[\\x00-\\x1f\"\\\\]{1,3}"), 19);
    (texts, any::<[u64; 4]>(), any::<bool>())
}

proptest! {
    /// The fast way writes the same bytes as serde.
    #[test]
    fn audit_records_are_the_json_of_their_fields((texts, numbers, with_headers) in parts()) {
        let (map, redaction) = (headers(), Redaction::default());
        let names = [ACCEPT, AUTHORIZATION];
        let names = if with_headers { &names[..] } else { &[] };
        let optional = |at: usize| texts[at].as_deref();
        let text = |at: usize| optional(at).unwrap_or("plain");
        let address = match numbers[0] % 2 {
            0 => std::net::IpAddr::from((numbers[1] as u32).to_be_bytes()),
            _ => std::net::IpAddr::from(u128::from(numbers[1]).to_be_bytes()),
        };
        let record = AuditRecord {
            record: "request",
            server: text(0),
            server_version: "1.2.3",
            request_id: text(1),
            tracking_token: optional(2).map(Into::into),
            user: optional(3),
            mapped_user: optional(4),
            client_address: address,
            api_name: optional(5),
            api_version: optional(6),
            operation: optional(7),
            service_name: optional(8),
            service_provider: optional(9),
            http_method: text(10),
            uri: text(11),
            query_string: optional(12).map(Into::into),
            http_status: numbers[0] as u16,
            failure: optional(13),
            request_length: numbers[2] as usize,
            response_length: numbers[3] as usize,
            timed_out: with_headers,
            sor_identifier: optional(14),
            sor_reference: optional(15),
            sor_resource: optional(16),
            time_in: Utc(numbers[0]),
            time_sor_sent: optional(17).map(|_| Utc(numbers[1] % 100_000_000_000_000_000)),
            time_sor_received: optional(18).map(|_| Utc(numbers[2])),
            time_out: Utc(numbers[3]),
            request_headers: Headers::named(&map, names, &redaction),
            response_headers: Headers::named(&map, names, &redaction),
        };
        prop_assert_eq!(text_of(record.line()), text_of(line(&record)));
    }
}
