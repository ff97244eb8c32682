//! Rule sets: their meaning, and their faults.

use http::{HeaderMap, HeaderName, HeaderValue};
use interceptor::policy::{Finding, RuleSet};
use proptest::prelude::*;

fn rule(name: &str, headers: &str, sets: &str) -> String {
    format!(
        "<rule name=\"{name}\">\n<conditions>{headers}</conditions>\n<actions>{sets}</actions>\n</rule>\n"
    )
}

fn set(rules: &[String]) -> String {
    format!("<?xml version=\"1.0\"?>\n<ruleset name=\"r\">\n{}</ruleset>", rules.concat())
}

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let header = |(name, value): &(&str, &str)| {
        let name: HeaderName = name.parse().expect("a name");
        (name, HeaderValue::from_str(value).expect("a value"))
    };
    let mut headers = HeaderMap::new();
    for (name, value) in pairs.iter().map(header) {
        headers.append(name, value);
    }
    headers
}

#[track_caller]
fn applied(text: &str, given: &[(&str, &str)]) -> Vec<(String, String)> {
    let (rules, _) = RuleSet::parse(text).expect("a rule set");
    let headers = headers(given);
    rules.apply(&headers).into_iter().map(|(name, value)| (name.to_owned(), value.into_owned())).collect()
}

fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The rule set, the request's headers, and the properties.
type Case<'a> = (String, &'a [(&'a str, &'a str)], &'a [(&'a str, &'a str)]);

