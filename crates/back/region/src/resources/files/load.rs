//! Records from flat files and into them: a file's first records, and loading and unloading while no region runs.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::ops::Bound;
use std::path::Path;

use store::{Direction, ErrorKind, Unit};

use super::commands::embedded_key;
use super::records::{Found, address_key, number_key};
use super::upgrade::Change;
use super::{FileDefinition, FileOrganization, Initial, OpenFile, open};
use crate::resources::durable::Durable;

/// How a flat file has records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordFormat {
    /// One after the other, all of the file's length.
    Fixed,
    /// Each in a line; in a file of fixed length filled with blanks.
    Lines,
    /// Each after four bytes: two with its length and theirs, the highest first, and two of zeros (RDW).
    Variable,
}

/// The bytes of a record descriptor word.
const RDW_BYTES: usize = 4;

/// How many records are committed together when a file is loaded.
const LOAD_UNIT_RECORDS: usize = 10_000;

/// Takes one record after the other out of a flat file.
#[derive(Debug)]
pub struct FlatReader<R> {
    from: R,
    format: RecordFormat,
    record_bytes: usize,
    fixed: bool,
}

impl<R: BufRead> FlatReader<R> {
    /// The records of a flat file for a file of that definition.
    pub fn new(definition: &FileDefinition, format: RecordFormat, from: R) -> Self {
        let FileDefinition { record_bytes, fixed, .. } = *definition;
        Self { from, format, record_bytes, fixed }
    }

    /// The next record; none at the end.
    ///
    /// # Errors
    /// `InvalidData` if the bytes are not a record of this format; errors of reading.
    pub fn next_record(&mut self) -> io::Result<Option<Vec<u8>>> {
        match self.format {
            RecordFormat::Fixed => self.exactly(self.record_bytes),
            RecordFormat::Variable => {
                let Some(descriptor) = self.exactly(RDW_BYTES)? else { return Ok(None) };
                let length = usize::from(u16::from_be_bytes([descriptor[0], descriptor[1]]));
                if length <= RDW_BYTES || descriptor[2..] != [0, 0] {
                    return Err(bad(format!("expected a record descriptor word, found {descriptor:02X?}")));
                }
                let record = self.exactly(length - RDW_BYTES)?;
                record.ok_or_else(|| bad("the file ends after a record descriptor word".to_owned())).map(Some)
            }
            RecordFormat::Lines => {
                let mut line = Vec::new();
                // No line is longer than a record, its end, and one byte that tells.
                let most = self.record_bytes as u64 + 2;
                if self.from.by_ref().take(most).read_until(b'\n', &mut line)? == 0 {
                    return Ok(None);
                }
                if line.last() == Some(&b'\n') {
                    line.pop();
                    line.pop_if(|last| *last == b'\r');
                }
                if line.len() > self.record_bytes {
                    return Err(bad(format!("expected lines of at most {} bytes", self.record_bytes)));
                }
                if self.fixed {
                    line.resize(self.record_bytes, b' ');
                }
                Ok(Some(line))
            }
        }
    }

    /// That many bytes; none at the end of the file.
    fn exactly(&mut self, count: usize) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::with_capacity(count);
        let read = self.from.by_ref().take(count as u64).read_to_end(&mut bytes)?;
        match read {
            0 => Ok(None),
            read if read == count => Ok(Some(bytes)),
            read => Err(bad(format!("expected {count} bytes, found {read} at the end of the file"))),
        }
    }
}

