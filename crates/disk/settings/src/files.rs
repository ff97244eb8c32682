//! The source of a configuration's files: a folder, or an example that is built into the program.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use codepage::{CodePage, Family};

/// How deep folders of a configuration may nest, links followed.
pub const FOLDER_DEPTH_MAX: usize = 16;

/// A tree of text files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Files {
    /// On disk.
    Folder(Folder),
    /// An example: its name, and the bytes of its files by path.
    Example(String, Arc<BTreeMap<String, Vec<u8>>>),
    /// A folder or an example, together with the files that packages in it stand for.
    Packaged {
        /// The files beside the packages.
        base: Box<Files>,
        /// The texts of the packages' files by path, each with its package.
        texts: Arc<BTreeMap<String, (String, String)>>,
    },
}

/// A folder on disk, and a record of the paths that were read. Clones share the record.
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
    read: Arc<Mutex<BTreeSet<String>>>,
}

impl PartialEq for Folder {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root
    }
}

impl Eq for Folder {}

impl Folder {
    /// The path of a folder whose entries are read; empty for the folder itself.
    fn lists(&self, folder: &str) -> PathBuf {
        self.reads(&format!("{}/", if folder.is_empty() { "." } else { folder }))
    }

    /// The path of a file that is read.
    fn reads(&self, path: &str) -> PathBuf {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if !read.contains(path) {
            read.insert(path.to_owned());
        }
        self.root.join(path)
    }
}

