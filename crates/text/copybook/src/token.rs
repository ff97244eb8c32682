//! From logical text to tokens: words, numbers, literals, PICTURE strings and periods.

use std::ops::Range;

/// A token of the logical text.
#[derive(Clone, Debug)]
pub struct Token<'a> {
    /// Its kind.
    pub kind: TokenKind,
    /// The token as written; for a PICTURE string, the string.
    pub text: &'a str,
    /// Its place in the logical text.
    pub span: Range<usize>,
    /// True if it is the first on its line.
    pub first_on_line: bool,
}

/// The kind of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or a keyword.
    Word,
    /// A numeric literal or a level number.
    Number,
    /// A literal of characters, with its quotes resolved.
    Text(String),
    /// A hexadecimal literal.
    Hex(Vec<u8>),
    /// A number in hexadecimal, `H"FF"`, as its decimal digits.
    Integer(String),
    /// The character string of a PICTURE clause.
    Picture,
    /// The end of an entry.
    Period,
    /// Another character.
    Other,
    /// A faulty literal, with the reason. It is only an error if it is used, and not in a program's comments,
    /// for example.
    BadLiteral(String),
}

impl Token<'_> {
    /// True if the token is this word, in upper or lower case.
    pub fn is(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    /// True if the token is one of these words.
    pub fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }
}

/// Splits the text into tokens. Commas and semicolons between them are ignored, as in COBOL.
pub(crate) fn tokens(text: &str, decimal_comma: bool) -> Vec<Token<'_>> {
    let mut lexer = Lexer { text, at: 0, decimal_point: if decimal_comma { b',' } else { b'.' } };
    let mut found = Vec::new();
    let mut picture = false;
    while let Some(first_on_line) = lexer.skip_blanks(found.is_empty()) {
        let start = lexer.at;
        let kind = if picture && !lexer.is_word("IS") {
            picture = false;
            lexer.picture()
        } else {
            lexer.token()
        };
        let token = Token { kind, text: &text[start..lexer.at], span: start..lexer.at, first_on_line };
        picture |= token.is_any(&["PIC", "PICTURE"]);
        found.push(token);
    }
    found
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    decimal_point: u8,
}

impl Lexer<'_> {
    /// Moves to the next token. Gives whether it is the first on its line; none at the end.
    fn skip_blanks(&mut self, at_start: bool) -> Option<bool> {
        let mut first_on_line = at_start;
        loop {
            let c = self.peek()?;
            match c {
                '\n' => first_on_line = true,
                ',' if self.decimal_point == b',' && self.digit_at(self.at + 1) => {
                    return Some(first_on_line);
                }
                ',' | ';' => {}
                c if c.is_whitespace() => {}
                _ => return Some(first_on_line),
            }
            self.at += c.len_utf8();
        }
    }

    fn token(&mut self) -> TokenKind {
        let Some(c) = self.peek() else { return TokenKind::Other };
        match c {
            '\'' | '"' => self.literal(c, ""),
            '.' if self.number_follows(self.at) => self.number(),
            '.' => {
                self.at += 1;
                TokenKind::Period
            }
            '+' | '-' | ',' if self.number_follows(self.at) => self.number(),
            c if is_word_character(c) => self.word_or_number(),
            c => {
                self.at += c.len_utf8();
                TokenKind::Other
            }
        }
    }

    fn word_or_number(&mut self) -> TokenKind {
        let start = self.at;
        let rest = &self.text[start..];
        let end = start + rest.find(|c: char| !is_word_character(c)).unwrap_or(rest.len());
        let word = &self.text[start..end];
        if !word.bytes().any(|byte| byte.is_ascii_alphabetic()) && word.bytes().all(|b| b.is_ascii_digit()) {
            return self.number();
        }
        if let Some(quote) = self.text[end..].chars().next().filter(|c| matches!(c, '\'' | '"'))
            && is_literal_prefix(word)
        {
            self.at = end;
            return self.literal(quote, &word.to_ascii_uppercase());
        }
        // 1.5E+10 begins like a word only after its point; 15E+10 is not COBOL.
        self.at = end;
        TokenKind::Word
    }

    /// Sign, digits, decimal point and an exponent.
    fn number(&mut self) -> TokenKind {
        if matches!(self.byte(self.at), Some(b'+' | b'-')) {
            self.at += 1;
        }
        self.digits();
        if self.byte(self.at) == Some(self.decimal_point) && self.digit_at(self.at + 1) {
            self.at += 1;
            self.digits();
            self.exponent();
        }
        TokenKind::Number
    }

    fn exponent(&mut self) {
        if !matches!(self.byte(self.at), Some(b'E' | b'e')) {
            return;
        }
        let sign = usize::from(matches!(self.byte(self.at + 1), Some(b'+' | b'-')));
        if self.digit_at(self.at + 1 + sign) {
            self.at += 1 + sign;
            self.digits();
        }
    }

    fn digits(&mut self) {
        while self.digit_at(self.at) {
            self.at += 1;
        }
    }

    /// True if a number begins here with a sign or a decimal point.
    fn number_follows(&self, at: usize) -> bool {
        match self.byte(at) {
            Some(b'+' | b'-') => self.digit_at(at + 1) || self.number_follows_point(at + 1),
            _ => self.number_follows_point(at),
        }
    }

    fn number_follows_point(&self, at: usize) -> bool {
        self.byte(at) == Some(self.decimal_point) && self.digit_at(at + 1)
    }

    /// A literal in quotes. A doubled quote stands for one.
    fn literal(&mut self, quote: char, prefix: &str) -> TokenKind {
        let mut content = String::new();
        self.at += quote.len_utf8();
        loop {
            match self.peek() {
                None | Some('\n') => {
                    let message = format!("the literal is not closed on its line; expected {quote}");
                    return TokenKind::BadLiteral(message);
                }
                Some(c) if c == quote => {
                    self.at += c.len_utf8();
                    if self.peek() != Some(quote) {
                        return finish_literal(prefix, content);
                    }
                    self.at += c.len_utf8();
                    content.push(quote);
                }
                Some(c) => {
                    self.at += c.len_utf8();
                    content.push(c);
                }
            }
        }
    }

    /// A PICTURE string ends at the next blank. A period, comma or semicolon at its end is a separator.
    fn picture(&mut self) -> TokenKind {
        let rest = &self.text[self.at..];
        let mut end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        if rest[..end].ends_with(['.', ',', ';']) {
            end -= 1;
        }
        self.at += end;
        if end == 0 {
            return self.token();
        }
        TokenKind::Picture
    }

    /// True if the next token is this word.
    fn is_word(&self, word: &str) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        let after = rest.get(word.len()).copied().unwrap_or(b' ');
        rest.len() >= word.len()
            && rest[..word.len()].eq_ignore_ascii_case(word.as_bytes())
            && after.is_ascii_whitespace()
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn digit_at(&self, at: usize) -> bool {
        self.byte(at).is_some_and(|byte| byte.is_ascii_digit())
    }
}

