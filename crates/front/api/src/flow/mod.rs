//! Operations by expressions: the answers of one service or of several make what a contract promises.
//!
//! A [`Flow`] is compiled when its API is loaded. At request time a [`Run`] says which calls can begin, takes their
//! results, and makes the answer. Its driver makes the calls, side by side where the run allows it. Deliberately
//! absent: waiting, deadlines and providers. They belong to the driver.

mod compile;
mod misread;
mod node;
mod run;
mod scope;
mod spec;

use std::sync::Arc;
use std::time::Duration;

use contract::{Contract, Options, RequestParts, Violation};
use conversion::Conversion;
use expression::{Expression, Value};
use failure::{Code, Failure};
use http::{HeaderMap, HeaderName, Method, StatusCode};

use crate::operation::{Answer, Inputs, status_of};
pub(crate) use compile::Surroundings;
use node::{Member, Node, Sourced};

pub use run::{Ready, Run};
pub use scope::{Moment, RequestValues};
pub use spec::{BodySpec, CallSpec, FlowSpec, MemberSpec, OnFailure, ReplySpec, Written};

/// A compiled operation by expressions.
#[derive(Debug)]
pub struct Flow {
    pub(crate) id: String,
    pub(crate) method: Method,
    /// The whole path with parameters: base path and path.
    pub(crate) path: String,
    pub(crate) statuses: Vec<(Code, StatusCode)>,
    /// The time that all its calls may take together.
    timeout: Duration,
    contract: Arc<Contract>,
    /// The position of the operation in the contract.
    operation: usize,
    /// The names of the path's parameters, in their order.
    path_names: Vec<String>,
    /// How strictly requests are judged.
    options: Options,
    /// Answers are judged too.
    check_responses: bool,
    calls: Vec<Call>,
    replies: Vec<Reply>,
}

/// A call of a service.
#[derive(Debug)]
struct Call {
    name: Arc<str>,
    service: String,
    conversion: Conversion,
    when: Option<Sourced<Expression>>,
    /// The positions of the calls that must have ended before it.
    waits_for: Vec<usize>,
    request: Node,
    /// The request is the body of the caller, unchanged.
    takes_body: bool,
    /// Parts of the caller's request are in it.
    reads_request: bool,
    wrapper: Option<Arc<str>>,
    on_failure: OnFailure,
}

/// An answer.
#[derive(Debug)]
struct Reply {
    when: Option<Sourced<Expression>>,
    status: StatusCode,
    headers: Vec<(HeaderName, Member)>,
    body: Option<Member>,
    /// It names `$error`, and so can answer for a failure.
    for_errors: bool,
}

impl Flow {
    /// The id in documents, logs and metrics.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// The whole path with parameters.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The names of the services of its calls, in their order; one may stand there more than once.
    pub fn services(&self) -> impl Iterator<Item = &str> {
        self.calls.iter().map(|call| &*call.service)
    }

    /// The time that all its calls may take together.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// True if a body is taken at all.
    pub(crate) fn takes_body(&self) -> bool {
        self.promise().body.is_some()
    }

    /// The document that its API starts from.
    pub(crate) fn contract(&self) -> &Contract {
        &self.contract
    }

    /// The operation in the document.
    pub(crate) fn promise(&self) -> &contract::Operation {
        &self.contract.operations()[self.operation]
    }

    /// The replies with a status from 200 to 299: the status, and whether there is a body.
    pub(crate) fn successes(&self) -> impl Iterator<Item = (u16, bool)> {
        let successes = self.replies.iter().filter(|reply| reply.status.is_success());
        successes.map(|reply| (reply.status.as_u16(), reply.body.is_some()))
    }

    /// The values of a request, judged by the contract.
    ///
    /// # Errors
    /// The violations of the contract. The code is that of the first one.
    pub fn values(
        &self,
        request: &Inputs<'_>,
        caller: Option<service::Caller<'_>>,
    ) -> Result<RequestValues, Failure> {
        let Inputs { path, query, headers, body } = *request;
        let operation = self.promise();
        let texts: Vec<(&str, &str)> = self.path_names.iter().map(String::as_str).zip(path.texts()).collect();
        let parts = RequestParts { path: &texts, query: query.unwrap_or_default(), headers };
        let parameters = self.contract.parameters(operation, &parts, &self.options).map_err(refused)?;
        let body = self.contract.body(operation, body, &self.options).map_err(refused)?;
        Ok(RequestValues {
            headers: parameters.headers.into(),
            query: parameters.query.into(),
            path: parameters.path.into(),
            cookies: parameters.cookies.into(),
            body: body.unwrap_or_default(),
            user: caller.map(user).unwrap_or_default(),
        })
    }

    /// The differences between an answer and the contract; none if answers of this API are not checked.
    #[must_use]
    pub fn violations(&self, answer: &Answer) -> Vec<Violation> {
        if !self.check_responses {
            return Vec::new();
        }
        let headers: HeaderMap = answer.headers.iter().cloned().collect();
        let answer = contract::Answer { status: answer.status, headers: &headers, body: &answer.body };
        self.contract.answer(self.promise(), &answer, &Options::default()).err().unwrap_or_default()
    }

    pub(crate) fn status_of(&self, code: Code) -> StatusCode {
        status_of(&self.statuses, code)
    }
}

/// The failure for a request that violates the contract: the code of the first violation, and the words of all.
fn refused(violations: Vec<Violation>) -> Failure {
    let code = violations.first().map_or(Code::Invalid, code_of);
    let words: Vec<String> = violations.iter().map(Violation::to_string).collect();
    Failure::with_details(code, words.join("; "))
}

/// The code of a violation.
fn code_of(violation: &Violation) -> Code {
    use contract::{Subject, ViolationKind};
    let parameter = matches!(violation.subject, Subject::Parameter(_));
    match violation.kind {
        ViolationKind::BadUrl => Code::BadUrl,
        ViolationKind::MissingParameter => Code::MissingParameter,
        ViolationKind::RepeatedParameter => Code::RepeatedParameter,
        ViolationKind::UnknownParameter => Code::UnknownParameter,
        ViolationKind::MissingBody => Code::MissingBody,
        ViolationKind::UnexpectedBody => Code::UnexpectedBody,
        _ if parameter => Code::BadParameter,
        ViolationKind::Syntax => Code::BadJson,
        ViolationKind::MissingField => Code::MissingField,
        ViolationKind::UnknownField | ViolationKind::WrongDirection => Code::UnknownField,
        ViolationKind::DuplicateField => Code::DuplicateField,
        ViolationKind::WrongType => Code::WrongType,
        ViolationKind::OutOfRange => Code::OutOfRange,
        ViolationKind::TooLong => Code::TooLong,
        ViolationKind::Elements => Code::RowCount,
        ViolationKind::TooDeep => Code::TooDeep,
        _ => Code::Invalid,
    }
}

fn user(caller: service::Caller<'_>) -> Value {
    let groups = caller.groups.iter().map(|group| Value::from(&**group));
    scope::object([("name".into(), Value::from(caller.user)), ("groups".into(), Value::array(groups))])
}
