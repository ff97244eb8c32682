//! Numbers in records: zoned, packed, binary and national, exactly, to and from a scaled integer.

mod quick;

use codepage::Family;
use copybook::{Kind, Sign};

use crate::options::{BinaryRange, ByteOrder, Options};
pub(crate) use quick::QuickNumber;

/// The form of a number in its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NumberForm {
    Zoned {
        sign: Sign,
        tables: &'static ZonedTables,
    },
    Packed {
        signed: bool,
    },
    PackedUnsigned,
    Binary {
        signed: bool,
    },
    /// Binary with the lowest byte first.
    LittleBinary {
        signed: bool,
    },
    /// UTF-16 digits.
    National {
        sign: Sign,
        order: ByteOrder,
    },
}

impl NumberForm {
    /// The form of an elementary field, its scale, its digits and whether only the bytes limit it; none for
    /// kinds that are not decimal numbers.
    pub(crate) fn of(kind: &Kind, options: &Options) -> Option<NumberShape> {
        Some(match *kind {
            Kind::Zoned { digits, scale, sign } => NumberShape {
                form: NumberForm::Zoned { sign, tables: ZonedTables::of(options.family()) },
                digits,
                scale: scale.into(),
                signed: sign != Sign::None,
                native: false,
            },
            Kind::Packed { digits, scale, signed } => NumberShape {
                form: NumberForm::Packed { signed },
                digits,
                scale: scale.into(),
                signed,
                native: false,
            },
            Kind::PackedUnsigned { digits, scale } => NumberShape {
                form: NumberForm::PackedUnsigned,
                digits,
                scale: scale.into(),
                signed: false,
                native: false,
            },
            Kind::Binary { digits, scale, signed, native } => NumberShape {
                form: match options.native_order {
                    ByteOrder::Little if native => NumberForm::LittleBinary { signed },
                    _ => NumberForm::Binary { signed },
                },
                digits,
                scale: scale.into(),
                signed,
                native: native || options.binary_range == BinaryRange::Bytes,
            },
            Kind::NationalNumber { digits, scale, sign } => NumberShape {
                form: NumberForm::National { sign, order: national_order(options) },
                digits,
                scale: scale.into(),
                signed: sign != Sign::None,
                native: false,
            },
            _ => return None,
        })
    }

    /// Reads the number as an integer count of its last decimal place; none if the bytes are not a number.
    #[inline]
    pub(crate) fn read(self, field: &[u8]) -> Option<i128> {
        match self {
            NumberForm::Zoned { sign, tables } => read_zoned(field, sign, tables),
            NumberForm::Packed { signed } => read_packed(field, signed),
            NumberForm::PackedUnsigned => read_packed_unsigned(field),
            NumberForm::Binary { signed } => read_binary(field, signed),
            NumberForm::LittleBinary { signed } => read_little_binary(field, signed),
            NumberForm::National { sign, order } => read_national(field, sign, order),
        }
    }

    /// Writes a number that is within the field's limits.
    #[inline]
    pub(crate) fn write(self, value: i128, field: &mut [u8]) {
        match self {
            NumberForm::Zoned { sign, tables } => write_zoned(value, field, sign, tables),
            NumberForm::Packed { signed } => write_packed(value, field, signed),
            NumberForm::PackedUnsigned => write_packed_unsigned(value, field),
            NumberForm::Binary { .. } => write_binary(value, field),
            NumberForm::LittleBinary { .. } => {
                write_binary(value, field);
                field.reverse();
            }
            NumberForm::National { sign, order } => write_national(value, field, sign, order),
        }
    }

    /// True for packed decimal numbers, with a sign or without.
    pub(crate) fn is_packed(self) -> bool {
        matches!(self, NumberForm::Packed { .. } | NumberForm::PackedUnsigned)
    }

    /// True for forms of text: all bytes 00, or all blanks, is not a number in them.
    pub(crate) fn is_text(self) -> bool {
        !matches!(
            self,
            NumberForm::Binary { .. } | NumberForm::LittleBinary { .. } | NumberForm::PackedUnsigned
        )
    }
}

/// The byte order of UTF-16 in the record.
pub(crate) fn national_order(options: &Options) -> ByteOrder {
    if options.national.ccsid() == 1202 { ByteOrder::Little } else { ByteOrder::Big }
}

/// The properties of a number that its picture gives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberShape {
    pub(crate) form: NumberForm,
    pub(crate) digits: u8,
    pub(crate) scale: i32,
    pub(crate) signed: bool,
    pub(crate) native: bool,
}

