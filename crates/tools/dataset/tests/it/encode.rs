//! JSON to files of records: lines and arrays, and what is wrong with them.

use dataset::{Counts, ErrorKind, Format};

use crate::Case;

const NUMBERED: &str = "01 R. 05 N PIC 9(3). 05 T PIC X(2).";

#[test]
fn lines_and_arrays_give_the_same_records() {
    let case = Case::new(NUMBERED, 819);
    let texts = [
        "{\"n\":1,\"t\":\"ab\"}\n{\"n\":2,\"t\":\"]\"}\n",
        "\n  {\"n\":1,\"t\":\"ab\"}\r\n\n{\"n\":2,\"t\":\"]\"}",
        "[{\"n\":1,\"t\":\"ab\"},{\"n\":2,\"t\":\"]\"}]",
        " [\n  {\n \"n\": 1,\n \"t\": \"ab\" }\n , {\"n\":2,\"t\":\"]\"} ]\n",
    ];
    for text in texts {
        let (file, faults, result) = case.encode(text, &Format::default());
        assert_eq!(result.expect("right"), Counts { read: 2, rejected: 0, nulls: 0 }, "{text}");
        assert_eq!((file.as_slice(), faults.as_slice()), (b"001ab002] ".as_slice(), [].as_slice()), "{text}");
    }
    for nothing in ["", " \n ", "[]", "[ ]\n"] {
        let (file, _, result) = case.encode(nothing, &Format::default());
        assert_eq!((file.len(), result.expect("right").read), (0, 0));
    }
}

#[test]
fn a_text_that_does_not_fit_is_told_with_its_line() {
    let case = Case::new(NUMBERED, 819);
    let text = "{\"n\":1}\n\n{\"n\":1000}\n{\"n\":2,\n{\"n\":3}\n";
    let (file, faults, result) = case.encode(text, &Format::default());
    assert_eq!(file, b"001  003  ");
    assert_eq!(result.expect("skipped"), Counts { read: 4, rejected: 2, nulls: 0 });
    assert!(faults[0].starts_with("line 3: n: the number is greater than"), "{}", faults[0]);
    assert!(faults[0].ends_with("| {\"n\":1000}"), "{}", faults[0]);
    assert!(faults[1].starts_with("line 4: "), "{}", faults[1]);
}

#[test]
fn an_array_that_is_none_is_told_with_its_line() {
    let case = Case::new(NUMBERED, 819);
    let cases = [
        ("[{\"n\":1}", "line 1: the array does not end"),
        ("[\n{\"n\":1", "line 2: the array ends within an element"),
        ("[{\"n\":1}\n{\"n\":2}]", "line 2: expected ',' or ']' after an element"),
        ("[{\"n\":1}] x", "line 1: something follows the array"),
        ("[{\"n\":1},]", "line 1: expected an element after the comma"),
        ("[\"a", "line 1: the array ends within an element"),
    ];
    for (text, expected) in cases {
        let (_, _, result) = case.encode(text, &Format::default());
        let error = result.expect_err("no array");
        assert_eq!((error.kind, error.to_string().as_str()), (ErrorKind::Text, expected), "{text}");
    }
}

#[test]
fn what_the_format_cannot_hold_is_left_out_too() {
    let case = Case::new("01 R PIC X(3).", 819);
    let format = Format { recfm: dataset::RecordFormat::Lines, ..Format::default() };
    let (file, faults, _) = case.encode("{\"r\":\"a\\nb\"}\n{\"r\":\"abc\"}\n", &format);
    assert_eq!(file, b"abc\n");
    assert!(faults[0].starts_with("line 1: the record holds the byte 0A"), "{}", faults[0]);
}

#[test]
fn places_of_json_are_those_of_the_file() {
    let case = Case::new(NUMBERED, 819);
    let texts = [
        ("{\"n\":1}\r\n  {\"t\":\"\u{e9}\",\"n\":1000}\r\n", "line 2: n: ", "(column 16)"),
        ("[{\"n\":1}, {\"t\":\"\u{e9}\",\"n\":1000}]", "line 1: n: ", "(column 24)"),
        ("[\n{\"n\":1},\n  {\"t\":\"x\",\n \"n\":1000}]", "line 4: n: ", "(column 6)"),
    ];
    for (text, start, end) in texts {
        let (_, faults, _) = case.encode(text, &Format::default());
        let shown = faults[0].split(" | ").next().unwrap_or_default();
        assert!(shown.starts_with(start) && shown.ends_with(end), "{shown}");
    }
}
