//! What modules answer, read, set and log.

use wasm::{LOG_LINE_MAX_BYTES, LOG_LINES_MAX, Level, Line};

use crate::{ask, before, packed, sandbox, text};

#[test]
fn no_answer_is_an_empty_one() {
    assert_eq!(ask("i64.const 0", "{}"), Ok(String::new()));
}

#[test]
fn the_question_is_where_alloc_says() {
    let echo =
        "local.get $at i64.extend_i32_u i64.const 32 i64.shl local.get $length i64.extend_i32_u i64.or";
    assert_eq!(ask(echo, r#"{"a":"ä"}"#).as_deref(), Ok(r#"{"a":"ä"}"#));
}

#[test]
fn an_answer_comes_from_its_place() {
    let refusal = r#"{"allow":false,"status":402}"#;
    let data = format!("(data (i32.const 8) \"{}\")", refusal.replace('"', "\\\""));
    let call = sandbox(&before(&packed(8, 28), &data)).before(b"{}".to_vec());
    assert_eq!(call.result.expect("an answer").bytes, refusal.as_bytes());
}

#[test]
fn values_of_the_question_are_found_by_pointers() {
    let question = r#"{"headers":{"x-origin":"branch"},"body":{"amount":12.50},"user":null}"#;
    for (pointer, found) in [
        ("/headers/x-origin", Some("branch")),
        ("/body", Some(r#"{"amount":12.5}"#)),
        ("/user", None),
        ("/nothing", None),
        ("no pointer", None),
    ] {
        // The value goes to 512; its length, or -1, becomes the answer's.
        let length = pointer.len();
        let body = format!(
            "(local $found i32)
             (local.set $found (call $get (i32.const 8) (i32.const {length}) (i32.const 512) (i32.const 100)))
             (if (i32.lt_s (local.get $found) (i32.const 0)) (then (return (i64.const 0))))
             (i64.or (i64.const {}) (i64.extend_i32_u (local.get $found)))",
            512_u64 << 32
        );
        let data = format!("(data (i32.const 8) \"{pointer}\")");
        let call = sandbox(&before(&body, &data)).before(question.as_bytes().to_vec());
        let bytes = call.result.expect("an answer").bytes;
        assert_eq!(String::from_utf8(bytes).expect("UTF-8"), found.unwrap_or_default(), "{pointer}");
    }
}

#[test]
fn a_value_that_does_not_fit_is_not_written() {
    let body = format!(
        "(drop (call $get (i32.const 8) (i32.const 2) (i32.const 512) (i32.const 3))) {}",
        packed(512, 4)
    );
    let text = before(&body, "(data (i32.const 8) \"/a\")");
    let call = sandbox(&text).before(br#"{"a":"four"}"#.to_vec());
    assert_eq!(call.result.expect("an answer").bytes, [0; 4]);
}

#[test]
fn headers_are_given_in_order() {
    let set = |value: u32| {
        format!("(call $set_header (i32.const 8) (i32.const 4) (i32.const {value}) (i32.const 1))")
    };
    let body = format!("{} {} i64.const 0", set(12), set(13));
    let call = sandbox(&before(&body, "(data (i32.const 8) \"nameab\")")).before(b"{}".to_vec());
    let pair = |value: &str| ("name".to_owned(), value.to_owned());
    assert_eq!(call.result.expect("an answer").headers, [pair("a"), pair("b")]);
}

#[test]
fn lines_are_kept_up_to_their_limits_even_of_a_call_that_fails() {
    let body = "(local $i i32)
        (loop $again
          (call $log (i32.const 2) (i32.const 0) (i32.const 2000))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br_if $again (i32.lt_u (local.get $i) (i32.const 20))))
        unreachable";
    let call = sandbox(&before(body, "")).before(b"{}".to_vec());
    let line = Line { level: Level::Warning, text: "\0".repeat(LOG_LINE_MAX_BYTES) };
    assert_eq!(call.lines, vec![line; LOG_LINES_MAX]);
    assert_eq!(call.lost_lines, 20 - LOG_LINES_MAX);
    assert!(call.result.is_err());
}

#[test]
fn the_end_of_a_call_is_told_if_the_module_wants_it() {
    let quiet = sandbox(&before("i64.const 0", ""));
    assert!(!quiet.has_after());
    assert!(quiet.after(b"{}".to_vec()).result.is_ok());
    let keen = before(
        "i64.const 0",
        r#"(func (export "after") (param i32 i32) (call $log (i32.const 3) (local.get 0) (local.get 1)))"#,
    );
    let keen = sandbox(&keen);
    assert!(keen.has_after());
    let lines = keen.after(br#"{"stage":"after"}"#.to_vec()).lines;
    assert_eq!(lines, [Line { level: Level::Information, text: r#"{"stage":"after"}"#.to_owned() }]);
}

#[test]
fn nothing_is_left_of_a_call() {
    let count = text(
        "",
        r#"(global $calls (mut i64) (i64.const 0))
           (func (export "before") (param i32 i32) (result i64)
             (global.set $calls (i64.add (global.get $calls) (i64.const 1)))
             (i32.store8 (i32.const 0) (i32.add (i32.load8_u (i32.const 0)) (i32.const 1)))
             global.get $calls)"#,
    );
    let count = sandbox(&count);
    for _ in 0..3 {
        // One byte at 0, which is 1 each time.
        assert_eq!(count.before(b"{}".to_vec()).result.expect("an answer").bytes, [1]);
    }
}

#[test]
fn threads_call_one_module_at_once() {
    let module = sandbox(&before(&packed(1024, 2), ""));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert_eq!(module.before(b"{}".to_vec()).result.expect("an answer").bytes, b"{}");
                }
            });
        }
    });
}
