//! A file outside of the store that programs read line by line.

use std::io::{self, BufRead, Read};

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

#[cfg(test)]
mod tests {
    use std::fs::{File, OpenOptions};
    use std::io::{BufReader, Write};

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
}
