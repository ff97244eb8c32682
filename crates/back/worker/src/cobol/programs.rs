//! The programs that a worker has loaded: one instance of each, and more of programs that link to themselves
//! in a ring.

use std::collections::HashSet;
use std::ffi::CString;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use wire::programs::is_program_name;
use wire::programs::program_text;
use wire::{COMMAREA_MAX_BYTES, COMMAREAS_FILE, TEMPLATES_FOLDER, name};

use crate::cobol::address_map::AddressMap;
use crate::cobol::libcob::{Entry, Libcob};
use crate::door::Door;

/// The most bytes of a DFHCOMMAREA that there is room for: a worker has this memory once.
const COMMAREA_ROOM_MAX_BYTES: usize = 1 << 20;

/// A program that may be called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instance {
    pub(crate) entry: Entry,
    /// False for a copy, which libcob does not know by its name.
    pub(crate) first: bool,
    /// The bytes of the program's own DFHCOMMAREA; the most that there can be if nobody knows.
    pub(crate) commarea_bytes: usize,
}

/// Why a program cannot be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// No file has that name.
    File,
    /// The file cannot be loaded.
    Load(String),
}

/// All loaded programs.
#[derive(Debug)]
pub(crate) struct Programs {
    folder: PathBuf,
    /// By their names as numbers.
    loaded: AddressMap<u64, Vec<Instance>>,
    /// Names that CALL may reach besides programs.
    callable: Vec<String>,
    /// Names that were found to be callable.
    called: HashSet<Vec<u8>>,
    /// The bytes of each program's own DFHCOMMAREA, by its name as a number.
    commareas: AddressMap<u64, usize>,
    /// The most of these.
    commarea_max_bytes: usize,
}

impl Programs {
    /// The programs `NAME.so` of a folder; none is loaded before it is called.
    pub(crate) fn new(folder: PathBuf, callable: Vec<String>) -> Self {
        let commareas = std::fs::read_to_string(folder.join(COMMAREAS_FILE)).unwrap_or_default();
        let commareas: AddressMap<u64, usize> = commareas.lines().filter_map(commarea).collect();
        let known = commareas.values().copied().max().unwrap_or(0);
        let commarea_max_bytes =
            if all_are_known(&folder, &commareas) { known } else { known.max(COMMAREA_MAX_BYTES) };
        Self {
            folder,
            loaded: AddressMap::default(),
            callable,
            called: HashSet::new(),
            commareas,
            commarea_max_bytes,
        }
    }

    /// The bytes of the longest DFHCOMMAREA that a program has.
    pub(crate) fn commarea_max_bytes(&self) -> usize {
        self.commarea_max_bytes
    }

    /// A template of documents, by its name.
    pub(crate) fn template(&self, name: &[u8]) -> Option<Vec<u8>> {
        let name = std::str::from_utf8(name).ok()?;
        let is_file = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0']);
        if !is_file {
            return None;
        }
        std::fs::read(self.folder.join(TEMPLATES_FOLDER).join(name)).ok()
    }

    /// True if a CALL may reach the name: the program exists, or the name is listed.
    pub(crate) fn may_be_called(&mut self, name: &[u8]) -> bool {
        if self.called.contains(name) {
            return true;
        }
        let may = self.callable.iter().any(|listed| listed.as_bytes() == name) || self.is_program(name);
        if may {
            self.called.insert(name.to_vec());
        }
        may
    }

    /// A program that CALLs another one has a longer name than LINK can say.
    fn is_program(&self, name: &[u8]) -> bool {
        let Ok(name) = std::str::from_utf8(name) else { return false };
        !name.is_empty()
            && is_program_name(name.as_bytes())
            && [name.to_owned(), name.to_ascii_uppercase()]
                .iter()
                .any(|name| self.folder.join(format!("{name}.so")).exists())
    }

    /// An instance of a program that does not run yet. The first is loaded from the programs' folder, others
    /// come from the region.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn instance(
        &mut self,
        name: [u8; 8],
        (libcob, door): (&Libcob, &mut Door),
        runs: impl Fn(Entry) -> bool,
    ) -> Result<Instance, Missing> {
        let key = u64::from_ne_bytes(name);
        if let Some(free) = self.loaded.get(&key).and_then(|all| all.iter().find(|one| !runs(one.entry))) {
            return Ok(*free);
        }
        let text = program_text(&name).ok_or(Missing::File)?;
        let file = self.folder.join(format!("{text}.so"));
        let symbol = CString::new(symbol(text)).map_err(|_| Missing::File)?;
        let instances = self.loaded.entry(key).or_default();
        let first = instances.is_empty();
        let entry = if first {
            if !file.exists() {
                self.loaded.remove(&key);
                return Err(Missing::File);
            }
            libcob.program(&file, &symbol)
        } else {
            door.copy_of(name).and_then(|copy| {
                let path = format!("/proc/self/fd/{}", copy.as_raw_fd());
                // The descriptor stays open, because another copy must not get its number: the loader
                // identifies files by their path.
                std::mem::forget(copy);
                libcob.program(Path::new(&path), &symbol)
            })
        }
        .map_err(Missing::Load)?;
        let commarea_bytes = self.commareas.get(&key).copied().unwrap_or(COMMAREA_MAX_BYTES);
        let instance = Instance { entry, first, commarea_bytes };
        self.loaded.entry(key).or_default().push(instance);
        Ok(instance)
    }
}

/// True if the commareas of all programs in a folder are known: not that of a shared object which was there ready-made.
fn all_are_known(folder: &Path, commareas: &AddressMap<u64, usize>) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().all(|entry| {
        let file = entry.file_name();
        let program = file.to_str().and_then(|file| file.strip_suffix(".so"));
        program.is_none_or(|program| commareas.contains_key(&u64::from_ne_bytes(name(program))))
    })
}

/// A line `NAME BYTES` of [`COMMAREAS_FILE`].
fn commarea(line: &str) -> Option<(u64, usize)> {
    let (program, bytes) = line.split_once(' ')?;
    let bytes: usize = bytes.parse().ok()?;
    Some((u64::from_ne_bytes(name(program)), bytes.min(COMMAREA_ROOM_MAX_BYTES)))
}

/// The name of a program's function, as cobc makes it: a digit in front gets an underscore, a hyphen becomes two, and
/// other characters their hexadecimal code.
fn symbol(name: &str) -> String {
    let mut symbol = String::new();
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        symbol.push('_');
    }
    for byte in name.bytes() {
        match byte {
            b'-' => symbol.push_str("__"),
            b'_' => symbol.push('_'),
            byte if byte.is_ascii_alphanumeric() => symbol.push(char::from(byte)),
            byte => symbol.push_str(&format!("_{byte:02X}")),
        }
    }
    symbol
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_symbols_as_cobc_makes_them() {
        assert_eq!(commarea("PAY 90"), Some((u64::from_ne_bytes(*b"PAY     "), 90)));
        assert_eq!(commarea("PAY"), None);
        let most = commarea("BIG 99999999").map(|(_, bytes)| bytes);
        assert_eq!(most, Some(COMMAREA_ROOM_MAX_BYTES));
        assert_eq!(symbol("CABASIC"), "CABASIC");
        assert_eq!(symbol("1ST-PGM"), "_1ST__PGM");
    }
}
