//! Parquet out and back: the types of columns, and records that come back as they were.

use std::io::{Seek, Write};

use dataset::{
    Decode, Error, Format, Output, ParquetTexts, ParquetWriter, Portion, RecordFormat, RecordReader,
    RecordWriter, Sink, encode, stop,
};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::printer::print_schema;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::Case;

const ORDER: &str =
    "01 R. 05 ID PIC 9(3). 05 WHO. 10 NAME PIC X(6). 10 SUMS PIC S9(3)V99 COMP-3. 10 WIDE PIC S9(15)V99.
    10 HUGE PIC S9(29)V99. 10 LONG-N PIC 9(18). 10 THOUSANDS PIC 9(3)PPP. 10 SMALL PIC VPP99.
    05 FIXED-T PIC X OCCURS 2. 05 N PIC 9. 05 LINES-T OCCURS 0 TO 3 DEPENDING ON N. 10 A PIC X(2). 10 M PIC 9.
    10 B PIC 9 OCCURS 0 TO 2 DEPENDING ON M.";

fn counted() -> Format {
    Format { recfm: RecordFormat::Counted, ..Format::default() }
}

fn write(
    case: &Case,
    file: &[u8],
    format: &Format,
    target: &std::fs::File,
    threads: usize,
) -> Result<(), Error> {
    let mut reader = RecordReader::new(file, &case.framing(format)?, Portion::default())?;
    let mut writer = ParquetWriter::new(&case.bind, target)?;
    let decode = Decode { bind: &case.bind, output: &Output::JsonLines, threads };
    decode.run_into(&mut reader, &mut writer, &mut stop)?;
    writer.finish()
}

fn read(case: &Case, source: std::fs::File, format: &Format) -> Result<Vec<u8>, Error> {
    let mut writer = RecordWriter::new(Vec::new(), &case.framing(format)?);
    encode(&case.bind, &mut ParquetTexts::new(&case.bind, source)?, &mut writer, &mut stop)?;
    writer.finish()
}

/// The records, written and read again.
fn there_and_back(case: &Case, file: &[u8], format: &Format, threads: usize) -> Vec<u8> {
    let mut target = tempfile::tempfile().expect("a file");
    write(case, file, format, &target, threads).expect("records that fit");
    target.rewind().expect("a file");
    read(case, target, format).expect("its own rows")
}

#[test]
fn types() {
    let case = Case::new(ORDER, 37);
    let file = tempfile::tempfile().expect("a file");
    ParquetWriter::new(&case.bind, &file).and_then(ParquetWriter::finish).expect("an empty file");
    let reader = SerializedFileReader::new(file).expect("a Parquet file");
    let mut text = Vec::new();
    print_schema(&mut text, reader.metadata().file_metadata().schema());
    let text = String::from_utf8(text).expect("UTF-8");
    let words: Vec<&str> = text.split_whitespace().collect();
    let expected = "message record { OPTIONAL INT32 id; OPTIONAL group who { OPTIONAL BYTE_ARRAY name (STRING); \
                    OPTIONAL INT32 sums (DECIMAL(5,2)); OPTIONAL INT64 wide (DECIMAL(17,2)); \
                    OPTIONAL FIXED_LEN_BYTE_ARRAY (16) huge (DECIMAL(31,2)); OPTIONAL INT64 long_n; \
                    OPTIONAL INT32 thousands; OPTIONAL INT32 small (DECIMAL(4,4)); } \
                    OPTIONAL group fixed_t (LIST) { REPEATED group list { OPTIONAL BYTE_ARRAY element (STRING); } } \
                    OPTIONAL group lines_t (LIST) { REPEATED group list { OPTIONAL group element { \
                    OPTIONAL BYTE_ARRAY a (STRING); OPTIONAL group b (LIST) { REPEATED group list { \
                    OPTIONAL INT32 element; } } } } } }";
    assert_eq!(words.join(" "), expected);
}

#[test]
fn many_records_by_several_threads() {
    let case = Case::new("01 R. 05 N PIC 9(5). 05 T PIC X(3).", 819);
    let file: String = (0..50_000).map(|number| format!("{number:05}abc")).collect();
    for threads in [1, 3] {
        let back = there_and_back(&case, file.as_bytes(), &Format::default(), threads);
        assert!(back == file.as_bytes(), "50,000 records come back");
    }
}

