//! Files that are read again when they change: certificates, users, keys. After a faulty change,
//! the old version stays in use.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

type Reload = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

/// Files that belong together.
pub struct Watched {
    files: Vec<PathBuf>,
    reload: Reload,
    /// The stamps of the files at the last reading.
    seen: Mutex<Vec<Stamp>>,
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watched").field("files", &self.files).finish_non_exhaustive()
    }
}

/// Distinguishes a new version from the old one; none if the file does not exist.
pub(crate) type Stamp = Option<(SystemTime, u64, u64)>;

/// Files before they are read for the first time. A change after the reading is then seen, however
/// soon it comes.
#[derive(Clone, Debug)]
pub struct Unread {
    files: Vec<PathBuf>,
    stamps: Vec<Stamp>,
}

impl Unread {
    /// Notes the present versions. Read the files after this.
    pub fn note(files: Vec<PathBuf>) -> Self {
        let stamps = stamps(&files);
        Self { files, stamps }
    }

    /// Watches files that `reload` reads.
    pub fn watched(self, reload: impl Fn() -> Result<(), String> + Send + Sync + 'static) -> Watched {
        let Self { files, stamps } = self;
        Watched { files, reload: Box::new(reload), seen: Mutex::new(stamps) }
    }

    /// Watches text files. `take` gets the new text of each.
    pub fn watched_texts(self, take: impl Fn(&str) -> Result<(), String> + Send + Sync + 'static) -> Watched {
        let paths = self.files.clone();
        self.watched(move || {
            paths.iter().try_for_each(|path| {
                let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
                take(&text)
            })
        })
    }
}

impl Watched {
    /// Reads the files again if they have changed. True if the new version is in use. A fault is reported
    /// once, in the log.
    pub fn look(&self) -> bool {
        // Stamps come before the reading, so the next check sees a change in between.
        let now = stamps(&self.files);
        let mut seen = self.seen.lock().expect("no holder panics");
        if *seen == now {
            return false;
        }
        *seen = now;
        let files = self.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ");
        let read = (self.reload)();
        match &read {
            Ok(()) => tracing::info!(files, "read again"),
            Err(error) => tracing::error!(files, error, "cannot be used; the version before stays in use"),
        }
        read.is_ok()
    }
}

fn stamps(files: &[PathBuf]) -> Vec<Stamp> {
    files.iter().map(|file| stamp(file)).collect()
}

pub(crate) fn stamp(file: &Path) -> Stamp {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len(), metadata.ino()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_change_is_read_once_and_a_fault_is_kept_out() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let file = folder.path().join("users.txt");
        std::fs::write(&file, "one").expect("written");
        let taken = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&taken);
        let watched = Unread::note(vec![file.clone()]).watched_texts(move |text| match text {
            "bad" => Err("bad".to_owned()),
            text => {
                kept.lock().expect("no panic").push(text.to_owned());
                Ok(())
            }
        });
        for text in ["one", "three", "bad", "fourth"] {
            if text != "one" {
                std::fs::write(&file, text).expect("written");
            }
            assert_eq!(watched.look(), !["one", "bad"].contains(&text), "{text}");
            assert!(!watched.look());
        }
        std::fs::remove_file(&file).expect("removed");
        assert!(!watched.look());
        assert_eq!(*taken.lock().expect("no panic"), ["three", "fourth"]);
    }

    #[test]
    fn a_change_right_after_the_first_reading_is_seen() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let file = folder.path().join("users.txt");
        std::fs::write(&file, "first").expect("written");
        let unread = Unread::note(vec![file.clone()]);
        let held = Arc::new(Mutex::new(std::fs::read_to_string(&file).expect("read")));
        std::fs::write(&file, "second").expect("written");
        let again = Arc::clone(&held);
        let watched = unread.watched_texts(move |text| {
            text.clone_into(&mut again.lock().expect("no panic"));
            Ok(())
        });
        assert!(watched.look());
        assert_eq!(*held.lock().expect("no panic"), "second");
    }
}