impl Files {
    /// The files of a folder on disk.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Files::Folder(Folder { root: root.into(), read: Arc::default() })
    }

    /// The paths of the files on disk that were read, or searched for, since these files were opened. Folders
    /// whose entries were read have a slash at their end.
    #[must_use]
    pub fn read_so_far(&self) -> BTreeSet<String> {
        match self {
            Files::Folder(folder) => folder.read.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            Files::Packaged { base, .. } => base.read_so_far(),
            Files::Example(..) => BTreeSet::new(),
        }
    }

    /// The text of a file; the path is relative and has forward slashes.
    ///
    /// # Errors
    /// The file is not there, cannot be read, or is not UTF-8.
    pub fn read(&self, path: &str) -> io::Result<String> {
        match self {
            Files::Folder(_) | Files::Example(..) => {
                String::from_utf8(self.read_bytes(path)?).map_err(|error| {
                    let at = error.utf8_error().valid_up_to();
                    let found = error.as_bytes().get(at).copied().unwrap_or_default();
                    let message = match error.as_bytes() {
                        [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] => {
                            "expected UTF-8, found UTF-16: save the file as UTF-8".to_owned()
                        }
                        _ => format!("expected UTF-8, found the byte {found:02X} at offset {at}"),
                    };
                    io::Error::new(io::ErrorKind::InvalidData, message)
                })
            }
            Files::Packaged { base, texts } => match texts.get(path) {
                Some((text, _)) => Ok(text.clone()),
                None => base.read(path),
            },
        }
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// The file is not there, or cannot be read.
    pub fn read_bytes(&self, path: &str) -> io::Result<Vec<u8>> {
        match self {
            Files::Folder(folder) => std::fs::read(folder.reads(path)),
            Files::Packaged { base, texts } => match texts.get(path) {
                Some((text, _)) => Ok(text.clone().into_bytes()),
                None => base.read_bytes(path),
            },
            Files::Example(_, files) => {
                let missing = || io::Error::new(io::ErrorKind::NotFound, "not in the example");
                files.get(path).cloned().ok_or_else(missing)
            }
        }
    }

    /// The text of a COBOL source: UTF-8, or else in a code page.
    ///
    /// # Errors
    /// The file is not there, or cannot be read.
    pub fn read_source(&self, path: &str, page: &CodePage) -> io::Result<String> {
        match self {
            Files::Folder(folder) => Ok(source_text(std::fs::read(folder.reads(path))?, page)),
            Files::Packaged { base, texts } if !texts.contains_key(path) => base.read_source(path, page),
            Files::Example(..) => Ok(source_text(self.read_bytes(path)?, page)),
            Files::Packaged { .. } => self.read(path),
        }
    }

    /// The bytes of a file, counted without reading it.
    ///
    /// # Errors
    /// The file is not there, or is not a regular file.
    pub fn size(&self, path: &str) -> io::Result<u64> {
        match self {
            Files::Folder(folder) => {
                let found = std::fs::metadata(folder.reads(path))?;
                let irregular = || io::Error::other("expected a regular file");
                if found.is_file() { Ok(found.len()) } else { Err(irregular()) }
            }
            Files::Packaged { base, texts } => match texts.get(path) {
                Some((text, _)) => Ok(text.len() as u64),
                None => base.size(path),
            },
            Files::Example(..) => Ok(self.read_bytes(path)?.len() as u64),
        }
    }

    /// True if the file lies below the folder when all links on the way are followed. The folder itself may be a link.
    pub fn lies_below(&self, folder: &str, path: &str) -> bool {
        match self {
            Files::Folder(Folder { root, .. }) => {
                let inside = || {
                    Ok::<_, io::Error>(
                        root.join(path).canonicalize()?.starts_with(root.join(folder).canonicalize()?),
                    )
                };
                inside().unwrap_or(false)
            }
            Files::Packaged { base, texts } => texts.contains_key(path) || base.lies_below(folder, path),
            Files::Example(..) => true,
        }
    }

    /// The entries of a folder, sorted; a folder that is not there has none.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let mut names: Vec<String> = match self {
            Files::Folder(on_disk) => match std::fs::read_dir(on_disk.lists(folder)) {
                Ok(entries) => entries
                    .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()))
                    .collect::<io::Result<_>>()?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
                Err(error) => return Err(error),
            },
            Files::Example(_, files) => entries_below(folder, files.keys()),
            Files::Packaged { base, texts } => {
                let mut names = base.list(folder)?;
                names.extend(entries_below(folder, texts.keys()));
                names
            }
        };
        names.retain(|name| !name.starts_with('.'));
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// The paths of all files below a folder, sorted by folder; a folder that is not there has none.
    ///
    /// # Errors
    /// A folder cannot be read, or folders are nested deeper than [`FOLDER_DEPTH_MAX`].
    pub fn tree(&self, folder: &str) -> io::Result<Vec<String>> {
        let mut paths = Vec::new();
        self.gather(folder, 0, &mut paths)?;
        Ok(paths)
    }

    fn gather(&self, folder: &str, depth: usize, paths: &mut Vec<String>) -> io::Result<()> {
        if depth > FOLDER_DEPTH_MAX {
            let message = format!("folders are nested deeper than {FOLDER_DEPTH_MAX}");
            return Err(io::Error::other(message));
        }
        for name in self.list(folder)? {
            let path = format!("{folder}/{name}");
            if self.is_folder(&path) {
                self.gather(&path, depth + 1, paths)?;
            } else {
                paths.push(path);
            }
        }
        Ok(())
    }

    /// True if it is a folder.
    pub fn is_folder(&self, path: &str) -> bool {
        match self {
            Files::Folder(Folder { root, .. }) => root.join(path).is_dir(),
            Files::Example(_, files) => {
                let prefix = format!("{path}/");
                files.keys().any(|path| path.starts_with(&prefix))
            }
            Files::Packaged { base, texts } => {
                let prefix = format!("{path}/");
                texts.keys().any(|path| path.starts_with(&prefix)) || base.is_folder(path)
            }
        }
    }

    /// The path in the form that is shown to people.
    pub fn display(&self, path: &str) -> String {
        match self {
            Files::Folder(Folder { root, .. }) if root == Path::new(".") => path.to_owned(),
            Files::Folder(Folder { root, .. }) => root.join(path).display().to_string(),
            Files::Example(name, _) => format!("examples/{name}/{path}"),
            Files::Packaged { base, texts } => match texts.get(path) {
                Some((_, package)) => format!("{}!{path}", base.display(package)),
                None => base.display(path),
            },
        }
    }

    /// True if the file is from a package.
    pub fn is_packaged(&self, path: &str) -> bool {
        self.package_of(path).is_some()
    }

    /// The package or bind file that a file is from, as a path in the configuration.
    pub fn package_of(&self, path: &str) -> Option<&str> {
        match self {
            Files::Packaged { texts, .. } => texts.get(path).map(|(_, package)| package.as_str()),
            Files::Folder(..) | Files::Example(..) => None,
        }
    }

    /// The folder on disk, if the source is a folder.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Files::Folder(Folder { root, .. }) => Some(root),
            Files::Packaged { base, .. } => base.folder(),
            Files::Example(..) => None,
        }
    }

    /// The path on disk, for files that must be there (certificates).
    pub fn on_disk(&self, path: &str) -> Option<PathBuf> {
        match self {
            Files::Folder(folder) => Some(folder.reads(path)),
            Files::Packaged { base, .. } => base.on_disk(path),
            Files::Example(..) => None,
        }
    }
}

/// The names directly in a folder, of the files with these paths.
fn entries_below<'p>(folder: &str, paths: impl Iterator<Item = &'p String>) -> Vec<String> {
    let prefix = format!("{folder}/");
    let below = paths.filter_map(|path| path.strip_prefix(&prefix));
    below.filter_map(|rest| rest.split('/').next().map(str::to_owned)).collect()
}