/// IBM's names have letters, digits, hyphen and underscore, or double-byte characters; `@`, `#` and `$` occur in real
/// copybooks.
fn is_word_character(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '@' | '#' | '$'),
        false => !c.is_whitespace() && !c.is_control() && c != char::REPLACEMENT_CHARACTER,
    }
}

fn is_literal_prefix(word: &str) -> bool {
    ["X", "Z", "N", "NX", "G", "U", "UX", "H"].iter().any(|prefix| prefix.eq_ignore_ascii_case(word))
}

fn finish_literal(prefix: &str, content: String) -> TokenKind {
    match prefix {
        "X" => hexadecimal(&content),
        "NX" => hexadecimal_text(&content, "four", |bytes| {
            let units = bytes
                .chunks(2)
                .map(|pair| u16::from(pair[0]) << 8 | pair.get(1).copied().map_or(0, u16::from));
            String::from_utf16(&units.collect::<Vec<_>>()).ok().filter(|_| bytes.len() % 2 == 0)
        }),
        "U" => unescaped(&content),
        "UX" => hexadecimal_text(&content, "two", |bytes| String::from_utf8(bytes).ok()),
        "H" => match u64::from_str_radix(&content, 16) {
            Ok(number) => TokenKind::Integer(number.to_string()),
            Err(_) => TokenKind::BadLiteral("expected 1 to 16 hexadecimal digits in the literal".to_owned()),
        },
        // A null-terminated literal, for programs in C.
        "Z" => TokenKind::Text(content + "\0"),
        _ => TokenKind::Text(content),
    }
}

/// A literal in UTF-8. `\u00e9` in it is the character with that number.
fn unescaped(content: &str) -> TokenKind {
    let (mut text, mut rest) = (String::new(), content);
    while let Some((before, escape)) = rest.split_once("\\u") {
        let character = escape.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let Some(character) = character.and_then(char::from_u32) else {
            let message = "expected the four hexadecimal digits of a character after \\u in the literal";
            return TokenKind::BadLiteral(message.to_owned());
        };
        text.push_str(before);
        text.push(character);
        rest = &escape[4..];
    }
    TokenKind::Text(text + rest)
}

/// A literal of characters, written as their bytes in Unicode: UTF-16 for NX, UTF-8 for UX.
fn hexadecimal_text(content: &str, digits: &str, decode: fn(Vec<u8>) -> Option<String>) -> TokenKind {
    let TokenKind::Hex(bytes) = hexadecimal(content) else {
        return hexadecimal(content);
    };
    decode(bytes).map_or_else(
        || TokenKind::BadLiteral(format!("expected groups of {digits} digits that are Unicode characters")),
        TokenKind::Text,
    )
}

fn hexadecimal(content: &str) -> TokenKind {
    let digits: Option<Vec<u8>> =
        content.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    match digits {
        Some(digits) if digits.len() % 2 == 0 && !digits.is_empty() => {
            TokenKind::Hex(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
        }
        _ => TokenKind::BadLiteral("expected an even number of hexadecimal digits in the literal".to_owned()),
    }
}
