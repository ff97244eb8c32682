//! Any bytes as a record: an error, or valid JSON that encodes and decodes to itself.
#![no_main]

mod bind;

use libfuzzer_sys::fuzz_target;
use serde::de::IgnoredAny;

fuzz_target!(|record: &[u8]| {
    let bind = bind::bind();
    let mut json = Vec::new();
    if bind.decode(record, &mut json).is_ok() {
        serde_json::from_slice::<IgnoredAny>(&json).expect("what is written is JSON");
        let (mut encoded, mut again) = (Vec::new(), Vec::new());
        bind.encode(&json, &mut encoded).expect("what was decoded is encoded");
        bind.decode(&encoded, &mut again).expect("and decoded");
        assert_eq!(json, again);
    }
});