/// The text of a COBOL source. It is UTF-8 if all bytes fit. Text in UTF-16 and text that can only be EBCDIC are known by
/// their bytes. Else each byte is a character of the page, so that columns keep their places. A byte without a character
/// becomes U+FFFD.
pub fn source_text(bytes: Vec<u8>, page: &CodePage) -> String {
    if let Some(text) = utf16_text(&bytes) {
        return text;
    }
    if page.family() == Family::Ebcdic {
        return ebcdic_text(&bytes, page);
    }
    if let Some(page) = CodePage::by_ccsid(EBCDIC_CCSID).filter(|_| is_ebcdic(&bytes)) {
        return ebcdic_text(&bytes, page);
    }
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let bytes = error.as_bytes();
        let mut text = String::with_capacity(bytes.len() * 2);
        for byte in bytes {
            if page.decode(&[*byte], &mut text).is_err() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        text
    })
}

/// The page of sources that are EBCDIC and whose page nobody names. Letters, digits and COBOL's own characters have the
/// same bytes in all of these pages.
const EBCDIC_CCSID: u16 = 37;
/// The blank of EBCDIC, which is `@` in ASCII, and the blank of ASCII, which no text in EBCDIC has.
const BLANKS: (u8, u8) = (0x40, 0x20);
/// Text counts as EBCDIC if at least one of 16 bytes is a blank.
const BYTES_FOR_A_BLANK: usize = 16;

/// True if the bytes make sense in EBCDIC alone.
fn is_ebcdic(bytes: &[u8]) -> bool {
    let (ebcdic, ascii) = BLANKS;
    let blanks = bytes.iter().filter(|byte| **byte == ebcdic).count();
    blanks > 0
        && blanks * BYTES_FOR_A_BLANK >= bytes.len()
        && !bytes.contains(&ascii)
        && std::str::from_utf8(bytes).is_err()
}

/// The text of a source in UTF-16: it begins with a byte order mark, or every character has a byte 00.
fn utf16_text(bytes: &[u8]) -> Option<String> {
    let is_zero = |byte: &u8| *byte == 0;
    let zeros = |first: usize| bytes.iter().skip(first).step_by(2).all(is_zero);
    let (is_big, skipped) = match bytes {
        [0xFE, 0xFF, ..] => (true, 2),
        [0xFF, 0xFE, ..] => (false, 2),
        [0, second, ..] if *second != 0 && zeros(0) => (true, 0),
        [first, 0, ..] if *first != 0 && zeros(1) => (false, 0),
        _ => return None,
    };
    let (units, rest) = bytes[skipped..].as_chunks::<2>();
    let unit = |unit: &[u8; 2]| if is_big { u16::from_be_bytes(*unit) } else { u16::from_le_bytes(*unit) };
    let characters = char::decode_utf16(units.iter().map(unit));
    let mut text: String =
        characters.map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    Some(text)
}

/// The length of a line of source without line ends: that of a card, as in data sets.
const CARD_BYTES: usize = 80;
/// EBCDIC's new line and line feed.
const EBCDIC_LINE_ENDS: [u8; 2] = [0x15, 0x25];

