//! `$formatNumber`: decimals by pictures (XPath's format-number).

mod picture;

use super::Row;
use super::numbers::given;
use crate::error::Error;
use crate::evaluate::{Evaluation, Result};
use crate::number::Number;
use crate::value::Value;
use picture::{SubPicture, Symbols};

pub(super) const TABLE: &[Row] = &[("formatNumber", "<n-so?:s>", format_number)];

/// The limit of the search for an exponent, in powers of ten.
const EXPONENT_MAX: i32 = 400;

fn format_number(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let (Some(number), Some(picture)) = (given(&arguments[0]), arguments[1].as_str()) else {
        return Ok(Value::Undefined);
    };
    let symbols = Symbols::of(&arguments[2]);
    let pictures: Vec<&str> = picture.split(symbols.pattern_separator).collect();
    if pictures.len() > 2 {
        return Err(Error::new("D3080", format!("the picture {picture:?} has more than two parts")));
    }
    let positive = SubPicture::parse(pictures[0], &symbols)?;
    let negative = pictures.get(1).map(|picture| SubPicture::parse(picture, &symbols)).transpose()?;
    let text = if *number < Number::ZERO {
        match negative {
            Some(picture) => write(&number.negate(), &picture, &symbols)?,
            None => format!("{}{}", symbols.minus, write(&number.negate(), &positive, &symbols)?),
        }
    } else {
        write(number, &positive, &symbols)?
    };
    evaluation.purse.built(text.len())?;
    Ok(Value::from(text))
}

/// A number that is not negative.
fn write(number: &Number, picture: &SubPicture, symbols: &Symbols) -> Result<String> {
    let mut number = number.multiply(&Number::from(picture.factor))?;
    let mut exponent = None;
    if picture.exponent_digits > 0 {
        let (mantissa, power) = normalized(number, picture.scale)?;
        number = mantissa;
        exponent = Some(power);
    }
    let rounded = number.round(i64::try_from(picture.fraction_max).unwrap_or(0)).to_string();
    if rounded.contains('e') {
        return Err(Error::new("D3101", format!("$formatNumber: {number} has more than 38 digits")));
    }
    let (whole, fraction) = rounded.split_once('.').unwrap_or((&rounded, ""));
    let whole = format!("{:0>width$}", whole.trim_start_matches('0'), width = picture.whole_min);
    let fraction = format!("{fraction:0<width$}", width = picture.fraction_min);
    let mut out = picture.prefix.clone();
    picture.group_whole(&whole, symbols, &mut out);
    if !fraction.is_empty() {
        out.push(symbols.decimal);
        picture.group_fraction(&fraction, symbols, &mut out);
    }
    if let Some(exponent) = exponent {
        out.push(symbols.exponent);
        if exponent < 0 {
            out.push(symbols.minus);
        }
        let digits = format!("{:0width$}", exponent.unsigned_abs(), width = picture.exponent_digits);
        out.extend(digits.bytes().map(|digit| symbols.digit(digit)));
    }
    Ok(out + &picture.suffix)
}

/// The number with `scale` digits before the point, and the power of ten for it.
fn normalized(mut number: Number, scale: usize) -> Result<(Number, i32)> {
    let ten = Number::from(10_i64);
    let scale = i64::try_from(scale).unwrap_or(0);
    let (most, least) = (ten.power(&Number::from(scale))?, ten.power(&Number::from(scale - 1))?);
    let mut exponent = 0;
    while number < least && !number.is_zero() && exponent > -EXPONENT_MAX {
        number = number.multiply(&ten)?;
        exponent -= 1;
    }
    while number >= most && exponent < EXPONENT_MAX {
        number = number.divide(&ten)?;
        exponent += 1;
    }
    Ok((number, exponent))
}
