//! Text lines as records, with the blanks that an editor or a transfer left out put back where that is asked for.

use std::io::Read;

use memchr::memmem;

use super::{Found, Place, RecordReader};
use crate::error::{Error, ErrorKind};
use crate::format::RECORD_BYTES_MAX;

impl<R: Read> RecordReader<R> {
    pub(super) fn line(&mut self) -> Result<Option<Found>, Error> {
        let mark = self.framing.line;
        let mut searched = 0;
        let (length, taken) = loop {
            let bytes = self.input.bytes();
            let found = match mark.bytes {
                [byte] => memchr::memchr(*byte, &bytes[searched..]),
                several => memmem::find(&bytes[searched..], several),
            };
            if let Some(at) = found {
                let end = searched + at;
                let cr = mark.optional_cr && bytes[..end].last() == Some(&b'\r');
                break (end - usize::from(cr), end + mark.bytes.len());
            }
            let there = bytes.len();
            if there > RECORD_BYTES_MAX {
                let message = format!("no line ends within {RECORD_BYTES_MAX} bytes");
                return Err(Error::new(ErrorKind::Length, message));
            }
            if self.input.ensure(there + 1)? == there {
                if there == 0 {
                    return Ok(None);
                }
                // The last line may do without an end.
                break (there, there);
            }
            // A mark of two bytes may lie half in what was searched.
            searched = (there + 1).saturating_sub(mark.bytes.len());
        };
        let found = self.slice(0, length);
        self.taken = taken;
        Ok(if self.framing.trimmed_lines && length < self.framing.layout_bytes {
            self.padded(length)
        } else {
            found
        })
    }

    fn padded(&mut self, length: usize) -> Option<Found> {
        self.assembled.clear();
        self.assembled.extend_from_slice(&self.input.bytes()[..length]);
        self.assembled.resize(self.framing.layout_bytes, self.framing.blank);
        Some(Found { offset: self.input.offset(), place: Place::Assembled })
    }
}
