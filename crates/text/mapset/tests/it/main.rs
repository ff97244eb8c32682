//! Sources of mapsets, and their symbolic maps.

mod faults;
mod layout;
mod random;
mod sources;

use mapset::{Fault, Limits, read, symbolic_map};

/// The symbolic map of a source.
fn made(source: &str) -> Result<String, Fault> {
    read(source, &Limits::default()).map(|mapsets| symbolic_map(&mapsets))
}

/// A source with this mapset, map and fields. Lines get their continuation marks.
fn source(mapset: &str, map: &str, fields: &[&str]) -> String {
    let fields = fields.join("\n");
    format!(
        "SET      DFHMSD {mapset}\nMAP      DFHMDI {map}\n{fields}\n         DFHMSD TYPE=FINAL\n         END\n"
    )
}
