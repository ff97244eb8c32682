//! The terms at the start of an expression: literals, names, brackets of all kinds, functions.

use std::sync::Arc;

use super::{Parser, is_plain};
use crate::error::Error;
use crate::functions::signature::Signature;
use crate::lexer::{Expect, Token};
use crate::node::{BlockSlots, Kind, Lambda, Node, Operator, Path, Transform, Variable};
use crate::value::Value;

/// The precedence of a minus sign towards the term behind it.
const MINUS: u8 = 70;

impl Parser<'_> {
    pub(super) fn term(&mut self) -> Result<Node, Error> {
        let then = match &self.token {
            Token::Operator("(" | "[" | "{" | "-" | "|") => Expect::Term,
            _ => Expect::Operator,
        };
        let (token, at) = self.advance(then)?;
        let kind = match token {
            Token::Literal(value) => Kind::Literal(value),
            Token::Regex(pattern) => Kind::Regex(pattern),
            Token::Variable(name) => match name.as_str() {
                "" => Kind::Context,
                "$" => Kind::Root,
                _ => Kind::Variable(Variable::new(&name)),
            },
            Token::Name { text, quoted: false }
                if matches!(text.as_str(), "function" | "λ") && self.is("(") =>
            {
                return self.lambda(at);
            }
            Token::Name { text, .. } => return Ok(name(&text, at)),
            Token::Operator(operator) => return self.prefix(operator, at),
            Token::End => {
                return Err(Error::new("S0207", "expected a value, found the end of the expression").at(at));
            }
        };
        Ok(Node::new(kind, at))
    }

    fn prefix(&mut self, operator: &'static str, at: usize) -> Result<Node, Error> {
        let kind = match operator {
            "(" => Kind::Block { items: self.block()?, slots: BlockSlots::None },
            "[" => Kind::Array { items: self.items()?, step: false },
            "{" => Kind::Object(self.members()?),
            "-" => return self.minus(at),
            "|" => self.transform()?,
            "*" => Kind::Wildcard,
            "**" => Kind::Descendants,
            "and" | "or" | "in" => return Ok(name(operator, at)),
            "%" => return Err(Error::new("S0299", "the parent operator % is not supported").at(at)),
            _ => return Err(Error::new("S0211", format!("expected a value, found {operator:?}")).at(at)),
        };
        Ok(Node::new(kind, at))
    }

    fn minus(&mut self, at: usize) -> Result<Node, Error> {
        let of = self.expression(MINUS)?;
        Ok(match &of.kind {
            Kind::Literal(Value::Number(number)) if of.is_bare() => {
                Node::new(Kind::Literal(number.negate().into()), at)
            }
            _ => Node::new(Kind::Negate(Box::new(of)), at),
        })
    }

    fn block(&mut self) -> Result<Vec<Node>, Error> {
        let mut items = Vec::new();
        while !self.is(")") {
            items.push(self.expression(0)?);
            if !self.take(";", Expect::Term)? {
                break;
            }
        }
        self.need(")", Expect::Operator)?;
        Ok(items)
    }

    fn items(&mut self) -> Result<Vec<Node>, Error> {
        let mut items = Vec::new();
        if !self.is("]") {
            loop {
                let mut item = self.expression(0)?;
                if self.take("..", Expect::Term)? {
                    let to = self.expression(0)?;
                    let at = item.at;
                    item = Node::new(Kind::Binary(Operator::Range, Box::new([item, to])), at);
                }
                items.push(item);
                if !self.take(",", Expect::Term)? {
                    break;
                }
            }
        }
        self.need("]", Expect::Operator)?;
        Ok(items)
    }

    /// `key: value, …}` of an object or a group.
    pub(super) fn members(&mut self) -> Result<Vec<(Node, Node)>, Error> {
        let mut members = Vec::new();
        if !self.is("}") {
            loop {
                let key = self.expression(0)?;
                self.need(":", Expect::Term)?;
                members.push((key, self.expression(0)?));
                if !self.take(",", Expect::Term)? {
                    break;
                }
            }
        }
        self.need("}", Expect::Operator)?;
        Ok(members)
    }

    /// The arguments of a call, behind its bracket.
    pub(super) fn call(&mut self, function: Node) -> Result<Node, Error> {
        let mut arguments = Vec::new();
        if !self.is(")") {
            loop {
                if self.take("?", Expect::Operator)? {
                    arguments.push(None);
                } else {
                    arguments.push(Some(self.expression(0)?));
                }
                if !self.take(",", Expect::Term)? {
                    break;
                }
            }
        }
        self.need(")", Expect::Operator)?;
        let (at, function) = (function.at, Box::new(function));
        let kind = if arguments.iter().all(Option::is_some) {
            Kind::Call { function, arguments: arguments.into_iter().flatten().collect() }
        } else {
            Kind::Partial { function, arguments }
        };
        Ok(Node::new(kind, at))
    }

    fn lambda(&mut self, at: usize) -> Result<Node, Error> {
        self.need("(", Expect::Term)?;
        let mut parameters: Vec<Arc<str>> = Vec::new();
        while !self.is(")") {
            match self.advance(Expect::Operator)? {
                (Token::Variable(name), _) if !matches!(name.as_str(), "" | "$") => {
                    parameters.push(name.into())
                }
                (_, at) => {
                    return Err(
                        Error::new("S0208", "a parameter of a function must be a variable: $name").at(at)
                    );
                }
            }
            if !self.take(",", Expect::Operator)? {
                break;
            }
        }
        self.need(")", Expect::Operator)?;
        let signature = if self.is("<") { Some(self.signature()?) } else { None };
        self.need("{", Expect::Term)?;
        let body = self.expression(0)?;
        self.need("}", Expect::Operator)?;
        let lambda = Lambda { parameters, signature, body, slots: 0, captured: true };
        Ok(Node::new(Kind::Lambda(Arc::new(lambda)), at))
    }

    /// `<…>` behind the parameters. Its text is not an expression, so it is taken literally.
    fn signature(&mut self) -> Result<Signature, Error> {
        let text = &self.lexer.text[self.at..];
        let mut depth = 0_usize;
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                b'<' => depth += 1,
                b'>' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let signature = Signature::parse(&text[..=at]).map_err(|error| error.at(self.at))?;
                self.lexer.at = self.at + at + 1;
                self.advance(Expect::Operator)?;
                return Ok(signature);
            }
        }
        Err(Error::new("S0203", "expected '>' before the end: the signature has no end").at(self.at))
    }

    /// `|pattern|update, delete|`
    fn transform(&mut self) -> Result<Kind, Error> {
        let pattern = self.expression(0)?;
        self.need("|", Expect::Term)?;
        let update = self.expression(0)?;
        let delete = if self.take(",", Expect::Term)? { Some(self.expression(0)?) } else { None };
        self.need("|", Expect::Operator)?;
        Ok(Kind::Transform(Arc::new(Transform { pattern, update, delete })))
    }
}

fn name(text: &str, at: usize) -> Node {
    let step = Node::new(Kind::Name(text.into()), at);
    let plain = is_plain(&step);
    Node::new(Kind::Path(Path { steps: vec![step], keep_singleton: false, plain }), at)
}