fn bad(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Adds a record to a flat file, as [`FlatReader`] reads it.
///
/// # Errors
/// The format cannot keep this record apart from the next; errors of writing.
pub fn write_flat(to: &mut impl Write, format: RecordFormat, record: &[u8]) -> io::Result<()> {
    match format {
        RecordFormat::Fixed => to.write_all(record),
        RecordFormat::Lines if record.contains(&b'\n') || record.ends_with(b"\r") => {
            Err(bad("a record has the bytes that end lines: use another format".to_owned()))
        }
        RecordFormat::Lines => {
            to.write_all(record)?;
            to.write_all(b"\n")
        }
        RecordFormat::Variable => {
            let length = u16::try_from(record.len() + RDW_BYTES).map_err(|error| bad(error.to_string()))?;
            to.write_all(&length.to_be_bytes())?;
            to.write_all(&[0, 0])?;
            to.write_all(record)
        }
    }
}

/// Adds the record of a number, from 1, to a file.
fn add(file: &OpenFile, unit: &mut Unit, number: u64, record: Vec<u8>) -> Result<(), String> {
    let at = |message: String| format!("record {number}: {message}");
    let FileDefinition { record_bytes, fixed, organization, .. } = file.definition;
    if record.is_empty() || record.len() > record_bytes || (fixed && record.len() != record_bytes) {
        let how = if fixed { "" } else { "1 to " };
        return Err(at(format!("expected {how}{record_bytes} bytes, found {}", record.len())));
    }
    let key = match organization {
        FileOrganization::KeySequenced { .. } => match embedded_key(file, &record) {
            Some(key) => key.to_vec(),
            None => return Err(at("it ends before its key does".to_owned())),
        },
        FileOrganization::Relative => {
            number_key(u32::try_from(number).map_err(|error| at(error.to_string()))?)
        }
        FileOrganization::EntrySequenced => address_key(0),
    };
    match file.records.insert(unit, &key, record.clone()) {
        Ok(key) => {
            let change = Change { key: &key, before: None, after: Some(&record) };
            file.upgrade(unit, change).map_err(|error| match error.kind() {
                ErrorKind::Duplicate => {
                    at("another record has an alternate key of it that is unique".to_owned())
                }
                _ => at(error.to_string()),
            })
        }
        // A file that is not recoverable may have records of a load that was cut short.
        Err(error) if error.kind() == ErrorKind::Duplicate && !file.definition.recoverable => {
            file.records.rewrite(unit, &key, record).map_err(|error| at(error.to_string()))
        }
        Err(error) if error.kind() == ErrorKind::Duplicate => {
            Err(at(format!("{error}: {}", shown_key(&key))))
        }
        Err(error) => Err(at(error.to_string())),
    }
}

/// A key as text, else in hexadecimal.
fn shown_key(key: &[u8]) -> String {
    match codepage::readable::plain(key) {
        Some(text) => format!("'{text}'"),
        None => format!("X'{}'", key.iter().map(|byte| format!("{byte:02X}")).collect::<String>()),
    }
}

/// Gives a new file its first records, as a part of the unit that makes the file.
pub(super) fn load_initial(file: &OpenFile, initial: &Initial, unit: &mut Unit) -> Result<(), String> {
    let shown = |message: String| format!("{}: {message}", initial.path.display());
    let from = std::fs::File::open(&initial.path).map_err(|error| shown(error.to_string()))?;
    let mut reader = FlatReader::new(&file.definition, initial.format, BufReader::new(from));
    let mut number = 0;
    while let Some(record) =
        reader.next_record().map_err(|error| shown(format!("after record {number}: {error}")))?
    {
        number += 1;
        add(file, unit, number, record).map_err(shown)?;
    }
    Ok(())
}

/// Gives each record with its key, in the order of the file.
fn each_record(
    file: &OpenFile,
    unit: &Unit,
    mut each: impl FnMut(&[u8], &[u8]) -> io::Result<()>,
) -> Result<u64, String> {
    let mut count = 0;
    let mut last: Option<Vec<u8>> = None;
    loop {
        let from = last.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let found = file.records.browse(unit, from, Direction::Forward);
        let Some(Found { key, record, .. }) = found.map_err(|error| error.to_string())? else {
            return Ok(count);
        };
        each(&key, &record).map_err(|error| error.to_string())?;
        count += 1;
        last = Some(key);
    }
}

/// Whether all records that are there have the lengths that the file is defined with.
///
/// # Errors
/// The first that has another one.
pub(super) fn check_lengths(file: &OpenFile, unit: &Unit) -> Result<(), String> {
    let FileDefinition { record_bytes, fixed, .. } = file.definition;
    let mut number = 0_u64;
    each_record(file, unit, |_, record| {
        number += 1;
        let fits = record.len() <= record_bytes && (!fixed || record.len() == record_bytes);
        let how = if fixed { "" } else { "at most " };
        let wrong = || {
            bad(format!(
                "the file is defined with records of {how}{record_bytes} bytes, but record {number} has {}",
                record.len()
            ))
        };
        if fits { Ok(()) } else { Err(wrong()) }
    })
    .map(|_| ())
}

/// A file of a store that no region has open, for tools.
pub struct Access {
    durable: Durable,
    file: OpenFile,
}

impl Access {
    /// Opens a file in a store, with all paths to it; all are made if they are not there.
    ///
    /// # Errors
    /// The store is in use or broken, or has the file otherwise: the reason for people.
    pub fn open(store: &Path, definition: &FileDefinition, paths: &[FileDefinition]) -> Result<Self, String> {
        let durable = Durable::new(store.to_owned());
        let opened = durable.open().map_err(|trouble| trouble.message)?;
        let file = open(definition, &paths.iter().collect::<Vec<_>>(), opened)?.swap_remove(0);
        Ok(Self { durable, file })
    }

    fn unit(&self) -> Result<Unit, String> {
        let opened = self.durable.open().map_err(|trouble| trouble.message)?;
        opened.store.unit().map_err(|error| error.to_string())
    }

    /// Adds the records of a flat file; gives their number. Records that were added before a fault stay.
    ///
    /// # Errors
    /// A record cannot be read or added. The text has its number, and how many were added before.
    pub fn load(&self, from: impl Read, format: RecordFormat) -> Result<u64, String> {
        let mut reader = FlatReader::new(&self.file.definition, format, BufReader::new(from));
        let (mut unit, mut number, mut added) = (self.unit()?, 0, 0);
        let base = self.last_number(&unit)?;
        let told = |message: String, added: u64| format!("{message}; {added} records were added");
        loop {
            let record = reader
                .next_record()
                .map_err(|error| told(format!("after record {number}: {error}"), added))?;
            if record.is_none() || unit.writes() >= LOAD_UNIT_RECORDS {
                unit.syncpoint().map_err(|error| told(error.to_string(), added))?;
                (added, unit) = (number, self.unit()?);
            }
            let Some(record) = record else { return Ok(number) };
            number += 1;
            add(&self.file, &mut unit, base + number, record).map_err(|message| told(message, added))?;
        }
    }

    /// The number of the last record of a relative file; loading goes on behind it.
    fn last_number(&self, unit: &Unit) -> Result<u64, String> {
        if self.file.definition.organization != FileOrganization::Relative {
            return Ok(0);
        }
        let last = self.file.records.browse(unit, Bound::Unbounded, Direction::Backward);
        let last = last.map_err(|error| error.to_string())?;
        Ok(last.map_or(0, |found| found.key.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))))
    }

    /// Gives each record with its key, in the order of the file; for a relative file the key is the number in four
    /// bytes, for an entry-sequenced one the address in eight.
    ///
    /// # Errors
    /// The store cannot be read, or `each` fails.
    pub fn each(&self, each: impl FnMut(&[u8], &[u8]) -> io::Result<()>) -> Result<u64, String> {
        each_record(&self.file, &self.unit()?, each)
    }

    /// Writes all records to a flat file; gives their number.
    ///
    /// # Errors
    /// As [`Access::each`], and if the format cannot keep a record apart from the next.
    pub fn unload(&self, to: &mut impl Write, format: RecordFormat) -> Result<u64, String> {
        let most = self.file.definition.record_bytes;
        self.each(|_, record| match format {
            RecordFormat::Fixed if record.len() != most => Err(bad(format!(
                "expected records of {most} bytes for this format, found one of {}: use another format",
                record.len()
            ))),
            _ => write_flat(to, format, record),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Allowed, FileStatus};
    use super::*;

    fn file(record_bytes: usize, fixed: bool) -> FileDefinition {
        FileDefinition {
            name: *b"FLAT    ",
            organization: FileOrganization::EntrySequenced,
            record_bytes,
            fixed,
            recoverable: true,
            allowed: Allowed::ALL,
            status: FileStatus::Open,
            initial: None,
            path: None,
        }
    }

    fn all(definition: &FileDefinition, format: RecordFormat, bytes: &[u8]) -> io::Result<Vec<Vec<u8>>> {
        let mut reader = FlatReader::new(definition, format, bytes);
        std::iter::from_fn(|| reader.next_record().transpose()).collect()
    }

    proptest! {
        #[test]
        fn records_come_back_as_they_were(
            records in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..9), 0..20),
        ) {
            let mut bytes = Vec::new();
            for record in &records {
                write_flat(&mut bytes, RecordFormat::Variable, record).expect("memory");
            }
            prop_assert_eq!(all(&file(8, false), RecordFormat::Variable, &bytes).expect("records"), records.clone());
            let tellable = |record: &&Vec<u8>| !record.contains(&b'\n') && !record.ends_with(b"\r");
            let lines: Vec<_> = records.iter().filter(tellable).cloned().collect();
            let mut bytes = Vec::new();
            for line in &lines {
                write_flat(&mut bytes, RecordFormat::Lines, line).expect("memory");
            }
            prop_assert_eq!(all(&file(8, false), RecordFormat::Lines, &bytes).expect("lines"), lines);
            let fixed: Vec<_> = records.iter().map(|record| [record.as_slice(), &[0; 8]].concat()[..8].to_vec()).collect();
            prop_assert_eq!(all(&file(8, true), RecordFormat::Fixed, &fixed.concat()).expect("records"), fixed);
        }
    }

    #[test]
    fn what_is_no_record_is_told() {
        let told = |format, fixed, bytes: &[u8]| {
            let error = all(&file(4, fixed), format, bytes).expect_err("no records");
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
            error.to_string()
        };
        assert_eq!(
            told(RecordFormat::Fixed, true, b"ABCDEF"),
            "expected 4 bytes, found 2 at the end of the file"
        );
        assert_eq!(told(RecordFormat::Lines, true, b"ABCDE\n"), "expected lines of at most 4 bytes");
        for bytes in [&b"\0\x04\0\0"[..], b"\0\x05\x01\0A", b"\0\x06\0\0A", b"\0\x05"] {
            told(RecordFormat::Variable, false, bytes);
        }
        assert!(write_flat(&mut Vec::new(), RecordFormat::Lines, b"A\nB").is_err());
        let short = all(&file(4, true), RecordFormat::Lines, b"A\r\n").expect("a line");
        assert_eq!(short, [b"A   "]);
    }
}
