//! The tokens of an expression's text.

use crate::error::Error;
use crate::json::{EscapeFault, unescape};
use crate::limits::Limits;
use crate::number::Number;
use crate::pattern::Pattern;
use crate::value::Value;

#[derive(Clone, Debug)]
pub(crate) enum Token {
    Operator(&'static str),
    /// A name. Quoted names are never keywords.
    Name {
        text: String,
        quoted: bool,
    },
    Variable(String),
    Literal(Value),
    Regex(std::sync::Arc<Pattern>),
    End,
}

/// The kind of token that is expected.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(crate) enum Expect {
    /// A term: `/` begins a regular expression.
    Term,
    /// An operator: `/` divides.
    Operator,
}

/// Longer ones first.
const OPERATORS: [&str; 34] = [
    "..", ":=", "!=", ">=", "<=", "**", "~>", ".", "[", "]", "{", "}", "(", ")", ",", "@", "#", ";", ":",
    "?", "+", "-", "*", "/", "%", "|", "=", "<", ">", "^", "&", "!", "~", "λ",
];

pub(crate) struct Lexer<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
    limits: &'a Limits,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str, limits: &'a Limits) -> Lexer<'a> {
        Lexer { text, at: 0, limits }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next token and its first byte.
    pub(crate) fn next(&mut self, expect: Expect) -> Result<(Token, usize), Error> {
        self.skip()?;
        let start = self.at;
        let token = self.token(expect).map_err(|error| error.at(start))?;
        Ok((token, start))
    }

    /// Skips blanks and comments.
    fn skip(&mut self) -> Result<(), Error> {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{b}']).len();
            if !self.rest().starts_with("/*") {
                return Ok(());
            }
            let Some(end) = self.rest().find("*/") else {
                return Err(Error::new("S0106", "the comment has no end: */ is missing").at(self.at));
            };
            self.at += end + 2;
        }
    }

    fn token(&mut self, expect: Expect) -> Result<Token, Error> {
        let Some(first) = self.rest().chars().next() else { return Ok(Token::End) };
        match first {
            '/' if expect == Expect::Term => self.regex(),
            '"' | '\'' => self.string(first),
            '`' => self.quoted_name(),
            '0'..='9' => self.number(),
            _ => match OPERATORS.iter().find(|operator| self.rest().starts_with(**operator)) {
                Some(&"λ") | None => Ok(self.word()),
                Some(operator) => {
                    self.at += operator.len();
                    Ok(Token::Operator(operator))
                }
            },
        }
    }

    fn word(&mut self) -> Token {
        let rest = self.rest();
        let ends = |c: char| " \t\n\r\u{b}.[]{}(),@#;:?+-*/%|=<>^&!~".contains(c);
        let text = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.at += text.len();
        match text {
            "true" => Token::Literal(Value::Bool(true)),
            "false" => Token::Literal(Value::Bool(false)),
            "null" => Token::Literal(Value::Null),
            "and" => Token::Operator("and"),
            "or" => Token::Operator("or"),
            "in" => Token::Operator("in"),
            _ => match text.strip_prefix('$') {
                Some(name) => Token::Variable(name.to_string()),
                None => Token::Name { text: text.to_string(), quoted: false },
            },
        }
    }

    fn quoted_name(&mut self) -> Result<Token, Error> {
        let Some(end) = self.rest()[1..].find('`') else {
            return Err(Error::new("S0105", "the quoted name has no end: ` is missing"));
        };
        let text = self.rest()[1..=end].to_string();
        self.at += end + 2;
        Ok(Token::Name { text, quoted: true })
    }

    fn number(&mut self) -> Result<Token, Error> {
        let rest = self.rest().as_bytes();
        let digits =
            |from: usize| from + rest[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        // A number has no leading zeros: `01` is the number 0 and then the number 1.
        let mut end = if rest[0] == b'0' { 1 } else { digits(0) };
        if rest.get(end) == Some(&b'.') && rest.get(end + 1).is_some_and(u8::is_ascii_digit) {
            end = digits(end + 1);
        }
        if matches!(rest.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(rest.get(end + 1), Some(b'+' | b'-')));
            let exponent_end = digits((end + 1 + sign).min(rest.len()));
            if exponent_end > end + 1 + sign {
                end = exponent_end;
            }
        }
        let text = &self.rest()[..end];
        let number = Number::parse(text).filter(|number| number.to_f64().is_finite());
        self.at += end;
        number
            .map(|number| Token::Literal(number.into()))
            .ok_or_else(|| Error::new("S0102", format!("the number {text} is out of range")))
    }

    fn string(&mut self, quote: char) -> Result<Token, Error> {
        let mut text = String::new();
        self.at += 1;
        loop {
            match self.rest().chars().next() {
                None => {
                    return Err(Error::new("S0101", format!("the string has no end: {quote} is missing")));
                }
                Some('\\') => text.push(self.escape()?),
                Some(character) => {
                    self.at += character.len_utf8();
                    if character == quote {
                        return Ok(Token::Literal(Value::from(text)));
                    }
                    text.push(character);
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, Error> {
        let rest = self.rest();
        let (character, length) = unescape(rest).map_err(|fault| match fault {
            EscapeFault::Surrogate => Error::new("S0104", "half of a surrogate pair in a string").at(self.at),
            EscapeFault::Unknown if rest.starts_with("\\u") => {
                Error::new("S0104", "\\u must be followed by four hexadecimal digits").at(self.at)
            }
            EscapeFault::Unknown => {
                let found = rest.chars().nth(1).map(String::from).unwrap_or_default();
                Error::new("S0103", format!("\\{found} is not an escape that strings have")).at(self.at)
            }
        })?;
        self.at += length;
        Ok(character)
    }

    /// `/…/flags`. Slashes inside are escaped, or stand in brackets of any kind.
    fn regex(&mut self) -> Result<Token, Error> {
        let mut depth = 0_usize;
        let mut escaped = false;
        let body = &self.rest()[1..];
        for (at, character) in body.char_indices() {
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '/' if depth == 0 => {
                    if at == 0 {
                        return Err(Error::new("S0301", "the regular expression is empty"));
                    }
                    let after = &body[at + 1..];
                    let flags = &after[..after.find(|c| !matches!(c, 'i' | 'm')).unwrap_or(after.len())];
                    let pattern = Pattern::compile(&body[..at], flags, self.limits.regex_max_bytes)?;
                    self.at += at + 2 + flags.len();
                    return Ok(Token::Regex(pattern.into()));
                }
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        Err(Error::new("S0302", "the regular expression has no end: / is missing"))
    }
}