impl NumberShape {
    /// The least and greatest value in units of the last place: by the picture's digits, or by the bytes (COMP-5).
    /// A binary number is never wider than its bytes: those of COMP-X hold less than all numbers of their digits.
    pub(crate) fn range(&self, bytes: usize) -> (i128, i128) {
        let greatest = crate::decimal::power_of_ten(self.digits.into()).unwrap_or(i128::MAX) - 1;
        let least = if self.signed { -greatest } else { 0 };
        if !matches!(self.form, NumberForm::Binary { .. } | NumberForm::LittleBinary { .. }) {
            return (least, greatest);
        }
        let bits = (bytes * 8).min(127) as u32;
        let of_bytes = match self.signed {
            true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            false => (0, (1i128 << bits) - 1),
        };
        if self.native { of_bytes } else { (least.max(of_bytes.0), greatest.min(of_bytes.1)) }
    }
}

/// Bytes of digits and signs in a family of code pages.
#[derive(Debug)]
pub(crate) struct ZonedTables {
    /// The digit of a byte, or [`NO_DIGIT`].
    digit: [u8; 256],
    /// The digit of a byte that carries the sign, with [`NEGATIVE`] set, or [`NO_DIGIT`].
    signed: [u8; 256],
    zero: u8,
    /// Bytes of the digits 0 to 9 with a plus, with a minus.
    plus: [u8; 10],
    minus: [u8; 10],
    separate_plus: u8,
    separate_minus: u8,
}

const NO_DIGIT: u8 = 0x7F;
const NEGATIVE: u8 = 0x80;

static EBCDIC: ZonedTables = ZonedTables::ebcdic();
static ASCII: ZonedTables = ZonedTables::ascii();

impl ZonedTables {
    pub(crate) fn of(family: Family) -> &'static Self {
        match family {
            Family::Ebcdic => &EBCDIC,
            Family::Ascii => &ASCII,
        }
    }

    /// Digits F0 to F9. Sign zones: C, A, E and F are plus, D and B minus (Principles of Operation, decimal
    /// instructions). Writing uses C and D.
    const fn ebcdic() -> Self {
        let mut tables = Self::empty(0xF0, 0x4E, 0x60);
        let mut digit = 0;
        while digit < 10 {
            tables.digit[0xF0 + digit] = digit as u8;
            tables.plus[digit] = 0xC0 + digit as u8;
            tables.minus[digit] = 0xD0 + digit as u8;
            let mut zone = 0xA0;
            while zone <= 0xF0 {
                let negative = zone == 0xB0 || zone == 0xD0;
                tables.signed[zone + digit] = digit as u8 | if negative { NEGATIVE } else { 0 };
                zone += 0x10;
            }
            digit += 1;
        }
        tables
    }

    /// Digits 30 to 39. Writing uses the sign letters of EBCDIC, `{ABCDEFGHI` and `}JKLMNOPQR`. Reading also
    /// takes plain digits as plus, and `p` to `y` as minus: GnuCOBOL writes these by default.
    const fn ascii() -> Self {
        let mut tables = Self::empty(0x30, b'+', b'-');
        let plus = b"{ABCDEFGHI";
        let minus = b"}JKLMNOPQR";
        let mut digit = 0;
        while digit < 10 {
            tables.digit[0x30 + digit] = digit as u8;
            tables.plus[digit] = plus[digit];
            tables.minus[digit] = minus[digit];
            tables.signed[0x30 + digit] = digit as u8;
            tables.signed[0x70 + digit] = digit as u8 | NEGATIVE;
            tables.signed[plus[digit] as usize] = digit as u8;
            tables.signed[minus[digit] as usize] = digit as u8 | NEGATIVE;
            digit += 1;
        }
        tables
    }

    const fn empty(zero: u8, separate_plus: u8, separate_minus: u8) -> Self {
        Self {
            digit: [NO_DIGIT; 256],
            signed: [NO_DIGIT; 256],
            zero,
            plus: [0; 10],
            minus: [0; 10],
            separate_plus,
            separate_minus,
        }
    }

    fn separate(&self, byte: u8) -> Option<bool> {
        if byte == self.separate_minus { Some(true) } else { (byte == self.separate_plus).then_some(false) }
    }
}

/// The most digits that a `u64` holds for certain.
const SMALL_DIGITS: usize = 18;

