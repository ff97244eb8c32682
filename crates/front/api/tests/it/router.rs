//! Paths to operations, and parameters out of URLs and headers.

use api::{Api, Inputs, Operation, Route, Router, Source};
use failure::{Code, Failure};
use http::{HeaderMap, HeaderValue, Method};
use proptest::prelude::*;

use crate::setting::{api, compile, operation, record, step};

fn router(operations: &[(Method, &str)]) -> Router {
    Router::new(&[api("a", "/a", operations)]).expect("no conflict")
}

fn path_of(router: &Router, url: &str) -> Result<(String, String), Failure> {
    record(router, url, &HeaderMap::new())
}

#[test]
fn one_path_has_many_methods_and_each_author_his_names() {
    let apis = [
        api("a", "/a", &[(Method::GET, "/x/{one}"), (Method::PUT, "/x/{one}")]),
        // Below the first one's base path, at the same place.
        api("b", "/a/x", &[(Method::DELETE, "/{third}")]),
    ];
    let router = Router::new(&apis).expect("no conflict");
    for (method, expected) in [(Method::GET, (0, 0)), (Method::PUT, (0, 1)), (Method::DELETE, (1, 0))] {
        let Route::Operation { api, index, .. } = router.route(&method, "/a/x/7") else {
            panic!("{method} is offered")
        };
        assert_eq!((api, index), expected);
    }
    let Route::WrongMethod { allow, .. } = router.route(&Method::POST, "/a/x/7") else {
        panic!("not offered")
    };
    assert_eq!(allow, "GET, HEAD, PUT, DELETE");
}

#[test]
fn base_paths_of_any_depth_stand_side_by_side() {
    let get = [(Method::GET, "/x"), (Method::GET, "/x/{id}/y")];
    let bases = ["/a", "/ab", "/b/c", "/b/c/d/e", "/b/cc", "/c/d/e/f"];
    let apis: Vec<Api> = bases.iter().map(|base| api(&base.replace('/', "-"), base, &get)).collect();
    let router = Router::new(&apis).expect("no conflict");
    for (at, base) in bases.iter().enumerate() {
        for path in ["/x", "/x/7/y"] {
            let Route::Operation { api, .. } = router.route(&Method::GET, &format!("{base}{path}")) else {
                panic!("{base}{path} is offered")
            };
            assert_eq!(api, at, "{base}{path}");
        }
    }
    for path in ["", "/", "*", "/a", "/a/", "/b", "/b/c", "//", "/b/c/d/x", "/b//c/x", "a/x", "/abc/x"] {
        assert!(matches!(router.route(&Method::GET, path), Route::Unknown), "{path}");
    }
}

#[test]
fn names_of_parameters_that_look_like_numbers_keep_their_places() {
    let router = router(&[(Method::GET, "/{1}/{0}"), (Method::PUT, "/x/{b}/{0}")]);
    let found = path_of(&router, "/a/first/second").expect("a record");
    assert_eq!(found, ("first".to_owned(), "second".to_owned()));
}

#[test]
fn contradictions_are_told_with_the_api_that_came_second() {
    let get = |name: &str, base: &str, path: &str| api(name, base, &[(Method::GET, path)]);
    let cases: [(Api, Api, &str); 4] = [
        (get("a", "/a", "/x"), get("b", "/a", "/y"), "base path '/a' is already that of API 'a'"),
        (get("a", "/a", "/b/{x}"), get("b", "/a/b", "/{y}"), "GET /a/b/{y} is defined twice"),
        (get("a", "/a", "/b/api-docs"), get("b", "/a/b", "/x"), "GET /a/b/api-docs is defined twice"),
        (get("a", "/a", "/b/x{y}"), get("b", "/a/b", "/{z}y"), "path '/a/b/{z}y'"),
    ];
    for (first, second, expected) in cases {
        let errors = Router::new(&[first, second]).expect_err(expected);
        assert_eq!(errors[0].api, 1, "{expected}");
        assert!(errors[0].message.starts_with(expected), "{}", errors[0].message);
    }
}

#[test]
fn faulty_paths_are_refused() {
    for (base, path, expected) in [
        ("a", "/x", "must start with '/'"),
        ("/", "/x", "must start with '/'"),
        ("/a/", "/x", "not end with it"),
        ("/a{b}", "/x", "have no parameters"),
        ("/a", "x", "path 'x' must start with '/'"),
        ("/a", "/{n}/{n}", "occurs twice"),
        ("/a", "/{n", "a name in braces"),
        ("/a", "/n}", "a name in braces"),
        ("/a", "/{*rest}", "a name in braces"),
        ("/a", "/x?y=1", "has '?' or '#'"),
        ("/a", "/x#y", "has '?' or '#'"),
    ] {
        let errors = compile("a", base, vec![operation(Method::GET, path)]).expect_err(expected);
        assert!(errors.iter().any(|error| error.message.contains(expected)), "{path}: {errors:?}");
    }
    let both = vec![operation(Method::GET, "/{n}"), operation(Method::PUT, "/{m}")];
    let errors = compile("a", "/a", both).expect_err("one path, two names");
    assert_eq!(errors[0].message, "path '/{m}' is '/{n}' with other names; use the same");
}

