//! One XML document to records, a part of it at a time: memory does not grow with the document.
//!
//! The document is cut between records. Each part is read as a document of its own, with the start of the whole in front
//! of it and the end tag behind it, so that the bind's own reader judges everything but where to cut.

use std::io::{Read, Write};

use memchr::memmem;
use record::{Bind, XmlText};

use crate::error::{Error, ErrorKind};
use crate::format::RECORD_BYTES_MAX;
use crate::input::{BYTE_ORDER_MARK, Input};
use crate::outcome::{Counts, Rejected};
use crate::writer::RecordWriter;

/// What stands in front of a document in UTF-16.
const UTF_16: [&[u8]; 2] = [b"\xFE\xFF", b"\xFF\xFE"];

/// How much of a document is read at a time, if a record is not longer.
const PART_BYTES: usize = 512 << 10;

/// The most bytes of one record, and of the text in front of the first one.
pub const XML_BYTES_MAX: usize = RECORD_BYTES_MAX;

/// Turns the records of one XML document into a file of records. `on_reject` gets the element of each record that does not fit.
///
/// # Errors
/// The text is not XML, the source cannot be read, the target cannot be written, or what `on_reject` gives.
pub fn encode_xml<R: Read, W: Write>(
    bind: &Bind,
    source: R,
    writer: &mut RecordWriter<W>,
    on_reject: &mut dyn FnMut(&Rejected<'_>) -> Result<(), Error>,
) -> Result<Counts, Error> {
    let mut parts = Parts::new(source);
    let mut run = Run { bind, writer, on_reject, counts: Counts::default(), record: Vec::new() };
    while parts.advance()? {
        run.part(&parts)?;
    }
    Ok(run.counts)
}

struct Run<'a, W: Write> {
    bind: &'a Bind,
    writer: &'a mut RecordWriter<W>,
    on_reject: &'a mut dyn FnMut(&Rejected<'_>) -> Result<(), Error>,
    counts: Counts,
    record: Vec<u8>,
}

impl<W: Write> Run<'_, W> {
    fn part<R: Read>(&mut self, part: &Parts<R>) -> Result<(), Error> {
        let fault = |error| Error::data(part.in_document(error));
        let text = XmlText::new(&part.text).map_err(fault)?;
        let mut records = text.records(self.bind).map_err(fault)?;
        loop {
            let read = records.read(&mut self.record);
            if let Ok(false) = read {
                return Ok(());
            }
            self.counts.read += 1;
            let number = self.counts.read;
            let error = match read {
                Ok(_) => match self.writer.write(&self.record) {
                    Ok(()) => continue,
                    Err(error) if error.kind == ErrorKind::Io => return Err(error),
                    Err(error) => error,
                },
                // Behind a fault of XML nothing can be read.
                Err(error)
                    if matches!(error.kind, record::ErrorKind::Syntax | record::ErrorKind::TooDeep) =>
                {
                    return Err(fault(error));
                }
                Err(error) => fault(error),
            };
            self.counts.rejected += 1;
            let error = Error { record: Some(number), ..error };
            let bytes = records.last_text().as_bytes();
            (self.on_reject)(&Rejected {
                number,
                offset: None,
                bytes,
                around: part.around(),
                error: &error,
            })?;
        }
    }
}

/// A document in parts, each a document of its own.
struct Parts<R> {
    input: Input<R>,
    /// The beginning of every part: all up to the first record.
    head: Vec<u8>,
    /// The end of all parts but the last one.
    tail: Vec<u8>,
    /// The part.
    text: Vec<u8>,
    /// Where the records of the part begin, in the part and in the document.
    in_part: Place,
    in_document: Place,
    /// Where in the document the next part begins.
    next: Place,
    begun: bool,
    ended: bool,
}

/// A line and a column, both from 1.
type Place = (usize, usize);

impl<R: Read> Parts<R> {
    fn new(source: R) -> Self {
        Self {
            input: Input::new(source),
            head: Vec::new(),
            tail: Vec::new(),
            text: Vec::new(),
            in_part: (1, 1),
            in_document: (1, 1),
            next: (1, 1),
            begun: false,
            ended: false,
        }
    }