/// The value of digit bytes, or none.
#[inline]
fn read_digits(digits: &[u8], tables: &ZonedTables) -> Option<i128> {
    let mut bad = 0u8;
    if digits.len() <= SMALL_DIGITS {
        let mut value = 0u64;
        for byte in digits {
            let digit = tables.digit[usize::from(*byte)];
            bad |= digit;
            value = value * 10 + u64::from(digit);
        }
        // Digits are at most 9; only NO_DIGIT has a bit above the fourth.
        return (bad & 0xF0 == 0).then_some(i128::from(value));
    }
    let mut value = 0i128;
    for byte in digits {
        let digit = tables.digit[usize::from(*byte)];
        bad |= digit;
        value = value.wrapping_mul(10).wrapping_add(i128::from(digit));
    }
    (bad & 0xF0 == 0).then_some(value)
}

fn read_zoned(field: &[u8], sign: Sign, tables: &ZonedTables) -> Option<i128> {
    match sign {
        Sign::None => read_unsigned_zoned(field, tables),
        Sign::Trailing => {
            let (last, rest) = field.split_last()?;
            let signed = tables.signed[usize::from(*last)];
            if signed == NO_DIGIT {
                return None;
            }
            let magnitude = read_digits(rest, tables)?.checked_mul(10)? + i128::from(signed & 0x0F);
            Some(if signed & NEGATIVE == 0 { magnitude } else { -magnitude })
        }
        Sign::Leading => {
            let (first, rest) = field.split_first()?;
            let signed = tables.signed[usize::from(*first)];
            if signed == NO_DIGIT {
                return None;
            }
            let power = crate::decimal::power_of_ten(rest.len() as u32)?;
            let magnitude = read_digits(rest, tables)? + i128::from(signed & 0x0F) * power;
            Some(if signed & NEGATIVE == 0 { magnitude } else { -magnitude })
        }
        Sign::TrailingSeparate => {
            let (last, rest) = field.split_last()?;
            let magnitude = read_digits(rest, tables)?;
            Some(if tables.separate(*last)? { -magnitude } else { magnitude })
        }
        Sign::LeadingSeparate => {
            let (first, rest) = field.split_first()?;
            let magnitude = read_digits(rest, tables)?;
            Some(if tables.separate(*first)? { -magnitude } else { magnitude })
        }
    }
}

/// An unsigned number may have a plus in its last zone, because programs leave it there after arithmetic.
fn read_unsigned_zoned(field: &[u8], tables: &ZonedTables) -> Option<i128> {
    if let Some(value) = read_digits(field, tables) {
        return Some(value);
    }
    let (last, rest) = field.split_last()?;
    let signed = tables.signed[usize::from(*last)];
    if signed == NO_DIGIT || signed & NEGATIVE != 0 {
        return None;
    }
    Some(read_digits(rest, tables)?.checked_mul(10)? + i128::from(signed))
}

/// Writes the decimal digits of `magnitude`, last to first, through `store`.
#[inline]
fn for_digits(magnitude: u128, count: usize, mut store: impl FnMut(usize, u8)) {
    match u64::try_from(magnitude) {
        Ok(mut small) => {
            for at in (0..count).rev() {
                store(at, (small % 10) as u8);
                small /= 10;
            }
        }
        Err(_) => {
            let mut rest = magnitude;
            for at in (0..count).rev() {
                store(at, (rest % 10) as u8);
                rest /= 10;
            }
        }
    }
}

fn write_zoned(value: i128, field: &mut [u8], sign: Sign, tables: &ZonedTables) {
    let negative = value < 0;
    let digits = match sign {
        Sign::TrailingSeparate | Sign::LeadingSeparate => field.len() - 1,
        _ => field.len(),
    };
    let shift = usize::from(sign == Sign::LeadingSeparate);
    for_digits(value.unsigned_abs(), digits, |at, digit| field[at + shift] = tables.zero + digit);
    let separate = if negative { tables.separate_minus } else { tables.separate_plus };
    let overpunch = if negative { &tables.minus } else { &tables.plus };
    match sign {
        Sign::None => {}
        Sign::Trailing => field[digits - 1] = overpunch[usize::from(field[digits - 1] - tables.zero)],
        Sign::Leading => field[0] = overpunch[usize::from(field[0] - tables.zero)],
        Sign::TrailingSeparate => field[digits] = separate,
        Sign::LeadingSeparate => field[0] = separate,
    }
}

