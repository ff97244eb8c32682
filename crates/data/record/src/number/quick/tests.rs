//! Quick numbers compared with the codec, which takes all numbers.

use proptest::prelude::*;

use super::{Digits, GREATEST, QuickNumber, digits_of, value_of};
use crate::decimal::{Decimal, power_of_ten};
use crate::number::{NumberForm, ZonedTables};
use crate::out::Out;
use crate::slot::{Limits, NumberCodec};
use codepage::Family;
use copybook::Sign;

/// Bytes around the field.
const AROUND: u8 = 0xA5;

fn forms() -> Vec<NumberForm> {
    let mut forms = vec![
        NumberForm::Packed { signed: false },
        NumberForm::Packed { signed: true },
        NumberForm::PackedUnsigned,
        NumberForm::Binary { signed: false },
        NumberForm::Binary { signed: true },
    ];
    for family in [Family::Ebcdic, Family::Ascii] {
        let tables = ZonedTables::of(family);
        forms.extend([Sign::None, Sign::Trailing].map(|sign| NumberForm::Zoned { sign, tables }));
    }
    forms
}

fn is_signed(form: NumberForm) -> bool {
    matches!(
        form,
        NumberForm::Packed { signed: true }
            | NumberForm::Binary { signed: true }
            | NumberForm::Zoned { sign: Sign::Trailing, .. }
    )
}

/// A codec for a field of `bytes` bytes, with the digits that it has room for, or `fewer`.
fn codec(form: NumberForm, bytes: usize, fewer: u32, scale: i32) -> NumberCodec {
    let digits = match form {
        NumberForm::Packed { .. } => 2 * bytes - 1,
        NumberForm::PackedUnsigned => 2 * bytes,
        NumberForm::Binary { .. } => [0, 2, 4, 6, 9, 11, 14, 16, 18][bytes],
        _ => bytes,
    };
    let greatest = power_of_ten((digits as u32).saturating_sub(fewer).max(1)).expect("few digits") - 1;
    let least = if is_signed(form) { -greatest } else { 0 };
    NumberCodec { form, limits: Limits { scale, least, greatest } }
}

/// A field among others, and where it lies.
fn record(field: &[u8], at: usize) -> Vec<u8> {
    let mut record = vec![AROUND; at + field.len() + 3];
    record[at..at + field.len()].copy_from_slice(field);
    record
}

/// The quick reader and the codec give the same result. Returns whether the quick reader took the bytes.
fn check_read(codec: &NumberCodec, field: &[u8], at: usize) -> bool {
    let quick = QuickNumber::new(codec, field.len()).expect("a quick number");
    let Some(digits) = quick.read(&record(field, at), at) else { return false };
    let (mut expected, mut found) = (b"x".to_vec(), b"x".to_vec());
    codec.write_json(field, &mut expected).expect("what is quick is right");
    let mut out = Out::new(&mut found, 0);
    quick.write_json(digits, &mut out);
    out.finish();
    assert_eq!(String::from_utf8_lossy(&found), String::from_utf8_lossy(&expected), "{codec:?} {field:02X?}");
    true
}

/// The quick writer and the codec give the same bytes. Returns whether the quick writer took the number.
fn check_write(codec: &NumberCodec, bytes: usize, text: &str, behind: &str, at: usize) -> bool {
    let quick = QuickNumber::new(codec, bytes).expect("a quick number");
    let whole = format!("{text}{behind}");
    let Some((digits, length)) = quick.parse_json(whole.as_bytes()) else { return false };
    assert_eq!(length, text.len(), "{whole}");
    let value = codec.limits.admit(Decimal::from_json(text.as_bytes())).expect("what is quick is right");
    let mut field = vec![0; bytes];
    codec.form.write(value, &mut field);
    let mut found = record(&vec![AROUND; bytes], at);
    quick.write(digits, &mut found, at);
    assert_eq!(found, record(&field, at), "{codec:?} {text}");
    true
}

/// Text behind a number, long enough for the quick reader.
const BEHIND: &str = ",\"name\":\"and text behind it\"}";

#[test]
fn digits_there_and_back() {
    let mut value = 0;
    while value <= GREATEST {
        assert_eq!(value_of(digits_of(value)), value);
        let text: String =
            digits_of(value).to_be_bytes().map(|digit| char::from(b'0' + digit)).iter().collect();
        assert_eq!(text, format!("{value:016}"));
        value = value * 3 / 2 + 1;
    }
    for power in 0..16 {
        for value in [10u64.pow(power) - 1, 10u64.pow(power), 10u64.pow(power) + 1] {
            assert_eq!(value_of(digits_of(value)), value);
        }
    }
}

