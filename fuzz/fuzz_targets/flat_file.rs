//! Any bytes as a flat file of records: refused, or records that are the same when they are written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use region::{Allowed, FileDefinition, FileOrganization, FileStatus, FlatReader, RecordFormat, write_flat};

fn records(definition: &FileDefinition, format: RecordFormat, bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut reader = FlatReader::new(definition, format, bytes);
    let mut records = Vec::new();
    while let Some(record) = reader.next_record().ok()? {
        records.push(record);
    }
    Some(records)
}

fuzz_target!(|bytes: &[u8]| {
    let [first, bytes @ ..] = bytes else { return };
    let definition = FileDefinition {
        name: *b"FLAT    ",
        organization: FileOrganization::EntrySequenced,
        record_bytes: usize::from(first >> 3) + 1,
        fixed: first & 1 == 1,
        recoverable: true,
        allowed: Allowed::ALL,
        status: FileStatus::Open,
        initial: None,
        path: None,
    };
    let format = match (first >> 1) & 3 {
        0 => RecordFormat::Fixed,
        1 => RecordFormat::Lines,
        _ => RecordFormat::Variable,
    };
    let Some(found) = records(&definition, format, bytes) else { return };
    let mut again = Vec::new();
    for record in &found {
        if write_flat(&mut again, format, record).is_err() {
            return;
        }
    }
    assert_eq!(records(&definition, format, &again), Some(found));
});
