//! Types beyond zoned, packed, binary and single-byte text: floating point, national, double-byte, native order.

use codepage::Encoding;
use record::ErrorKind::{BadData, OutOfRange, TooLong, Unmappable, WrongType};
use record::{ByteOrder, FloatForm, TableRoom};

use crate::{Case, check, refuse};

fn ccsid(number: u16) -> Encoding {
    Encoding::by_ccsid(number).expect("a known CCSID")
}

#[test]
fn floating_point() {
    let text = "01 R. 05 S COMP-1. 05 D COMP-2.";
    check(text, r#"{"s":1234,"d":-0.1}"#, "434D2000 C019999999 99999A");
    check(text, r#"{"s":100000000000000000000,"d":1e-20}"#, "5156BC76 302F394219248447");
    let ieee = Case::with(text, |choices| choices.options.float = Some(FloatForm::Ieee));
    ieee.check(r#"{"s":1.5,"d":-0.1}"#, "3FC00000 BFB999999999999A");
    ieee.refuse_json(
        r#"{"s":1e39}"#,
        OutOfRange,
        "s: the number is greater than the field can hold (line 1, column 6)",
    );
    ieee.refuse_json(r#"{"s":"1"}"#, WrongType, "s: expected a number, found text (line 1, column 6)");
    ieee.refuse_record(
        "7F800000 0000000000000000",
        BadData,
        "s: the bytes 7F 80 00 00 are not a number of the field's type (record offset 0)",
    );
    let little = Case::with(text, |choices| {
        choices.options.float = Some(FloatForm::Ieee);
        choices.options.native_order = ByteOrder::Little;
    });
    little.check(r#"{"s":1.5,"d":2}"#, "0000C03F 0000000000000040");
    check("01 R. 05 S COMP-1 VALUE 1.5.", r#"{"s":1.5}"#, "41180000");
    Case::new("01 R. 05 S COMP-1 VALUE 1.5.").check_encode("{}", "41180000");
}

#[test]
fn native_order() {
    let text = "01 R. 05 N PIC S9(4) COMP-5. 05 B PIC S9(4) COMP.";
    check(text, r#"{"n":-2,"b":1}"#, "FFFE 0001");
    let little = Case::with(text, |choices| choices.options.native_order = ByteOrder::Little);
    little.check(r#"{"n":-2,"b":1}"#, "FEFF 0001");
    let long = Case::with("01 R. 05 N BINARY-LONG. 05 M BINARY-DOUBLE UNSIGNED.", |choices| {
        choices.options.native_order = ByteOrder::Little;
    });
    long.check(r#"{"n":258,"m":18446744073709551615}"#, "02010000 FFFFFFFFFFFFFFFF");
}

#[test]
fn comp_x_has_its_highest_byte_first() {
    let text = "01 R. 05 X PIC X(3) COMP-X. 05 D PIC 9(3) COMP-X. 05 B PIC X COMP-X. 05 N PIC X(2) COMP-5.";
    let little = Case::with(text, |choices| choices.options.native_order = ByteOrder::Little);
    little.check(r#"{"x":258,"d":999,"b":255,"n":258}"#, "000102 03E7 FF 0201");
    little.check(r#"{"x":16777215,"d":0,"b":0,"n":65535}"#, "FFFFFF 0000 00 FFFF");
    let shown = "b: the number is greater than the greatest allowed, 255 (line 1, column 6)";
    little.refuse_json(r#"{"b":256}"#, OutOfRange, shown);
}

#[test]
fn national() {
    let text = "01 R. 05 T PIC N(4). 05 J PIC N(3) JUSTIFIED. 05 N PIC 9(3) USAGE NATIONAL.
                05 S PIC S99 NATIONAL SIGN LEADING SEPARATE.";
    check(
        text,
        r#"{"t":"aé€","j":"x","n":42,"s":-7}"#,
        "0061 00E9 20AC 0020  0020 0020 0078  0030 0034 0032  002D 0030 0037",
    );
    let little = Case::with(text, |choices| choices.options.national = ccsid(1202));
    little.check(
        r#"{"t":"aé€","j":"x","n":42,"s":7}"#,
        "6100 E900 AC20 2000  2000 2000 7800  3000 3400 3200  2B00 3000 3700",
    );
    let case = Case::new(text);
    case.check_encode("{}", "0020 0020 0020 0020 0020 0020 0020 0030 0030 0030 002B 0030 0030");
    case.refuse_json(
        r#"{"t":"abcde"}"#,
        TooLong,
        "t: text of 10 bytes in CCSID 1200 is longer than the field's 8 (line 1, column 6)",
    );
    // A character beyond the basic plane takes two units.
    case.refuse_json(
        r#"{"j":"😀😀"}"#,
        TooLong,
        "j: text of 8 bytes in CCSID 1200 is longer than the field's 6 (line 1, column 6)",
    );
    case.refuse_record(
        "D800 0020 0020 0020 0020 0020 0020 0030 0030 0030 002B 0030 0030",
        BadData,
        "t: the surrogate D800 at offset 0 is not part of a pair in CCSID 1200; the bytes are D8 00 00 20 00 20 00 20 (record offset 0)",
    );
    refuse(
        "01 R. 05 T PIC N.",
        |choices| choices.options.national = ccsid(1208),
        &["national characters are UTF-16, CCSID 1200 or 1202, not 1208"],
    );
}

#[test]
fn double_byte_and_mixed_text() {
    let text = "01 R. 05 G PIC G(4). 05 X PIC X(12).";
    let japanese = Case::with(text, |choices| choices.options.encoding = ccsid(939));
    japanese.check(r#"{"g":"漢字","x":"AB漢字C"}"#, "4F58 48F2 4040 4040 C1C2 0E4F5848F20F C3 404040");
    japanese.check(r#"{"g":"","x":"plain"}"#, "4040 4040 4040 4040 9793818995 40404040404040");
    japanese.refuse_json(
        r#"{"g":"A"}"#,
        Unmappable,
        "g: character U+0041 is not in CCSID 300 (line 1, column 6)",
    );
    japanese.refuse_json(
        r#"{"x":"漢字漢字漢字"}"#,
        TooLong,
        "x: text of 14 bytes in CCSID 939 is longer than the field's 12 (line 1, column 6)",
    );
    let single = Case::with(text, |choices| choices.options.dbcs = Some(ccsid(300)));
    single.check(r#"{"g":"漢","x":"AB"}"#, "4F58 4040 4040 4040 C1C2 40404040404040404040");
    refuse(
        text,
        |_| {},
        &[
            "G: CCSID 37 has no double-byte characters for PIC G; say which CCSID they have, or hide the field",
        ],
    );
}

#[test]
fn utf_8_records() {
    let case =
        Case::with("01 R. 05 T PIC X(5). 05 N PIC S99.", |choices| choices.options.encoding = ccsid(1208));
    case.check(r#"{"t":"né","n":-5}"#, "6EC3A92020 304E");
    case.refuse_json(
        r#"{"t":"€€"}"#,
        TooLong,
        "t: text of 6 bytes in CCSID 1208 is longer than the field's 5 (line 1, column 6)",
    );
    case.refuse_record(
        "6EC3202020 3035",
        BadData,
        "t: the character at offset 1 is not complete in CCSID 1208 (record offset 0)",
    );
    refuse(
        "01 R. 05 T PIC X.",
        |choices| choices.options.encoding = ccsid(1200),
        &["CCSID 1200 cannot be that of a record: its digits have two bytes"],
    );
}

#[test]
fn pointers_hide_and_show_as_bytes() {
    let text = "01 R. 05 P POINTER. 05 A PIC X.";
    check(text, r#"{"a":"A"}"#, "00000000 C1");
    let shown = Case::with(text, |choices| choices.field("P").included = Some(true));
    shown.check(r#"{"p":"0102FFAB","a":"A"}"#, "0102FFAB C1");
    shown.refuse_json(
        r#"{"p":"01"}"#,
        TooLong,
        "p: the text needs 1 bytes, the field has 4 (line 1, column 6)",
    );
    shown.refuse_json(r#"{"p":"0x"}"#, WrongType, "p: the text is not hexadecimal digits (line 1, column 6)");
}

#[test]
fn tables_that_keep_their_room() {
    let text = "01 R. 05 C PIC 9. 05 T PIC X OCCURS 0 TO 3 DEPENDING ON C. 05 E PIC X.";
    let full = Case::with(text, |choices| choices.options.table_room = TableRoom::Full);
    full.check(r#"{"t":["A","B"],"e":"E"}"#, "F2 C1C240 C5");
    full.check(r#"{"e":"E"}"#, "F0 404040 C5");
    assert!(full.bind.is_fixed());
    full.refuse_record(
        "F2 C1C2 C5",
        record::ErrorKind::RecordLength,
        "e: the record ends after 4 bytes, before this field does (record offset 4)",
    );
}
