//! Any bytes as a command of a translated program: refused, or the same bytes again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use program::interface::Invocation;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(invocation) = Invocation::decode(bytes) {
        let again = invocation.encode().expect("what was decoded is short enough");
        assert_eq!(Invocation::decode(&again), Ok(invocation));
    }
});
