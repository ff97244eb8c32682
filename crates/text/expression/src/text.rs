//! The text of a value for `$string`, `&` and templates.

use crate::error::Error;
use crate::evaluate::{Evaluation, Result};
use crate::json::write_string;
use crate::value::Value;

impl Value {
    /// The result of `$string`: text unchanged, other values as JSON, no text for undefined and functions.
    ///
    /// # Errors
    /// D3001 for a number that is infinite.
    pub fn to_text(&self) -> std::result::Result<String, Error> {
        Ok(match self {
            Value::Undefined | Value::Function(_) => String::new(),
            Value::String(text) => text.to_string(),
            Value::Null => "null".to_string(),
            Value::Bool(value) => value.to_string(),
            Value::Number(number) => number.to_text(),
            Value::Array(_) | Value::Object(_) => {
                let mut out = Vec::new();
                Writer { indent: None, out: &mut out }.value(self, 0);
                String::from_utf8(out).map_err(|_| Error::new("D3001", "text that is not UTF-8"))?
            }
        })
    }

    /// The same, with arrays and objects on several lines, two blanks for each level.
    pub(crate) fn to_pretty_text(&self) -> String {
        let mut out = Vec::new();
        Writer { indent: Some(2), out: &mut out }.value(self, 0);
        String::from_utf8_lossy(&out).into_owned()
    }
}

impl Evaluation<'_> {
    /// The text of a value, counted in the purse.
    pub(crate) fn text(&mut self, value: &Value) -> Result<String> {
        let text = value.to_text()?;
        if matches!(value, Value::Array(_) | Value::Object(_)) {
            self.purse.built(text.len())?;
        }
        Ok(text)
    }
}

struct Writer<'a> {
    indent: Option<usize>,
    out: &'a mut Vec<u8>,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value, level: usize) {
        match value {
            Value::Array(array) => {
                self.out.push(b'[');
                for (at, item) in array.items().iter().enumerate() {
                    self.member(at, level + 1);
                    self.value(item, level + 1);
                }
                self.close(array.items().is_empty(), level);
                self.out.push(b']');
            }
            Value::Object(object) => {
                self.out.push(b'{');
                for (at, (name, member)) in object.iter().enumerate() {
                    self.member(at, level + 1);
                    write_string(name, self.out);
                    self.out.push(b':');
                    if self.indent.is_some() {
                        self.out.push(b' ');
                    }
                    self.value(member, level + 1);
                }
                self.close(object.is_empty(), level);
                self.out.push(b'}');
            }
            Value::Number(number) => self.out.extend_from_slice(number.to_text().as_bytes()),
            other => other.write_json(self.out),
        }
    }

    fn member(&mut self, at: usize, level: usize) {
        if at > 0 {
            self.out.push(b',');
        }
        self.line(level);
    }

    fn close(&mut self, empty: bool, level: usize) {
        if !empty {
            self.line(level);
        }
    }

    fn line(&mut self, level: usize) {
        if let Some(indent) = self.indent {
            self.out.push(b'\n');
            self.out.extend(std::iter::repeat_n(b' ', indent * level));
        }
    }
}
