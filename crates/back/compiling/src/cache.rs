//! Keeps compiled programs outside of the configuration, each under a digest of its sources. Each set of
//! programs has a folder of links for the workers.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, Permissions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use settings::user_folder;
use wire::{COMMAREAS_FILE, TEMPLATES_FOLDER};

/// Only the gateway's user may read the cache, and above all write to it, because its contents are run.
const MODE: u32 = 0o700;

/// Workers may run as another user. They start in the folder of a set, and read its files.
const SET_MODE: u32 = 0o755;
const OBJECT_MODE: u32 = 0o644;

/// The cache.
#[derive(Debug)]
pub struct Cache {
    objects: PathBuf,
    sets: PathBuf,
}

impl Cache {
    /// Opens the cache of a folder, or that of the user.
    ///
    /// # Errors
    /// The folder cannot be made, or somebody else may write to it: the reason for people.
    pub fn open(folder: Option<&Path>) -> Result<Self, String> {
        let folder = match folder {
            Some(folder) => folder.to_owned(),
            None => users_folder().ok_or("needs 'cache', a folder for compiled programs: HOME is not set")?,
        };
        let cache = Self { objects: folder.join("objects"), sets: folder.join("sets") };
        for part in [&cache.objects, &cache.sets] {
            let made = DirBuilder::new().recursive(true).mode(MODE).create(part);
            made.map_err(|error| format!("cache {}: {error}", part.display()))?;
        }
        let shown = || folder.display();
        let found = fs::metadata(&folder).map_err(|error| format!("cache {}: {error}", shown()))?;
        let ours = found.uid() == rustix::process::geteuid().as_raw();
        if !ours || found.mode() & 0o022 != 0 {
            return Err(format!("cache {}: expected a folder that only this user may write to", shown()));
        }
        Ok(cache)
    }

    /// Where the object is, or will be, that is made of these.
    pub(crate) fn object(&self, parts: &[&str]) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        parts.hash(&mut hasher);
        self.objects.join(format!("{:016x}.so", hasher.finish()))
    }

    /// Keeps an object that somebody else made.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn keep(&self, bytes: &[u8]) -> Result<PathBuf, String> {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let file = self.objects.join(format!("{:016x}-taken.so", hasher.finish()));
        if !file.exists() {
            let written = fs::write(self.beside(&file), bytes);
            written
                .and_then(|()| fs::rename(self.beside(&file), &file))
                .map_err(|error| describe(&file, &error))?;
        }
        Ok(file)
    }

    /// A file beside another one. It is renamed to the other when it is complete.
    pub(crate) fn beside(&self, file: &Path) -> PathBuf {
        file.with_extension(format!("{}.part", std::process::id()))
    }

    /// A folder with these programs under their names, what is known of their commareas, and templates of documents.
    ///
    /// # Errors
    /// It cannot be made.
    pub(crate) fn set(
        &self,
        programs: &BTreeMap<String, PathBuf>,
        commareas: &BTreeMap<String, usize>,
        templates: &BTreeMap<String, Vec<u8>>,
    ) -> Result<PathBuf, String> {
        let mut hasher = DefaultHasher::new();
        (programs, commareas).hash(&mut hasher);
        // A configuration without templates has the folder that it had before there were any.
        if !templates.is_empty() {
            templates.hash(&mut hasher);
        }
        let folder = self.sets.join(format!("{:016x}", hasher.finish()));
        let make = || -> io::Result<()> {
            DirBuilder::new().recursive(true).create(&folder)?;
            // Whatever the process takes away from modes.
            fs::set_permissions(&folder, Permissions::from_mode(SET_MODE))?;
            for (name, object) in programs {
                fs::set_permissions(object, Permissions::from_mode(OBJECT_MODE))?;
                let link = folder.join(format!("{name}.so"));
                if !link.exists() {
                    fs::hard_link(object, link)?;
                }
            }
            if !templates.is_empty() {
                self.write_templates(&folder.join(TEMPLATES_FOLDER), templates)?;
            }
            let lines: String = commareas.iter().map(|(name, bytes)| format!("{name} {bytes}\n")).collect();
            let file = folder.join(COMMAREAS_FILE);
            fs::write(self.beside(&file), lines)?;
            fs::rename(self.beside(&file), &file)?;
            fs::set_permissions(&file, Permissions::from_mode(OBJECT_MODE))
        };
        make().map_err(|error| describe(&folder, &error))?;
        Ok(folder)
    }
}

impl Cache {
    fn write_templates(&self, folder: &Path, templates: &BTreeMap<String, Vec<u8>>) -> io::Result<()> {
        DirBuilder::new().recursive(true).create(folder)?;
        fs::set_permissions(folder, Permissions::from_mode(SET_MODE))?;
        for (name, bytes) in templates {
            let file = folder.join(name);
            // Not with another ending: a name may have points.
            let beside = folder.join(format!(".{}.part", std::process::id()));
            fs::write(&beside, bytes)?;
            fs::set_permissions(&beside, Permissions::from_mode(OBJECT_MODE))?;
            fs::rename(beside, file)?;
        }
        Ok(())
    }
}

fn describe(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}

fn users_folder() -> Option<PathBuf> {
    Some(user_folder("XDG_CACHE_HOME", ".cache")?.join("gantry/programs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_their_programs_under_their_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::open(Some(folder.path())).expect("a cache");
        let one = cache.keep(b"one").expect("an object");
        assert_eq!(cache.keep(b"one").expect("the same"), one);
        let programs = BTreeMap::from([("ONE".to_owned(), one)]);
        let (none, no_templates) = (BTreeMap::new(), BTreeMap::new());
        let set = cache.set(&programs, &none, &no_templates).expect("a set");
        assert_eq!(fs::read(set.join("ONE.so")).expect("the program"), b"one");
        assert_eq!(cache.set(&programs, &none, &no_templates), Ok(set.clone()));
        let other = BTreeMap::from([("ONE".to_owned(), cache.keep(b"two").expect("an object"))]);
        assert_ne!(cache.set(&other, &none, &no_templates), Ok(set.clone()));
        let known =
            cache.set(&programs, &BTreeMap::from([("ONE".to_owned(), 90)]), &no_templates).expect("a set");
        assert_ne!(known, set);
        assert_eq!(fs::read_to_string(known.join(COMMAREAS_FILE)).expect("the file"), "ONE 90\n");
        let templates = BTreeMap::from([("a.b".to_owned(), b"text".to_vec())]);
        let with_templates = cache.set(&programs, &none, &templates).expect("a set");
        assert_ne!(with_templates, set);
        let template = with_templates.join(TEMPLATES_FOLDER).join("a.b");
        assert_eq!(fs::read(template).expect("the template"), b"text");
        assert_ne!(cache.object(&["a", "b"]), cache.object(&["ab", ""]));
    }

    #[test]
    fn a_folder_of_everybody_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("permissions");
        assert!(Cache::open(Some(folder.path())).is_err_and(|message| message.contains("only this user")));
    }
}
