//! Any bytes as a package: faults, or files of ours.
#![no_main]

use libfuzzer_sys::fuzz_target;
use packages::{Limits, read};

fuzz_target!(|bytes: &[u8]| {
    let _ = read("fuzz", bytes, &Limits::default());
});
