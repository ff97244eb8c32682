//! Names of JSON members: the three profiles, duplicates, names that users choose.

use record::{Filler, Naming};

use crate::{Case, refuse};

/// The record of one-byte fields of these names, and the names that JSON has for them.
#[track_caller]
fn check_names(naming: Naming, cobol: &[&str], json: &[&str]) {
    let fields: String = cobol.iter().map(|name| format!(" 05 {name} PIC 9.")).collect();
    let case = Case::with(&format!("01 R.{fields}"), |choices| choices.options.naming = naming);
    let members: Vec<String> = json.iter().map(|name| format!("\"{name}\":1")).collect();
    case.check(&format!("{{{}}}", members.join(",")), &"F1".repeat(cobol.len()));
}

#[test]
fn profiles() {
    let cobol = ["COUNT-IN", "count-out", "Cust-NAME", "A--B", "X1"];
    check_names(Naming::Ls2js, &cobol, &["count_in", "count_out", "Cust_name", "a__b", "x1"]);
    check_names(Naming::Ls2ws, &cobol, &["count_in", "count_out", "Cust_name", "a__b", "x1"]);
    check_names(Naming::Toolkit, &cobol, &["COUNT_IN", "count_out", "Cust_NAME", "A__B", "X1"]);
    check_names(Naming::Cobol, &cobol, &["COUNT-IN", "count-out", "Cust-NAME", "A--B", "X1"]);
}

#[test]
fn a_leading_digit_gets_an_underscore_in_ls2js() {
    check_names(Naming::Ls2js, &["1ST-FIELD"], &["_1st_field"]);
    check_names(Naming::Ls2ws, &["9A-REQUEST-ID"], &["_9a_request_id"]);
    check_names(Naming::Toolkit, &["1ST-FIELD"], &["1ST_FIELD"]);
    check_names(Naming::Cobol, &["1ST-FIELD"], &["1ST-FIELD"]);
}

#[test]
fn duplicates_get_numbers() {
    check_names(Naming::Ls2js, &["A", "A", "A2", "A"], &["a", "a2", "a22", "a3"]);
    check_names(Naming::Ls2ws, &["YEAR", "YEAR", "YEAR1", "YEAR"], &["year", "year1", "year11", "year2"]);
    check_names(Naming::Toolkit, &["A-B", "A-B"], &["A_B", "A_B2"]);
    // The same name in two groups is no duplicate.
    Case::new("01 R. 05 G. 10 A PIC 9. 05 H. 10 A PIC 9.").check(r#"{"g":{"a":1},"h":{"a":2}}"#, "F1F2");
    // Fields of a group that dissolves stand beside those around it.
    Case::new("01 R. 05 A PIC 9. 05 FILLER. 10 A PIC 9.").check(r#"{"a":1,"a2":2}"#, "F1F2");
}

#[test]
fn fillers_are_numbered_in_the_order_of_the_copybook() {
    for (naming, name) in
        [(Naming::Ls2js, "fill_1"), (Naming::Toolkit, "FILL_1"), (Naming::Cobol, "FILLER-1")]
    {
        let case = Case::with("01 R. 05 FILLER PIC 9. 05 FILLER PIC 9.", |choices| {
            choices.options.naming = naming;
            choices.at(2).included = Some(true);
        });
        case.check(&format!(r#"{{"{name}":5}}"#), "F0F5");
    }
    let case = Case::with("01 R. 05 FILLER PIC 9. 05 G. 10 FILLER PIC 9. 10 FILLER1 PIC 9.", |choices| {
        choices.options.naming = Naming::Ls2ws;
        choices.options.filler = Filler::Expose;
    });
    case.check(r#"{"filler1":1,"g":{"filler2":2,"filler1":3}}"#, "F1F2F3");
}

#[test]
fn chosen_names_come_first() {
    let case = Case::with("01 R. 05 A PIC 9. 05 B PIC 9.", |choices| {
        choices.field("B").name = Some("a".to_owned());
    });
    case.check(r#"{"a2":1,"a":2}"#, "F1F2");
    let case = Case::with("01 R. 05 G. 10 A PIC 9.", |choices| {
        choices.field("G").name = Some("größe \"1\"".to_owned());
        choices.field("A").name = Some("Ä.[]".to_owned());
    });
    case.check(r#"{"größe \"1\"":{"Ä.[]":1}}"#, "F1");
}

#[test]
fn chosen_names_come_first_in_groups_that_dissolve_too() {
    let case = Case::with("01 R. 05 A PIC 9. 05 FILLER. 10 B PIC 9.", |choices| {
        choices.field("B").name = Some("a".to_owned());
    });
    case.check(r#"{"a2":1,"a":2}"#, "F1F2");
}

#[test]
fn one_name_for_two_fields_is_refused() {
    refuse(
        "01 R. 05 A PIC 9. 05 B PIC 9.",
        |choices| {
            choices.field("A").name = Some("x".to_owned());
            choices.field("B").name = Some("x".to_owned());
        },
        &["B: the name 'x' is given twice in one group"],
    );
}

#[test]
fn choices_for_fields_that_do_not_show_are_refused() {
    let text = "01 R. 05 C PIC 9. 05 T PIC 9 OCCURS 0 TO 3 DEPENDING ON C. 05 FILLER PIC X. 05 A PIC X. 05 B REDEFINES A PIC 9.";
    let errors = refuse(
        text,
        |choices| {
            choices.field("C").name = Some("n".to_owned());
            choices.field("B").required = true;
            choices.at(3).maximum = Some("1".to_owned());
        },
        &[
            "C: name, limits or 'required' are given for a field that does not show: it is the counter of a table \
             and is filled from the array's length",
            "FILLER: name, limits or 'required' are given for a field that does not show: it is not part of the \
             interface",
            "B: name, limits or 'required' are given for a field that does not show: it is not part of the interface",
        ],
    );
    assert!(errors.iter().all(|error| error.line == 1));
}
