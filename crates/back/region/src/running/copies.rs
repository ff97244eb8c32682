//! Copies of programs in memory: a worker that needs a second instance of a program gets one, for it may make no files of any kind.

use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{MemfdFlags, SealFlags};
use wire::programs::program_text;

/// The most copies that one worker gets; it keeps all of them.
pub(crate) const COPIES_MAX: u32 = 128;

/// The file of a program in its folder. None if the name has characters that names of programs never have.
pub(crate) fn file_name(program: &[u8; 8]) -> Option<String> {
    program_text(program).map(|text| format!("{text}.so"))
}

/// A copy of a program of this folder. To the loader it is another file, so its storage is another, too. Nobody can change it.
///
/// # Errors
/// The program does not exist, or there is no memory for it.
pub(crate) fn copy(folder: &Path, program: &[u8; 8]) -> io::Result<OwnedFd> {
    let name = file_name(program).ok_or(io::ErrorKind::NotFound)?;
    let bytes = std::fs::read(folder.join(name))?;
    let file = rustix::fs::memfd_create("gantry-program", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    let mut file = std::fs::File::from(file);
    file.write_all(&bytes)?;
    rustix::fs::fcntl_add_seals(
        &file,
        SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE | SealFlags::SEAL,
    )?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_programs_have_files() {
        assert_eq!(file_name(b"AB      ").as_deref(), Some("AB.so"));
        for name in [b"        ", b"../EVIL ", b"A\0      ", b"A B     "] {
            assert_eq!(file_name(name), None);
        }
    }

    #[test]
    fn a_copy_has_the_same_bytes_and_cannot_be_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("AB.so"), b"program").expect("a file");
        let mut file = std::fs::File::from(copy(folder.path(), b"AB      ").expect("a copy"));
        assert_eq!(
            io::read_to_string(file.try_clone().expect("a file")).ok(),
            Some(String::new()),
            "written to its end"
        );
        assert!(file.write_all(b"x").is_err());
        assert!(copy(folder.path(), b"NONE    ").is_err());
    }
}
