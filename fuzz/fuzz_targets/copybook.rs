//! Any text as a copybook: findings, or layouts that a bind can be tried with.
#![no_main]

use codepage::CodePage;
use libfuzzer_sys::fuzz_target;
use record::{Bind, Options};

/// A copybook of few bytes may describe a large record; its template is made when the bind is.
const RECORD_BYTES_MAX: usize = 1 << 20;

fuzz_target!(|text: &str| {
    let Ok(parsed) = copybook::parse("FUZZ.cpy", text, &copybook::Options::default()) else { return };
    let page = CodePage::by_ccsid(37).expect("CCSID 37");
    for layout in parsed.layouts.iter().filter(|layout| layout.max_bytes() <= RECORD_BYTES_MAX) {
        let _ = Bind::compile(layout, &Options::new(page));
    }
});
