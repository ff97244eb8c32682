//! Any bytes as a module of an interceptor, in its binary form or as text: refused, or called within its limits.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use wasm::{Limits, Sandbox};

const LIMITS: Limits = Limits {
    fuel_per_call: 100_000,
    memory_max_bytes: 1 << 20,
    answer_max_bytes: 1024,
    timeout: Duration::from_secs(1),
};

fuzz_target!(|bytes: &[u8]| {
    let Ok(module) = Sandbox::compile(bytes, LIMITS) else { return };
    let question = br#"{"stage":"before","method":"GET"}"#;
    if let Ok(answer) = module.before(question.to_vec()).result {
        assert!(answer.bytes.len() <= LIMITS.answer_max_bytes);
    }
    let _ = module.after(question.to_vec());
});
