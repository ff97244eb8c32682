//! PICTURE and USAGE of elementary values: the mapping rules for each kind of text and number.

use crate::decimal::Decimal;
use crate::options::{Assistant, BinaryData, CharVarying, DateTime, Floats, Integers, Options};
use crate::shape::{Binary, Encoding, Moment, Number, NumberForm, Text};

/// The digits of packed numbers, without WIDE-COMP3 and with it.
const PACKED_DIGITS_MAX: u32 = 18;
const PACKED_DIGITS_WIDE_MAX: u32 = 31;

/// The digits of zoned and binary numbers.
const DIGITS_MAX: u32 = 18;

/// The characters of a date or time.
const MOMENT_CHARACTERS: u64 = 32;

/// Clauses of an elementary field.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Scalar {
    pub(crate) clauses: Vec<String>,
    pub(crate) bytes: u64,
    /// The content, for the comment.
    pub(crate) says: String,
    /// The digits of an exact number.
    pub(crate) digits: Option<Digits>,
}

/// The numbers of digits before and after the decimal point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digits {
    pub(crate) whole: u32,
    pub(crate) fraction: u32,
}

/// A number of characters, and whether there may be fewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Characters {
    /// The bytes of the field.
    pub(crate) most: u64,
    pub(crate) varying: bool,
    pub(crate) says: String,
}

