//! Preflights and answers to web pages.

use http::Method;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use security::{Cors, CorsSettings, Preflight};

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let pair = |(name, value): &(&'static str, &str)| {
        (HeaderName::from_static(name), HeaderValue::from_str(value).expect("a value"))
    };
    pairs.iter().map(pair).collect()
}

fn settings() -> CorsSettings {
    CorsSettings {
        origins: vec!["https://shop.example".to_owned(), "http://localhost:3000".to_owned()],
        methods: None,
        headers: vec![HeaderName::from_static("content-type"), HeaderName::from_static("x-own")],
        expose: vec![HeaderName::from_static("x-request-id")],
        credentials: true,
        max_age_s: 600,
    }
}

fn values<'h>(headers: &'h HeaderMap, name: &str) -> Vec<&'h str> {
    headers.get_all(name).iter().map(|value| value.to_str().expect("ASCII")).collect()
}

const PREFLIGHT: [(&str, &str); 3] = [
    ("origin", "https://shop.example"),
    ("access-control-request-method", "PUT"),
    ("access-control-request-headers", "Content-Type,x-own"),
];

#[test]
fn a_preflight_is_answered() {
    let cors = Cors::new(&settings()).expect("rules");
    let Preflight::Allowed(answer) = cors.preflight(&headers(&PREFLIGHT), "GET, HEAD, PUT") else {
        panic!("refused")
    };
    assert_eq!(values(&answer, "access-control-allow-origin"), ["https://shop.example"]);
    assert_eq!(values(&answer, "access-control-allow-credentials"), ["true"]);
    assert_eq!(values(&answer, "access-control-allow-methods"), ["GET, HEAD, PUT"]);
    assert_eq!(values(&answer, "access-control-allow-headers"), ["content-type, x-own"]);
    assert_eq!(values(&answer, "access-control-max-age"), ["600"]);
    let vary = ["origin", "access-control-request-method", "access-control-request-headers"];
    assert_eq!(values(&answer, "vary"), vary);
}

#[test]
fn what_is_not_allowed_is_refused() {
    let only_get =
        Cors::new(&CorsSettings { methods: Some(vec![Method::GET]), ..settings() }).expect("rules");
    let cors = Cors::new(&settings()).expect("rules");
    assert_eq!(
        only_get.preflight(&headers(&PREFLIGHT), "GET, PUT"),
        Preflight::Refused("the method is not allowed".into())
    );
    assert_eq!(
        cors.preflight(&headers(&PREFLIGHT), "GET, POST"),
        Preflight::Refused("the method is not allowed".into())
    );
    let asks_for = |names: &str| {
        let mut changed = PREFLIGHT;
        changed[2].1 = names;
        cors.preflight(&headers(&changed), "PUT")
    };
    let refused = |why: &str| Preflight::Refused(why.to_owned().into());
    let named = "the header 'x-api-key' is not allowed (cors.headers)";
    assert_eq!(asks_for("content-type, x-api-key"), refused(named));
    let other = "a header of access-control-request-headers is not allowed (cors.headers)";
    for names in ["a b", "x<script>", &"x".repeat(101), &"x-own,".repeat(100)] {
        assert_eq!(asks_for(names), refused(other), "{names}");
    }
    let changes = [
        (0, "https://shop.example.evil"),
        (0, "https://shop.example:443"),
        (0, "http://shop.example"),
        (0, "null"),
        (2, "content-type, x-other"),
        (2, &"x-own,".repeat(100)),
    ];
    for (at, value) in changes {
        let mut changed = PREFLIGHT;
        changed[at].1 = value;
        assert!(matches!(cors.preflight(&headers(&changed), "PUT"), Preflight::Refused(_)), "{value}");
    }
    assert_eq!(cors.preflight(&headers(&PREFLIGHT[..1]), "PUT"), Preflight::Not);
    assert_eq!(cors.preflight(&headers(&PREFLIGHT[1..]), "PUT"), Preflight::Not);
}

#[test]
fn answers_say_who_may_read_them() {
    let cors = Cors::new(&settings()).expect("rules");
    let answer = |request: &[(&'static str, &str)]| {
        let mut response = HeaderMap::new();
        cors.answer(&headers(request), &mut response);
        response
    };
    let good = answer(&[("origin", "http://localhost:3000")]);
    assert_eq!(values(&good, "access-control-allow-origin"), ["http://localhost:3000"]);
    assert_eq!(values(&good, "access-control-expose-headers"), ["x-request-id"]);
    assert_eq!(values(&good, "vary"), ["origin"]);
    let bad = answer(&[("origin", "https://evil.example")]);
    assert_eq!(
        (values(&bad, "access-control-allow-origin").len(), values(&bad, "vary")),
        (0, vec!["origin"])
    );
    assert_eq!(answer(&[]).len(), 1);
}

#[test]
fn only_known_pages_may_ask_at_all() {
    let cors = Cors::new(&settings()).expect("rules");
    assert!(cors.allows(&headers(&[])));
    assert!(cors.allows(&headers(&[("origin", "http://localhost:3000")])));
    for origin in ["https://evil.example", "null", "", "http://localhost:3000.evil.example"] {
        assert!(!cors.allows(&headers(&[("origin", origin)])), "{origin}");
    }
    let mut two = headers(&[("origin", "http://localhost:3000")]);
    two.append("origin", "https://evil.example".parse().expect("a value"));
    assert!(!cors.allows(&two));
    let nobody = Cors::new(&CorsSettings::default()).expect("rules");
    assert!(nobody.allows(&headers(&[])) && !nobody.allows(&headers(&[("origin", "https://shop.example")])));
}

#[test]
fn any_origin_never_has_credentials() {
    let any = CorsSettings { origins: vec!["*".to_owned()], credentials: false, ..settings() };
    let cors = Cors::new(&any).expect("rules");
    let mut response = HeaderMap::new();
    cors.answer(&headers(&[("origin", "https://anywhere.example")]), &mut response);
    assert_eq!(values(&response, "access-control-allow-origin"), ["*"]);
    assert!(!response.contains_key("access-control-allow-credentials") && !response.contains_key("vary"));
    Cors::new(&CorsSettings { credentials: true, ..any.clone() }).expect_err("with credentials");
    let both = vec!["*".to_owned(), "https://a.example".to_owned()];
    Cors::new(&CorsSettings { origins: both, ..any.clone() }).expect_err("beside another");
    for origin in
        ["shop.example", "https://", "https://A.example", "https://a.example/", "null", "a b://c", ""]
    {
        Cors::new(&CorsSettings { origins: vec![origin.to_owned()], ..any.clone() }).expect_err(origin);
    }
}
