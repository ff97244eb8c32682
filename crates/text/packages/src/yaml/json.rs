//! A YAML document as JSON text with its values on the same lines, so that readers of JSON report the user's
//! lines.

use super::{Node, Value, parse};
use crate::fault::{Fault, FaultKind};
use crate::limits::Limits;

/// Turns a YAML document into JSON text: plain scalars by the core schema of YAML 1.2, numbers with all their
/// digits.
///
/// Every value stands on its line of the YAML. JSON is YAML too, and is accepted. Tags are ignored.
///
/// # Errors
/// The text is not YAML, exceeds a limit, or has a number that JSON lacks (infinity or NaN).
pub fn json_of_yaml(file: &str, text: &str, limits: &Limits) -> Result<String, Fault> {
    let root = parse(file, text.trim_start_matches('\u{feff}'), limits)?;
    let mut writer = Writer { file, json: String::with_capacity(text.len()), line: 1 };
    writer.value(&root)?;
    Ok(writer.json)
}

struct Writer<'a> {
    file: &'a str,
    json: String,
    /// The current output line.
    line: usize,
}

impl Writer<'_> {
    /// Its recursion is bounded by the limits of the reader.
    fn value(&mut self, node: &Node) -> Result<(), Fault> {
        while self.line < node.line {
            self.json.push('\n');
            self.line += 1;
        }
        match &node.value {
            Value::Scalar { text, plain: true } => {
                let json = plain(text)
                    .map_err(|message| Fault::at(FaultKind::Content, self.file, node.line, message))?;
                self.json.push_str(&json);
            }
            Value::Scalar { text, plain: false } => self.json.push_str(&quoted(text)),
            Value::List(items) => {
                self.json.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        self.json.push(',');
                    }
                    self.value(item)?;
                }
                self.json.push(']');
            }
            Value::Map(entries) => {
                self.json.push('{');
                for (at, (key, item)) in entries.iter().enumerate() {
                    if at > 0 {
                        self.json.push(',');
                    }
                    self.json.push_str(&quoted(key));
                    self.json.push(':');
                    self.value(item)?;
                }
                self.json.push('}');
            }
        }
        Ok(())
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The JSON of a scalar without quotes (YAML 1.2, 10.3.2).
fn plain(text: &str) -> Result<String, String> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok("null".to_owned()),
        "true" | "True" | "TRUE" => return Ok("true".to_owned()),
        "false" | "False" | "FALSE" => return Ok("false".to_owned()),
        _ => {}
    }
    let (negative, digits) = match text.strip_prefix(['-', '+']) {
        Some(digits) => (text.starts_with('-'), digits),
        None => (false, text),
    };
    if matches!(digits, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Err(format!("expected a number that JSON has, found {text}"));
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        let of_radix =
            |digits: &&str| !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
        if let Some(digits) = text.strip_prefix(prefix).filter(of_radix) {
            let value = u128::from_str_radix(digits, radix);
            return value
                .map(|value| value.to_string())
                .map_err(|_| format!("expected a number of up to 128 bits, found {text}"));
        }
    }
    match decimal(digits) {
        Some(number) if negative => Ok(format!("-{number}")),
        Some(number) => Ok(number),
        None => Ok(quoted(text)),
    }
}

/// A decimal number in JSON's grammar, with its digits kept; none for a text that is not a number.
fn decimal(text: &str) -> Option<String> {
    let (number, exponent) = match text.find(['e', 'E']) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    if !exponent.is_empty() {
        let digits = exponent[1..].trim_start_matches(['-', '+']);
        let signs = exponent.len() - 1 - digits.len();
        if digits.is_empty() || signs > 1 || !are_digits(digits) {
            return None;
        }
    }
    let short = whole.trim_start_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    Some(format!("{}{point}{fraction}{exponent}", if short.is_empty() { "0" } else { short }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn json(text: &str) -> String {
        json_of_yaml("x.yaml", text, &Limits::default()).expect("JSON")
    }

    #[test]
    fn scalars_are_those_of_the_core_schema() {
        for (yaml, expected) in [
            ("~", "null"),
            ("NULL", "null"),
            ("True", "true"),
            ("false", "false"),
            ("yes", "\"yes\""),
            ("on", "\"on\""),
            ("'true'", "\"true\""),
            ("\"1\"", "\"1\""),
            ("1", "1"),
            ("+12", "12"),
            ("-007", "-7"),
            ("0", "0"),
            ("0x1F", "31"),
            ("0o17", "15"),
            ("-0x1F", "\"-0x1F\""),
            ("0x", "\"0x\""),
            (".5", "0.5"),
            ("5.", "5"),
            ("1.50", "1.50"),
            ("1e3", "1e3"),
            ("1.e-3", "1e-3"),
            ("1e", "\"1e\""),
            ("1e+-3", "\"1e+-3\""),
            ("12345678901234567890123456789.01", "12345678901234567890123456789.01"),
            ("3.0.3", "\"3.0.3\""),
            ("2024-01-01", "\"2024-01-01\""),
            ("1_000", "\"1_000\""),
            ("-", "[null]"),
            ("+", "\"+\""),
            (".", "\".\""),
        ] {
            assert_eq!(json(yaml), expected, "{yaml}");
        }
        for wrong in [".inf", "-.INF", ".nan", "0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"] {
            let fault = json_of_yaml("x.yaml", wrong, &Limits::default()).expect_err(wrong);
            assert!(fault.to_string().starts_with("x.yaml:1: expected a number"), "{fault}");
        }
    }

    #[test]
    fn values_stand_on_their_lines() {
        let text = "openapi: 3.0.3 # c\ninfo:\n  title: >\n    a\n    b\n\n  200: [1,\n    {x: y}]\nend:\n";
        // A folded text is on the line where it begins.
        let lines = [
            r#"{"openapi":"3.0.3","info":"#,
            "",
            r#"{"title":"#,
            r#""a b\n","200":"#,
            "",
            "",
            "[1,",
            r#"{"x":"y"}]},"end":"#,
            "null}",
        ];
        assert_eq!(json(text), lines.join("\n"));
    }

    proptest! {
        #[test]
        fn json_is_yaml_too(members in prop::collection::vec(("[a-z\"\\\\ é]{0,6}", any::<i64>(), "[ -~é]{0,12}"), 0..5)) {
            let value: serde_json::Value = members
                .into_iter()
                .map(|(name, number, text)| (name, serde_json::json!([number, text, null, true])))
                .collect::<serde_json::Map<_, _>>()
                .into();
            let made: serde_json::Value = serde_json::from_str(&json(&value.to_string())).expect("JSON");
            prop_assert_eq!(made, value);
        }
    }
}