#[test]
fn attributes_of_other_namespaces_are_those_of_tools() {
    let plain = r#"<header name="a" value="1"/>"#;
    let noted =
        plain.replace("<header", r#"<header xmlns:x="urn:x" x:name="b" x:match="ANY_VALUE" x:note="c""#);
    let property = r#"<set property="cicsCcsid" value="37"/>"#;
    for headers in [plain, noted.as_str()] {
        let text = set(&[rule("r", headers, property)]);
        assert_eq!(applied(&text, &[("a", "1")]), owned(&[("cicsCcsid", "37")]), "{headers}");
        assert_eq!(applied(&text, &[("a", "2")]), owned(&[]), "{headers}");
    }
    let (_, findings) =
        RuleSet::parse(&set(&[rule("r", r#"<header xmlns:x="urn:x" x:name="a" value="1"/>"#, property)]))
            .map_or_else(|found| ((), found), |(_, found)| ((), found));
    assert!(
        findings.iter().any(|found| found.message.contains("<header> needs the attribute 'name'")),
        "{findings:?}"
    );
}

#[test]
fn cases() {
    let mirror = set(&[rule(
        "mirror",
        r#"<header name="cicsMirror" value="CSMI, MIJO "/>"#,
        r#"<set property="cicsTransId" value="${cicsMirror}"/>"#,
    )]);
    let both = set(&[rule(
        "both",
        r#"<header name="a" value="1,2"/><header name="b" value="3"/>"#,
        r#"<set property="cicsConnectionRef" value="conn-${a}-${b}"/><set property="cicsCcsid" value="37"/>"#,
    )]);
    let any = set(&[rule(
        "any",
        r#"<header name="trancode" value="" match="ANY_VALUE"/>"#,
        r#"<set property="imsTranCode" value="${trancode}"/>"#,
    )]);
    let specific = set(&[
        rule("wide", r#"<header name="a" value="1"/>"#, r#"<set property="cicsTransId" value="WIDE"/>"#),
        rule(
            "narrow",
            r#"<header name="a" value="1"/><header name="b" value="1"/>"#,
            r#"<set property="cicsTransId" value="NARR"/>"#,
        ),
    ]);
    let cases: &[Case<'_>] = &[
        (mirror.clone(), &[("cicsmirror", "MIJO")], &[("cicsTransId", "MIJO")]),
        (mirror.clone(), &[("CICSMIRROR", "  CSMI ")], &[("cicsTransId", "CSMI")]),
        (mirror.clone(), &[("cicsMirror", "csmi")], &[]),
        (mirror.clone(), &[("cicsMirror", "CSM")], &[]),
        (mirror.clone(), &[("cicsMirror", "no"), ("cicsMirror", "MIJO")], &[("cicsTransId", "MIJO")]),
        (mirror, &[], &[]),
        (both.clone(), &[("a", "2"), ("b", "3")], &[("cicsConnectionRef", "conn-2-3"), ("cicsCcsid", "37")]),
        (both.clone(), &[("a", "2")], &[]),
        (both, &[("a", "2"), ("b", "4")], &[]),
        (any.clone(), &[("trancode", "IVTNO")], &[("imsTranCode", "IVTNO")]),
        (any, &[("trancode", "")], &[("imsTranCode", "")]),
        (specific.clone(), &[("a", "1"), ("b", "1")], &[("cicsTransId", "NARR")]),
        (specific, &[("a", "1")], &[("cicsTransId", "WIDE")]),
    ];
    for (text, given, expected) in cases {
        assert_eq!(applied(text, given), owned(expected), "{given:?} {text}");
    }
}

#[track_caller]
fn refused(text: &str) -> Vec<Finding> {
    RuleSet::parse(text).expect_err("it is refused")
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let good = r#"<header name="a" value="1"/>"#;
    let sets = r#"<set property="cicsTransId" value="X"/>"#;
    let with = |headers: &str, sets: &str| set(&[rule("r", headers, sets)]);
    for (text, line, part) in [
        ("<rules/>".to_owned(), 1, "expected <ruleset>"),
        (set(&[]), 2, "at least one <rule>"),
        ("<ruleset><rule".to_owned(), 1, "is not acceptable XML"),
        ("<!DOCTYPE r [<!ENTITY a 'b'>]><ruleset/>".to_owned(), 1, "is not acceptable XML"),
        (with("", sets), 3, "no header among its conditions"),
        (with(good, ""), 3, "sets nothing"),
        (with(r#"<header name="b d" value="1"/>"#, sets), 4, "'b d' cannot be a header's name"),
        (with(r#"<header name="a"/>"#, sets), 4, "needs the attribute 'value'"),
        (with(r#"<header name="a" value=" , "/>"#, sets), 4, "has no value to fit"),
        (with(r#"<header name="a" value="" match="any"/>"#, sets), 4, "expected match=\"ANY_VALUE\""),
        (with(r#"<header name="a" value="1" match="ANY_VALUE"/>"#, sets), 4, "goes with value=\"\""),
        (with(r#"<header name="a" vlaue="1"/>"#, sets), 4, "no attribute 'vlaue'"),
        (with(good, r#"<set property="" value="X"/>"#), 5, "needs a name"),
        (with(good, r#"<set property="cicsTransId" value="${b}"/>"#), 5, "not among the conditions"),
        (with(good, r#"<set property="cicsTransId" value="${a"/>"#), 5, "no closing brace"),
        (with("<footer/>", sets), 4, "expected <header>, found <footer>"),
        (set(&["<rule name=\"r\"/>".to_owned()]), 3, "needs one <conditions>, found 0"),
    ] {
        let findings = refused(&text);
        let told =
            findings.iter().any(|one| !one.is_warning && one.line == line && one.message.contains(part));
        assert!(told, "line {line}: {part}: {findings:?}\n{text}");
    }
}

#[test]
fn two_rules_for_one_property_are_a_warning_unless_no_request_meets_both() {
    let sets = r#"<set property="cicsTransId" value="X"/>"#;
    let of = |one: &str, other: &str| set(&[rule("one", one, sets), rule("other", other, sets)]);
    for (one, other, warned) in [
        (r#"<header name="g" value="A,B"/>"#, r#"<header name="g" value="C,D"/>"#, false),
        (r#"<header name="g" value="A,B"/>"#, r#"<header name="g" value="B,C"/>"#, true),
        (r#"<header name="g" value="A"/>"#, r#"<header name="h" value="C"/>"#, true),
        (r#"<header name="g" value="A"/>"#, r#"<header name="g" value="" match="ANY_VALUE"/>"#, true),
    ] {
        let (_, warnings) = RuleSet::parse(&of(one, other)).expect("warnings are no faults");
        let told = warnings.iter().any(|one| one.message.starts_with("BAQR1204W") && one.line == 9);
        assert_eq!(told, warned, "{one} {other}: {warnings:?}");
    }
    let unknown = set(&[rule("r", r#"<header name="g" value="A"/>"#, r#"<set property="own" value="1"/>"#)]);
    let (_, warnings) = RuleSet::parse(&unknown).expect("a warning");
    assert!(warnings[0].is_warning && warnings[0].message.contains("'own'"), "{warnings:?}");
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".{0,300}") {
        let _ = RuleSet::parse(&text);
    }

    #[test]
    fn a_value_that_is_listed_fits_and_is_substituted(
        values in prop::collection::vec("[A-Za-z0-9.]{1,8}", 1..6),
        at in any::<prop::sample::Index>(),
        blanks in " {0,3}",
    ) {
        let listed = values.join(&format!("{blanks},"));
        let text = set(&[rule(
            "r",
            &format!("<header name=\"h\" value=\"{listed}\"/>"),
            r#"<set property="imsTranCode" value="[${H}]"/>"#,
        )]);
        let value = at.get(&values);
        prop_assert_eq!(
            applied(&text, &[("h", &format!("{blanks}{value}"))]),
            owned(&[("imsTranCode", &format!("[{value}]"))])
        );
        let absent = format!("{}!", values[0]);
        prop_assert_eq!(applied(&text, &[("h", absent.as_str())]), vec![]);
    }
}
