//! Calls: built-in functions, functions of the expression, partial ones and chains.

use std::sync::Arc;

use super::tail::Outcome;
use super::{Evaluation, Result, function};
use crate::error::Error;
use crate::function::{Callable, Function};
use crate::functions::Native;
use crate::functions::signature::Given;
use crate::node::{Kind, Lambda, Last, Node};
use crate::object::Object;
use crate::pattern::Pattern;
use crate::value::Value;

/// A function of an expression, about to run.
pub(super) struct Closure {
    pub(super) code: Arc<Lambda>,
    pub(super) frame: usize,
    pub(super) input: Value,
    pub(super) arguments: Vec<Value>,
}

impl Evaluation<'_> {
    #[inline(never)]
    pub(super) fn call(
        &mut self,
        called: &Node,
        arguments: &[Node],
        input: &Value,
        frame: usize,
    ) -> Result<Value> {
        if let Some(native) = native(called) {
            let arguments = self.arguments(arguments, input, frame)?;
            return self.native(native, arguments, input);
        }
        let function = self.callee(called, input, frame)?;
        let arguments = self.arguments(arguments, input, frame)?;
        self.apply(&function, arguments, input)
    }

    pub(super) fn arguments(
        &mut self,
        arguments: &[Node],
        input: &Value,
        frame: usize,
    ) -> Result<Vec<Value>> {
        arguments.iter().map(|argument| self.node(argument, input, frame)).collect()
    }

    /// The function that a call names.
    pub(super) fn callee(&mut self, called: &Node, input: &Value, frame: usize) -> Result<Function> {
        match self.node(called, input, frame)? {
            Value::Function(function) => Ok(function),
            other => Err(no_function(called, &other)),
        }
    }

    /// Calls a function with arguments. The context may replace missing ones.
    pub(crate) fn apply(
        &mut self,
        function: &Function,
        arguments: Vec<Value>,
        input: &Value,
    ) -> Result<Value> {
        self.purse.enter()?;
        let value = match &*function.0 {
            Callable::Native(native) => self.native(native, arguments, input),
            Callable::Lambda { code, frame, input: made_in } => self.run(Closure {
                code: Arc::clone(code),
                frame: *frame,
                input: made_in.clone(),
                arguments: checked(code, arguments, input)?,
            }),
            Callable::Regex(pattern) => self.first_match(pattern, &arguments),
            Callable::Partial { function, arguments: given } => {
                let mut more = arguments.into_iter();
                let all = given.iter().map(|given| given.clone().or_else(|| more.next()).unwrap_or_default());
                let all: Vec<Value> = all.collect();
                self.apply(function, all.into_iter().chain(more).collect(), input)
            }
            Callable::Composed(first, second) => {
                let between = self.apply(first, arguments, input)?;
                self.apply(second, vec![between], input)
            }
            Callable::Transform { code, frame } => self.transform(code, *frame, arguments),
        }?;
        self.purse.value(&value)?;
        self.purse.leave();
        Ok(value)
    }

    fn native(&mut self, native: &'static Native, arguments: Vec<Value>, input: &Value) -> Result<Value> {
        let given = Given { name: native.name, arguments, context: input };
        let arguments = native.signature.apply(given)?;
        // Nearly all functions of texts read all of them.
        let texts = arguments.iter().filter_map(Value::as_str);
        self.purse.steps(texts.map(|text| text.len() / 64).sum())?;
        (native.run)(self, &arguments)
    }

    /// Runs a function of the expression. A call at its end replaces it instead of adding a level.
    #[inline(never)]
    fn run(&mut self, mut closure: Closure) -> Result<Value> {
        loop {
            let Closure { code, frame, input, arguments } = closure;
            match code.captured {
                // The frame stays until the end of the evaluation.
                true => self.purse.elements(code.slots + 1)?,
                false => self.purse.steps(code.slots + 1)?,
            }
            let own = self.frames.open(frame, code.slots);
            let mut arguments = arguments.into_iter();
            for slot in 0..code.parameters.len() {
                self.frames.set(own, slot, arguments.next().unwrap_or_default());
            }
            let outcome = self.tail(&code.body, &input, own)?;
            if !code.captured {
                self.frames.close(own);
            }
            match outcome {
                Outcome::Value(value) => return Ok(value),
                Outcome::Call(next) => closure = next,
            }
        }
    }

    #[inline(never)]
    pub(super) fn partial(
        &mut self,
        called: &Node,
        arguments: &[Option<Node>],
        input: &Value,
        frame: usize,
    ) -> Result<Value> {
        let called = self.callee(called, input, frame)?;
        let mut given = Vec::with_capacity(arguments.len());
        for argument in arguments {
            given.push(match argument {
                Some(node) => Some(self.node(node, input, frame)?),
                None => None,
            });
        }
        Ok(function(Callable::Partial { function: called, arguments: given }))
    }

    /// `value ~> function`, and `function ~> function`.
    #[inline(never)]
    pub(super) fn chain(&mut self, sides: &[Node; 2], input: &Value, frame: usize) -> Result<Value> {
        let left = self.node(&sides[0], input, frame)?;
        let right = match self.node(&sides[1], input, frame)? {
            Value::Function(function) => function,
            other => {
                let found = other.type_name();
                let message = format!("the right side of ~> must be a function, found a {found}");
                return Err(Error::new("T2006", message).at(sides[1].at));
            }
        };
        match left {
            Value::Function(left) => Ok(function(Callable::Composed(left, right))),
            left => self.apply(&right, vec![left], input),
        }
    }

    /// The result of calling a regular expression: its first match.
    fn first_match(&mut self, pattern: &Pattern, arguments: &[Value]) -> Result<Value> {
        let Some(Value::String(text)) = arguments.first() else { return Ok(Value::Undefined) };
        self.purse.steps(text.len() / 64 + 1)?;
        let Some(found) = pattern.regex.captures(text) else { return Ok(Value::Undefined) };
        let whole = found.get(0).map_or(0..0, |whole| whole.range());
        let characters = |end: usize| Value::Number(text[..end].chars().count().into());
        let groups = found.iter().skip(1).map(|group| Value::from(group.map_or("", |group| group.as_str())));
        let mut object = Object::new();
        object.insert("match", Value::from(&text[whole.clone()]));
        object.insert("start", characters(whole.start));
        object.insert("end", characters(whole.end));
        object.insert("groups", Value::array(groups));
        Ok(Value::Object(object))
    }
}

