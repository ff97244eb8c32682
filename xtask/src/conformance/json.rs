//! JSON with numbers as they are written, so that no digit of an expected value is lost.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Json {
    Null,
    /// `true` or `false`.
    Truth(bool),
    /// As written.
    Number(String),
    Text(String),
    List(Vec<Json>),
    Members(BTreeMap<String, Json>),
}

impl Json {
    /// Reads one value.
    ///
    /// # Errors
    /// The text is not JSON.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| error.to_string())?;
        Self::of_raw(raw)
    }

    /// Reads values that follow each other; those of lists at the top are taken one by one.
    ///
    /// # Errors
    /// The text is not JSON.
    pub(super) fn parse_all(text: &str) -> Result<Vec<Self>, String> {
        let mut all = Vec::new();
        for raw in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
            match Self::of_raw(raw.map_err(|error| error.to_string())?)? {
                Json::List(rows) => all.extend(rows),
                one => all.push(one),
            }
        }
        Ok(all)
    }

    pub(super) fn of_raw(raw: &RawValue) -> Result<Self, String> {
        let text = raw.get();
        let describe = |error: serde_json::Error| error.to_string();
        match text.as_bytes().first() {
            Some(b'{') => {
                let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).map_err(describe)?;
                let members = members
                    .into_iter()
                    .map(|(name, value)| Ok((name, Self::of_raw(value)?)))
                    .collect::<Result<_, String>>()?;
                Ok(Json::Members(members))
            }
            Some(b'[') => {
                let rows: Vec<&RawValue> = serde_json::from_str(text).map_err(describe)?;
                Ok(Json::List(rows.into_iter().map(Self::of_raw).collect::<Result<_, _>>()?))
            }
            Some(b'"') => serde_json::from_str(text).map(Json::Text).map_err(describe),
            Some(b't') => Ok(Json::Truth(true)),
            Some(b'f') => Ok(Json::Truth(false)),
            Some(b'n') => Ok(Json::Null),
            _ => Ok(Json::Number(text.to_owned())),
        }
    }

    /// Writes the value as JSON text.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Json::Null => out.extend_from_slice(b"null"),
            Json::Truth(truth) => out.extend_from_slice(truth.to_string().as_bytes()),
            Json::Number(text) => out.extend_from_slice(text.as_bytes()),
            Json::Text(text) => record::write_string(text, out),
            Json::List(rows) => {
                for (index, row) in rows.iter().enumerate() {
                    out.push(if index == 0 { b'[' } else { b',' });
                    row.write(out);
                }
                out.extend_from_slice(if rows.is_empty() { b"[]" } else { b"]" });
            }
            Json::Members(members) => {
                for (index, (name, value)) in members.iter().enumerate() {
                    out.push(if index == 0 { b'{' } else { b',' });
                    record::write_string(name, out);
                    out.push(b':');
                    value.write(out);
                }
                out.extend_from_slice(if members.is_empty() { b"{}" } else { b"}" });
            }
        }
    }
}

/// A decimal number in its shortest form: sign, digits without zeros at either end, power of ten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exact {
    negative: bool,
    digits: String,
    power: i64,
}

impl Exact {
    /// Reads `-12.50`, `+7`, `1E-3`. None if the text is not a number.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, power) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].trim_start_matches('+').parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let significant = all.trim_start_matches('0');
        let digits = significant.trim_end_matches('0');
        if digits.is_empty() {
            return Some(Self { negative: false, digits: String::new(), power: 0 });
        }
        let power = power - fraction.len() as i64 + (significant.len() - digits.len()) as i64;
        Some(Self { negative, digits: digits.to_owned(), power })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_value() {
        let same = |a: &str, b: &str| Exact::parse(a) == Exact::parse(b) && Exact::parse(a).is_some();
        assert!(same("1.50", "+01.5"));
        assert!(same("0.00", "-0"));
        assert!(same("1234567890123456789012345678901", "1234567890123456789012345678901.0"));
        assert!(same("0E-8", "0"));
        assert!(same("1E3", "1000"));
        assert!(same("345006.56E-2", "3450.0656"));
        assert!(!same("1.51", "1.5"));
        assert_eq!(Exact::parse("1,5"), None);
        assert_eq!(Exact::parse(""), None);
    }

    #[test]
    fn what_is_read_is_written_alike() {
        let text = r#"{"a":[1.10,null,{"b":"x\"y"}],"c":{},"d":[],"e":true}"#;
        let mut out = Vec::new();
        Json::parse(text).expect("JSON").write(&mut out);
        assert_eq!(String::from_utf8(out).expect("text"), text);
        assert_eq!(Json::parse_all("[1,2]\n3").expect("JSON").len(), 3);
    }
}
