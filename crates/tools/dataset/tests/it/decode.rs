//! Files of records to JSON, by one thread and by several, with records that do not fit.

use dataset::{Counts, Decode, Format, Output, Portion, RecordFormat, RecordReader, stop};

use crate::Case;

const NUMBERED: &str = "01 R. 05 N PIC 9(3). 05 T PIC X(2).";

fn file(count: usize, wrong: &[usize]) -> Vec<u8> {
    let record =
        |at: usize| if wrong.contains(&at) { "??? x".to_owned() } else { format!("{:03}ab", at % 1000) };
    (0..count).map(record).collect::<String>().into_bytes()
}

#[test]
fn json_lines_and_an_array() {
    let case = Case::new(NUMBERED, 819);
    let format = Format::default();
    let lines = case.decode(&file(2, &[]), &format, &Output::JsonLines, 1, false);
    assert_eq!(lines.text, "{\"n\":0,\"t\":\"ab\"}\n{\"n\":1,\"t\":\"ab\"}\n");
    let array = case.decode(&file(2, &[]), &format, &Output::JsonArray, 1, false);
    assert_eq!(array.text, "[\n{\"n\":0,\"t\":\"ab\"},\n{\"n\":1,\"t\":\"ab\"}\n]\n");
    assert_eq!(array.result.expect("right"), Counts { read: 2, rejected: 0, nulls: 0 });
    assert_eq!(case.decode(b"", &format, &Output::JsonArray, 1, false).text, "[\n]\n");
}

#[test]
fn the_first_fault_ends_the_run_with_its_place() {
    let case = Case::new(NUMBERED, 819);
    for threads in [1, 3] {
        let decoded = case.decode(&file(5, &[2, 3]), &Format::default(), &Output::JsonLines, threads, false);
        assert_eq!(decoded.text, "{\"n\":0,\"t\":\"ab\"}\n{\"n\":1,\"t\":\"ab\"}\n");
        let error = decoded.result.expect_err("a record that does not fit");
        assert_eq!((error.record, error.offset), (Some(3), Some(10)));
        assert!(error.to_string().starts_with("record 3: n: the bytes 3F 3F 3F are not a number"), "{error}");
    }
}

#[test]
fn records_that_do_not_fit_are_left_out() {
    let case = Case::new(NUMBERED, 819);
    for output in [Output::JsonLines, Output::JsonArray, Output::Csv(case.csv())] {
        let wrong = [0, 2, 4];
        let one = case.decode(&file(5, &wrong), &Format::default(), &output, 1, true);
        assert_eq!(one.result.expect("skipped"), Counts { read: 5, rejected: 3, nulls: 0 });
        assert_eq!(one.faults.len(), 3);
        let two = case.decode(&file(5, &wrong), &Format::default(), &output, 2, true);
        assert_eq!((two.text, two.faults), (one.text.clone(), one.faults));
        if matches!(output, Output::JsonArray) {
            serde_json::from_str::<Vec<serde_json::Value>>(&one.text).expect("a JSON array");
        }
    }
}

#[test]
fn threads_keep_the_order() {
    let case = Case::new(NUMBERED, 819);
    let file = file(60_000, &[17, 30_000, 59_999]);
    for output in [Output::JsonLines, Output::JsonArray] {
        let one = case.decode(&file, &Format::default(), &output, 1, true);
        let three = case.decode(&file, &Format::default(), &output, 3, true);
        assert_eq!(one.text, three.text);
        assert_eq!(one.faults, three.faults);
        assert_eq!(three.result.expect("skipped"), Counts { read: 60_000, rejected: 3, nulls: 0 });
    }
}

#[test]
fn a_file_that_breaks_off_gives_what_was_before() {
    let case = Case::new(NUMBERED, 819);
    let mut file = file(3, &[]);
    file.extend_from_slice(b"00");
    for threads in [1, 2] {
        let decoded = case.decode(&file, &Format::default(), &Output::JsonLines, threads, true);
        assert_eq!(decoded.text.lines().count(), 3);
        let error = decoded.result.expect_err("a cut record");
        assert_eq!(error.to_string(), "record 4: the file ends 2 bytes into a record of 5 (file offset 15)");
    }
}

#[test]
fn the_number_of_threads_has_limits() {
    let case = Case::new(NUMBERED, 819);
    for (threads, message) in
        [(0, "at least one thread must decode"), (257, "at most 256 threads can decode")]
    {
        let decoded = case.decode(b"", &Format::default(), &Output::JsonLines, threads, false);
        assert_eq!(decoded.result.expect_err("refused").message, message);
    }
}

/// Takes a few bytes and then nothing more.
struct Full(usize);

impl std::io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0 == 0 {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_target_that_is_full_is_an_error() {
    let case = Case::new(NUMBERED, 819);
    let framing = case.framing(&Format::default()).expect("a framing");
    for threads in [1, 2] {
        let file = file(100_000, &[]);
        let mut reader = RecordReader::new(file.as_slice(), &framing, Portion::default()).expect("a portion");
        let decode = Decode { bind: &case.bind, output: &Output::JsonLines, threads };
        let error = decode.run(&mut reader, &mut Full(300_000), &mut stop).expect_err("no room");
        assert_eq!(error.kind, dataset::ErrorKind::Io);
    }
}

#[test]
fn records_of_varying_length() {
    let text = "01 R. 05 N PIC 9. 05 T PIC X OCCURS 0 TO 5 DEPENDING ON N.";
    let case = Case::new(text, 819);
    let format = Format { recfm: RecordFormat::Counted, ..Format::default() };
    let decoded = case.decode(b"2ab01c", &format, &Output::JsonLines, 1, false);
    assert_eq!(decoded.text, "{\"t\":[\"a\",\"b\"]}\n{}\n{\"t\":[\"c\"]}\n");
}

#[test]
fn values_that_become_null_are_counted() {
    let case = Case::with("01 R. 05 A PIC 99. 05 B PIC X.", 819, |options| {
        options.policies.bad_numbers = record::BadNumber::Null;
    });
    let file = b"01nxxa  b02c".repeat(1000);
    for threads in [1, 2] {
        for output in [Output::JsonLines, Output::JsonArray, Output::Csv(case.csv()), Output::Xml] {
            let decoded = case.decode(&file, &Format::default(), &output, threads, false);
            let expected = Counts { read: 4000, rejected: 0, nulls: 2000 };
            assert_eq!(decoded.result.expect("right"), expected);
        }
    }
}
