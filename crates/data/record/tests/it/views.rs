//! Views of the same bytes (REDEFINES), chosen by a rule or by the request, with tables of varying length in them.

use std::time::{Duration, Instant};

use record::ErrorKind::{MissingField, RowCount, View};
use record::ViewRule;

use crate::{Case, Choices, refuse};

const KINDS: &str =
    "01 R. 05 K PIC X. 05 A. 10 A1 PIC X(4) VALUE 'init'. 05 B REDEFINES A. 10 B1 PIC 9(2). 10 B2 PIC 9.
                     05 C REDEFINES A PIC S9(7) COMP-3. 05 E PIC X.";

fn when(choices: &mut Choices, view: &str, field: &str, values: &[&str]) {
    let field = choices.layout.resolve(field).expect(field);
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    choices.field(view).when = Some(ViewRule { field, values });
}

fn by_kind() -> Case {
    Case::with(KINDS, |choices| {
        when(choices, "A", "K", &["A", "a"]);
        when(choices, "B", "K", &["B"]);
        when(choices, "C", "K", &["C"]);
    })
}

#[test]
fn a_field_tells_which_view_a_record_holds() {
    let case = by_kind();
    case.check_decode("C1 C1C2C3C4 C5", r#"{"k":"A","a":{"a1":"ABCD"},"e":"E"}"#);
    case.check_decode("81 C1C2C3C4 C5", r#"{"k":"a","a":{"a1":"ABCD"},"e":"E"}"#);
    case.check_decode("C2 F1F2F340 C5", r#"{"k":"B","b":{"b1":12,"b2":3},"e":"E"}"#);
    case.check_decode("C3 0000012D C5", r#"{"k":"C","c":-12,"e":"E"}"#);
    let shown = "a: no view matches the value of the field that selects the view (record offset 1)";
    case.refuse_record("E7 FFFFFFFF C5", View, shown);
    let omitting = Case::with(KINDS, |choices| {
        choices.options.unmatched_views = record::UnmatchedViews::Omit;
        when(choices, "A", "K", &["A"]);
        when(choices, "B", "K", &["B"]);
    });
    omitting.check_decode("E7 FFFFFFFF C5", r#"{"k":"X","e":"E"}"#);
}

#[test]
fn the_first_view_shows_where_no_rule_of_another_holds() {
    let case = Case::with(KINDS, |choices| {
        when(choices, "B", "K", &["B"]);
        when(choices, "C", "K", &["C"]);
    });
    case.check(r#"{"k":"B","b":{"b1":12,"b2":3},"e":"E"}"#, "C2 F1F2F3A3 C5");
    case.check(r#"{"k":"X","a":{"a1":"ABCD"},"e":"E"}"#, "E7 C1C2C3C4 C5");
    case.check_encode(r#"{"a":{"a1":"ABCD"}}"#, "40 C1C2C3C4 40");
    let shown = "a: this view contradicts the field that tells which view the record holds";
    case.refuse_json(r#"{"k":"C","a":{"a1":"x"}}"#, View, shown);
    // A base without a name shows, too; one that is left out does not, and then nothing would show the bytes.
    let text = "01 R. 05 K PIC X. 05 FILLER PIC X(2). 05 B PIC 99.";
    let text = text
        .replace("05 B", "05 A REDEFINES FILLER-X PIC 99. 05 B")
        .replace("05 FILLER PIC", "05 FILLER-X PIC");
    let excluded = Case::with(&text, |choices| {
        when(choices, "A", "K", &["A"]);
        choices.field("FILLER-X").included = Some(false);
    });
    excluded.check_decode("C1 F1F2 F0F0", r#"{"k":"A","a":12,"b":0}"#);
    let shown = "a: no view matches the value of the field that selects the view (record offset 1)";
    excluded.refuse_record("C2 F1F2 F0F0", View, shown);
}

#[test]
fn two_areas_by_one_field() {
    let text = "01 R. 05 K PIC X. 05 A PIC X. 05 B REDEFINES A PIC 9. 05 C PIC X. 05 D REDEFINES C PIC 9.";
    let case = Case::with(text, |choices| {
        when(choices, "B", "K", &["1"]);
        when(choices, "D", "K", &["1", "2"]);
    });
    case.check(r#"{"k":"2","a":"x","d":7}"#, "F2 A7 F7");
    case.check(r#"{"k":"1","b":6,"d":7}"#, "F1 F6 F7");
    // The second view sets the field, which the first one contradicts.
    let shown = "a: this view contradicts the field that tells which view the record holds";
    case.refuse_json(r#"{"a":"x","d":7}"#, View, shown);
}

#[test]
fn a_request_chooses_its_view() {
    let case = by_kind();
    case.check_encode(r#"{"b":{"b1":12,"b2":3},"e":"E"}"#, "C2 F1F2F3A3 C5");
    case.check_encode(r#"{"b":{"b2":3}}"#, "C2 F0F0F3A3 40");
    case.check_encode(r#"{"c":-12}"#, "C3 0000012D 40");
    case.check_encode(r#"{"k":"a","a":{"a1":"x"}}"#, "81 A7404040 40");
    case.check_encode(r#"{"a":{"a1":"x"}, "k":"a"}"#, "81 A7404040 40");
    case.check_encode(r#"{"k":"X"}"#, "E7 899589A3 40");
    // Neither a view nor the field that tells.
    case.refuse_json(r#"{"e":"E"}"#, MissingField, "expected one of 'a', 'b', 'c', found none");
    let omitting = Case::with(KINDS, |choices| {
        choices.options.unmatched_views = record::UnmatchedViews::Omit;
        when(choices, "A", "K", &["A"]);
        when(choices, "B", "K", &["B"]);
        when(choices, "C", "K", &["C"]);
    });
    omitting.check_encode(r#"{"e":"E"}"#, "40 899589A3 C5");
    let usual = Case::with(&KINDS.replace("K PIC X.", "K PIC X VALUE 'B'."), |choices| {
        when(choices, "A", "K", &["A"]);
        when(choices, "B", "K", &["B"]);
        when(choices, "C", "K", &["C"]);
    });
    usual.check_encode(r#"{"e":"E"}"#, "C2 899589A3 C5");
    case.refuse_json(
        r#"{"k":"A","b":{"b1":1}}"#,
        View,
        "b: this view contradicts the field that tells which view the record holds",
    );
    case.refuse_json(
        r#"{"c":1,"b":{"b1":1}}"#,
        View,
        "b: another view of the same bytes is given too (line 1, column 8)",
    );
}

#[test]
fn views_without_a_rule_all_show() {
    let case = Case::with(KINDS, |choices| {
        choices.field("A").included = Some(true);
        choices.field("B").included = Some(true);
    });
    case.check_decode("40 F1F2F3F4 C5", r#"{"k":"","a":{"a1":"1234"},"b":{"b1":12,"b2":3},"e":"E"}"#);
    case.check_encode(r#"{"b":{"b1":12,"b2":3}}"#, "40 F1F2F3A3 40");
    assert_eq!(case.encode(r#"{"a":{},"b":{}}"#).expect_err("two views").kind, View);
}

#[test]
fn views_in_rows_go_by_the_field_in_the_row_or_around() {
    let text = "01 R. 05 O PIC 9. 05 T OCCURS 2. 10 A PIC X(2). 10 B REDEFINES A PIC 99. 10 K PIC X.";
    let inner = Case::with(text, |choices| {
        when(choices, "A", "K", &["A"]);
        when(choices, "B", "K", &["B"]);
    });
    inner.check(r#"{"o":0,"t":[{"a":"xy","k":"A"},{"b":12,"k":"B"}]}"#, "F0 A7A8C1 F1F2C2");
    inner.check_encode(r#"{"t":[{"b":12},{"a":"xy"}]}"#, "F0 F1F2C2 A7A8C1");
    let outer = Case::with(text, |choices| {
        when(choices, "A", "O", &["1", "2"]);
        when(choices, "B", "O", &["3"]);
    });
    outer.check(r#"{"o":3,"t":[{"b":1,"k":""},{"b":2,"k":""}]}"#, "F3 F0F140 F0F240");
    outer.refuse_json(
        r#"{"t":[{"b":1},{"a":"x"}]}"#,
        View,
        "a: this view contradicts the field that tells which view the record holds",
    );
}

#[test]
fn a_field_behind_a_varying_table_tells() {
    let text = "01 R. 05 C PIC 9. 05 T PIC X OCCURS 0 TO 3 DEPENDING ON C. 05 K PIC 9.
                05 A PIC X(2). 05 B REDEFINES A PIC 99.";
    let case = Case::with(text, |choices| {
        when(choices, "A", "K", &["1"]);
        when(choices, "B", "K", &["2"]);
    });
    case.check(r#"{"t":["x","y"],"k":2,"b":12}"#, "F2 A7A8 F2 F1F2");
    case.check(r#"{"k":1,"a":"ab"}"#, "F0 F1 8182");
    let text = "01 R. 05 C PIC 9. 05 A PIC X(2). 05 B REDEFINES A PIC 99.
                05 T PIC X OCCURS 0 TO 3 DEPENDING ON C. 05 K PIC 9.";
    refuse(
        text,
        |choices| when(choices, "B", "K", &["2"]),
        &["B: the view cannot go by K: there is a table of varying length between them"],
    );
}

#[test]
fn rules_that_make_no_sense() {
    refuse(
        KINDS,
        |choices| when(choices, "B", "B1", &["2"]),
        &["B: the view cannot go by B.B1: the field is part of the view that it selects"],
    );
    refuse(KINDS, |choices| when(choices, "E", "K", &["2"]), &["E: 'when' is for views of a REDEFINES"]);
    refuse(
        KINDS,
        |choices| when(choices, "B", "K", &["XX"]),
        &["B: K cannot hold 'XX': text of 2 characters is longer than the field's 1"],
    );
    refuse(KINDS, |choices| when(choices, "B", "K", &[]), &["B: the rule by K has no value"]);
    let text = "01 R. 05 T OCCURS 2. 10 K PIC 9. 05 A PIC X. 05 B REDEFINES A PIC 9.";
    refuse(
        text,
        |choices| when(choices, "B", "K", &["1"]),
        &["B: the view cannot go by T.K: it is in a table of its own"],
    );
}

#[test]
fn a_view_without_a_name_gets_one() {
    let text = "01 R. 05 K PIC X. 05 A PIC X(2). 05 FILLER REDEFINES A. 10 B PIC 99.";
    let case = Case::with(text, |choices| {
        when(choices, "A", "K", &["A"]);
        let field = choices.layout.resolve("K").expect("K");
        choices.at(3).when = Some(ViewRule { field, values: vec!["B".to_owned()] });
    });
    case.check(r#"{"k":"B","fill_0":{"b":12}}"#, "C2 F1F2");
}

#[test]
fn tables_of_varying_length_within_a_view() {
    let text = "01 R. 05 K PIC X. 05 A PIC X(8). 05 B REDEFINES A. 10 C PIC 9. 10 T PIC XX OCCURS 0 TO 3 DEPENDING ON C.
                10 Z PIC X. 05 E PIC X.";
    let case = Case::with(text, |choices| {
        when(choices, "A", "K", &["A"]);
        when(choices, "B", "K", &["B"]);
    });
    // The view keeps its room; within it the field behind the table moves up.
    case.check(r#"{"k":"B","b":{"t":["x"],"z":"Z"},"e":"E"}"#, "C2 F1A740E9 40404040 C5");
    case.check(r#"{"k":"B","b":{"t":["x","y","w"],"z":"Z"},"e":"E"}"#, "C2 F3A740A840A640E9 C5");
    case.check(r#"{"k":"B","b":{"z":"Z"},"e":"E"}"#, "C2 F0E9 404040404040 C5");
    case.check(r#"{"k":"A","a":"9999","e":"E"}"#, "C1 F9F9F9F940404040 C5");
    assert!(case.bind.is_fixed());
    let alone = Case::with(text, |choices| choices.field("B").included = Some(true));
    alone.check(r#"{"k":"","b":{"t":["x"],"z":"Z"},"e":"E"}"#, "40 F1A740E9 40404040 C5");
    alone.check_encode("{}", "40 F040 404040404040 40");
    assert_eq!(alone.encode(r#"{"b":{"t":["1","2","3","4"]}}"#).expect_err("four rows").kind, RowCount);
}

#[test]
fn counters_of_views_that_are_not_shown_are_not_read() {
    let text = "01 R. 05 A PIC X(4). 05 B REDEFINES A. 10 C PIC 9. 10 T PIC X OCCURS 0 TO 3 DEPENDING ON C.";
    let case = Case::with(text, |choices| choices.options.table_room = record::TableRoom::Full);
    case.check(r#"{"a":"wxyz"}"#, "A6A7A8A9");
    Case::new(text).check(r#"{"a":"wxyz"}"#, "A6A7A8A9");
}

#[test]
fn a_counter_in_a_view_of_a_table_behind_it() {
    let text =
        "01 R. 05 A. 10 A1 PIC X(2). 05 B REDEFINES A. 10 C PIC 99. 05 T PIC X OCCURS 0 TO 5 DEPENDING ON C.";
    Case::new(text).check_decode("F0F3 C1C2C3", r#"{"a":{"a1":"03"},"t":["A","B","C"]}"#);
}

#[test]
fn a_counter_in_a_view_that_is_chosen_after_its_table() {
    let text = "01 R. 05 K PIC X. 05 A. 10 N PIC 9. 10 X PIC X. 05 B REDEFINES A PIC XX.
                05 T PIC X OCCURS 0 TO 3 DEPENDING ON N.";
    let case = Case::with(text, |choices| {
        when(choices, "A", "K", &["A"]);
        when(choices, "B", "K", &["B"]);
    });
    case.check_encode(r#"{"k":"A","t":["p","q"],"a":{"x":"z"}}"#, "C1 F2A9 9798");
    case.check_encode(r#"{"k":"A","a":{"x":"z"},"t":["p","q"]}"#, "C1 F2A9 9798");
}

#[test]
fn null_chooses_no_view_and_tells_of_none() {
    let case = Case::with(KINDS, |choices| {
        choices.options.policies.nulls = record::Nulls::Initial;
        when(choices, "A", "K", &["A"]);
        when(choices, "B", "K", &["B"]);
    });
    case.check_encode(r#"{"k":null,"a":null,"b":{"b1":12,"b2":3}}"#, "C2 F1F2F3A3 40");
}

#[test]
fn a_field_that_tells_is_read_by_its_policies() {
    let text = "01 R. 05 K PIC 99. 05 L PIC XX. 05 A PIC X. 05 B REDEFINES A PIC X. 05 C PIC X. 05 D REDEFINES C PIC X.";
    let case = Case::with(text, |choices| {
        choices.options.policies.padded_numbers = record::PaddedNumbers::Accept;
        choices.options.policies.low_value_text = record::LowValueText::Trim;
        when(choices, "A", "K", &["5"]);
        when(choices, "B", "K", &["6"]);
        when(choices, "C", "L", &["A"]);
        when(choices, "D", "L", &["B"]);
    });
    case.check_decode("F540 C100 E7 E8", r#"{"k":5,"l":"A","a":"X","c":"Y"}"#);
}

#[test]
fn views_with_counters_in_many_rows_take_little_time() {
    let rows = 40_000;
    let copybook = format!(
        "01 R. 05 O OCCURS {rows}. 10 A. 15 N PIC 9. 15 T PIC X OCCURS 1 TO 2 DEPENDING ON N.
         10 B REDEFINES A PIC X(3)."
    );
    let case = Case::new(&copybook);
    let json = format!(r#"{{"o":[{}]}}"#, vec![r#"{"a":{"t":["a"]}}"#; rows].join(","));
    let begun = Instant::now();
    let record = case.encode(&json).expect("a record");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(record.len(), rows * 6);
}
