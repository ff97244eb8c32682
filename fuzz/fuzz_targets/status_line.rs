//! The status line that a program gives: a status of an answer, or a failure.
#![no_main]

use conversion::StatedStatus;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &str| {
    if let Ok(stated) = StatedStatus::parse(line) {
        assert!((200..600).contains(&stated.status.as_u16()));
    }
});
