//! An operation by expressions before it is compiled: plain data, from our text files or from an API project.

use std::sync::Arc;
use std::time::Duration;

use http::Method;

/// A text that a user wrote, with its file and line, so that a message can name it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The text.
    pub text: String,
    /// The file, relative to the API's folder; empty if it is the API's own file.
    pub file: Arc<str>,
    /// The line, from 1; 0 if unknown.
    pub line: usize,
}

impl From<&str> for Written {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }
}

/// An operation of a contract: the services that it calls, and the answers that come of them.
#[derive(Clone, Debug)]
pub struct FlowSpec {
    /// The method.
    pub method: Method,
    /// The path as the contract has it, with `{parameters}`.
    pub path: Written,
    /// The time that all its calls may take together.
    pub timeout: Duration,
    /// The calls. Each waits for those that it names, and unless told otherwise for the one before it.
    pub calls: Vec<CallSpec>,
    /// The answers. The first one whose condition holds is used.
    pub replies: Vec<ReplySpec>,
}

/// The effect of a failed call on its operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// No further call begins, and the operation answers with a reply for `$error`, or fails.
    #[default]
    Fail,
    /// The others go on; expressions see `$errors.NAME` instead of `$calls.NAME`.
    Continue,
}

/// A call of a service within an operation.
#[derive(Clone, Debug)]
pub struct CallSpec {
    /// The name under which expressions see its result: `$calls.NAME`.
    pub name: Written,
    /// The service's name.
    pub service: Written,
    /// A condition; if it does not hold the service is not called, and its result does not exist.
    pub when: Option<Written>,
    /// The calls that it waits for, besides those that its expressions name; none is the call before it.
    pub after: Option<Vec<Written>>,
    /// The input of the service, as its JSON.
    pub request: BodySpec,
    /// The member of the mapping that holds the service's JSON, and the one that expressions see it under
    /// (`commarea`); none if there is nothing around it.
    pub wrapper: Option<&'static str>,
    /// The effect on the operation if the call fails.
    pub on_failure: OnFailure,
}

/// One of the answers of an operation.
#[derive(Clone, Debug)]
pub struct ReplySpec {
    /// When it is the one; none is always.
    pub when: Option<Written>,
    /// Its status.
    pub status: u16,
    /// The place that messages name.
    pub place: Written,
    /// Its headers.
    pub headers: Vec<MemberSpec>,
    /// Its body; none has no body.
    pub body: Option<MemberSpec>,
}

/// A member of a mapping and what it becomes.
#[derive(Clone, Debug)]
pub struct MemberSpec {
    /// Its name.
    pub name: Written,
    /// The body that it becomes.
    pub body: BodySpec,
    /// True: the mapping fails without a value. False: it is left out if it is empty. Not said: it may be missing, and
    /// stands there if it is empty.
    pub required: Option<bool>,
    /// Null is a value; else it counts as none. Not said: it is one.
    pub nullable: Option<bool>,
    /// Whether it stands in the result although it is empty.
    pub exists_if_empty: Option<Written>,
}

impl MemberSpec {
    /// A member that is there if it has a value.
    #[must_use]
    pub fn new(name: Written, body: BodySpec) -> Self {
        Self { name, body, required: None, nullable: None, exists_if_empty: None }
    }
}

/// The value of a member.
#[derive(Clone, Debug)]
pub enum BodySpec {
    /// Text with expressions in it, in `{{` and `}}`.
    Template(Written),
    /// The value of an expression.
    Expression(Written),
    /// An object.
    Object(Vec<MemberSpec>),
    /// An array: the inner body for each item (`$item`) of the input.
    Each {
        /// The array whose items are mapped.
        input: Written,
        /// Whether an item stands in the array although it is empty.
        exists_if_empty: Option<Written>,
        /// The mapping of each item.
        body: Box<BodySpec>,
    },
    /// Nothing.
    Nothing,
}

impl BodySpec {
    /// True for the body of the caller, unchanged.
    pub(super) fn is_body(&self) -> bool {
        matches!(self, Self::Expression(written) if written.text.trim() == "$body")
    }
}
