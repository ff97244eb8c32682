//! A pull cursor over JSON text, and the pieces of a JSON writer: no tree, raw numbers, positions for messages.

use std::borrow::Cow;

use codepage::readable::position;

use crate::error::{Error, ErrorKind};

/// The most levels of objects and arrays, in ignored values too.
pub const JSON_DEPTH_MAX: usize = 64;

/// A reading position in JSON text. A caller writes each value to its place while reading it. The cursor
/// keeps no values, and checks the grammar of the text that it passes.
#[derive(Debug)]
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// The beginning of a text.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The number of bytes that have been passed.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// The next byte that is not white space. It is not consumed.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        loop {
            match self.bytes().get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    /// Consumes `byte` if it is next.
    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Consumes `byte` or says that it is missing.
    ///
    /// # Errors
    /// Something else is next.
    #[inline]
    pub fn expect(&mut self, byte: u8) -> Result<(), Error> {
        if self.take(byte) { Ok(()) } else { Err(self.unexpected(&format!("'{}'", char::from(byte)))) }
    }

    /// The error for the text at the cursor, where something else was expected.
    #[cold]
    pub fn unexpected(&mut self, expected: &str) -> Error {
        let found = match self.peek() {
            None => "the end of the text".to_owned(),
            Some(_) => match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
                Some(character) if !character.is_control() => format!("'{character}'"),
                _ => "a control character".to_owned(),
            },
        };
        self.syntax(self.at, format!("expected {expected}, found {found}"))
    }

    #[cold]
    fn syntax(&self, at: usize, message: impl Into<String>) -> Error {
        Error { position: Some(self.position(at)), ..Error::new(ErrorKind::Syntax, message) }
    }

    /// Line and column, from 1, of a byte.
    #[must_use]
    pub fn position(&self, at: usize) -> (usize, usize) {
        position(self.text, at)
    }

    /// The text that is not read yet.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes()[self.at..]
    }

    /// Passes over bytes that the caller has read.
    #[inline]
    pub(crate) fn pass(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Reads a string, with escapes resolved; borrowed if it has none.
    ///
    /// # Errors
    /// The next value is not a string, or it is a string that JSON does not allow.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'a, str>, Error> {
        self.expect(b'"')?;
        let start = self.at;
        let length = plain_length(&self.bytes()[start..]);
        let text = &self.text[start..start + length];
        self.at = start + length;
        if self.bytes().get(self.at) == Some(&b'"') {
            self.at += 1;
            return Ok(Cow::Borrowed(text));
        }
        self.string_with_escapes(start, text).map(Cow::Owned)
    }

    #[cold]
    fn string_with_escapes(&mut self, start: usize, first: &str) -> Result<String, Error> {
        let mut value = first.to_owned();
        loop {
            match self.bytes().get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(value);
                }
                Some(b'\\') => value.push(self.escape()?),
                Some(control @ 0..0x20) => {
                    let message = format!("control character U+{control:04X} in a string must be escaped");
                    return Err(self.syntax(self.at, message));
                }
                Some(_) => {
                    let length = plain_length(&self.bytes()[self.at..]);
                    value.push_str(&self.text[self.at..self.at + length]);
                    self.at += length;
                }
                None => return Err(self.syntax(start - 1, "the string that starts here does not end")),
            }
        }
    }

    /// Reads one escape sequence. A pair of surrogates is one character.
    fn escape(&mut self) -> Result<char, Error> {
        let start = self.at;
        let code = self.bytes().get(start + 1).copied();
        self.at += 2;
        Ok(match code {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(start),
            _ => return Err(self.syntax(start, "this is not a JSON escape sequence")),
        })
    }

    fn unicode_escape(&mut self, start: usize) -> Result<char, Error> {
        let mut units = vec![self.hex4(start)?];
        if (0xD800..0xDC00).contains(&units[0]) && self.bytes()[self.at..].starts_with(b"\\u") {
            self.at += 2;
            units.push(self.hex4(start)?);
        }
        let mut decoded = char::decode_utf16(units);
        match (decoded.next(), decoded.next()) {
            (Some(Ok(character)), None) => Ok(character),
            _ => Err(self.syntax(start, "this surrogate has no partner")),
        }
    }

    fn hex4(&mut self, start: usize) -> Result<u16, Error> {
        let digits =
            self.bytes().get(self.at..self.at + 4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let Some(digits) = digits else {
            return Err(self.syntax(start, "\\u must be followed by four hexadecimal digits"));
        };
        self.at += 4;
        Ok(digits.iter().fold(0, |value, digit| {
            value << 4 | u16::try_from(char::from(*digit).to_digit(16).unwrap_or(0)).unwrap_or(0)
        }))
    }

    /// The text of a number, checked only for its characters; its grammar is checked when it is converted.
    #[inline]
    pub fn number(&mut self) -> &'a [u8] {
        let start = self.at;
        while let Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') = self.bytes().get(self.at) {
            self.at += 1;
        }
        &self.bytes()[start..self.at]
    }

    /// Passes over a whole value, checking that it is JSON; `depth` counts the objects and arrays around it.
    ///
    /// # Errors
    /// It is not JSON, or deeper than [`JSON_DEPTH_MAX`].
    pub fn skip_value(&mut self, depth: usize) -> Result<(), Error> {
        if depth > JSON_DEPTH_MAX {
            let position = Some(self.position(self.at));
            return Err(Error {
                position,
                ..Error::new(ErrorKind::TooDeep, format!("values nest deeper than {JSON_DEPTH_MAX}"))
            });
        }
        match self.peek() {
            Some(b'{') => self.skip_members(depth),
            Some(b'[') => self.skip_elements(depth),
            Some(b'"') => self.string().map(drop),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            Some(b'-' | b'0'..=b'9') => {
                let start = self.at;
                let text = self.number();
                match crate::decimal::Decimal::from_json(text) {
                    Err(crate::decimal::NumberError::Syntax) => Err(self.bad_number(start)),
                    _ => Ok(()),
                }
            }
            _ => Err(self.unexpected("a value")),
        }
    }

    /// The error for text at this byte that is not a JSON number.
    #[cold]
    #[must_use]
    pub fn bad_number(&self, start: usize) -> Error {
        self.syntax(start, "this is not a JSON number")
    }

    fn skip_members(&mut self, depth: usize) -> Result<(), Error> {
        self.expect(b'{')?;
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a member's name in quotes"));
            }
            self.string()?;
            self.expect(b':')?;
            self.skip_value(depth + 1)?;
            if !self.take(b',') {
                return if self.take(b'}') { Ok(()) } else { Err(self.unexpected("',' or '}'")) };
            }
        }
    }

    fn skip_elements(&mut self, depth: usize) -> Result<(), Error> {
        self.expect(b'[')?;
        if self.take(b']') {
            return Ok(());
        }
        loop {
            self.skip_value(depth + 1)?;
            if !self.take(b',') {
                return if self.take(b']') { Ok(()) } else { Err(self.unexpected("',' or ']'")) };
            }
        }
    }

    /// Consumes `true`, `false` or `null`, if that is the word.
    ///
    /// # Errors
    /// Something else is next.
    pub fn word(&mut self, word: &str) -> Result<(), Error> {
        if self.bytes()[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(())
        } else {
            Err(self.unexpected("a value"))
        }
    }

    /// The kind of the next value, in words.
    pub fn kind(&mut self) -> &'static str {
        match self.peek() {
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b'"') => "text",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            Some(b'-' | b'0'..=b'9') => "a number",
            _ => "no value",
        }
    }
}

