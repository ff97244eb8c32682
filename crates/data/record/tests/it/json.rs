//! JSON as text: text that is not JSON is refused at its fault, and members may have any order.

use record::ErrorKind::{DuplicateField, NotAnObject, Syntax, TooDeep, UnknownField, WrongType};
use record::{JSON_DEPTH_MAX, UnknownFields};

use crate::Case;

const COPYBOOK: &str = "01 R. 05 T PIC X(3). 05 N PIC 9(3). 05 G. 10 A PIC X. 05 L PIC 9 OCCURS 2.";

fn lenient() -> Case {
    Case::with(COPYBOOK, |choices| choices.options.unknown_fields = UnknownFields::Ignore)
}

#[test]
fn syntax_errors_say_line_and_column() {
    let case = Case::new(COPYBOOK);
    for (json, shown) in [
        ("", "expected a value, found the end of the text (line 1, column 1)"),
        (" \n ", "expected a value, found the end of the text (line 2, column 2)"),
        ("{", "expected a member's name in quotes, found the end of the text (line 1, column 2)"),
        ("}", "expected a value, found '}' (line 1, column 1)"),
        (r#"{"t"}"#, "expected ':', found '}' (line 1, column 5)"),
        (r#"{"t":}"#, "t: expected a value, found '}' (line 1, column 6)"),
        (r#"{"t":"A""#, "expected ',' or '}', found the end of the text (line 1, column 9)"),
        (r#"{"t":"A",}"#, "expected a member's name in quotes, found '}' (line 1, column 10)"),
        (r#"{"t":"A" "n":1}"#, "expected ',' or '}', found '\"' (line 1, column 10)"),
        (r#"{"t":"A";"n":1}"#, "expected ',' or '}', found ';' (line 1, column 9)"),
        ("{t:1}", "expected a member's name in quotes, found 't' (line 1, column 2)"),
        ("{'t':1}", "expected a member's name in quotes, found ''' (line 1, column 2)"),
        (r#"{"t":'A'}"#, "t: expected a value, found ''' (line 1, column 6)"),
        (r#"{"t":"A}"#, "t: the string that starts here does not end (line 1, column 6)"),
        (r#"{"t":"A\"}"#, "t: the string that starts here does not end (line 1, column 6)"),
        (r#"{"t":"A\"#, "t: this is not a JSON escape sequence (line 1, column 8)"),
        (r#"{"t":"\x"}"#, "t: this is not a JSON escape sequence (line 1, column 7)"),
        (r#"{"t":"\é"}"#, "t: this is not a JSON escape sequence (line 1, column 7)"),
        (r#"{"t":"\u00g0"}"#, "t: \\u must be followed by four hexadecimal digits (line 1, column 7)"),
        (r#"{"t":"\u00"}"#, "t: \\u must be followed by four hexadecimal digits (line 1, column 7)"),
        (r#"{"t":"\u+041"}"#, "t: \\u must be followed by four hexadecimal digits (line 1, column 7)"),
        ("{\"t\":\"A\nB\"}", "t: control character U+000A in a string must be escaped (line 1, column 8)"),
        (
            "{\"t\":\"\\n\u{1}\"}",
            "t: control character U+0001 in a string must be escaped (line 1, column 9)",
        ),
        ("{\"t\":\"\u{1f}\"}", "t: control character U+001F in a string must be escaped (line 1, column 7)"),
        ("{\n  \"t\": \"é\",\n  \"n\": 1x\n}", "expected ',' or '}', found 'x' (line 3, column 9)"),
        ("{\"t\":\"éé\"?}", "expected ',' or '}', found '?' (line 1, column 10)"),
        (r#"{"l":[1,2}"#, "l: expected ',' or ']', found '}' (line 1, column 10)"),
        (r#"{"l":[1,]}"#, "l[1]: expected a value, found ']' (line 1, column 9)"),
        (r#"{"l":[,1]}"#, "l[0]: expected a value, found ',' (line 1, column 7)"),
        (r#"{"g":{"a":"x"]}"#, "g: expected ',' or '}', found ']' (line 1, column 14)"),
        (r#"{"t":nul}"#, "t: expected a value, found 'n' (line 1, column 6)"),
        (r#"{"t":tru}"#, "t: expected a value, found 't' (line 1, column 6)"),
        ("{}}", "expected the end of the text, found '}' (line 1, column 3)"),
        ("{} x", "expected the end of the text, found 'x' (line 1, column 4)"),
        ("{}\n{}", "expected the end of the text, found '{' (line 2, column 1)"),
        ("{}\0", "expected the end of the text, found a control character (line 1, column 3)"),
        ("\u{feff}{}", "expected a value, found '\u{feff}' (line 1, column 1)"),
        ("[1,]", "expected a value, found ']' (line 1, column 4)"),
        ("{/**/}", "expected a member's name in quotes, found '/' (line 1, column 2)"),
    ] {
        case.refuse_json(json, Syntax, shown);
    }
}

#[test]
fn text_that_is_not_utf8() {
    let case = Case::new(COPYBOOK);
    let mut record = Vec::new();
    let error = case.bind.encode(b"{\n\"t\":\"a\xFF\"}", &mut record).expect_err("no UTF-8");
    assert_eq!(error.kind, Syntax);
    assert_eq!(error.to_string(), "byte 8 of the text is not UTF-8 (line 2, column 7)");
}

#[test]
fn what_is_json_but_no_object() {
    let case = Case::new(COPYBOOK);
    for (json, shown) in [
        ("[]", "expected an object, found an array (line 1, column 1)"),
        ("\n \"t\"", "expected an object, found text (line 2, column 2)"),
        ("1", "expected an object, found a number (line 1, column 1)"),
        ("null", "expected an object, found null (line 1, column 1)"),
        (" true", "expected an object, found a boolean (line 1, column 2)"),
    ] {
        case.refuse_json(json, NotAnObject, shown);
    }
}

#[test]
fn members_come_in_any_order_and_may_be_missing() {
    let case = Case::new(COPYBOOK);
    let all = "C1C2C3 F0F0F7 E7 F1F2";
    case.check(r#"{"t":"ABC","n":7,"g":{"a":"X"},"l":[1,2]}"#, all);
    case.check_encode(r#"{"l":[1,2],"g":{"a":"X"},"n":7,"t":"ABC"}"#, all);
    case.check_encode("\t{ \"n\" : 7 ,\r\n\"t\":\"ABC\",\"l\":[ 1 , 2 ],\"g\":{ \"a\" : \"X\" } } ", all);
    case.check_encode("{ }", "404040 F0F0F0 40 F0F0");
    case.check_encode(r#"{"g":{}}"#, "404040 F0F0F0 40 F0F0");
}

#[test]
fn a_field_stands_once() {
    let case = Case::new(COPYBOOK);
    case.refuse_json(
        r#"{"t":"A","n":1,"t":"B"}"#,
        DuplicateField,
        "t: this field occurs twice in one object (line 1, column 16)",
    );
    case.refuse_json(
        "{\"g\":{\"a\":\"A\",\n\"\\u0061\":\"B\"}}",
        DuplicateField,
        "g.a: this field occurs twice in one object (line 2, column 1)",
    );
}

#[test]
fn more_members_than_bits_are_each_known_once() {
    let fields: String = (0..100).map(|i| format!(" 05 F{i} PIC 9.")).collect();
    let case = Case::new(&format!("01 R.{fields}"));
    let members: Vec<String> = (0..100).map(|i| format!("\"f{i}\":{}", i % 10)).collect();
    let digits: String = (0..100).map(|i| format!("F{}", i % 10)).collect();
    case.check(&format!("{{{}}}", members.join(",")), &digits);
    let twice = format!("{{{},\"f99\":1}}", members.join(","));
    assert_eq!(case.encode(&twice).expect_err("twice").kind, DuplicateField);
}

#[test]
fn unknown_fields_are_refused_with_the_nearest_name() {
    let case = Case::new("01 R. 05 CUST-NAME PIC X. 05 G. 10 A PIC X.");
    for (json, shown) in [
        (r#"{"custName":"A"}"#, "custName: unknown field; did you mean 'cust_name'? (line 1, column 2)"),
        (r#"{"CUST-NAME":"A"}"#, "CUST-NAME: unknown field; did you mean 'cust_name'? (line 1, column 2)"),
        (r#"{"g":{"b":"A"}}"#, "g.b: unknown field (line 1, column 7)"),
        (r#"{"":1}"#, "unknown field (line 1, column 2)"),
        (r#"{"a":"A"}"#, "a: unknown field; it belongs in the object 'g' (line 1, column 2)"),
    ] {
        case.refuse_json(json, UnknownField, shown);
    }
    let long = format!(r#"{{"{}":1}}"#, "é".repeat(1_000));
    let shown = format!("{}: unknown field (line 1, column 2)", "é".repeat(64));
    case.refuse_json(&long, UnknownField, &shown);
}

#[test]
fn unknown_fields_are_passed_over_but_must_be_json() {
    let case = lenient();
    for value in [
        "1",
        "-1.5e+3",
        r#""é\n\ud83d\ude00""#,
        "true",
        "false",
        "null",
        "[]",
        "{}",
        "[1,[2,{}],\"]\"]",
        r#"{"a":{"b":[1]},"c":"}"}"#,
        "1e999999",
        &"9".repeat(400),
    ] {
        let json = format!(r#"{{"x":{value},"n":7,"y":{value}}}"#);
        case.check_encode(&json, "404040 F0F0F7 40 F0F0");
    }
    for value in [
        "",
        "01",
        "1.",
        "tru",
        "nulll",
        "[1,]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\":1,}",
        "{1:2}",
        "\"a",
        "\"\\q\"",
        "-",
        "+1",
        "'a'",
        &format!("{}--", "9".repeat(400)),
        &format!("{}.", "9".repeat(400)),
        &format!("0.{}e+", "1".repeat(400)),
        "\"\u{1}\"",
        "\"\\ud800\"",
    ] {
        let error = case.encode(&format!(r#"{{"x":{value},"n":7}}"#)).expect_err(value);
        assert_eq!(error.kind, Syntax, "{value}");
    }
}

#[test]
fn values_of_other_types() {
    let case = Case::new(COPYBOOK);
    for (json, shown) in [
        (r#"{"t":null}"#, "t: expected text, found null (line 1, column 6)"),
        (r#"{"t": 1}"#, "t: expected text, found a number (line 1, column 7)"),
        (r#"{"t":["A"]}"#, "t: expected text, found an array (line 1, column 6)"),
        (r#"{"n":null}"#, "n: expected a number, found null (line 1, column 6)"),
        (r#"{"n":true}"#, "n: expected a number, found a boolean (line 1, column 6)"),
        (r#"{"n":{}}"#, "n: expected a number, found an object (line 1, column 6)"),
        (r#"{"g":[]}"#, "g: expected an object, found an array (line 1, column 6)"),
        (r#"{"g":null}"#, "g: expected an object, found null (line 1, column 6)"),
        (r#"{"l":1}"#, "l: expected an array, found a number (line 1, column 6)"),
        (r#"{"l":null}"#, "l: expected an array, found null (line 1, column 6)"),
        ("{\"l\":[1,\n\"2\"]}", "l[1]: expected a number, found text (line 2, column 1)"),
    ] {
        case.refuse_json(json, WrongType, shown);
    }
}

#[test]
fn depth_is_limited() {
    let case = lenient();
    let nested = |depth: usize| format!(r#"{{"x":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    case.check_encode(&nested(JSON_DEPTH_MAX), "404040 F0F0F0 40 F0F0");
    let shown = format!("values nest deeper than {JSON_DEPTH_MAX} (line 1, column {})", 6 + JSON_DEPTH_MAX);
    case.refuse_json(&nested(JSON_DEPTH_MAX + 1), TooDeep, &shown);
    assert_eq!(case.encode(&"[".repeat(1_000_000)).expect_err("deep").kind, TooDeep);
    assert_eq!(
        case.encode(&format!(r#"{{"t":{}"#, "{\"a\":".repeat(100_000))).expect_err("deep").kind,
        TooDeep
    );
}
