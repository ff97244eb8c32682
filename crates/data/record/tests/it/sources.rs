//! Where a field's value comes from when several things could give it: views of the same bytes, a group's VALUE,
//! defaults, counters, limits.

use record::BinaryRange;
use record::ErrorKind::RowCount;

use crate::{Case, check, refuse};

const VIEWS: &str = "01 R. 05 ID PIC 9. 05 A PIC X(4). 05 B REDEFINES A. 10 B1 PIC X(2). 10 B2 PIC X(2).";

#[test]
fn of_a_chosen_view_that_is_removed_no_other_takes_the_place() {
    let case = Case::with(VIEWS, |choices| {
        choices.field("B").included = Some(true);
        choices.field("B").removed = true;
    });
    case.check_decode("F1 C1C2C3C4", r#"{"id":1}"#);
    case.check_encode(r#"{"id":1}"#, "F1 40404040");
}

#[test]
fn a_default_in_a_view_that_does_not_show_changes_only_its_own_bytes() {
    let text =
        "01 R. 05 A. 10 A1 PIC X(2) VALUE 'AB'. 10 A2 PIC X(2) VALUE 'CD'. 05 B REDEFINES A. 10 B1 PIC X(2).";
    let case = Case::with(text, |choices| choices.field("B1").default = Some("ZZ".to_owned()));
    case.check_encode("{}", "E9E9 C3C4");
}

#[test]
fn what_is_set_from_elsewhere_cannot_also_be_in_the_body() {
    let case = Case::with(VIEWS, |choices| choices.field("ID").removed = true);
    let conflict =
        |case: &Case, name: &str| case.bind.conflict(&case.layout, case.layout.resolve(name).expect(name));
    assert_eq!(conflict(&case, "ID"), None);
    assert_eq!(conflict(&case, "B1").as_deref(), Some("its bytes are also those of A, which is in the body"));
    let counted = "01 R. 05 C PIC 9. 05 T PIC X OCCURS 0 TO 3 DEPENDING ON C.";
    assert_eq!(
        conflict(&Case::new(counted), "C").as_deref(),
        Some("it counts the rows of T, which is in the body")
    );
    let hidden = Case::with(counted, |choices| choices.field("T").removed = true);
    assert_eq!(conflict(&hidden, "C"), None);
}

#[test]
fn a_value_of_a_group_keeps_the_defaults_below_it() {
    let text = "01 R. 05 G VALUE 'vwxyz'. 10 A PIC X(2). 10 B PIC X(3). 05 T OCCURS 2. 10 H VALUE 'pq'. 15 C PIC X. 15 D PIC X.";
    Case::new(text).check_encode("{}", "A5A6A7A8A9 9798 9798");
    let case = Case::with(text, |choices| {
        choices.field("A").default = Some("XX".to_owned());
        choices.field("D").default = Some("Y".to_owned());
    });
    case.check_encode("{}", "E7E7A7A8A9 97E8 97E8");
    refuse(
        "01 R. 05 G VALUE 'abc'. 10 A PIC X(2).",
        |_| {},
        &["G: VALUE 'abc': text of 3 characters is longer than the field's 2"],
    );
}

#[test]
fn a_constant_counter_gives_rows_with_initial_values() {
    let text = "01 R. 05 C PIC 9. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON C VALUE 'x'. 05 E PIC X.";
    let case = Case::with(text, |choices| {
        choices.field("T").removed = true;
        choices.field("C").default = Some("2".to_owned());
    });
    case.check_encode(r#"{"e":"E"}"#, "F2 A7A7 C5");
}

#[test]
fn tables_of_one_counter_have_the_rows_that_all_of_them_allow() {
    let case = Case::new(
        "01 R. 05 N PIC 9. 05 A PIC X OCCURS 0 TO 5 DEPENDING ON N. 05 B PIC X OCCURS 2 TO 3 DEPENDING ON N.",
    );
    case.check_encode(r#"{"a":["1","2"],"b":["3","4"]}"#, "F2 F1F2 F3F4");
    case.check_encode("{}", "F0");
    case.refuse_json(
        r#"{"a":["1","2","3","4"]}"#,
        RowCount,
        "a: the array has more than 3 rows (line 1, column 6)",
    );
    case.refuse_json(
        r#"{"a":["1"]}"#,
        RowCount,
        "a: the array has 1 rows, the table has at least 2 (line 1, column 6)",
    );
    refuse(
        "01 R. 05 N PIC 9. 05 A PIC X OCCURS 0 TO 1 DEPENDING ON N. 05 B PIC X OCCURS 2 TO 3 DEPENDING ON N.",
        |_| {},
        &["N: the tables of this counter have no possible number of rows in common"],
    );
}

#[test]
fn initial_values_keep_to_the_limits() {
    let limits = |choices: &mut crate::Choices| {
        choices.field("Q").minimum = Some("10".to_owned());
        choices.field("Q").maximum = Some("20".to_owned());
    };
    refuse(
        "01 R. 05 Q PIC 99.",
        limits,
        &[
            "Q: its initial value is outside of its limits (the number 0, in bytes F0 F0, is not between 10 and 20); give it a default, or say required = true",
        ],
    );
    Case::with("01 R. 05 Q PIC 99 VALUE 15.", limits).check_encode("{}", "F1F5");
    refuse(
        "01 R. 05 Q PIC 99.",
        |choices| {
            limits(choices);
            choices.field("Q").default = Some("99".to_owned());
        },
        &["Q: the default '99' does not fit: the number is greater than the greatest allowed, 20"],
    );
}

#[test]
fn figurative_constants_that_are_no_numbers_leave_numbers_at_zero() {
    check(
        "01 R. 05 P PIC 9(3) COMP-3 VALUE LOW-VALUES. 05 Z PIC 99 VALUE SPACES.",
        r#"{"p":0,"z":0}"#,
        "000F F0F0",
    );
}

#[test]
fn binary_numbers_have_the_range_of_the_picture_or_of_their_bytes() {
    let text = "01 R. 05 N PIC S9(4) COMP. 05 U PIC 9(4) COMP.";
    let json = r#"{"n":-32768,"u":65535}"#;
    Case::with(text, |choices| choices.options.binary_range = BinaryRange::Bytes).check(json, "8000 FFFF");
    assert!(Case::new(text).encode(json).is_err());
    assert!(Case::new(text).decode("8000 0000").is_err());
}
