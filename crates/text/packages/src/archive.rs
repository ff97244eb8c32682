//! Zip archives and folders as trees of files in memory. Everything hostile is refused before anything is
//! read.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};
use std::rc::Rc;

use zip::{CompressionMethod, ZipArchive};

use crate::fault::{Fault, FaultKind};
use crate::limits::{Limits, RATIO_FREE_BYTES};

/// Files by their paths: relative, with forward slashes, without `.` and `..`.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    files: BTreeMap<String, Vec<u8>>,
    /// The paths of archives among the entries, which are not unpacked.
    archives: BTreeSet<String>,
    /// The path to this tree in the tree that it is part of: empty, or with a slash at its end.
    prefix: String,
    /// The paths of files that were read, in the whole tree.
    read: Rc<RefCell<BTreeSet<String>>>,
}

/// The first bytes of a zip archive, and of one without entries.
const ZIP_STARTS: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// True if the bytes are meant as a zip archive.
#[must_use]
pub fn is_archive(bytes: &[u8]) -> bool {
    ZIP_STARTS.iter().any(|start| bytes.starts_with(start))
}

/// The files of an archive by their paths, for callers that look for one of them. Archives inside are not
/// unpacked.
///
/// # Errors
/// The archive is damaged, unsafe or beyond the limits.
pub fn entries(bytes: &[u8], limits: &Limits) -> Result<BTreeMap<String, Vec<u8>>, Vec<Fault>> {
    Tree::unpack(bytes, limits).map(|tree| tree.files)
}

impl Tree {
    /// Unpacks an archive.
    pub(crate) fn unpack(bytes: &[u8], limits: &Limits) -> Result<Self, Vec<Fault>> {
        check_size("package_max_bytes", bytes.len(), limits.package_max_bytes)
            .map_err(|fault| vec![fault])?;
        let damaged = |error: &dyn std::fmt::Display| {
            vec![Fault::new(FaultKind::Archive, "", format!("the archive is cut off or damaged: {error}"))]
        };
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
        check_size("entry_count_max", archive.len(), limits.entry_count_max).map_err(|fault| vec![fault])?;
        if archive.has_duplicate_names() {
            return Err(vec![Fault::new(FaultKind::Unsafe, "", "two entries have the same name")]);
        }
        if archive.has_overlapping_entries().map_err(|error| damaged(&error))? {
            let message = "entries share bytes of the archive, as in a zip bomb";
            return Err(vec![Fault::new(FaultKind::Archive, "", message)]);
        }
        let mut tree = Self::default();
        let mut faults = Vec::new();
        let mut unpacked = 0;
        for index in 0..archive.len() {
            match entry(&mut archive, index, limits, unpacked) {
                Ok(Some((path, content))) if is_archive(&content) => {
                    unpacked += content.len();
                    tree.archives.insert(path);
                }
                Ok(Some((path, content))) => {
                    unpacked += content.len();
                    if let Err(fault) = tree.add(path, content) {
                        faults.push(fault);
                    }
                }
                Ok(None) => {}
                // After the limit of all entries, nothing more is unpacked.
                Err(fault) if fault.kind == FaultKind::Limit => return Err(vec![fault]),
                Err(fault) => faults.push(fault),
            }
        }
        if faults.is_empty() { Ok(tree) } else { Err(faults) }
    }

    /// Takes the files of a folder.
    pub(crate) fn of_files(files: &[(String, Vec<u8>)], limits: &Limits) -> Result<Self, Vec<Fault>> {
        let total = files.iter().map(|(_, bytes)| bytes.len()).sum();
        check_size("package_max_bytes", total, limits.package_max_bytes).map_err(|fault| vec![fault])?;
        check_size("entry_count_max", files.len(), limits.entry_count_max).map_err(|fault| vec![fault])?;
        let mut tree = Self::default();
        let mut faults = Vec::new();
        for (name, bytes) in files {
            let added = safe_path(name, limits).and_then(|path| {
                limit("entry_max_bytes", bytes.len(), limits.entry_max_bytes, name)?;
                if is_archive(bytes) {
                    tree.archives.insert(path);
                    return Ok(());
                }
                tree.add(path, bytes.clone())
            });
            faults.extend(added.err());
        }
        if faults.is_empty() { Ok(tree) } else { Err(faults) }
    }

    fn add(&mut self, path: String, content: Vec<u8>) -> Result<(), Fault> {
        if self.files.contains_key(&path) {
            return Err(Fault::new(FaultKind::Unsafe, &path, "two entries have this name"));
        }
        self.files.insert(path, content);
        Ok(())
    }

    /// The paths of all files, sorted.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// True if the file exists.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// The content of a file.
    pub(crate) fn bytes(&self, path: &str) -> Result<&[u8], Fault> {
        self.read.borrow_mut().insert(format!("{}{path}", self.prefix));
        self.files.get(path).map(Vec::as_slice).ok_or_else(|| match self.archives.contains(path) {
            true => Fault::new(FaultKind::Content, path, "the entry is an archive itself"),
            false => Fault::new(FaultKind::Content, path, "the package does not have this file"),
        })
    }

