//! Tokens to the tree: an operator precedence parser that builds paths, predicates and groups directly.

mod terms;

use std::sync::Arc;

use crate::error::Error;
use crate::lexer::{Expect, Lexer, Token};
use crate::limits::Limits;
use crate::node::{Kind, Node, Operator, Path, SortTerm, Variable};
use crate::value::Value;

/// Reads a whole expression.
///
/// # Errors
/// `S…` for a fault of the text; L0001 and L0002 if it is too long or nested too deep.
pub(crate) fn parse(text: &str, limits: &Limits) -> Result<Node, Error> {
    if text.len() > limits.text_max_bytes {
        let allowed = limits.text_max_bytes;
        return Err(Error::new(
            "L0001",
            format!("the expression has {} bytes, text_max_bytes is {allowed}", text.len()),
        ));
    }
    let mut parser = Parser::new(text, limits)?;
    let node = parser.expression(0)?;
    match parser.token {
        Token::End => Ok(node),
        _ => Err(parser.unexpected("S0201", "the end of the expression")),
    }
}

pub(super) struct Parser<'a> {
    lexer: Lexer<'a>,
    limits: &'a Limits,
    token: Token,
    at: usize,
    nesting: usize,
}

/// The precedence of an operator towards the term before it.
fn binding(operator: &str) -> u8 {
    match operator {
        "[" | "(" | "@" | "#" => 80,
        "." => 75,
        "{" => 70,
        "*" | "/" | "%" | "**" => 60,
        "+" | "-" | "&" => 50,
        "=" | "!=" | "<" | "<=" | ">" | ">=" | "^" | "~>" | "in" => 40,
        "and" => 30,
        "or" => 25,
        "?" => 20,
        ":=" => 10,
        _ => 0,
    }
}

fn binary(operator: &str) -> Option<Operator> {
    Some(match operator {
        "+" => Operator::Add,
        "-" => Operator::Subtract,
        "*" => Operator::Multiply,
        "/" => Operator::Divide,
        "%" => Operator::Remainder,
        "=" => Operator::Equal,
        "!=" => Operator::NotEqual,
        "<" => Operator::Less,
        "<=" => Operator::LessOrEqual,
        ">" => Operator::Greater,
        ">=" => Operator::GreaterOrEqual,
        "in" => Operator::In,
        "and" => Operator::And,
        "or" => Operator::Or,
        "&" => Operator::Concatenate,
        _ => return None,
    })
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, limits: &'a Limits) -> Result<Parser<'a>, Error> {
        let mut lexer = Lexer::new(text, limits);
        let (token, at) = lexer.next(Expect::Term)?;
        Ok(Parser { lexer, limits, token, at, nesting: 0 })
    }

    fn advance(&mut self, expect: Expect) -> Result<(Token, usize), Error> {
        let (token, at) = self.lexer.next(expect)?;
        Ok((std::mem::replace(&mut self.token, token), std::mem::replace(&mut self.at, at)))
    }

    fn is(&self, operator: &str) -> bool {
        matches!(self.token, Token::Operator(found) if found == operator)
    }

    /// Takes the operator if it is the next token.
    fn take(&mut self, operator: &str, then: Expect) -> Result<bool, Error> {
        let found = self.is(operator);
        if found {
            self.advance(then)?;
        }
        Ok(found)
    }

    fn need(&mut self, operator: &str, then: Expect) -> Result<(), Error> {
        match self.take(operator, then)? {
            true => Ok(()),
            false => Err(self.unexpected("S0202", &format!("{operator:?}"))),
        }
    }

    fn unexpected(&self, code: &'static str, expected: &str) -> Error {
        let found = match &self.token {
            Token::End if code == "S0202" => {
                return Error::new("S0203", format!("expected {expected} before the end")).at(self.at);
            }
            Token::End => "the end".to_string(),
            Token::Operator(operator) => format!("{operator:?}"),
            Token::Name { text, .. } => format!("the name {text}"),
            Token::Variable(name) => format!("${name}"),
            Token::Literal(value) => format!("a {}", value.type_name()),
            Token::Regex(_) => "a regular expression".to_string(),
        };
        Error::new(code, format!("expected {expected}, found {found}")).at(self.at)
    }

    fn expression(&mut self, strength: u8) -> Result<Node, Error> {
        if self.nesting >= self.limits.nesting_max {
            return Err(self.too_deep(self.at));
        }
        self.nesting += 1;
        let mut left = self.term()?;
        while let Token::Operator(operator) = self.token
            && binding(operator) > strength
        {
            left = self.infix(left, operator)?;
            if left.height > self.limits.nesting_max {
                return Err(self.too_deep(left.at));
            }
        }
        self.nesting -= 1;
        Ok(left)
    }

    fn too_deep(&self, at: usize) -> Error {
        let allowed = self.limits.nesting_max;
        Error::new("L0002", format!("the expression is nested deeper than nesting_max allows ({allowed})"))
            .at(at)
    }

    fn infix(&mut self, left: Node, operator: &'static str) -> Result<Node, Error> {
        let (_, at) = self.advance(Expect::Term)?;
        let strength = binding(operator);
        match operator {
            "." => {
                let right = self.expression(strength)?;
                step(left, right)
            }
            "[" => self.predicate(left),
            "{" => self.group(left, at),
            "(" => self.call(left),
            "^" => self.sort(left, at),
            "?" => self.condition(left),
            ":=" => self.bind(left, at),
            "~>" => {
                let right = self.expression(strength)?;
                Ok(chain(left, right))
            }
            "@" | "#" => {
                let what =
                    if operator == "@" { "binding the context (@)" } else { "binding the position (#)" };
                Err(Error::new("S0299", format!("{what} is not supported")).at(at))
            }
            _ => match binary(operator) {
                Some(operator) => {
                    let right = self.expression(strength)?;
                    let start = left.at;
                    Ok(Node::new(Kind::Binary(operator, Box::new([left, right])), start))
                }
                None => Err(Error::new("S0201", format!("{operator:?} is not allowed here")).at(at)),
            },
        }
    }

    fn predicate(&mut self, mut left: Node) -> Result<Node, Error> {
        if self.take("]", Expect::Operator)? {
            if let Kind::Path(path) = &mut left.kind
                && left.group.is_none()
            {
                path.keep_singleton = true;
                if let Some(last) = path.steps.last_mut() {
                    last.keep_array = true;
                }
            } else {
                left.keep_array = true;
            }
            return Ok(left);
        }
        let predicate = self.expression(0)?;
        self.need("]", Expect::Operator)?;
        let grouped = || Error::new("S0209", "a predicate cannot follow a group").at(predicate.at);
        if left.group.is_some() {
            return Err(grouped());
        }
        match &mut left.kind {
            Kind::Path(path) => {
                path.plain = false;
                if let Some(last) = path.steps.last_mut() {
                    last.stages.push(predicate);
                    last.measure();
                }
            }
            _ => left.predicates.push(predicate),
        }
        left.measure();
        Ok(left)
    }

    fn group(&mut self, mut left: Node, at: usize) -> Result<Node, Error> {
        let members = self.members()?;
        if left.group.is_some() {
            return Err(Error::new("S0210", "a step has one group only").at(at));
        }
        left.group = Some(members);
        left.measure();
        Ok(left)
    }

    fn sort(&mut self, left: Node, at: usize) -> Result<Node, Error> {
        self.need("(", Expect::Term)?;
        let mut terms = Vec::new();
        loop {
            let descending = self.take(">", Expect::Term)?;
            if !descending {
                self.take("<", Expect::Term)?;
            }
            terms.push(SortTerm { descending, node: self.expression(0)? });
            if !self.take(",", Expect::Term)? {
                break;
            }
        }
        self.need(")", Expect::Operator)?;
        let sort = Node::new(Kind::Sort(terms), at);
        let mut path = into_path(left);
        if let Kind::Path(inner) = &mut path.kind {
            inner.plain = false;
            inner.steps.push(sort);
        }
        path.measure();
        Ok(path)
    }

    fn condition(&mut self, test: Node) -> Result<Node, Error> {
        let then = self.expression(0)?;
        let other = if self.take(":", Expect::Term)? { Some(self.expression(0)?) } else { None };
        let at = test.at;
        Ok(Node::new(Kind::Condition(Box::new((test, then, other))), at))
    }

    fn bind(&mut self, left: Node, at: usize) -> Result<Node, Error> {
        let name = match &left.kind {
            Kind::Variable(variable) if left.is_bare() => Arc::clone(&variable.name),
            _ => return Err(Error::new("S0212", "expected a variable before :=").at(at)),
        };
        let value = self.expression(binding(":=") - 1)?;
        Ok(Node::new(Kind::Bind(Variable::new(&name), Box::new(value)), left.at))
    }
}

