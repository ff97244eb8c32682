//! Watches a configuration for changes: its folders, and all other files that were read for it.
//!
//! All files in the configuration's own folders count, because new ones may belong to it. Another
//! file counts if the loader has read it or looked for it. So a log or a store beside them changes
//! nothing. The files of the store never count.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use settings::{FOLDER_DEPTH_MAX, Files, GANTRY_FILE};

use configuration::FOLDERS;

/// A number that changes with the name, the length or the time of a file of the configuration.
/// Unreadable files count, too, so a change is seen when they become readable.
pub(crate) fn fingerprint(files: &Files, store: &Path) -> u64 {
    of_known(files, store, files.read_so_far())
}

fn of_known(files: &Files, store: &Path, known: BTreeSet<String>) -> u64 {
    let mut hasher = DefaultHasher::new();
    if let Some(root) = files.folder() {
        let mut look = Look { store: file_name(store), folder: folder(store), hasher: &mut hasher };
        FOLDERS.iter().for_each(|name| look.folder(&root.join(name), 0));
        // Every configuration has this file.
        look.file(&root.join(GANTRY_FILE));
        for path in known {
            let own = path.split('/').next().is_some_and(|first| FOLDERS.contains(&first));
            let hidden = path.split('/').any(|part| part.starts_with('.') && part != "." && part != "..");
            match path.strip_suffix('/') {
                _ if own || hidden => {}
                // In the configuration's own folder, only subfolders were read.
                Some(".") => {}
                Some(folder) => look.names(&root.join(folder)),
                None => look.file(&root.join(path)),
            }
        }
    }
    hasher.finish()
}

/// Loads files. Gives their fingerprint; none if a file that counted before has changed meanwhile.
pub(crate) fn settled<T>(files: &Files, store: &Path, load: impl FnOnce() -> T) -> Option<u64> {
    let known = files.read_so_far();
    let before = of_known(files, store, known.clone());
    load();
    (of_known(files, store, known) == before).then(|| fingerprint(files, store))
}

/// The fingerprint of the files that count before anything was read.
pub(crate) fn of_folders(files: &Files) -> u64 {
    match files.folder() {
        Some(root) => fingerprint(&Files::at(root), Path::new("")),
        None => 0,
    }
}

struct Look<'h> {
    /// The name of the store. The names of its other files begin with it.
    store: Option<String>,
    folder: PathBuf,
    hasher: &'h mut DefaultHasher,
}

impl Look<'_> {
    /// The entries of a folder without hidden files and files of the store.
    fn entries(&self, folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).and_then(|entries| {
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()
        });
        let mut paths = entries.unwrap_or_default();
        let is_hidden =
            |path: &PathBuf| path.file_name().is_none_or(|name| name.as_encoded_bytes().starts_with(b"."));
        paths.retain(|path| !is_hidden(path) && !self.is_of_store(path));
        paths.sort_unstable();
        paths
    }

    /// Adds a folder. Only the names in it count, not the files' content.
    fn names(&mut self, folder: &Path) {
        self.entries(folder).hash(self.hasher);
    }

    fn folder(&mut self, folder: &Path, depth: usize) {
        for path in self.entries(folder) {
            // Links are followed, because mounted configurations are often folders of links.
            let is_folder = fs::metadata(&path).is_ok_and(|data| data.is_dir());
            self.file(&path);
            if is_folder && depth < FOLDER_DEPTH_MAX {
                self.folder(&path, depth + 1);
            }
        }
    }

    /// A folder's own time is left out, because it changes with files that do not count.
    fn file(&mut self, path: &Path) {
        path.hash(self.hasher);
        let Ok(data) = fs::metadata(path) else { return };
        if !data.is_dir() {
            (data.len(), data.modified().ok()).hash(self.hasher);
        }
    }

    fn is_of_store(&self, path: &Path) -> bool {
        let Some(store) = &self.store else { return false };
        path.parent() == Some(&self.folder) && file_name(path).is_some_and(|name| name.starts_with(store))
    }
}

fn file_name(path: &Path) -> Option<String> {
    path.file_name().map(|name| name.to_string_lossy().into_owned())
}

fn folder(path: &Path) -> PathBuf {
    path.parent().map(Path::to_owned).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_counts_and_what_is_written_beside_it_does_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let write = |name: &str, text: &str| fs::write(path(name), text).expect("a file");
        for name in ["services", "data", "keys", "endpoints"] {
            fs::create_dir(path(name)).expect("a folder");
        }
        let files = Files::at(folder.path());
        let store = path("services/all.store");
        let (text, _) = (files.read("gantry.toml"), files.read("keys/key.pem"));
        assert!(text.is_err() && files.list("").is_ok() && files.list("endpoints").is_ok());
        let mut before = fingerprint(&files, &store);
        let mut changed = || {
            let now = fingerprint(&files, &store);
            std::mem::replace(&mut before, now) != now
        };
        for (name, counts) in [
            ("gantry.toml", true),
            ("gantry.log", false),
            ("endpoints/one.toml", true),
            ("data/all.store", false),
            ("services/all.store", false),
            ("services/all.store.log1", false),
            ("services/one.toml", true),
            ("services/.one.toml.swp", false),
            ("keys/other.pem", false),
            ("keys/key.pem", true),
        ] {
            write(name, "one");
            assert_eq!(changed(), counts, "{name}");
            write(name, "longer");
            // Nobody has read its content.
            assert_eq!(changed(), counts && !name.starts_with("endpoints"), "{name}");
        }
        fs::remove_file(path("services/one.toml")).expect("it was there");
        assert!(changed());
        let settle = |load: &dyn Fn()| settled(&files, &store, load);
        assert_eq!(settle(&|| write("gantry.log", "more")), Some(before));
        assert_eq!(settle(&|| write("services/two.toml", "")), None);
    }
}
