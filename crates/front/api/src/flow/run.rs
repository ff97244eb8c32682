//! An operation by expressions while it runs: the calls that can begin, their results, and the answer.

use expression::{JSON_DEPTH_MAX, Value};
use failure::{Code, Failure};
use http::{HeaderName, HeaderValue};
use service::Payload;

use super::node::{MappingError, Member, holds};
use super::scope::{Moment, RequestValues, Results, Scope, object};
use super::{Call, Flow, OnFailure, Reply};
use crate::operation::Answer;

/// A call that can begin.
#[derive(Debug)]
pub struct Ready {
    /// Its position among those of the operation.
    pub call: usize,
    /// The payload for the service.
    pub request: Payload,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Running,
    Ended,
}

/// The run of an operation for one request.
#[derive(Debug)]
pub struct Run<'f> {
    flow: &'f Flow,
    request: RequestValues,
    moment: Moment,
    states: Vec<State>,
    results: Results,
    failure: Option<Failure>,
    /// Mappings that failed, for the log.
    failed_mappings: Vec<String>,
}

impl Flow {
    /// Begins a run. All its expressions see the same time.
    #[must_use]
    pub fn begin(&self, request: RequestValues, moment: Moment) -> Run<'_> {
        let states = vec![State::Waiting; self.calls.len()];
        let (results, failed_mappings) = (Results::default(), Vec::new());
        Run { flow: self, request, moment, states, results, failure: None, failed_mappings }
    }
}

impl Run<'_> {
    /// The calls that can begin now; empty when all calls have ended, or when one has failed.
    pub fn ready(&mut self) -> Vec<Ready> {
        let mut ready = Vec::new();
        // A call that is skipped may set others free.
        while self.failure.is_none() {
            let Some(call) = self.next() else { break };
            self.states[call] = State::Running;
            match self.prepare(&self.flow.calls[call]) {
                Ok(Some(request)) => ready.push(Ready { call, request }),
                Ok(None) => self.states[call] = State::Ended,
                Err(failure) => {
                    self.failed_mappings.extend(failure.log.clone());
                    self.failed(call, failure);
                }
            }
        }
        ready
    }

    /// Takes what a call came to.
    pub fn ended(&mut self, call: usize, result: Result<Payload, Failure>) {
        self.states[call] = State::Ended;
        let converted = result.and_then(|payload| self.flow.calls[call].result(&payload));
        match converted {
            Ok(value) => {
                let name = self.flow.calls[call].name.clone();
                self.results.calls.insert(name, value);
            }
            Err(failure) => self.failed(call, failure),
        }
    }

    /// Makes the answer: of the first reply whose condition holds, or if anything failed of one that names `$error`. The
    /// mappings that failed on the way are for the log: the answer need not say anything of them.
    ///
    /// # Errors
    /// The failure, if no reply handles it.
    pub fn answer(mut self) -> (Result<Answer, Failure>, Vec<String>) {
        let failure = match self.failure.take() {
            Some(failure) => failure,
            None => match self.reply(|_| true) {
                Ok(Some(answer)) => return (Ok(answer), self.failed_mappings),
                Ok(None) => Failure::new(Code::NoReply),
                Err(failure) => {
                    self.failed_mappings.extend(failure.log.clone());
                    failure
                }
            },
        };
        self.results = Results { error: describe(&failure), ..Results::default() };
        let result = match self.reply(|reply| reply.for_errors) {
            Ok(Some(answer)) => Ok(answer),
            // The first failure counts.
            Ok(None) => Err(failure),
            Err(second) => {
                self.failed_mappings.extend(second.log);
                Err(failure)
            }
        };
        (result, self.failed_mappings)
    }

    /// The first call that waits for nothing more.
    fn next(&self) -> Option<usize> {
        let calls = self.flow.calls.iter().enumerate();
        let mut free = calls.filter(|(position, call)| {
            self.states[*position] == State::Waiting
                && call.waits_for.iter().all(|other| self.states[*other] == State::Ended)
        });
        free.next().map(|(position, _)| position)
    }

    /// The request of a call, or none if its condition does not hold.
    fn prepare(&self, call: &Call) -> Result<Option<Payload>, Failure> {
        let scope = Scope::new(&self.request, &self.results, self.moment);
        let fail =
            |error: MappingError| mapping_failed(&format!("request of the call {}", call.name), &error);
        let unjudged = |error| mapping_failed(&format!("condition of the call {}", call.name), &error);
        if let Some(condition) = &call.when
            && !holds(condition, &scope).map_err(unjudged)?
        {
            return Ok(None);
        }
        let mut value = call.request.evaluate(&scope).map_err(fail)?;
        if let Some(wrapper) = &call.wrapper {
            value = value.get(wrapper).cloned().unwrap_or_default();
        }
        if matches!(value, Value::Undefined) {
            value = object([]);
        }
        let mut json = Vec::new();
        value.write_json(&mut json);
        call.conversion.request(&json).map(Some).map_err(|failure| call.refused(failure))
    }

    fn failed(&mut self, call: usize, failure: Failure) {
        self.states[call] = State::Ended;
        let call = &self.flow.calls[call];
        match call.on_failure {
            OnFailure::Continue => self.results.errors.insert(call.name.clone(), describe(&failure)),
            OnFailure::Fail => {
                self.failure.get_or_insert(failure);
            }
        }
    }

    /// The answer of the first reply of these whose condition holds.
    fn reply(&self, may: impl Fn(&Reply) -> bool) -> Result<Option<Answer>, Failure> {
        let scope = Scope::new(&self.request, &self.results, self.moment);
        for reply in self.flow.replies.iter().filter(|reply| may(reply)) {
            let applies = match &reply.when {
                Some(condition) => holds(condition, &scope).map_err(|error| {
                    mapping_failed(&format!("condition of the response {}", reply.status.as_u16()), &error)
                })?,
                None => true,
            };
            if applies {
                let fail = |error| mapping_failed(&format!("response {}", reply.status.as_u16()), &error);
                return reply.answer(&scope).map(Some).map_err(fail);
            }
        }
        Ok(None)
    }
}

