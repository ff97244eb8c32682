//! Any bytes as a request: an error, or a record that decodes again. What serde_json refuses is refused.
#![no_main]

mod bind;

use libfuzzer_sys::fuzz_target;
use serde::de::IgnoredAny;

fuzz_target!(|json: &[u8]| {
    let bind = bind::bind();
    let (mut record, mut again) = (Vec::new(), Vec::new());
    if bind.encode(json, &mut record).is_ok() {
        serde_json::from_slice::<IgnoredAny>(json).expect("what is taken is JSON");
        bind.decode(&record, &mut again).expect("what was encoded is decoded");
    }
});
