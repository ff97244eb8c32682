//! From what users wrote to flows that run: expressions are compiled, names resolved, the order of calls settled.

use std::collections::HashMap;
use std::sync::Arc;

use contract::{Contract, Options};
use conversion::Conversion;
use expression::{Expression, Template};
use failure::Code;
use http::{HeaderName, StatusCode};
use routing::path_parameters;

use super::node::{Member, Node, Part, Sourced};
use super::scope::{OF_REQUEST, VARIABLES, no_variable};
use super::{BodySpec, Call, CallSpec, Flow, FlowSpec, MemberSpec, Reply, ReplySpec, Written};
use crate::compile::{SpecError, is_set_before, no_service};

/// The surroundings of a flow that is compiled: the document, the services, the statuses.
pub(crate) struct Surroundings<'s> {
    /// The document.
    pub(crate) contract: &'s Arc<Contract>,
    /// The path in front of the operation's.
    pub(crate) base_path: &'s str,
    /// Query parameters that the document does not name are refused.
    pub(crate) refuse_unknown_query: bool,
    /// Answers are to be judged by the document too.
    pub(crate) check_responses: bool,
    /// The services by name.
    pub(crate) services: &'s HashMap<String, Conversion>,
    /// Statuses that failures have here.
    pub(crate) statuses: &'s [(Code, StatusCode)],
}

impl Flow {
    /// Compiles an operation; all that is wrong with it goes to `errors`.
    pub(crate) fn compile(
        spec: &FlowSpec,
        surroundings: &Surroundings<'_>,
        errors: &mut Vec<SpecError>,
    ) -> Option<Flow> {
        let known = errors.len();
        let mut compiler = Compiler { spec, surroundings, errors };
        let index = compiler.operation()?;
        let calls: Vec<Call> = spec
            .calls
            .iter()
            .enumerate()
            .filter_map(|(position, call)| compiler.call(position, call))
            .collect();
        compiler.check_cycles(&calls);
        let replies: Vec<Reply> = spec.replies.iter().filter_map(|reply| compiler.reply(reply)).collect();
        compiler.check_replies();
        let operation = &surroundings.contract.operations()[index];
        (errors.len() == known).then(|| Flow {
            id: operation.id.clone().unwrap_or_else(|| made_id(operation)),
            method: operation.method.clone(),
            path: format!("{}{}", surroundings.base_path, operation.path),
            statuses: surroundings.statuses.to_vec(),
            timeout: spec.timeout,
            contract: Arc::clone(surroundings.contract),
            operation: index,
            path_names: path_parameters(&operation.path).into_iter().map(str::to_owned).collect(),
            options: Options {
                unknown_query_refused: surroundings.refuse_unknown_query,
                // Clients send back whole objects, with what is read only in them; mappings take what they need.
                other_direction_allowed: true,
                ..Options::default()
            },
            check_responses: surroundings.check_responses,
            calls,
            replies,
        })
    }
}

/// An id for an operation whose document gives it none: `getBooksTitle`.
fn made_id(operation: &contract::Operation) -> String {
    let mut id = operation.method.as_str().to_ascii_lowercase();
    for word in operation.path.split(|character: char| !character.is_ascii_alphanumeric()) {
        let mut letters = word.chars();
        id.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        id.extend(letters);
    }
    id
}

struct Compiler<'c> {
    spec: &'c FlowSpec,
    surroundings: &'c Surroundings<'c>,
    errors: &'c mut Vec<SpecError>,
}