/// The text of a source in EBCDIC.
fn ebcdic_text(bytes: &[u8], page: &CodePage) -> String {
    let has_ends = bytes.iter().any(|byte| EBCDIC_LINE_ENDS.contains(byte));
    let mut text = String::with_capacity(bytes.len() + bytes.len() / CARD_BYTES);
    for (at, byte) in bytes.iter().enumerate() {
        if !has_ends && at > 0 && at % CARD_BYTES == 0 {
            text.push('\n');
        }
        if EBCDIC_LINE_ENDS.contains(byte) {
            text.push('\n');
        } else if page.decode(&[*byte], &mut text).is_err() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    text
}

/// True for a relative path that stays below its folder.
pub fn is_safe(path: &str) -> bool {
    !path.is_empty()
        && !path.starts_with('/')
        && !path.contains('\\')
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// The path of a file from a folder above it, with `/`.
///
/// # Errors
/// One of them does not exist, or the file is not below the folder.
pub fn path_below(folder: &Path, file: &Path) -> Result<String, String> {
    let real = |path: &Path| path.canonicalize().map_err(|error| format!("{}: {error}", path.display()));
    let (above, below) = (real(folder)?, real(file)?);
    let path = below.strip_prefix(&above).ok().and_then(Path::to_str);
    path.map(str::to_owned).ok_or_else(|| format!("{} is not below {}", file.display(), folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_path_from_a_folder_above_it() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(folder.path().join("a/b")).expect("folders");
        std::fs::write(folder.path().join("a/b/c"), "").expect("a file");
        let below =
            |above: &str, file: &str| path_below(&folder.path().join(above), &folder.path().join(file));
        assert_eq!(below("", "a/b/c").as_deref(), Ok("a/b/c"));
        assert_eq!(below("a/b", "a/b/../b/c").as_deref(), Ok("c"));
        assert!(below("a/b", "a").is_err_and(|why| why.contains("is not below")));
        assert!(below("a", "a/x").is_err() && below("x", "a/b/c").is_err());
    }

    #[test]
    fn a_text_that_is_not_utf_8_is_told_by_its_byte() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("gantry.toml"), b"# caf\xE9\n").expect("a file");
        let error = Files::at(folder.path()).read("gantry.toml").expect_err("not UTF-8");
        assert_eq!(error.to_string(), "expected UTF-8, found the byte E9 at offset 5");
        std::fs::write(folder.path().join("gantry.toml"), b"\xFF\xFE#\0").expect("a file");
        let error = Files::at(folder.path()).read("gantry.toml").expect_err("not UTF-8");
        assert_eq!(error.to_string(), "expected UTF-8, found UTF-16: save the file as UTF-8");
    }

    #[test]
    fn sources_are_utf_8_or_in_their_page() {
        let read =
            |bytes: &[u8], ccsid| source_text(bytes.to_vec(), CodePage::by_ccsid(ccsid).expect("a page"));
        assert_eq!(read("é€".as_bytes(), 1252), "é€");
        assert_eq!(read(b"caf\xE9 \x80\x93", 1252), "café €\u{201c}");
        assert_eq!(read(b"caf\xE9 \x80", 819), "café \u{80}");
        assert_eq!(read(b"\xA3", 1250), "Ł");
        // A single byte that is not UTF-8 makes all bytes those of the page.
        assert_eq!(read(b"\xC3\xA9 \xE9", 1252), "Ã© é");
    }

    #[test]
    fn sources_in_utf_16_and_in_ebcdic_are_known_by_their_bytes() {
        let read = |bytes: Vec<u8>| source_text(bytes, CodePage::by_ccsid(1252).expect("a page"));
        let text = "       01  R.\n           05  Ä  PIC X.\n";
        let utf16 =
            |to_bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(to_bytes).collect::<Vec<u8>>();
        assert_eq!(read([b"\xFE\xFF".to_vec(), utf16(u16::to_be_bytes)].concat()), text);
        assert_eq!(read([b"\xFF\xFE".to_vec(), utf16(u16::to_le_bytes)].concat()), text);
        assert_eq!(read(utf16(u16::to_be_bytes)), text);
        assert_eq!(read(utf16(u16::to_le_bytes)), text);
        let half = [b"\xFE\xFF".to_vec(), utf16(u16::to_be_bytes), b"\0".to_vec()].concat();
        assert_eq!(read(half), format!("{text}\u{FFFD}"));

        let encoding = codepage::Encoding::by_ccsid(37).expect("a page");
        let ebcdic = |text: &str| {
            let mut bytes = Vec::new();
            encoding.encode(text, codepage::Unmappable::Error, &mut bytes).expect("all characters");
            bytes
        };
        let (first, second) = ("       01  R.", "           05  A PIC X.");
        for end in [0x15, 0x25] {
            assert_eq!(
                read([ebcdic(first), vec![end], ebcdic(second)].concat()),
                format!("{first}\n{second}")
            );
        }
        let cards = [ebcdic(&format!("{first:80}")), ebcdic(&format!("{second:80}"))].concat();
        assert_eq!(read(cards), format!("{first:80}\n{second:80}"));
        // Text in a page of ASCII has blanks.
        assert_eq!(read(b"01 @@@@ \xC1.".to_vec()), "01 @@@@ \u{C1}.");
    }

    #[test]
    fn entries_of_the_folder_itself_are_its_own() {
        let root = std::env::temp_dir().join(format!("settings-list-{}", std::process::id()));
        std::fs::create_dir_all(root.join("services")).expect("a folder");
        std::fs::write(root.join("gantry.toml"), "").expect("a file");
        std::fs::write(root.join("services/one.toml"), "").expect("a file");
        let files = Files::at(&root);
        assert_eq!(files.list("").expect("entries"), ["gantry.toml", "services"]);
        assert_eq!(files.list("services").expect("entries"), ["one.toml"]);
        assert_eq!(files.list("apis").expect("entries"), [""; 0]);
        std::fs::remove_dir_all(&root).expect("removed");
    }
}
