//! Any text as a schema: findings, or a copybook that our own parser takes.
#![no_main]

use assistant::{Options, Source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for options in [Options::assistant("FUZZ"), Options::gateway("FUZZ")] {
        if let Ok(made) = assistant::from_json(text, &Source::Schema, &options) {
            copybook::parse("FUZZ.cpy", &made.text, &copybook::Options::default()).expect("a valid copybook");
        }
    }
});
