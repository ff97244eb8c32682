//! Any text as an expression and as a template, with a little cost allowed: an error or a value that is JSON.
#![no_main]

use expression::{Context, Expression, Limits, Template, Value};
use libfuzzer_sys::fuzz_target;
use serde::de::IgnoredAny;

const LIMITS: Limits = Limits {
    text_max_bytes: 4_096,
    nesting_max: 50,
    regex_max_bytes: 100_000,
    steps_max: 20_000,
    depth_max: 200,
    value_depth_max: 64,
    built_max_bytes: 100_000,
    elements_max: 20_000,
};

const INPUT: &[u8] = br#"{"a":[1,{"b":"x","c":[true,null]},[2.50,"3"]],"b":{"a":null,"d":"2026-11-21"}}"#;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(value) = Value::from_json(bytes, 64) {
        serde_json::from_slice::<IgnoredAny>(bytes).expect("what is taken is JSON");
        let mut out = Vec::new();
        value.write_json(&mut out);
        assert_eq!(Value::from_json(&out, 64).expect("what is written is read"), value);
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let input = Value::from_json(INPUT, 16).expect("JSON");
    let bindings = [("x", input.clone())];
    let context = Context { input, ..Context::new(&bindings) };
    if let Ok(expression) = Expression::compile_within(text, &LIMITS)
        && let Ok(value) = expression.evaluate(&context)
        && value.is_defined()
    {
        let mut out = Vec::new();
        value.write_json(&mut out);
        serde_json::from_slice::<IgnoredAny>(&out).expect("a value is JSON");
    }
    if let Ok(template) = Template::compile_within(text, &LIMITS) {
        let _ = template.evaluate(&context);
    }
});
