//! Numbers of JSON Schema: their range and decimal places, exactly.

use super::merge::{Allowed, Merged};
use crate::decimal::Decimal;
use crate::diagnostic::{Place, Report};
use crate::shape::{Kind, Number, NumberForm};

/// The shape of a number.
pub(super) fn kind(
    merged: &Merged<'_, '_>,
    integer: bool,
    place: &Place,
    report: &mut Report,
) -> Option<Kind> {
    let mut values = Vec::new();
    for allowed in merged.allowed.iter().flatten() {
        match allowed {
            Allowed::Number(number) if !integer || number.to_integer().is_some() => values.push(*number),
            Allowed::Null => {}
            _ => report.warning(place, "ignored: values of 'enum' that are not such numbers", None),
        }
    }
    if merged.allowed.is_some() && values.is_empty() {
        report.error(place, "expected a value in 'enum' that is such a number, found none");
        return None;
    }
    let fraction_digits = if integer { Some(0) } else { fraction_digits(merged, &values) };
    let form = form(merged, integer, fraction_digits, &values);
    let (mut least, mut greatest) = limits(merged, fraction_digits);
    if !values.is_empty() {
        least = values.iter().min().copied();
        greatest = values.iter().max().copied();
    }
    if let (true, Some((format_least, format_greatest))) = (integer, integer_format(merged)) {
        least = Some(least.map_or(format_least, |least| least.max(format_least)));
        greatest = Some(greatest.map_or(format_greatest, |greatest| greatest.min(format_greatest)));
    }
    if let (Some(low), Some(high)) = (least, greatest)
        && low > high
    {
        report.error(place, format!("expected a range of numbers, found from {low} to {high}"));
        return None;
    }
    Some(Kind::Number(Number { form, least, greatest, fraction_digits, values }))
}

fn form(merged: &Merged<'_, '_>, integer: bool, fraction: Option<u8>, values: &[Decimal]) -> NumberForm {
    match merged.format.as_deref() {
        _ if integer => NumberForm::Integer,
        Some("decimal" | "decimal128") => NumberForm::Decimal,
        Some("float") => NumberForm::Single,
        Some("double") => NumberForm::Double,
        _ if fraction.is_some() || !values.is_empty() => NumberForm::Decimal,
        _ => NumberForm::Any,
    }
}

/// The number of decimal places of the unit or of the listed values.
fn fraction_digits(merged: &Merged<'_, '_>, values: &[Decimal]) -> Option<u8> {
    let listed = values.iter().map(|value| value.fraction_digits()).max();
    merged.multiple_of.map(Decimal::fraction_digits).or(listed)
}

/// The range, with both limits included. If the unit is not known, an exclusive limit counts as included.
fn limits(merged: &Merged<'_, '_>, fraction_digits: Option<u8>) -> (Option<Decimal>, Option<Decimal>) {
    let least = merged.minimum.map(|limit| match fraction_digits {
        None => limit.value,
        Some(digits) => {
            let inside = limit.value.ceiling(digits);
            let on_limit = limit.exclusive && inside == limit.value;
            if on_limit { inside.plus(1, digits).unwrap_or(inside) } else { inside }
        }
    });
    let greatest = merged.maximum.map(|limit| match fraction_digits {
        None => limit.value,
        Some(digits) => {
            let inside = limit.value.floor(digits);
            let on_limit = limit.exclusive && inside == limit.value;
            if on_limit { inside.plus(-1, digits).unwrap_or(inside) } else { inside }
        }
    });
    (least, greatest)
}

/// The range that a format of OpenAPI gives.
fn integer_format(merged: &Merged<'_, '_>) -> Option<(Decimal, Decimal)> {
    let (bits, signed) = match merged.format.as_deref()? {
        "int8" => (8, true),
        "int16" => (16, true),
        "int32" => (32, true),
        "int64" => (64, true),
        "uint8" => (8, false),
        "uint16" => (16, false),
        "uint32" => (32, false),
        "uint64" => (64, false),
        _ => return None,
    };
    let (least, greatest) = if signed {
        (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
    } else {
        (0, (1_i128 << bits) - 1)
    };
    Some((Decimal::integer(least), Decimal::integer(greatest)))
}
