//! Packages read together with files of the folder: copybooks, by their names, for services that convert by
//! bind files.

use packages::{Fault, FaultKind, Given, GivenCopybook, Limits, Package};
use settings::Files;

/// The folder of copybooks.
const COPYBOOKS: &str = "copybooks";

/// Endings of copybooks. A copybook may also have no ending.
const ENDINGS: [&str; 4] = ["cpy", "cbl", "cob", "copy"];

/// Reads a package. A service that converts by a bind file gets the copybooks with its name:
/// `NAME.REQUEST.cpy` and `NAME.RESPONSE.cpy`, or one for both sides with the name of the service or of its
/// program.
///
/// # Errors
/// The reason why it cannot be read.
pub fn read(files: &Files, name: &str, bytes: &[u8]) -> Result<Package, Vec<Fault>> {
    let limits = Limits::default();
    let whole = |given: &Given| packages::read_with(name, bytes, &limits, given);
    whole(&Given::default()).or_else(|faults| with_copybooks(files, faults, whole))
}

/// Reads a package of the folder: an archive, or the same unpacked.
///
/// # Errors
/// The reason why it cannot be read.
pub(crate) fn read_path(files: &Files, path: &str) -> Result<Package, Vec<String>> {
    let limits = Limits::default();
    let told = |faults: Vec<Fault>| faults.iter().map(ToString::to_string).collect::<Vec<_>>();
    let unread = |error: std::io::Error| vec![format!("cannot be read: {error}")];
    let name = path.rsplit('/').next().unwrap_or(path);
    if !files.is_folder(path) {
        let bytes = files.read_bytes(path).map_err(unread)?;
        return read(files, name, &bytes).map_err(told);
    }
    let paths = files.tree(path).map_err(unread)?;
    if paths.len() > limits.entry_count_max {
        return Err(vec![format!("more than {} files (entry_count_max)", limits.entry_count_max)]);
    }
    let mut parts = Vec::with_capacity(paths.len());
    for inner in paths {
        let bytes = files.read_bytes(&inner).map_err(unread)?;
        let inner = inner.strip_prefix(path).unwrap_or(&inner).trim_start_matches('/').to_owned();
        parts.push((inner, bytes));
    }
    let whole = |given: &Given| packages::read_folder(&parts, &limits, given);
    whole(&Given::default()).or_else(|faults| with_copybooks(files, faults, whole)).map_err(told)
}

/// Reads a package once more with the folder's copybooks, if it was refused because copybooks were missing.
fn with_copybooks(
    files: &Files,
    faults: Vec<Fault>,
    read: impl FnOnce(&Given) -> Result<Package, Vec<Fault>>,
) -> Result<Package, Vec<Fault>> {
    match faults.iter().any(|fault| fault.kind == FaultKind::CopybookNeeded) {
        true => read(&given(files)),
        false => Err(faults),
    }
}

fn given(files: &Files) -> Given {
    let paths = files.tree(COPYBOOKS).unwrap_or_default();
    let copybooks = paths.into_iter().filter_map(|path| {
        let name = path.rsplit('/').next()?;
        let stem = match name.rsplit_once('.') {
            Some((stem, ending)) if ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)) => stem,
            _ => name,
        };
        // For `gantry import`, these names fit any service.
        if matches!(stem, "REQUEST" | "RESPONSE") {
            return None;
        }
        // The data part of a copybook is ASCII, whatever code page its comments have.
        let text = String::from_utf8_lossy(&files.read_bytes(&path).ok()?).into_owned();
        Some(GivenCopybook { name: stem.to_owned(), file: path.clone(), text })
    });
    Given { copybooks: copybooks.collect() }
}
