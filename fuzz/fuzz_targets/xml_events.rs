//! Any text as events of XML, whole and in parts: what roxmltree reads is told, and what it refuses is refused.
#![no_main]

#[path = "../../crates/text/xml/tests/it/events_oracle.rs"]
mod events_oracle;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|given: (&str, [u8; 4])| {
    let (text, places) = given;
    if !text.starts_with('\u{feff}') {
        events_oracle::compare(text, &places.map(usize::from));
    }
});
