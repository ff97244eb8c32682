//! Files that are replaced as a whole: a reader sees the old text or the new one, also after a crash.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

/// The users who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// As the process's mask says.
    Usual,
    /// The owner alone.
    Owner,
}

/// Whether the last line of a file has no end. A full disk or a crash leaves such a line, and the next one must not become a part of it.
/// False for a file that cannot be read, and for a device or a pipe.
#[must_use]
pub fn is_torn(path: &Path) -> bool {
    last_byte(path).is_some_and(|last| last != b'\n')
}

fn last_byte(path: &Path) -> Option<u8> {
    let at = fs::metadata(path).ok()?.len().checked_sub(1)?;
    let mut last = [0];
    File::open(path).ok()?.read_exact_at(&mut last, at).ok()?;
    Some(last[0])
}

/// Writes a file whole or not at all, as [`Replacement`] does. `readers` is for a file that is new.
///
/// # Errors
/// It cannot be written, or a file for its owner alone would get another owner. The old file is then
/// unchanged.
pub fn replace(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    let mut new = Replacement::begin(path, readers)?;
    new.write_all(bytes)?;
    new.finish()
}

/// A file that is written beside the old one, as `.NAME.new`, and renamed over the old one when it is complete. No other
/// code reads a file with such a name. One that is dropped before its end leaves the old file as it was.
///
/// The new file has the owner, the group and the mode of the old one, so the same users can read it. A device or a pipe
/// is written without a detour.
#[derive(Debug)]
pub struct Replacement {
    file: File,
    /// The place beside the old file, and the old file itself; `None` for a device, and at the end.
    names: Option<Names>,
}

#[derive(Debug)]
struct Names {
    new: PathBuf,
    path: PathBuf,
}

impl Replacement {
    /// Begins the new file.
    ///
    /// # Errors
    /// It cannot be made, or a file for its owner alone would get another owner.
    pub fn begin(path: &Path, readers: Readers) -> io::Result<Self> {
        let path = followed(path);
        let old = fs::metadata(&path).ok();
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            return Ok(Self { file: OpenOptions::new().write(true).open(&path)?, names: None });
        }
        let name =
            path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "is not a file"))?;
        let mut beside = std::ffi::OsString::from(".");
        beside.push(name);
        beside.push(".new");
        let new = path.with_file_name(beside);
        // A file that an earlier crash left behind may have other rights.
        let _ = fs::remove_file(&new);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        if readers == Readers::Owner {
            options.mode(0o600);
        }
        let file = options.open(&new)?;
        let begun = Self { file, names: Some(Names { new, path }) };
        let Some(old) = old else { return Ok(begun) };
        match take_over(&begun.file, &old) {
            // Only root may change the owner. A file that all may read is of use under another owner, too.
            Err(error) if readers == Readers::Usual && error.kind() == io::ErrorKind::PermissionDenied => {
                begun.file.set_permissions(without_group(&old))?;
            }
            result => result?,
        }
        Ok(begun)
    }

    /// Brings the file to disk, and gives it its name.
    ///
    /// # Errors
    /// The old file is unchanged.
    pub fn finish(mut self) -> io::Result<()> {
        let Some(names) = &self.names else { return self.file.flush() };
        self.file.sync_all()?;
        if !names.is_of(&self.file) {
            return Err(io::Error::other("another process writes this file at the same time"));
        }
        fs::rename(&names.new, &names.path)?;
        let folder = names.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).to_owned();
        self.names = None;
        File::open(folder)?.sync_all()
    }
}

impl Names {
    /// Whether the file beside the old one is still this one. Another process that replaces the same file takes the name.
    fn is_of(&self, file: &File) -> bool {
        match (file.metadata(), fs::symlink_metadata(&self.new)) {
            (Ok(own), Ok(found)) => (own.dev(), own.ino()) == (found.dev(), found.ino()),
            _ => false,
        }
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some(names) = self.names.take().filter(|names| names.is_of(&self.file)) {
            let _ = fs::remove_file(names.new);
        }
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The file that a path means. A link stays a link: the file that it names is replaced, or made.
fn followed(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| match (path.parent(), fs::read_link(path)) {
        (Some(folder), Ok(named)) => folder.join(named),
        _ => path.to_owned(),
    })
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

/// The rights of a file for another owner and group: nobody may more than before.
fn without_group(old: &fs::Metadata) -> fs::Permissions {
    let mode = old.mode() & 0o777;
    // Members of either group may have been among all others.
    let shared = (mode >> 3) & mode & 0o7;
    fs::Permissions::from_mode(mode & 0o700 | shared << 3 | shared)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_file_with_another_owner_is_not_open_to_more_users() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.json");
        fs::write(&path, "old").expect("written");
        for (mode, new) in
            [(0o640, 0o600), (0o644, 0o644), (0o660, 0o600), (0o664, 0o644), (0o755, 0o755), (0o604, 0o600)]
        {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("changed");
            let found = without_group(&fs::metadata(&path).expect("a file")).mode() & 0o777;
            assert_eq!(found, new, "{mode:o}: {found:o}");
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder").flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_that_is_not_finished_leaves_the_old_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.dat");
        for old in [None, Some("old")] {
            if let Some(old) = old {
                fs::write(&path, old).expect("written");
            }
            let mut new = Replacement::begin(&path, Readers::Usual).expect("begun");
            new.write_all(b"half").expect("written");
            assert_eq!(fs::read_to_string(&path).ok().as_deref(), old);
            drop(new);
            assert_eq!(fs::read_to_string(&path).ok().as_deref(), old);
            assert_eq!(names(folder.path()).len(), usize::from(old.is_some()));
        }
    }

    #[test]
    fn two_that_write_one_file_do_not_mix() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.dat");
        let mut first = Replacement::begin(&path, Readers::Usual).expect("begun");
        first.write_all(b"first").expect("written");
        let mut second = Replacement::begin(&path, Readers::Usual).expect("begun");
        second.write_all(b"sec").expect("written");
        assert!(first.finish().expect_err("refused").to_string().contains("another process"));
        second.write_all(b"ond").expect("written");
        second.finish().expect("finished");
        assert_eq!(fs::read_to_string(&path).expect("read"), "second");
        assert_eq!(names(folder.path()), ["out.dat"]);
    }

    #[test]
    fn a_link_stays_a_link_and_a_device_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, link) = (folder.path().join("out.dat"), folder.path().join("link"));
        fs::write(&path, "old").expect("written");
        std::os::unix::fs::symlink("out.dat", &link).expect("a link");
        replace(&link, b"new", Readers::Usual).expect("written");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read_to_string(&path).expect("read"), "new");
        fs::remove_file(&path).expect("removed");
        replace(&link, b"made", Readers::Usual).expect("written");
        assert_eq!(fs::read_to_string(&path).expect("read"), "made");
        replace(Path::new("/dev/null"), b"x", Readers::Usual).expect("written");
        assert!(replace(Path::new("/dev/full"), b"x", Readers::Usual).is_err());
        assert!(replace(folder.path(), b"x", Readers::Usual).is_err());
    }
}
