//! The parts of a program's SPECIAL-NAMES paragraph about pictures and numbers.

use crate::token::{Token, TokenKind};

/// The form of pictures and numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    /// DECIMAL-POINT IS COMMA.
    pub(crate) decimal_comma: bool,
    /// CURRENCY SIGN clauses.
    pub(crate) currencies: Vec<Currency>,
}

/// A currency sign.
#[derive(Clone, Debug)]
pub(crate) struct Currency {
    /// Its character in PICTURE strings.
    pub(crate) symbol: char,
    /// Its bytes in an item.
    pub(crate) bytes: usize,
    /// The sign itself; empty if it is given in hexadecimal, for a code page that is not known here.
    pub(crate) sign: String,
}

/// True if the text sets DECIMAL-POINT IS COMMA.
pub(crate) fn sets_decimal_comma(tokens: &[Token<'_>]) -> bool {
    tokens.windows(3).any(|three| {
        let [first, second, third] = three else { return false };
        first.is("DECIMAL-POINT") && (second.is("COMMA") || (second.is("IS") && third.is("COMMA")))
    })
}

/// CURRENCY [SIGN] [IS] literal [[WITH] PICTURE SYMBOL literal].
pub(crate) fn currencies(tokens: &[Token<'_>]) -> Vec<Currency> {
    let clauses = tokens.iter().enumerate().filter(|(_, token)| token.is("CURRENCY"));
    clauses.filter_map(|(at, _)| currency(&tokens[at + 1..])).collect()
}

fn currency(tokens: &[Token<'_>]) -> Option<Currency> {
    let mut rest = tokens.iter().skip_while(|token| token.is_any(&["SIGN", "IS"]));
    let sign = rest.next()?;
    let mut rest = rest.skip_while(|token| token.is("WITH"));
    // For the tokenizer, the text behind PICTURE is a PICTURE string.
    let given = rest.next().is_some_and(|token| token.is_any(&["PICTURE", "PIC"]))
        && rest.next().is_some_and(|token| token.text.eq_ignore_ascii_case("SYMBOL"));
    let symbol = if given { rest.next()? } else { sign };
    let (bytes, sign) = match &sign.kind {
        TokenKind::Text(text) => (text.chars().count(), text.to_string()),
        TokenKind::Hex(bytes) => (bytes.len(), String::new()),
        _ => return None,
    };
    match &symbol.kind {
        TokenKind::Text(text) => Some(Currency { symbol: text.chars().next()?, bytes, sign }),
        _ => None,
    }
}
