//! The values that declarations give: the only one (`fixed`), or that of an empty element or a missing attribute (`default`).

use assistant::{Kind, Number, NumberForm, Options, Text, Xml};

use super::simple;

/// The member with the value that its declaration gives. A value that its type does not allow is none.
pub(super) fn valued(
    xml: Option<Xml>,
    kind: &Kind,
    (fixed, default): (&Option<String>, &Option<String>),
    options: &Options,
) -> Option<Xml> {
    let given = fixed.as_ref().or(default.as_ref());
    let value = given.filter(|given| is_allowed(given, kind, options)).cloned();
    let fixed = fixed.is_some() && value.is_some();
    xml.map(|xml| Xml { value, fixed, ..xml })
}

/// True if a field of this kind can have the value.
fn is_allowed(given: &str, kind: &Kind, options: &Options) -> bool {
    match kind {
        Kind::Boolean => matches!(::xml::trim(given), "true" | "false" | "1" | "0"),
        Kind::Number(number) => is_number(given, number, options),
        Kind::Text(text) => is_text(given, text),
        Kind::Moment(moment) => {
            let kind = moment.text_type();
            kind.check(&kind.value(given, usize::MAX)).is_ok()
        }
        Kind::Binary(binary) => binary.encoding.text_type().is_none_or(|kind| {
            let plain: String = given.chars().filter(|character| !character.is_ascii_whitespace()).collect();
            kind.check(&plain).is_ok()
        }),
        _ => false,
    }
}

fn is_number(given: &str, number: &Number, options: &Options) -> bool {
    if matches!(number.form, NumberForm::Single | NumberForm::Double) {
        return ::xml::trim(given).parse::<f64>().is_ok_and(f64::is_finite);
    }
    let Some(value) = simple::number(given) else { return false };
    let places = number.fraction_digits.unwrap_or(options.default_fraction_digits);
    value.fraction_digits() <= places
        && number.least.is_none_or(|least| value >= least)
        && number.greatest.is_none_or(|greatest| value <= greatest)
        && (number.values.is_empty() || number.values.contains(&value))
}

fn is_text(given: &str, text: &Text) -> bool {
    let given = match text.kind {
        Some(kind) => kind.value(given, usize::MAX),
        None => given.into(),
    };
    let characters = given.chars().count() as u64;
    (text.min..=text.max.unwrap_or(u64::MAX)).contains(&characters)
        && (text.values.is_empty() || text.values.iter().any(|value| *value == given))
        && text.kind.is_none_or(|kind| kind.check(&given).is_ok())
}
