//! A file read in big blocks; records are slices of them: no byte is copied but those of a record that two blocks
//! share.

use std::io::{self, Read};

/// How much is read at first; small files need no more.
const READ_BYTES_FIRST: usize = 4 << 10;
/// How much is read at a time of files that are larger.
const READ_BYTES: usize = 512 << 10;

/// What may stand in front of a text in UTF-8.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A source with a buffer of what was read ahead.
#[derive(Debug)]
pub(crate) struct Input<R> {
    source: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Where in the file `start` is.
    offset: u64,
    ended: bool,
}

impl<R: Read> Input<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, buffer: Vec::new(), start: 0, end: 0, offset: 0, ended: false }
    }

    /// Bytes from the start of the file to those that are next.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes that were read ahead.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Reads on until `wanted` bytes are there, or the file has ended, and returns how many are there.
    #[inline]
    pub(crate) fn ensure(&mut self, wanted: usize) -> io::Result<usize> {
        if self.end - self.start < wanted && !self.ended {
            self.read_on(wanted)?;
        }
        Ok(self.end - self.start)
    }

    #[cold]
    fn read_on(&mut self, wanted: usize) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        if self.buffer.len() < READ_BYTES {
            self.buffer.resize((4 * self.buffer.len()).clamp(READ_BYTES_FIRST, READ_BYTES), 0);
        }
        // A length that the file claims is believed only as far as the file has bytes for it.
        while self.end < wanted && !self.ended {
            if self.end == self.buffer.len() {
                self.buffer.resize(2 * self.end, 0);
            }
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Passes over bytes that are there.
    pub(crate) fn consume(&mut self, bytes: usize) {
        debug_assert!(bytes <= self.end - self.start, "only what was read is consumed");
        self.start += bytes;
        self.offset += bytes as u64;
    }
}
