//! BIF DEEDIT: the digits of an edited field.

use program::commands::names::{FIELD, LENGTH};
use program::conditions::LENGERR;

use super::Done;
use crate::cobol::arguments::Arguments;
use crate::task::{Step, raise};

pub(super) fn deedit(arguments: &Arguments) -> Done {
    let Some(area) = arguments.area(FIELD) else { return Ok(Step::GoOn) };
    let mut field = area.copy();
    if let Some(length) = arguments.number(LENGTH) {
        let Some(length) = usize::try_from(length).ok().filter(|length| (1..=field.len()).contains(length))
        else {
            return raise(&LENGERR);
        };
        field.truncate(length);
    }
    deedited(&mut field);
    area.first(field.len()).write(&field);
    Ok(Step::GoOn)
}

/// Moves the digits to the right, and puts zeros in front of them. A field that ends with `-` or `CR` is negative: its last digit gets
/// the sign. A last character that is a digit with a sign in EBCDIC, such as `B`, stays.
fn deedited(field: &mut [u8]) {
    if field.len() < 2 {
        return;
    }
    let is_negative = field.ends_with(b"-") || field.ends_with(b"CR");
    let last = field.len() - 1;
    let mut digits = Vec::with_capacity(field.len());
    for (at, byte) in field.iter().enumerate() {
        let stays = byte.is_ascii_digit() || (at == last && !is_negative && is_signed_digit(*byte));
        if stays {
            digits.push(*byte);
        }
    }
    let zeros = field.len() - digits.len();
    field[..zeros].fill(b'0');
    field[zeros..].copy_from_slice(&digits);
    if is_negative {
        field[last] = match field[last] {
            b'0' => b'}',
            digit => digit - b'1' + b'J',
        };
    }
}

/// True for characters whose code in EBCDIC has a zone from A to F and a digit.
fn is_signed_digit(byte: u8) -> bool {
    byte.is_ascii_uppercase() || matches!(byte, b's'..=b'z' | b'{' | b'}' | b'\\' | b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_move_to_the_right() {
        for (field, expected) in [
            ("14-6704/B", "00146704B"),
            ("$25.68", "002568"),
            ("$25.68-", "000256Q"),
            ("1,200 CR", "0000120}"),
            ("  10-", "0001}"),
            ("0001CR", "00000J"),
            ("abc", "000"),
            ("7", "7"),
            ("x", "x"),
            ("", ""),
        ] {
            let mut bytes = field.as_bytes().to_vec();
            deedited(&mut bytes);
            assert_eq!(String::from_utf8_lossy(&bytes), expected, "{field}");
        }
    }
}