#[test]
fn what_is_no_parquet() {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(b"no Parquet at all, not even in the end").expect("room");
    let error = ParquetTexts::new(&Case::new(ORDER, 37).bind, file).err().expect("refused");
    assert_eq!(error.kind, dataset::ErrorKind::Text);
}

#[test]
fn a_target_that_is_full() {
    let case = Case::new("01 R PIC X(4).", 819);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let result = write(&case, b"abcd", &Format::default(), &full, 1);
    assert_eq!(result.expect_err("no room").kind, dataset::ErrorKind::Io);
}

#[test]
fn text_that_is_no_json_ends() {
    let case = Case::new(ORDER, 37);
    let mut writer = ParquetWriter::new(&case.bind, Vec::new()).expect("memory");
    for text in ["", "{", "[]", "{\"id\":\"x\"}", "{\"who\":7,\"lines_t\":{}}\n", "{\"who\":{\"huge\":x}}"] {
        let _ = writer.write(text.as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn records_come_back(
        records in vec(
            (
                (0u16..1000, "[ -~\n\t]{6}", -99_999i64..100_000, -99_999_999_999_999_999i64..100_000_000_000_000_000),
                (any::<i64>(), 0u64..1_000_000_000_000_000_000, 0u16..1000, 0u16..100),
                vec(("[ -~]{2}", vec(0u8..10, 0..3)), 0..4),
            ),
            0..8,
        ),
    ) {
        let case = Case::new(ORDER, 37);
        let json: String = records
            .iter()
            .map(|((id, name, sums, wide), (huge, long, thousands, small), lines)| {
                let scaled = |mantissa: i128, scale| record::Decimal { mantissa, scale }.to_string();
                let rows: Vec<_> = lines
                    .iter()
                    .map(|(a, b)| if b.is_empty() { serde_json::json!({"a": a}) } else { serde_json::json!({"a": a, "b": b}) })
                    .collect();
                let rows = if rows.is_empty() { String::new() } else { format!(",\"lines_t\":{}", serde_json::Value::from(rows)) };
                format!(
                    "{{\"id\":{id},\"who\":{{\"name\":{},\"sums\":{},\"wide\":{},\"huge\":{},\"long_n\":{long},\"thousands\":{}000,\"small\":{}}}{rows}}}\n",
                    serde_json::Value::from(name.as_str()),
                    scaled((*sums).into(), 2),
                    scaled((*wide).into(), 2),
                    scaled(i128::from(*huge) * 1_000_000_007, 2),
                    if *thousands == 0 { String::new() } else { thousands.to_string() },
                    scaled((*small).into(), 4),
                )
            })
            .map(|line| line.replace(":000", ":0"))
            .collect();
        let (file, faults, _) = case.encode(&json, &counted());
        prop_assert!(faults.is_empty(), "{:?}", faults);
        prop_assert_eq!(there_and_back(&case, &file, &counted(), 1), file);
    }
}

proptest! {
    /// Floating point comes back to the bit, in both forms.
    #[test]
    fn floating_point_comes_back(bits in vec((any::<u32>(), any::<u64>()), 1..20)) {
        for form in [record::FloatForm::Ibm, record::FloatForm::Ieee] {
            let text = "01 R. 05 F COMP-1. 05 D COMP-2. 05 T OCCURS 1. 10 E COMP-2.";
            let case = Case::with(text, 37, |options| options.float = Some(form));
            let mut file = Vec::new();
            for (short, long) in &bits {
                let mut record = [short.to_be_bytes().as_slice(), &long.to_be_bytes(), &long.to_be_bytes()].concat();
                let mut json = Vec::new();
                let mut again = Vec::new();
                // Bytes that are not a number have no JSON, and other forms of a number come back in the normal form.
                if case.bind.decode(&record, &mut json).is_err() {
                    continue;
                }
                case.bind.encode(&json, &mut again).expect("its own JSON");
                record = again;
                file.extend_from_slice(&record);
            }
            prop_assert_eq!(&there_and_back(&case, &file, &Format::default(), 1), &file);
        }
    }
}
