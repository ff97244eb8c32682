//! Reads a file one record at a time, each a slice of the block that was read.

mod lines;
mod segments;

use std::collections::VecDeque;
use std::io::Read;
use std::ops::Range;

use crate::error::{Error, ErrorKind};
use crate::extent::Length;
use crate::format::{
    DESCRIPTOR_BYTES, EXTENDED_BLOCK_BYTES_MAX, Framing, RDW_BYTES_MAX, RecordFormat, prefix_length,
};
use crate::input::Input;

/// Records at the end that a reader may hold back ([`Portion::skip_last`]).
pub const SKIP_LAST_MAX: usize = 1_000;

/// A record of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Its number in the file, from 1; records that are skipped count.
    pub number: u64,
    /// Bytes from the start of the file to its first one; of a spanned record, to that of its first segment.
    pub offset: u64,
    /// Its data, without descriptor words or line ends.
    pub bytes: &'a [u8],
    /// The same with what the layout does not describe ([`Framing::undescribed_bytes`]).
    pub whole: &'a [u8],
}

/// Which records of a file are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Portion {
    /// Bytes before the first record.
    pub skip_bytes: u64,
    /// Records at the start to pass over (headers).
    pub skip: u64,
    /// Records at the end to pass over (trailers), [`SKIP_LAST_MAX`] at most.
    pub skip_last: usize,
    /// The most records to read after those that are skipped; none reads all.
    pub limit: Option<u64>,
}

/// Reads the records of a file.
#[derive(Debug)]
pub struct RecordReader<R> {
    input: Input<R>,
    framing: Framing,
    portion: Portion,
    /// Records found so far.
    number: u64,
    given: u64,
    /// Bytes left in the block, where blocks have descriptor words.
    block_left: usize,
    /// A record that is no slice of the input: put together from segments, or padded.
    assembled: Vec<u8>,
    /// Bytes of the input that the last record took, to be passed over when the next is asked for.
    taken: usize,
    /// Records held back, because they may be the last ones.
    held: VecDeque<Held>,
    begun: bool,
}

#[derive(Debug, Default)]
struct Held {
    number: u64,
    offset: u64,
    whole: Vec<u8>,
    /// How many of the bytes the layout describes.
    described: usize,
}

/// Where the bytes of a record are.
enum Place {
    Input(Range<usize>),
    Assembled,
}

/// A record that was found.
struct Found {
    offset: u64,
    place: Place,
}

impl<R: Read> RecordReader<R> {
    /// A reader of the records that `portion` names.
    ///
    /// # Errors
    /// More than [`SKIP_LAST_MAX`] records at the end are to be passed over.
    pub fn new(source: R, framing: &Framing, portion: Portion) -> Result<Self, Error> {
        if portion.skip_last > SKIP_LAST_MAX {
            return Err(Error::setting(format!(
                "at most {SKIP_LAST_MAX} records at the end can be passed over, not {}",
                portion.skip_last
            )));
        }
        Ok(Self {
            input: Input::new(source),
            framing: framing.clone(),
            portion,
            number: 0,
            given: 0,
            block_left: 0,
            assembled: Vec::new(),
            taken: 0,
            held: VecDeque::new(),
            begun: false,
        })
    }

