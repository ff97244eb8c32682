//! PIC U: text in UTF-8, by characters or by bytes.

use record::ErrorKind::{BadData, TooLong};
use record::{LongText, TrimText};

use crate::{Case, check};

#[test]
fn characters_have_room_for_four_bytes_each_and_blanks_behind_them() {
    let text = "01 R. 05 T PIC U(3). 05 X PIC X.";
    check(text, r#"{"t":"ab","x":"Z"}"#, "6162 20202020202020202020 E9");
    check(text, r#"{"t":"aé€","x":"Z"}"#, "61 C3A9 E282AC 202020202020 E9");
    check(text, r#"{"t":"😀😀😀","x":"Z"}"#, "F09F9880 F09F9880 F09F9880 E9");
    check(text, r#"{"t":"","x":""}"#, "202020202020202020202020 40");
    Case::new(text).check_encode("{}", "202020202020202020202020 40");
    Case::new(text).refuse_json(
        r#"{"t":"abcd"}"#,
        TooLong,
        "t: text of 4 characters is longer than the field's 3 (line 1, column 6)",
    );
}

#[test]
fn what_is_behind_the_characters_is_blank() {
    let case = Case::new("01 R. 05 T PIC U(2).");
    case.refuse_record(
        "6162632020202020",
        BadData,
        "t: expected blanks behind the 2 characters of the picture, in bytes 61 62 63 20 20 20 20 20 (record offset 0)",
    );
    let message = "t: the bytes at offset 1 are not well-formed in CCSID 1208; the bytes are 61 FF 20 20 20 20 20 20 (record offset 0)";
    case.refuse_record("61FF202020202020", BadData, message);
    let kept = Case::with("01 R. 05 T PIC U(2).", |choices| {
        choices.options.policies.trim_text = TrimText::Keep;
    });
    kept.check_decode("6120202020202020", r#"{"t":"a "}"#);
    kept.check_decode("0000000000000000", r#"{"t":"\u0000\u0000"}"#);
}

#[test]
fn a_length_in_bytes_takes_as_many_characters_as_fit() {
    let text = "01 R. 05 T PIC U BYTE-LENGTH 5.";
    check(text, r#"{"t":"abcde"}"#, "6162636465");
    check(text, r#"{"t":"€é"}"#, "E282ACC3A9");
    Case::new(text).refuse_json(
        r#"{"t":"€€"}"#,
        TooLong,
        "t: text of 6 bytes in CCSID 1208 is longer than the field's 5 (line 1, column 6)",
    );
}

#[test]
fn long_text_is_cut_between_characters() {
    let cut = |text: &str| Case::with(text, |choices| choices.options.policies.long_text = LongText::Cut);
    cut("01 R. 05 T PIC U(2).").check_encode(r#"{"t":"€éa"}"#, "E282AC C3A9 202020");
    cut("01 R. 05 T PIC U BYTE-LENGTH 5.").check_encode(r#"{"t":"€€"}"#, "E282AC 2020");
}

#[test]
fn values_and_the_schema_count_characters() {
    let value = |clauses: &str, expected: &str| {
        Case::new(&format!("01 R. 05 T PIC U(3) {clauses}.")).check_encode("{}", expected);
    };
    value("VALUE U'\\u00e9a'", "C3A961 202020202020202020");
    value("VALUE UX'C3A9'", "C3A9 20202020202020202020");
    value("VALUE ZEROS", "303030 202020202020202020");
    value("VALUE ALL 'ab'", "616261 202020202020202020");
    value("VALUE LOW-VALUES", "000000000000000000000000");
    let schema = Case::new("01 R. 05 T PIC U(3). 05 B PIC U BYTE-LENGTH 7.").bind.request_schema();
    let schema = serde_json::to_string(&schema).expect("serialises");
    assert!(schema.contains(r#""maxLength":3"#) && schema.contains(r#""maxLength":7"#), "{schema}");
}
