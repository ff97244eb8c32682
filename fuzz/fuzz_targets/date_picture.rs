//! Any bytes as a date and its picture: refused, or a moment that is written and stays within its range.
#![no_main]

use libfuzzer_sys::fuzz_target;
use program::callable::{Century, LILIAN_MAX, OUTPUT_BYTES, Reading, read, write};

fuzz_target!(|bytes: &[u8]| {
    let at = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let (text, picture) = (&bytes[..at], bytes.get(at + 1..).unwrap_or_default());
    let century = Century::before(2026, 80);
    for reading in [Reading::Date, Reading::Timestamp] {
        if let Ok(stamp) = read(text, picture, reading, century) {
            assert!((1..=LILIAN_MAX).contains(&stamp.lilian));
            let written = write(stamp, true, picture).expect("a picture that was read by");
            assert_eq!(written.text.len(), OUTPUT_BYTES);
        }
    }
});
