//! Files outside of the store that programs read or write line by line.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use wire::TRANSIENT_MAX_BYTES;

/// The lines of a file, and the place of the next one.
#[derive(Debug)]
pub(super) struct Lines<R> {
    file: R,
    /// True if the next bytes are the rest of a line that was too long. Nobody reads them.
    is_amid_line: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(file: R) -> Self {
        Self { file, is_amid_line: false }
    }

    /// The next line without its end; none at the end of the file, until something is added.
    ///
    /// # Errors
    /// `InvalidData` if the line is longer than a record. The line after it comes next.
    pub(super) fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        if self.is_amid_line && !self.skip_rest()? {
            return Ok(None);
        }
        let mut line = Vec::new();
        let most = TRANSIENT_MAX_BYTES as u64 + 2;
        if self.file.by_ref().take(most).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let is_whole = line.pop_if(|last| *last == b'\n').is_some();
        if is_whole {
            line.pop_if(|last| *last == b'\r');
        }
        if line.len() > TRANSIENT_MAX_BYTES {
            self.is_amid_line = !is_whole;
            let message = format!("expected lines of at most {TRANSIENT_MAX_BYTES} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(Some(line))
    }

    /// Skips to the end of a line. False if the file ends before.
    fn skip_rest(&mut self) -> io::Result<bool> {
        loop {
            let bytes = match self.file.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                bytes => bytes?,
            };
            if bytes.is_empty() {
                return Ok(false);
            }
            let (skipped, is_end) = match bytes.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (bytes.len(), false),
            };
            self.file.consume(skipped);
            if is_end {
                self.is_amid_line = false;
                return Ok(true);
            }
        }
    }
}

/// A file to which lines are added.
#[derive(Debug)]
pub(super) struct LinesOut {
    file: File,
    /// True if half a line may be at the end. The next one then begins with the end of a line.
    is_torn: bool,
}

impl LinesOut {
    /// Opens the file, or makes it.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let is_torn = last_byte(path).is_some_and(|last| last != b'\n');
        Ok(Self { file: OpenOptions::new().append(true).create(true).open(path)?, is_torn })
    }

    /// Adds a line, whole or not at all.
    pub(super) fn add(&mut self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        if self.is_torn {
            line.insert(0, b'\n');
        }
        let before = self.file.metadata()?.len();
        let mut added = 0;
        let result = loop {
            match self.file.write(&line[added..]) {
                Ok(0) => break Err(io::ErrorKind::WriteZero.into()),
                Ok(more) => added += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
            }
            if added == line.len() {
                break Ok(());
            }
        };
        // Another queue, or another program, may have added lines to the same file. They stay.
        let is_last = || self.file.metadata().is_ok_and(|found| found.len() == before + added as u64);
        self.is_torn = result.is_err() && added > 0 && !(is_last() && self.file.set_len(before).is_ok());
        result
    }
}

/// The last byte of a file. A device or a pipe has no length, so nobody waits for it here.
fn last_byte(path: &Path) -> Option<u8> {
    let at = std::fs::metadata(path).ok()?.len().checked_sub(1)?;
    let mut last = [0];
    File::open(path).ok()?.read_exact_at(&mut last, at).ok()?;
    Some(last[0])
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn is_too_long(next: io::Result<Option<Vec<u8>>>) -> bool {
        next.is_err_and(|error| error.kind() == io::ErrorKind::InvalidData)
    }

    #[test]
    fn of_a_line_that_is_too_long_nothing_is_a_record() {
        let longest = "l".repeat(TRANSIENT_MAX_BYTES);
        for (long, end) in [(1, "\n"), (2, "\n"), (1, "\r\n"), (3, "\n"), (50_000, "\n"), (100_000, "\r\n")] {
            let text = format!("first\n{longest}{}{end}{longest}\r\nlast", "x".repeat(long));
            let mut lines = Lines::new(BufReader::new(text.as_bytes()));
            assert_eq!(lines.next().expect("a line"), Some(b"first".to_vec()));
            assert!(is_too_long(lines.next()), "{long}");
            assert_eq!(lines.next().expect("a line"), Some(longest.as_bytes().to_vec()), "{long}");
            assert_eq!(lines.next().expect("a line"), Some(b"last".to_vec()), "without its end");
            assert_eq!(lines.next().expect("the end"), None);
        }
    }

    #[test]
    fn the_rest_of_a_long_line_is_skipped_also_if_it_is_written_later() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("in.txt");
        let mut file = OpenOptions::new().append(true).create(true).open(&path).expect("a file");
        let mut add = |text: &str| file.write_all(text.as_bytes()).expect("a file");
        let mut lines = Lines::new(BufReader::new(File::open(&path).expect("a file")));
        add(&"x".repeat(40_000));
        assert!(is_too_long(lines.next()));
        assert_eq!(lines.next().expect("no line yet"), None);
        add("rest");
        assert_eq!(lines.next().expect("no line yet"), None);
        add("\nnext\n");
        assert_eq!(lines.next().expect("a line"), Some(b"next".to_vec()));
        assert_eq!(lines.next().expect("the end"), None);
    }

    #[test]
    fn a_line_without_an_end_takes_no_other_with_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.txt");
        std::fs::write(&path, "whole\nhal").expect("written");
        for line in ["next", "last"] {
            LinesOut::open(&path).and_then(|mut lines| lines.add(line.into())).expect("added");
        }
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "whole\nhal\nnext\nlast\n");
        // A device that is always full takes nothing.
        let mut full = LinesOut::open(Path::new("/dev/full")).expect("a device");
        assert!(full.add(b"line".to_vec()).is_err());
    }
}
