//! Any bytes as a copybook: what is wrong with it is shown as the binary shows it, with the lines of the text.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
#[path = "../../crates/disk/settings/src/problem.rs"]
mod problem;

use problem::Problems;

fuzz_target!(|bytes: &[u8]| {
    // Sources that are not UTF-8 are read by a single-byte page.
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    };
    let found = match copybook::parse("FUZZ.cpy", &text, &copybook::Options::default()) {
        Ok(parsed) => parsed.warnings,
        Err(errors) => errors,
    };
    let mut problems = Problems::default();
    problems.text("FUZZ.cpy", &text);
    found.into_iter().for_each(|diagnostic| problems.copybook("FUZZ.cpy", diagnostic));
    let _ = problems.render(false);
    let _ = problems.render(true);
});
