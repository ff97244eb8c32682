//! Files of records: how one record is told from the next, and reading and writing them one at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use ::record::Bind;
use clap::ValueEnum;

/// How records are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Framing {
    /// All records have the length of the copybook.
    #[default]
    Fixed,
    /// A record descriptor word before each: two bytes of length, itself included, and two of zeros (RECFM V).
    Rdw,
    /// A line feed after each; for text.
    Lines,
}

/// Bytes of a record descriptor word.
const RDW_BYTES: usize = 4;
/// How much is read at a time.
const READ_BUFFER_BYTES: usize = 256 * 1024;

/// The file, or standard input.
fn source(path: Option<&Path>) -> Result<Box<dyn Read>, String> {
    Ok(match path {
        Some(path) if path != Path::new("-") => {
            Box::new(File::open(path).map_err(|error| format!("{}: {error}", path.display()))?)
        }
        _ => Box::new(io::stdin().lock()),
    })
}

/// Reads records.
pub(super) struct Reader {
    source: BufReader<Box<dyn Read>>,
    framing: Framing,
    record: Vec<u8>,
    record_bytes: usize,
    /// Bytes read before the record that is next.
    offset: u64,
}

impl Reader {
    /// Reads the lines of a text.
    pub(super) fn lines(path: Option<&Path>) -> Result<Self, String> {
        Self::with(path, Framing::Lines, 0)
    }

    /// Reads the records of a bind.
    pub(super) fn open(path: Option<&Path>, framing: Framing, bind: &Bind) -> Result<Self, String> {
        if framing == Framing::Fixed && !bind.is_fixed() {
            return Err(
                "the copybook's records vary in length; say how they are told apart: --framing rdw or lines"
                    .to_owned(),
            );
        }
        Self::with(path, framing, bind.max_bytes())
    }

    fn with(path: Option<&Path>, framing: Framing, record_bytes: usize) -> Result<Self, String> {
        let source = BufReader::with_capacity(READ_BUFFER_BYTES, source(path)?);
        Ok(Self { source, framing, record: Vec::new(), record_bytes, offset: 0 })
    }

    /// The next record; none at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, String> {
        let found = match self.framing {
            Framing::Fixed => self.exactly(self.record_bytes)?,
            Framing::Rdw => self.with_descriptor()?,
            Framing::Lines => self.line()?,
        };
        Ok(found.then_some(&self.record))
    }

    /// Reads so many bytes; false if the file ends before the first.
    fn exactly(&mut self, bytes: usize) -> Result<bool, String> {
        self.record.resize(bytes, 0);
        let mut filled = 0;
        while filled < bytes {
            match self.source.read(&mut self.record[filled..]) {
                Ok(0) if filled == 0 => return Ok(false),
                Ok(0) => {
                    let at = self.offset;
                    return Err(format!(
                        "the file ends {filled} bytes into a record of {bytes} that starts at {at}"
                    ));
                }
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.to_string()),
            }
        }
        self.offset += bytes as u64;
        Ok(true)
    }

    fn with_descriptor(&mut self) -> Result<bool, String> {
        if !self.exactly(RDW_BYTES)? {
            return Ok(false);
        }
        let length = usize::from(u16::from_be_bytes([self.record[0], self.record[1]]));
        if length < RDW_BYTES || self.record[2..] != [0, 0] {
            let at = self.offset - RDW_BYTES as u64;
            return Err(format!("{:02X?} at {at} is no record descriptor word", self.record));
        }
        if !self.exactly(length - RDW_BYTES)? && length > RDW_BYTES {
            return Err(format!("the file ends where a record of {} bytes should start", length - RDW_BYTES));
        }
        Ok(true)
    }

    fn line(&mut self) -> Result<bool, String> {
        self.record.clear();
        let read = self.source.read_until(b'\n', &mut self.record).map_err(|error| error.to_string())?;
        self.offset += read as u64;
        if self.record.last() == Some(&b'\n') {
            self.record.pop();
        }
        if self.record.last() == Some(&b'\r') {
            self.record.pop();
        }
        Ok(read > 0)
    }
}

/// Writes records.
pub(super) struct Writer {
    target: Box<dyn Write>,
    framing: Framing,
}

impl Writer {
    pub(super) fn new(target: Box<dyn Write>, framing: Framing) -> Self {
        Self { target, framing }
    }

    pub(super) fn write(&mut self, record: &[u8]) -> Result<(), String> {
        let describe = |error: io::Error| error.to_string();
        if self.framing == Framing::Rdw {
            let length = u16::try_from(record.len() + RDW_BYTES).map_err(|_| {
                format!("a record of {} bytes is too long for a record descriptor word", record.len())
            })?;
            let [high, low] = length.to_be_bytes();
            self.target.write_all(&[high, low, 0, 0]).map_err(describe)?;
        }
        if self.framing == Framing::Lines && record.contains(&b'\n') {
            return Err("a record has a line feed in it; lines cannot hold it".to_owned());
        }
        self.target.write_all(record).map_err(describe)?;
        if self.framing == Framing::Lines {
            self.target.write_all(b"\n").map_err(describe)?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), String> {
        self.target.flush().map_err(|error| error.to_string())
    }
}
