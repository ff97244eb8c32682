//! Named constants for literals: level 78, and `01 name CONSTANT AS literal`.

use std::borrow::Cow;

use super::{Parse, Parser, Skip};
use crate::Literal;
use crate::codes;
use crate::token::{Token, TokenKind};

/// The literal of a constant; none if it has an expression. That only matters if the constant is used.
pub(super) type Constant = Option<Literal>;

impl Parser<'_, '_> {
    /// Reads the rest of an entry that names a constant.
    pub(super) fn constant(&mut self, name: Option<&Token<'_>>) -> Parse<()> {
        let Some(name) = name else { return Err(self.expected("the name of a constant")) };
        self.accept(&["IS"]);
        self.accept(&["GLOBAL"]);
        if !self.accept(&["VALUE", "AS"]) && !self.at_value() {
            return Err(self.expected("the VALUE of the constant"));
        }
        self.accept(&["IS"]);
        let literal = if self.at_value() { self.literal()? } else { None };
        let literal = self.expression(literal)?;
        let ends = self.peek().is_none_or(|token| token.kind == TokenKind::Period);
        self.constants.insert(name.text.to_ascii_uppercase(), literal.filter(|_| ends));
        self.skip_sentence();
        Ok(())
    }

    /// The operations behind a constant's first value, from left to right without precedence, as in the
    /// compilers that have level 78. None unless all values are whole numbers.
    fn expression(&mut self, first: Option<Literal>) -> Parse<Option<Literal>> {
        const OPERATORS: [&str; 4] = ["+", "-", "*", "/"];
        let operator = |token: &&Token<'_>| OPERATORS.contains(&token.text);
        if self.peek().filter(operator).is_none() {
            return Ok(first);
        }
        let mut value = first.as_ref().and_then(whole_number);
        while let Some(token) = self.peek().filter(operator) {
            self.at += 1;
            if !self.at_value() {
                return Ok(None);
            }
            let next = self.literal()?.as_ref().and_then(whole_number);
            value = value.zip(next).and_then(|(value, next)| match token.text {
                "+" => value.checked_add(next),
                "-" => value.checked_sub(next),
                "*" => value.checked_mul(next),
                _ => value.checked_div(next),
            });
        }
        Ok(value.map(|value| Literal::Number(value.to_string())))
    }

    /// The literal of a constant; none if the token is not the name of a constant.
    pub(super) fn constant_value(&mut self, token: &Token<'_>) -> Parse<Option<Literal>> {
        if token.kind != TokenKind::Word || self.constants.is_empty() {
            return Ok(None);
        }
        match self.constants.get(&token.text.to_ascii_uppercase()) {
            None => Ok(None),
            Some(Some(literal)) => Ok(Some(literal.clone())),
            Some(None) => {
                let message = format!("the constant {} is an expression, which is not computed", token.text);
                Err(self.fail(codes::BAD_CONSTANT, token, message))
            }
        }
    }

    /// A PICTURE string with the names of constants replaced by their numbers, as in `X(NAME-LENGTH)`.
    pub(super) fn counted_picture<'t>(&mut self, token: &Token<'t>) -> Parse<Cow<'t, str>> {
        if self.constants.is_empty() {
            return Ok(Cow::Borrowed(token.text));
        }
        let mut counted = String::new();
        let mut rest = token.text;
        while let Some((before, inside)) = rest.split_once('(') {
            let Some((name, after)) = inside.split_once(')') else { break };
            let count = match self.constants.get(&name.to_ascii_uppercase()) {
                None => name.to_owned(),
                Some(constant) => match constant.as_ref().and_then(whole_number) {
                    Some(count) => count.to_string(),
                    None => return Err(self.not_whole(name, token)),
                },
            };
            counted.push_str(&format!("{before}({count})"));
            rest = after;
        }
        counted.push_str(rest);
        Ok(if counted == token.text { Cow::Borrowed(token.text) } else { Cow::Owned(counted) })
    }

    pub(super) fn not_whole(&mut self, name: &str, token: &Token<'_>) -> Skip {
        let message = format!("expected a constant that is a whole number, found {name}");
        self.fail(codes::BAD_CONSTANT, token, message)
    }
}

pub(super) fn whole_number(literal: &Literal) -> Option<u32> {
    match literal {
        Literal::Number(text) => text.parse().ok(),
        _ => None,
    }
}
