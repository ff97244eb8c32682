//! Writes records in a record format, the counterpart of the reader.

use std::io::Write;

use memchr::memchr;

use crate::error::{Error, ErrorKind};
use crate::extent::Length;
use crate::format::{DESCRIPTOR_BYTES, Framing, PREFIX_BYTES_MAX, RDW_BYTES_MAX, RecordFormat, prefix};

/// How much is gathered before it is written.
const WRITE_BYTES: usize = 256 << 10;

/// Writes the records of a file.
#[derive(Debug)]
pub struct RecordWriter<W: Write> {
    target: W,
    framing: Framing,
    out: Vec<u8>,
    /// The block that is being filled, without its descriptor word.
    block: Vec<u8>,
    number: u64,
}

impl<W: Write> RecordWriter<W> {
    /// A writer of records in a format.
    pub fn new(target: W, framing: &Framing) -> Self {
        Self { target, framing: framing.clone(), out: Vec::new(), block: Vec::new(), number: 0 }
    }

    /// Writes a record.
    ///
    /// # Errors
    /// The format cannot hold the record, with its number, and nothing of it is written; the file cannot be written.
    pub fn write(&mut self, record: &[u8]) -> Result<(), Error> {
        self.number += 1;
        let number = self.number;
        match self.framing.recfm {
            RecordFormat::Fixed => self.fixed(record),
            RecordFormat::Variable => self.variable(record),
            RecordFormat::Spanned => self.spanned(record),
            RecordFormat::Lines => self.line(record),
            RecordFormat::Counted => self.counted(record),
            RecordFormat::GnuCobol | RecordFormat::LittleEndian => self.prefixed(record),
            RecordFormat::Undefined => unreachable!("no framing is made for it"),
        }
        .map_err(|error| error.in_record(number))?;
        if self.out.len() >= WRITE_BYTES {
            self.flush_out()?;
        }
        Ok(())
    }

    /// Writes all that was gathered and gives back the target, flushed. Without this the last records are lost.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> Result<W, Error> {
        self.end_block();
        self.flush_out()?;
        self.target.flush()?;
        Ok(self.target)
    }

    fn flush_out(&mut self) -> Result<(), Error> {
        self.target.write_all(&self.out)?;
        self.out.clear();
        Ok(())
    }

    fn fixed(&mut self, record: &[u8]) -> Result<(), Error> {
        let wanted = self.framing.record_bytes;
        if record.len() > wanted {
            return Err(too_long(record.len(), wanted, "the record length"));
        }
        self.out.extend_from_slice(record);
        self.out.resize(self.out.len() + wanted - record.len(), self.framing.blank);
        Ok(())
    }

    fn variable(&mut self, record: &[u8]) -> Result<(), Error> {
        let room = self.segment_room();
        if record.len() > room {
            let message = "; longer records are spanned (vbs)";
            let error = too_long(record.len(), room, "the most that its descriptor word and block can hold");
            return Err(Error { message: error.message + message, ..error });
        }
        self.segment(record, 0);
        Ok(())
    }

    /// The most data of one record or segment.
    fn segment_room(&self) -> usize {
        let in_block = self.framing.block_bytes - 2 * DESCRIPTOR_BYTES;
        if self.framing.block_words { in_block } else { RDW_BYTES_MAX - DESCRIPTOR_BYTES }
    }

    /// Writes a piece with its descriptor word, into the block if there are blocks.
    fn segment(&mut self, data: &[u8], control: u8) {
        let length = DESCRIPTOR_BYTES + data.len();
        let [high, low] = u16::try_from(length).expect("a segment fits its word").to_be_bytes();
        if self.framing.block_words && self.block_room() < length {
            self.end_block();
        }
        let out = if self.framing.block_words { &mut self.block } else { &mut self.out };
        out.extend_from_slice(&[high, low, control, 0]);
        out.extend_from_slice(data);
    }

    /// Bytes left in the block.
    fn block_room(&self) -> usize {
        self.framing.block_bytes - DESCRIPTOR_BYTES - self.block.len()
    }

    fn end_block(&mut self) {
        if self.block.is_empty() {
            return;
        }
        let length = u16::try_from(DESCRIPTOR_BYTES + self.block.len()).expect("a block fits its word");
        let [high, low] = length.to_be_bytes();
        self.out.extend_from_slice(&[high, low, 0, 0]);
        self.out.append(&mut self.block);
    }

    fn spanned(&mut self, record: &[u8]) -> Result<(), Error> {
        let room = self.segment_room();
        let (mut rest, mut first) = (record, true);
        loop {
            // The first piece fills the block that is there, if it has room for a byte at least.
            let here = match self.block_room().checked_sub(DESCRIPTOR_BYTES) {
                Some(left) if self.framing.block_words && left > 0 => left.min(room),
                _ => room,
            };
            let (piece, after) = rest.split_at(here.min(rest.len()));
            let control = match (first, after.is_empty()) {
                (true, true) => 0,
                (true, false) => 1,
                (false, true) => 2,
                (false, false) => 3,
            };
            self.segment(piece, control);
            if after.is_empty() {
                return Ok(());
            }
            (rest, first) = (after, false);
        }
    }

    fn line(&mut self, record: &[u8]) -> Result<(), Error> {
        let mark = self.framing.line;
        let mut line = record;
        if self.framing.trimmed_lines {
            let end = record.iter().rposition(|byte| *byte != self.framing.blank).map_or(0, |last| last + 1);
            line = &record[..end];
        }
        let last = mark.bytes[mark.bytes.len() - 1];
        let ends_line = match memchr(last, line) {
            Some(_) => Some(last),
            None => line.last().copied().filter(|byte| mark.optional_cr && *byte == b'\r'),
        };
        if let Some(byte) = ends_line {
            let message = format!("the record holds the byte {byte:02X}, which would end its line");
            return Err(Error::new(ErrorKind::Length, message));
        }
        self.out.extend_from_slice(line);
        self.out.extend_from_slice(mark.bytes);
        Ok(())
    }

    /// A record whose counters give another length than it has would shift all that follow.
    fn counted(&mut self, record: &[u8]) -> Result<(), Error> {
        let Some(extent) = &self.framing.extent else { unreachable!("the framing has it") };
        let (Length::Known(wanted) | Length::Needs(wanted)) = extent.length(record)?;
        if wanted != record.len() {
            return Err(Error::new(
                ErrorKind::Length,
                format!("the record has {} bytes, by its counters {wanted}", record.len()),
            ));
        }
        self.out.extend_from_slice(record);
        Ok(())
    }

    fn prefixed(&mut self, record: &[u8]) -> Result<(), Error> {
        let Ok(length) = u16::try_from(record.len()) else {
            return Err(too_long(record.len(), PREFIX_BYTES_MAX, "the most that its length prefix can hold"));
        };
        self.out.extend_from_slice(&prefix(self.framing.recfm, length));
        self.out.extend_from_slice(record);
        Ok(())
    }
}

fn too_long(found: usize, room: usize, what: &str) -> Error {
    Error::new(ErrorKind::Length, format!("the record has {found} bytes, {room} is {what}"))
}
