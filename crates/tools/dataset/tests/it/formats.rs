//! Each record format by hand-made bytes, and each fault with its text and place.

use dataset::{ErrorKind, Format, LineEnd, Portion, RecordFormat};

use crate::{Case, read_all, write_all};

const FIVE: &str = "01 R. 05 F PIC X(5).";
const COUNTED: &str = "01 R. 05 N PIC 9. 05 T PIC XX OCCURS 0 TO 9 DEPENDING ON N. 05 Z PIC X.";

fn format(recfm: RecordFormat) -> Format {
    Format { recfm, ..Format::default() }
}

fn blocked(recfm: RecordFormat) -> Format {
    Format { recfm, block_words: true, ..Format::default() }
}

/// Reads all, and writes what was read: the same bytes must come out.
#[track_caller]
fn both_ways(case: &Case, format: &Format, file: &[u8], expected: &[&[u8]]) {
    let framing = case.framing(format).expect("a framing");
    let (records, error) = read_all(file, &framing, Portion::default());
    assert!(error.is_none(), "{error:?}");
    assert_eq!(records, expected);
    assert_eq!(write_all(&records, &framing).expect("records that fit"), file);
}

#[track_caller]
fn fault(case: &Case, format: &Format, file: &[u8], good: usize, kind: ErrorKind, text: &str) {
    let (records, error) = read_all(file, &case.framing(format).expect("a framing"), Portion::default());
    let error = error.expect("a fault");
    assert_eq!((records.len(), error.kind, error.to_string().as_str()), (good, kind, text));
}

#[test]
fn fixed() {
    let case = Case::new(FIVE, 819);
    both_ways(&case, &format(RecordFormat::Fixed), b"aaaaabbbbb", &[b"aaaaa", b"bbbbb"]);
    both_ways(&case, &format(RecordFormat::Fixed), b"", &[]);
    fault(
        &case,
        &format(RecordFormat::Fixed),
        b"aaaaabb",
        1,
        ErrorKind::Length,
        "record 2: the file ends 2 bytes into a record of 5 (file offset 5)",
    );
    fault(
        &case,
        &format(RecordFormat::Fixed),
        b"aaaaa\n",
        1,
        ErrorKind::Length,
        "record 2: the file ends 1 byte into a record of 5; it is a line end (file offset 5)",
    );
}

#[test]
fn a_record_length_of_its_own() {
    let case = Case::new(FIVE, 819);
    let longer = Format { record_bytes: Some(8), ..Format::default() };
    let framing = case.framing(&longer).expect("a framing");
    assert_eq!(framing.undescribed_bytes(), 3);
    let (records, _) = read_all(b"aaaaa123bbbbb456", &framing, Portion::default());
    assert_eq!(records, [b"aaaaa", b"bbbbb"]);
    assert_eq!(write_all(&records, &framing).expect("room"), b"aaaaa   bbbbb   ");
    let error = write_all(&[b"123456789"], &framing).expect_err("too long");
    assert_eq!(error.to_string(), "record 1: the record has 9 bytes, 8 is the record length");
    // Records that vary in length fit a length that is given.
    let counted = Case::new(COUNTED, 819);
    let framing = counted.framing(&Format { record_bytes: Some(20), ..Format::default() });
    assert!(framing.is_ok());
}

#[test]
fn variable() {
    let case = Case::new(FIVE, 819);
    let file = b"\0\x06\0\0ab\0\x04\0\0\0\x09\0\0abcde";
    both_ways(&case, &format(RecordFormat::Variable), file, &[b"ab", b"", b"abcde"]);
    let cases: [(&[u8], ErrorKind, &str); 6] = [
        (
            b"\0\x03\0\0",
            ErrorKind::Descriptor,
            "00 03 00 00 is not a descriptor word: the length is less than the word's own 4 bytes",
        ),
        (
            b"\0\x05\0\x01a",
            ErrorKind::Descriptor,
            "00 05 00 01 is not a descriptor word: the last two bytes are not zeros",
        ),
        (
            b"\0\x05\x01\0a",
            ErrorKind::Descriptor,
            "00 05 01 00 is not a descriptor word: the last two bytes are not zeros; is the file spanned (vbs)?",
        ),
        (
            b"\x7f\xf9\0\0a",
            ErrorKind::Descriptor,
            "7F F9 00 00 is not a descriptor word: the length is more than 32760 bytes",
        ),
        (b"\0\x08\0\0ab", ErrorKind::Length, "the file ends 2 bytes into a record of 4"),
        (b"\0\x08", ErrorKind::Length, "the file ends 2 bytes into a descriptor word of 4"),
    ];
    for (rest, kind, text) in cases {
        let file = [b"\0\x05\0\0x".as_slice(), rest].concat();
        let text = format!("record 2: {text} (file offset 5)");
        fault(&case, &format(RecordFormat::Variable), &file, 1, kind, &text);
    }
    let framing = case.framing(&format(RecordFormat::Variable)).expect("a framing");
    assert!(write_all(&[vec![0; 32_756]], &framing).is_ok());
    let error = write_all(&[vec![0; 32_757]], &framing).expect_err("too long");
    let text = "record 1: the record has 32757 bytes, 32756 is the most that its descriptor word and block can hold; \
                longer records are spanned (vbs)";
    assert_eq!(error.to_string(), text);
}

