//! Text to records: JSON, CSV or Parquet, a row at a time, into a file of records.

use std::io::{Read, Write};

use record::Bind;

use crate::csv::CellPlaces;
use crate::error::{Error, ErrorKind};
use crate::format::RECORD_BYTES_MAX;
use crate::input::{BYTE_ORDER_MARK, Input};
use crate::outcome::{Counts, Rejected};
use crate::writer::RecordWriter;

/// The most bytes of one JSON text in a file of them.
pub const JSON_BYTES_MAX: usize = RECORD_BYTES_MAX;

/// A text that becomes one record.
#[derive(Debug)]
pub struct Text<'a> {
    /// Its number, from 1.
    pub number: u64,
    /// Where it starts, where the source has lines.
    pub place: Option<Place>,
    /// The JSON of the record.
    pub json: &'a [u8],
    /// Why it is none, found before it could be tried.
    pub fault: Option<Error>,
    /// The places of its values, where the JSON is not what stands in the file.
    pub(crate) cells: Option<CellPlaces<'a>>,
}

/// A place in a file of text, both from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: u64,
    /// The column.
    pub column: u64,
}

/// A source of JSON texts, one a record.
pub trait Texts {
    /// The next text; none at the end.
    ///
    /// # Errors
    /// The source cannot be read, or is not of its form here, with the place.
    fn next_text(&mut self) -> Result<Option<Text<'_>>, Error>;
}

/// Turns all texts into records. `on_reject` is asked about each that does not fit; its error ends the run.
///
/// # Errors
/// The source cannot be read, the target cannot be written, or what `on_reject` gives.
pub fn encode<W: Write>(
    bind: &Bind,
    texts: &mut dyn Texts,
    writer: &mut RecordWriter<W>,
    on_reject: &mut dyn FnMut(&Rejected<'_>) -> Result<(), Error>,
) -> Result<Counts, Error> {
    let mut counts = Counts::default();
    let mut record = Vec::new();
    while let Some(text) = texts.next_text()? {
        counts.read += 1;
        let Text { number, place, json, cells, .. } = text;
        let encoded = match text.fault {
            Some(fault) => Err(fault),
            None => bind.encode(json, &mut record).map_err(|error| data(error, place, cells)),
        };
        // A record that the format cannot hold does not fit either; a target that cannot be written is another matter.
        let written = encoded.and_then(|()| writer.write(&record));
        let error = match written {
            Ok(()) => continue,
            Err(error) if error.kind == ErrorKind::Io => return Err(error),
            Err(error) => {
                let line = error.line.or(place.map(|place| place.line));
                Error { record: Some(number), line, ..error }
            }
        };
        counts.rejected += 1;
        let bytes = cells.map_or(json, |cells| cells.raw());
        on_reject(&Rejected { number, offset: None, bytes, around: None, error: &error })?;
    }
    Ok(counts)
}

/// Puts the place in the file in place of that within the text.
#[cold]
fn data(error: record::Error, start: Option<Place>, cells: Option<CellPlaces<'_>>) -> Error {
    let found = match (start, error.position, cells) {
        (_, _, Some(cells)) => cells.of_field(&error.path),
        (Some(start), Some((1, column)), None) => Some((start.line, start.column + column as u64 - 1)),
        (Some(start), Some((line, column)), None) => Some((start.line + line as u64 - 1, column as u64)),
        _ => None,
    };
    let without = record::Error { position: None, ..error.clone() };
    match found {
        Some((line, column)) => {
            Error { message: format!("{without} (column {column})"), ..Error::data(error) }.on_line(line)
        }
        None if cells.is_some() => Error { message: without.to_string(), ..Error::data(error) },
        None => Error::data(error),
    }
}

/// How texts of JSON follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sequence {
    /// One a line.
    Lines,
    /// The elements of one array.
    Array { begun: bool },
}

/// Reads JSON lines, or one JSON array: what the first character says.
#[derive(Debug)]
pub struct JsonTexts<R> {
    input: Input<R>,
    sequence: Option<Sequence>,
    number: u64,
    line: u64,
    /// The column of what is next; behind a text on a line of its own it is not known.
    column: u64,
    /// Bytes of the last text, to be passed over when the next is asked for, and the lines that end in them.
    taken: usize,
    ended: bool,
}

impl<R: Read> JsonTexts<R> {
    /// A reader of texts.
    pub fn new(source: R) -> Self {
        Self {
            input: Input::new(source),
            sequence: None,
            number: 0,
            line: 1,
            column: 1,
            taken: 0,
            ended: false,
        }
    }

    /// Passes over bytes that are there.
    fn pass(&mut self, bytes: usize) {
        let passed = &self.input.bytes()[..bytes];
        let last = memchr::memrchr(b'\n', passed).map_or(0, |at| at + 1);
        let characters = passed[last..].iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u64;
        self.column = if last > 0 { 1 + characters } else { self.column + characters };
        self.line += memchr::memchr_iter(b'\n', passed).count() as u64;
        self.input.consume(bytes);
    }

