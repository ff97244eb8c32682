//! The simple type of a field: one of XML Schema's own, and its limits.

use ::xml::scan;

use super::Shape;
use crate::decimal::{Decimal, power_of_ten};
use crate::number::NumberForm;
use crate::rich::{Base, Form, Rich};
use crate::schema::{Listed, scalar_schema};
use crate::slot::{Codec, Limits, NumberCodec, Slot};

/// The facets of a type, and their values.
pub(super) type Facet = (&'static str, String);

/// A simple type: one of XML Schema's own, and its limits.
pub(super) struct Simple {
    /// The name of XML Schema's type, without a prefix.
    pub(super) base: &'static str,
    pub(super) facets: Vec<Facet>,
    /// Alternatives: one of these sets of facets must hold.
    pub(super) others: Vec<Vec<Facet>>,
}

impl Simple {
    fn new(base: &'static str, facets: Vec<Facet>) -> Self {
        Self { base, facets, others: Vec::new() }
    }

    pub(super) fn of(slot: &Slot, listed: Option<&[(Listed, Option<Listed>)]>, shape: Shape<'_>) -> Self {
        let mut simple = match &slot.codec {
            Codec::Text(_) => Self::text(slot),
            Codec::Number(codec) => Self::number(codec, shape),
            Codec::Rich(rich) => Self::rich(rich, slot, shape),
        };
        if let Some(listed) = listed {
            simple.list(listed);
        }
        simple
    }

    fn rich(rich: &Rich, slot: &Slot, shape: Shape<'_>) -> Self {
        let length = vec![("length", slot.bytes.to_string())];
        match (&rich.form, &rich.base) {
            (Form::Hex, _) => Self::new("hexBinary", length),
            (Form::Base64, _) => Self::new("base64Binary", length),
            (Form::Boolean { .. }, _) => Self::new("boolean", Vec::new()),
            (Form::Typed { kind, .. }, _) => Self::new(kind.name(), Vec::new()),
            (Form::Date(format), _) => {
                let (base, pattern) = format.xsd_type();
                Self::new(base, vec![("pattern", pattern.to_owned())])
            }
            (_, Base::Number(codec)) => Self::number(codec, shape),
            (_, Base::EditedNumber { limits, .. }) => Self::decimal(limits),
            (_, Base::Float(_)) if slot.bytes == 4 => Self::new("float", Vec::new()),
            (_, Base::Float(_)) => Self::new("double", Vec::new()),
            (_, Base::Text { .. } | Base::EditedText { .. } | Base::Bytes) => Self::text(slot),
        }
    }

    fn text(slot: &Slot) -> Self {
        let mut facets = Vec::new();
        if let Some(length) = scalar_schema(slot).max_length {
            facets.push(("maxLength", length.to_string()));
        }
        facets.push(("whiteSpace", "preserve".to_owned()));
        Self::new("string", facets)
    }

    fn number(codec: &NumberCodec, shape: Shape<'_>) -> Self {
        let limits = &codec.limits;
        if shape == Shape::Record || limits.scale < 0 {
            return Self::decimal(limits);
        }
        let packed = matches!(codec.form, NumberForm::Packed { .. } | NumberForm::PackedUnsigned);
        if packed || limits.scale > 0 { Self::digits(limits) } else { Self::range(limits) }
    }

    /// A decimal in the form of DFHLS2WS: its digits, and a limit if the digits do not say it.
    fn digits(limits: &Limits) -> Self {
        let places = limits.scale.unsigned_abs();
        let total = digits(limits.least).max(digits(limits.greatest)).max(places);
        let mut facets = vec![("totalDigits", total.to_string()), ("fractionDigits", places.to_string())];
        let most = power_of_ten(total).map_or(i128::MAX, |power| power - 1);
        let shown = |mantissa| Decimal { mantissa, scale: limits.scale }.to_string();
        if limits.greatest != most {
            facets.push(("maxInclusive", shown(limits.greatest)));
        }
        if limits.least != -most {
            facets.push(("minInclusive", shown(limits.least)));
        }
        Self::new("decimal", facets)
    }

    /// An integer in the form of DFHLS2WS: both ends, unless they are the type's own.
    fn range(limits: &Limits) -> Self {
        let (base, least, greatest) = integer(limits.least, limits.greatest);
        let mut facets = Vec::new();
        if (least, greatest) != (Some(limits.least), Some(limits.greatest)) {
            facets.push(("maxInclusive", limits.greatest.to_string()));
            facets.push(("minInclusive", limits.least.to_string()));
        }
        Self::new(base, facets)
    }

    fn decimal(limits: &Limits) -> Self {
        let shown = |mantissa| Decimal { mantissa, scale: limits.scale }.to_string();
        let (least, greatest) = (limits.least, limits.greatest);
        let mut facets = Vec::new();
        let (base, implied_least, implied_greatest) = if limits.scale > 0 {
            let places = limits.scale.unsigned_abs();
            let digits = digits(least).max(digits(greatest)).max(places);
            facets.push(("totalDigits", digits.to_string()));
            facets.push(("fractionDigits", places.to_string()));
            // Facets count all digits, wherever the point is, and so do not limit the value.
            ("decimal", None, None)
        } else {
            if limits.scale < 0 {
                let zeros = limits.scale.unsigned_abs();
                facets.push(("pattern", format!("[+\\-]?([0-9]*0{{{zeros}}}|0+)")));
            }
            let unit = 10i128.checked_pow(limits.scale.unsigned_abs()).unwrap_or(1);
            let whole = |mantissa: i128| mantissa.saturating_mul(unit);
            let (base, least, greatest) = integer(whole(least), whole(greatest));
            let implied = |limit: Option<i128>| limit.filter(|_| unit == 1);
            (base, implied(least), implied(greatest))
        };
        if Some(least) != implied_least && !(base == "nonNegativeInteger" && least == 0) {
            facets.push(("minInclusive", shown(least)));
        }
        if Some(greatest) != implied_greatest {
            facets.push(("maxInclusive", shown(greatest)));
        }
        Self::new(base, facets)
    }

    /// Adds the values of condition names: an enumeration if there are only single ones, else a choice of ranges. XML
    /// Schema has no ranges of text, so that text with a range is not limited, as in JSON Schema.
    fn list(&mut self, listed: &[(Listed, Option<Listed>)]) {
        let text = |value: &Listed| match value {
            Listed::Number(text) | Listed::Text(text) => text.clone(),
        };
        let mut singles: Vec<Facet> = Vec::new();
        let mut ranges = Vec::new();
        for (first, last) in listed {
            match (first, last) {
                (first, None) if scan(&text(first)).forbidden.is_none() => {
                    let facet = ("enumeration", text(first));
                    if !singles.contains(&facet) {
                        singles.push(facet);
                    }
                }
                (Listed::Number(least), Some(Listed::Number(greatest))) => {
                    ranges.push(vec![("minInclusive", least.clone()), ("maxInclusive", greatest.clone())]);
                }
                _ => return,
            }
        }
        if ranges.is_empty() {
            self.facets.extend(singles);
            return;
        }
        // Each range has its own ends, in place of the field's.
        self.facets.retain(|(name, _)| !matches!(*name, "minInclusive" | "maxInclusive"));
        if !singles.is_empty() {
            ranges.push(singles);
        }
        match <[Vec<Facet>; 1]>::try_from(ranges) {
            Ok([range]) => self.facets.extend(range),
            Err(several) => self.others = several,
        }
    }
}

/// The smallest type of integers for a range, and the limits that the type itself has.
fn integer(least: i128, greatest: i128) -> (&'static str, Option<i128>, Option<i128>) {
    let types: [(&str, i128, i128); 6] = [
        ("unsignedShort", 0, u16::MAX.into()),
        ("short", i16::MIN.into(), i16::MAX.into()),
        ("unsignedInt", 0, u32::MAX.into()),
        ("int", i32::MIN.into(), i32::MAX.into()),
        ("unsignedLong", 0, u64::MAX.into()),
        ("long", i64::MIN.into(), i64::MAX.into()),
    ];
    let fits = |(_, from, to): &&(&str, i128, i128)| *from <= least && greatest <= *to;
    match types.iter().find(fits) {
        Some((base, from, to)) => (base, Some(*from), Some(*to)),
        None if least >= 0 => ("nonNegativeInteger", None, None),
        None => ("integer", None, None),
    }
}

/// The digits of a number without its sign.
fn digits(number: i128) -> u32 {
    number.unsigned_abs().checked_ilog10().map_or(1, |log| log + 1)
}
