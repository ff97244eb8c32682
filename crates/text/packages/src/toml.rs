//! Writes the words of TOML: keys and strings, quoted where they must be.

use std::fmt::Write;

/// A string in double quotes.
pub(crate) fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// A key of TOML, without quotes if it needs none.
#[must_use]
pub fn key(text: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !text.is_empty() && text.bytes().all(bare) { text.to_owned() } else { string(text) }
}

/// A list of strings.
pub(crate) fn list<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    format!("[{}]", texts.into_iter().map(string).collect::<Vec<_>>().join(", "))
}

/// A comment, line by line; nothing in it can end it.
pub(crate) fn comment(out: &mut String, text: &str) {
    for line in text.lines() {
        let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let _ = writeln!(out, "# {}", line.trim_end());
    }
}
