//! Modules that are refused when they are loaded.

use wasm::{Kind, MODULE_MAX_BYTES, Sandbox};

use crate::{LIMITS, before, text};

#[track_caller]
fn refused(source: &[u8], kind: Kind, part: &str) -> wasm::Error {
    let error = Sandbox::compile(source, LIMITS).expect_err("a refusal");
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(part), "{part}: {error}");
    error
}

#[test]
fn a_fault_in_text_has_its_place() {
    let error = refused(b"(module\n  (funk))", Kind::Text, "");
    assert_eq!(error.offset(), Some(11), "{error}");
    refused(b"", Kind::Text, "expected");
    assert_eq!(refused(b"(module \xff)", Kind::Text, "no text at byte 8").offset(), Some(8));
}

#[test]
fn a_fault_in_a_binary_module_has_its_offset() {
    refused(b"\0asm\x01\0\0\0\xff", Kind::Module, "offset");
    refused(b"\0asm\x0d\0\x01\0", Kind::Module, "is not a valid module");
    refused(b"(module (func (result i32)))", Kind::Module, "type mismatch");
}

#[test]
fn what_is_too_large_is_refused() {
    refused(&vec![b' '; MODULE_MAX_BYTES + 1], Kind::Module, "expected at most 8388608 bytes, found 8388609");
}

#[test]
fn other_imports_are_refused_all_at_once() {
    let imports = r#"(import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32)))
        (import "gantry" "open" (func))"#;
    let before = r#"(func (export "before") (param i32 i32) (result i64) i64.const 0)"#;
    let part = "may import gantry.log, gantry.get, gantry.set_header; found wasi_snapshot_preview1.fd_write, gantry.open";
    refused(text(imports, before).as_bytes(), Kind::Imports, part);
    let other = r#"(import "gantry" "log" (func (param i64)))"#;
    refused(text(other, before).as_bytes(), Kind::Imports, "gantry::log");
}

#[test]
fn every_export_must_be_there_with_its_type() {
    let whole = before("i64.const 0", "");
    for (export, part) in [
        ("(export \"memory\")", "must export its memory as 'memory'"),
        ("(export \"gantry_abi\")", "'gantry_abi': () -> (i32)"),
        ("(export \"alloc\")", "'alloc': (i32) -> (i32)"),
        ("(export \"before\")", "'before': (i32, i32) -> (i64)"),
    ] {
        refused(whole.replace(export, "").as_bytes(), Kind::Exports, part);
    }
    let before = r#"(func (export "before") (param i32) (result i64) i64.const 0)"#;
    refused(text("", before).as_bytes(), Kind::Exports, "(i32, i32) -> (i64); found (i32) -> (i64)");
    refused(
        text("", r#"(global (export "before") i32 (i32.const 0))"#).as_bytes(),
        Kind::Exports,
        "a function 'before'",
    );
    let after = r#"(func (export "after"))"#;
    refused(
        crate::before("i64.const 0", after).as_bytes(),
        Kind::Exports,
        "'after': (i32, i32) -> (); found () -> ()",
    );
}

#[test]
fn another_version_is_refused() {
    let other =
        before("i64.const 0", "").replace("(result i32) i32.const 1)\n", "(result i32) i32.const 2)\n");
    refused(other.as_bytes(), Kind::Exports, "expected gantry_abi to give 1, found 2");
}