/// The shortcut is used wherever it can be: for the values of every form, length and scale.
#[test]
fn common_numbers_are_quick() {
    for form in forms() {
        for bytes in 1..=8 {
            for scale in [0, 1, 2, 5] {
                let codec = codec(form, bytes, 0, scale);
                let greatest = codec.limits.greatest.min(GREATEST.into());
                for value in [0, 1, 7, 10, greatest / 7, greatest / 100 * 100, greatest - 1, greatest] {
                    for value in [value, -value]
                        .into_iter()
                        .filter(|value| (codec.limits.least..=greatest).contains(value))
                    {
                        let mut field = vec![0; bytes];
                        codec.form.write(value, &mut field);
                        for at in [0, 3, 20] {
                            assert!(check_read(&codec, &field, at), "{codec:?} {value}");
                        }
                        let text = Decimal { mantissa: value, scale }.to_string();
                        let digits = text.trim_start_matches('-').split('.').next().unwrap_or_default().len();
                        let is_quick = digits < 16 && digits + scale as usize <= 16;
                        for at in [0, 3, 20] {
                            assert_eq!(
                                check_write(&codec, bytes, &text, BEHIND, at),
                                is_quick,
                                "{codec:?} {text}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_no_plain_number_is_left_to_the_codec() {
    let zoned = |sign| NumberForm::Zoned { sign, tables: ZonedTables::of(Family::Ebcdic) };
    let packed = NumberForm::Packed { signed: true };
    let unsigned = NumberForm::Packed { signed: false };
    for (form, field) in [
        (zoned(Sign::None), &[0xF1, 0xC2][..]),
        (zoned(Sign::None), &[0xF1, 0x40]),
        (zoned(Sign::None), &[0xFA, 0xF1]),
        (zoned(Sign::Trailing), &[0x40, 0xC1]),
        (zoned(Sign::Trailing), &[0xF1, 0x40]),
        (zoned(Sign::Trailing), &[0xC1, 0xC1]),
        (packed, &[0x1A, 0x2C]),
        (packed, &[0xA1, 0x2C]),
        (packed, &[0x11, 0x22]),
        (unsigned, &[0x11, 0x2D]),
        (NumberForm::PackedUnsigned, &[0x1F, 0x11]),
        // More digits than the field has.
        (NumberForm::Binary { signed: false }, &[0x27, 0x10]),
        (NumberForm::Binary { signed: true }, &[0xD8, 0xF0]),
    ] {
        for at in [0, 20] {
            assert!(!check_read(&codec(form, field.len(), 0, 0), field, at), "{form:?} {field:02X?}");
        }
    }
    let codec = codec(packed, 3, 1, 2);
    for text in
        ["01", "-", "1.", ".5", "1.234", "1e1", "1E1", "1.5e0", "--1", "100", "-100", "1.2.3", "1-", "+1", ""]
    {
        assert!(!check_write(&codec, 3, text, BEHIND, 0), "{text}");
    }
    assert!(check_write(&codec, 3, "-99.99", BEHIND, 0));
    // If the text ends soon, it is too short for the quick reader.
    assert!(!check_write(&codec, 3, "1", "}", 0));
}

#[test]
fn limits_hold() {
    let form = NumberForm::Packed { signed: true };
    let limits = Limits { scale: 1, least: -25, greatest: 999 };
    let codec = NumberCodec { form, limits };
    for (text, is_quick) in [("99.9", true), ("100", false), ("-2.5", true), ("-2.6", false), ("-0", true)] {
        assert_eq!(check_write(&codec, 3, text, BEHIND, 9), is_quick, "{text}");
    }
    let above = Limits { scale: 0, least: 5, greatest: 10 };
    assert!(QuickNumber::new(&NumberCodec { form, limits: above }, 3).is_none());
}

#[test]
fn minus_zero_is_zero() {
    let codec = codec(NumberForm::Packed { signed: true }, 2, 0, 0);
    assert!(check_read(&codec, &[0x00, 0x0D], 0));
    let quick = QuickNumber::new(&codec, 2).expect("a quick number");
    assert_eq!(quick.read(&[0x00, 0x0D], 0), Some(Digits { digits: 0, negative: false }));
    assert!(check_write(&codec, 2, "-0", BEHIND, 0));
    assert!(check_write(&codec, 2, "-0", BEHIND, 30));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn any_bytes(
        form in prop::sample::select(forms()),
        field in prop::collection::vec(prop_oneof![any::<u8>(), 0xF0..=0xF9u8, 0x30..=0x39u8, 0..=0x99u8], 1..=8),
        (fewer, scale, at) in (0..3u32, 0..=16i32, 0..24usize),
    ) {
        check_read(&codec(form, field.len(), fewer, scale), &field, at);
    }

    #[test]
    fn any_text(
        form in prop::sample::select(forms()),
        bytes in 1..=8usize,
        text in "-?([0-9]{1,18}|[0-9]{0,4})(\\.[0-9]{0,6})?([eE][+-]?[0-9])?",
        behind in prop::sample::select(vec![BEHIND, "}", "", "  ,                 ", "]]]]]]]]]]]]]]]]]]]]]"]),
        (fewer, scale, at) in (0..3u32, 0..=16i32, 0..24usize),
    ) {
        check_write(&codec(form, bytes, fewer, scale), bytes, &text, behind, at);
    }
}
