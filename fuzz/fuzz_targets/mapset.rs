//! Any text as the source of a mapset: a fault, or a symbolic map within the columns of COBOL.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mapset::{Limits, is_source, read, symbolic_map};

/// The columns that a compiler reads.
const COLUMNS_MAX: usize = 72;

fuzz_target!(|text: &str| {
    let Ok(mapsets) = read(text, &Limits::default()) else { return };
    assert!(is_source(text), "only sources can be read");
    let map = symbolic_map(&mapsets);
    assert!(map.lines().all(|line| line.len() <= COLUMNS_MAX), "{map}");
    let _ = copybook::parse("FUZZ.bms", &map, &copybook::Options::default());
});
