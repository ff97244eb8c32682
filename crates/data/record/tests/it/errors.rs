//! Errors as values: every part of the place, and how they read.

use record::{Cause, Error, ErrorKind, Format};

use crate::Case;

#[test]
fn an_error_of_json_has_path_line_and_column() {
    let case = Case::new("01 R. 05 G. 10 T OCCURS 3. 15 N PIC 9(2).");
    let error = case.encode("{\"g\":{\n\"t\":[{\"n\":1},\n  {\"n\": 123}]}}").expect_err("123");
    let expected = Error {
        kind: ErrorKind::OutOfRange,
        cause: None,
        path: "g.t[1].n".to_owned(),
        offset: None,
        position: Some((3, 9)),
        message: "the number is greater than the greatest allowed, 99".to_owned(),
    };
    assert_eq!(error, expected);
    let shown = "g.t[1].n: the number is greater than the greatest allowed, 99 (line 3, column 9)";
    assert_eq!(error.to_string(), shown);
}

#[test]
fn an_error_of_a_record_has_path_and_offset() {
    let case = Case::new("01 R. 05 G. 10 T OCCURS 3. 15 N PIC 9(2).");
    let error = case.decode("F0F0 F0F0 F0C1").map(|_| ());
    assert_eq!(error, Ok(()), "a plus in the zone of an unsigned number is read");
    let error = case.decode("F0F0 F0F0 C1F0").expect_err("a sign in front");
    let expected = Error {
        kind: ErrorKind::BadData,
        cause: None,
        path: "g.t[2].n".to_owned(),
        offset: Some(4),
        position: None,
        message: "the bytes C1 F0 are not a number of the field's type".to_owned(),
    };
    assert_eq!(error, expected);
}

#[test]
fn the_wrapper_is_part_of_the_path() {
    let case = Case::with("01 R. 05 N PIC 9.", |choices| choices.options.wrapper = Some("w".to_owned()));
    assert_eq!(case.encode(r#"{"w":{"n":-1}}"#).expect_err("-1").path, "w.n");
    assert_eq!(case.decode("40").expect_err("a blank").path, "w.n");
    assert_eq!(case.decode("").expect_err("nothing").path, "w.n");
}

#[test]
fn columns_count_characters() {
    let case = Case::new("01 R. 05 T PIC X(9). 05 N PIC 9.");
    let error = case.encode("{\"t\":\"äöüß\", \"n\":10}").expect_err("10");
    assert_eq!(error.position, Some((1, 18)));
}

#[test]
fn an_error_tells_its_cause() {
    let case = Case::with(
        "01 R. 05 N PIC 9(2). 05 D PIC S9(2)V9. 05 B PIC X(2). 05 H PIC X(2). 05 P PIC S9(3) COMP-3. 05 Z PIC 9(2).",
        |choices| {
            choices.field("B").format = Some(Format::Base64);
            choices.field("H").format = Some(Format::Hex);
        },
    );
    for (json, cause) in [
        (r#"{"n":1.5}"#, Some(Cause::NotInteger)),
        (r#"{"n":-1}"#, Some(Cause::Negative)),
        (r#"{"n":100}"#, None),
        (r#"{"n":"x"}"#, None),
        (r#"{"d":1.25}"#, Some(Cause::DecimalPlaces)),
        (r#"{"d":-100}"#, None),
        (r#"{"b":"?"}"#, Some(Cause::NotBase64)),
        (r#"{"h":"012"}"#, Some(Cause::OddHexDigits)),
        (r#"{"h":"0x"}"#, None),
    ] {
        assert_eq!(case.encode(json).expect_err(json).cause, cause, "{json}");
    }
    let of = |packed: &str, zoned: &str| case.decode(&format!("F0F0 F0F0F0 0000 0000 {packed} {zoned}"));
    assert_eq!(of("ABCD", "F0F0").expect_err("no number").cause, Some(Cause::NotPacked));
    assert_eq!(of("123C", "ABCD").expect_err("no number").cause, None);
}
