//! The VALUE clause and its literals.

use super::{Parse, Parser};
use crate::Literal;
use crate::codes;
use crate::entry::{Entry, Spanned};
use crate::token::{Token, TokenKind};

impl Parser<'_, '_> {
    /// VALUE [IS] literal, and for level 88 VALUES [ARE] literal [THRU literal] ... [FALSE literal].
    pub(super) fn value(&mut self, entry: &mut Entry, clause: &Token<'_>) -> Parse<()> {
        self.accept(&["IS", "ARE"]);
        let mut values = vec![self.value_or_range(entry.level)?];
        while entry.level == 88 && !self.begins_entry() && self.at_literal() {
            values.push(self.value_or_range(entry.level)?);
        }
        if entry.level == 88 {
            self.false_value()?;
        }
        if entry.values.is_some() {
            return Err(self.duplicate(clause));
        }
        entry.values = Some(Spanned { value: values, span: self.span_from(clause) });
        Ok(())
    }

    fn value_or_range(&mut self, level: u8) -> Parse<(Literal, Option<Literal>)> {
        let first = self.literal()?;
        let last =
            if level == 88 && self.accept(&["THRU", "THROUGH"]) { Some(self.literal()?) } else { None };
        Ok((first, last))
    }

    /// [WHEN] [SET] [TO] FALSE [IS] literal: what SET ... TO FALSE would move, which no reader needs.
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

    fn at_literal(&self) -> bool {
        self.peek().is_some_and(|token| match token.kind {
            TokenKind::Number | TokenKind::Text(_) | TokenKind::Hex(_) | TokenKind::BadLiteral(_) => true,
            TokenKind::Word => token.is("ALL") || figurative(token.text).is_some(),
            _ => false,
        })
    }

    /// A literal or a figurative constant.
    pub(super) fn literal(&mut self) -> Parse<Literal> {
        let all = self.accept(&["ALL"]);
        let Some(token) = self.peek().filter(|_| self.at_literal()) else {
            return Err(self.expected("a literal"));
        };
        self.at += 1;
        let literal = match &token.kind {
            TokenKind::Text(text) => Literal::Text(text.clone()),
            TokenKind::Hex(bytes) => Literal::Hex(bytes.clone()),
            TokenKind::BadLiteral(message) => {
                return Err(self.fail(codes::BAD_LITERAL, token, message.clone()));
            }
            TokenKind::Number if self.decimal_comma => Literal::Number(token.text.replace(',', ".")),
            TokenKind::Number => Literal::Number(token.text.to_owned()),
            _ => match figurative(token.text) {
                Some(literal) => literal,
                None => {
                    return Err(self.fail(codes::INCOMPLETE_CLAUSE, token, "expected a literal after ALL"));
                }
            },
        };
        // ALL before a figurative constant changes nothing.
        let repeats = all && matches!(literal, Literal::Text(_) | Literal::Hex(_) | Literal::Number(_));
        Ok(if repeats { Literal::All(Box::new(literal)) } else { literal })
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