/// The number of bytes before the first quote, backslash or control character, or of all bytes.
#[inline]
fn plain_length(text: &[u8]) -> usize {
    let (words, rest) = text.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let found = marks(u64::from_le_bytes(*word));
        if found != 0 {
            return at * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let plain = rest.iter().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\'));
    words.len() * 8 + plain.unwrap_or(rest.len())
}

/// Sets the highest bit of each byte of a word that is a quote, a backslash or a control character. Bytes above the
/// first one may be marked falsely, by a borrow from it.
#[inline]
fn marks(word: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH_BITS: u64 = ONES << 7;
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
    (below(word, 0x20) | below(quote, 1) | below(backslash, 1)) & HIGH_BITS
}

/// Writes one character of a string, escaped if JSON demands it.
pub(crate) fn write_char(character: char, out: &mut Vec<u8>) {
    match character {
        '"' => out.extend_from_slice(b"\\\""),
        '\\' => out.extend_from_slice(b"\\\\"),
        '\n' => out.extend_from_slice(b"\\n"),
        '\r' => out.extend_from_slice(b"\\r"),
        '\t' => out.extend_from_slice(b"\\t"),
        control if u32::from(control) < 0x20 || control == '\u{7f}' => {
            out.extend_from_slice(format!("\\u{:04x}", u32::from(control)).as_bytes());
        }
        other => {
            let mut buffer = [0; 4];
            out.extend_from_slice(other.encode_utf8(&mut buffer).as_bytes());
        }
    }
}

/// Writes a string with its quotes.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for character in text.chars() {
        write_char(character, out);
    }
    out.push(b'"');
}

/// A member's name with its quotes and its colon.
pub(crate) fn json_name(name: &str) -> Vec<u8> {
    let mut text = Vec::new();
    write_string(name, &mut text);
    text.push(b':');
    text
}