impl Call {
    /// True if the mapping made what the service does not take, whatever the caller sent. The names are the mapping's. A value may be the
    /// caller's if the mapping reads the request.
    fn is_to_blame(&self, code: Code) -> bool {
        use Code::{BadJson, DuplicateField, MissingField, TooDeep, UnknownField, View, WrongType};
        match code {
            BadJson | DuplicateField | UnknownField | View => true,
            MissingField | TooDeep | WrongType => !self.reads_request,
            _ => false,
        }
    }

    /// The failure that a caller sees if the service does not take the request. The caller must not see names of the service. If the
    /// whole body goes there, the names of the service are those of the body.
    fn refused(&self, mut failure: Failure) -> Failure {
        let why = failure.details.clone().or(failure.log);
        failure.log = why.map(|why| self.explain(&why));
        if !self.takes_body {
            failure.details = None;
            if self.is_to_blame(failure.code) {
                failure.code = Code::MappingFailed;
            }
        }
        failure
    }

    /// Why a request does not become what the service takes: which target, and the expression that makes it.
    fn explain(&self, why: &str) -> String {
        let path = why.split_once(": ").map_or("", |(path, _)| path);
        let path: Vec<&str> = path.split(['/', '.']).collect();
        // The object around all members may be in the mapping alone.
        let wrapped: Vec<&str> = self.wrapper.iter().map(|wrapper| &**wrapper).chain(path).collect();
        let source = self.request.source_of(&wrapped);
        let source = source.map(|source| format!(", made by {source}")).unwrap_or_default();
        format!("request of the call {}: {why}{source}", self.name)
    }

    /// The result of a call as expressions see it.
    fn result(&self, payload: &Payload) -> Result<Value, Failure> {
        let mut json = Vec::new();
        self.conversion.response(payload, &mut json)?;
        let value = Value::from_json(&json, JSON_DEPTH_MAX)
            .map_err(|error| Failure { log: Some(error.to_string()), ..Failure::new(Code::Internal) })?;
        Ok(match &self.wrapper {
            Some(wrapper) => object([(wrapper.clone(), value)]),
            None => value,
        })
    }
}

impl Reply {
    fn answer(&self, scope: &Scope<'_>) -> Result<Answer, MappingError> {
        let mut headers = Vec::with_capacity(self.headers.len());
        for (name, member) in &self.headers {
            let place = |error: MappingError| error.below(&format!("header {name}"));
            if let Some(value) = member.evaluate(scope).map_err(place)? {
                headers.push((name.clone(), header(name, member, &value)?));
            }
        }
        let mut body = Vec::new();
        if let Some(member) = &self.body
            && let Some(value) = member.evaluate(scope).map_err(|error| error.below("body"))?
        {
            value.write_json(&mut body);
        }
        Ok(Answer { status: self.status, reason: None, headers, body })
    }
}

fn header(name: &HeaderName, member: &Member, value: &Value) -> Result<HeaderValue, MappingError> {
    let text = match value.as_str() {
        Some(text) => text.to_owned(),
        None => {
            let mut json = Vec::new();
            value.write_json(&mut json);
            String::from_utf8_lossy(&json).into_owned()
        }
    };
    HeaderValue::from_str(&text).map_err(|_| MappingError {
        expression: member.body.source_of(&[]).cloned(),
        ..MappingError::new("the value cannot be that of a header").below(&format!("header {name}"))
    })
}

/// The part of a failure that expressions see. It is the part that a caller may know.
fn describe(failure: &Failure) -> Value {
    let text = |text: &str| Value::from(text);
    let mut members = vec![
        ("code".into(), text(failure.code.as_str())),
        ("message".into(), text(failure.code.text())),
        ("status".into(), Value::from(i64::from(failure.code.status().as_u16()))),
    ];
    if let Some(details) = &failure.details {
        members.push(("details".into(), text(details)));
    }
    object(members)
}

/// The log says which target, why, and which expression.
fn mapping_failed(what: &str, error: &MappingError) -> Failure {
    let place = if error.path.is_empty() { String::new() } else { format!(" {}:", error.path) };
    let source = error.expression.as_ref().map(|source| format!(", in {source}")).unwrap_or_default();
    let log = Some(format!("{what}:{place} {}{source}", error.message));
    Failure { log, ..Failure::new(Code::MappingFailed) }
}
