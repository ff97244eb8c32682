//! Texts and rows of texts that lie side by side, which are converted together: JSON as if each were converted alone.

use codepage::{Encoding, Unmappable};
use proptest::prelude::*;
use record::ErrorKind::{BadData, RecordLength, TooLong, Unmappable as NotInPage};
use record::{DataTruncation, TrimText, write_string};

use crate::{Case, check, hex, page};

fn encoding(ccsid: u16) -> Encoding {
    Encoding::by_ccsid(ccsid).expect("a known CCSID")
}

/// The JSON of a text field alone; none if the bytes are not text.
fn json_of(field: &[u8], encoding: Encoding) -> Option<String> {
    let blank = encoding.blank()[0];
    let end = field.iter().rposition(|byte| *byte != blank).map_or(0, |last| last + 1);
    let (mut text, mut json) = (String::new(), Vec::new());
    encoding.decode(&field[..end], Unmappable::Error, &mut text).ok()?;
    write_string(&text, &mut json);
    String::from_utf8(json).ok()
}

/// JSON of a record of three texts, rows of one text and rows of three with fillers between them.
const COPYBOOK: &str = "01 R.
    05 A PIC X(5).
    05 B PIC X(70).
    05 C PIC X(1).
    05 N PIC 9(2) COMP.
    05 ROWS PIC X(7) OCCURS 60.
    05 GROUPS OCCURS 20.
       10 D PIC X(3).
       10 FILLER PIC X(2).
       10 E PIC X(34).
       10 F PIC X(33).
       10 FILLER PIC X.
    05 COUNTED OCCURS 0 TO 30 DEPENDING ON N.
       10 G PIC X(40).
    05 LAST-ONE PIC X(4).";
const FIXED_BYTES: usize = 5 + 70 + 1 + 2 + 7 * 60 + 73 * 20;