    /// Goes to the next part; false behind the last one.
    fn advance(&mut self) -> Result<bool, Error> {
        if self.ended {
            return Ok(false);
        }
        let is_first = !std::mem::replace(&mut self.begun, true);
        let mut scan = Scan { depth: usize::from(!is_first), ..Scan::default() };
        let mut wanted = PART_BYTES;
        self.input.ensure(UTF_16[0].len())?;
        // UTF-16 is read as a whole, and not cut.
        let is_utf16 = is_first && UTF_16.iter().any(|mark| self.input.bytes().starts_with(mark));
        scan.is_lost = is_utf16;
        let taken = loop {
            let there = self.input.ensure(wanted)?;
            if there > XML_BYTES_MAX && !is_utf16 {
                let line = behind(self.next, &self.input.bytes()[..scan.at]).0;
                let message = format!("expected a record of at most {XML_BYTES_MAX} bytes");
                return Err(Error::new(ErrorKind::Text, message).on_line(line as u64));
            }
            if there < wanted {
                self.ended = true;
                // Rejected records need what is around them.
                scan.run(if is_first { self.input.bytes() } else { &[] });
                break there;
            }
            scan.run(self.input.bytes());
            if let Some(cut) = scan.cut {
                break cut;
            }
            if scan.is_refused {
                // The reader says why, so the rest is of no use.
                self.ended = true;
                break there;
            }
            // A long record.
            wanted = if is_utf16 { 2 * there } else { (2 * there).min(XML_BYTES_MAX + 1) };
        };
        let bytes = &self.input.bytes()[..taken];
        if !is_first {
            check_characters(bytes, self.input.offset(), self.next)?;
        }
        self.text.clear();
        self.text.extend_from_slice(&self.head);
        self.text.extend_from_slice(bytes);
        self.in_document = self.next;
        self.next = behind(self.next, bytes);
        if let (true, Some(head)) = (is_first, scan.head) {
            self.head = bytes[..head.end].to_vec();
            self.tail = [b"</", &bytes[head.name], b">".as_slice()].concat();
        }
        self.input.consume(taken);
        if !self.ended {
            self.text.extend_from_slice(&self.tail);
        }
        self.in_part = if is_first { (1, 1) } else { behind((1, 1), &self.head) };
        Ok(true)
    }

    /// What every part has around its records.
    fn around(&self) -> Option<(&[u8], &[u8])> {
        (!self.head.is_empty()).then_some((&*self.head, &*self.tail))
    }

    /// The error with its place in the document, in place of that in the part.
    #[cold]
    fn in_document(&self, error: record::Error) -> record::Error {
        let (first, start) = (self.in_part, self.in_document);
        let position = error.position.map(|(line, column)| match line {
            line if line == first.0 => (start.0, start.1 + column.saturating_sub(first.1)),
            line if line > first.0 => (start.0 + line - first.0, column),
            line => (line, column),
        });
        record::Error { position, ..error }
    }
}

/// Sees that a part other than the first is UTF-8: its bytes are counted from the start of the document.
fn check_characters(bytes: &[u8], offset: u64, start: Place) -> Result<(), Error> {
    std::str::from_utf8(bytes).map(drop).map_err(|error| {
        let (line, column) = behind(start, &bytes[..error.valid_up_to()]);
        let at = offset + error.valid_up_to() as u64;
        let message = format!("byte {at} of the text is not UTF-8 (line {line}, column {column})");
        Error::new(ErrorKind::Data, message)
    })
}

/// The place behind a text that begins at a place.
fn behind(start: Place, text: &[u8]) -> Place {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let lines = memchr::memchr_iter(b'\n', text).count();
    let last = memchr::memrchr(b'\n', text).map_or(0, |at| at + 1);
    // Every byte that does not continue a UTF-8 sequence begins a character.
    let characters = text[last..].iter().filter(|byte| **byte & 0xC0 != 0x80).count();
    (start.0 + lines, if lines > 0 { 1 } else { start.1 } + characters)
}

