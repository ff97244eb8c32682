//! The visible fields: groups, views, fillers, hidden fields; and their bytes if JSON does not give them.

use record::ErrorKind::{MissingField, OutOfRange};
use record::Filler;

use crate::{Case, check, refuse};

#[test]
fn groups_are_objects() {
    check(
        "01 R. 05 G. 10 A PIC X. 10 H. 15 B PIC 9. 05 C PIC X.",
        r#"{"g":{"a":"A","h":{"b":1}},"c":"C"}"#,
        "C1F1C3",
    );
}

#[test]
fn an_elementary_record_is_an_object_of_one() {
    check("01 COUNT-IN PIC 9(3).", r#"{"count_in":7}"#, "F0F0F7");
    let wrapped = Case::with("01 N PIC 9.", |choices| choices.options.wrapper = Some("rec".to_owned()));
    wrapped.check(r#"{"rec":{"n":7}}"#, "F7");
}

#[test]
fn a_wrapper_stands_around_the_fields() {
    let case = Case::with("01 R. 05 A PIC X. 05 B PIC 9.", |choices| {
        choices.options.wrapper = Some("ROperation".to_owned());
        choices.field("B").required = true;
    });
    case.check(r#"{"ROperation":{"a":"A","b":1}}"#, "C1F1");
    case.refuse_json("{}", MissingField, "ROperation: this field is required (line 1, column 1)");
    case.refuse_json(
        "{ \"ROperation\":\n{\"a\":\"A\"}}",
        MissingField,
        "ROperation.b: this field is required (line 2, column 1)",
    );
    assert!(case.encode(r#"{"a":"A","b":1}"#).is_err());
}

const VIEWS: &str = "01 R. 05 A PIC X(4). 05 B REDEFINES A. 10 N PIC 9(2). 10 M PIC 9(2). 05 C REDEFINES A PIC 9(3). 05 E PIC X.";

#[test]
fn the_first_view_shows() {
    check(VIEWS, r#"{"a":"ABCD","e":"E"}"#, "C1C2C3C4C5");
}

#[test]
fn a_chosen_view_shows_in_its_place() {
    let case = Case::with(VIEWS, |choices| choices.field("B").included = Some(true));
    case.check(r#"{"b":{"n":12,"m":34},"e":"E"}"#, "F1F2F3F4C5");
    case.check_encode("{}", "F0F0F0F040");
    let case = Case::with(VIEWS, |choices| choices.field("C").included = Some(true));
    case.check_encode(r#"{"c":123,"e":"E"}"#, "F1F2F340C5");
    case.check_decode("F1F2F3C4C5", r#"{"c":123,"e":"E"}"#);
}

#[test]
fn fillers_hide_and_may_show() {
    let text = "01 R. 05 A PIC X. 05 FILLER PIC X(2) VALUE '--'. 05 B PIC X. 05 FILLER PIC 9.";
    check(text, r#"{"a":"A","b":"B"}"#, "C16060C2F0");
    let all = Case::with(text, |choices| choices.options.filler = Filler::Expose);
    all.check(r#"{"a":"A","fill_0":"xx","b":"B","fill_1":5}"#, "C1A7A7C2F5");
    let one = Case::with(text, |choices| choices.at(4).included = Some(true));
    one.check(r#"{"a":"A","b":"B","fill_1":5}"#, "C16060C2F5");
    let renamed = Case::with(text, |choices| {
        choices.at(2).included = Some(true);
        choices.at(2).name = Some("dashes".to_owned());
    });
    renamed.check_encode(r#"{"dashes":"=="}"#, "407E7E40F0");
}

#[test]
fn groups_without_a_name_dissolve() {
    let text = "01 R. 05 FILLER. 10 A PIC X. 10 FILLER. 15 B PIC 9. 05 C PIC X.";
    check(text, r#"{"a":"A","b":1,"c":"C"}"#, "C1F1C3");
    let exposed = Case::with(text, |choices| choices.options.filler = Filler::Expose);
    exposed.check(r#"{"fill_0":{"a":"A","fill_1":{"b":1}},"c":"C"}"#, "C1F1C3");
    // A table without a name has rows, which need a name to stand under.
    check(
        "01 R. 05 FILLER OCCURS 2. 10 A PIC X. 05 C PIC X.",
        r#"{"fill_0":[{"a":"A"},{"a":"B"}],"c":"C"}"#,
        "C1C2C3",
    );
}

#[test]
fn hidden_fields_keep_their_initial_values() {
    let text = "01 R. 05 A PIC X(2) VALUE 'V'. 05 G. 10 B PIC 9(2) VALUE 7. 05 C PIC X.";
    let case = Case::with(text, |choices| {
        choices.field("A").included = Some(false);
        choices.field("G").included = Some(false);
    });
    case.check(r#"{"c":"C"}"#, "E540F0F7C3");
    assert!(case.encode(r#"{"a":"x"}"#).is_err());
    case.check_decode("C1C1C1C1C3", r#"{"c":"C"}"#);
}

#[test]
fn a_group_of_hidden_fields_is_no_object() {
    check("01 R. 05 G. 10 FILLER PIC X. 05 C PIC X.", r#"{"c":"C"}"#, "40C3");
    let nothing = Case::new("01 R. 05 FILLER PIC X.");
    assert!(!nothing.bind.has_members());
    nothing.check("{}", "40");
}

#[test]
fn values_and_defaults() {
    for (clauses, record) in [
        ("PIC X(3) VALUE 'AB'", "C1C240"),
        ("PIC X(3) VALUE SPACES", "404040"),
        ("PIC X(3) VALUE ZEROS", "F0F0F0"),
        ("PIC X(3) VALUE LOW-VALUES", "000000"),
        ("PIC X(3) VALUE HIGH-VALUES", "FFFFFF"),
        ("PIC X(3) VALUE QUOTES", "7F7F7F"),
        ("PIC X(3) VALUE ALL 'AB'", "C1C2C1"),
        ("PIC X(3) VALUE X'0D25'", "0D2540"),
        ("PIC 9(3)", "F0F0F0"),
        ("PIC 9(3) VALUE 42", "F0F4F2"),
        ("PIC 9(3) VALUE ZERO", "F0F0F0"),
        ("PIC S9(3)V9 VALUE -1.5", "F0F0F1D5"),
        ("PIC S9(3) COMP-3 VALUE -42", "042D"),
        ("PIC 9(4) COMP VALUE 258", "0102"),
        ("PIC S9(3) COMP-3", "000C"),
        ("PIC 9(3) COMP-3", "000F"),
        ("COMP-2", "0000000000000000"),
        ("PIC N(2)", "00200020"),
    ] {
        let case = Case::with(&format!("01 R. 05 F {clauses}. 05 E PIC X."), |choices| {
            choices.field("F").included = Some(false);
        });
        case.check_encode(r#"{"e":"E"}"#, &format!("{record}C5"));
    }
    let case = Case::with("01 R. 05 A PIC X(3) VALUE 'AB'. 05 N PIC S9(3)V9.", |choices| {
        choices.field("A").default = Some("xyz".to_owned());
        choices.field("N").default = Some("-1.5".to_owned());
    });
    case.check_encode("{}", "A7A8A9F0F0F1D5");
    case.check_encode(r#"{"n":0,"a":""}"#, "404040F0F0F0C0");
}

#[test]
fn the_value_of_a_group_fills_it() {
    check(
        "01 R. 05 G VALUE 'A1'. 10 A PIC X. 10 N PIC 9. 05 E PIC X.",
        r#"{"g":{"a":"A","n":1},"e":"E"}"#,
        "C1F1C5",
    );
    Case::new("01 R. 05 G VALUE 'A1'. 10 A PIC X. 10 N PIC 9. 05 E PIC X.").check_encode("{}", "C1F140");
}

#[test]
fn values_and_defaults_that_do_not_fit() {
    refuse(
        "01 R. 05 A PIC X(2).",
        |choices| choices.field("A").default = Some("abc".to_owned()),
        &["A: the default 'abc' does not fit: text of 3 characters is longer than the field's 2"],
    );
    refuse(
        "01 R. 05 A PIC 9.",
        |choices| choices.field("A").default = Some("12".to_owned()),
        &["A: the default '12' does not fit: the number is greater than the greatest allowed, 9"],
    );
    refuse(
        "01 R. 05 G. 10 H. 15 A PIC 9.",
        |choices| choices.field("H").default = Some("1".to_owned()),
        &["G.H: a group has no value itself; give its fields defaults"],
    );
    refuse(
        "01 R. 05 C PIC 9. 05 T PIC X OCCURS 0 TO 9 DEPENDING ON C.",
        |choices| choices.field("C").default = Some("1".to_owned()),
        &["C: a default is given for the counter of a table, which is filled from the array's length"],
    );
}

#[test]
fn required_fields() {
    let case = Case::with("01 R. 05 A PIC X. 05 G. 10 B PIC X. 10 T PIC 9 OCCURS 2.", |choices| {
        choices.field("A").required = true;
        choices.field("B").required = true;
    });
    case.check_encode(r#"{"a":"A","g":{"b":"B"}}"#, "C1C2F0F0");
    case.refuse_json(r#"{"g":{"b":"B"}}"#, MissingField, "a: this field is required (line 1, column 1)");
    case.refuse_json(r#"{"a":"A"}"#, MissingField, "g: this field is required (line 1, column 1)");
    case.refuse_json(r#"{"a":"A","g":{}}"#, MissingField, "g.b: this field is required (line 1, column 14)");
    let rows = Case::with("01 R. 05 T OCCURS 2. 10 A PIC X.", |choices| choices.field("A").required = true);
    rows.check_encode("{}", "4040");
    rows.refuse_json(
        r#"{"t":[{"a":"A"},{}]}"#,
        MissingField,
        "t[1].a: this field is required (line 1, column 17)",
    );
}

#[test]
fn limits() {
    let case = Case::with("01 R. 05 N PIC S9(2)V9.", |choices| {
        choices.field("N").minimum = Some("-1".to_owned());
        choices.field("N").maximum = Some("12.5".to_owned());
    });
    case.check(r#"{"n":12.5}"#, "F1F2C5");
    case.check(r#"{"n":-1}"#, "F0F1D0");
    let shown = "n: the number is greater than the greatest allowed, 12.5 (line 1, column 6)";
    case.refuse_json(r#"{"n":12.6}"#, OutOfRange, shown);
    let shown = "n: the number is less than the least allowed, -1 (line 1, column 6)";
    case.refuse_json(r#"{"n":-1.1}"#, OutOfRange, shown);
    case.refuse_record(
        "F1F2C6",
        record::ErrorKind::BadData,
        "n: the number 12.6, in bytes F1 F2 C6, is not between -1 and 12.5 (record offset 0)",
    );
}

#[test]
fn limits_that_make_no_sense() {
    let limit = |text: &str, minimum: &'static str, maximum: &'static str, shown: &str| {
        refuse(
            text,
            |choices| {
                choices.field("N").minimum = Some(minimum.to_owned());
                choices.field("N").maximum = Some(maximum.to_owned());
            },
            &[shown],
        );
    };
    limit("01 R. 05 N PIC 9.", "0", "10", "N: a limit is beyond what the field can hold");
    limit("01 R. 05 N PIC 9.", "5", "4", "N: minimum is greater than maximum");
    limit("01 R. 05 N PIC 9.", "0", "1.5", "N: the limit '1.5' is not a number that the field can hold");
    limit("01 R. 05 N PIC 9.", "x", "1", "N: the limit 'x' is not a number that the field can hold");
    limit("01 R. 05 N PIC X.", "0", "1", "N: minimum and maximum are for decimal numbers");
}