fn read_packed(field: &[u8], signed: bool) -> Option<i128> {
    let (last, rest) = field.split_last()?;
    let mut value = read_half_bytes(rest)?;
    let digit = last >> 4;
    if digit > 9 {
        return None;
    }
    value = value * 10 + i128::from(digit);
    match (last & 0x0F, signed) {
        (0xA | 0xC | 0xE | 0xF, _) => Some(value),
        (0xB | 0xD, true) => Some(-value),
        // Minus zero in an unsigned field is still zero.
        (0xB | 0xD, false) if value == 0 => Some(0),
        _ => None,
    }
}

fn read_packed_unsigned(field: &[u8]) -> Option<i128> {
    read_half_bytes(field)
}

fn read_half_bytes(bytes: &[u8]) -> Option<i128> {
    let two_digits = |byte: &u8| match (byte >> 4, byte & 0x0F) {
        (high @ 0..=9, low @ 0..=9) => Some(high * 10 + low),
        _ => None,
    };
    if bytes.len() * 2 <= SMALL_DIGITS {
        let value =
            bytes.iter().try_fold(0u64, |value, byte| Some(value * 100 + u64::from(two_digits(byte)?)))?;
        return Some(value.into());
    }
    bytes.iter().try_fold(0i128, |value, byte| Some(value * 100 + i128::from(two_digits(byte)?)))
}

fn write_packed(value: i128, field: &mut [u8], signed: bool) {
    let sign = match (signed, value < 0) {
        (false, _) => 0x0F,
        (true, false) => 0x0C,
        (true, true) => 0x0D,
    };
    let digits = field.len() * 2 - 1;
    field.fill(0);
    for_digits(value.unsigned_abs(), digits, |at, digit| {
        field[at / 2] |= if at % 2 == 0 { digit << 4 } else { digit };
    });
    if let Some(last) = field.last_mut() {
        *last |= sign;
    }
}

fn write_packed_unsigned(value: i128, field: &mut [u8]) {
    let digits = field.len() * 2;
    field.fill(0);
    for_digits(value.unsigned_abs(), digits, |at, digit| {
        field[at / 2] |= if at % 2 == 0 { digit << 4 } else { digit };
    });
}

fn read_binary(field: &[u8], signed: bool) -> Option<i128> {
    Some(match *field {
        [a, b] if signed => i16::from_be_bytes([a, b]).into(),
        [a, b] => u16::from_be_bytes([a, b]).into(),
        [a, b, c, d] if signed => i32::from_be_bytes([a, b, c, d]).into(),
        [a, b, c, d] => u32::from_be_bytes([a, b, c, d]).into(),
        _ => {
            let fill = if signed && *field.first()? >= 0x80 { -1i128 } else { 0 };
            field.iter().fold(fill, |value, byte| (value << 8) | i128::from(*byte))
        }
    })
}

fn write_binary(value: i128, field: &mut [u8]) {
    let bytes = value.to_be_bytes();
    let from = bytes.len() - field.len();
    field.copy_from_slice(&bytes[from..]);
}

fn read_little_binary(field: &[u8], signed: bool) -> Option<i128> {
    let fill = if signed && *field.last()? >= 0x80 { -1i128 } else { 0 };
    Some(field.iter().rev().fold(fill, |value, byte| (value << 8) | i128::from(*byte)))
}

/// The most characters of a national number: 31 digits and a sign.
const NATIONAL_MAX: usize = 32;

fn read_national(field: &[u8], sign: Sign, order: ByteOrder) -> Option<i128> {
    let mut narrow = [0; NATIONAL_MAX];
    let (units, _) = field.as_chunks::<2>();
    let narrow = narrow.get_mut(..units.len())?;
    for (to, unit) in narrow.iter_mut().zip(units) {
        let unit = match order {
            ByteOrder::Big => u16::from_be_bytes(*unit),
            ByteOrder::Little => u16::from_le_bytes(*unit),
        };
        *to = u8::try_from(unit).ok()?;
    }
    match sign {
        // UTF-16 does not have overpunched signs.
        Sign::None => read_digits(narrow, &ASCII),
        sign => read_zoned(narrow, sign, &ASCII),
    }
}

fn write_national(value: i128, field: &mut [u8], sign: Sign, order: ByteOrder) {
    let mut narrow = [0; NATIONAL_MAX];
    let (units, _) = field.as_chunks_mut::<2>();
    let narrow = &mut narrow[..units.len().min(NATIONAL_MAX)];
    write_zoned(value, narrow, sign, &ASCII);
    for (unit, from) in units.iter_mut().zip(narrow) {
        *unit = match order {
            ByteOrder::Big => [0, *from],
            ByteOrder::Little => [*from, 0],
        };
    }
}
