//! CSV out and back: names of columns, quotes, tables, and what is wrong with a file.

use dataset::{CsvPlan, ErrorKind, Format, Output, RecordFormat};
use proptest::collection::vec;
use proptest::prelude::*;
use record::Filler;

use crate::Case;

const ORDER: &str = "01 R. 05 ID PIC 9(3). 05 WHO. 10 NAME PIC X(6). 10 SUM PIC S9(3)V99 COMP-3.
    05 FIXED-T PIC X OCCURS 2. 05 N PIC 9. 05 LINES-T OCCURS 0 TO 3 DEPENDING ON N. 10 A PIC X(2). 10 B PIC 9.";

fn counted() -> Format {
    Format { recfm: RecordFormat::Counted, ..Format::default() }
}

#[test]
fn columns_and_rows() {
    let case = Case::new(ORDER, 819);
    let file =
        [b"001a,\"b  ".as_slice(), b"\x12\x34\x5d", b"xy2a11 b2", b"002Zoe   ", b"\x00\x00\x0c", b"  0"]
            .concat();
    let decoded = case.decode(&file, &counted(), &Output::Csv(case.csv()), 1, false);
    let expected = "id,who.name,who.sum,fixed_t[0],fixed_t[1],lines_t[],lines_t[0].a,lines_t[0].b,lines_t[1].a,\
                    lines_t[1].b,lines_t[2].a,lines_t[2].b\r\n\
                    1,\"a,\"\"b\",-123.45,x,y,2,a1,1, b,2,,\r\n2,Zoe,0,,,,,,,,,\r\n";
    assert_eq!(decoded.text, expected);
    assert_eq!(case.read_csv(&decoded.text, &counted()).expect("its own CSV"), file);
}

#[test]
fn columns_in_any_order_and_missing_ones() {
    let case = Case::new(ORDER, 819);
    let file = case.read_csv("\u{feff}who.name,id\nBob,7\n", &counted()).expect("some columns");
    assert_eq!(file, [b"007Bob   ".as_slice(), b"\x00\x00\x0c", b"  0"].concat());
}

#[test]
fn one_column() {
    let case = Case::new("01 R PIC X(2).", 819);
    let decoded = case.decode(b"  ab", &Format::default(), &Output::Csv(case.csv()), 1, false);
    assert_eq!(decoded.text, "r\r\n\"\"\r\nab\r\n");
    assert_eq!(case.read_csv(&decoded.text, &Format::default()).expect("its own CSV"), b"  ab");
}

#[test]
fn faults_have_their_line() {
    let case = Case::new(ORDER, 819);
    let cases = [
        (
            "id,whoname\n",
            ErrorKind::Text,
            "line 1: there is no field for the column 'whoname'; did you mean 'who.name'?",
        ),
        ("id,xxxxxxxxxx\n", ErrorKind::Text, "line 1: there is no field for the column 'xxxxxxxxxx'"),
        ("id,id\n", ErrorKind::Text, "line 1: the column 'id' stands twice"),
        ("id\n1\n1,2\n", ErrorKind::Text, "line 3: the row has 2 cells, the first line has 1"),
        (
            "id,lines_t[]\n1,4\n",
            ErrorKind::Data,
            "line 2: lines_t[]: expected a number of rows up to 3, found '4'",
        ),
    ];
    for (text, kind, message) in cases {
        let error = case.read_csv(text, &counted()).expect_err("a fault");
        assert_eq!((error.kind, error.to_string().as_str()), (kind, message));
    }
    let error = case.read_csv("id,who.sum\n1,1\n2,\n3,abc\n", &counted()).expect_err("no number");
    assert!(error.to_string().starts_with("line 4: who.sum: "), "{error}");
    let error = case.read_csv("id,who.name\n1,\"a\nb\"\n2222,x\n", &counted()).expect_err("too great");
    assert!(error.to_string().starts_with("line 4: id: "), "{error}");
}

#[test]
fn too_many_columns() {
    let case = Case::new("01 R. 05 T PIC X OCCURS 16385.", 819);
    let error = CsvPlan::new(&case.bind).expect_err("too many");
    assert!(error.message.starts_with("the records have more than 16384 columns as CSV"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Whatever text a record holds comes back through CSV, and so do empty rows at the end of a table.
    #[test]
    fn records_come_back(
        records in vec((0u16..1000, "[ -~\n\r\t]{6}", -99999i32..100_000, "[ a]{2}", vec(("[ -~]{2}", 0u8..10), 0..4)), 0..8),
    ) {
        let case = Case::with(ORDER, 37, |options| options.filler = Filler::Expose);
        let json: String = records
            .iter()
            .map(|(id, name, cents, fixed, lines)| {
                let sign = if *cents < 0 { "-" } else { "" };
                let (whole, part) = (cents.abs() / 100, cents.abs() % 100);
                let rows: Vec<_> = lines.iter().map(|(a, b)| serde_json::json!({"a": a, "b": b})).collect();
                let name = serde_json::Value::from(name.as_str());
                format!(
                    "{{\"id\":{id},\"who\":{{\"name\":{name},\"sum\":{sign}{whole}.{part:02}}},\"fixed_t\":[\"{}\",\"{}\"]{}}}\n",
                    &fixed[..1],
                    &fixed[1..],
                    if rows.is_empty() { String::new() } else { format!(",\"lines_t\":{}", serde_json::Value::from(rows)) },
                )
            })
            .collect();
        let (file, faults, _) = case.encode(&json, &counted());
        prop_assert!(faults.is_empty(), "{:?}", faults);
        for threads in [1, 2] {
            let decoded = case.decode(&file, &counted(), &Output::Csv(case.csv()), threads, false);
            prop_assert_eq!(&case.read_csv(&decoded.text, &counted()).expect("its own CSV"), &file);
        }
    }
}
