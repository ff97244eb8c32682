//! The programs that a worker has loaded: one instance of each, and more of those that link to themselves in a ring.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::MemfdFlags;

use super::address_map::AddressMap;
use super::libcob::{Entry, Libcob};

/// A program that may be called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instance {
    pub(super) entry: Entry,
    /// False for a copy, which libcob does not know by its name.
    pub(super) first: bool,
}

/// Why there is no program to call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// No file has that name.
    File,
    /// The file cannot be loaded.
    Load(String),
}

/// All loaded programs.
#[derive(Debug)]
pub(super) struct Programs {
    folder: PathBuf,
    /// By their names as numbers.
    loaded: AddressMap<u64, Vec<Instance>>,
}

impl Programs {
    /// The programs `NAME.so` of a folder; none is loaded before it is called.
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, loaded: AddressMap::default() }
    }

    /// An instance of a program whose function is not among those that run.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn instance(
        &mut self,
        name: [u8; 8],
        libcob: &Libcob,
        runs: impl Fn(Entry) -> bool,
    ) -> Result<Instance, Missing> {
        let key = u64::from_ne_bytes(name);
        if let Some(free) = self.loaded.get(&key).and_then(|all| all.iter().find(|one| !runs(one.entry))) {
            return Ok(*free);
        }
        let text = text(&name).ok_or(Missing::File)?;
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
            copy(&file).map_err(|error| error.to_string()).and_then(|copy| {
                let path = format!("/proc/self/fd/{}", copy.as_raw_fd());
                // The number must not be given to another copy: the loader knows what it has loaded by its path too.
                std::mem::forget(copy);
                libcob.program(Path::new(&path), &symbol)
            })
        }
        .map_err(Missing::Load)?;
        let instance = Instance { entry, first };
        self.loaded.entry(key).or_default().push(instance);
        Ok(instance)
    }
}

/// A copy of a program in memory: another file to the loader, so that its storage is another too.
fn copy(file: &Path) -> io::Result<OwnedFd> {
    let bytes = std::fs::read(file)?;
    let copy = rustix::fs::memfd_create("gantry-program", MemfdFlags::CLOEXEC)?;
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let written = rustix::io::write(&copy, rest)?;
        rest = &rest[written..];
    }
    Ok(copy)
}

/// A program's name without its blanks; none if it has characters that no program name has.
fn text(name: &[u8; 8]) -> Option<&str> {
    let length = name.iter().rposition(|byte| *byte != b' ')? + 1;
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_@#$".contains(byte);
    if !name[..length].iter().all(allowed) {
        return None;
    }
    std::str::from_utf8(&name[..length]).ok()
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
        assert_eq!(symbol("CABASIC"), "CABASIC");
        assert_eq!(symbol("1ST-PGM"), "_1ST__PGM");
        assert_eq!(text(b"AB      "), Some("AB"));
        for name in [b"        ", b"../EVIL ", b"A\0      ", b"A B     "] {
            assert_eq!(text(name), None);
        }
    }
}
