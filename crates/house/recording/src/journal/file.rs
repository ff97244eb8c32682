//! One file of lines: appended to, put aside by size or time, never left with half a line.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::FileSettings;

/// Who may read what is written: the owner, and the group for those who collect it.
const MODE: u32 = 0o640;

/// The file, if it is open.
#[derive(Debug, Default)]
pub(super) struct LineFile {
    open: Option<OpenFile>,
    /// Half a line may stand at the end: the next one begins with a line end.
    torn: bool,
    /// Something was written since the last sync.
    unsynced: bool,
}

#[derive(Debug)]
struct OpenFile {
    file: File,
    /// Bytes up to the last whole line.
    length: u64,
    /// The period in which its first line was written.
    period: u64,
}

impl LineFile {
    /// Appends whole lines; puts the file aside before, between and behind them as the settings say. Gives how many lines
    /// are written, all of them unless there is an error too.
    pub(super) fn append(&mut self, lines: &[Vec<u8>], settings: &FileSettings) -> (usize, io::Result<()>) {
        let mut written = 0;
        while written < lines.len() {
            match self.append_some(&lines[written..], settings) {
                Ok(more) => written += more,
                Err(error) => return (written, Err(error)),
            }
        }
        (written, Ok(()))
    }

    /// Appends as many lines as go into the file as it is, one at least.
    fn append_some(&mut self, lines: &[Vec<u8>], settings: &FileSettings) -> io::Result<usize> {
        self.rotate_if_due(lines[0].len(), settings)?;
        let torn = self.torn;
        let open = self.opened(settings)?;
        let mut buffer = if torn { vec![b'\n'] } else { Vec::new() };
        let mut count = 0;
        for line in lines {
            let full = settings.rotate_bytes > 0
                && open.length + (buffer.len() + line.len()) as u64 > settings.rotate_bytes;
            if full && count > 0 {
                break;
            }
            buffer.extend_from_slice(line);
            count += 1;
        }
        let result = open.file.write_all(&buffer);
        match result {
            Ok(()) => {
                open.length += buffer.len() as u64;
                self.torn = false;
                self.unsynced = true;
                Ok(count)
            }
            Err(error) => {
                // What came through before the error would be half a line, or lines that come twice.
                self.torn = open.file.set_len(open.length).is_err();
                Err(error)
            }
        }
    }

    fn opened(&mut self, settings: &FileSettings) -> io::Result<&mut OpenFile> {
        if self.open.is_none() {
            if let Some(folder) = settings.path.parent() {
                fs::create_dir_all(folder)?;
            }
            let file = OpenOptions::new().append(true).create(true).mode(MODE).open(&settings.path)?;
            let data = file.metadata()?;
            let begun = if data.len() > 0 { data.modified()? } else { SystemTime::now() };
            let period = period(begun, settings);
            self.open = Some(OpenFile { file, length: data.len(), period });
        }
        self.open.as_mut().ok_or_else(|| io::Error::other("the file is open"))
    }

    fn rotate_if_due(&mut self, more_bytes: usize, settings: &FileSettings) -> io::Result<()> {
        let open = self.opened(settings)?;
        let now = period(SystemTime::now(), settings);
        let by_size = settings.rotate_bytes > 0 && open.length + more_bytes as u64 > settings.rotate_bytes;
        if open.length > 0 && (by_size || open.period != now) {
            self.sync()?;
            put_aside(&settings.path, settings.files_max)?;
            self.open = None;
            self.opened(settings)?;
        }
        Ok(())
    }

    /// Makes what is written outlive a crash of the machine.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        if let Some(open) = self.open.as_ref().filter(|_| self.unsynced) {
            open.file.sync_data()?;
            self.unsynced = false;
        }
        Ok(())
    }

    /// Looks whether somebody else has put the file aside, or deleted it: the next line opens a new one then.
    pub(super) fn look(&mut self, path: &Path) {
        let same = |open: &OpenFile| {
            let (own, there) = (open.file.metadata().ok()?, fs::metadata(path).ok()?);
            Some((own.dev(), own.ino()) == (there.dev(), there.ino()))
        };
        if self.open.as_ref().is_some_and(|open| same(open) != Some(true)) {
            self.open = None;
        }
    }
}

/// The number of a point's period.
fn period(time: SystemTime, settings: &FileSettings) -> u64 {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    seconds.checked_div(settings.rotate_s).unwrap_or(0)
}

/// Renames the file to `NAME.1`, what was there to `NAME.2`, and so on; the oldest goes.
fn put_aside(path: &Path, files_max: usize) -> io::Result<()> {
    let aside = |number: usize| -> PathBuf {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{number}"));
        name.into()
    };
    if files_max == 0 {
        return fs::remove_file(path);
    }
    for number in (1..files_max).rev() {
        match fs::rename(aside(number), aside(number + 1)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::rename(path, aside(1))
}