impl Compiler<'_> {
    fn fault(&mut self, at: &Written, message: impl Into<String>) {
        let file = (!at.file.is_empty()).then(|| Arc::clone(&at.file));
        self.errors.push(SpecError { file, line: at.line, message: message.into() });
    }

    /// The position of the operation in the document.
    fn operation(&mut self) -> Option<usize> {
        let FlowSpec { method, path, .. } = self.spec;
        let mut operations = self.surroundings.contract.operations().iter();
        let found =
            operations.position(|operation| operation.method == *method && operation.path == path.text);
        if found.is_none() {
            self.fault(path, format!("the document has no operation {method} {}", path.text));
        }
        found
    }

    fn call(&mut self, position: usize, spec: &CallSpec) -> Option<Call> {
        let twice = self.spec.calls[..position].iter().any(|other| other.name.text == spec.name.text);
        if twice {
            self.fault(&spec.name, format!("there are two calls '{}'; give one a name", spec.name.text));
        }
        let conversion = self.surroundings.services.get(&spec.service.text).cloned();
        if conversion.is_none() {
            let message = no_service(&spec.service.text, self.surroundings.services.keys());
            self.fault(&spec.service, message);
        }
        let when = spec.when.as_ref().map(|when| self.expression(when));
        let request = self.node(&spec.request);
        let mut waits_for = self.order(position, spec);
        let mut named = |part: Part<'_>| {
            part.calls(&mut |name| {
                match self.spec.calls.iter().position(|other| Some(&*other.name.text) == name) {
                    Some(other) => waits_for.push(other),
                    // Which is found when the request runs: all that came before.
                    None if name.is_none() => waits_for.extend(0..position),
                    None => {}
                }
            })
        };
        if let Some(Some(when)) = &when {
            named(when.part());
        }
        let mut reads_request = false;
        if let Some(request) = &request {
            request.visit(&mut |part, _| reads_request |= OF_REQUEST.iter().any(|name| part.names(name)));
            request.visit(&mut |part, _| named(part));
        }
        waits_for.sort_unstable();
        waits_for.dedup();
        Some(Call {
            name: spec.name.text.as_str().into(),
            service: spec.service.text.clone(),
            conversion: conversion?,
            when: optional(when)?,
            waits_for,
            request: request?,
            takes_body: spec.request.is_body(),
            reads_request,
            wrapper: spec.wrapper.map(Arc::from),
            on_failure: spec.on_failure,
        })
    }

    /// The calls that a call waits for by its `after`.
    fn order(&mut self, position: usize, spec: &CallSpec) -> Vec<usize> {
        let Some(after) = &spec.after else { return position.checked_sub(1).into_iter().collect() };
        let mut waits_for = Vec::new();
        for name in after {
            match self.spec.calls.iter().position(|other| other.name.text == name.text) {
                Some(other) => waits_for.push(other),
                None => self.fault(name, format!("there is no call '{}' in this operation", name.text)),
            }
        }
        waits_for
    }

    /// No call may wait for itself, however many others are in between.
    fn check_cycles(&mut self, calls: &[Call]) {
        if calls.len() != self.spec.calls.len() {
            return;
        }
        let mut ended = vec![false; calls.len()];
        while let Some(next) = (0..calls.len())
            .find(|call| !ended[*call] && calls[*call].waits_for.iter().all(|other| ended[*other]))
        {
            ended[next] = true;
        }
        let stuck: Vec<&str> =
            calls.iter().zip(&ended).filter(|(_, ended)| !**ended).map(|(call, _)| &*call.name).collect();
        if let Some(first) = self.spec.calls.iter().zip(&ended).find(|(_, ended)| !**ended) {
            let message = format!("these calls wait for each other: {}", stuck.join(", "));
            self.fault(&first.0.name.clone(), message);
        }
    }

    fn check_replies(&mut self) {
        let always = self.spec.replies.iter().position(|reply| reply.when.is_none());
        match (self.spec.replies.is_empty(), always) {
            (true, _) => {
                let message = format!("{} has no reply", self.spec.path.text);
                self.fault(&self.spec.path.clone(), message);
            }
            (false, Some(position)) if position + 1 < self.spec.replies.len() => {
                let place = self.spec.replies[position + 1].place.clone();
                self.fault(&place, "the reply before this one has no condition, so this one can never apply");
            }
            _ => {}
        }
    }

    fn reply(&mut self, spec: &ReplySpec) -> Option<Reply> {
        let status = StatusCode::from_u16(spec.status).ok().filter(|status| !status.is_informational());
        if status.is_none() {
            self.fault(&spec.place, format!("{} is not a status of an answer", spec.status));
        }
        if spec.body.is_some() && status.is_some_and(conversion::has_no_body) {
            self.fault(&spec.place, format!("an answer with status {} has no body", spec.status));
        }
        let when = spec.when.as_ref().map(|when| self.expression(when));
        for (position, header) in spec.headers.iter().enumerate() {
            let name = &header.name.text;
            if is_set_before(name, spec.headers[..position].iter().map(|other| other.name.text.as_str())) {
                self.fault(&header.name, format!("header '{name}' is set twice"));
            }
        }
        let headers: Vec<_> = spec.headers.iter().map(|header| self.header(header)).collect();
        let body = spec.body.as_ref().map(|body| self.member(body));
        let (when, body) = (optional(when)?, optional(body)?);
        let headers: Vec<(HeaderName, Member)> = headers.into_iter().collect::<Option<_>>()?;
        let mut for_errors = when.as_ref().is_some_and(|when| when.part().names("error"));
        for member in headers.iter().map(|(_, member)| member).chain(&body) {
            member.visit(&mut |part, _| for_errors |= part.names("error"));
        }
        Some(Reply { when, status: status?, headers, body, for_errors })
    }

    fn header(&mut self, spec: &MemberSpec) -> Option<(HeaderName, Member)> {
        let name = HeaderName::from_bytes(spec.name.text.as_bytes()).ok();
        let name = name.filter(|name| !headers::refused_in_answer(name.as_str()));
        if name.is_none() {
            self.fault(&spec.name, format!("'{}' is not a header that a mapping can set", spec.name.text));
        }
        let member = self.member(spec)?;
        Some((name?, member))
    }

    fn member(&mut self, spec: &MemberSpec) -> Option<Member> {
        let body = self.node(&spec.body);
        let exists_if_empty = spec.exists_if_empty.as_ref().map(|condition| self.expression(condition));
        Some(Member {
            name: spec.name.text.as_str().into(),
            body: body?,
            required: spec.required,
            nullable: spec.nullable != Some(false),
            exists_if_empty: optional(exists_if_empty)?,
        })
    }

    fn node(&mut self, spec: &BodySpec) -> Option<Node> {
        match spec {
            BodySpec::Template(text) => match Template::compile(&text.text) {
                Ok(template) => {
                    self.check_variables(text, &Part::Template(&template));
                    Some(Node::Template(Sourced::new(template, text)))
                }
                Err(error) => {
                    self.refuse(text, &error);
                    None
                }
            },
            BodySpec::Expression(text) => self.expression(text).map(Node::Expression),
            BodySpec::Object(members) => {
                let members: Vec<_> = members.iter().map(|member| self.member(member)).collect();
                members.into_iter().collect::<Option<_>>().map(Node::Object)
            }
            BodySpec::Each { input, exists_if_empty, body } => {
                let input = self.expression(input);
                let exists_if_empty = exists_if_empty.as_ref().map(|condition| self.expression(condition));
                let body = self.node(body);
                Some(Node::Each {
                    input: input?,
                    exists_if_empty: optional(exists_if_empty)?,
                    body: Box::new(body?),
                })
            }
            BodySpec::Nothing => Some(Node::Nothing),
        }
    }

    fn expression(&mut self, text: &Written) -> Option<Sourced<Expression>> {
        match Expression::compile(&text.text) {
            Ok(expression) => {
                self.check_variables(text, &Part::Expression(&expression));
                Some(Sourced::new(expression, text))
            }
            Err(error) => {
                self.refuse(text, &error);
                None
            }
        }
    }

    /// A name that nothing will ever give a value is a slip. In API projects it is a warning (`Flow::slips`): their
    /// mappings come from z/OS Connect, where such a variable just has no value.
    fn check_variables(&mut self, text: &Written, part: &Part<'_>) {
        for name in part.variables() {
            if text.file.is_empty() && !VARIABLES.contains(&&*name) {
                self.fault(text, no_variable(&name));
            }
        }
        let mut unknown = Vec::new();
        part.calls(&mut |name| {
            let Some(name) = name else { return };
            if !self.spec.calls.iter().any(|call| call.name.text == name) {
                unknown.push(name.to_owned());
            }
        });
        for name in unknown {
            self.fault(text, format!("there is no call '{name}' in this operation"));
        }
    }

    fn refuse(&mut self, text: &Written, error: &expression::Error) {
        // A text of several lines begins on the line after its quotes, as a rule; the place within it says the rest.
        self.fault(text, error.to_string());
    }
}

/// None for what was not there, and nothing at all for what was there and has a fault.
fn optional<T>(compiled: Option<Option<T>>) -> Option<Option<T>> {
    match compiled {
        Some(compiled) => compiled.map(Some),
        None => Some(None),
    }
}