/// The arguments of a function of the expression, checked by its signature if it has one.
pub(super) fn checked(code: &Lambda, arguments: Vec<Value>, context: &Value) -> Result<Vec<Value>> {
    match &code.signature {
        Some(signature) => signature.apply(Given { name: "function", arguments, context }),
        None => Ok(arguments),
    }
}

/// The built-in function of a call, if the call is certainly one of a built-in function.
pub(crate) fn native(called: &Node) -> Option<&'static Native> {
    match &called.kind {
        Kind::Variable(variable) if variable.places.is_empty() && called.is_bare() => match variable.last {
            Last::Native(native) => Some(native),
            _ => None,
        },
        _ => None,
    }
}

fn no_function(called: &Node, found: &Value) -> Error {
    let found = found.type_name();
    match &called.kind {
        Kind::Path(path) => match &path.steps[..] {
            [Node { kind: Kind::Name(name), .. }] if crate::functions::find(name).is_some() => {
                Error::new("T1005", format!("{name} is not a function; is ${name} meant?"))
            }
            _ => Error::new("T1006", format!("only functions can be called, found {found}")),
        },
        Kind::Variable(variable) => {
            Error::new("T1006", format!("${} is not a function but {found}", variable.name))
        }
        _ => Error::new("T1006", format!("only functions can be called, found {found}")),
    }
    .at(called.at)
}
