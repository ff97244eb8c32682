//! Files that are replaced as a whole: a reader sees the old text or the new one, also after a crash.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::Path;

/// The users who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// As the process's mask says.
    Usual,
    /// The owner alone.
    Owner,
}

/// Writes a file beside the old one, as `.NAME.new`, and renames it over the old one. No other code reads a
/// file with such a name. The new file has the owner, the group and the mode of the old one, so the same
/// users can read it. `readers` is for a file that is new.
///
/// # Errors
/// It cannot be written, or a file for its owner alone would get another owner. The old file is then
/// unchanged.
pub fn replace(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    let name =
        path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "is not a file"))?;
    let new = path.with_file_name(format!(".{}.new", name.to_string_lossy()));
    // A file that an earlier crash left behind may have other rights.
    let _ = fs::remove_file(&new);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    if readers == Readers::Owner {
        options.mode(0o600);
    }
    let old = fs::metadata(path).ok().filter(fs::Metadata::is_file);
    let mut file = options.open(&new)?;
    if let Some(old) = old {
        match take_over(&file, &old) {
            // Only root may change the owner. A file that all may read is of use under another owner, too.
            Err(error) if readers == Readers::Usual && error.kind() == io::ErrorKind::PermissionDenied => {}
            Err(error) => {
                let _ = fs::remove_file(&new);
                return Err(error);
            }
            Ok(()) => {}
        }
    }
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Gives a file the owner, the group and the mode of another.
fn take_over(file: &File, old: &fs::Metadata) -> io::Result<()> {
    let made = file.metadata()?;
    if (made.uid(), made.gid()) != (old.uid(), old.gid()) {
        fchown(file, Some(old.uid()), Some(old.gid())).map_err(|error| {
            let owner = format!("its owner {} and group {} cannot be kept: {error}", old.uid(), old.gid());
            io::Error::new(error.kind(), owner)
        })?;
    }
    match made.permissions() == old.permissions() {
        true => Ok(()),
        false => file.set_permissions(old.permissions()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_new_file_is_for_its_readers_and_a_replaced_one_keeps_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("users.txt");
        let mode = || fs::metadata(&path).expect("a file").mode() & 0o777;
        replace(&path, b"1", Readers::Owner).expect("written");
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("changed");
        // Only root may change the owner.
        let owned = fchown(File::open(&path).expect("a file"), Some(1), Some(2)).is_ok();
        replace(&path, b"2", Readers::Owner).expect("written");
        assert_eq!((fs::read(&path).expect("read"), mode()), (b"2".to_vec(), 0o640));
        if owned {
            let found = fs::metadata(&path).expect("a file");
            assert_eq!((found.uid(), found.gid()), (1, 2));
        }
    }
}
