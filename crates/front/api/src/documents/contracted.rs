//! The documents of an API that starts from its own: the author's, with the gateway's failures added.

use std::sync::Arc;

use contract::{Contract, FailureAnswer, Location, Operation, Rendering};
use failure::{Code, JSON};
use http::StatusCode;

use super::parts::{ERROR_NAME, by_status, error_schema, is_of_body};
use super::{OPENAPI_PATH, SWAGGER_PATH};
use crate::api::Document;

/// The documents of an API at its base path, with the statuses that failures have there, and the failures by which callers
/// of each operation may be refused. Operations that are not served are left out. How callers are known the author's document tells.
pub(crate) fn of_contract<'r>(
    contract: &Contract,
    base_path: &str,
    statuses: &[(Code, StatusCode)],
    refusals: &dyn Fn(&Operation) -> &'r [Code],
    is_served: &dyn Fn(&Operation) -> bool,
) -> Result<Vec<Document>, contract::Problem> {
    let failures = |operation: &Operation| failures(operation, statuses, refusals(operation));
    let failures: Vec<_> = contract.operations().iter().map(failures).collect();
    // A schema is made of names and texts: nothing in it cannot be written.
    let error_schema = serde_json::to_string(&error_schema()).unwrap_or_default();
    let operations = contract.operations().iter().enumerate();
    let left_out: Vec<usize> =
        operations.filter(|(_, operation)| !is_served(operation)).map(|(position, _)| position).collect();
    let rendering = Rendering {
        base_path,
        error_name: ERROR_NAME,
        error_schema: &error_schema,
        failures: &failures,
        left_out: &left_out,
    };
    let document = |path: &str, text: Vec<u8>| Document {
        path: format!("{base_path}{path}"),
        content_type: JSON,
        text: Arc::from(text),
    };
    Ok(vec![
        document(SWAGGER_PATH, contract.swagger20(&rendering)?.json),
        document(OPENAPI_PATH, contract.openapi31(&rendering)?),
    ])
}

/// The failures of an operation by status, with the texts of their codes.
fn failures(operation: &Operation, statuses: &[(Code, StatusCode)], refusals: &[Code]) -> Vec<FailureAnswer> {
    let by_status = by_status(statuses, |code| refusals.contains(&code) || may_happen(code, operation));
    let answer = |(status, description)| FailureAnswer { status, description };
    by_status.into_iter().map(answer).collect()
}

fn may_happen(code: Code, operation: &Operation) -> bool {
    let has = |location| operation.parameters.iter().any(|parameter| parameter.location == location);
    match code {
        Code::WrongContentType | Code::MissingBody | Code::Invalid => operation.body.is_some(),
        code if is_of_body(code) => operation.body.is_some(),
        Code::UnexpectedBody => operation.body.is_none(),
        Code::BadParameter => !operation.parameters.is_empty(),
        Code::RepeatedParameter => has(Location::Query) || has(Location::Header),
        Code::MissingParameter => operation.parameters.iter().any(|parameter| parameter.required),
        Code::BadUrl | Code::BadHost | Code::TooManyHeaders | Code::BodyTooLarge | Code::BodyTimeout => true,
        Code::BodyBroken | Code::Unmappable => true,
        Code::ProviderTimeout | Code::ProviderRefused | Code::ProviderFailed => true,
        Code::ProgramAbended | Code::BadRecord => true,
        Code::MappingFailed | Code::NoReply | Code::Internal => true,
        // These concern other paths and methods; the rules of security are known elsewhere.
        _ => false,
    }
}