    /// The text of a file. It is UTF-8, perhaps with a byte order mark.
    pub(crate) fn text(&self, path: &str) -> Result<&str, Fault> {
        let bytes = self.bytes(path)?;
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let message = format!("byte {} is not UTF-8", error.valid_up_to());
            Fault::new(FaultKind::Syntax, path, message)
        })?;
        Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
    }

    /// The part of the tree below a folder, with paths relative to it.
    pub(crate) fn below(&self, folder: &str) -> Self {
        let inside = |path: &str| path.strip_prefix(folder)?.strip_prefix('/').map(str::to_owned);
        let files = self.files.iter().filter_map(|(path, bytes)| Some((inside(path)?, bytes.clone())));
        let prefix = format!("{}{folder}/", self.prefix);
        let archives = self.archives.iter().filter_map(|path| inside(path));
        Self { files: files.collect(), archives: archives.collect(), prefix, read: Rc::clone(&self.read) }
    }

    /// The paths of archives among the entries, sorted.
    pub(crate) fn archives(&self) -> impl Iterator<Item = &str> {
        self.archives.iter().map(String::as_str)
    }

    /// The folder with all files, if there is one.
    pub(crate) fn only_folder(&self) -> Option<String> {
        let mut folders =
            self.paths().chain(self.archives()).map(|path| path.split_once('/').map(|(folder, _)| folder));
        let first = folders.next()??;
        folders.all(|folder| folder == Some(first)).then(|| first.to_owned())
    }

    /// The paths of files that were not read so far.
    pub(crate) fn unread(&self) -> Vec<&str> {
        let read = self.read.borrow();
        self.paths().filter(|path| !read.contains(&format!("{}{path}", self.prefix))).collect()
    }
}

/// One entry's path and content; none for a folder.
fn entry(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    index: usize,
    limits: &Limits,
    unpacked: usize,
) -> Result<Option<(String, Vec<u8>)>, Fault> {
    let damaged = |name: &str, error: &dyn std::fmt::Display| {
        Fault::new(FaultKind::Archive, name, format!("the entry cannot be read: {error}"))
    };
    {
        // This check comes before the entry is opened, because an encrypted one fails there with another
        // message.
        let data = archive.by_index_data(index).map_err(|error| damaged("", &error))?;
        let shown = String::from_utf8_lossy(data.name_raw()).into_owned();
        limit("entry_name_max_bytes", shown.len(), limits.entry_name_max_bytes, "")?;
        if data.encrypted() {
            return Err(Fault::new(FaultKind::Archive, &shown, "the entry is encrypted"));
        }
        if data.is_symlink() {
            return Err(Fault::new(FaultKind::Unsafe, &shown, "the entry is a symbolic link"));
        }
        if !matches!(data.compression(), CompressionMethod::Stored | CompressionMethod::Deflated) {
            let message = format!("the entry is packed by {:?}; only deflate is known", data.compression());
            return Err(Fault::new(FaultKind::Archive, &shown, message));
        }
    }
    let mut file = archive.by_index(index).map_err(|error| damaged("", &error))?;
    let name = match std::str::from_utf8(file.name_raw()) {
        Ok(name) => name.to_owned(),
        Err(_) => {
            let shown = String::from_utf8_lossy(file.name_raw()).into_owned();
            return Err(Fault::new(FaultKind::Unsafe, &shown, "the entry's name is not UTF-8"));
        }
    };
    let path = safe_path(name.trim_end_matches(['/', '\\']), limits)?;
    if name.ends_with(['/', '\\']) || file.is_dir() {
        return Ok(None);
    }
    let packed = usize::try_from(file.compressed_size()).unwrap_or(usize::MAX);
    let by_ratio = packed.saturating_mul(limits.unpacked_ratio_max).max(RATIO_FREE_BYTES);
    let rest = limits.unpacked_max_bytes.saturating_sub(unpacked);
    let most = limits.entry_max_bytes.min(by_ratio).min(rest);
    let mut content = Vec::new();
    // The size in the archive is not trusted.
    file.by_ref().take(most as u64 + 1).read_to_end(&mut content).map_err(|error| damaged(&path, &error))?;
    limit("entry_max_bytes", content.len(), limits.entry_max_bytes, &path)?;
    limit("unpacked_max_bytes", content.len(), rest, &path)?;
    if content.len() > by_ratio {
        let ratio = limits.unpacked_ratio_max;
        let message = format!("unpacks to more than {ratio} times its packed size (unpacked_ratio_max)");
        return Err(Fault::new(FaultKind::Limit, &path, message));
    }
    Ok(Some((path, content)))
}

/// The path of an entry's name. Older tools for Windows write backslashes.
fn safe_path(name: &str, limits: &Limits) -> Result<String, Fault> {
    limit("entry_name_max_bytes", name.len(), limits.entry_name_max_bytes, "")?;
    let path = name.replace('\\', "/");
    let wrong = |why: &str| Err(Fault::new(FaultKind::Unsafe, name, format!("the name {why}")));
    if path.is_empty() {
        return wrong("is empty");
    }
    if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
        return wrong("is absolute");
    }
    if path.chars().any(char::is_control) {
        return wrong("has control characters");
    }
    if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return wrong("has an empty part, '.' or '..'");
    }
    Ok(path)
}

fn check_size(name: &str, found: usize, most: usize) -> Result<(), Fault> {
    limit(name, found, most, "")
}

/// Refuses a number above a limit, with the limit's name.
pub(crate) fn limit(name: &str, found: usize, most: usize, file: &str) -> Result<(), Fault> {
    if found <= most {
        return Ok(());
    }
    Err(Fault::new(FaultKind::Limit, file, format!("more than {most} ({name})")))
}
