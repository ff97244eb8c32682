//! Definitions of CICS and of queue managers, whatever they are: no text may panic, and what is made of one can be written.
#![no_main]

use definitions::{Choices, Limits, Section, Source, Target, merge, read, read_mqsc};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let sources = [Source { name: "fuzz", text }];
    if let Ok(import) = read(&sources, &Choices::default(), &Limits::default()) {
        twice(&import.sections, text);
    }
    if let Ok(import) = read_mqsc(&sources, &Target::default(), &Limits::default()) {
        twice(&import.sections, text);
    }
});

fn twice(sections: &[Section], text: &str) {
    let first = merge("", sections, text).expect("what is made can be written");
    let again = merge(&first.text, sections, text).expect("what is written can be read");
    assert_eq!(first.text, again.text, "a second import changes nothing");
}
