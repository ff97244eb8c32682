//! JSON values of the property tests, written as a bind writes them, and in any other way that means the same.

use std::fmt::Write;

use crate::random::Dice;

/// A JSON value that keeps every digit.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Number { mantissa: i128, scale: i32 },
    Text(String),
    Array(Vec<Value>),
    Object(Vec<(String, Value)>),
}

impl Value {
    /// As a bind writes it: no blanks, members in order, numbers without zeros that do not count.
    pub(crate) fn plain(&self) -> String {
        match self {
            Value::Number { mantissa, scale } => plain_number(*mantissa, *scale),
            Value::Text(text) => plain_string(text),
            Value::Array(values) => {
                format!("[{}]", values.iter().map(Value::plain).collect::<Vec<_>>().join(","))
            }
            Value::Object(members) => {
                let member =
                    |(name, value): &(String, Value)| format!("{}:{}", plain_string(name), value.plain());
                format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
            }
        }
    }

    /// In another order, with blanks, escapes and zeros that change nothing.
    pub(crate) fn varied(&self, dice: &mut Dice<'_>) -> String {
        let inner = match self {
            Value::Number { mantissa, scale } => varied_number(*mantissa, *scale, dice),
            Value::Text(text) => varied_string(text, dice),
            Value::Array(values) => {
                format!("[{}]", values.iter().map(|value| value.varied(dice)).collect::<Vec<_>>().join(","))
            }
            Value::Object(members) => {
                let mut texts = Vec::new();
                for (name, value) in members {
                    let text =
                        format!("{}{}:{}", varied_string(name, dice), blanks(dice), value.varied(dice));
                    texts.insert(dice.roll(texts.len() + 1), text);
                }
                format!("{{{}}}", texts.join(","))
            }
        };
        format!("{}{inner}{}", blanks(dice), blanks(dice))
    }
}

fn blanks(dice: &mut Dice<'_>) -> &'static str {
    ["", "", "", " ", "\n", "\t\r\n  "][dice.roll(6)]
}

/// `mantissa / 10^scale` by moving the point in the digits.
fn plain_number(mantissa: i128, scale: i32) -> String {
    if mantissa == 0 {
        return "0".to_owned();
    }
    let sign = if mantissa < 0 { "-" } else { "" };
    let digits = mantissa.unsigned_abs().to_string();
    let Ok(places) = usize::try_from(scale) else {
        return format!("{sign}{digits}{}", "0".repeat(scale.unsigned_abs() as usize));
    };
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (integer, fraction) = digits.split_at(digits.len() - places);
    match fraction.trim_end_matches('0') {
        "" => format!("{sign}{integer}"),
        fraction => format!("{sign}{integer}.{fraction}"),
    }
}

fn varied_number(mantissa: i128, scale: i32, dice: &mut Dice<'_>) -> String {
    let plain = plain_number(mantissa, scale);
    match dice.roll(5) {
        1 => format!("{mantissa}e{}", -scale),
        2 => format!("{mantissa}.{}E{:+}", "0".repeat(1 + dice.roll(40)), -scale),
        3 if plain.contains('.') => format!("{plain}{}", "0".repeat(dice.roll(40))),
        4 if !plain.contains('.') => format!("{plain}.0e-0"),
        _ => plain,
    }
}

fn plain_string(text: &str) -> String {
    let mut out = "\"".to_owned();
    for character in text.chars() {
        write_plain(character, &mut out);
    }
    out + "\""
}

fn write_plain(character: char, out: &mut String) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\0'..' ' | '\u{7f}' => write!(out, "\\u{:04x}", u32::from(character)).expect("memory"),
        other => out.push(other),
    }
}

fn varied_string(text: &str, dice: &mut Dice<'_>) -> String {
    let mut out = "\"".to_owned();
    for character in text.chars() {
        match character {
            '/' if dice.one_in(2) => out.push_str("\\/"),
            other if dice.one_in(6) => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04X}").expect("memory");
                }
            }
            other => write_plain(other, &mut out),
        }
    }
    out + "\""
}
