//! Values of properties as programs have them: their types, lengths and forms.
//!
//! Source: IBM MQ, "MQSETMP - Set message property", "MQINQMP - Inquire message property", "MQIMPO".

use codepage::{Encoding, Unmappable};
use message::{PropertyValue, Reason};

/// MQTYPE.
pub(crate) mod kind {
    pub(crate) const AS_SET: i32 = 0;
    pub(crate) const NULL: i32 = 0x2;
    pub(crate) const BOOLEAN: i32 = 0x4;
    pub(crate) const BYTE_STRING: i32 = 0x8;
    pub(crate) const INT8: i32 = 0x10;
    pub(crate) const INT16: i32 = 0x20;
    pub(crate) const INT32: i32 = 0x40;
    pub(crate) const INT64: i32 = 0x80;
    pub(crate) const FLOAT32: i32 = 0x100;
    pub(crate) const FLOAT64: i32 = 0x200;
    pub(crate) const STRING: i32 = 0x400;
}

/// The form of values: code page and MQENC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) ccsid: u16,
    pub(crate) encoding: i32,
}

/// MQENC-NATIVE.
pub(crate) const NATIVE: i32 = 785;

impl Form {
    /// MQENC-INTEGER-REVERSED: the lowest byte is the first.
    fn reverses_integers(self) -> bool {
        self.encoding & 0xF == 2
    }

    /// Floats have the form of IEEE. MQENC-FLOAT-IEEE-NORMAL and -REVERSED say their order. All other values, MQENC-NATIVE
    /// among them, stand for the order that COMP-1 and COMP-2 have in programs here.
    fn reverses_floats(self) -> bool {
        match self.encoding & 0xF00 {
            0x100 => false,
            0x200 => true,
            _ => cfg!(target_endian = "little"),
        }
    }
}

/// The bytes of a number, which stand in the order of a form.
fn ordered<const N: usize>(bytes: &[u8], reverses: bool) -> Result<[u8; N], Reason> {
    let mut bytes: [u8; N] = bytes.try_into().map_err(|_| Reason::BufferLength)?;
    if reverses {
        bytes.reverse();
    }
    Ok(bytes)
}

/// The value that a program gives.
///
/// # Errors
/// `PropertyType`; `BufferLength` if the type has another length; `SourceCcsid` if a string is not text in its code page.
pub(crate) fn read(kind: i32, bytes: &[u8], form: Form) -> Result<PropertyValue, Reason> {
    let integer = form.reverses_integers();
    let float = form.reverses_floats();
    Ok(match kind {
        kind::NULL if bytes.is_empty() => PropertyValue::Null,
        kind::NULL => return Err(Reason::BufferLength),
        kind::BOOLEAN => PropertyValue::Boolean(ordered::<4>(bytes, false)? != [0; 4]),
        kind::BYTE_STRING => PropertyValue::Bytes(bytes.to_vec()),
        kind::INT8 => PropertyValue::Int8(i8::from_be_bytes(ordered(bytes, false)?)),
        kind::INT16 => PropertyValue::Int16(i16::from_be_bytes(ordered(bytes, integer)?)),
        kind::INT32 => PropertyValue::Int32(i32::from_be_bytes(ordered(bytes, integer)?)),
        kind::INT64 => PropertyValue::Int64(i64::from_be_bytes(ordered(bytes, integer)?)),
        kind::FLOAT32 => PropertyValue::Float32(f32::from_be_bytes(ordered(bytes, float)?)),
        kind::FLOAT64 => PropertyValue::Float64(f64::from_be_bytes(ordered(bytes, float)?)),
        kind::STRING => {
            let mut text = String::with_capacity(bytes.len());
            let encoding = Encoding::by_ccsid(form.ccsid).ok_or(Reason::SourceCcsid)?;
            encoding.decode(bytes, Unmappable::Error, &mut text).map_err(|_| Reason::SourceCcsid)?;
            PropertyValue::Text(text)
        }
        _ => return Err(Reason::PropertyType),
    })
}

