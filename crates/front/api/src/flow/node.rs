//! Mappings by expressions: a tree of names that is evaluated into a tree of values.
//!
//! The rules are those of z/OS Connect's API projects. Where they leave a choice, nothing is invented: a
//! member without a value is left out, and an empty object or array is left out only where the mapping says that it is
//! not required, or its `existsIfEmpty` does not hold.

use std::sync::Arc;

use expression::{Expression, Object, Template, Value};

use super::scope::Scope;
use super::spec::Written;

/// An expression or a template, with what the log says of it if it fails.
#[derive(Debug)]
pub(super) struct Sourced<T> {
    inner: T,
    /// Its text, and where it is written.
    source: Arc<str>,
}

impl<T> Sourced<T> {
    /// The text is cut behind this number of characters.
    const SOURCE_MAX_CHARACTERS: usize = 200;

    pub(super) fn new(inner: T, written: &Written) -> Self {
        let mut text: String = written.text.chars().take(Self::SOURCE_MAX_CHARACTERS).collect();
        if text.len() < written.text.len() {
            text.push('…');
        }
        let place = match (written.file.is_empty(), written.line) {
            (_, 0) => String::new(),
            (true, line) => format!(", line {line} of the API's file"),
            (false, line) => format!(", {}:{line}", written.file),
        };
        Self { inner, source: format!("'{text}'{place}").into() }
    }

    fn explain(&self, error: &expression::Error) -> MappingError {
        MappingError { expression: Some(Arc::clone(&self.source)), ..MappingError::new(error.to_string()) }
    }
}

impl Sourced<Expression> {
    pub(super) fn evaluate(&self, scope: &Scope<'_>) -> Result<Value, MappingError> {
        self.inner.evaluate(&scope.context()).map_err(|error| self.explain(&error))
    }

    pub(super) fn part(&self) -> Part<'_> {
        Part::Expression(&self.inner)
    }

    /// Its text, and where it is written.
    pub(super) fn source(&self) -> &str {
        &self.source
    }
}

impl Sourced<Template> {
    fn evaluate(&self, scope: &Scope<'_>) -> Result<Value, MappingError> {
        self.inner.evaluate(&scope.context()).map_err(|error| self.explain(&error))
    }
}

/// A member of a mapping.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: Arc<str>,
    pub(super) body: Node,
    pub(super) required: Option<bool>,
    pub(super) nullable: bool,
    pub(super) exists_if_empty: Option<Sourced<Expression>>,
}

/// The value of a member.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "made once, and never moved again")]
pub(super) enum Node {
    Template(Sourced<Template>),
    Expression(Sourced<Expression>),
    Object(Vec<Member>),
    Each { input: Sourced<Expression>, exists_if_empty: Option<Sourced<Expression>>, body: Box<Node> },
    Nothing,
}

/// Why a mapping has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MappingError {
    /// Where in the result: names with slashes between them.
    pub(crate) path: String,
    /// The expression, and where it is written; none where it is not about one.
    pub(crate) expression: Option<Arc<str>>,
    /// The fault.
    pub(crate) message: String,
}

impl MappingError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { path: String::new(), expression: None, message: message.into() }
    }

    pub(super) fn below(mut self, name: &str) -> Self {
        self.path = if self.path.is_empty() { name.to_owned() } else { format!("{name}/{}", self.path) };
        self
    }
}

impl Node {
    /// The value in a scope; [`Value::Undefined`] if there is none.
    pub(super) fn evaluate(&self, scope: &Scope<'_>) -> Result<Value, MappingError> {
        match self {
            Node::Template(template) => template.evaluate(scope),
            Node::Expression(expression) => expression.evaluate(scope),
            Node::Object(members) => object(members, scope),
            Node::Each { input, exists_if_empty, body } => each(input, exists_if_empty.as_ref(), body, scope),
            Node::Nothing => Ok(Value::Undefined),
        }
    }

    /// The expression that makes the value at a path of names, or one around it.
    pub(super) fn source_of(&self, path: &[&str]) -> Option<&Arc<str>> {
        match self {
            Node::Template(template) => Some(&template.source),
            Node::Expression(expression) => Some(&expression.source),
            Node::Object(members) => {
                let (first, rest) = path.split_first()?;
                members.iter().find(|member| *member.name == **first)?.body.source_of(rest)
            }
            // The first name is the number of the row.
            Node::Each { body, .. } => body.source_of(path.get(1..)?),
            Node::Nothing => None,
        }
    }

