//! Reads JSON that a bind wrote, from left to right: its texts, numbers and structure as slices.
//!
//! It trusts the text to be JSON; on any other it gives wrong slices, but it ends and does not panic.

/// A place in a JSON text without blanks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

/// A value that is neither object nor array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar<'a> {
    Null,
    /// The text between the quotes, with its escapes.
    Text(&'a [u8]),
    /// A number, `true` or `false`.
    Bare(&'a [u8]),
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// The rest of the text.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Passes over bytes that are there.
    #[inline]
    pub(crate) fn pass(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Passes over the byte if it is next.
    #[inline]
    pub(crate) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// The name of the next member of an object that was entered with `take(b'{')`; none at its end.
    pub(crate) fn member(&mut self) -> Option<&'a [u8]> {
        if self.take(b'}') {
            return None;
        }
        self.take(b',');
        let name = self.string()?;
        self.take(b':');
        Some(name)
    }

    /// True if an array that was entered with `take(b'[')` has another element, which is next.
    pub(crate) fn element(&mut self) -> bool {
        if self.take(b']') || self.peek().is_none() {
            return false;
        }
        self.take(b',');
        true
    }

    /// The string that is next, without its quotes.
    fn string(&mut self) -> Option<&'a [u8]> {
        if !self.take(b'"') {
            return None;
        }
        let start = self.at;
        loop {
            self.at += memchr::memchr2(b'"', b'\\', self.text.get(self.at..)?)?;
            if self.text[self.at] == b'"' {
                self.at += 1;
                return Some(&self.text[start..self.at - 1]);
            }
            self.at += 2;
        }
    }

    pub(crate) fn scalar(&mut self) -> Scalar<'a> {
        if let Some(text) = self.string() {
            return Scalar::Text(text);
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|byte| matches!(byte, b',' | b'}' | b']')).unwrap_or(rest.len());
        self.at += length;
        match &rest[..length] {
            b"null" => Scalar::Null,
            bare => Scalar::Bare(bare),
        }
    }

    /// Passes over any value.
    pub(crate) fn skip(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.peek() {
                Some(b'{' | b'[') => (depth, self.at) = (depth + 1, self.at + 1),
                Some(b'}' | b']') => (depth, self.at) = (depth.saturating_sub(1), self.at + 1),
                Some(b',' | b':') => self.at += 1,
                Some(_) => {
                    self.scalar();
                }
                None => return,
            }
            // A name is a scalar too, and its value is still to come.
            if depth == 0 {
                return;
            }
        }
    }
}

/// Appends the characters that an escaped text stands for.
pub(crate) fn unescape(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        let Some(escape) = rest.get(at + 1) else { return };
        rest = &rest[at + 2..];
        match escape {
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'u' => rest = unescape_unit(rest, out),
            other => out.push(*other),
        }
    }
    out.extend_from_slice(rest);
}

/// The character of `\u`, whose digits are next, with a second unit if it needs one.
fn unescape_unit<'a>(rest: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let unit = |digits: &[u8]| {
        let digits = std::str::from_utf8(digits.get(..4)?).ok()?;
        u16::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(rest) else { return rest };
    let second = rest.get(4..6).filter(|mark| *mark == b"\\u").and_then(|_| unit(&rest[6..]));
    let units = [first, second.unwrap_or_default()];
    let pair = second.is_some() && (0xD800..0xDC00).contains(&first);
    let used = if pair { 2 } else { 1 };
    for character in char::decode_utf16(units[..used].iter().copied()) {
        let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
    &rest[if pair { 10 } else { 4 }..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_members_and_elements() {
        let mut cursor = Cursor::new(br#"{"a":"x\"y","b":[1,null],"c":{"d":{}},"e":true}"#);
        assert!(cursor.take(b'{'));
        assert_eq!(cursor.member(), Some(b"a".as_slice()));
        assert_eq!(cursor.scalar(), Scalar::Text(br#"x\"y"#));
        assert_eq!(cursor.member(), Some(b"b".as_slice()));
        assert!(cursor.take(b'['));
        assert!(cursor.element());
        assert_eq!(cursor.scalar(), Scalar::Bare(b"1"));
        assert!(cursor.element());
        assert_eq!(cursor.scalar(), Scalar::Null);
        assert!(!cursor.element());
        assert_eq!(cursor.member(), Some(b"c".as_slice()));
        cursor.skip();
        assert_eq!(cursor.member(), Some(b"e".as_slice()));
        assert_eq!(cursor.scalar(), Scalar::Bare(b"true"));
        assert_eq!(cursor.member(), None);
    }

    #[test]
    fn what_is_no_json_ends() {
        for text in ["{", "{\"a", "{\"a\\", "[", "{\"a\":", "\\u12", "[1,"] {
            let mut cursor = Cursor::new(text.as_bytes());
            cursor.skip();
            unescape(text.as_bytes(), &mut Vec::new());
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_end(text in proptest::collection::vec(proptest::sample::select(b"{}[]\",:\\\\u0d8n1 ".to_vec()), 0..40)) {
            let mut cursor = Cursor::new(&text);
            cursor.skip();
            let mut cursor = Cursor::new(&text);
            while cursor.member().is_some() {
                cursor.skip();
            }
            let mut cursor = Cursor::new(&text);
            let mut elements = 0;
            while cursor.element() && elements <= text.len() {
                cursor.scalar();
                elements += 1;
            }
            unescape(&text, &mut Vec::new());
        }
    }

    #[test]
    fn escapes() {
        let mut out = Vec::new();
        unescape(br#"a\n\"\\\u00e9\ud83d\ude00\ud83dz"#, &mut out);
        assert_eq!(std::str::from_utf8(&out), Ok("a\n\"\\\u{e9}\u{1f600}\u{fffd}z"));
    }
}
