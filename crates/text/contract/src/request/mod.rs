//! Checks a request against its operation: parameters become typed values, and the body is read and checked.

mod parameters;
mod query;

use expression::{Object, Value};
use http::HeaderMap;

use crate::check::{Check, Direction, Options, Path};
use crate::contract::Contract;
use crate::operation::{Operation, json_content};
use crate::violation::{Subject, Violation, ViolationKind};

/// The parameters of one request, as they came.
#[derive(Clone, Copy, Debug)]
pub struct RequestParts<'a> {
    /// Names and texts of the path's parameters. The texts are still percent-encoded.
    pub path: &'a [(&'a str, &'a str)],
    /// The query without its question mark; empty if there is none.
    pub query: &'a str,
    /// All headers.
    pub headers: &'a HeaderMap,
}

/// The parameters of a request that the operation has, with the types of their schemas and with defaults.
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    /// By name.
    pub path: Object,
    /// By name.
    pub query: Object,
    /// By name, in any case.
    pub headers: Object,
    /// By name.
    pub cookies: Object,
}

impl Contract {
    /// Reads and checks the parameters of a request.
    ///
    /// # Errors
    /// Their violations, up to [`Options::violation_count_max`].
    pub fn parameters(
        &self,
        operation: &Operation,
        parts: &RequestParts<'_>,
        options: &Options,
    ) -> Result<Parameters, Vec<Violation>> {
        let mut check = Check::new(&self.schemas, options, Direction::Request);
        let read = parameters::read(&mut check, operation, parts, options);
        let violations = check.into_violations();
        if violations.is_empty() { Ok(read) } else { Err(violations) }
    }

    /// Reads and checks the body of a request. Its media type is JSON. None if there is no body and none is
    /// needed.
    ///
    /// # Errors
    /// Its violations, up to [`Options::violation_count_max`].
    pub fn body(
        &self,
        operation: &Operation,
        body: &[u8],
        options: &Options,
    ) -> Result<Option<Value>, Vec<Violation>> {
        let wrong = |kind, expected: &str| {
            let (expected, found) = (expected.to_owned(), String::new());
            Err(vec![Violation { kind, subject: Subject::Body, path: String::new(), expected, found }])
        };
        let declared = match &operation.body {
            None if body.is_empty() => return Ok(None),
            None => return wrong(ViolationKind::UnexpectedBody, "no body"),
            Some(declared) if body.is_empty() && !declared.required => return Ok(None),
            Some(_) if body.is_empty() => return wrong(ViolationKind::MissingBody, "a JSON body"),
            Some(declared) => declared,
        };
        let mut check = Check::new(&self.schemas, options, Direction::Request);
        let Some(mut value) = check.json(body, &Path::Root("")) else { return Err(check.into_violations()) };
        if let Some(schema) = json_content(&declared.content).and_then(|content| content.schema) {
            if options.defaults_filled {
                value = check.filled(schema, &value, &Path::Root(""));
            }
            check.value(schema, &value, &Path::Root(""));
        }
        let violations = check.into_violations();
        if violations.is_empty() { Ok(Some(value)) } else { Err(violations) }
    }
}
