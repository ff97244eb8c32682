//! An operation that calls one service, at request time: HTTP to record before the call, record to HTTP after it.

use conversion::{StatedStatus, has_no_body, status_in_field};
use failure::{Code, Failure};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use record::{Bind, FieldSlot};
use routing::PathValues;

use crate::elsewhere::ElsewhereOperation;
use crate::flow::Flow;
use crate::parameters::Parameters;
use crate::protection::OperationProtection;
use crate::rules::Rules;
use crate::spec::Source;

/// A compiled operation.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "each is in an Arc of its own")]
pub enum Operation {
    /// One service is called, and fields are mapped one to one.
    Mapped(MappedOperation),
    /// Services are called in an order, and expressions map what goes in and comes out.
    Flow(Flow),
    /// Another front serves it.
    Elsewhere(ElsewhereOperation),
}

impl Operation {
    /// The id in documents, logs and metrics.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Operation::Mapped(mapped) => &mapped.id,
            Operation::Flow(flow) => flow.id(),
            Operation::Elsewhere(other) => &other.id,
        }
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> &Method {
        match self {
            Operation::Mapped(mapped) => &mapped.method,
            Operation::Flow(flow) => flow.method(),
            Operation::Elsewhere(_) => ElsewhereOperation::METHOD,
        }
    }

    /// The whole path with parameters: base path and path.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Operation::Mapped(mapped) => &mapped.path,
            Operation::Flow(flow) => flow.path(),
            Operation::Elsewhere(other) => &other.path,
        }
    }

    /// The names of the services that it calls, one for each call.
    pub fn services(&self) -> impl Iterator<Item = &str> {
        let (single, flow) = match self {
            Operation::Mapped(mapped) => (Some(&*mapped.service), None),
            Operation::Flow(flow) => (None, Some(flow.services())),
            Operation::Elsewhere(other) => (Some(&*other.service), None),
        };
        single.into_iter().chain(flow.into_iter().flatten())
    }

    /// The status of a failure: that of the API's own table, or else the code's.
    #[must_use]
    pub fn status_of(&self, code: Code) -> StatusCode {
        match self {
            Operation::Mapped(mapped) => mapped.status_of(code),
            Operation::Flow(flow) => flow.status_of(code),
            Operation::Elsewhere(_) => code.status(),
        }
    }

    /// True if a body is taken at all.
    #[must_use]
    pub fn takes_body(&self) -> bool {
        match self {
            Operation::Mapped(mapped) => mapped.request.body != BodyRule::None,
            Operation::Flow(flow) => flow.takes_body(),
            Operation::Elsewhere(_) => true,
        }
    }
}

/// The status of a failure: that of a table of an API's own, or else the code's.
pub(crate) fn status_of(own: &[(Code, StatusCode)], code: Code) -> StatusCode {
    let own = own.iter().find(|(known, _)| *known == code);
    own.map_or_else(|| code.status(), |(_, status)| *status)
}

/// A compiled operation: one service, with a mapping before it and one after it.
#[derive(Debug)]
pub struct MappedOperation {
    pub(crate) id: String,
    pub(crate) method: Method,
    /// The whole path with parameters: base path and path.
    pub(crate) path: String,
    pub(crate) service: String,
    /// The program may give the status beside its record.
    pub(crate) states_status: bool,
    pub(crate) summary: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) request: RequestMapping,
    /// The response where no other one applies.
    pub(crate) response: ResponseMapping,
    /// Responses under rules, in the order in which they are tried.
    pub(crate) responses: Vec<RuledResponse>,
    /// Other statuses for failures of the provider.
    pub(crate) statuses: Vec<(Code, StatusCode)>,
    /// The requirements on callers, as the documents show them.
    pub(crate) protection: OperationProtection,
}

/// A response under rules.
#[derive(Debug)]
pub(crate) struct RuledResponse {
    pub(crate) rules: Rules,
    pub(crate) mapping: ResponseMapping,
}

#[derive(Debug)]
pub(crate) struct RequestMapping {
    pub(crate) bind: Bind,
    pub(crate) moves: Vec<Move>,
    pub(crate) body: BodyRule,
    /// Query parameters that are not moved are refused.
    pub(crate) refuses_unknown_query: bool,
}

/// The use of a body by an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyRule {
    /// It must be there.
    Required,
    /// It may be there, though no field is left for it to fill.
    Optional,
    /// It must not be there: GET and DELETE have none.
    None,
}

/// A parameter on its way into a field.
#[derive(Debug)]
pub(crate) struct Move {
    /// Of a path parameter: its place among those of the path.
    pub(crate) position: usize,
    pub(crate) source: Source,
    pub(crate) name: String,
    pub(crate) slot: FieldSlot,
    pub(crate) required: bool,
    pub(crate) description: Option<String>,
}

#[derive(Debug)]
pub(crate) struct ResponseMapping {
    pub(crate) description: Option<String>,
    pub(crate) bind: Bind,
    pub(crate) status: StatusCode,
    /// Where the record has a status of its own.
    pub(crate) status_field: Option<FieldSlot>,
    pub(crate) headers: Vec<ResponseHeader>,
}

#[derive(Debug)]
pub(crate) struct ResponseHeader {
    pub(crate) name: HeaderName,
    pub(crate) value: HeaderSource,
}

#[derive(Debug)]
pub(crate) enum HeaderSource {
    Constant(HeaderValue),
    Field(FieldSlot),
}

/// The parts of a request that become the call of a service.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'r> {
    /// The values of the path's parameters.
    pub path: &'r PathValues<'r>,
    /// The query, still percent-encoded.
    pub query: Option<&'r str>,
    /// The headers.
    pub headers: &'r HeaderMap,
    /// The body; empty if there is none.
    pub body: &'r [u8],
}

