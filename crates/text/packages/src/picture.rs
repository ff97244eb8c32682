//! The clauses of an elementary field: from a data type and its bytes to PICTURE and USAGE, or a fault if they disagree.

use crate::interface::Field;

/// Clauses, and a note about the rest.
#[derive(Debug)]
pub(crate) struct Clauses {
    pub(crate) text: String,
    pub(crate) kind: Kind,
    /// The part that is not imported.
    pub(crate) note: Option<String>,
}

/// The content of a field, as far as choices depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// A number in characters or half bytes. All bytes 00 are not a number in it.
    Decimal,
    /// A number in bits. All bytes 00 are 0 in it.
    Binary,
    /// Bytes without a known meaning.
    Bytes,
}

/// The most digits of a decimal and of a binary field.
const DIGITS_MAX: usize = 31;

/// The clauses of a field whose rows have `bytes` each.
///
/// # Errors
/// Type, precision and bytes that contradict each other.
pub(crate) fn clauses(field: &Field, bytes: usize) -> Result<Clauses, String> {
    if bytes == 0 {
        return Err("a field of no bytes".to_owned());
    }
    let made = |text: String, kind: Kind| Ok(Clauses { text, kind, note: None });
    match field.datatype.as_str() {
        "CHAR" if field.wide && bytes.is_multiple_of(2) => {
            made(format!("PIC N({}) USAGE NATIONAL", bytes / 2), Kind::Text)
        }
        "CHAR" if field.wide => Err(format!("wide characters in {bytes} bytes")),
        "CHAR" => made(format!("PIC X({bytes})"), Kind::Text),
        "DECIMAL" => decimal(field, bytes),
        "INT" | "SHORT" | "LONG" | "BYTE" => integer(field, bytes, field.signed != Some(false)),
        "UINT" | "USHORT" | "ULONG" | "UBYTE" => integer(field, bytes, field.signed == Some(true)),
        "FLOAT" | "DOUBLE" => match bytes {
            4 => made("COMP-1".to_owned(), Kind::Binary),
            8 => made("COMP-2".to_owned(), Kind::Binary),
            _ => Err(format!("a floating-point number of {bytes} bytes")),
        },
        // A date or truth value over another type. The converter knows its form.
        "DATE" | "TIME" | "TIMESTAMP" | "BOOLEAN" => {
            let note = format!(
                "its form as {} is not imported; say it in the service file with 'date' or 'boolean'",
                field.datatype
            );
            let kept = Field { datatype: kept_as(field, bytes), ..field.clone() };
            Ok(Clauses { note: Some(note), ..clauses(&kept, bytes)? })
        }
        other => {
            let note = format!("the type {other} is unknown: the field shows as hexadecimal digits");
            Ok(Clauses { text: format!("PIC X({bytes})"), kind: Kind::Bytes, note: Some(note) })
        }
    }
}

fn kept_as(field: &Field, bytes: usize) -> String {
    let number = matches!(field.converter.as_str(), "ZONEDDECIMAL" | "PACKEDDECIMAL");
    match field.converter.as_str() {
        "INT" | "SHORT" | "LONG" => field.converter.clone(),
        _ if number && field.precision.is_some_and(|precision| precision <= bytes * 2) => {
            "DECIMAL".to_owned()
        }
        _ => "CHAR".to_owned(),
    }
}

fn decimal(field: &Field, bytes: usize) -> Result<Clauses, String> {
    let digits = field.precision.ok_or("a decimal number without precision")?;
    if digits == 0 || digits > DIGITS_MAX {
        return Err(format!("a number of {digits} digits; 1 to {DIGITS_MAX} are possible"));
    }
    let signed = field.signed == Some(true);
    let zoned_bytes = digits + usize::from(signed && field.sign_separate);
    let packed_bytes = digits / 2 + 1;
    let packed = match field.converter.as_str() {
        "PACKEDDECIMAL" => true,
        "ZONEDDECIMAL" => false,
        _ => match (bytes == zoned_bytes, bytes == packed_bytes) {
            (true, false) => false,
            (false, true) => true,
            _ => return Err(format!("{digits} digits in {bytes} bytes, zoned or packed: it does not say")),
        },
    };
    let picture = picture(digits, field.scale, signed)?;
    let text = match (packed, signed) {
        (true, _) => format!("{picture} COMP-3"),
        (false, true) if field.sign_separate || field.sign_leading => {
            let place = if field.sign_leading { "LEADING" } else { "TRAILING" };
            let separate = if field.sign_separate { " SEPARATE" } else { "" };
            format!("{picture} SIGN {place}{separate}")
        }
        (false, _) => picture,
    };
    let expected = if packed { packed_bytes } else { zoned_bytes };
    if bytes != expected {
        let form = if packed { "packed" } else { "zoned" };
        return Err(format!("{form} with {digits} digits has {expected} bytes, not {bytes}"));
    }
    Ok(Clauses { text, kind: Kind::Decimal, note: None })
}

fn integer(field: &Field, bytes: usize, signed: bool) -> Result<Clauses, String> {
    let made = |text: String| Ok(Clauses { text, kind: Kind::Binary, note: None });
    let most = match bytes {
        1 => {
            let sign = if signed { "SIGNED" } else { "UNSIGNED" };
            return made(format!("BINARY-CHAR {sign}"));
        }
        2 => 4,
        4 => 9,
        8 => 18,
        _ => return Err(format!("a binary number of {bytes} bytes")),
    };
    let least = match bytes {
        2 => 1,
        4 => 5,
        _ => 10,
    };
    match field.precision {
        // Without digits, the range is that of the bytes.
        None | Some(0) => made(format!("{} COMP-5", picture(most, field.scale, signed)?)),
        Some(digits) if !(least..=most).contains(&digits) => {
            Err(format!("a binary number of {digits} digits in {bytes} bytes"))
        }
        Some(digits) => {
            let usage = if field.native { "COMP-5" } else { "COMP" };
            made(format!("{} {usage}", picture(digits, field.scale, signed)?))
        }
    }
}

/// A picture of this many digits, `scale` of them behind the decimal point.
fn picture(digits: usize, scale: i64, signed: bool) -> Result<String, String> {
    let sign = if signed { "S" } else { "" };
    let places = usize::try_from(scale.unsigned_abs()).unwrap_or(usize::MAX);
    if places > DIGITS_MAX {
        return Err(format!("a scale of {scale}"));
    }
    Ok(match scale {
        0 => format!("PIC {sign}9({digits})"),
        scale if scale < 0 => format!("PIC {sign}9({digits})P({places})"),
        _ if places > digits => format!("PIC {sign}VP({})9({digits})", places - digits),
        _ if places == digits => format!("PIC {sign}V9({digits})"),
        _ => format!("PIC {sign}9({})V9({places})", digits - places),
    })
}
