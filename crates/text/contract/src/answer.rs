//! Checks an answer against its operation, for authors of mappings: during development, not in operation.

use expression::Value;
use http::{HeaderMap, StatusCode};

use crate::check::{Check, Direction, Options, Path};
use crate::contract::Contract;
use crate::operation::{Operation, Response, json_content};
use crate::schema::text_types;
use crate::violation::{Subject, Violation, ViolationKind};

/// An answer before it is sent.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: &'a HeaderMap,
    /// Its body. It is JSON if there is any.
    pub body: &'a [u8],
}

impl Contract {
    /// Checks an answer.
    ///
    /// # Errors
    /// The differences from the document, up to [`Options::violation_count_max`].
    pub fn answer(
        &self,
        operation: &Operation,
        answer: &Answer<'_>,
        options: &Options,
    ) -> Result<(), Vec<Violation>> {
        let mut check = Check::new(&self.schemas, options, Direction::Response);
        match operation.response(answer.status.as_u16()) {
            Some(response) => {
                self.headers(&mut check, response, answer.headers);
                body(&mut check, response, answer.body);
            }
            None => undocumented(&mut check, "", "a documented status", answer.status.as_str()),
        }
        let violations = check.into_violations();
        if violations.is_empty() { Ok(()) } else { Err(violations) }
    }

    fn headers(&self, check: &mut Check<'_>, response: &Response, headers: &HeaderMap) {
        for header in &response.headers {
            let path = format!("header {}", header.name);
            let Some(value) = headers.get(&header.name) else {
                if header.required {
                    undocumented(check, &path, "a value", "none");
                }
                continue;
            };
            check.subject = Subject::Answer;
            match (header.schema, value.to_str()) {
                (Some(schema), Ok(text)) => {
                    let value: Value = text_types(&self.schemas, schema).single.value_of(text);
                    check.value(schema, &value, &Path::Root(&path));
                }
                (Some(_), Err(_)) => undocumented(check, &path, "text", "other bytes"),
                (None, _) => {}
            }
        }
    }
}

fn body(check: &mut Check<'_>, response: &Response, body: &[u8]) {
    check.subject = Subject::Body;
    let content = json_content(&response.content);
    match (content, body) {
        (None, []) => {}
        // A body that is not JSON is not checked.
        (None, _) if !response.content.is_empty() => {}
        (None, _) => undocumented(check, "", "no body", "one"),
        (Some(_), []) => undocumented(check, "", "a JSON body", "none"),
        (Some(content), body) => {
            let Some(value) = check.json(body, &Path::Root("")) else { return };
            if let Some(schema) = content.schema {
                check.value(schema, &value, &Path::Root(""));
            }
        }
    }
}

fn undocumented(check: &mut Check<'_>, path: &str, expected: &str, found: &str) {
    check.add(Violation {
        kind: ViolationKind::Undocumented,
        subject: Subject::Answer,
        path: path.to_owned(),
        expected: expected.to_owned(),
        found: found.to_owned(),
    });
}
