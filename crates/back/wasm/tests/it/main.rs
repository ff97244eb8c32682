//! Modules written as text: what they answer, what they may not do, and what is refused at load.

mod calls;
mod hostile;
mod load;
mod random;

use std::time::Duration;

use wasm::{Error, Limits, Sandbox};

/// Limits under which every honest module here runs.
pub(crate) const LIMITS: Limits = Limits {
    fuel_per_call: 1_000_000,
    memory_max_bytes: 4 * 65_536,
    answer_max_bytes: 1024,
    timeout: Duration::from_secs(600),
};

/// A module with a page of memory, `alloc` at 1024, and more parts: functions, data, imports first.
pub(crate) fn text(imports: &str, more: &str) -> String {
    format!(
        r#"(module {imports}
            (memory (export "memory") 1)
            (func (export "gantry_abi") (result i32) i32.const 1)
            (func (export "alloc") (param i32) (result i32) i32.const 1024)
            {more})"#
    )
}

/// The same with the body of `before`.
pub(crate) fn before(body: &str, more: &str) -> String {
    let imports = r#"
        (import "gantry" "log" (func $log (param i32 i32 i32)))
        (import "gantry" "get" (func $get (param i32 i32 i32 i32) (result i32)))
        (import "gantry" "set_header" (func $set_header (param i32 i32 i32 i32)))"#;
    text(
        imports,
        &format!(
            r#"(func $before (export "before") (param $at i32) (param $length i32) (result i64) {body}) {more}"#
        ),
    )
}

pub(crate) fn sandbox(text: &str) -> Sandbox {
    Sandbox::compile(text.as_bytes(), LIMITS).expect("a module")
}

/// The answer of a `before` body to a question.
pub(crate) fn ask(body: &str, question: &str) -> Result<String, Error> {
    let call = sandbox(&before(body, "")).before(question.as_bytes().to_vec());
    call.result.map(|answer| String::from_utf8(answer.bytes).expect("UTF-8"))
}

/// The place and length of an answer, as a constant.
pub(crate) fn packed(at: u64, length: u64) -> String {
    format!("i64.const {}", ((at << 32) | length).cast_signed())
}
