//! Text fields: blanks, escapes, code pages, and characters that a page does not have.

use record::ErrorKind::{BadData, Syntax, TooLong, Unmappable};
use record::TrimText;

use crate::{Case, check, hex, page};

#[test]
fn blanks_fill_and_are_trimmed() {
    let text = "01 R. 05 T PIC X(4).";
    check(text, r#"{"t":"AB"}"#, "C1C24040");
    check(text, r#"{"t":" A B"}"#, "40C140C2");
    check(text, r#"{"t":""}"#, "40404040");
    check(text, r#"{"t":"ABCD"}"#, "C1C2C3C4");
    Case::new(text).check_encode(r#"{"t":"A "}"#, "C1404040");
    Case::new(text).check_encode("{}", "40404040");
}

#[test]
fn blanks_may_be_kept() {
    let case = Case::with("01 R. 05 T PIC X(3). 05 J PIC X(3) JUSTIFIED.", |choices| {
        choices.options.policies.trim_text = TrimText::Keep;
    });
    case.check(r#"{"t":"A  ","j":"  B"}"#, "C14040 4040C2");
    case.check_decode("404040404040", r#"{"t":"   ","j":"   "}"#);
}

#[test]
fn justified_text_stands_at_the_right() {
    let case = Case::new("01 R. 05 T PIC X(4) JUSTIFIED RIGHT.");
    case.check(r#"{"t":"AB"}"#, "4040C1C2");
    case.check(r#"{"t":"B "}"#, "4040C240");
    case.check(r#"{"t":""}"#, "40404040");
    case.check(r#"{"t":"é"}"#, "40404051");
    case.refuse_json(
        r#"{"t":"ABCDE"}"#,
        TooLong,
        "t: text of 5 characters is longer than the field's 4 (line 1, column 6)",
    );
}

#[test]
fn too_long_text_is_refused_in_characters() {
    let case = Case::new("01 R. 05 T PIC X(4).");
    case.check(r#"{"t":"éééé"}"#, "51515151");
    case.refuse_json(
        r#"{"t":"ééééé"}"#,
        TooLong,
        "t: text of 5 characters is longer than the field's 4 (line 1, column 6)",
    );
    // Blanks are characters: nothing is cut off in silence.
    case.refuse_json(
        r#"{"t":"ABCD "}"#,
        TooLong,
        "t: text of 5 characters is longer than the field's 4 (line 1, column 6)",
    );
}

#[test]
fn characters_that_the_page_lacks() {
    let case = Case::new("01 R. 05 T PIC X(4).");
    case.refuse_json(
        r#"{"t":"A€"}"#,
        Unmappable,
        "t: character U+20AC is not in CCSID 37 (line 1, column 6)",
    );
    case.refuse_json(
        r#"{"t":"\uD83D\uDE00"}"#,
        Unmappable,
        "t: character U+1F600 is not in CCSID 37 (line 1, column 6)",
    );
}

#[test]
fn bytes_that_are_no_character() {
    let undefined = page(1252).to_unicode().iter().position(|unit| *unit == 0xFFFD);
    // Windows pages map every byte in ICU; a page with holes is 1255.
    let (ccsid, byte) = match undefined {
        Some(byte) => (1252, byte),
        None => (1255, page(1255).to_unicode().iter().position(|unit| *unit == 0xFFFD).expect("a hole")),
    };
    let case = Case::in_page("01 R. 05 A PIC X. 05 T PIC X(3).", ccsid);
    let shown = format!("t: byte {byte:02X} is not a character of CCSID {ccsid} (record offset 1)");
    case.refuse_record(&format!("41 41{byte:02X}41"), BadData, &shown);
}

#[test]
fn escapes_both_ways() {
    let case = Case::in_page("01 R. 05 T PIC X(8).", 819);
    case.check(r#"{"t":"a\"b\\c"}"#, "6122625C63202020");
    case.check(r#"{"t":"\n\r\t\u0008\u000c\u0000\u001fx"}"#, "0A0D09080C001F78");
    case.check(r#"{"t":"\u007f/"}"#, "7F2F202020202020");
    for (json, record) in [
        (r#"{"t":"\/\b\f"}"#, "2F080C2020202020"),
        (r#"{"t":"\u0041\u00e9\u00E9"}"#, "41E9E92020202020"),
        (r#"{"\u0074":"\\\\"}"#, "5C5C202020202020"),
    ] {
        case.check_encode(json, record);
    }
}

#[test]
fn every_byte_comes_back() {
    for ccsid in [37, 273, 437, 819, 1047, 1140] {
        let case = Case::in_page("01 R. 05 T PIC X(256). 05 E PIC X.", ccsid);
        let mut record: Vec<u8> = (0..=255).collect();
        record.push(page(ccsid).space());
        let json = case.decode(&hex(&record)).expect("every byte is a character");
        let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(value["t"].as_str().map(|text| text.chars().count()), Some(256), "{ccsid}");
        case.check_encode(&json, &hex(&record));
    }
}

#[test]
fn code_pages() {
    // The characters whose places differ between the pages of EBCDIC countries.
    for (ccsid, json, record) in [
        (37, r#"{"t":"[]|ß"}"#, "BABB4F59"),
        (273, r#"{"t":"äöü[]|ß"}"#, "C06AD063FCBBA1"),
        (1047, r#"{"t":"[]|^"}"#, "ADBD4F5F"),
        (1140, r#"{"t":"€[]"}"#, "9FBABB"),
    ] {
        let length = record.len() / 2;
        Case::in_page(&format!("01 R. 05 T PIC X({length})."), ccsid).check(json, record);
    }
    Case::in_page("01 R. 05 T PIC X(2).", 1140).check(r#"{"t":"€"}"#, "9F40");
}

#[test]
fn surrogates() {
    let case = Case::new("01 R. 05 T PIC X(4).");
    for (text, column) in [
        (r"\uD83D", 7),
        (r"\uDE00", 7),
        (r"a\uD83Dx", 8),
        (r"\uD83D\u0041", 7),
        (r"\uDE00\uD83D", 7),
        (r"\uD83D\n", 7),
    ] {
        let json = format!(r#"{{"t":"{text}"}}"#);
        let shown = format!("t: this surrogate has no partner (line 1, column {column})");
        case.refuse_json(&json, Syntax, &shown);
    }
}

#[test]
fn edited_fields_are_text() {
    check("01 R. 05 E PIC ZZ9.99-.", r#"{"e":"  1.50-"}"#, "4040F14BF5F060");
    Case::new("01 R. 05 E PIC $$9.99CR.").check_decode("405BF04BF5F04040", r#"{"e":" $0.50"}"#);
}
