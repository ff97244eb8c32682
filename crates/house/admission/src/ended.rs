//! The file that keeps tokens ended by logouts, over restarts and for instances that share it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use security::EndedKeeper;

/// The default name of the file, beside what else the gateway keeps of a configuration.
pub(crate) const ENDED_FILE: &str = ".gantry/tokens-ended";
/// The default name in versions up to 0.2.0. A file that is there is used.
pub(crate) const OLD_ENDED_FILE: &str = ".tokens-ended";
/// A larger file is rewritten at the start, without tokens past their regular end.
const ENDED_BYTES_MAX: u64 = 1 << 20;

/// A file of lines.
#[derive(Debug)]
pub(crate) struct EndedFile {
    path: PathBuf,
    writing: Mutex<()>,
}

impl EndedFile {
    /// Opens the file and gives its content. It need not exist. `now_ms` is milliseconds since
    /// 1970.
    pub(crate) fn open(path: PathBuf, now_ms: u64) -> Result<(Self, String), String> {
        let shown = path.display().to_string();
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(format!("{shown}: {error}")),
        };
        let file = Self { path, writing: Mutex::default() };
        if text.len() as u64 <= ENDED_BYTES_MAX {
            return Ok((file, text));
        }
        let lasts = |line: &&str| {
            let ends = line.split_once(' ').and_then(|(_, ends)| ends.trim().parse::<u64>().ok());
            ends.is_some_and(|ends| ends > now_ms)
        };
        let kept: String = text.lines().filter(lasts).flat_map(|line| [line, "\n"]).collect();
        replace(&file.path, &kept).map_err(|error| format!("{shown}: {error}"))?;
        Ok((file, kept))
    }
}

impl EndedKeeper for EndedFile {
    fn keep(&self, line: &str) -> Result<(), String> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        append(&self.path, line).map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

fn append(path: &Path, line: &str) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    if settings::is_torn(path) {
        file.write_all(b"\n")?;
    }
    file.write_all(line.as_bytes())?;
    file.sync_all()
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    let _ = fs::remove_file(&new);
    append(&new, text)?;
    fs::rename(&new, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_an_end_takes_no_other_with_it() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let path = folder.path().join("ended");
        fs::write(&path, "00 5\nff").expect("written");
        let (file, _) = EndedFile::open(path.clone(), 0).expect("read");
        file.keep("11 6\n").expect("kept");
        file.keep("22 7\n").expect("kept");
        assert_eq!(fs::read_to_string(path).expect("read"), "00 5\nff\n11 6\n22 7\n");
    }

    #[test]
    fn lines_are_kept_and_old_ones_go_when_there_are_many() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let path = folder.path().join("ended");
        let (file, text) = EndedFile::open(path.clone(), 0).expect("no file yet");
        assert_eq!(text, "");
        file.keep("00 5\n").expect("kept");
        let line = format!("{} 9\n", "0".repeat(60_000));
        for _ in 0..20 {
            file.keep(&line).expect("kept");
        }
        let (_, text) = EndedFile::open(path.clone(), 6).expect("read");
        assert_eq!(text.len(), 20 * line.len());
        let (_, text) = EndedFile::open(path, 9).expect("read");
        assert_eq!(text, "");
    }
}