#[test]
fn blocks() {
    let case = Case::new(FIVE, 819);
    let file = b"\0\x0f\0\0\0\x06\0\0ab\0\x05\0\0c";
    both_ways(&case, &blocked(RecordFormat::Variable), file, &[b"ab", b"c"]);
    // An extended word, an empty block and a second block are read as well.
    let file = b"\x80\0\0\x0a\0\x06\0\0ab\0\x04\0\0\0\x09\0\0\0\x05\0\0c";
    let framing = case.framing(&blocked(RecordFormat::Variable)).expect("a framing");
    let (records, error) = read_all(file, &framing, Portion::default());
    assert!(error.is_none(), "{error:?}");
    assert_eq!(records, [b"ab".as_slice(), b"c"]);
    let small = Format { block_bytes: Some(13), ..blocked(RecordFormat::Variable) };
    both_ways(&case, &small, b"\0\x0d\0\0\0\x09\0\0abcde\0\x0a\0\0\0\x06\0\0fg", &[b"abcde", b"fg"]);

    let cases: [(&[u8], ErrorKind, &str); 5] = [
        (
            b"\0\x03\0\0",
            ErrorKind::Descriptor,
            "00 03 00 00 is not a block descriptor word: it gives 3 bytes (file offset 0)",
        ),
        (
            b"\0\x0f\0\x01",
            ErrorKind::Descriptor,
            "00 0F 00 01 is not a block descriptor word: the last two bytes are not zeros (file offset 0)",
        ),
        (
            b"\0\x0a\0\0\0\x07\0\0abc",
            ErrorKind::Descriptor,
            "the descriptor word gives 7 bytes, the block has 6 left (file offset 4)",
        ),
        (
            b"\0\x0a\0\0\0\x06\0\0",
            ErrorKind::Length,
            "the file ends 0 bytes into a record of 2 (file offset 4)",
        ),
        (
            b"\0\x0a\0\0",
            ErrorKind::Length,
            "the file ends 0 bytes into a descriptor word of 4 (file offset 4)",
        ),
    ];
    for (file, kind, text) in cases {
        fault(&case, &blocked(RecordFormat::Variable), file, 0, kind, &format!("record 1: {text}"));
    }
}

#[test]
fn spanned() {
    let case = Case::new(FIVE, 819);
    let file = b"\0\x06\x01\0ab\0\x05\x03\0c\0\x06\x02\0de\0\x05\0\0f";
    let framing = case.framing(&format(RecordFormat::Spanned)).expect("a framing");
    let (records, error) = read_all(file, &framing, Portion::default());
    assert!(error.is_none(), "{error:?}");
    assert_eq!(records, [b"abcde".as_slice(), b"f"]);
    // A record longer than a segment, without blocks; and null segments are passed over.
    let long = vec![b'x'; 70_000];
    let written = write_all(&[&long], &framing).expect("any length");
    assert_eq!(written.len(), 70_000 + 3 * 4);
    let padded = [b"\x80\x06\0\0??".as_slice(), &written].concat();
    assert_eq!(read_all(&padded, &framing, Portion::default()).0, [long]);

    let cases: [(&[u8], ErrorKind, &str); 5] = [
        (
            b"\0\x05\x02\0a",
            ErrorKind::Descriptor,
            "a last segment without a first one before it (file offset 0)",
        ),
        (
            b"\0\x05\x03\0a",
            ErrorKind::Descriptor,
            "a middle segment without a first one before it (file offset 0)",
        ),
        (
            b"\0\x05\x01\0a\0\x05\x01\0a",
            ErrorKind::Descriptor,
            "a first segment follows, but the record before has no last segment yet (file offset 5)",
        ),
        (
            b"\0\x05\x04\0a",
            ErrorKind::Descriptor,
            "00 05 04 00 is not a descriptor word: its third byte must be 00 to 03 and its fourth 00 (file offset 0)",
        ),
        (
            b"\0\x05\x01\0a",
            ErrorKind::Length,
            "the file ends after 1 bytes of a spanned record (file offset 5)",
        ),
    ];
    for (file, kind, text) in cases {
        fault(&case, &format(RecordFormat::Spanned), file, 0, kind, &format!("record 1: {text}"));
    }
}

