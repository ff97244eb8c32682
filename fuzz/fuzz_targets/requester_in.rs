//! Any bytes as an OpenAPI document: faults, or an API requester.
#![no_main]

use libfuzzer_sys::fuzz_target;
use packages::{Limits, RequesterChoices, read_openapi};

fuzz_target!(|bytes: &[u8]| {
    let choices = RequesterChoices { name: "fuzz".to_owned(), connection: "fuzz".to_owned(), ccsid: 37 };
    let _ = read_openapi("fuzz", bytes, &Limits::default(), &choices);
});
