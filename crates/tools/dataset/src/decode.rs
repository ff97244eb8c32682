//! Records to text: whole files into JSON lines, a JSON array or CSV, by one thread or by several, in order.

mod threads;

pub use threads::THREADS_MAX;

use std::io::{Read, Write};

use record::{Bind, XML_DECLARATION};

use crate::csv::CsvPlan;
use crate::error::{Error, ErrorKind};
use crate::outcome::{Counts, Rejected};
use crate::reader::RecordReader;

/// How much text is gathered before it is written.
const WRITE_BYTES: usize = 256 << 10;

/// The form that records become.
#[derive(Clone, Debug)]
pub enum Output {
    /// A line of JSON for each record.
    JsonLines,
    /// One JSON array.
    JsonArray,
    /// CSV with a line of names.
    Csv(CsvPlan),
    /// One XML document: an element for each record, in one of the name [`XML_ROOT`].
    Xml,
}

/// The name of the element around the records of an XML document.
pub const XML_ROOT: &str = "records";

/// How a file is decoded.
#[derive(Clone, Copy, Debug)]
pub struct Decode<'a> {
    /// The bind of the records.
    pub bind: &'a Bind,
    /// The form that they become.
    pub output: &'a Output,
    /// Threads that decode; 1 does without any other.
    pub threads: usize,
}

/// Where the text goes that records became.
pub trait Sink {
    /// Takes the text of some records, whole ones.
    ///
    /// # Errors
    /// It cannot be written.
    fn write(&mut self, text: &[u8]) -> Result<(), Error>;
}

/// The memory that turning records into text needs.
#[derive(Debug, Default)]
struct Scratch {
    json: Vec<u8>,
}

impl Output {
    /// Appends a record's text, and gives the number of its values that became null; after an error `out` is as it was.
    #[inline]
    fn render(
        &self,
        bind: &Bind,
        record: &[u8],
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<usize, record::Error> {
        let nulls;
        match self {
            Output::JsonLines => {
                nulls = bind.decode_counting(record, out)?;
                out.push(b'\n');
            }
            Output::JsonArray => {
                let start = out.len();
                out.extend_from_slice(b",\n");
                nulls = bind.decode_counting(record, out).inspect_err(|_| out.truncate(start))?;
            }
            Output::Xml => {
                nulls = bind.decode_xml_part(record, out)?;
                out.push(b'\n');
            }
            Output::Csv(plan) => {
                scratch.json.clear();
                nulls = bind.decode_counting(record, &mut scratch.json)?;
                plan.write_row(&scratch.json, out);
            }
        }
        Ok(nulls)
    }
}

impl Decode<'_> {
    /// Writes all records of a reader. `on_reject` is asked about each that does not fit; its error ends the run, after
    /// all records before have been written.
    ///
    /// # Errors
    /// The file cannot be read or is not of its format, the target cannot be written, or what `on_reject` gives.
    pub fn run<R: Read, W: Write>(
        &self,
        reader: &mut RecordReader<R>,
        target: &mut W,
        on_reject: &mut dyn FnMut(&Rejected<'_>) -> Result<(), Error>,
    ) -> Result<Counts, Error> {
        let (mut head, mut tail) = (Vec::new(), Vec::new());
        match self.output {
            Output::JsonLines => {}
            Output::JsonArray => {
                head.push(b'[');
                tail.extend_from_slice(b"\n]\n");
            }
            Output::Csv(plan) => plan.write_header(&mut head),
            Output::Xml => {
                let (start, end) = self.bind.xml_around(XML_ROOT);
                head = format!("{XML_DECLARATION}{start}\n").into_bytes();
                tail = format!("{end}\n").into_bytes();
            }
        }
        target.write_all(&head)?;
        let is_array = matches!(self.output, Output::JsonArray);
        let mut plain = Plain { target, leave_comma: is_array };
        let counts = self.run_into(reader, &mut plain, on_reject)?;
        target.write_all(&tail)?;
        target.flush()?;
        Ok(counts)
    }

    /// Gives the text of all records to a sink, without anything before or after them.
    ///
    /// # Errors
    /// As [`Decode::run`].
    pub fn run_into<R: Read>(
        &self,
        reader: &mut RecordReader<R>,
        sink: &mut dyn Sink,
        on_reject: &mut dyn FnMut(&Rejected<'_>) -> Result<(), Error>,
    ) -> Result<Counts, Error> {
        match self.threads {
            0 => Err(Error::setting("at least one thread must decode")),
            1 => self.run_alone(reader, sink, on_reject),
            _ => self.run_threads(reader, sink, on_reject),
        }
    }

    fn run_alone<R: Read>(
        &self,
        reader: &mut RecordReader<R>,
        sink: &mut dyn Sink,
        on_reject: &mut dyn FnMut(&Rejected<'_>) -> Result<(), Error>,
    ) -> Result<Counts, Error> {
        let (mut counts, mut scratch, mut out) = (Counts::default(), Scratch::default(), Vec::new());
        let ended = loop {
            let record = match reader.next_record() {
                Ok(Some(record)) => record,
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            };
            counts.read += 1;
            match self.output.render(self.bind, record.bytes, &mut scratch, &mut out) {
                Ok(nulls) => counts.nulls += nulls as u64,
                Err(error) => {
                    counts.rejected += 1;
                    let error = misfit(error, record.number, record.offset);
                    let (number, offset) = (record.number, Some(record.offset));
                    let answer = on_reject(&Rejected {
                        number,
                        offset,
                        bytes: record.whole,
                        around: None,
                        error: &error,
                    });
                    if answer.is_err() {
                        break answer;
                    }
                }
            }
            if out.len() >= WRITE_BYTES {
                sink.write(&out)?;
                out.clear();
            }
        };
        sink.write(&out)?;
        ended.map(|()| counts)
    }
}

/// The error of a record that does not fit; its place in the file is that of the field, where it is known.
#[cold]
fn misfit(error: record::Error, number: u64, offset: u64) -> Error {
    let field = error.offset.unwrap_or_default() as u64;
    Error::data(error).in_record(number).at(offset + field)
}

/// Text as it is.
struct Plain<'w, W> {
    target: &'w mut W,
    /// The first record of an array has no comma before it.
    leave_comma: bool,
}

impl<W: Write> Sink for Plain<'_, W> {
    fn write(&mut self, text: &[u8]) -> Result<(), Error> {
        let skipped = usize::from(self.leave_comma && !text.is_empty());
        self.leave_comma &= text.is_empty();
        Ok(self.target.write_all(&text[skipped..])?)
    }
}

/// The answer of a run that ends with the first record that does not fit.
///
/// # Errors
/// The record's error, always.
pub fn stop(rejected: &Rejected<'_>) -> Result<(), Error> {
    let Error { record, offset, line, ref message, .. } = *rejected.error;
    Err(Error { record, offset, line, ..Error::new(ErrorKind::Data, message.clone()) })
}