#[test]
fn spanned_records_fill_blocks() {
    let case = Case::new(FIVE, 819);
    let small = Format { block_bytes: Some(14), ..blocked(RecordFormat::Spanned) };
    let file = b"\0\x0e\0\0\0\x0a\x01\0abcdef\0\x0e\0\0\0\x05\x02\0g\0\x05\x01\0h\0\x09\0\0\0\x05\x02\0i";
    both_ways(&case, &small, file, &[b"abcdefg", b"hi"]);
}

#[test]
fn lines() {
    let case = Case::new(FIVE, 819);
    both_ways(&case, &format(RecordFormat::Lines), b"abcde\n\nab\n", &[b"abcde", b"", b"ab"]);
    let framing = case.framing(&format(RecordFormat::Lines)).expect("a framing");
    let (records, _) = read_all(b"abcde\r\nfghij", &framing, Portion::default());
    assert_eq!(records, [b"abcde", b"fghij"]);
    let crlf = Format { line_end: LineEnd::CrLf, ..format(RecordFormat::Lines) };
    both_ways(&case, &crlf, b"ab\rde\r\nab\r\r\n", &[b"ab\rde", b"ab\r"]);
    let lf = Format { line_end: LineEnd::Lf, ..format(RecordFormat::Lines) };
    both_ways(&case, &lf, b"ab\rd\r\nab\n", &[b"ab\rd\r", b"ab"]);
    for (record, byte) in [(b"ab\nde", "0A"), (b"abcd\r", "0D")] {
        let error = write_all(&[record], &framing).expect_err("a byte that ends lines");
        assert_eq!(
            error.to_string(),
            format!("record 1: the record holds the byte {byte}, which would end its line")
        );
    }
}

#[test]
fn lines_in_ebcdic_and_without_blanks() {
    let case = Case::new(FIVE, 37);
    both_ways(
        &case,
        &format(RecordFormat::Lines),
        b"\xc1\xc2\xc3\xc4\xc5\x15\xc1\x15",
        &[b"\xc1\xc2\xc3\xc4\xc5", b"\xc1"],
    );
    let feed = Format { line_end: LineEnd::EbcdicLf, ..format(RecordFormat::Lines) };
    both_ways(&case, &feed, b"\xc1\x25", &[b"\xc1"]);
    let newline = Format { line_end: LineEnd::Nl, ..format(RecordFormat::Lines) };
    both_ways(&case, &newline, b"\xc1\x15", &[b"\xc1"]);
    let trimmed = Format { trimmed_lines: true, ..format(RecordFormat::Lines) };
    both_ways(&case, &trimmed, b"\xc1\x15\x15", &[b"\xc1\x40\x40\x40\x40", b"\x40\x40\x40\x40\x40"]);
}

#[test]
fn records_by_their_counters() {
    let case = Case::new(COUNTED, 819);
    both_ways(&case, &format(RecordFormat::Counted), b"2aabbz0z1ccz", &[b"2aabbz", b"0z", b"1ccz"]);
    let cases: [(&[u8], &str); 3] = [
        (
            b"0zxaaz",
            "record 2: N, which says how long the record is: the bytes 78 are not a number of the field's type (file offset 2)",
        ),
        (b"0z3aabb", "record 2: the file ends 5 bytes into a record of 8 or more (file offset 2)"),
        (b"0z3", "record 2: the file ends 1 bytes into a record of 8 or more (file offset 2)"),
    ];
    for (file, text) in cases {
        let framing = case.framing(&format(RecordFormat::Counted)).expect("a framing");
        let (records, error) = read_all(file, &framing, Portion::default());
        assert_eq!((records.len(), error.expect("a fault").to_string().as_str()), (1, text));
    }
    let framing = case.framing(&format(RecordFormat::Counted)).expect("a framing");
    let error = write_all(&[b"2aaz"], &framing).expect_err("one row is missing");
    assert_eq!(error.to_string(), "record 1: the record has 4 bytes, by its counters 6");
}

#[test]
fn records_by_counters_in_rows_of_tables() {
    let text = "01 R. 05 N PIC 9. 05 T OCCURS 1 TO 3 DEPENDING ON N.
                  10 M PIC 9. 10 U PIC X OCCURS 0 TO 4 DEPENDING ON M.
                05 E PIC 99. 05 V PIC X OCCURS 10 TO 20 DEPENDING ON E.";
    let case = Case::new(text, 819);
    let file = b"22ab1c10xxxxxxxxxx1011yyyyyyyyyyy";
    both_ways(&case, &format(RecordFormat::Counted), file, &[b"22ab1c10xxxxxxxxxx", b"1011yyyyyyyyyyy"]);
    fault(
        &case,
        &format(RecordFormat::Counted),
        b"1009zzzzzzzzz",
        0,
        ErrorKind::Data,
        "record 1: the counter of V holds 9, the table has 10 to 20 rows (file offset 0)",
    );
}