/// The bytes of a value; none if the code page does not exist or lacks a character.
pub(crate) fn written(value: &PropertyValue, form: Form) -> Option<Vec<u8>> {
    fn ordered<const N: usize>(mut bytes: [u8; N], reverses: bool) -> Vec<u8> {
        if reverses {
            bytes.reverse();
        }
        bytes.to_vec()
    }
    let integer = form.reverses_integers();
    let float = form.reverses_floats();
    Some(match value {
        PropertyValue::Null => Vec::new(),
        PropertyValue::Boolean(is_true) => ordered(i32::from(*is_true).to_be_bytes(), integer),
        PropertyValue::Int8(number) => ordered(number.to_be_bytes(), false),
        PropertyValue::Int16(number) => ordered(number.to_be_bytes(), integer),
        PropertyValue::Int32(number) => ordered(number.to_be_bytes(), integer),
        PropertyValue::Int64(number) => ordered(number.to_be_bytes(), integer),
        PropertyValue::Float32(number) => ordered(number.to_be_bytes(), float),
        PropertyValue::Float64(number) => ordered(number.to_be_bytes(), float),
        PropertyValue::Bytes(bytes) => bytes.clone(),
        PropertyValue::Text(text) => return encoded(text, form.ccsid),
    })
}

/// A text in a code page; none if that does not exist or lacks a character.
pub(crate) fn encoded(text: &str, ccsid: u16) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    Encoding::by_ccsid(ccsid)?.encode(text, Unmappable::Error, &mut bytes).ok()?;
    Some(bytes)
}

/// The type of a value.
pub(crate) fn kind_of(value: &PropertyValue) -> i32 {
    match value {
        PropertyValue::Null => kind::NULL,
        PropertyValue::Boolean(_) => kind::BOOLEAN,
        PropertyValue::Bytes(_) => kind::BYTE_STRING,
        PropertyValue::Int8(_) => kind::INT8,
        PropertyValue::Int16(_) => kind::INT16,
        PropertyValue::Int32(_) => kind::INT32,
        PropertyValue::Int64(_) => kind::INT64,
        PropertyValue::Float32(_) => kind::FLOAT32,
        PropertyValue::Float64(_) => kind::FLOAT64,
        PropertyValue::Text(_) => kind::STRING,
    }
}

/// The bytes that a value takes in memory.
pub(crate) fn bytes_of(value: &PropertyValue) -> usize {
    match value {
        PropertyValue::Bytes(bytes) => bytes.len(),
        PropertyValue::Text(text) => text.len(),
        _ => 8,
    }
}

/// A value as another type (MQIMPO-CONVERT-TYPE). Numbers become wider, not narrower.
///
/// # Errors
/// `PropertyType` for a type that does not exist, `PropertyConversion` for one that the value cannot have,
/// `PropertyNumberFormat` for a text that is not such a number.
pub(crate) fn converted(value: PropertyValue, to: i32) -> Result<PropertyValue, Reason> {
    let is_known = (kind::NULL..=kind::STRING).contains(&to) && to.count_ones() == 1;
    match to {
        kind::AS_SET => return Ok(value),
        to if to == kind_of(&value) => return Ok(value),
        _ if !is_known => return Err(Reason::PropertyType),
        _ => {}
    }
    match (&value, to) {
        (PropertyValue::Text(text), _) => of_text(text, to),
        (PropertyValue::Null, _) => Err(Reason::PropertyConversion),
        (_, kind::STRING) => Ok(PropertyValue::Text(as_text(&value))),
        (PropertyValue::Float32(number), kind::FLOAT64) => Ok(PropertyValue::Float64((*number).into())),
        _ => widened(&value, to).ok_or(Reason::PropertyConversion),
    }
}

