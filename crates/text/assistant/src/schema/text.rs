//! Strings of JSON Schema: text, dates and times, octets.

use super::merge::{Allowed, Merged};
use crate::diagnostic::{Place, Report};
use crate::shape::{Binary, Encoding, Kind, Moment, Text};

/// The shape of a string.
pub(super) fn kind(merged: &Merged<'_, '_>, place: &Place, report: &mut Report) -> Option<Kind> {
    let format = merged.format.as_deref();
    let moment = match format {
        Some("date-time") => Some(Moment::DateTime),
        Some("date") => Some(Moment::Date),
        Some("time") => Some(Moment::Time),
        Some("duration") => Some(Moment::Duration),
        _ => None,
    };
    if let Some(moment) = moment {
        return Some(Kind::Moment(moment));
    }
    if let Some(encoding) = encoding(format, merged.encoding.as_deref()) {
        return Some(Kind::Binary(Binary { encoding, max_characters: merged.max_length, max_octets: None }));
    }
    let mut values = Vec::new();
    for allowed in merged.allowed.iter().flatten() {
        match allowed {
            Allowed::Text(text) => values.push(text.clone()),
            Allowed::Null => {}
            _ => report.warning(place, "ignored: values of 'enum' that are not text", None),
        }
    }
    if merged.allowed.is_some() && values.is_empty() {
        report.error(place, "expected a value in 'enum' that is text, found none");
        return None;
    }
    let min = merged.min_length.unwrap_or(0);
    if merged.max_length == Some(0) || merged.max_length.is_some_and(|max| max < min) {
        let max = merged.max_length.unwrap_or(0);
        report.error(place, format!("expected room for a character, found {min} to {max} characters"));
        return None;
    }
    Some(Kind::Text(Text {
        min,
        max: merged.max_length,
        values,
        pattern: merged.pattern.clone(),
        format: merged.format.clone(),
        kind: None,
    }))
}

/// The encoding of octets, for the formats of OpenAPI and DFHJS2LS, and for `contentEncoding`.
fn encoding(format: Option<&str>, encoding: Option<&str>) -> Option<Encoding> {
    match (format, encoding) {
        (_, Some("base64" | "base64url")) | (Some("byte" | "base64Binary" | "base64"), _) => {
            Some(Encoding::Base64)
        }
        (_, Some("base16")) | (Some("hexBinary"), _) => Some(Encoding::Hex),
        (_, Some("binary")) | (Some("binary"), _) => Some(Encoding::Raw),
        _ => None,
    }
}
