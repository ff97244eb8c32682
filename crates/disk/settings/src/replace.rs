//! Files that are replaced as a whole: whoever reads one sees the old text or the new, also after a crash.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// As the process's mask has it.
    Usual,
    /// The owner alone.
    Owner,
}

/// Writes a file beside the old one, as `.NAME.new`, which nothing here takes for a file of its own, and puts it in its
/// place.
///
/// # Errors
/// It cannot be written; the old one is then as it was.
pub fn replace(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    let name =
        path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "is not a file"))?;
    let new = path.with_file_name(format!(".{}.new", name.to_string_lossy()));
    // One that was left behind may have other rights.
    let _ = fs::remove_file(&new);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    if readers == Readers::Owner {
        options.mode(0o600);
    }
    let mut file = options.open(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}
