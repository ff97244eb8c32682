//! The translations that other crates use.

use codepage::{CodePage, translate, translate_json, translate_until};

fn page_037() -> &'static CodePage {
    CodePage::by_ccsid(37).expect("037 is known")
}

/// ASCII from 037 as it may stand in a JSON string; 80 for all else.
fn to_json() -> [u8; 256] {
    page_037().to_unicode().map(|unit| match unit {
        0x20..0x7F if !matches!(unit, 0x22 | 0x5C) => unit as u8,
        _ => 0x80,
    })
}

/// ASCII to 037.
fn to_037() -> [u8; 256] {
    std::array::from_fn(|ascii| page_037().ascii_to_page().get(ascii).copied().unwrap_or_default())
}

#[test]
fn a_field_becomes_json_and_back() {
    let text = "Field text, 0123456789 and a good deal more of it than 64 bytes are, for the sake of vectors";
    let mut field = vec![0; text.len()];
    translate(&to_037(), text.as_bytes(), &mut field);
    let mut expected = Vec::new();
    page_037().encode(text, &mut expected).expect("ASCII");
    assert_eq!(field, expected);
    let mut json = vec![0; field.len()];
    assert_eq!(translate_until(&to_json(), 0x80, &field, &mut json), field.len());
    assert_eq!(json, text.as_bytes());
}

#[test]
fn what_json_escapes_is_found() {
    for (text, plain) in [("say \"yes\"", 4), ("back\\slash", 4), ("line\n", 4), ("d\u{E9}j\u{E0}", 1)] {
        let mut field = Vec::new();
        page_037().encode(text, &mut field).expect("037 has all of it");
        let mut json = vec![0; field.len()];
        assert_eq!(translate_until(&to_json(), 0x80, &field, &mut json), plain, "{text}");
    }
}

#[test]
fn a_string_ends_at_its_quote_or_with_the_field() {
    let json = b"NAME\",\"next\":1}";
    let mut field = [0x40; 10];
    assert_eq!(translate_json(&to_037(), json, &mut field), 4);
    assert_eq!(field[..4], [0xD5, 0xC1, 0xD4, 0xC5]);
    assert_eq!(translate_json(&to_037(), json, &mut field[..3]), 3);
    assert_eq!(translate_json(&to_037(), b"AB", &mut field), 2);
    assert_eq!(translate_json(&to_037(), b"", &mut field), 0);
}

#[test]
#[should_panic(expected = "both slices have the same length")]
fn a_shorter_target_is_refused() {
    translate(&to_037(), b"abc", &mut [0; 2]);
}
