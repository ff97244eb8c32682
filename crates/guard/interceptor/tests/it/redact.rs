//! Hidden secrets, and that nothing else changes.

use http::HeaderName;
use interceptor::redact::{DEPTH_MAX, Redaction};
use proptest::prelude::*;
use serde_json::Value;

fn redaction(fields: &[&str]) -> Redaction {
    let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
    Redaction::new(vec![HeaderName::from_static("x-api-key")], &fields).expect("rules")
}

#[test]
fn fields_by_name_and_by_path() {
    for (fields, json, expected) in [
        (
            &["pin"][..],
            r#"{"pin":"1","a":{"PIN":[1,2]},"x":"pin"}"#,
            r#"{"pin":"***","a":{"PIN":"***"},"x":"pin"}"#,
        ),
        (
            &["/a/pin"],
            r#"{"pin":1,"a":{"pin":2,"b":{"pin":3}}}"#,
            r#"{"pin":1,"a":{"pin":"***","b":{"pin":3}}}"#,
        ),
        (
            &["/rows/no"],
            r#"{"rows":[{"no":1,"b":2},{"no":3}]}"#,
            r#"{"rows":[{"no":"***","b":2},{"no":"***"}]}"#,
        ),
        (&["pin"], r#"{"p\u0069n":1,"pin":2}"#, r#"{"pin":"***","pin":"***"}"#),
        (
            &["pin"],
            r#"{"n":1237522.30,"big":123456789012345678901234567890}"#,
            r#"{"n":1237522.30,"big":123456789012345678901234567890}"#,
        ),
        (&["pin"], r#"[{"pin":null}]"#, r#"[{"pin":"***"}]"#),
        (&["pin"], "\"pin\"", "\"pin\""),
    ] {
        let shown = redaction(fields).json(json.as_bytes()).expect("JSON");
        assert_eq!(shown, expected, "{fields:?}");
    }
}

#[test]
fn what_cannot_be_told_is_withheld() {
    let rules = redaction(&["pin"]);
    let deep = format!("{}{}", "[".repeat(DEPTH_MAX + 2), "]".repeat(DEPTH_MAX + 2));
    for json in ["{\"pin\":1", "pin=1", "", "{\"pin\":1} x", deep.as_str()] {
        assert_eq!(rules.json(json.as_bytes()), None, "{json}");
    }
    assert_eq!(rules.json(b"{\"a\":\"\xFF\"}"), None);
    let nested = format!("{}{}", "[".repeat(DEPTH_MAX), "]".repeat(DEPTH_MAX));
    assert_eq!(rules.json(nested.as_bytes()).as_deref(), Some(nested.as_str()));
}

#[test]
fn headers_and_queries() {
    let rules = redaction(&["token"]);
    for (name, hidden) in [("authorization", true), ("cookie", true), ("x-api-key", true), ("accept", false)]
    {
        assert_eq!(rules.hides(&HeaderName::from_static(name)), hidden, "{name}");
    }
    for (query, shown) in [
        ("a=1&token=s", "a=1&token=***"),
        ("TOKEN=s", "TOKEN=***"),
        ("t%6Fken=s&b", "t%6Fken=***&b"),
        ("token", "token"),
        ("a=token", "a=token"),
    ] {
        assert_eq!(rules.query(query), shown);
    }
}

#[test]
fn rules_that_name_nothing_are_refused() {
    for field in ["", "/", "/a//b", "/a/"] {
        let error = Redaction::new(Vec::new(), &[field.to_owned()]).expect_err("no field");
        assert!(error.to_string().contains("is not a field"), "{error}");
    }
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("(pin|a|b|.{1,3})", inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Hides the same in a tree of values.
fn hide(value: &mut Value) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(hide),
        Value::Object(members) => {
            for (name, value) in members {
                if name.eq_ignore_ascii_case("pin") { *value = "***".into() } else { hide(value) }
            }
        }
        _ => {}
    }
}

proptest! {
    #[test]
    fn hiding_is_the_same_as_on_a_tree(value in json()) {
        let text = value.to_string();
        let shown = redaction(&["pin"]).json(text.as_bytes()).expect("JSON").into_owned();
        let mut expected = value;
        hide(&mut expected);
        prop_assert_eq!(serde_json::from_str::<Value>(&shown).expect("JSON"), expected);
    }

    #[test]
    fn any_bytes_are_shown_or_withheld(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = redaction(&["pin", "/a/b"]).json(&bytes);
    }
}

#[test]
fn elements_by_name_and_by_path() {
    let envelope = |body: &str| format!("<s:Envelope xmlns:s='u'><s:Body>{body}</s:Body></s:Envelope>");
    for (fields, xml, expected) in [
        (
            &["pin"][..],
            "<a><q:PIN xmlns:q='u'>1 <b/></q:PIN><x>pin</x></a>",
            "<a><q:PIN xmlns:q='u'>***</q:PIN><x>pin</x></a>",
        ),
        (
            &["pin"],
            "<a pin='1' b=\"2\"><pin/><pin><pin>1</pin></pin></a>",
            "<a pin='***' b=\"2\"><pin/><pin>***</pin></a>",
        ),
        (&["/a/pin"], "<a><pin>1</pin><b><pin>2</pin></b></a>", "<a><pin>***</pin><b><pin>2</pin></b></a>"),
        (
            &["/a/rows/no"],
            "<a><rows><no>1</no></rows><rows><no><![CDATA[2]]></no></rows></a>",
            "<a><rows><no>***</no></rows><rows><no>***</no></rows></a>",
        ),
        (&["pin"], "<a>&lt;pin>1</a>", "<a>&lt;pin>1</a>"),
    ] {
        let redaction = redaction(fields);
        assert_eq!(redaction.body(xml.as_bytes()).as_deref(), Some(expected), "{xml}");
        let (xml, expected) = (envelope(xml), envelope(expected));
        assert_eq!(redaction.body(xml.as_bytes()).as_deref(), Some(&*expected), "{xml}");
    }
    for wrong in ["<a>", "<!DOCTYPE a [<!ENTITY e \"1\">]><a>&e;</a>", "<a\u{fffe}/>"] {
        assert_eq!(redaction(&["pin"]).body(wrong.as_bytes()), None, "{wrong}");
    }
}

#[test]
fn passwords_of_messages_are_hidden_without_a_rule() {
    let wsse = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
    let token = |password: &str| {
        format!(
            "<t:UsernameToken xmlns:t=\"{wsse}\"><t:Username>ada</t:Username><t:Password Type=\"{password}\">{password}</t:Password></t:UsernameToken>"
        )
    };
    let shown = redaction(&[]).body(token("secret").as_bytes()).map(|shown| shown.into_owned());
    assert_eq!(shown, Some(token("***")));
    assert_eq!(redaction(&[]).body(b"<Password>no envelope").as_deref(), None);
    // UTF-16 without a byte order mark is text of ASCII with other characters between.
    for units in [u16::to_be_bytes, u16::to_le_bytes] {
        let body: Vec<u8> = "<Password>secret</Password>".encode_utf16().flat_map(units).collect();
        assert_eq!(redaction(&[]).body(&body).as_deref(), None);
    }
}