/// The JSON of a record of [`COPYBOOK`]; none if some bytes are not text.
fn expected(record: &[u8], counted: usize, encoding: Encoding) -> Option<String> {
    let text = |at: usize, length: usize| json_of(&record[at..at + length], encoding);
    let rows: Option<Vec<String>> = (0..60).map(|row| text(78 + 7 * row, 7)).collect();
    let groups: Option<Vec<String>> = (0..20)
        .map(|row| {
            let at = 78 + 7 * 60 + 73 * row;
            let (d, e, f) = (text(at, 3)?, text(at + 5, 34)?, text(at + 39, 33)?);
            Some(format!(r#"{{"d":{d},"e":{e},"f":{f}}}"#))
        })
        .collect();
    let many: Option<Vec<String>> =
        (0..counted).map(|row| Some(format!(r#"{{"g":{}}}"#, text(FIXED_BYTES + 40 * row, 40)?))).collect();
    let counted_text = match counted {
        0 => String::new(),
        _ => format!(r#""counted":[{}],"#, many?.join(",")),
    };
    Some(format!(
        r#"{{"a":{},"b":{},"c":{},"rows":[{}],"groups":[{}],{counted_text}"last_one":{}}}"#,
        text(0, 5)?,
        text(5, 70)?,
        text(75, 1)?,
        rows?.join(","),
        groups?.join(","),
        text(FIXED_BYTES + 40 * counted, 4)?,
    ))
}

/// Bytes of texts: letters, with runs of blanks, and few others.
fn texts(length: usize) -> impl Strategy<Value = Vec<u8>> {
    let others = prop_oneof![
        Just(Vec::new()),
        prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 100),
    ];
    let run = (prop::sample::select(vec![b'a', b'0', b'"', b' ', b' ', b'Z']), 1..40usize);
    (prop::collection::vec(run, length / 15), others).prop_map(move |(runs, others)| {
        let mut bytes: Vec<u8> = runs.into_iter().flat_map(|(byte, count)| vec![byte; count]).collect();
        bytes.resize(length, b' ');
        others.into_iter().for_each(|(place, byte)| bytes[place.index(length)] = byte);
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    /// Any bytes in any kind of page: single bytes (some of them need two in UTF-8), mixed, and UTF-8 itself.
    #[test]
    fn together_is_as_alone(
        ccsid in prop::sample::select(vec![37u16, 273, 1047, 1252, 437, 420, 939, 1208]),
        ascii in texts(FIXED_BYTES + 30 * 40 + 4),
        counted in prop_oneof![Just(0), 0..=30usize],
        keep_letters in any::<bool>(),
    ) {
        let encoding = encoding(ccsid);
        let case = Case::with(COPYBOOK, |choices| choices.options.encoding = encoding);
        let blank = encoding.blank()[0];
        let mut record: Vec<u8> = ascii
            .iter()
            .map(|byte| match byte {
                b' ' => blank,
                b'a' | b'0' | b'Z' | b'"' if keep_letters || blank == b' ' => {
                    let mut encoded = Vec::new();
                    encoding.encode(char::from(*byte).encode_utf8(&mut [0; 4]), Unmappable::Error, &mut encoded)
                        .map_or(blank, |_| encoded[0])
                }
                other => *other,
            })
            .take(FIXED_BYTES + counted * 40 + 4)
            .collect();
        record[76..78].copy_from_slice(&(counted as u16).to_be_bytes());
        let mut json = b"before".to_vec();
        match (case.bind.decode(&record, &mut json), expected(&record, counted, encoding)) {
            (Ok(()), Some(expected)) => {
                prop_assert_eq!(String::from_utf8_lossy(&json[6..]), expected.as_str());
                // What a page decodes it encodes again, but for the few bytes that share a character.
                let mut back = Vec::new();
                if case.bind.encode(expected.as_bytes(), &mut back).is_ok() {
                    let mut again = Vec::new();
                    case.bind.decode(&back, &mut again).expect("a record");
                    prop_assert_eq!(String::from_utf8_lossy(&again), expected.as_str());
                }
            }
            (Err(error), None) => {
                prop_assert_eq!(error.kind, BadData);
                prop_assert_eq!(json, b"before");
            }
            (found, expected) => prop_assert!(false, "{:?} for {:?}", found, expected),
        }
    }
}

const ROWS: &str = "01 R. 05 T PIC X(3) OCCURS 4.";

#[test]
fn characters_that_are_escaped_stand_in_any_row() {
    for row in 0..4 {
        for (byte, escaped) in [(0x7F, "\\\""), (0xE0, "\\\\"), (0x15, "\u{85}"), (0x05, "\\t"), (0x51, "é")]
        {
            let mut record = [0xC1; 12];
            record[3 * row + 1] = byte;
            let mut rows =
                ["\"AAA\"".to_owned(), "\"AAA\"".to_owned(), "\"AAA\"".to_owned(), "\"AAA\"".to_owned()];
            rows[row] = format!("\"A{escaped}A\"");
            check(ROWS, &format!(r#"{{"t":[{}]}}"#, rows.join(",")), &hex(&record));
        }
    }
    check(ROWS, r#"{"t":["\"\"\"","\"","","\"\\\""]}"#, "7F7F7F 7F4040 404040 7FE07F");
    check(ROWS, r#"{"t":["\u0000\u0001\u0002","A","B","\u001f"]}"#, "000102 C14040 C24040 1F4040");
}

#[test]
fn a_byte_without_a_character_is_refused_in_its_row() {
    let case = Case::in_page("01 R. 05 A PIC X(2). 05 B PIC X(2). 05 T PIC X(3) OCCURS 4.", 420);
    case.check_decode(
        "C1C1 C240 C1C1C1 C1C1C1 C1C1C1 C1C1C1",
        r#"{"a":"AA","b":"B","t":["AAA","AAA","AAA","AAA"]}"#,
    );
    let missing = (0..=255u8).find(|byte| page(420).to_unicode()[usize::from(*byte)] == 0xFFFD);
    let missing = format!("{:02X}", missing.expect("a byte without a character"));
    let shown = format!("t[2]: byte {missing} is not a character of CCSID 420 (record offset 10)");
    case.refuse_record(&format!("C1C1 C240 C1C1C1 C1C1C1 C1{missing}C1 C1C1C1"), BadData, &shown);
    let shown = format!("b: byte {missing} is not a character of CCSID 420 (record offset 2)");
    case.refuse_record(&format!("C1C1 {missing}40 C1C1C1 C1C1C1 C1C1C1 C1C1C1"), BadData, &shown);
}

#[test]
fn one_character_may_be_two_bytes_in_either() {
    let case = Case::in_page(ROWS, 273);
    case.check(r#"{"t":["äöü","A","ß§","ÄÖÜ"]}"#, "C06AD0 C14040 A17C40 4AE05A");
    let utf8 = Case::with(ROWS, |choices| choices.options.encoding = encoding(1208));
    utf8.check(r#"{"t":["Aé","é","ABC","€"]}"#, "41C3A9 C3A920 414243 E282AC");
    utf8.refuse_json(
        r#"{"t":["ABC","Aéé"]}"#,
        TooLong,
        "t[1]: text of 5 bytes in CCSID 1208 is longer than the field's 3 (line 1, column 13)",
    );
    let mixed =
        Case::with("01 R. 05 T PIC X(6) OCCURS 3.", |choices| choices.options.encoding = encoding(939));
    mixed.check(r#"{"t":["ABCDEF","A  B","漢"]}"#, "C1C2C3C4C5C6 C14040C24040 0E4F580F4040");
}

#[test]
fn blanks_may_be_kept_in_rows() {
    let case = Case::with("01 R. 05 A PIC X(2). 05 B PIC X(2). 05 T PIC X(3) OCCURS 3.", |choices| {
        choices.options.policies.trim_text = TrimText::Keep;
    });
    case.check(r#"{"a":"A ","b":"  ","t":["A  ","   "," B "]}"#, "C140 4040 C14040 404040 40C240");
}

#[test]
fn justified_text_among_others() {
    check(
        "01 R. 05 A PIC X(2). 05 J PIC X(3) JUSTIFIED. 05 B PIC X(2). 05 T PIC X(3) JUSTIFIED OCCURS 2.",
        r#"{"a":"A","j":"J","b":"B","t":["T","UU"]}"#,
        "C140 4040D1 C240 4040E3 40E4E4",
    );
}

#[test]
fn rows_of_no_or_of_many_bytes() {
    let counted =
        "01 R. 05 C PIC 9(2). 05 T PIC X(2) OCCURS 0 TO 99 DEPENDING ON C. 05 E PIC X(2). 05 F PIC X.";
    check(counted, r#"{"e":"E","f":"F"}"#, "F0F0 C540 C6");
    check(counted, r#"{"t":["A"],"e":"E","f":"F"}"#, "F0F1 C140 C540 C6");
    check(counted, r#"{"t":["A","","\"B"],"e":"E","f":"F"}"#, "F0F3 C140 4040 7FC2 C540 C6");
    let (record, rows) = (["C1"; 2000].concat(), vec![format!("\"{}\"", "A".repeat(2000)); 3].join(","));
    let wide = "01 R. 05 A PIC X(2). 05 T PIC X(2000) OCCURS 3. 05 B PIC X(900). 05 C PIC X(900).";
    let blanks = ["40"; 1800].concat();
    check(
        wide,
        &format!(r#"{{"a":"A","t":[{rows}],"b":"","c":""}}"#),
        &format!("C140{}{blanks}", record.repeat(3)),
    );
}

#[test]
fn tables_in_rows_with_texts() {
    check(
        "01 R. 05 G OCCURS 2. 10 A PIC X(2). 10 T PIC X(2) OCCURS 2. 10 B PIC X(2). 10 U OCCURS 2. 15 V PIC X. 15 W PIC X.",
        concat!(
            r#"{"g":[{"a":"A","t":["B","\\"],"b":"C","u":[{"v":"D","w":""},{"v":"","w":"E"}]},"#,
            r#"{"a":"","t":["",""],"b":"\"","u":[{"v":"F","w":"G"},{"v":"","w":"\""}]}]}"#
        ),
        "C140 C240 E040 C340 C440 40C5 4040 4040 4040 7F40 C6C7 407F",
    );
}

#[test]
fn fields_that_are_left_out_of_rows() {
    let copybook = "01 R. 05 T OCCURS 2. 10 A PIC X(2). 10 B PIC X(2). 10 C PIC X(2). 10 D PIC X(2). 05 E PIC X. 05 F PIC X.";
    let case = Case::with(copybook, |choices| {
        choices.field("B").omit = Some(String::new());
        choices.field("E").omit = Some(String::new());
    });
    let record = "C140 4040 C340 7F40 4040 C2C2 4040 E0C4 40 C6";
    case.check_decode(
        record,
        r#"{"t":[{"a":"A","c":"C","d":"\""},{"a":"","b":"BB","c":"","d":"\\D"}],"f":"F"}"#,
    );
    let first = Case::with(copybook, |choices| choices.field("A").omit = Some(String::new()));
    let shown = r#"{"t":[{"a":"A","b":"","c":"C","d":"\""},{"b":"BB","c":"","d":"\\D"}],"e":"","f":"F"}"#;
    first.check_decode(record, shown);
}

#[test]
fn rows_that_a_record_leaves_out() {
    let copybook = "01 R. 05 A PIC X. 05 T PIC X(2) OCCURS 3. 05 B PIC X VALUE 'B'. 05 C PIC X VALUE 'C'.";
    let case = Case::with(copybook, |choices| choices.options.data_truncation = DataTruncation::Accept);
    case.check_decode("C1 E340 E4E4 E540 C2 C3", r#"{"a":"A","t":["T","UU","V"],"b":"B","c":"C"}"#);
    case.check_decode("C1 E340 E4E4", r#"{"a":"A","t":["T","UU"],"b":"B","c":"C"}"#);
    case.check_decode("C1", r#"{"a":"A","b":"B","c":"C"}"#);
    case.check_decode("C1 E340 E4E4 E540 C2", r#"{"a":"A","t":["T","UU","V"],"b":"B","c":"C"}"#);
    let shown = "t[1]: the record ends after 4 bytes, before this field does (record offset 3)";
    case.refuse_record("C1 E340 E4", RecordLength, shown);
    Case::new(copybook).refuse_record("C1 E340 E4", RecordLength, shown);
    let shown = "c: the record ends after 8 bytes, before this field does (record offset 8)";
    Case::new(copybook).refuse_record("C1 E340 E4E4 E540 C2", RecordLength, shown);
}

/// JSON as others write it: blanks between rows, escapes in them, other things than text among them.
#[test]
fn rows_of_json_in_any_form() {
    let case = Case::new(ROWS);
    let record = "C1C2C3 C1C240 404040 7FE0C1";
    case.check_encode(r#"{"t":["ABC","AB","","\"\\A"]}"#, record);
    case.check_encode("{\"t\":[ \"ABC\",\"AB\" ,\n\"\",\"\\u0022\\\\A\"]}", record);
    case.check_encode(r#"{ "t" : [ "\u0041BC" , "A\u0042" , "" , "\"\\A" ] }"#, record);
    case.check_encode(r#"{"t":["é","AB","éé","é"]}"#, "514040 C1C240 515140 514040");
    for (json, shown) in [
        (
            r#"{"t":["ABC","ABCD","A","A"]}"#,
            "t[1]: text of 4 characters is longer than the field's 3 (line 1, column 13)",
        ),
        (r#"{"t":["ABC","A",1,"A"]}"#, "t[2]: expected text, found a number (line 1, column 17)"),
        (r#"{"t":["ABC","A",,"A"]}"#, "t[2]: expected a value, found ',' (line 1, column 17)"),
        (r#"{"t":["ABC","A","A" "A"]}"#, "t: expected ',' or ']', found '\"' (line 1, column 21)"),
        (r#"{"t":["ABC","A","A","A"#, "t[3]: the string that starts here does not end (line 1, column 21)"),
        (r#"{"t":["ABC","A","A","A","A"]}"#, "t: the array has more than 4 rows (line 1, column 6)"),
        (r#"{"t":["ABC","A","A"]}"#, "t: the array has 3 rows, the table has at least 4 (line 1, column 6)"),
        (r#"{"t":["ABC","A","A",]}"#, "t[3]: expected a value, found ']' (line 1, column 21)"),
        (
            "{\"t\":[\"ABC\",\"A\tB\",\"A\",\"A\"]}",
            "t[1]: control character U+0009 in a string must be escaped (line 1, column 15)",
        ),
    ] {
        let error = case.encode(json).expect_err(json);
        assert_eq!(error.to_string(), shown, "{json}");
    }
    let shown = "t[1]: character U+20AC is not in CCSID 37 (line 1, column 13)";
    case.refuse_json(r#"{"t":["ABC","A€","A","A"]}"#, NotInPage, shown);
}
