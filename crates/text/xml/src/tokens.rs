//! The tokens of XML text, one after the other: tags with matching ends, text, references, comments. The
//! cursor reads the content of tags, and decides which tokens are accepted.

use memchr::memmem;

use crate::characters::is_space;
use crate::cursor::shown;
use crate::error::Fault;

/// One token. Places are bytes of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Token<'a> {
    /// A start tag: the end of its name, the end of its attributes, and its `>`. Between the last two is `/`
    /// if there is no end tag.
    Start {
        name_end: usize,
        end: usize,
        close: usize,
    },
    /// The end tag of the last opened element.
    End,
    Text(&'a str),
    /// The content of a CDATA section, which has no markup.
    Data(&'a str),
    /// A reference without `&` and `;`.
    Reference(&'a str),
    Comment,
    /// `<?xml ... ?>`.
    Declaration,
    Instruction,
    DocumentType,
    Eof,
}

/// A place in the text, and the open tags there.
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    text: &'a str,
    pub(crate) at: usize,
    /// The names of open elements whose end tag is still to come.
    open: Vec<&'a str>,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0, open: Vec::new() }
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// The next token.
    ///
    /// # Errors
    /// The text is not a token of XML.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Token<'a>, Fault> {
        match self.rest() {
            [] => Ok(Token::Eof),
            [b'<', b'/', ..] => self.end_tag(),
            [b'<', b'!', ..] => self.declared(),
            [b'<', b'?', ..] => self.instruction(),
            [b'<', ..] => self.start_tag(),
            [b'&', ..] => self.reference(),
            _ => self.characters(),
        }
    }

    /// The text up to the following end tag, which is passed. None if the element has other content, or if
    /// the text needs a closer look. Then nothing is passed.
    #[inline]
    pub(crate) fn plain_text(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let length = text_length(rest);
        let behind = self.end_behind(rest.get(length..)?)?;
        let text = &self.text[self.at..self.at + length];
        self.at += length + behind;
        self.open.pop();
        Some(text)
    }

    /// The length of the end tag of the last opened element, if it is next and has the usual form.
    #[inline]
    fn end_behind(&self, rest: &[u8]) -> Option<usize> {
        let name = self.open.last()?.as_bytes();
        let after = rest.strip_prefix(b"</")?;
        let is_end = after.get(name.len()) == Some(&b'>') && same(&after[..name.len()], name);
        is_end.then_some(name.len() + 3)
    }

    /// Passes the end tag of the last opened element, if it is next and has the usual form.
    #[inline(always)]
    pub(crate) fn take_end(&mut self) -> bool {
        let Some(length) = self.end_behind(self.rest()) else { return false };
        self.at += length;
        self.open.pop();
        true
    }

    /// Passes a start tag that has only a name, if it is next. Gives the end of the name, and the bytes
    /// before its colon; none without a colon.
    #[inline(always)]
    pub(crate) fn take_start(&mut self) -> Option<(usize, usize)> {
        let rest = self.rest().strip_prefix(b"<")?;
        let (mut length, mut colon) = (0, 0);
        loop {
            match *rest.get(length)? {
                b'>' => break,
                b':' if colon == 0 => colon = length,
                b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b'/' | b'!' | b'?' => return None,
                _ => {}
            }
            length += 1;
        }
        if length == 0 || rest[0] == b':' {
            return None;
        }
        let start = self.at + 1;
        self.open.push(&self.text[start..start + length]);
        self.at = start + length + 1;
        Some((start + length, colon))
    }

    /// Passes a start tag that has only this name, behind a prefix of `prefix` bytes with its colon. It must
    /// be next, and have the prefix of the tag at `like`. Then nothing searches for the end of the name.
    #[inline(always)]
    pub(crate) fn take_known(&mut self, name: &[u8], prefix: usize, like: usize) -> bool {
        let rest = self.rest();
        let (start, end) = (1 + prefix, 1 + prefix + name.len());
        let [b'<', ..] = rest else { return false };
        let is_known = rest.get(end) == Some(&b'>')
            && same(&rest[start..end], name)
            && (prefix == 0 || same(&rest[1..start], &self.text.as_bytes()[like + 1..=like + prefix]));
        if is_known {
            self.open.push(&self.text[self.at + 1..self.at + end]);
            self.at += end + 1;
        }
        is_known
    }

    /// Passes white space if a tag follows it.
    #[inline(always)]
    pub(crate) fn skip_space(&mut self) {
        let rest = self.rest();
        let spaces = rest.iter().position(|byte| !is_space(*byte)).unwrap_or(rest.len());
        if rest.get(spaces) == Some(&b'<') {
            self.at += spaces;
        }
    }

    #[inline]
    fn start_tag(&mut self) -> Result<Token<'a>, Fault> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let length = name_length(&bytes[start..]);
        let (name_end, close) = match bytes.get(start + length) {
            Some(b'>') => (start + length, start + length),
            _ => {
                let close = self.close(start + length)?;
                let tag = &bytes[start..close];
                (start + tag.iter().position(|byte| is_space(*byte)).unwrap_or(tag.len()), close)
            }
        };
        let is_empty = close > start && bytes[close - 1] == b'/';
        let end = close - usize::from(is_empty);
        let name_end = name_end.min(end);
        if !is_empty {
            self.open.push(&self.text[start..name_end]);
        }
        self.at = close + 1;
        Ok(Token::Start { name_end, end, close })
    }

    /// The `>` of a tag, outside of quotes.
    fn close(&self, from: usize) -> Result<usize, Fault> {
        let mut quote = None;
        for (at, byte) in self.text.as_bytes().iter().enumerate().skip(from) {
            match (quote, byte) {
                (None, b'>') => return Ok(at),
                (None, b'"' | b'\'') => quote = Some(byte),
                (Some(open), byte) if open == byte => quote = None,
                _ => {}
            }
        }
        let message = match quote {
            Some(_) => "the value of an attribute in this tag does not end",
            None => "the tag that starts here does not end",
        };
        Err((self.at, message.to_owned()))
    }

    #[inline]
    fn end_tag(&mut self) -> Result<Token<'a>, Fault> {
        if self.take_end() { Ok(Token::End) } else { self.other_end_tag() }
    }

    /// An end tag with white space in it, or one without an open element.
    #[cold]
    fn other_end_tag(&mut self) -> Result<Token<'a>, Fault> {
        let Some(length) = memchr::memchr(b'>', self.rest()) else {
            return Err((self.at, "the tag that starts here does not end".to_owned()));
        };
        let name = self.text[self.at + 2..self.at + length].trim_end_matches([' ', '\t', '\n', '\r']);
        match self.open.pop() {
            Some(open) if open == name => {
                self.at += length + 1;
                Ok(Token::End)
            }
            Some(open) => Err((self.at, format!("expected </{}>, found </{}>", shown(open), shown(name)))),
            None => Err((self.at, format!("</{}> ends no element that is open", shown(name)))),
        }
    }

    fn characters(&mut self) -> Result<Token<'a>, Fault> {
        let rest = self.rest();
        let start = self.at;
        let length = memchr::memchr2(b'<', b'&', rest).unwrap_or(rest.len());
        self.at += length;
        let text = &self.text[start..self.at];
        match memchr::memchr(b'>', text.as_bytes()).and_then(|_| text.find("]]>")) {
            Some(found) => Err((start + found, "']]>' in text must be written as ]]&gt;".to_owned())),
            None => Ok(Token::Text(text)),
        }
    }

    fn reference(&mut self) -> Result<Token<'a>, Fault> {
        let rest = &self.rest()[1..];
        match memchr::memchr3(b';', b'<', b'&', rest) {
            Some(length) if rest[length] == b';' => {
                let start = self.at + 1;
                self.at = start + length + 1;
                Ok(Token::Reference(&self.text[start..start + length]))
            }
            _ => Err((self.at, "'&' must be written as &amp;".to_owned())),
        }
    }

    /// A comment, a CDATA section or a document type.
    fn declared(&mut self) -> Result<Token<'a>, Fault> {
        let rest = self.rest();
        if rest.starts_with(b"<!--") {
            return self.comment();
        }
        if let Some(content) = rest.strip_prefix(b"<![CDATA[") {
            let Some(length) = memmem::find(content, b"]]>") else {
                return Err((self.at, "the CDATA section that starts here does not end".to_owned()));
            };
            let start = self.at + "<![CDATA[".len();
            self.at = start + length + "]]>".len();
            return Ok(Token::Data(&self.text[start..start + length]));
        }
        match rest.get(2..9) {
            Some(word) if word.eq_ignore_ascii_case(b"DOCTYPE") => Ok(Token::DocumentType),
            _ => Err((self.at, "this is not markup of XML".to_owned())),
        }
    }

    fn comment(&mut self) -> Result<Token<'a>, Fault> {
        let start = self.at + "<!--".len();
        let content = &self.text.as_bytes()[start..];
        let Some(hyphens) = memmem::find(content, b"--") else {
            return Err((self.at, "the comment that starts here does not end".to_owned()));
        };
        match content.get(hyphens + 2) {
            Some(b'>') => {
                self.at = start + hyphens + "-->".len();
                Ok(Token::Comment)
            }
            Some(_) if memmem::find(&content[hyphens..], b"-->").is_some() => {
                Err((start + hyphens, "a comment must not have '--'".to_owned()))
            }
            _ => Err((self.at, "the comment that starts here does not end".to_owned())),
        }
    }

    fn instruction(&mut self) -> Result<Token<'a>, Fault> {
        let content = &self.rest()[2..];
        let Some(length) = memmem::find(content, b"?>") else {
            return Err((self.at, "the XML declaration that starts here does not end".to_owned()));
        };
        self.at += length + "<??>".len();
        let is_declaration = content[..length]
            .strip_prefix(b"xml")
            .is_some_and(|rest| rest.first().is_none_or(|byte| is_space(*byte)));
        Ok(if is_declaration { Token::Declaration } else { Token::Instruction })
    }
}

