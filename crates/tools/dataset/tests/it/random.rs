//! Properties: any records through any format and back are the same; any bytes are records or a clear error.

use dataset::{Format, LineEnd, Portion, RecordFormat};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::{Case, read_all, write_all};

fn formats() -> Vec<Format> {
    let mut formats = Vec::new();
    for recfm in [RecordFormat::Variable, RecordFormat::Spanned] {
        for block_bytes in [None, Some(9), Some(64)] {
            let block_words = block_bytes.is_some();
            formats.push(Format { recfm, block_words, block_bytes, ..Format::default() });
        }
    }
    for line_end in [LineEnd::ByPage, LineEnd::Lf, LineEnd::CrLf, LineEnd::Nl, LineEnd::EbcdicLf] {
        for trimmed_lines in [false, true] {
            formats.push(Format { recfm: RecordFormat::Lines, line_end, trimmed_lines, ..Format::default() });
        }
    }
    formats.extend(
        [RecordFormat::Fixed, RecordFormat::Counted, RecordFormat::GnuCobol, RecordFormat::LittleEndian]
            .map(|recfm| Format { recfm, ..Format::default() }),
    );
    formats
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50, ..ProptestConfig::default() })]

    #[test]
    fn records_of_any_length_come_back(records in vec(vec(any::<u8>(), 0..80), 0..12)) {
        let case = Case::new("01 R PIC X(40).", 37);
        for format in formats() {
            let framing = case.framing(&format).expect("a framing");
            // A format refuses a file that it cannot hold as a whole; all other records come back as they were.
            let Ok(file) = write_all(&records, &framing) else { continue };
            let (read, error) = read_all(&file, &framing, Portion::default());
            prop_assert!(error.is_none(), "{:?}: {:?}", format, error);
            let padded = |record: &Vec<u8>| {
                let mut record = record.clone();
                let wanted = format.recfm == RecordFormat::Fixed || format.trimmed_lines;
                if wanted {
                    while record.len() > 40 && record.last() == Some(&0x40) {
                        record.pop();
                    }
                    let length = record.len().max(40);
                    record.resize(length, 0x40);
                }
                record
            };
            let expected: Vec<Vec<u8>> = records.iter().map(padded).collect();
            prop_assert_eq!(read, expected, "{:?}", format);
        }
    }

    #[test]
    fn records_with_the_length_of_the_layout_come_back(records in vec(vec(any::<u8>(), 40), 0..12)) {
        let case = Case::new("01 R PIC X(40).", 37);
        for format in formats() {
            let framing = case.framing(&format).expect("a framing");
            let Ok(file) = write_all(&records, &framing) else { continue };
            let (read, error) = read_all(&file, &framing, Portion::default());
            prop_assert!(error.is_none(), "{:?}: {:?}", format, error);
            prop_assert_eq!(&read, &records, "{:?}", format);
        }
    }

    #[test]
    fn counted_records_come_back(rows in vec((0usize..=9, 0usize..=5), 0..9)) {
        let text = "01 R. 05 N PIC 9. 05 T OCCURS 0 TO 9 DEPENDING ON N. 10 X PIC X. 05 P PIC S9(3) COMP-3.
                    05 M PIC 9. 05 U PIC XX OCCURS 0 TO 5 DEPENDING ON M.";
        let case = Case::new(text, 819);
        let framing = case.framing(&Format { recfm: RecordFormat::Counted, ..Format::default() }).expect("a framing");
        let records: Vec<Vec<u8>> = rows
            .iter()
            .map(|(n, m)| {
                let mut record = format!("{n}{}", "x".repeat(*n)).into_bytes();
                record.extend_from_slice(b"\x12\x3c");
                record.extend_from_slice(format!("{m}{}", "yy".repeat(*m)).as_bytes());
                record
            })
            .collect();
        let file = write_all(&records, &framing).expect("right counters");
        let (read, error) = read_all(&file, &framing, Portion::default());
        prop_assert!(error.is_none(), "{:?}", error);
        prop_assert_eq!(read, records);
    }

    #[test]
    fn any_text_is_json_and_csv_or_an_error(text in "([\\[\\]{},:\"\\\\ \r\n]|n|t|t\\[\\]|t\\[0\\]|[0-9x]|\\{\"n\":1\\}){0,40}") {
        let case = Case::new("01 R. 05 N PIC 9. 05 T PIC X OCCURS 0 TO 3 DEPENDING ON N.", 819);
        let format = Format { recfm: RecordFormat::Variable, ..Format::default() };
        let (file, faults, result) = case.encode(&text, &format);
        if let Ok(counts) = result {
            prop_assert_eq!(faults.len() as u64, counts.rejected);
            let framing = case.framing(&format).expect("a framing");
            prop_assert_eq!(read_all(&file, &framing, Portion::default()).0.len() as u64, counts.read - counts.rejected);
        }
        if let Err(error) = case.read_csv(&text, &format) {
            prop_assert!(error.line.is_some(), "{:?}", error);
        }
    }

    #[test]
    fn any_bytes_are_records_or_an_error(
        bytes in vec(prop_oneof![Just(0u8), Just(1u8), Just(5u8), Just(0x80u8), Just(b'3'), any::<u8>()], 0..300),
        skip_last in 0usize..3,
    ) {
        let fixed = Case::new("01 R PIC X(40).", 819);
        let counted = Case::new("01 R. 05 N PIC 9. 05 T PIC X OCCURS 0 TO 9 DEPENDING ON N.", 819);
        for format in formats() {
            let case = if format.recfm == RecordFormat::Counted { &counted } else { &fixed };
            let framing = case.framing(&format).expect("a framing");
            let portion = Portion { skip_last, ..Portion::default() };
            let (records, error) = read_all(&bytes, &framing, portion);
            let held: usize = records.iter().map(Vec::len).sum();
            prop_assert!(format.trimmed_lines || held <= bytes.len());
            if let Some(error) = error {
                let offset = error.offset.expect("every fault has its place");
                prop_assert!(offset <= bytes.len() as u64);
                prop_assert!(error.record.is_some_and(|number| number > records.len() as u64));
            }
        }
    }
}