/// The reason why a value has no field, and the way to mend it.
pub(crate) type Refusal = (String, Option<&'static str>);

/// The number of characters of a text.
pub(crate) fn text(text: &Text, options: &Options) -> Characters {
    let longest = text.values.iter().map(|value| value.chars().count() as u64).max();
    let most = longest.or(text.max).unwrap_or(options.default_char_max.max(text.min)).max(1);
    let least = text.values.iter().map(|value| value.chars().count() as u64).min().unwrap_or(text.min);
    let varying = least != most || options.char_multiplier > 1;
    let mut says = match (text.max.or(longest), least) {
        (None, _) => format!("text without a maximum length in the schema; assuming {most} characters"),
        (Some(_), least) if least == most => format!("text of {}", counted(most)),
        (Some(_), 0) => format!("text of at most {}", counted(most)),
        (Some(_), least) => format!("text of {least} to {most} characters"),
    };
    if let Some(format) = &text.format {
        says.push_str(&format!(", format {format}"));
    }
    if let Some(pattern) = &text.pattern {
        says.push_str(&format!(", pattern {pattern}"));
    }
    if options.char_multiplier > 1 {
        says.push_str(&format!(", {} bytes for each character", options.char_multiplier));
    }
    Characters { most: most.saturating_mul(options.char_multiplier), varying, says }
}

/// The number of bytes or characters of octets.
pub(crate) fn binary(binary: &Binary, options: &Options) -> Characters {
    let (encoding, octets, characters) = match binary.encoding {
        Encoding::Base64 => ("base64", (4, 3), (3, 4)),
        Encoding::Hex => ("hexadecimal", (2, 1), (1, 2)),
        Encoding::Raw => ("binary", (1, 1), (1, 1)),
    };
    let scaled = |count: u64, (whole, part): (u64, u64)| count.div_ceil(whole).saturating_mul(part);
    let (octets, characters) = match binary.max_octets {
        Some(most) => (most.max(1), scaled(most.max(1), characters)),
        None => {
            let most = binary.max_characters.unwrap_or(options.default_char_max).max(1);
            (scaled(most, octets), most)
        }
    };
    let (most, says) = match options.binary_data {
        BinaryData::Text => (characters, format!("{encoding} text of at most {}", counted(characters))),
        BinaryData::Octets => (octets, format!("at most {octets} octets, {encoding} in the text")),
    };
    Characters { most, varying: true, says }
}

/// Dates and times as text; none if a date with a time is a packed number.
pub(crate) fn moment(moment: Moment, options: &Options) -> Result<Scalar, Characters> {
    if moment == Moment::DateTime && options.datetime == DateTime::Packed15 {
        return Ok(Scalar {
            clauses: vec!["PIC S9(15)".to_owned(), "COMP-3".to_owned()],
            bytes: 8,
            says: "date and time, in milliseconds since 1900".to_owned(),
            digits: None,
        });
    }
    let says = format!("{} as text", moment.name());
    Err(Characters { most: MOMENT_CHARACTERS, varying: true, says })
}

fn counted(characters: u64) -> String {
    if characters == 1 { "1 character".to_owned() } else { format!("{characters} characters") }
}

/// The field of text.
pub(crate) fn characters(characters: &Characters, options: &Options) -> Scalar {
    let ends_with_null = characters.varying && options.char_varying == CharVarying::Null;
    let bytes = characters.most + u64::from(ends_with_null);
    let says = match options.char_varying {
        CharVarying::Null if ends_with_null => format!("{}; a null character ends it", characters.says),
        CharVarying::Collapse if characters.varying => {
            format!("{}; trailing blanks are not part of it", characters.says)
        }
        _ => characters.says.clone(),
    };
    Scalar { clauses: vec![format!("PIC X({bytes})")], bytes, says, digits: None }
}

/// True or false.
pub(crate) fn boolean() -> Scalar {
    Scalar {
        clauses: vec!["PIC X".to_owned(), "DISPLAY".to_owned()],
        bytes: 1,
        says: "boolean: X'00' is false, X'01' is true".to_owned(),
        digits: None,
    }
}

/// A number.
pub(crate) fn number(number: &Number, options: &Options) -> Result<Scalar, Refusal> {
    match (number.form, options.floats) {
        (NumberForm::Integer, _) => integer(number, options),
        (NumberForm::Single, Floats::Float) => Ok(float("COMP-1", 4, "floating point of 4 bytes")),
        (NumberForm::Single, Floats::Synchronized) => {
            Ok(float("COMP-1 SYNC", 4, "floating point of 4 bytes"))
        }
        (NumberForm::Double | NumberForm::Any, Floats::Float) => {
            Ok(float("COMP-2", 8, "floating point of 8 bytes"))
        }
        (NumberForm::Double | NumberForm::Any, Floats::Synchronized) => {
            Ok(float("COMP-2 SYNC", 8, "floating point of 8 bytes"))
        }
        _ => decimal(number, options),
    }
}

fn float(usage: &str, bytes: u64, says: &str) -> Scalar {
    let clauses = usage.split(' ').map(str::to_owned).collect();
    Scalar { clauses, bytes, says: says.to_owned(), digits: None }
}

fn integer(number: &Number, options: &Options) -> Result<Scalar, Refusal> {
    let least = number.least.and_then(Decimal::to_integer);
    let greatest = number.greatest.and_then(Decimal::to_integer);
    let says = format!("integer{}", range(number));
    let (low, high) = (least.unwrap_or(i128::from(i64::MIN)), greatest.unwrap_or(i128::from(i64::MAX)));
    let signed = low < 0;
    if options.integers == Integers::Native {
        // Limits with only nines are those of a picture, and come from one. XML has types for them instead.
        let nines = (1..=DIGITS_MAX).find(|digits| greatest == Some(Decimal::nines(*digits)));
        let by_nines = options.assistant == Assistant::Js2ls && (least == Some(0) || least == Some(-high));
        if let Some(digits) = nines.filter(|_| by_nines) {
            let clauses = vec![picture(digits, 0, signed), "DISPLAY".to_owned()];
            let digits = Digits { whole: digits, fraction: 0 };
            return Ok(Scalar { clauses, bytes: u64::from(digits.whole), says, digits: Some(digits) });
        }
        let widths = [(4, 16), (9, 32), (18, 64)];
        let fits = |bits: u32| {
            let half = 1_i128 << (bits - 1);
            if signed { low >= -half && high < half } else { high < 2 * half }
        };
        if let Some((digits, bits)) = widths.into_iter().find(|(_, bits)| fits(*bits)) {
            let clauses = vec![picture(digits, 0, signed), "COMP-5".to_owned(), "SYNC".to_owned()];
            // The range is that of the bytes, if they hold both limits.
            let digits = Digits { whole: digits_of(low, high), fraction: 0 };
            return Ok(Scalar { clauses, bytes: u64::from(bits) / 8, says, digits: Some(digits) });
        }
        return packed(digits_of(low, high), 0, signed, says, options);
    }
    // A missing limit, or a limit of 64 bits, does not need a wider field.
    let meant =
        |limit: Option<i128>| limit.filter(|limit| ![i64::MIN.into(), i64::MAX.into()].contains(limit));
    let known = digits_of(meant(least).unwrap_or(0), meant(greatest).unwrap_or(0));
    let open = meant(least).is_none() || meant(greatest).is_none();
    let digits = if open { known.max(DIGITS_MAX) } else { known };
    if digits <= DIGITS_MAX {
        let bytes = if digits <= 4 {
            2
        } else if digits <= 9 {
            4
        } else {
            8
        };
        let clauses = vec![picture(digits, 0, signed), "BINARY".to_owned()];
        return Ok(Scalar { clauses, bytes, says, digits: Some(Digits { whole: digits, fraction: 0 }) });
    }
    packed(digits, 0, signed, says, options)
}

fn digits_of(low: i128, high: i128) -> u32 {
    let digits = |value: i128| if value == 0 { 1 } else { value.unsigned_abs().ilog10() + 1 };
    digits(low).max(digits(high))
}

fn decimal(number: &Number, options: &Options) -> Result<Scalar, Refusal> {
    let fraction = u32::from(number.fraction_digits.unwrap_or(options.default_fraction_digits));
    let room = if options.wide_comp3 { PACKED_DIGITS_WIDE_MAX } else { PACKED_DIGITS_MAX };
    let whole = match (number.least, number.greatest) {
        (Some(least), Some(greatest)) => least.integer_digits().max(greatest.integer_digits()).max(1),
        // If one or both ends are missing, the number of digits has no limit.
        (one, other) => {
            let known = one.or(other).map_or(0, Decimal::integer_digits);
            // Numbers of XML fill all the room that WIDE-COMP3 gives. Numbers of JSON still have 18 digits.
            let usual = if options.assistant == Assistant::Ws2ls { room } else { PACKED_DIGITS_MAX };
            usual.max(fraction + 1).min(room).saturating_sub(fraction).max(1).max(known)
        }
    };
    let signed = number.least.is_none_or(Decimal::is_negative);
    let says = format!("decimal number with {fraction} decimal places{}", range(number));
    packed(whole, fraction, signed, says, options)
}

fn packed(
    whole: u32,
    fraction: u32,
    signed: bool,
    says: String,
    options: &Options,
) -> Result<Scalar, Refusal> {
    let digits = whole + fraction;
    let room = if options.wide_comp3 { PACKED_DIGITS_WIDE_MAX } else { PACKED_DIGITS_MAX };
    if digits > room {
        let help = if digits <= PACKED_DIGITS_WIDE_MAX {
            match options.assistant {
                Assistant::Ws2ls => "allow packed numbers of 31 digits with WIDE-COMP3=YES",
                _ => "allow packed numbers of 31 digits",
            }
        } else {
            "COBOL has no more than 31 digits; describe it as text"
        };
        return Err((format!("expected a number of at most {room} digits, found {digits}"), Some(help)));
    }
    let clauses = vec![picture(whole, fraction, signed), "COMP-3".to_owned()];
    Ok(Scalar { clauses, bytes: u64::from(digits / 2 + 1), says, digits: Some(Digits { whole, fraction }) })
}

fn picture(whole: u32, fraction: u32, signed: bool) -> String {
    let sign = if signed { "S" } else { "" };
    match (whole, fraction) {
        (1..=4, 0) => format!("PIC {sign}{}", "9".repeat(whole as usize)),
        (_, 0) => format!("PIC {sign}9({whole})"),
        _ => format!("PIC {sign}9({whole})V9({fraction})"),
    }
}

fn range(number: &Number) -> String {
    if !number.values.is_empty() {
        return String::new();
    }
    match (number.least, number.greatest) {
        (Some(least), Some(greatest)) => format!(" from {least} to {greatest}"),
        (Some(least), None) => format!(" from {least}"),
        (None, Some(greatest)) => format!(" up to {greatest}"),
        (None, None) => String::new(),
    }
}
