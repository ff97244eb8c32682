//! A WSDL of the user, and the folder that what it imports is below.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use wsdl::read::FILE_BYTES_MAX;

/// Why an import is not read.
pub const OUTSIDE: &str = "is outside of the folder of the WSDL: name a folder above both with --wsdl-root";

/// The path of a WSDL from the folder of its imports, and that folder: `--wsdl-root`, or else its own.
///
/// # Errors
/// The WSDL is not below the root.
pub fn rooted<'p>(path: &'p Path, root: Option<&'p Path>) -> Result<(String, &'p Path), String> {
    match root {
        Some(root) => {
            Ok((settings::path_below(root, path).map_err(|why| format!("--wsdl-root: {why}"))?, root))
        }
        None => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok((name, path.parent().unwrap_or(Path::new(""))))
        }
    }
}

/// The bytes of a file, one more than the limit at most.
///
/// # Errors
/// It cannot be read.
pub fn wsdl_bytes(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let limit = FILE_BYTES_MAX as u64 + 1;
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(limit).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}
