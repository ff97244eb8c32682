//! Paths and queries: whatever a value holds, it stays where it was put.

use proptest::prelude::*;
use remote::{PathTemplate, push_query};

fn filled(template: &str, values: &[&str]) -> Result<String, String> {
    let template = PathTemplate::parse(template).map_err(|error| error.to_string())?;
    let mut out = String::new();
    template.fill(values.iter().copied(), &mut out).map_err(|error| error.to_string())?;
    Ok(out)
}

#[test]
fn values_are_escaped() {
    assert_eq!(
        filled("/items/{id}/x-{n}.json", &["a/b?c#d", "é"]).expect("a path"),
        "/items/a%2Fb%3Fc%23d/x-%C3%A9.json"
    );
    assert_eq!(filled("/items", &[]).expect("a path"), "/items");
    assert_eq!(filled("/a%20b/{id}", &["1"]).expect("a path"), "/a%20b/1");
}

#[test]
fn values_that_would_lead_elsewhere_are_refused() {
    for value in ["", ".", "..", "a\nb", "\u{7f}", "\u{85}"] {
        assert!(filled("/items/{id}", &[value]).is_err(), "{value:?}");
    }
    assert!(filled("/items/{a}{b}", &[".", "."]).is_err());
    assert!(filled("/items/{a}/{b}", &["x"]).is_err(), "one is missing");
}

#[test]
fn templates_are_checked() {
    for text in [
        "", "items", "/{", "/a}", "/{}", "/{a}/{a}", "/{a/b}", "/../x", "/a b", "/a?b", "/a#b", "/%zz",
        "/%4", "/é", "/{a{b}}",
    ] {
        assert!(PathTemplate::parse(text).is_err(), "{text}");
    }
    let template = PathTemplate::parse("/a/{one}/{two}").expect("a template");
    assert_eq!(template.names().collect::<Vec<_>>(), ["one", "two"]);
}

proptest! {
    #[test]
    fn a_value_comes_back_as_it_was(value in "\\PC+", query in "\\PC*") {
        prop_assume!(!value.chars().chain(query.chars()).any(char::is_control));
        prop_assume!(value != "." && value != "..");
        let mut target = filled("/a/{v}/b", &[&value]).expect("a path");
        push_query(&mut target, "q", &query).expect("a query");
        let uri: http::Uri = format!("http://h{target}").parse().expect("a URL");
        prop_assert_eq!(uri.host(), Some("h"));
        let parts: Vec<&str> = uri.path().split('/').collect();
        prop_assert_eq!(parts.len(), 4);
        let decode = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8().map(String::from);
        prop_assert_eq!(decode(parts[2]).expect("UTF-8"), value);
        let found = uri.query().and_then(|text| text.strip_prefix("q=")).expect("one parameter");
        prop_assert!(!found.contains(['&', '=']));
        prop_assert_eq!(decode(found).expect("UTF-8"), query);
    }

    #[test]
    fn no_template_panics(text in "\\PC*", value in ".*") {
        if let Ok(template) = PathTemplate::parse(&text) {
            let values = vec![value.as_str(); template.names().count()];
            let mut out = String::new();
            if template.fill(values, &mut out).is_ok() {
                prop_assert!(out.parse::<http::uri::PathAndQuery>().is_ok(), "{out}");
                prop_assert!(out.starts_with('/'));
            }
        }
    }
}
