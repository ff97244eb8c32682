//! Modules that want more than they may have.

use std::time::Duration;

use wasm::{HEADER_MAX_BYTES, HEADERS_MAX, Kind, Limits, Sandbox};

use crate::{LIMITS, ask, before, packed, sandbox, text};

/// The kind and the text of what goes wrong.
#[track_caller]
fn fails(body: &str, kind: Kind, part: &str) {
    let error = ask(body, "{}").expect_err("a failure");
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(part), "{part}: {error}");
}

#[test]
fn an_endless_loop_uses_up_its_fuel() {
    fails("(loop $again (br $again)) i64.const 0", Kind::Fuel, "fuel");
    fails("(drop (call $before (i32.const 0) (i32.const 0))) i64.const 0", Kind::Trap, "stack");
}

#[test]
fn filling_memory_again_and_again_uses_up_its_fuel() {
    let body =
        "(loop $again (memory.fill (i32.const 0) (i32.const 1) (i32.const 65536)) (br $again)) i64.const 0";
    fails(body, Kind::Fuel, "fuel");
}

#[test]
fn an_endless_loop_with_all_the_fuel_ends_in_time() {
    let limits = Limits { fuel_per_call: u64::MAX, timeout: Duration::from_millis(30), ..LIMITS };
    let text = before("(loop $again (br $again)) i64.const 0", "");
    let sandbox = Sandbox::compile(text.as_bytes(), limits).expect("a module");
    let error = sandbox.before(b"{}".to_vec()).result.expect_err("a failure");
    assert_eq!((error.kind(), error.to_string().as_str()), (Kind::Time, "it ran longer than its time limit"));
}

#[test]
fn memory_does_not_grow_beyond_its_limit() {
    // Three pages more are allowed, the fourth is not: 3 becomes the answer's length.
    let body = "(local $grown i64)
        (block $full
          (loop $again
            (br_if $full (i32.eq (memory.grow (i32.const 1)) (i32.const -1)))
            (local.set $grown (i64.add (local.get $grown) (i64.const 1)))
            (br $again)))
        local.get $grown";
    assert_eq!(ask(body, "{}").map(|answer| answer.len()), Ok(3));
}

#[test]
fn a_trap_ends_the_call_alone() {
    fails("unreachable", Kind::Trap, "unreachable");
    fails("(i64.extend_i32_u (i32.div_u (i32.const 1) (i32.const 0)))", Kind::Trap, "divide by zero");
    fails("(i64.load (i32.const 0x7fffffff))", Kind::Trap, "out of bounds");
}

#[test]
fn answers_outside_of_memory_are_refused() {
    fails(&packed(65_535, 2), Kind::Bounds, "2 bytes at 65535 are not in its memory of 65536 bytes");
    fails(&packed(0xffff_ffff, 0xffff_ffff), Kind::Bounds, "4294967295 bytes at 4294967295");
}

#[test]
fn a_huge_answer_is_refused() {
    fails(&packed(0, 1025), Kind::Bounds, "at most 1024 bytes, found 1025");
    assert_eq!(ask(&packed(0, 1024), "{}").map(|answer| answer.len()), Ok(1024));
}

#[test]
fn a_question_that_has_no_room_is_refused() {
    let error = ask("i64.const 0", &"x".repeat(65_536)).expect_err("a failure");
    assert_eq!(error.kind(), Kind::Bounds);
    assert!(error.to_string().starts_with("alloc: 65536 bytes at 1024"), "{error}");
}

#[test]
fn pointers_outside_of_memory_are_refused() {
    for (call, name) in [
        ("(call $log (i32.const 1) (i32.const -1) (i32.const 2))", "log"),
        ("(drop (call $get (i32.const -1) (i32.const 2) (i32.const 0) (i32.const 0)))", "get"),
        ("(call $set_header (i32.const 65536) (i32.const 1) (i32.const 0) (i32.const 0))", "set_header"),
        ("(call $set_header (i32.const 0) (i32.const 0) (i32.const 65536) (i32.const 1))", "set_header"),
    ] {
        fails(&format!("{call} i64.const 0"), Kind::Bounds, &format!("{name}: "));
    }
    let get = "(drop (call $get (i32.const 8) (i32.const 2) (i32.const -1) (i32.const 9))) i64.const 0";
    let text = before(get, "(data (i32.const 8) \"/a\")");
    let error = sandbox(&text).before(br#"{"a":"b"}"#.to_vec()).result.expect_err("a failure");
    assert!(error.to_string().starts_with("get: 9 bytes at 4294967295"), "{error}");
}

#[test]
fn what_is_no_text_or_level_or_too_much_is_refused() {
    let data = "(data (i32.const 8) \"\\ff\")";
    for (call, part) in [
        ("(call $set_header (i32.const 8) (i32.const 1) (i32.const 0) (i32.const 0))", "expected UTF-8"),
        ("(drop (call $get (i32.const 8) (i32.const 1) (i32.const 0) (i32.const 0)))", "expected UTF-8"),
        ("(call $log (i32.const 9) (i32.const 0) (i32.const 0))", "found 9"),
    ] {
        let text = before(&format!("{call} i64.const 0"), data);
        let error = sandbox(&text).before(b"{}".to_vec()).result.expect_err("a failure");
        assert!(error.to_string().contains(part), "{part}: {error}");
    }
    let long = HEADER_MAX_BYTES + 1;
    let set = |length: usize| {
        format!("(call $set_header (i32.const 0) (i32.const 1) (i32.const 0) (i32.const {length}))")
    };
    fails(&format!("{} i64.const 0", set(long)), Kind::Bounds, "at most 8192 bytes, found 8193");
    let many = format!("(loop $again {} (br $again)) i64.const 0", set(1));
    fails(&many, Kind::Bounds, &format!("more than {HEADERS_MAX} headers"));
}

#[test]
fn what_runs_at_the_start_has_the_same_limits() {
    let start = r#"(func $go (loop $again (br $again))) (start $go)
        (func (export "before") (param i32 i32) (result i64) i64.const 0)"#;
    let error = Sandbox::compile(text("", start).as_bytes(), LIMITS).expect_err("a failure");
    assert_eq!(error.kind(), Kind::Fuel);
    let large = Limits { memory_max_bytes: 65_535, ..LIMITS };
    let error = Sandbox::compile(before("i64.const 0", "").as_bytes(), large).expect_err("a failure");
    assert!(error.to_string().contains("memory"), "{error}");
    let table = format!("(table {} funcref)", wasm::TABLE_ELEMENTS_MAX + 1);
    let error = Sandbox::compile(before("i64.const 0", &table).as_bytes(), LIMITS).expect_err("a failure");
    assert!(error.to_string().contains("table"), "{error}");
}