/// The answer to a caller.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The text that goes with it, if it is not the usual.
    pub reason: Option<String>,
    /// Headers of the mapping.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The JSON.
    pub body: Vec<u8>,
}

impl MappedOperation {
    /// The status of a failure: that of the API's own table, or else the code's.
    pub(crate) fn status_of(&self, code: Code) -> StatusCode {
        status_of(&self.statuses, code)
    }

    /// Whether the API's own table has a status for the failure.
    pub(crate) fn has_own_status(&self, code: Code) -> bool {
        self.statuses.iter().any(|(known, _)| *known == code)
    }

    /// Makes the request record: the template, then the parameters, then the body's values.
    ///
    /// # Errors
    /// The fault of the request, for its sender.
    pub fn request(&self, request: &Inputs<'_>) -> Result<Vec<u8>, Failure> {
        let Inputs { path, query, headers, body } = *request;
        let mapping = &self.request;
        let parameters = Parameters { path, query: query.unwrap_or_default(), headers };
        if mapping.refuses_unknown_query {
            parameters.check_query(|name| mapping.moves.iter().any(|step| step.is_query(name)))?;
        }
        let mut record = Vec::with_capacity(mapping.bind.max_bytes());
        mapping.bind.start(&mut record);
        for step in &mapping.moves {
            step.run(&parameters, &mapping.bind, &mut record)?;
        }
        match (mapping.body, body.is_empty()) {
            (BodyRule::Required, true) => return Err(Failure::new(Code::MissingBody)),
            (BodyRule::None, false) => return Err(Failure::new(Code::UnexpectedBody)),
            (_, true) => {}
            (_, false) => {
                mapping.bind.fill(body, &mut record).map_err(|error| Failure::from_request(&error))?
            }
        }
        mapping.bind.finish(&mut record).map_err(|error| Failure::from_request(&error))?;
        Ok(record)
    }

    /// All response mappings, the one without rules first.
    pub(crate) fn mappings(&self) -> impl Iterator<Item = &ResponseMapping> {
        std::iter::once(&self.response).chain(self.responses.iter().map(|ruled| &ruled.mapping))
    }

    /// The response mapping that applies to a record.
    fn mapping(&self, record: &[u8]) -> Result<&ResponseMapping, Failure> {
        for RuledResponse { rules, mapping } in &self.responses {
            if rules.hold(&mapping.bind, record)? {
                return Ok(mapping);
            }
        }
        Ok(&self.response)
    }

    /// Makes the answer from the service's record.
    ///
    /// # Errors
    /// The record does not have the layout of the service, or its status is not valid.
    pub fn response(&self, record: &[u8]) -> Result<Answer, Failure> {
        let mapping = self.mapping(record)?;
        let mut body = Vec::new();
        if !has_no_body(mapping.status) {
            mapping.bind.decode(record, &mut body).map_err(|error| Failure::from_response(&error))?;
        }
        let mut headers = Vec::with_capacity(mapping.headers.len());
        for header in &mapping.headers {
            headers.push((header.name.clone(), header.value(&mapping.bind, record)?));
        }
        let mut answer = Answer { status: mapping.status, reason: None, headers, body };
        if let Some(slot) = &mapping.status_field
            && let Some(status) = status_in_field(slot, &mapping.bind, record)?
        {
            answer.state(StatedStatus { status, reason: None });
        }
        Ok(answer)
    }

    /// The mappings whose answers may have any status, because the program gives it.
    pub(crate) fn open_mappings(&self) -> impl Iterator<Item = &ResponseMapping> {
        self.mappings().filter(|mapping| self.states_status || mapping.status_field.is_some())
    }
}

impl Answer {
    /// The answer of a service that gives nothing back, with a status that allows no body.
    #[must_use]
    pub fn empty(stated: StatedStatus) -> Self {
        Self { status: stated.status, reason: stated.reason, headers: Vec::new(), body: Vec::new() }
    }

    /// Gives the answer the status that a program has for it. Where that allows no body, it has none.
    pub fn state(&mut self, stated: StatedStatus) {
        self.status = stated.status;
        self.reason = stated.reason;
        if has_no_body(self.status) {
            self.body.clear();
        }
    }
}

impl Move {
    fn is_query(&self, name: &str) -> bool {
        self.source == Source::Query && self.name == name
    }

    fn run(&self, parameters: &Parameters<'_>, bind: &Bind, record: &mut [u8]) -> Result<(), Failure> {
        let Some(value) = parameters.get(self.source, &self.name, self.position)? else {
            let details = || format!("{} parameter {}", self.source.word(), self.name);
            return if self.required {
                Err(Failure::with_details(Code::MissingParameter, details()))
            } else {
                Ok(())
            };
        };
        bind.set(&self.slot, &value, record).map_err(|error| {
            let details = format!("{} parameter {}: {}", self.source.word(), self.name, error.message);
            Failure::with_details(Code::BadParameter, details)
        })
    }
}

impl ResponseHeader {
    fn value(&self, bind: &Bind, record: &[u8]) -> Result<HeaderValue, Failure> {
        match &self.value {
            HeaderSource::Constant(value) => Ok(value.clone()),
            HeaderSource::Field(slot) => {
                let text = bind.get(slot, record).map_err(|error| Failure::from_response(&error))?;
                HeaderValue::from_str(&text).map_err(|_| Failure {
                    code: Code::BadRecord,
                    details: Some(format!("bad value: {} cannot be a header", slot.path())),
                    log: None,
                })
            }
        }
    }
}