    /// Every expression of the tree, with its text and its place.
    pub(super) fn visit<'n>(&'n self, visitor: &mut dyn FnMut(Part<'n>, &'n str)) {
        match self {
            Node::Template(template) => visitor(Part::Template(&template.inner), &template.source),
            Node::Expression(expression) => visitor(expression.part(), &expression.source),
            Node::Object(members) => members.iter().for_each(|member| member.visit(visitor)),
            Node::Each { input, exists_if_empty, body } => {
                visitor(input.part(), &input.source);
                exists_if_empty.iter().for_each(|condition| visitor(condition.part(), &condition.source));
                body.visit(visitor);
            }
            Node::Nothing => {}
        }
    }
}

/// A part of a mapping.
pub(super) enum Part<'n> {
    Template(&'n Template),
    Expression(&'n Expression),
}

impl Part<'_> {
    /// The variables that it reads, with the names below them.
    pub(super) fn inputs(&self) -> Vec<expression::Input> {
        match self {
            Part::Template(template) => template.inputs(),
            Part::Expression(expression) => expression.inputs().to_vec(),
        }
    }

    /// The names of the variables that it reads and does not set.
    pub(super) fn variables(&self) -> Vec<Arc<str>> {
        self.inputs().into_iter().map(|input| input.name).collect()
    }

    /// True if it reads this variable.
    pub(super) fn names(&self, variable: &str) -> bool {
        self.inputs().iter().any(|input| *input.name == *variable)
    }

    /// The names of the calls whose results or errors it reads; none where only running it tells which.
    pub(super) fn calls(&self, visitor: &mut dyn FnMut(Option<&str>)) {
        let inputs = self.inputs();
        let results = inputs.iter().filter(|input| matches!(&*input.name, "calls" | "errors"));
        for path in results.flat_map(|input| &input.paths) {
            visitor(path.first().map(|name| &**name));
        }
    }
}

impl Member {
    /// Its value, or none if it is to be left out.
    pub(super) fn evaluate(&self, scope: &Scope<'_>) -> Result<Option<Value>, MappingError> {
        let value = self.body.evaluate(scope)?;
        match value {
            // Text without an existing part is empty text, unless the schema says that it may be missing.
            Value::Undefined if matches!(self.body, Node::Template(_)) && self.required.is_none() => {
                Ok(Some(Value::from("")))
            }
            Value::Undefined => Ok(None),
            Value::Null if !self.nullable => Ok(None),
            value if is_empty(&value) && !self.stands_empty(scope)? => Ok(None),
            value => Ok(Some(value)),
        }
    }

    pub(super) fn visit<'n>(&'n self, visitor: &mut dyn FnMut(Part<'n>, &'n str)) {
        self.body.visit(visitor);
        self.exists_if_empty.iter().for_each(|condition| visitor(condition.part(), &condition.source));
    }

    fn stands_empty(&self, scope: &Scope<'_>) -> Result<bool, MappingError> {
        match &self.exists_if_empty {
            Some(condition) => holds(condition, scope),
            None => Ok(self.required != Some(false)),
        }
    }
}

/// True if a condition holds: what counts as true is JSONata's `$boolean`.
pub(super) fn holds(condition: &Sourced<Expression>, scope: &Scope<'_>) -> Result<bool, MappingError> {
    Ok(condition.evaluate(scope)?.truth())
}

/// Only what holds other values can be empty; an empty text is a value.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(array) => array.items().is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

fn object(members: &[Member], scope: &Scope<'_>) -> Result<Value, MappingError> {
    let mut found = Object::new();
    let mut missing = None;
    for member in members {
        match member.evaluate(scope).map_err(|error| error.below(&member.name))? {
            Some(value) => found.insert(Arc::clone(&member.name), value),
            None if member.required == Some(true) => missing = missing.or(Some(member)),
            None => {}
        }
    }
    // An object without an existing member may itself not exist; only then nothing is missing in it.
    match missing {
        Some(member) if !found.is_empty() => {
            Err(MappingError::new("a required value does not exist").below(&member.name))
        }
        _ => Ok(Value::Object(found)),
    }
}

fn each(
    input: &Sourced<Expression>,
    exists_if_empty: Option<&Sourced<Expression>>,
    body: &Node,
    scope: &Scope<'_>,
) -> Result<Value, MappingError> {
    let input = match input.evaluate(scope)? {
        Value::Undefined => return Ok(Value::Undefined),
        input => input,
    };
    let inputs = input.as_array().unwrap_or(std::slice::from_ref(&input));
    let mut items = Vec::with_capacity(inputs.len());
    for (position, item) in inputs.iter().enumerate() {
        let scope = scope.with_item(item.clone());
        let place = |error: MappingError| error.below(&position.to_string());
        let value = body.evaluate(&scope).map_err(place)?;
        let stands = match (&value, exists_if_empty) {
            (Value::Undefined, _) => false,
            (value, Some(condition)) if is_empty(value) => holds(condition, &scope).map_err(place)?,
            _ => true,
        };
        if stands {
            items.push(value);
        }
    }
    Ok(Value::array(items))
}
