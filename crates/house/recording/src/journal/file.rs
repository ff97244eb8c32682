//! One file of lines. Lines are appended, the file is replaced by size or time, and no half line
//! remains.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::FileSettings;

/// The owner may write. The group may read, for programs that collect the file.
const MODE: u32 = 0o640;

/// The file, if it is open.
#[derive(Debug, Default)]
pub(super) struct LineFile {
    open: Option<OpenFile>,
    /// True if half a line may be at the end. The next write then begins with a line end.
    torn: bool,
    /// True if something was written since the last sync.
    unsynced: bool,
}

#[derive(Debug)]
struct OpenFile {
    file: File,
    /// The bytes of all whole lines.
    length: u64,
    /// The period of its first line.
    period: u64,
}

impl LineFile {
    /// Appends whole lines. It begins new files before, between and behind them, as the settings
    /// say. Gives the number of written lines, which is smaller only after an error.
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

    /// Appends lines until the present file is full, at least one.
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
                // A partly successful write would leave half a line, or lines that come twice.
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
            self.torn = settings::is_torn(&settings.path);
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

    /// Syncs the file, so that its lines survive a crash of the machine.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        if let Some(open) = self.open.as_ref().filter(|_| self.unsynced) {
            open.file.sync_data()?;
            self.unsynced = false;
        }
        Ok(())
    }

    /// Checks whether another process has moved or deleted the file. The next line then opens a new
    /// one.
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

/// The number of the period at this time.
fn period(time: SystemTime, settings: &FileSettings) -> u64 {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    seconds.checked_div(settings.rotate_s).unwrap_or(0)
}

/// Renames the file to `NAME.1`, the old `NAME.1` to `NAME.2`, and so on. The oldest is deleted.
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
