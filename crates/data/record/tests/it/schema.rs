//! The JSON Schema of a layout, to the letter.

use record::{DataTruncation, Schema, UnknownFields};

use crate::Case;

#[track_caller]
fn check_schema(schema: &Schema, expected: &str) {
    let expected: String = expected.lines().map(str::trim).collect();
    assert_eq!(serde_json::to_string(schema).expect("serialises"), expected);
}

#[test]
fn every_type() {
    let case = Case::new(
        "01 R. 05 T PIC X(8). 05 E PIC ZZ9. 05 U PIC 9(4). 05 S PIC S9(5)V99 COMP-3. 05 B PIC S9(8) COMP. \
         05 N PIC S9(4) COMP-5. 05 P PIC 99PPP. 05 F PIC VPP9.",
    );
    let expected = r#"{"type":"object","properties":{
        "t":{"type":"string","maxLength":8},
        "e":{"type":"string","maxLength":3},
        "u":{"type":"integer","minimum":0,"maximum":9999},
        "s":{"type":"number","format":"decimal","minimum":-99999.99,"maximum":99999.99,"multipleOf":0.01},
        "b":{"type":"integer","minimum":-99999999,"maximum":99999999},
        "n":{"type":"integer","minimum":-32768,"maximum":32767},
        "p":{"type":"integer","minimum":0,"maximum":99000,"multipleOf":1000},
        "f":{"type":"number","format":"decimal","minimum":0,"maximum":0.009,"multipleOf":0.001}
        }"#;
    check_schema(&case.bind.response_schema(), &format!("{expected}}}"));
    check_schema(&case.bind.request_schema(), &format!("{expected},\"additionalProperties\":false}}"));
    let plain = case.bind.response_schema().without_multiple_of();
    assert!(!serde_json::to_string(&plain).expect("serialises").contains("multipleOf"));
}

#[test]
fn large_limits_are_exact() {
    let case = Case::new("01 R. 05 A PIC 9(31). 05 B PIC 9(18) COMP-5.");
    check_schema(
        &case.bind.response_schema(),
        r#"{"type":"object","properties":{
        "a":{"type":"integer","minimum":0,"maximum":9999999999999999999999999999999},
        "b":{"type":"integer","minimum":0,"maximum":18446744073709551615}}}"#,
    );
}

#[test]
fn tables_and_choices() {
    let case = Case::with(
        "01 R. 05 C PIC 9. 05 T OCCURS 1 TO 5 DEPENDING ON C. 10 A PIC X(2). 10 N PIC 9 OCCURS 3. \
         05 FILLER PIC X. 05 M PIC 9(3).",
        |choices| {
            choices.options.wrapper = Some("order".to_owned());
            choices.options.unknown_fields = UnknownFields::Ignore;
            choices.field("T").description = Some("The rows.".to_owned());
            choices.field("A").required = true;
            choices.field("M").required = true;
            choices.field("M").maximum = Some("500".to_owned());
            choices.field("M").minimum = Some("1".to_owned());
            choices.field("M").default = Some("1".to_owned());
        },
    );
    let expected = r#"{"type":"object","properties":{"order":{"type":"object","properties":{
        "t":{"type":"array","description":"The rows.","minItems":1,"maxItems":5,"items":
        {"type":"object","properties":{"a":{"type":"string","maxLength":2},
        "n":{"type":"array","minItems":3,"maxItems":3,"items":{"type":"integer","minimum":0,"maximum":9}}},
        "required":["a"]}},
        "m":{"type":"integer","minimum":1,"maximum":500}},"required":["m"]}},"required":["order"]}"#;
    check_schema(&case.bind.request_schema(), expected);
    check_schema(&case.bind.response_schema(), expected);
}

#[test]
fn rows_of_records_that_may_be_cut_may_be_missing() {
    let case = Case::with("01 R. 05 T PIC X OCCURS 3.", |choices| {
        choices.options.data_truncation = DataTruncation::Accept;
    });
    let expected = |least: u8| {
        format!(
            r#"{{"type":"object","properties":{{"t":{{"type":"array","minItems":{least},"maxItems":3,"items":{{"type":"string","maxLength":1}}}}}}"#
        )
    };
    check_schema(&case.bind.response_schema(), &format!("{}}}", expected(0)));
    check_schema(&case.bind.request_schema(), &format!("{},\"additionalProperties\":false}}", expected(3)));
}

#[test]
fn a_slot_has_the_schema_of_its_field() {
    let case =
        Case::with("01 R. 05 N PIC S9V9.", |choices| choices.field("N").minimum = Some("0".to_owned()));
    let id = case.layout.resolve("N").expect("a field");
    let slot = case.bind.slot(&case.layout, id, &case.options).expect("a slot");
    check_schema(
        &slot.schema(),
        r#"{"type":"number","format":"decimal","minimum":0,"maximum":9.9,"multipleOf":0.1}"#,
    );
}
