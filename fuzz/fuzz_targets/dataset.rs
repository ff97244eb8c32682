//! Any bytes as a file of records: records or a clear error, in every format; what was read is written again and read
//! as the same.
#![no_main]

mod bind;

use dataset::{Format, Framing, Portion, RecordFormat, RecordReader, RecordWriter};
use libfuzzer_sys::fuzz_target;

fn read(file: &[u8], framing: &Framing) -> Vec<Vec<u8>> {
    let mut reader = RecordReader::new(file, framing, Portion::default()).expect("nothing is held back");
    let mut records = Vec::new();
    while let Ok(Some(record)) = reader.next_record() {
        records.push(record.bytes.to_vec());
    }
    records
}

fuzz_target!(|file: &[u8]| {
    let (layout, options, bind) = bind::parts();
    let variable = |recfm, block_words| Format { recfm, block_words, ..Format::default() };
    let formats = [
        variable(RecordFormat::Variable, false),
        variable(RecordFormat::Variable, true),
        variable(RecordFormat::Spanned, false),
        variable(RecordFormat::Spanned, true),
        variable(RecordFormat::Lines, false),
        variable(RecordFormat::Counted, false),
        variable(RecordFormat::GnuCobol, false),
    ];
    for format in formats {
        let framing = Framing::new(&format, layout, bind, options).expect("a format for the layout");
        let records = read(file, &framing);
        let mut writer = RecordWriter::new(Vec::new(), &framing);
        if records.iter().all(|record| writer.write(record).is_ok()) {
            let written = writer.finish().expect("memory can be written");
            assert_eq!(read(&written, &framing), records);
        }
    }
});
