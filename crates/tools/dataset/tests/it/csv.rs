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
        ("id,id\n", ErrorKind::Text, "line 1: the column 'id' occurs twice"),
        ("id\n1\n1,2\n", ErrorKind::Text, "line 3: the row has 2 cells, the first line has 1"),
        (
            "id,lines_t[]\n1,4\n",
            ErrorKind::Data,
            "line 2: lines_t[]: expected a number of rows up to 3, found '4' (column 3)",
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
fn places_are_those_of_the_file() {
    let case = Case::new(ORDER, 819);
    for end in ["\n", "\r\n", "\r"] {
        let place = |text: &str| {
            let text = text.replace('\n', end);
            let error = case.read_csv(&text, &counted()).expect_err("a fault");
            (error.line, error.to_string())
        };
        let (line, shown) = place("id,who.sum\n1,1\n\n2,2\n3,abc\n");
        assert_eq!(line, Some(5), "{shown}");
        assert!(shown.starts_with("line 5: who.sum: ") && shown.ends_with(" (column 3)"), "{shown}");
        // A cell may have lines of its own, and those before it count.
        let (line, shown) = place("who.name,id\n\"a\nb\",1\n\"\u{e9}\n\u{e9}x\",2222\n");
        assert_eq!(line, Some(5), "{shown}");
        assert!(shown.ends_with(" (column 5)"), "{shown}");
        let (line, shown) = place("\u{feff}id,lines_t[],lines_t[0].a,lines_t[0].b\n1,1,\"x\"\"\",55\n");
        assert_eq!(line, Some(2), "{shown}");
        assert!(shown.starts_with("line 2: lines_t[0].b: ") && shown.ends_with(" (column 11)"), "{shown}");
        let (line, shown) = place("id,who.name\n1,\"a\n");
        assert_eq!(
            (line, shown.as_str()),
            (Some(2), "line 2: the cell begins with a quote and does not end with one (column 3)")
        );
    }
    let error = case.read_csv("", &counted());
    assert_eq!(error.expect("no rows at all"), b"");
    let plan = case.csv();
    let mut texts = dataset::CsvTexts::new(&plan, b"id,who.name\n1,\xff\n".as_slice()).expect("names");
    let error = dataset::Texts::next_text(&mut texts).expect_err("not UTF-8");
    assert_eq!(error.to_string(), "line 2: cell 2 is not UTF-8 (column 3)");
}

#[test]
fn quotes_and_line_ends() {
    let case = Case::new("01 R. 05 A PIC X(3). 05 B PIC X(3).", 819);
    let read = |text: &str| {
        String::from_utf8(case.read_csv(text, &Format::default()).expect("records")).expect("UTF-8")
    };
    assert_eq!(read("a,b\r\n\"x\"\"y\",\"\"\r\n\r\n,\"p\"q\r\na\"b,c"), "x\"y      pq a\"bc  ");
    // A cell that is only quotes makes a row of one column.
    let one = Case::new("01 R PIC X(2).", 819);
    assert_eq!(one.read_csv("r\n\"\"\nab\n\n", &Format::default()).expect("records"), b"  ab");
}

#[test]
fn too_many_columns() {
    let case = Case::new("01 R. 05 T PIC X OCCURS 16385.", 819);
    let error = CsvPlan::new(&case.bind).expect_err("too many");
    assert!(error.message.starts_with("the records have more than 16384 columns as CSV"), "{error}");
}

#[test]
fn views_come_back() {
    let text =
        "01 R. 05 K PIC X. 05 B PIC X(4). 05 BA REDEFINES B. 10 BA1 PIC X(2). 10 BA2 PIC X(2) VALUE 'in'.
                05 BN REDEFINES B PIC 9(4). 05 BT REDEFINES B. 10 T PIC 99 OCCURS 2. 05 E PIC X.";
    let layout = Case::new(text, 819).layout;
    let case = Case::with(text, 819, |options| {
        let field = layout.resolve("K").expect("K");
        for (view, value) in [("BA", "A"), ("BN", "N"), ("BT", "T")] {
            let values = vec![value.to_owned()];
            let view = layout.resolve(view).expect("a view");
            options.fields.entry(view).or_default().when = Some(record::ViewRule { field, values });
        }
    });
    let file = b"Axyz E A   EN0123EX  x E     ET1234E";
    let decoded = case.decode(file, &Format::default(), &Output::Csv(case.csv()), 1, false);
    let expected = "k,b?,b,ba?,ba.ba1,ba.ba2,bn?,bn,bt?,bt.t[0],bt.t[1],e\r\nA,,,true,xy,z,,,,,,E\r\n\
                    ,true,A,,,,,,,,,E\r\nN,,,,,,true,123,,,,E\r\nX,true,  x,,,,,,,,,E\r\n\
                    ,true,,,,,,,,,,E\r\nT,,,,,,,,true,12,34,E\r\n";
    assert_eq!(decoded.text, expected);
    assert_eq!(case.read_csv(&decoded.text, &Format::default()).expect("its own CSV"), file);
    // Without the columns that say which view shows, what has a value does.
    let read = case.read_csv("k,bn,b\nN,7,\n,,abc\n", &Format::default()).expect("some columns");
    assert_eq!(read, b"N0007  abc  ");
    let error = case.read_csv("k,bn?\nN,yes\n", &Format::default()).expect_err("no such word");
    assert_eq!(error.to_string(), "line 2: bn?: expected true, false or nothing, found 'yes' (column 3)");
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
