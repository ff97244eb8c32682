//! Spanned records: the segments of each put together.

use std::io::Read;

use super::{Found, Place, RecordReader, cut_data, not_a_descriptor};
use crate::error::{Error, ErrorKind};
use crate::format::{DESCRIPTOR_BYTES, RECORD_BYTES_MAX};

/// Values of the third byte of a segment descriptor word.
const COMPLETE: u8 = 0;
const FIRST: u8 = 1;
const LAST: u8 = 2;
const MIDDLE: u8 = 3;
/// The first bit of a segment descriptor word: a null segment, which only fills a block.
const NULL_SEGMENT: u8 = 0x80;

impl<R: Read> RecordReader<R> {
    pub(super) fn spanned(&mut self) -> Result<Option<Found>, Error> {
        let mut start = None;
        self.assembled.clear();
        loop {
            let Some(word) = self.descriptor()? else {
                return match start {
                    None => Ok(None),
                    Some(_) => Err(Error::new(
                        ErrorKind::Length,
                        format!("the file ends after {} bytes of a spanned record", self.assembled.len()),
                    )),
                };
            };
            let [high, low, control, fourth] = word;
            let null = high & NULL_SEGMENT != 0;
            if control > MIDDLE || fourth != 0 {
                return Err(not_a_descriptor(word, "its third byte must be 00 to 03 and its fourth 00", ""));
            }
            let length = usize::from(u16::from_be_bytes([high & !NULL_SEGMENT, low]));
            let data = self.data_length(word, length)?;
            let there = self.input.ensure(length)?;
            if there < length {
                return Err(cut_data(there - DESCRIPTOR_BYTES, data));
            }
            self.block_left = self.block_left.saturating_sub(length);
            if null {
                self.input.consume(length);
                continue;
            }
            check_order(control, start.is_some())?;
            if control == COMPLETE {
                return Ok(self.slice(DESCRIPTOR_BYTES, data));
            }
            start.get_or_insert(self.input.offset() + DESCRIPTOR_BYTES as u64);
            if self.assembled.len() + data > RECORD_BYTES_MAX {
                let message = format!("the segments of a record have more than {RECORD_BYTES_MAX} bytes");
                return Err(Error::new(ErrorKind::Length, message));
            }
            self.assembled.extend_from_slice(&self.input.bytes()[DESCRIPTOR_BYTES..length]);
            self.input.consume(length);
            if let (LAST, Some(offset)) = (control, start) {
                return Ok(Some(Found { offset, place: Place::Assembled }));
            }
        }
    }
}

/// A record is one complete segment, or a first one, any number of middle ones, and a last one.
fn check_order(control: u8, begun: bool) -> Result<(), Error> {
    let name = match control {
        COMPLETE => "complete",
        FIRST => "first",
        LAST => "last",
        _ => "middle",
    };
    let message = match (control, begun) {
        (COMPLETE | FIRST, true) => {
            format!("a {name} segment follows, but the record before has no last segment yet")
        }
        (LAST | MIDDLE, false) => format!("a {name} segment without a first one before it"),
        _ => return Ok(()),
    };
    Err(Error::new(ErrorKind::Descriptor, message))
}
