//! JSON text to values and back, with every digit and character unchanged.

use std::sync::Arc;

use crate::error::Error;
use crate::number::Number;
use crate::object::Object;
use crate::value::{Array, Value};

/// The most levels of arrays and objects that [`Value::from_json`] takes, whatever its caller allows. Every
/// walk over a value is a recursion of this depth.
pub const JSON_DEPTH_MAX: usize = 256;

impl Value {
    /// Reads one JSON text with at most `depth_max` levels of arrays and objects, and never more than
    /// [`JSON_DEPTH_MAX`].
    ///
    /// # Errors
    /// J0001 text that is not JSON, with the byte; J0002 nested too deep; J0003 a name twice in one object;
    /// J0004 half of a surrogate pair; J0005 bytes that are not UTF-8.
    pub fn from_json(json: &[u8], depth_max: usize) -> Result<Value, Error> {
        let text = std::str::from_utf8(json).map_err(|error| {
            Error::new("J0005", format!("expected UTF-8, found another byte at byte {}", error.valid_up_to()))
        })?;
        let mut reader = Reader { text, at: 0, depth_left: depth_max.min(JSON_DEPTH_MAX) };
        reader.space();
        let value = reader.value()?;
        reader.space();
        if reader.at < text.len() {
            return Err(reader.unexpected("the end"));
        }
        Ok(value)
    }

    /// Writes it as JSON without blanks. Numbers have no superfluous zeros. For undefined it writes nothing.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        match self {
            Value::Undefined => {}
            Value::Null => out.extend_from_slice(b"null"),
            Value::Bool(true) => out.extend_from_slice(b"true"),
            Value::Bool(false) => out.extend_from_slice(b"false"),
            Value::Number(number) => write_number(number, out),
            Value::String(text) => write_string(text, out),
            Value::Array(array) => {
                out.push(b'[');
                for (at, item) in array.items().iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    item.write_json(out);
                }
                out.push(b']');
            }
            Value::Object(object) => {
                out.push(b'{');
                for (at, (name, value)) in object.iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    write_string(name, out);
                    out.push(b':');
                    value.write_json(out);
                }
                out.push(b'}');
            }
            Value::Function(_) => out.extend_from_slice(b"\"\""),
        }
    }
}

pub(crate) fn write_number(number: &Number, out: &mut Vec<u8>) {
    match number.as_i64() {
        Some(integer) => out.extend_from_slice(itoa::Buffer::new().format(integer).as_bytes()),
        None => out.extend_from_slice(number.to_string().as_bytes()),
    }
}

pub(crate) fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut written = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape: &[u8] = match byte {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            b'\t' => b"\\t",
            8 => b"\\b",
            12 => b"\\f",
            0..0x20 => &[],
            _ => continue,
        };
        out.extend_from_slice(&text.as_bytes()[written..at]);
        match escape {
            [] => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            short => out.extend_from_slice(short),
        }
        written = at + 1;
    }
    out.extend_from_slice(&text.as_bytes()[written..]);
    out.push(b'"');
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth_left: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn unexpected(&self, expected: &str) -> Error {
        let found = match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(character) => format!("{character:?}"),
            None => "the end".to_string(),
        };
        Error::new("J0001", format!("expected {expected}, found {found} at byte {}", self.at))
    }

    fn value(&mut self) -> Result<Value, Error> {
        match self.peek() {
            Some(b'{') => self.nested(Reader::object),
            Some(b'[') => self.nested(Reader::array),
            Some(b'"') => Ok(Value::String(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Error>) -> Result<Value, Error> {
        if self.depth_left == 0 {
            return Err(Error::new("J0002", format!("nested deeper than is allowed at byte {}", self.at)));
        }
        self.depth_left -= 1;
        self.at += 1;
        self.space();
        let value = read(self)?;
        self.depth_left += 1;
        Ok(value)
    }

    fn array(&mut self) -> Result<Value, Error> {
        let mut items = Vec::new();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::Array(Array::new(items)));
        }
        loop {
            items.push(self.value()?);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err(self.unexpected("',' or ']'")),
            }
            self.space();
        }
        self.at += 1;
        Ok(Value::Array(Array::new(items)))
    }

    fn object(&mut self) -> Result<Value, Error> {
        let mut object = Object::new();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Object(object));
        }
        loop {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a name in quotes"));
            }
            let name = self.string()?;
            self.space();
            if self.peek() != Some(b':') {
                return Err(self.unexpected("':'"));
            }
            self.at += 1;
            self.space();
            if object.get(&name).is_some() {
                return Err(Error::new(
                    "J0003",
                    format!("the name {name:?} occurs twice in one object, at byte {start}"),
                ));
            }
            let value = self.value()?;
            object.insert(name, value);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Err(self.unexpected("',' or '}'")),
            }
            self.space();
        }
        self.at += 1;
        Ok(Value::Object(object))
    }

    fn number(&mut self) -> Result<Value, Error> {
        let rest = &self.text[self.at..];
        let end =
            rest.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')).unwrap_or(rest.len());
        let number = Number::parse(&rest[..end]).ok_or_else(|| self.unexpected("a number"))?;
        self.at += end;
        Ok(Value::Number(number))
    }

    fn word(&mut self) -> Result<Value, Error> {
        let rest = &self.text[self.at..];
        for (word, value) in
            [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)]
        {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.unexpected("a value"))
    }

    /// A string from its opening quote. Most strings have no escapes, and are copied once.
    fn string(&mut self) -> Result<Arc<str>, Error> {
        self.at += 1;
        let mut built: Option<String> = None;
        let mut start = self.at;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    let built = built.get_or_insert_default();
                    built.push_str(&self.text[start..self.at]);
                    built.push(self.escape()?);
                    start = self.at;
                }
                Some(0..0x20) | None => return Err(self.unexpected("a character of a string")),
                Some(_) => self.at += 1,
            }
        }
        let rest = &self.text[start..self.at];
        self.at += 1;
        Ok(match built {
            None => rest.into(),
            Some(built) => (built + rest).into(),
        })
    }

    fn escape(&mut self) -> Result<char, Error> {
        let (character, length) = unescape(&self.text[self.at..]).map_err(|fault| match fault {
            EscapeFault::Unknown => self.unexpected("an escape that JSON knows"),
            EscapeFault::Surrogate => {
                Error::new("J0004", format!("half of a surrogate pair at byte {}", self.at))
            }
        })?;
        self.at += length;
        Ok(character)
    }
}

/// The fault of an escape.
pub(crate) enum EscapeFault {
    Unknown,
    Surrogate,
}

/// The character of the escape at the start of the text, and the length of the escape in bytes.
pub(crate) fn unescape(text: &str) -> Result<(char, usize), EscapeFault> {
    let simple = match text.as_bytes().get(1).ok_or(EscapeFault::Unknown)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unescape_unit(text),
        _ => return Err(EscapeFault::Unknown),
    };
    Ok((simple, 2))
}

fn unescape_unit(text: &str) -> Result<(char, usize), EscapeFault> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        digits
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit())
            .then(|| u16::from_str_radix(digits, 16).ok())
            .flatten()
    };
    let first = unit(0).ok_or(EscapeFault::Unknown)?;
    let units = [first, unit(6).unwrap_or(0)];
    let taken = if (0xD800..0xDC00).contains(&first) { 2 } else { 1 };
    match char::decode_utf16(units[..taken].iter().copied()).next() {
        Some(Ok(character)) => Ok((character, 6 * taken)),
        _ => Err(EscapeFault::Surrogate),
    }
}