/// `left.right`
fn step(left: Node, right: Node) -> Result<Node, Error> {
    let mut path = into_path(left);
    let Kind::Path(inner) = &mut path.kind else { return Ok(path) };
    match right {
        Node { kind: Kind::Path(more), group, keep_array, .. } => {
            inner.plain &= more.plain && more.steps.iter().all(is_plain);
            inner.keep_singleton |= more.keep_singleton;
            inner.steps.extend(more.steps);
            path.keep_array |= keep_array;
            if group.is_some() {
                path.group = group;
            }
        }
        mut other => {
            other.stages = std::mem::take(&mut other.predicates);
            inner.plain = false;
            inner.steps.push(other);
        }
    }
    for step in &mut inner.steps {
        if let Kind::Literal(value) = &step.kind {
            let Value::String(name) = value else {
                let found = value.type_name();
                return Err(Error::new("S0213", format!("a {found} cannot be a step of a path")).at(step.at));
            };
            step.kind = Kind::Name(Arc::clone(name));
        }
    }
    inner.keep_singleton |= inner.steps.iter().any(|step| step.keep_array);
    let last = inner.steps.len() - 1;
    for end in [0, last] {
        if let Kind::Array { step, .. } = &mut inner.steps[end].kind {
            *step = true;
        }
    }
    inner.plain = inner.steps.iter().skip(1).all(is_plain);
    path.measure();
    Ok(path)
}

fn is_plain(step: &Node) -> bool {
    matches!(step.kind, Kind::Name(_))
        && step.predicates.is_empty()
        && step.stages.is_empty()
        && step.group.is_none()
}

fn into_path(node: Node) -> Node {
    match node.kind {
        Kind::Path(_) => node,
        _ => {
            let (at, keep_singleton) = (node.at, node.keep_array);
            Node::new(Kind::Path(Path { steps: vec![node], keep_singleton, plain: true }), at)
        }
    }
}

/// `left ~> right`: a call gets the left side as its first argument.
fn chain(left: Node, mut right: Node) -> Node {
    let at = left.at;
    let bare = right.is_bare();
    match &mut right.kind {
        Kind::Call { arguments, .. } if bare => {
            arguments.insert(0, left);
            right.measure();
            right
        }
        _ => Node::new(Kind::Chain(Box::new([left, right])), at),
    }
}
