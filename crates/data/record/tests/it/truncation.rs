//! Records that end before their layout does: refused by default, accepted at the border of a field by choice.

use record::ErrorKind::RecordLength;
use record::{DataTruncation, ZeroOccurs};

use crate::Case;

fn cut(copybook: &str) -> Case {
    Case::with(copybook, |choices| choices.options.data_truncation = DataTruncation::Accept)
}

const FIELDS: &str = "01 R. 05 A PIC X(2). 05 B PIC 9(2) VALUE 7. 05 C PIC X(2) VALUE 'CC'.";

#[test]
fn missing_fields_are_refused_by_default() {
    let case = Case::new(FIELDS);
    let shown = "b: the record ends after 2 bytes, before this field does (record offset 2)";
    case.refuse_record("C1C2", RecordLength, shown);
    let shown = "c: the record ends after 5 bytes, before this field does (record offset 4)";
    case.refuse_record("C1C2F0F1C3", RecordLength, shown);
    // A hidden field at the end must be there too.
    let hidden = Case::new("01 R. 05 A PIC X(2). 05 FILLER PIC X(2).");
    hidden.check_decode("C1C24040", r#"{"a":"AB"}"#);
    hidden.refuse_record(
        "C1C240",
        RecordLength,
        "the record ends after 3 bytes, before this field does (record offset 3)",
    );
}

#[test]
fn missing_fields_have_initial_values_by_choice() {
    let case = cut(FIELDS);
    case.check_decode("C1C2F0F1C3C3", r#"{"a":"AB","b":1,"c":"CC"}"#);
    case.check_decode("C1C2F0F1", r#"{"a":"AB","b":1,"c":"CC"}"#);
    case.check_decode("C1C2", r#"{"a":"AB","b":7,"c":"CC"}"#);
    case.check_decode("", r#"{"a":"","b":7,"c":"CC"}"#);
    let shown = "b: the record ends after 3 bytes, before this field does (record offset 2)";
    case.refuse_record("C1C2F0", RecordLength, shown);
    let shown = "the record has 7 bytes, the layout at most 6 (record offset 6)";
    case.refuse_record("C1C2F0F1C3C340", RecordLength, shown);
}

#[test]
fn rows_beyond_the_end_are_not_there() {
    let case = cut("01 R. 05 A PIC X. 05 T OCCURS 3. 10 N PIC 9. 10 M PIC 9 VALUE 8. 05 E PIC X VALUE 'E'.");
    case.check_decode("C1 F1F2 F3F4", r#"{"a":"A","t":[{"n":1,"m":2},{"n":3,"m":4}],"e":"E"}"#);
    case.check_decode("C1", r#"{"a":"A","e":"E"}"#);
    // A row that is cut between its fields is one that is cut in two.
    let shown = "t[1].m: the record ends after 4 bytes, before this field does (record offset 4)";
    case.refuse_record("C1 F1F2 F3", RecordLength, shown);
}

#[test]
fn counted_rows_beyond_the_end_are_not_there() {
    let case = cut("01 R. 05 C PIC 9. 05 T PIC 9(2) OCCURS 1 TO 3 DEPENDING ON C. 05 E PIC X VALUE 'E'.");
    case.check_decode("F3 F1F1 F2F2", r#"{"t":[11,22],"e":"E"}"#);
    case.check_decode("F3", r#"{"e":"E"}"#);
    case.check_decode("", r#"{"e":"E"}"#);
    let shown = "t[1]: the record ends after 4 bytes, before this field does (record offset 3)";
    case.refuse_record("F3 F1F1 F2", RecordLength, shown);
}

#[test]
fn rows_with_tables_of_their_own_beyond_the_end_are_not_there() {
    let case = cut("01 R. 05 OC PIC 9. 05 O OCCURS 0 TO 3 DEPENDING ON OC. 10 IC PIC 9. \
         10 I PIC X OCCURS 0 TO 2 DEPENDING ON IC. 10 Z PIC 9. 05 E PIC X VALUE 'E'.");
    case.check_decode("F3 F2C1C2F1 F1C3F2", r#"{"o":[{"i":["A","B"],"z":1},{"i":["C"],"z":2}],"e":"E"}"#);
    case.check_decode("F3", r#"{"e":"E"}"#);
    case.check_decode("F2 F1C3F2 F0F2", r#"{"o":[{"i":["C"],"z":2},{"z":2}],"e":"E"}"#);
}

#[test]
fn a_counter_beyond_the_end_counts_no_rows_where_zero_is_refused() {
    let case =
        Case::with("01 R. 05 A PIC X. 05 C PIC 99. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON C.", |choices| {
            choices.options.data_truncation = DataTruncation::Accept;
            choices.options.zero_occurs = ZeroOccurs::Refuse;
        });
    case.check_decode("C1", r#"{"a":"A"}"#);
    let shown = "C: the record ends after 2 bytes, before this field does (record offset 1)";
    case.refuse_record("C1F0", RecordLength, shown);
}

#[test]
fn a_slot_beyond_the_end_has_its_initial_value() {
    let case =
        cut("01 R. 05 A PIC X. 05 C PIC 9. 05 T PIC X(2) OCCURS 0 TO 3 DEPENDING ON C. 05 E PIC 9 VALUE 5.");
    let id = case.layout.resolve("E").expect("a field");
    let slot = case.bind.slot(&case.layout, id, &case.options).expect("a slot");
    for (record, value) in [("C1F1C1C1F9", "9"), ("C1F1C1C1", "5"), ("C1F3C1C1", "5"), ("C1", "5"), ("", "5")]
    {
        assert_eq!(case.bind.get(&slot, &crate::bytes(record)).as_deref(), Ok(value), "{record}");
    }
}

#[test]
fn what_a_hidden_view_lacks_the_view_that_shows_does_not_lack() {
    let copybook = "01 R. 05 A PIC X(8). 05 G. 10 T OCCURS 2. 15 X. 20 C PIC 9. 20 V PIC 9 OCCURS 1 TO 2 DEPENDING ON C. \
         15 Y REDEFINES X PIC 9(3). 05 H REDEFINES G. 10 P PIC 9(2). 10 Q PIC 9(4). 05 E PIC X VALUE 'E'.";
    let case = Case::with(copybook, |choices| {
        choices.options.data_truncation = DataTruncation::Accept;
        choices.field("H").included = Some(true);
    });
    case.check_decode("F1F2F3F4F5F6F7F8", r#"{"a":"12345678","h":{"p":0,"q":0},"e":"E"}"#);
    case.check_decode("", r#"{"a":"","h":{"p":0,"q":0},"e":"E"}"#);
}
