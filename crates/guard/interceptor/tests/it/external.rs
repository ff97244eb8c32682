//! Answers of external interceptors.

use http::header::COOKIE;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use interceptor::external::{Decision, MESSAGE_MAX_BYTES, joined};

const TENANT: HeaderName = HeaderName::from_static("x-tenant");

#[test]
fn answers() {
    let parse = |text: &str| Decision::parse(text.as_bytes(), &[TENANT]);
    assert_eq!(parse(r#"{"allow":true,"reason":"any"}"#), Ok(Decision::Allow(Vec::new())));
    let set = parse(r#"{"allow":true,"setHeaders":{"X-Tenant":"7"}}"#).expect("it may set it");
    assert_eq!(set, Decision::Allow(vec![(TENANT, "7".parse().expect("a value"))]));
    assert_eq!(parse(r#"{"allow":false}"#), Ok(Decision::Refuse { status: None, message: None }));
    let refused =
        Decision::Refuse { status: Some(StatusCode::TOO_MANY_REQUESTS), message: Some("slow".into()) };
    assert_eq!(parse(r#"{"allow":false,"status":429,"message":"slow"}"#), Ok(refused));
    let long = format!(r#"{{"allow":false,"message":"{}"}}"#, "ö".repeat(MESSAGE_MAX_BYTES));
    let Ok(Decision::Refuse { message: Some(message), .. }) = parse(&long) else { panic!("a message") };
    assert_eq!(message.len(), MESSAGE_MAX_BYTES);
    for (bad, part) in [
        ("", "expected {\"allow\""),
        ("[]", "expected {\"allow\""),
        ("{}", "missing field `allow`"),
        (r#"{"allow":"yes"}"#, "expected a boolean"),
        (r#"{"allow":false,"status":200}"#, "found 200"),
        (r#"{"allow":true,"setHeaders":{"host":"x"}}"#, "may not set the header 'host'"),
        (r#"{"allow":true,"setHeaders":{"x-tenant":"a\nb"}}"#, "cannot be one"),
        (
            r#"{"allow":true,"setHeaders":{"x-tenant":"a","X-Tenant":"b"}}"#,
            "sets the header 'x-tenant' twice",
        ),
        (
            r#"{"allow":true,"setHeaders":{"x-tenant":"a","x-tenant":"a"}}"#,
            "sets the header 'x-tenant' twice",
        ),
        (r#"{"allow":true,"setHeaders":["x-tenant"]}"#, "expected an object of texts"),
    ] {
        let error = parse(bad).expect_err(bad).to_string();
        assert!(error.contains(part), "{bad}: {error}");
    }
}

#[test]
fn an_interceptor_sees_all_values_of_a_header() {
    let mut headers = HeaderMap::new();
    for (name, value) in [(TENANT, "first"), (COOKIE, "a=1"), (TENANT, "second"), (COOKIE, "b=2")] {
        headers.append(name, HeaderValue::from_static(value));
    }
    assert_eq!(joined(&headers, &TENANT), "first, second");
    assert_eq!(joined(&headers, &COOKIE), "a=1; b=2");
}
