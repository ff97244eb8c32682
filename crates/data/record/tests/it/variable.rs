//! Tables of varying length (OCCURS DEPENDING ON), at the end, in the middle, two, nested, with shared counters.

use record::ErrorKind::{BadData, RecordLength, RowCount};
use record::{UnknownFields, ZeroOccurs};

use crate::{Case, check};

const AT_END: &str = "01 R. 05 C PIC 99. 05 T PIC X(2) OCCURS 1 TO 3 DEPENDING ON C.";
const IN_MIDDLE: &str =
    "01 R. 05 C PIC 9. 05 T OCCURS 0 TO 3 DEPENDING ON C. 10 A PIC X. 10 B PIC 9. 05 E PIC X(2).";
const NESTED: &str = "01 R. 05 OC PIC 9. 05 O OCCURS 0 TO 3 DEPENDING ON OC. 10 IC PIC 9. \
                      10 I PIC X OCCURS 0 TO 2 DEPENDING ON IC. 10 Z PIC 9. 05 E PIC X.";

#[test]
fn at_the_end() {
    check(AT_END, r#"{"t":["A","B"]}"#, "F0F2 C140C240");
    check(AT_END, r#"{"t":["A","B","C"]}"#, "F0F3 C140C240C340");
    check(AT_END, "{}", "F0F0");
    let case = Case::new(AT_END);
    case.refuse_json(
        r#"{"t":[]}"#,
        RowCount,
        "t: the array has 0 rows, the table has at least 1 (line 1, column 6)",
    );
    case.refuse_json(
        r#"{"t":["A","B","C","D"]}"#,
        RowCount,
        "t: the array has more than 3 rows (line 1, column 6)",
    );
}

#[test]
fn in_the_middle() {
    check(IN_MIDDLE, r#"{"t":[{"a":"X","b":1}],"e":"EE"}"#, "F1 E7F1 C5C5");
    check(IN_MIDDLE, r#"{"e":"EE"}"#, "F0 C5C5");
    Case::new(IN_MIDDLE).check_encode(r#"{"e":"EE","t":[]}"#, "F0 C5C5");
    Case::new(IN_MIDDLE).check_encode(r#"{"e":"EE","t":[{},{"b":2}]}"#, "F2 40F0 40F2 C5C5");
}

#[test]
fn nested() {
    check(
        NESTED,
        r#"{"o":[{"i":["A","B"],"z":1},{"z":2},{"i":["C"],"z":3}],"e":"E"}"#,
        "F3 F2C1C2F1 F0F2 F1C3F3 C5",
    );
    check(NESTED, r#"{"e":"E"}"#, "F0 C5");
}

#[test]
fn two_and_their_order() {
    let text = "01 R. 05 C1 PIC 9. 05 T1 PIC 9 OCCURS 0 TO 2 DEPENDING ON C1. 05 M PIC X. 05 C2 PIC 9. \
                05 T2 PIC X OCCURS 0 TO 2 DEPENDING ON C2. 05 E PIC X.";
    check(text, r#"{"t1":[7],"m":"M","t2":["A","B"],"e":"E"}"#, "F1F7 D4 F2C1C2 C5");
    check(text, r#"{"m":"M","t2":["A"],"e":"E"}"#, "F0 D4 F1C1 C5");
    Case::new(text).check_encode(r#"{"t2":["A"],"e":"E","m":"M","t1":[1,2]}"#, "F2F1F2 D4 F1C1 C5");
}

#[test]
fn only_tables_in_an_object() {
    let text = "01 R. 05 CS. 10 C1 PIC 9. 10 C2 PIC 9. 05 G. 10 T1 PIC 9 OCCURS 0 TO 2 DEPENDING ON C1. \
                10 T2 PIC 9 OCCURS 0 TO 2 DEPENDING ON C2. 10 E PIC 9.";
    check(text, r#"{"g":{"t1":[1],"t2":[2],"e":3}}"#, "F1F1 F1F2F3");
    check(text, r#"{"g":{"t2":[2],"e":3}}"#, "F0F1 F2F3");
    check(text, r#"{"g":{"t1":[1],"e":3}}"#, "F1F0 F1F3");
    check(text, r#"{"g":{"e":3}}"#, "F0F0 F3");
}

#[test]
fn counters_of_every_form() {
    for (picture, counter) in [
        ("9(2)", "F0F2"),
        ("S9(2)", "F0C2"),
        ("S9(4) COMP", "0002"),
        ("9(9) COMP-5", "00000002"),
        ("S9(3) COMP-3", "002C"),
        ("9(3) COMP-6", "0002"),
    ] {
        let text = format!("01 R. 05 C PIC {picture}. 05 T PIC 9 OCCURS 0 TO 3 DEPENDING ON C. 05 E PIC X.");
        check(&text, r#"{"t":[7,8],"e":"E"}"#, &format!("{counter}F7F8C5"));
    }
}

#[test]
fn a_counter_too_small_for_the_rows() {
    let case = Case::new("01 R. 05 C PIC 9. 05 T PIC 9 OCCURS 0 TO 20 DEPENDING ON C.");
    let json = format!(r#"{{"t":[{}]}}"#, ["1"; 10].join(","));
    case.refuse_json(&json, RowCount, "t: the array has more than 9 rows (line 1, column 6)");
}

#[test]
fn one_counter_for_two_tables() {
    let text =
        "01 R. 05 C PIC 9. 05 A PIC 9 OCCURS 0 TO 3 DEPENDING ON C. 05 B PIC X OCCURS 0 TO 3 DEPENDING ON C.";
    check(text, r#"{"a":[1,2],"b":["X","Y"]}"#, "F2 F1F2 E7E8");
    let case = Case::new(text);
    case.check_encode(r#"{"b":["X"]}"#, "F1 F0 E7");
    case.refuse_json(
        r#"{"a":[1,2],"b":["X"]}"#,
        RowCount,
        "b: the array has 1 rows, but another table with the same counter has 2 (line 1, column 16)",
    );
    case.refuse_json(
        r#"{"b":[],"a":[1]}"#,
        RowCount,
        "a: the array has 1 rows, but another table with the same counter has 0 (line 1, column 13)",
    );
}

#[test]
fn one_counter_for_the_tables_of_all_rows() {
    let text = "01 R. 05 C PIC 9. 05 O OCCURS 2. 10 I PIC 9 OCCURS 0 TO 3 DEPENDING ON C. 10 Z PIC X.";
    check(text, r#"{"o":[{"i":[1,2],"z":"A"},{"i":[3,4],"z":"B"}]}"#, "F2 F1F2C1 F3F4C2");
    Case::new(text).refuse_json(
        r#"{"o":[{"i":[1,2]},{"i":[1]}]}"#,
        RowCount,
        "o[1].i: the array has 1 rows, but another table with the same counter has 2 (line 1, column 24)",
    );
}

#[test]
fn a_shared_counter_in_each_row() {
    let text = "01 R. 05 O OCCURS 2. 10 C PIC 9. 10 A PIC 9 OCCURS 0 TO 2 DEPENDING ON C. \
                10 B PIC X OCCURS 0 TO 2 DEPENDING ON C.";
    check(text, r#"{"o":[{"a":[1],"b":["X"]},{"a":[2,3],"b":["Y","Z"]}]}"#, "F1F1E7 F2F2F3E8E9");
}

#[test]
fn a_counter_of_zero_below_the_minimum() {
    check(AT_END, "{}", "F0F0");
    let refuse = Case::with(AT_END, |choices| choices.options.zero_occurs = ZeroOccurs::Refuse);
    refuse.check_encode("{}", "F0F1 4040");
    refuse.refuse_record(
        "F0F0",
        BadData,
        "t: the counter holds 0, the table has 1 to 3 rows (record offset 0)",
    );
    refuse.check(r#"{"t":["A"]}"#, "F0F1 C140");
}

#[test]
fn counters_out_of_range() {
    let case = Case::new(AT_END);
    for (record, shown) in [
        ("F0F4 4040404040404040", "t: the counter holds 4, the table has 1 to 3 rows (record offset 0)"),
        ("F9F9", "t: the counter holds 99, the table has 1 to 3 rows (record offset 0)"),
        ("4040", "C: the bytes 40 40 are not a number of the field's type (record offset 0)"),
    ] {
        case.refuse_record(record, BadData, shown);
    }
    let signed = Case::new("01 R. 05 C PIC S9(4) COMP. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON C.");
    let shown = "C: the counter is -1, which is not a valid number of rows (record offset 0)";
    signed.refuse_record("FFFF", BadData, shown);
}

#[test]
fn the_offset_of_a_bad_counter_is_where_it_really_lies() {
    let case = Case::new(
        "01 R. 05 C1 PIC 9. 05 T1 PIC X OCCURS 0 TO 9 DEPENDING ON C1. 05 C2 PIC 9. \
         05 T2 PIC X OCCURS 0 TO 3 DEPENDING ON C2.",
    );
    let shown = "t2: the counter holds 4, the table has 0 to 3 rows (record offset 3)";
    case.refuse_record("F2C1C2 F4C1C1C1C1", BadData, shown);
    let shown = "C2: the bytes 40 are not a number of the field's type (record offset 3)";
    case.refuse_record("F2C1C2 40", BadData, shown);
    let nested = Case::new(NESTED);
    let shown = "o[1].i: the counter holds 3, the table has 0 to 2 rows (record offset 4)";
    nested.refuse_record("F2 F1C1F1 F3C1C1C1F1 C5", BadData, shown);
    let shown = "o[1].IC: the bytes 40 are not a number of the field's type (record offset 4)";
    nested.refuse_record("F2 F1C1F1 40", BadData, shown);
    let shown = "o[1].z: the bytes 40 are not a number of the field's type (record offset 5)";
    nested.refuse_record("F2 F1C1F1 F040 C5", BadData, shown);
}

#[test]
fn records_of_the_wrong_length() {
    let case = Case::new(IN_MIDDLE);
    case.refuse_record(
        "",
        RecordLength,
        "C: the record ends after 0 bytes, before this field does (record offset 0)",
    );
    case.refuse_record(
        "F2 C1F1 C2",
        RecordLength,
        "t[1].b: the record ends after 4 bytes, before this field does (record offset 4)",
    );
    case.refuse_record(
        "F1 C1F1 C5",
        RecordLength,
        "e: the record ends after 4 bytes, before this field does (record offset 3)",
    );
    // Programs often hand over the area at its largest; more than that belongs to another layout.
    case.check_decode("F1 C1F1 C5C5 4040 4040", r#"{"t":[{"a":"A","b":1}],"e":"EE"}"#);
    case.refuse_record(
        "F1 C1F1 C5C5 40404040 40",
        RecordLength,
        "the record has 10 bytes, the layout at most 9 (record offset 9)",
    );
}

#[test]
fn hidden_tables_still_take_their_place() {
    let hide = |name: &'static str| {
        Case::with(NESTED, move |choices| {
            choices.field(name).included = Some(false);
            choices.options.unknown_fields = UnknownFields::Ignore;
        })
    };
    hide("O").check_decode("F2 F2C1C2F1 F0F2 C5", r#"{"e":"E"}"#);
    hide("O").check_encode(r#"{"e":"E"}"#, "F0 C5");
    hide("I").check_decode("F2 F2C1C2F1 F0F2 C5", r#"{"o":[{"z":1},{"z":2}],"e":"E"}"#);
    let shown = "O[1].IC: the bytes 40 are not a number of the field's type (record offset 4)";
    hide("O").refuse_record("F2 F1C1F1 40", BadData, shown);
}
