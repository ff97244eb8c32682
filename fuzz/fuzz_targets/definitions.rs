//! Definitions of CICS, whatever they are: no text may panic, and what is made of one can be written.
#![no_main]

use definitions::{Choices, Limits, Source, merge, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let sources = [Source { name: "fuzz", text }];
    let Ok(import) = read(&sources, &Choices::default(), &Limits::default()) else { return };
    let first = merge("", &import.sections, text).expect("what is made can be written");
    let again = merge(&first.text, &import.sections, text).expect("what is written can be read");
    assert_eq!(first.text, again.text, "a second import changes nothing");
});
