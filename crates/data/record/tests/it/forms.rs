//! Other forms of values: dates, booleans, bytes as text, edited pictures as values, condition names.

use record::ErrorKind::{BadData, OutOfRange, TooLong, WrongType};
use record::{BadNumber, Cause, Conditions, DateFormat, EditedValue, Format, NumberStyle};
use xsd::TextType;

use crate::{Case, Choices, refuse};

fn date(picture: &str) -> Option<Format> {
    Some(DateFormat::parse(picture, 1950).expect("a picture").into())
}

#[test]
fn a_blank_boolean_may_be_none_and_other_bytes_are_refused() {
    let case = Case::with("01 R. 05 A PIC X. 05 B PIC X.", |choices| {
        choices.field("B").format = Some(record::Format::Boolean { yes: "Y".to_owned(), no: "N".to_owned() });
        choices.field("B").omit = Some(String::new());
        choices.options.policies.blank_numbers = record::BadNumber::Null;
    });
    case.check_decode("C1 40", r#"{"a":"A"}"#);
    case.check_decode("C1 E8", r#"{"a":"A","b":true}"#);
    let mut json = Vec::new();
    let error = case.bind.decode(&crate::bytes("C1 E7"), &mut json).expect_err("neither");
    assert!(error.to_string().contains("is neither 'Y' nor 'N'"), "{error}");
}

#[test]
fn dates_in_text_and_numbers() {
    let text = "01 R. 05 D PIC X(10). 05 N PIC 9(8). 05 P PIC S9(7) COMP-3. 05 T PIC 9(6).";
    let case = Case::with(text, |choices| {
        choices.field("D").format = date("YYYY-MM-DD");
        choices.field("N").format = date("DDMMYYYY");
        choices.field("P").format = date("YYYYDDD");
        choices.field("T").format = date("HHMMSS");
    });
    case.check(
        r#"{"d":"2026-11-21","n":"2027-02-01","p":"2024-12-31","t":"05:06:07"}"#,
        "F2F0F2F660F1F160F2F1 F0F1F0F2F2F0F2F7 2024366C F0F5F0F6F0F7",
    );
    case.refuse_json(
        r#"{"d":"21.11.2026"}"#,
        OutOfRange,
        "d: expected a date of the calendar, as 2026-11-21 (line 1, column 6)",
    );
    case.refuse_json(
        r#"{"n":1022027}"#,
        WrongType,
        "n: expected a date as text, found a number (line 1, column 6)",
    );
    case.refuse_record(
        "F2F0F2F660F1F360F2F1 F0F1F0F2F2F0F2F7 2024366C F0F5F0F6F0F7",
        BadData,
        "d: '2026-13-21', in bytes F2 F0 F2 F6 60 F1 F3 60 F2 F1, is not a date in the field's picture (record offset 0)",
    );
}

#[test]
fn a_date_that_is_none() {
    let text = "01 R. 05 N PIC 9(8).";
    let strict = Case::with(text, |choices| choices.field("N").format = date("YYYYMMDD"));
    strict.refuse_record(
        "F0F0F0F0F0F0F0F0",
        BadData,
        "n: '00000000', in bytes F0 F0 F0 F0 F0 F0 F0 F0, is not a date in the field's picture (record offset 0)",
    );
    let null = Case::with(text, |choices| {
        choices.field("N").format = date("YYYYMMDD");
        choices.options.policies.blank_numbers = BadNumber::Null;
    });
    null.check_decode("F0F0F0F0F0F0F0F0", r#"{"n":null}"#);
    null.check_decode("4040404040404040", r#"{"n":null}"#);
    assert_eq!(null.decode("F2F0F2F6F1F3F0F1").expect_err("no month 13").kind, BadData);
    assert!(null.bind.dates_that_must_be_set().is_empty());
    // Low-values and blanks are no numbers of any type, and no dates.
    for (picture, unset) in [
        ("9(8)", ["0000000000000000", "4040404040404040"].as_slice()),
        ("9(8) COMP-3", &["0000000000", "4040404040", "000000000F"]),
        ("9(8) COMP", &["00000000", "40404040"]),
        ("X(8)", &["0000000000000000", "4040404040404040", "F0F0F0F0F0F0F0F0"]),
    ] {
        let case = |policy: BadNumber| {
            Case::with(&format!("01 R. 05 N PIC {picture}."), |choices| {
                choices.field("N").format = date("YYYYMMDD");
                choices.options.policies.blank_numbers = policy;
            })
        };
        for bytes in unset {
            case(BadNumber::Null).check_decode(bytes, r#"{"n":null}"#);
            let refused = case(BadNumber::Refuse).decode(bytes).expect_err("no date");
            assert_eq!((refused.kind, refused.cause), (BadData, Some(Cause::UnsetDate)), "{picture} {bytes}");
        }
    }
    let low = Case::with(text, |choices| {
        choices.field("N").format = date("YYYYMMDD");
        choices.options.policies.low_value_numbers = BadNumber::Zero;
    });
    low.check_decode("0000000000000000", r#"{"n":null}"#);
}

#[test]
fn date_pictures_fit_their_fields() {
    refuse(
        "01 R. 05 D PIC X(9).",
        |choices| choices.field("D").format = date("YYYYMMDD"),
        &["D: the date picture has 8 characters, the field 9"],
    );
    refuse(
        "01 R. 05 D PIC 9(10).",
        |choices| choices.field("D").format = date("YYYY-MM-DD"),
        &["D: the date picture of a number can only have digits"],
    );
    refuse(
        "01 R. 05 D PIC 9(6)V99.",
        |choices| choices.field("D").format = date("YYYYMMDD"),
        &["D: a date is kept as text or as an integer"],
    );
    refuse(
        "01 R. 05 D PIC 9(7).",
        |choices| choices.field("D").format = date("YYYYMMDD"),
        &["D: the date picture has 8 characters, the field 7"],
    );
}

#[test]
fn booleans() {
    let boolean = |yes: &str, no: &str| Some(Format::Boolean { yes: yes.to_owned(), no: no.to_owned() });
    let case = Case::with("01 R. 05 F PIC X. 05 N PIC 9 COMP-3.", |choices| {
        choices.field("F").format = boolean("Y", "N");
        choices.field("N").format = boolean("1", "0");
    });
    case.check(r#"{"f":true,"n":false}"#, "E8 0F");
    case.check(r#"{"f":false,"n":true}"#, "D5 1F");
    case.refuse_json(r#"{"f":"Y"}"#, WrongType, "f: expected true or false, found text (line 1, column 6)");
    case.refuse_record("40 1F", BadData, "f: '', in bytes 40, is neither 'Y' nor 'N' (record offset 0)");
    refuse(
        "01 R. 05 F PIC X.",
        |choices| choices.field("F").format = boolean("Y", "Y"),
        &["F: true and false are both 'Y'"],
    );
}

#[test]
fn bytes_as_text() {
    let case = Case::with("01 R. 05 H PIC X(3). 05 B PIC X(4).", |choices| {
        choices.field("H").format = Some(Format::Hex);
        choices.field("B").format = Some(Format::Base64);
    });
    case.check(r#"{"h":"00FF40","b":"AQIDBA=="}"#, "00FF40 01020304");
    case.check_encode(r#"{"h":"00ff40","b":"AQIDBA=="}"#, "00FF40 01020304");
    case.refuse_json(
        r#"{"b":"AQID"}"#,
        TooLong,
        "b: the text needs 3 bytes, the field has 4 (line 1, column 6)",
    );
    case.refuse_json(r#"{"b":"AQIDBB=="}"#, WrongType, "b: the text is not base64 (line 1, column 6)");
}

#[test]
fn text_of_types_of_xml_schema() {
    let text = "01 R. 05 D PIC X(10). 05 S PIC X(32). 05 T PIC X(5). 05 B PIC X(8).";
    let case = Case::with(text, |choices| {
        for (field, kind) in [("D", "date"), ("S", "dateTime"), ("T", "token"), ("B", "base64Binary")] {
            choices.field(field).format = TextType::by_name(kind).map(Format::Typed);
        }
    });
    let blank = "40".repeat(55);
    case.check(r#"{"d":"","s":"","t":"","b":""}"#, &blank);
    let xml = |content: &str| {
        let mut record = Vec::new();
        let text = format!("<r>{content}</r>");
        case.bind.encode_xml(text.as_bytes(), &mut record).map(|_| {
            let mut out = Vec::new();
            case.bind.decode_xml(&record, &mut out).expect("a record");
            String::from_utf8(out).expect("UTF-8")
        })
    };
    for (content, expected) in [
        ("<d>\n 2026-01-31 </d>", "<d>2026-01-31</d><s></s><t></t><b></b>"),
        ("<d> </d><t> a\n\t b </t>", "<d></d><s></s><t>a b</t><b></b>"),
        // 33 characters become 28, of the same instant.
        (
            "<s> 2026-01-31T12:00:00.1234567+01:00 </s>",
            "<d></d><s>2026-01-31T11:00:00.1234567Z</s><t></t><b></b>",
        ),
        ("<b>AA E=\n</b>", "<d></d><s></s><t></t><b>AAE=</b>"),
    ] {
        assert_eq!(xml(content).expect(content), format!("<r>{expected}</r>"));
    }
    for (content, says) in [
        (
            "<d>31.01.2026</d>",
            "d: expected a value of the type date, such as 2026-01-31, found '31.01.2026' (line 1, column 4)",
        ),
        ("<d>2026-01-31Z</d>", "d: text of 11 characters is longer than the field's 10"),
        ("<s>2026-01-31</s>", "s: expected a value of the type dateTime"),
        (
            "<s>2026-01-31T12:00:00.12345678901234567</s>",
            "s: text of 37 characters is longer than the field's 32",
        ),
        ("<b>AA*=</b>", "b: expected a value of the type base64Binary, such as AAAA, found 'AA*='"),
    ] {
        let error = xml(content).expect_err(content);
        assert!(error.to_string().starts_with(says), "{content}: {error}");
    }
    case.refuse_json(
        r#"{"d":" 2026-01-31"}"#,
        WrongType,
        "d: expected a value of the type date, such as 2026-01-31, found ' 2026-01-31' (line 1, column 6)",
    );
    case.refuse_json(r#"{"t":1}"#, WrongType, "t: expected text, found a number (line 1, column 6)");
    // Content of a program is sent unchanged.
    let record = format!("95A3{}", "40".repeat(53));
    case.check_decode(&record, r#"{"d":"nt","s":"","t":"","b":""}"#);
    refuse(
        "01 R. 05 N PIC 9(8).",
        |choices| choices.field("N").format = Some(Format::Typed(TextType::Date)),
        &["N: a value of the type date is kept as text"],
    );
}

#[test]
fn edited_pictures_as_values() {
    let text =
        "01 R. 05 A PIC Z,ZZ9.99-. 05 S PIC $$9.99 BLANK WHEN ZERO. 05 X PIC XX/XX. 05 N PIC ZZ9 NATIONAL.";
    let case = Case::with(text, |choices| choices.options.edited = EditedValue::Value);
    case.check(
        r#"{"a":-12.5,"s":0,"x":"ABC","n":5}"#,
        "4040 40 F1F24BF5F060 404040404040 C1C261C340 0020 0020 0035",
    );
    case.check(
        r#"{"a":1234.56,"s":7.1,"x":"AB","n":123}"#,
        "F16BF2F3F44BF5F640 405BF74BF1F0 C1C2614040 0031 0032 0033",
    );
    case.check_encode("{}", "40404040F04BF0F040 404040404040 4040614040 0020 0020 0030");
    case.refuse_json(
        r#"{"a":10000}"#,
        OutOfRange,
        "a: the number is greater than the greatest allowed, 9999.99 (line 1, column 6)",
    );
    case.refuse_record(
        "F0F0F0F0F0F0F0F0F0 404040404040 C1C261C340 0020 0020 0035",
        BadData,
        "a: the bytes F0 F0 F0 F0 F0 F0 F0 F0 F0 are not a number of the field's type (record offset 0)",
    );
    let text = Case::new("01 R. 05 A PIC Z,ZZ9.99-.");
    text.check(r#"{"a":"   12.50-"}"#, "404040F1F24BF5F060");
}

#[test]
fn numbers_as_text() {
    let text = "01 R. 05 S PIC 9(15). 05 L PIC S9(18) COMP-3. 05 D PIC 9(14)V99.";
    let large = Case::with(text, |choices| choices.options.policies.numbers = NumberStyle::LargeAsText);
    large.check(
        r#"{"s":1,"l":"-123456789012345678","d":"0.5"}"#,
        "F0F0F0F0F0F0F0F0F0F0F0F0F0F0F1 0123456789012345678D F0F0F0F0F0F0F0F0F0F0F0F0F0F0F5F0",
    );
    large.check_encode(
        r#"{"s":1,"l":5,"d":0.5}"#,
        "F0F0F0F0F0F0F0F0F0F0F0F0F0F0F1 0000000000000000005C F0F0F0F0F0F0F0F0F0F0F0F0F0F0F5F0",
    );
    let all = Case::with("01 R. 05 N PIC S9V9. 05 F COMP-1.", |choices| {
        choices.options.policies.numbers = NumberStyle::Text;
    });
    all.check(r#"{"n":"-1.5","f":"1.5"}"#, "F1D5 41180000");
    all.refuse_json(r#"{"n":"1,5"}"#, WrongType, "n: expected a number (line 1, column 6)");
}

#[test]
fn condition_names() {
    let text = "01 R. 05 K PIC X(2). 88 K1 VALUE 'A'. 88 K2 VALUE 'B1' THRU 'B5'. 88 K0 VALUE SPACES.
                05 N PIC S99. 88 N1 VALUE 1 5. 88 N2 VALUE 10 THRU 20. 05 Z PIC X.";
    let case = Case::with(text, |choices| choices.options.conditions = Conditions::Enforce);
    case.check(r#"{"k":"A","n":5,"z":"?"}"#, "C140 F0C5 6F");
    case.check(r#"{"k":"B3","n":15,"z":""}"#, "C2F3 F1C5 40");
    case.check(r#"{"k":"","n":1,"z":""}"#, "4040 F0C1 40");
    let shown = "k: the value is not one of the field's condition names: expected 'A', 'B1' to 'B5', '' (line 1, column 6)";
    case.refuse_json(r#"{"k":"B6"}"#, OutOfRange, shown);
    let shown =
        "n: the value is not one of the field's condition names: expected 1, 5, 10 to 20 (line 1, column 6)";
    case.refuse_json(r#"{"n":-5}"#, OutOfRange, shown);
    // The answer of a program is shown unchanged.
    case.check_decode("E7E7 F9C9 40", r#"{"k":"XX","n":99,"z":""}"#);
}

#[test]
fn fields_with_condition_names_that_a_request_may_leave_out_start_with_one() {
    let text = "01 R. 05 A PIC X. 88 A1 VALUE 'Y' 'N'. 05 B PIC X VALUE 'N'. 88 B1 VALUE 'Y' 'N'. 05 C PIC 9. 88 C1 VALUE 1.
                05 D PIC 9. 88 D0 VALUE 0 THRU 3. 05 E PIC X. 88 E1 VALUE 'Y'. 05 F PIC X. 88 F1 VALUE 'Y'. 05 G PIC X.
                05 H OCCURS 2. 10 I PIC X. 88 I1 VALUE 'Y'.";
    let with = |conditions| {
        Case::with(text, |choices| {
            choices.options.conditions = conditions;
            choices.field("E").required = true;
            choices.field("F").default = Some("Y".to_owned());
        })
    };
    assert_eq!(with(Conditions::Enforce).bind.conditions_without_value(), ["a", "c", "i"]);
    assert!(with(Conditions::Schema).bind.conditions_without_value().is_empty());
    let wrong = |choices: &mut Choices| {
        choices.options.conditions = Conditions::Enforce;
        choices.field("F").default = Some("X".to_owned());
    };
    let message =
        "F: the default 'X' does not fit: the value is not one of the field's condition names: expected 'Y'";
    refuse("01 R. 05 F PIC X. 88 F1 VALUE 'Y'.", wrong, &[message]);
}

#[test]
fn dates_that_a_request_may_leave_out_start_as_dates() {
    let text = "01 R. 05 A PIC 9(8). 05 B PIC 9(8) VALUE 20240229. 05 C PIC X(8). 05 D PIC X(8). 05 G. 10 E PIC X(8).";
    let case = Case::with(text, |choices| {
        for name in ["A", "B", "C", "D", "E"] {
            choices.field(name).format = date("yyyyMMdd");
        }
        choices.field("C").required = true;
        choices.field("D").default = Some("2024-03-01".to_owned());
    });
    let names: Vec<&str> = case.bind.dates_without_value().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a", "e"]);
    assert_eq!(case.bind.dates_that_must_be_set(), ["a", "b", "c", "d", "e"]);
}

#[test]
fn booleans_of_values_that_read_otherwise_than_they_are_written() {
    let boolean = |yes: &str, no: &str| Some(Format::Boolean { yes: yes.to_owned(), no: no.to_owned() });
    let case = Case::with("01 R. 05 F PIC X. 05 N PIC 99.", |choices| {
        choices.field("F").format = boolean("Y", " ");
        choices.field("N").format = boolean("01", "00");
    });
    case.check(r#"{"f":false,"n":true}"#, "40 F0F1");
    refuse(
        "01 R. 05 F PIC X.",
        |choices| choices.field("F").format = boolean("YES", "NO"),
        &["F: the field cannot hold 'YES': text of 3 bytes in CCSID 37 is longer than the field's 1"],
    );
}

#[test]
fn policies_are_for_the_value_of_an_edited_text() {
    let case = Case::with("01 R. 05 E PIC XX/XX.", |choices| {
        choices.options.edited = EditedValue::Value;
        choices.options.policies.control_characters = record::ControlCharacters::Remove;
        choices.options.policies.low_value_text = record::LowValueText::Trim;
    });
    case.check_encode(r#"{"e":"A\u0001B"}"#, "C1C2614040");
    case.check_decode("C1C2610000", r#"{"e":"AB"}"#);
}

#[test]
fn condition_names_of_fields_in_other_forms() {
    let text = "01 R. 05 K PIC 9. 88 K1 VALUE 1. 05 P PIC ZZ9. 88 P5 VALUE 5. 05 F COMP-2. 88 F1 VALUE 1.5.";
    let case = Case::with(text, |choices| {
        choices.options.conditions = Conditions::Enforce;
        choices.options.edited = EditedValue::Value;
        choices.field("K").format = Some(Format::Hex);
    });
    case.check(r#"{"k":"F1","p":5,"f":0}"#, "F1 4040F5 0000000000000000");
    assert_eq!(case.encode(r#"{"p":6}"#).expect_err("only 5").kind, OutOfRange);
}