    /// Bytes of the file that records were made of so far.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.input.offset()
    }

    /// The first bytes of the file, as many as `wanted` at least if it has them; what is read later starts with them
    /// all the same.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn peek(&mut self, wanted: usize) -> Result<&[u8], Error> {
        self.input.ensure(wanted)?;
        Ok(self.input.bytes())
    }

    /// The next record; none at the end of the file or of the portion.
    ///
    /// # Errors
    /// The file cannot be read, or is not of its format here, with the record's number and the place in the file. No
    /// further record can be found after that.
    #[inline]
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, Error> {
        if !self.begun {
            self.begin()?;
        }
        if self.portion.limit.is_some_and(|limit| self.given >= limit) {
            return Ok(None);
        }
        if self.portion.skip_last > 0 {
            return self.next_held();
        }
        let Some(found) = self.find()? else { return Ok(None) };
        self.given += 1;
        Ok(Some(self.record(&found)))
    }

    fn begin(&mut self) -> Result<(), Error> {
        self.begun = true;
        let mut left = self.portion.skip_bytes;
        while left > 0 {
            let there = self.input.ensure(1)?;
            if there == 0 {
                let found = self.input.offset();
                let message =
                    format!("the file has {found} bytes, {} are to be skipped", self.portion.skip_bytes);
                return Err(Error::new(ErrorKind::Length, message));
            }
            let step = usize::try_from(left).unwrap_or(usize::MAX).min(there);
            self.input.consume(step);
            left -= step as u64;
        }
        for _ in 0..self.portion.skip {
            if self.find()?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Gives a record once enough records have been found after it, so that it is not one of the last ones.
    fn next_held(&mut self) -> Result<Option<Record<'_>>, Error> {
        let wanted = self.portion.skip_last + 1;
        // The last record is no longer needed; its memory is.
        let mut spare = if self.held.len() == wanted { self.held.pop_front() } else { None };
        while self.held.len() < wanted {
            let Some(found) = self.find()? else { return Ok(None) };
            let record = self.record(&found);
            let (number, offset, described) = (record.number, record.offset, record.bytes.len());
            let mut whole = spare.take().map(|spare: Held| spare.whole).unwrap_or_default();
            whole.clear();
            whole.extend_from_slice(record.whole);
            let next = Held { number, offset, whole, described };
            self.held.push_back(next);
        }
        self.given += 1;
        let first = self.held.front();
        Ok(first.map(|held| Record {
            number: held.number,
            offset: held.offset,
            bytes: &held.whole[..held.described],
            whole: &held.whole,
        }))
    }

    fn record(&self, found: &Found) -> Record<'_> {
        let whole = match &found.place {
            Place::Input(range) => &self.input.bytes()[range.clone()],
            Place::Assembled => &self.assembled,
        };
        let bytes = match self.framing.recfm {
            RecordFormat::Fixed => &whole[..whole.len().min(self.framing.layout_bytes)],
            _ => whole,
        };
        Record { number: self.number, offset: found.offset, bytes, whole }
    }

    #[inline]
    fn find(&mut self) -> Result<Option<Found>, Error> {
        self.input.consume(std::mem::take(&mut self.taken));
        let found = match self.framing.recfm {
            RecordFormat::Fixed => self.fixed(),
            RecordFormat::Variable => self.variable(),
            RecordFormat::Spanned => self.spanned(),
            RecordFormat::Lines => self.line(),
            RecordFormat::Counted => self.counted(),
            RecordFormat::GnuCobol | RecordFormat::LittleEndian => self.prefixed(),
            RecordFormat::Undefined => unreachable!("no framing is made for it"),
        };
        let found = found.map_err(|error| self.placed(error))?;
        self.number += u64::from(found.is_some());
        Ok(found)
    }

    #[cold]
    fn placed(&self, error: Error) -> Error {
        let offset = error.offset.unwrap_or(self.input.offset());
        match error.kind {
            ErrorKind::Io => error.at(offset),
            _ => error.in_record(self.number + 1).at(offset),
        }
    }

    /// The next `bytes` of the input after `head` ones as a record; `there` are known to be there.
    #[inline]
    fn slice(&mut self, head: usize, bytes: usize) -> Option<Found> {
        self.taken = head + bytes;
        let offset = self.input.offset() + head as u64;
        Some(Found { offset, place: Place::Input(head..head + bytes) })
    }

    #[inline]
    fn fixed(&mut self) -> Result<Option<Found>, Error> {
        let wanted = self.framing.record_bytes;
        let there = self.input.ensure(wanted)?;
        if there < wanted {
            return if there == 0 { Ok(None) } else { Err(self.cut_record(there, wanted)) };
        }
        Ok(self.slice(0, wanted))
    }

    #[cold]
    fn cut_record(&self, there: usize, wanted: usize) -> Error {
        let rest = self.input.bytes();
        let hint = match rest {
            b"\x1a" => "; it is a DOS end-of-file mark (1A)",
            _ if rest.iter().all(|byte| matches!(byte, b'\r' | b'\n')) => "; it is a line end",
            _ => "",
        };
        let bytes = if there == 1 { "byte" } else { "bytes" };
        Error::new(
            ErrorKind::Length,
            format!("the file ends {there} {bytes} into a record of {wanted}{hint}"),
        )
    }

    fn variable(&mut self) -> Result<Option<Found>, Error> {
        let Some(word) = self.descriptor()? else { return Ok(None) };
        let [high, low, third, fourth] = word;
        let length = usize::from(u16::from_be_bytes([high, low]));
        if (third, fourth) != (0, 0) {
            let spanned = if fourth == 0 && third <= 3 { "; is the file spanned (vbs)?" } else { "" };
            return Err(not_a_descriptor(word, "the last two bytes are not zeros", spanned));
        }
        let data = self.data_length(word, length)?;
        let there = self.input.ensure(length)?;
        if there < length {
            return Err(cut_data(there - DESCRIPTOR_BYTES, data));
        }
        self.block_left = self.block_left.saturating_sub(length);
        Ok(self.slice(DESCRIPTOR_BYTES, data))
    }

    /// The bytes after a record or segment descriptor word, by the length that it gives.
    fn data_length(&self, word: [u8; 4], length: usize) -> Result<usize, Error> {
        if length < DESCRIPTOR_BYTES {
            return Err(not_a_descriptor(word, "the length is less than the word's own 4 bytes", ""));
        }
        if length > RDW_BYTES_MAX {
            return Err(not_a_descriptor(word, "the length is more than 32760 bytes", ""));
        }
        if self.framing.block_words && length > self.block_left {
            let left = self.block_left;
            return Err(Error::new(
                ErrorKind::Descriptor,
                format!("the descriptor word gives {length} bytes, the block has {left} left"),
            ));
        }
        Ok(length - DESCRIPTOR_BYTES)
    }

    /// The descriptor word of the next record or segment, which is left where it is; none at the end of the file.
    fn descriptor(&mut self) -> Result<Option<[u8; 4]>, Error> {
        if self.framing.block_words {
            while self.block_left == 0 {
                if !self.block()? {
                    return Ok(None);
                }
            }
        }
        self.word("descriptor word")
    }

    fn word(&mut self, what: &str) -> Result<Option<[u8; 4]>, Error> {
        let there = self.input.ensure(DESCRIPTOR_BYTES)?;
        match self.input.bytes().first_chunk() {
            Some(word) => Ok(Some(*word)),
            None if there == 0 && self.block_left == 0 => Ok(None),
            None => {
                Err(Error::new(ErrorKind::Length, format!("the file ends {there} bytes into a {what} of 4")))
            }
        }
    }

    /// Passes over a block descriptor word; false at the end of the file.
    fn block(&mut self) -> Result<bool, Error> {
        let Some(word) = self.word("block descriptor word")? else { return Ok(false) };
        let length = u32::from_be_bytes(word) as usize;
        let bytes = if length > EXTENDED_BLOCK_BYTES_MAX {
            // The first bit says that 31 bits of length follow.
            length & EXTENDED_BLOCK_BYTES_MAX
        } else if length & 0xFFFF != 0 {
            let message =
                format!("{} is not a block descriptor word: the last two bytes are not zeros", hex(word));
            return Err(Error::new(ErrorKind::Descriptor, message));
        } else {
            length >> 16
        };
        if bytes < DESCRIPTOR_BYTES {
            let message = format!("{} is not a block descriptor word: it gives {bytes} bytes", hex(word));
            return Err(Error::new(ErrorKind::Descriptor, message));
        }
        self.input.consume(DESCRIPTOR_BYTES);
        self.block_left = bytes - DESCRIPTOR_BYTES;
        Ok(true)
    }

    fn prefixed(&mut self) -> Result<Option<Found>, Error> {
        let Some(word) = self.word("record length")? else { return Ok(None) };
        let recfm = self.framing.recfm;
        let Some(data) = prefix_length(recfm, word) else {
            let zeros = if recfm == RecordFormat::GnuCobol { "last" } else { "first" };
            let message =
                format!("{} is not a record length: the {zeros} two bytes are not zeros", hex(word));
            return Err(Error::new(ErrorKind::Descriptor, message));
        };
        let there = self.input.ensure(DESCRIPTOR_BYTES + data)?;
        if there < DESCRIPTOR_BYTES + data {
            return Err(cut_data(there - DESCRIPTOR_BYTES, data));
        }
        Ok(self.slice(DESCRIPTOR_BYTES, data))
    }

    fn counted(&mut self) -> Result<Option<Found>, Error> {
        if self.input.ensure(1)? == 0 {
            return Ok(None);
        }
        loop {
            let Some(extent) = &self.framing.extent else { unreachable!("the framing has it") };
            let there = self.input.bytes().len();
            let wanted = match extent.length(self.input.bytes())? {
                // A record without bytes would be read for ever.
                Length::Known(0) => return Err(Error::new(ErrorKind::Length, "the record has no bytes")),
                Length::Known(bytes) if bytes <= there => return Ok(self.slice(0, bytes)),
                Length::Known(wanted) | Length::Needs(wanted) => wanted,
            };
            let there = self.input.ensure(wanted)?;
            if there < wanted {
                let message = format!("the file ends {there} bytes into a record of {wanted} or more");
                return Err(Error::new(ErrorKind::Length, message));
            }
        }
    }
}

fn hex(word: [u8; 4]) -> String {
    codepage::readable::spaced_hex(&word, word.len())
}

#[cold]
fn not_a_descriptor(word: [u8; 4], why: &str, hint: &str) -> Error {
    Error::new(ErrorKind::Descriptor, format!("{} is not a descriptor word: {why}{hint}", hex(word)))
}

#[cold]
fn cut_data(there: usize, wanted: usize) -> Error {
    Error::new(ErrorKind::Length, format!("the file ends {there} bytes into a record of {wanted}"))
}
