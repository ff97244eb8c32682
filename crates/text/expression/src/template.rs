//! Templates: text with `{{expressions}}` in it, as in mappings of z/OS Connect.

use std::sync::Arc;

use crate::error::Error;
use crate::expression::{Context, Expression};
use crate::inputs::Input;
use crate::limits::Limits;
use crate::value::Value;

/// A compiled template.
#[derive(Debug)]
pub struct Template {
    parts: Vec<Part>,
    text: Box<str>,
}

#[derive(Debug)]
enum Part {
    Text(Arc<str>),
    Expression {
        expression: Box<Expression>,
        /// The first byte of the expression in the template.
        at: usize,
    },
}

impl Template {
    /// Compiles a template with the usual limits.
    ///
    /// # Errors
    /// See [`Template::compile_within`].
    pub fn compile(text: &str) -> Result<Template, Error> {
        Template::compile_within(text, &Limits::default())
    }

    /// Compiles a template. The limits hold for the whole text and for each expression in it.
    ///
    /// # Errors
    /// Those of an expression, with the place in the template; S0107 for `{{` without `}}`.
    pub fn compile_within(text: &str, limits: &Limits) -> Result<Template, Error> {
        if text.len() > limits.text_max_bytes {
            let (found, allowed) = (text.len(), limits.text_max_bytes);
            return Err(Error::new(
                "L0001",
                format!("the template has {found} bytes, text_max_bytes is {allowed}"),
            ));
        }
        let mut parts = Vec::new();
        let mut rest = 0;
        while let Some(open) = text[rest..].find("{{").map(|at| rest + at) {
            if open > rest {
                parts.push(Part::Text(text[rest..open].into()));
            }
            let at = open + 2;
            let close = closing(text, at)
                .ok_or_else(|| Error::new("S0107", "{{ has no end: }} is missing").at(open).within(text))?;
            let expression = Expression::compile_within(&text[at..close], limits);
            let expression = expression.map_err(|error| error.moved(at, text))?;
            match expression.constant() {
                Some(Value::String(constant)) => parts.push(Part::Text(Arc::clone(constant))),
                _ => parts.push(Part::Expression { expression: Box::new(expression), at }),
            }
            rest = close + 2;
        }
        if rest < text.len() {
            parts.push(Part::Text(text[rest..].into()));
        }
        Ok(Template { parts, text: text.into() })
    }

    /// The text. If the template is a single expression with an undefined result, the text is undefined. In
    /// other templates such an expression adds no text.
    ///
    /// # Errors
    /// Those of the expressions, with the place in the template.
    pub fn evaluate(&self, context: &Context) -> Result<Value, Error> {
        if let [part] = &self.parts[..] {
            return match part {
                Part::Text(text) => Ok(Value::String(Arc::clone(text))),
                Part::Expression { expression, at } => self.text_of(expression, *at, context),
            };
        }
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Expression { expression, at } => {
                    if let Value::String(text) = self.text_of(expression, *at, context)? {
                        out.push_str(&text);
                    }
                }
            }
        }
        Ok(Value::from(out))
    }

    fn text_of(&self, expression: &Expression, at: usize, context: &Context) -> Result<Value, Error> {
        let value = expression.evaluate(context).map_err(|error| error.moved(at, &self.text))?;
        match value {
            Value::Undefined | Value::String(_) => Ok(value),
            other => Ok(Value::from(other.to_text()?)),
        }
    }

    /// The parts of each variable that the expressions may read.
    pub fn inputs(&self) -> Vec<Input> {
        let mut all: Vec<Input> = Vec::new();
        for part in &self.parts {
            let Part::Expression { expression, .. } = part else { continue };
            for input in expression.inputs() {
                match all.iter_mut().find(|known| known.name == input.name) {
                    Some(known) => input.paths.iter().for_each(|path| known.add(path.clone())),
                    None => all.push(input.clone()),
                }
            }
        }
        all
    }

    /// The text, if it is known before evaluation.
    pub fn constant(&self) -> Option<&str> {
        match &self.parts[..] {
            [] => Some(""),
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }
}

/// The end of the expression that begins here: `}}` outside of strings, names, comments and objects.
fn closing(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'"' | b'\'' | b'`') => at = string_end(bytes, at + 1, quote)?,
            b'/' if bytes.get(at + 1) == Some(&b'*') => at += text[at..].find("*/")? + 1,
            b'{' => depth += 1,
            b'}' if depth > 0 => depth -= 1,
            b'}' if bytes.get(at + 1) == Some(&b'}') => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

fn string_end(bytes: &[u8], start: usize, quote: u8) -> Option<usize> {
    let mut at = start;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' && quote != b'`' { 2 } else { 1 };
    }
    (at < bytes.len()).then_some(at)
}