    /// The next character that is not blank; it stays.
    fn significant(&mut self) -> Result<Option<u8>, Error> {
        loop {
            let there = self.input.ensure(1)?;
            if there == 0 {
                return Ok(None);
            }
            let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
            let blanks = self.input.bytes().iter().take_while(|byte| blank(byte)).count();
            self.pass(blanks);
            if let Some(byte) = self.input.bytes().first() {
                return Ok(Some(*byte));
            }
        }
    }

    /// How the texts follow each other; goes into the array if it is one.
    fn first(&mut self) -> Result<Sequence, Error> {
        self.input.ensure(BYTE_ORDER_MARK.len())?;
        if self.input.bytes().starts_with(BYTE_ORDER_MARK) {
            self.input.consume(BYTE_ORDER_MARK.len());
        }
        if self.significant()? != Some(b'[') {
            return Ok(Sequence::Lines);
        }
        self.pass(1);
        Ok(Sequence::Array { begun: false })
    }

    /// Bytes of the line that is next, without its end.
    fn line_length(&mut self) -> Result<usize, Error> {
        let mut searched = 0;
        loop {
            let there = self.input.bytes().len();
            if let Some(at) = memchr::memchr(b'\n', &self.input.bytes()[searched..]) {
                return Ok(searched + at);
            }
            self.check_length(there)?;
            if self.input.ensure(there + 1)? == there {
                return Ok(there);
            }
            searched = there;
        }
    }

    /// Bytes of the value that is next.
    fn element_length(&mut self) -> Result<usize, Error> {
        let mut scan = Scan::default();
        let mut searched = 0;
        loop {
            let there = self.input.bytes().len();
            if let Some(at) = scan.end(&self.input.bytes()[searched..]) {
                return Ok(searched + at);
            }
            self.check_length(there)?;
            if self.input.ensure(there + 1)? == there {
                return Err(self.fault("the array ends within an element"));
            }
            searched = there;
        }
    }

    fn check_length(&self, found: usize) -> Result<(), Error> {
        if found <= JSON_BYTES_MAX {
            return Ok(());
        }
        Err(self.fault(&format!("a JSON text has more than {JSON_BYTES_MAX} bytes")))
    }

    fn fault(&self, message: &str) -> Error {
        Error::new(ErrorKind::Text, message).on_line(self.line)
    }

    /// Goes to the next element; false at the end of the array.
    fn enter(&mut self, begun: bool) -> Result<bool, Error> {
        let next = self.significant()?;
        match next {
            Some(b']') => {
                self.pass(1);
                match self.significant()? {
                    None => Ok(false),
                    Some(_) => Err(self.fault("something follows the array")),
                }
            }
            Some(b',') if begun => {
                self.pass(1);
                match self.significant()? {
                    Some(b']' | b',') | None => Err(self.fault("expected an element after the comma")),
                    Some(_) => Ok(true),
                }
            }
            Some(_) if !begun => Ok(true),
            Some(_) => Err(self.fault("expected ',' or ']' after an element")),
            None => Err(self.fault("the array does not end")),
        }
    }
}

impl<R: Read> Texts for JsonTexts<R> {
    fn next_text(&mut self) -> Result<Option<Text<'_>>, Error> {
        let taken = std::mem::take(&mut self.taken);
        match self.sequence {
            Some(Sequence::Array { .. }) => self.pass(taken),
            // The line's end is still to come, so that nobody asks for the column.
            _ => self.input.consume(taken),
        }
        if self.ended {
            return Ok(None);
        }
        let sequence = match self.sequence {
            Some(sequence) => sequence,
            None => self.first()?,
        };
        let length = match sequence {
            Sequence::Lines => {
                self.sequence = Some(sequence);
                self.significant()?.map(|_| self.line_length()).transpose()?
            }
            Sequence::Array { begun } => {
                self.sequence = Some(Sequence::Array { begun: true });
                self.enter(begun)?.then(|| self.element_length()).transpose()?
            }
        };
        let Some(length) = length else {
            self.ended = true;
            return Ok(None);
        };
        self.number += 1;
        self.taken = length;
        let json = &self.input.bytes()[..length];
        let place = Some(Place { line: self.line, column: self.column });
        Ok(Some(Text { number: self.number, place, json, fault: None, cells: None }))
    }
}

/// Finds where a value in an array ends, without knowing whether it is right.
#[derive(Debug, Default)]
struct Scan {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Scan {
    fn end(&mut self, text: &[u8]) -> Option<usize> {
        for (at, byte) in text.iter().enumerate() {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b',' | b']' | b'}' if self.depth == 0 => return Some(at),
                b']' | b'}' if self.depth == 1 => return Some(at + 1),
                b']' | b'}' => self.depth -= 1,
                _ => {}
            }
        }
        None
    }
}
