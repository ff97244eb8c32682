//! The VALUE clause and its literals.

use super::{Parse, Parser};
use crate::Literal;
use crate::codes;
use crate::entry::{Entry, Spanned, Values};
use crate::token::{Token, TokenKind};

impl Parser<'_, '_> {
    /// VALUE [IS] literal, and for level 88 VALUES [ARE] literal [THRU literal] ... [FALSE literal].
    pub(super) fn value(&mut self, entry: &mut Entry, clause: &Token<'_>) -> Parse<()> {
        self.accept(&["IS", "ARE"]);
        let mut values = vec![self.value_or_range(entry.level)?];
        while entry.level == 88 && !self.begins_entry() && self.at_value() {
            values.push(self.value_or_range(entry.level)?);
        }
        if entry.level == 88 {
            self.false_value()?;
        }
        if entry.values.is_some() {
            return Err(self.duplicate(clause));
        }
        // A condition without some of its values would be wrong, so it is left out completely.
        let value = values.into_iter().collect::<Option<Values>>().unwrap_or_default();
        entry.values = Some(Spanned { value, span: self.span_from(clause) });
        Ok(())
    }

    /// None if a literal cannot be kept.
    fn value_or_range(&mut self, level: u8) -> Parse<Option<(Literal, Option<Literal>)>> {
        let first = self.literal()?;
        if level == 88 && self.accept(&["THRU", "THROUGH"]) {
            let last = self.literal()?;
            return Ok(first.zip(last).map(|(first, last)| (first, Some(last))));
        }
        Ok(first.map(|first| (first, None)))
    }

    /// [WHEN] [SET] [TO] FALSE [IS] literal: the value for SET ... TO FALSE, which no reader needs.
    fn false_value(&mut self) -> Parse<()> {
        self.accept(&["WHEN"]);
        self.accept(&["SET"]);
        self.accept(&["TO"]);
        if self.accept(&["FALSE"]) {
            self.accept(&["IS"]);
            self.literal()?;
        }
        Ok(())
    }

    /// True at a literal or at the name of a constant.
    pub(super) fn at_value(&self) -> bool {
        let constant = |token: &Token<'_>| {
            token.kind == TokenKind::Word && self.constants.contains_key(&token.text.to_ascii_uppercase())
        };
        self.at_literal() || self.peek().is_some_and(constant)
    }

    pub(super) fn at_literal(&self) -> bool {
        self.peek().is_some_and(|token| match token.kind {
            TokenKind::Number
            | TokenKind::Integer(_)
            | TokenKind::Text(_)
            | TokenKind::Hex(_)
            | TokenKind::BadLiteral(_) => true,
            TokenKind::Word => token.is("ALL") || figurative(token.text).is_some(),
            _ => false,
        })
    }

    /// A literal, a figurative constant, or literals joined by `&`. None if joining them needs the code page;
    /// this gives a warning.
    pub(super) fn literal(&mut self) -> Parse<Option<Literal>> {
        let all = self.accept(&["ALL"]);
        let first = self.at;
        let mut literal = Some(self.single_literal(all)?);
        while self.peek().is_some_and(|token| token.text == "&") {
            self.at += 1;
            let next = self.single_literal(false)?;
            literal = literal.and_then(|literal| joined(literal, next));
        }
        if literal.is_none() {
            let span = self.span_from(&self.tokens[first]);
            let message = "the value joins characters and hexadecimal digits, and is not kept";
            self.report.warning(codes::VALUE_NOT_KEPT, &span, message);
        }
        // ALL before a figurative constant changes nothing.
        let repeated = |literal| match literal {
            Literal::Text(_) | Literal::Hex(_) | Literal::Number(_) if all => Literal::All(Box::new(literal)),
            literal => literal,
        };
        Ok(literal.map(repeated))
    }

    fn single_literal(&mut self, after_all: bool) -> Parse<Literal> {
        let Some(token) = self.peek() else { return Err(self.expected("a literal")) };
        if let Some(constant) = self.constant_value(token)? {
            self.at += 1;
            return Ok(constant);
        }
        if !self.at_literal() || (after_all && token.is("ALL")) {
            return Err(self.expected("a literal"));
        }
        self.at += 1;
        Ok(match &token.kind {
            TokenKind::Text(text) => Literal::Text(text.clone()),
            TokenKind::Hex(bytes) => Literal::Hex(bytes.clone()),
            TokenKind::Integer(digits) => Literal::Number(digits.clone()),
            TokenKind::BadLiteral(message) => {
                return Err(self.fail(codes::BAD_LITERAL, token, message.clone()));
            }
            TokenKind::Number if self.symbols.decimal_comma => {
                Literal::Number(number(&token.text.replace(',', ".")))
            }
            TokenKind::Number => Literal::Number(number(token.text)),
            _ => match figurative(token.text) {
                Some(literal) => literal,
                None => {
                    return Err(self.fail(codes::INCOMPLETE_CLAUSE, token, "expected a literal after ALL"));
                }
            },
        })
    }
}

/// A number with a digit before its point: COBOL writes 0.05 as .05.
fn number(text: &str) -> String {
    let (sign, digits) = text.split_at(text.len() - text.trim_start_matches(['+', '-']).len());
    if digits.starts_with('.') { format!("{sign}0{digits}") } else { text.to_owned() }
}

/// `first & second`. A figurative constant is one character there.
fn joined(first: Literal, second: Literal) -> Option<Literal> {
    match (single(first), single(second)) {
        (Literal::Text(first), Literal::Text(second)) => Some(Literal::Text(first + &second)),
        (Literal::Hex(first), Literal::Hex(second)) => Some(Literal::Hex([first, second].concat())),
        _ => None,
    }
}

fn single(literal: Literal) -> Literal {
    match literal {
        Literal::Spaces => Literal::Text(" ".to_owned()),
        Literal::Zeros => Literal::Text("0".to_owned()),
        Literal::Quotes => Literal::Text("\"".to_owned()),
        Literal::LowValues | Literal::Nulls => Literal::Hex(vec![0x00]),
        Literal::HighValues => Literal::Hex(vec![0xFF]),
        other => other,
    }
}

fn figurative(word: &str) -> Option<Literal> {
    Some(match word.to_ascii_uppercase().as_str() {
        "ZERO" | "ZEROS" | "ZEROES" => Literal::Zeros,
        "SPACE" | "SPACES" => Literal::Spaces,
        "LOW-VALUE" | "LOW-VALUES" => Literal::LowValues,
        "HIGH-VALUE" | "HIGH-VALUES" => Literal::HighValues,
        "QUOTE" | "QUOTES" => Literal::Quotes,
        "NULL" | "NULLS" => Literal::Nulls,
        _ => return None,
    })
}