/// Looks for the ends of records. It need not know what is right: what it cannot follow, it does not cut.
#[derive(Default)]
struct Scan {
    at: usize,
    /// Elements that are open.
    depth: usize,
    /// The start tag around the records, once it was passed.
    head: Option<Head>,
    /// Behind the last record that ends in what was read.
    cut: Option<usize>,
    /// Nothing can be cut from here on.
    is_lost: bool,
    /// The reader refuses this text.
    is_refused: bool,
}

#[derive(Clone)]
struct Head {
    end: usize,
    name: std::ops::Range<usize>,
}

impl Scan {
    /// Goes on in a text that is longer than before.
    fn run(&mut self, text: &[u8]) {
        while !self.is_lost {
            let Some(found) = memchr::memchr(b'<', &text[self.at..]) else {
                self.at = text.len();
                return;
            };
            let start = self.at + found;
            self.at = start;
            let Some(end) = self.markup(&text[start..]) else { return };
            let is_within = self.depth <= 1;
            match text.get(start + 1) {
                Some(b'!' | b'?') => {}
                Some(b'/') => {
                    self.depth = self.depth.saturating_sub(1);
                    self.cut = if self.depth == 1 { Some(start + end) } else { self.cut };
                    self.is_lost |= self.depth == 0;
                }
                _ if self.depth == 0 => {
                    let stop = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
                    let length = text[start + 1..].iter().position(stop).unwrap_or_default();
                    self.head = Some(Head { end: start + end, name: start + 1..start + 1 + length });
                    self.depth = 1;
                    // Without content there is nothing to cut.
                    self.is_lost |= text[start + end - 2] == b'/';
                }
                _ if text[start + end - 2] == b'/' => {
                    self.cut = if is_within { Some(start + end) } else { self.cut };
                }
                _ => self.depth += 1,
            }
            self.at = start + end;
        }
    }

    /// The bytes of the tag or comment that a text begins with; none if its end was not read yet.
    fn markup(&mut self, text: &[u8]) -> Option<usize> {
        let until = |start: usize, mark: &[u8]| {
            memmem::find(text.get(start..)?, mark).map(|at| start + at + mark.len())
        };
        if text.starts_with(b"<!--") {
            return until(4, b"-->");
        }
        if text.starts_with(b"<![CDATA[") {
            return until(9, b"]]>");
        }
        if text.starts_with(b"<?") {
            return until(2, b"?>");
        }
        if text.starts_with(b"<!") {
            // A document type, or what is about to be one of the others.
            self.is_refused |= text.len() >= 9;
            self.is_lost |= self.is_refused;
            return None;
        }
        let mut at = 1;
        loop {
            at += text.get(at..)?.iter().position(|byte| matches!(byte, b'>' | b'"' | b'\''))?;
            if text[at] == b'>' {
                return Some(at + 1);
            }
            at += 2 + memchr::memchr(text[at], &text[at + 1..])?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_cut_between_records() {
        let text = b"<?xml version='1.0'?><!-- <a> --><p:r a='>'><x><y/></x> <z b=\"/>\"/><![CDATA[</x>]]><x></x></p:r> ";
        for length in 0..=text.len() {
            // Whatever was read so far, the cuts are the same.
            let mut scan = Scan::default();
            for end in [length, text.len()] {
                scan.run(&text[..end]);
            }
            let cut = scan.cut.map(|at| &text[at..]);
            assert_eq!(cut, Some(b"</p:r> ".as_slice()));
            assert_eq!(scan.head.map(|head| text[head.name].to_vec()), Some(b"p:r".to_vec()));
        }
        for text in
            ["", "<r/>", "<r>", "<!DOCTYPE r []><r><x/></r>", "<r><x>", "</r>", "<r a='><x/>", "\u{0}<"]
        {
            let mut scan = Scan::default();
            scan.run(text.as_bytes());
            assert_eq!(scan.cut, None, "{text}");
        }
    }
}
