//! JSON in and out: refusals, and a check that nothing changes.

use expression::{JSON_DEPTH_MAX, Value};

fn fault(json: &[u8]) -> String {
    Value::from_json(json, 3).expect_err("a fault").to_string()
}

#[test]
fn faults_say_what_and_where() {
    assert_eq!(fault(b""), "J0001: expected a value, found the end at byte 0");
    assert_eq!(fault(b"[1,]"), "J0001: expected a value, found ']' at byte 3");
    assert_eq!(fault(b"{\"a\" 1}"), "J0001: expected ':', found '1' at byte 5");
    assert_eq!(fault(b"{a:1}"), "J0001: expected a name in quotes, found 'a' at byte 1");
    assert_eq!(fault(b"[01]"), "J0001: expected a number, found '0' at byte 1");
    assert_eq!(fault(b"1 2"), "J0001: expected the end, found '2' at byte 2");
    assert_eq!(fault(b"\"a\nb\""), "J0001: expected a character of a string, found '\\n' at byte 2");
    assert_eq!(fault(b"\"\\x\""), "J0001: expected an escape that JSON knows, found '\\\\' at byte 1");
    assert_eq!(fault(b"[[[[]]]]"), "J0002: nested deeper than is allowed at byte 3");
    assert_eq!(
        fault(b"{\"a\":1,\"b\":2,\"\\u0061\":3}"),
        "J0003: the name \"a\" occurs twice in one object, at byte 13"
    );
    assert_eq!(fault(b"\"\\ud834x\""), "J0004: half of a surrogate pair at byte 1");
    assert_eq!(fault(b"\"\\udd1e\""), "J0004: half of a surrogate pair at byte 1");
    assert_eq!(fault(b"\"\xff\""), "J0005: expected UTF-8, found another byte at byte 1");
}

#[test]
fn depth_has_an_end_whatever_is_allowed() {
    let deep = |levels: usize| [vec![b'['; levels], vec![b']'; levels]].concat();
    assert!(Value::from_json(&deep(JSON_DEPTH_MAX), usize::MAX).is_ok());
    assert!(Value::from_json(&deep(JSON_DEPTH_MAX + 1), usize::MAX).is_err());
    assert!(Value::from_json(&deep(1_000_000), usize::MAX).is_err());
}

#[test]
fn text_is_written_as_it_was() {
    let json = r#"{"b":1,"a":[null,true,false,"\"\\\n\r\t\b\f\u0001é𝄞/"],"n":-0.5,"e":{},"l":[]}"#;
    let mut out = Vec::new();
    Value::from_json(json.as_bytes(), 3).expect("JSON").write_json(&mut out);
    assert_eq!(String::from_utf8(out).expect("UTF-8"), json);
}
