//! Hints about first records of files: they seem to be in EBCDIC, which programs of a region cannot read, or do not exist.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use codepage::Family;

/// How much of a file with records is looked at.
pub const HINT_BYTES: usize = 16 * 1024;

/// A likely fault of records that begin with these bytes, under the name of their file. A guess: it refuses
/// nothing.
#[must_use]
pub fn page_hint(shown: &str, first: &[u8]) -> Option<String> {
    let first = &first[..first.len().min(HINT_BYTES)];
    (Family::seen_in(first) == Some(Family::Ebcdic)).then(|| {
        format!(
            "the text in {shown} looks like EBCDIC, but programs of a region have ASCII: convert the records with \
             `gantry record decode --ccsid 37`, then `gantry record encode --ccsid 819`"
        )
    })
}

/// The same for a file, and whether it exists; none if the file cannot be read.
pub(super) fn of_file(path: &Path) -> Option<String> {
    let known = match std::fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Some(format!(
                "{} of 'load' does not exist; the gateway cannot begin without it, unless the store has this file of the region already",
                path.display()
            ));
        }
        known => known.ok()?,
    };
    // A pipe is not waited for.
    let file = known.is_file().then(|| File::open(path).ok()).flatten()?;
    let mut first = Vec::with_capacity(HINT_BYTES);
    file.take(HINT_BYTES as u64).read_to_end(&mut first).ok()?;
    page_hint(&path.display().to_string(), &first)
}