#[test]
fn gnucobol() {
    let case = Case::new(FIVE, 819);
    both_ways(
        &case,
        &format(RecordFormat::GnuCobol),
        b"\0\x02\0\0ab\0\0\0\0\0\x01\0\0c",
        &[b"ab", b"", b"c"],
    );
    fault(
        &case,
        &format(RecordFormat::GnuCobol),
        b"\0\x02\0\0a",
        0,
        ErrorKind::Length,
        "record 1: the file ends 1 bytes into a record of 2 (file offset 0)",
    );
    let framing = case.framing(&format(RecordFormat::GnuCobol)).expect("a framing");
    let error = write_all(&[vec![0; 65_536]], &framing).expect_err("too long");
    let text = "record 1: the record has 65536 bytes, 65535 is the most that its length prefix can hold";
    assert_eq!(error.to_string(), text);
}

#[test]
fn lengths_with_the_low_byte_first() {
    let case = Case::new(FIVE, 819);
    let format = format(RecordFormat::LittleEndian);
    both_ways(&case, &format, b"\0\0\x02\0ab\0\0\x01\0c", &[b"ab", b"c"]);
    fault(
        &case,
        &format,
        b"\0\x02\0\0ab",
        0,
        ErrorKind::Descriptor,
        "record 1: 00 02 00 00 is not a record length: the first two bytes are not zeros (file offset 0)",
    );
}

#[test]
fn portions() {
    let case = Case::new("01 R PIC X.", 819);
    let framing = case.framing(&Format::default()).expect("a framing");
    let read = |portion: Portion| {
        let (records, error) = read_all(b"#abcdef", &framing, portion);
        assert!(error.is_none(), "{error:?}");
        String::from_utf8(records.concat()).expect("ASCII")
    };
    assert_eq!(read(Portion { skip_bytes: 1, ..Portion::default() }), "abcdef");
    assert_eq!(read(Portion { skip: 3, limit: Some(2), ..Portion::default() }), "cd");
    assert_eq!(read(Portion { skip_last: 2, ..Portion::default() }), "#abcd");
    assert_eq!(read(Portion { skip: 1, skip_last: 2, limit: Some(3), ..Portion::default() }), "abc");
    assert_eq!(read(Portion { skip: 9, skip_last: 9, ..Portion::default() }), "");
    let (_, error) = read_all(b"#abc", &framing, Portion { skip_bytes: 5, ..Portion::default() });
    assert_eq!(error.expect("too few bytes").to_string(), "the file has 4 bytes, 5 are to be skipped");
}

#[test]
fn numbers_and_offsets_of_records() {
    let case = Case::new(FIVE, 819);
    let framing = case.framing(&format(RecordFormat::Variable)).expect("a framing");
    let file = b"\0\x06\0\0ab\0\x05\0\0c\0\x05\0\0d".as_slice();
    for skip_last in [0, 1] {
        let portion = Portion { skip: 1, skip_last, ..Portion::default() };
        let mut reader = dataset::RecordReader::new(file, &framing, portion).expect("a portion");
        let record = reader.next_record().expect("right").expect("a record");
        assert_eq!((record.number, record.offset, record.bytes), (2, 10, b"c".as_slice()));
    }
}

#[test]
fn what_a_format_cannot_be() {
    let fixed = Case::new(FIVE, 37);
    let varying = Case::new(COUNTED, 37);
    let refused = |case: &Case, format: Format| {
        let error = case.framing(&format).expect_err("refused");
        assert_eq!(error.kind, ErrorKind::Setting);
        error.message
    };
    assert!(
        refused(&fixed, format(RecordFormat::Undefined)).starts_with("RECFM=U has no records, only blocks")
    );
    assert!(
        refused(&varying, format(RecordFormat::Fixed)).starts_with("the copybook's records vary in length")
    );
    let trimmed = Format { trimmed_lines: true, ..format(RecordFormat::Lines) };
    assert!(refused(&varying, trimmed).contains("cannot be put back"));
    assert_eq!(
        refused(&fixed, Format { record_bytes: Some(5), ..format(RecordFormat::Variable) }),
        "a record length (--lrecl): only for f and fb; the record format is vb (--recfm)"
    );
    assert_eq!(
        refused(&fixed, Format { block_words: true, ..Format::default() }),
        "block descriptor words (--bdw): only for v, vb, vs and vbs; the record format is fb (--recfm)"
    );
    assert_eq!(
        refused(&fixed, Format { block_bytes: Some(8), ..blocked(RecordFormat::Variable) }),
        "a block has 9 to 32760 bytes, not 8"
    );
    assert_eq!(
        refused(&fixed, Format { record_bytes: Some(0), ..Format::default() }),
        "a record has 1 to 134217728 bytes"
    );
}