#[test]
fn path_parameters_are_percent_decoded() {
    let router = router(&[(Method::GET, "/{text}")]);
    for (url, expected) in [
        ("/a/plain", "plain"),
        ("/a/a%20b", "a b"),
        ("/a/a+b", "a+b"),
        ("/a/a%2Fb", "a/b"),
        ("/a/100%25", "100%"),
        ("/a/%7e%7E", "~~"),
    ] {
        assert_eq!(path_of(&router, url).expect(url).0, expected);
    }
    for url in ["/a/%", "/a/%2", "/a/%zz", "/a/%+1", "/a/%ff", "/a/%ed%a0%80", "/a/%c0%af"] {
        assert_eq!(path_of(&router, url).expect_err(url).code, Code::BadUrl, "{url}");
    }
}

fn query_router(source: Source) -> Router {
    let mut spec = operation(Method::GET, "/x");
    spec.request.moves = vec![step(source, "text", "FIRST-TEXT")];
    Router::new(&[compile("a", "/a", vec![spec]).expect("fine")]).expect("no conflict")
}

#[test]
fn query_parameters_are_form_decoded() {
    let router = query_router(Source::Query);
    for (url, expected) in [
        ("/a/x?text=a+b", "a b"),
        ("/a/x?text=a%2Bb", "a+b"),
        ("/a/x?&&other=%20&text=1&", "1"),
        ("/a/x?te%78t=1", "1"),
        ("/a/x?text", ""),
        ("/a/x?text=a=b", "a=b"),
    ] {
        assert_eq!(path_of(&router, url).expect(url).0, expected);
    }
    for (url, code) in [
        ("/a/x", Code::MissingParameter),
        ("/a/x?Text=1", Code::MissingParameter),
        ("/a/x?text=1&text=1", Code::RepeatedParameter),
        ("/a/x?text=1&te%78t=2", Code::RepeatedParameter),
        ("/a/x?text=%ff", Code::BadUrl),
        ("/a/x?text=+%f", Code::BadUrl),
        ("/a/x?text=123456789012345678901", Code::BadParameter),
    ] {
        assert_eq!(path_of(&router, url).expect_err(url).code, code, "{url}");
    }
}

#[test]
fn header_parameters_stand_once() {
    let router = query_router(Source::Header);
    let ask = |values: &[&'static str]| {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("text", HeaderValue::from_static(value));
        }
        record(&router, "/a/x", &headers)
    };
    assert_eq!(ask(&["  a b "]).expect("a value").0, "a b");
    assert_eq!(ask(&[]).expect_err("none").code, Code::MissingParameter);
    assert_eq!(ask(&["a", "a"]).expect_err("two").code, Code::RepeatedParameter);
}

proptest! {
    /// The field gets the value that the client encoded.
    #[test]
    fn any_text_survives_the_url(text in "[ -~]{0,19}[!-~]") {
        let encoded: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let path = path_of(&router(&[(Method::GET, "/{text}")]), &format!("/a/{encoded}"));
        prop_assert_eq!(&path.expect("a record").0, &text);
        let query = path_of(&query_router(Source::Query), &format!("/a/x?text={encoded}"));
        prop_assert_eq!(&query.expect("a record").0, &text);
    }

    /// No URL makes it panic, and a refusal is about the URL or the field.
    #[test]
    fn any_url_is_answered(rest in "[!-~]{0,40}") {
        let router = query_router(Source::Query);
        if let Route::Operation { operation: Operation::Mapped(mapped), path, .. } = router.route(&Method::GET, "/a/x") {
            let (query, headers) = (Some(&*rest), &HeaderMap::new());
            let _ = mapped.request(&Inputs { path: &path, query, headers, body: b"" });
        }
        let _ = router.route(&Method::GET, &rest);
    }
}

#[test]
fn fields_are_named_by_the_paths_of_their_json_too() {
    let mut spec = operation(Method::GET, "/{one}");
    spec.request.moves[0].field = "/second_text".into();
    spec.response.remove = vec!["/first_text".into()];
    let found = compile("a", "/a", vec![spec.clone()]).expect("no fault");
    let router = Router::new(&[found]).expect("no conflict");
    assert_eq!(path_of(&router, "/a/x").expect("a record"), (String::new(), "x".to_owned()));
    for wrong in ["/third", "/second_text/inner", "/"] {
        spec.request.moves[0].field = wrong.into();
        let errors = compile("a", "/a", vec![spec.clone()]).expect_err(wrong);
        assert_eq!(errors[0].message, format!("the service's JSON has no field '{wrong}'"));
    }
}