fn widened(value: &PropertyValue, to: i32) -> Option<PropertyValue> {
    let number: i64 = match value {
        PropertyValue::Boolean(is_true) => (*is_true).into(),
        PropertyValue::Int8(number) => (*number).into(),
        PropertyValue::Int16(number) => (*number).into(),
        PropertyValue::Int32(number) => (*number).into(),
        _ => return None,
    };
    let is_boolean = matches!(value, PropertyValue::Boolean(_));
    if !is_boolean && to < kind_of(value) {
        return None;
    }
    Some(match to {
        kind::INT8 => PropertyValue::Int8(number.try_into().ok()?),
        kind::INT16 => PropertyValue::Int16(number.try_into().ok()?),
        kind::INT32 => PropertyValue::Int32(number.try_into().ok()?),
        kind::INT64 => PropertyValue::Int64(number),
        _ => return None,
    })
}

fn as_text(value: &PropertyValue) -> String {
    match value {
        PropertyValue::Null => String::new(),
        PropertyValue::Boolean(is_true) => if *is_true { "TRUE" } else { "FALSE" }.to_owned(),
        PropertyValue::Bytes(bytes) => bytes.iter().map(|byte| format!("{byte:02X}")).collect(),
        PropertyValue::Int8(number) => number.to_string(),
        PropertyValue::Int16(number) => number.to_string(),
        PropertyValue::Int32(number) => number.to_string(),
        PropertyValue::Int64(number) => number.to_string(),
        PropertyValue::Float32(number) => format!("{number:?}"),
        PropertyValue::Float64(number) => format!("{number:?}"),
        PropertyValue::Text(text) => text.clone(),
    }
}