/// True if two short texts are the same. The comparison is inlined, without a call.
#[inline]
#[must_use]
pub fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    match one.len() {
        0..4 => one.iter().zip(other).all(|(one, other)| one == other),
        4..8 => {
            one.first_chunk::<4>() == other.first_chunk::<4>()
                && one.last_chunk::<4>() == other.last_chunk::<4>()
        }
        8..17 => {
            one.first_chunk::<8>() == other.first_chunk::<8>()
                && one.last_chunk::<8>() == other.last_chunk::<8>()
        }
        _ => one == other,
    }
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The highest bit of each byte that is zero. Bytes behind the first one may be marked too.
#[inline]
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(LOW) & !word & HIGH
}

/// The length of a name: up to white space, `>` or a quote.
#[inline]
fn name_length(bytes: &[u8]) -> usize {
    let ends = |byte: u8| matches!(byte, b'>' | b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'');
    bytes.iter().position(|byte| ends(*byte)).unwrap_or(bytes.len())
}

/// The length of plain text: up to `<`, `&`, `>` or a carriage return.
#[inline]
fn text_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(chunk) = bytes[at..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let has = |byte: u8| zeros(word ^ (LOW * u64::from(byte)));
        let found = has(b'<') | has(b'&') | has(b'>') | has(b'\r');
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let ends = |byte: u8| matches!(byte, b'<' | b'&' | b'>' | b'\r');
    at + bytes[at..].iter().position(|byte| ends(*byte)).unwrap_or(bytes.len() - at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use quick_xml::events::Event;

    use super::{Token, Tokens, name_length, text_length};

    /// The tokens of a text up to its first fault, in words.
    fn ours(text: &str) -> Vec<String> {
        let (mut tokens, mut all) = (Tokens::new(text), Vec::new());
        loop {
            let at = tokens.at + 1;
            all.push(match tokens.next() {
                Ok(Token::Start { name_end, end, close }) => {
                    format!("start {} {} {}", &text[at..name_end], &text[name_end..end], end < close)
                }
                Ok(Token::End) => "end".to_owned(),
                Ok(Token::Text(text)) => format!("text {text}"),
                Ok(Token::Data(text)) => format!("data {text}"),
                Ok(Token::Reference(name)) => format!("reference {name}"),
                Ok(Token::Comment) => "comment".to_owned(),
                Ok(Token::Declaration) => "declaration".to_owned(),
                // These are always refused.
                Ok(Token::Instruction | Token::DocumentType) => return all,
                Ok(Token::Eof) => {
                    all.push("eof".to_owned());
                    return all;
                }
                Err(_) => {
                    all.push("fault".to_owned());
                    return all;
                }
            });
        }
    }

    /// The same from quick-xml.
    fn theirs(text: &str) -> Vec<String> {
        let mut reader = quick_xml::Reader::from_str(text);
        reader.config_mut().check_comments = true;
        let mut all = Vec::new();
        loop {
            let at = reader.buffer_position() as usize;
            let event = reader.read_event();
            let end = reader.buffer_position() as usize;
            let start = |end: usize, is_empty| {
                let tag = &text[at + 1..end];
                let name = tag.find([' ', '\t', '\n', '\r']).unwrap_or(tag.len());
                format!("start {} {} {is_empty}", &tag[..name], &tag[name..])
            };
            all.push(match event {
                Ok(Event::Start(_)) => start(end - 1, false),
                Ok(Event::Empty(_)) => start(end - 2, true),
                Ok(Event::End(_)) => "end".to_owned(),
                // This is a fault here, but not in quick-xml.
                Ok(Event::Text(_)) if text[at..end].contains("]]>") => "fault".to_owned(),
                Ok(Event::Text(_)) => format!("text {}", &text[at..end]),
                Ok(Event::CData(_)) => format!("data {}", &text[at + 9..end - 3]),
                Ok(Event::GeneralRef(_)) => format!("reference {}", &text[at + 1..end - 1]),
                Ok(Event::Comment(_)) if text[at + 4..end - 3].ends_with('-') => "fault".to_owned(),
                Ok(Event::Comment(_)) => "comment".to_owned(),
                Ok(Event::Decl(_)) => "declaration".to_owned(),
                Ok(Event::PI(_) | Event::DocType(_)) => return all,
                Err(_) if text[at..].starts_with("<?") && !ours(text).contains(&"fault".to_owned()) => {
                    return all;
                }
                Ok(Event::Eof) => {
                    all.push("eof".to_owned());
                    return all;
                }
                Err(_) => "fault".to_owned(),
            });
            if all.last().is_some_and(|last| last == "fault") {
                return all;
            }
        }
    }

    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "<a>",
            "</a>",
            "<b>",
            "</b>",
            "<a/>",
            "<b c='>' d=\"'\">",
            "<a b='/'/>",
            "<a ",
            ">",
            "/>",
            "text",
            "a > b",
            "]]>",
            "&amp;",
            "&#x41;",
            "&",
            ";",
            " ",
            "\n",
            "<!-- x -->",
            "<!--",
            "-->",
            "--",
            "-",
            "<![CDATA[",
            "]]",
            "<?xml version='1.0'?>",
            "<?php ?>",
            "<?xml-x?>",
            "<?",
            "?>",
            "</a >",
            "</",
            "<",
            "'",
            "\"",
            "é",
            "<p:a>",
            "</p:a>",
            "a longer text without markup",
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 5_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn tokens_are_those_of_another_reader(pieces in prop::collection::vec(piece(), 0..25)) {
            let text = pieces.concat();
            let (ours, theirs) = (ours(&text), theirs(&text));
            prop_assert_eq!(ours, theirs, "{}", text);
        }
    }

    #[test]
    fn text_ends_wherever_markup_starts() {
        for length in 0..40 {
            for end in ["<", "&", ">", "\r"] {
                for before in ["a", "\u{7f}", "=", "é"] {
                    let text = format!("{}{end}<>", before.repeat(length));
                    assert_eq!(text_length(text.as_bytes()), length * before.len(), "{text:?}");
                    assert_eq!(text_length(&text.as_bytes()[..length * before.len()]), length * before.len());
                }
            }
        }
    }

    #[test]
    fn names_end_before_what_ends_them() {
        for (text, length) in
            [("a>", 1), ("ab c>", 2), ("a'>", 1), ("a/>", 2), ("é\n", 2), ("", 0), (">", 0), ("ab", 2)]
        {
            assert_eq!(name_length(text.as_bytes()), length, "{text}");
        }
    }
}
