//! Values that pass through messages, untouched.

use mcp::{MessageError, arguments, error_message, with_members};
use serde_json::{Value, json};

#[test]
fn the_arguments_of_a_call_are_as_they_were_written() {
    let message = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"n": 1.10, "big":123456789012345678901234567890}}}"#;
    assert_eq!(arguments(message), Ok(Some(r#"{"n": 1.10, "big":123456789012345678901234567890}"#)));
    for other in [
        r#"{"method":"tools/list","params":{"arguments":{}}}"#,
        r#"{"method":"tools/call"}"#,
        r#"{"method":"tools/call","params":{"name":"x"}}"#,
        r#"{"method":"tools/call","params":{"name":"x","arguments":null}}"#,
        r#"{"method":7,"params":[]}"#,
        r#"{"id":1,"result":{}}"#,
    ] {
        assert_eq!(arguments(other.as_bytes()), Ok(None), "{other}");
    }
}

#[test]
fn what_is_no_message_is_told_apart() {
    for text in [&b"{"[..], b"", b"{} {}", b"\xff", b"{\"a\":\"\xff\"}", b"nothing"] {
        assert_eq!(arguments(text), Err(MessageError::Syntax), "{text:?}");
    }
    let shapes = [
        "[]",
        r#"[{"method":"tools/list"}]"#,
        "7",
        r#"{"method":"tools/list","method":"tools/call"}"#,
        r#"{"method":"tools/call","params":[1]}"#,
        r#"{"method":"tools/call","params":{"name":"a","name":"b"}}"#,
        r#"{"method":"tools/call","params":{"arguments":{},"arguments":{"a":1}}}"#,
    ];
    for text in shapes {
        assert_eq!(arguments(text.as_bytes()), Err(MessageError::Shape), "{text}");
    }
    assert_eq!((MessageError::Syntax.code(), MessageError::Shape.code()), (-32700, -32600));
}

#[test]
fn members_are_put_into_a_result() {
    let response = br#"{"jsonrpc":"2.0","id":"a","result":{"tools":[],"ttlMs":0}}"#;
    let more = [("tools", "[1.50]"), ("more", "{}")];
    let completed = with_members(response, &more).expect("a result");
    assert_eq!(
        String::from_utf8(completed).expect("UTF-8"),
        r#"{"jsonrpc":"2.0","id":"a","result":{"ttlMs":0,"tools":[1.50],"more":{}}}"#
    );
    for other in [&br#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#[..], b"", b"[]", b"\xff"] {
        assert_eq!(with_members(other, &more), None, "{other:?}");
    }
}

#[test]
fn an_error_is_a_message() {
    let message: Value = serde_json::from_slice(&error_message(-32700, "a \"b\"")).expect("JSON");
    let expected = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700, "message": "a \"b\"" } });
    assert_eq!(message, expected);
}