fn of_text(text: &str, to: i32) -> Result<PropertyValue, Reason> {
    let text = text.trim();
    let value = match to {
        kind::BOOLEAN if text == "1" || text.eq_ignore_ascii_case("true") => {
            Some(PropertyValue::Boolean(true))
        }
        kind::BOOLEAN if text == "0" || text.eq_ignore_ascii_case("false") => {
            Some(PropertyValue::Boolean(false))
        }
        kind::BOOLEAN => None,
        kind::INT8 => text.parse().ok().map(PropertyValue::Int8),
        kind::INT16 => text.parse().ok().map(PropertyValue::Int16),
        kind::INT32 => text.parse().ok().map(PropertyValue::Int32),
        kind::INT64 => text.parse().ok().map(PropertyValue::Int64),
        kind::FLOAT32 => {
            text.parse().ok().filter(|number: &f32| number.is_finite()).map(PropertyValue::Float32)
        }
        kind::FLOAT64 => {
            text.parse().ok().filter(|number: &f64| number.is_finite()).map(PropertyValue::Float64)
        }
        _ => return Err(Reason::PropertyConversion),
    };
    value.ok_or(Reason::PropertyNumberFormat)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mqi::constant;
    use proptest::prelude::*;

    const FORM: Form = Form { ccsid: 1252, encoding: NATIVE };

    fn value() -> impl Strategy<Value = PropertyValue> {
        prop_oneof![
            Just(PropertyValue::Null),
            any::<bool>().prop_map(PropertyValue::Boolean),
            any::<i8>().prop_map(PropertyValue::Int8),
            any::<i16>().prop_map(PropertyValue::Int16),
            any::<i32>().prop_map(PropertyValue::Int32),
            any::<i64>().prop_map(PropertyValue::Int64),
            any::<f32>().prop_map(PropertyValue::Float32),
            any::<f64>().prop_map(PropertyValue::Float64),
            any::<Vec<u8>>().prop_map(PropertyValue::Bytes),
            "[ -~é]{0,20}".prop_map(PropertyValue::Text),
        ]
    }

    proptest! {
        #[test]
        fn a_value_comes_back_in_every_form(
            value in value(), ccsid in proptest::sample::select(vec![1252_u16, 1208, 500]),
            encoding in proptest::sample::select(vec![NATIVE, 273, 546, 0]),
        ) {
            let form = Form { ccsid, encoding };
            let bytes = written(&value, form).unwrap();
            prop_assert_eq!(read(kind_of(&value), &bytes, form), Ok(value));
        }

        #[test]
        fn any_bytes_are_a_value_or_refused(kind in 0_i32..2048, bytes: Vec<u8>, encoding: i32) {
            if let Ok(value) = read(kind, &bytes, Form { ccsid: 1208, encoding }) {
                for shift in 0..12 {
                    let _ = converted(value.clone(), 1 << shift);
                }
            }
        }
    }

    #[test]
    fn types_have_the_numbers_of_the_copybook() {
        for (name, kind) in [
            ("AS-SET", kind::AS_SET),
            ("NULL", kind::NULL),
            ("BOOLEAN", kind::BOOLEAN),
            ("BYTE-STRING", kind::BYTE_STRING),
            ("INT8", kind::INT8),
            ("INT16", kind::INT16),
            ("INT32", kind::INT32),
            ("INT64", kind::INT64),
            ("FLOAT32", kind::FLOAT32),
            ("FLOAT64", kind::FLOAT64),
            ("STRING", kind::STRING),
        ] {
            assert_eq!(constant(&format!("MQTYPE-{name}")), Some(kind), "{name}");
        }
    }

    #[test]
    fn numbers_stand_as_the_encoding_says() {
        let number = PropertyValue::Int32(258);
        assert_eq!(written(&number, FORM), Some(vec![0, 0, 1, 2]));
        assert_eq!(written(&number, Form { encoding: 546, ..FORM }), Some(vec![2, 1, 0, 0]));
        let float = PropertyValue::Float32(1.0);
        assert_eq!(written(&float, Form { encoding: 273, ..FORM }), Some(vec![0x3F, 0x80, 0, 0]));
        assert_eq!(written(&float, FORM), Some(1.0_f32.to_ne_bytes().to_vec()), "as COMP-1 has it");
        assert_eq!(read(kind::INT32, &[1], FORM), Err(Reason::BufferLength));
        assert_eq!(read(kind::NULL, &[1], FORM), Err(Reason::BufferLength));
        assert_eq!(read(3, &[1], FORM), Err(Reason::PropertyType));
    }

    #[test]
    fn a_value_becomes_another_type() {
        use PropertyValue::{Boolean, Bytes, Float32, Float64, Int8, Int16, Int32, Int64, Null, Text};
        let text = |text: &str| Text(text.to_owned());
        for (value, to, expected) in [
            (Boolean(true), kind::STRING, Ok(text("TRUE"))),
            (Boolean(true), kind::INT8, Ok(Int8(1))),
            (Bytes(vec![0, 0xAF]), kind::STRING, Ok(text("00AF"))),
            (Int8(-1), kind::INT64, Ok(Int64(-1))),
            (Int16(300), kind::INT32, Ok(Int32(300))),
            (Int16(3), kind::INT8, Err(Reason::PropertyConversion)),
            (Int64(5), kind::STRING, Ok(text("5"))),
            (Int32(5), kind::FLOAT64, Err(Reason::PropertyConversion)),
            (Float32(0.5), kind::FLOAT64, Ok(Float64(0.5))),
            (Float64(0.5), kind::STRING, Ok(text("0.5"))),
            (text(" 42 "), kind::INT8, Ok(Int8(42))),
            (text("300"), kind::INT8, Err(Reason::PropertyNumberFormat)),
            (text("true"), kind::BOOLEAN, Ok(Boolean(true))),
            (text("yes"), kind::BOOLEAN, Err(Reason::PropertyNumberFormat)),
            (text("1.5"), kind::FLOAT32, Ok(Float32(1.5))),
            (text("inf"), kind::FLOAT32, Err(Reason::PropertyNumberFormat)),
            (text("x"), kind::BYTE_STRING, Err(Reason::PropertyConversion)),
            (text("x"), kind::AS_SET, Ok(text("x"))),
            (text("x"), 3, Err(Reason::PropertyType)),
            (Null, kind::STRING, Err(Reason::PropertyConversion)),
            (Null, kind::NULL, Ok(Null)),
        ] {
            assert_eq!(converted(value.clone(), to), expected, "{value:?} {to}");
        }
    }
}
