//! Calls of remote APIs by programs: API requesters with their operations, and the trait by which programs call them.
//!
//! # The path of a request
//!
//! 1. A record comes to `remote::HttpProvider::call` (a service) or to `Requester::call` (an API requester).
//! 2. `operation::RequestPlan` reads the fields that are parameters from their slots, and writes the rest as JSON. All
//!    plans are made when the configuration is loaded.
//! 3. `remote::Connection::exchange` waits for a place, adds credentials and sends. It sends again where that does
//!    no harm, never past the caller's deadline.
//! 4. The status chooses an `AnswerPlan`. Its function `record` makes the record.
//!
//! The configuration alone says which host is called. Data can only become a part of the path, a value of the query, a
//! header or the body. `remote::PathTemplate`, `push_query` and `header_value` are the only ways in.
//!
//! The crate `remote` knows no record, and a program's call knows no HTTP. Between them are the traits
//! `remote::RecordsOverHttp` and `service::ApiRequester`.
//!
//! An operation whose structures have data areas (`areas`, for the Host API) goes the same way, with the crate
//! `channel` in place of a bind. Its elements are rows of containers. Only a program with BAQPUTN and BAQGETN can name
//! them.
//!
//! The gateway itself asks others too: interceptors, collectors of spans, and an admin address for `gantry region`. Those
//! requests go through `json_server`, which uses a `Connection` too.

mod areas;
mod operation;
mod programs;
mod text;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use record::Bind;
use remote::{Answer, Call, CallerName, Connection, Outgoing, RecordsOverHttp};
use security::{Access, Refused};
use service::{
    ApiAnswer, ApiCall, ApiError, ApiErrorKind, ApiFuture, ApiOperation, ApiRequest, ApiRequester, Error,
    ErrorKind,
};

use crate::live::Live;

use areas::Misfit;
pub(crate) use areas::{AreaOperation, AreaParameter, AreaRequest, AreaResponse, MemberPath};
pub(crate) use programs::surroundings;

pub(crate) use operation::{
    AnswerPlan, Body, OutboundOperation, Parameter, RECORD_TYPE, RequestPlan, Statuses, unplanned,
    usual_headers,
};

/// A remote API that programs call.
#[derive(Debug)]
pub(crate) struct Requester {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) description: String,
    /// The name of its connection, which may be missing for one from a package.
    pub(crate) connection_name: String,
    pub(crate) connection: Option<Arc<Connection>>,
    pub(crate) base_path: String,
    /// For whom programs may call it.
    pub(crate) access: Access,
    pub(crate) timeout: Duration,
    pub(crate) operations: BTreeMap<String, RequesterOperation>,
}

/// One of its operations.
#[derive(Debug)]
pub(crate) struct RequesterOperation {
    pub(crate) method: String,
    /// Below the base path.
    pub(crate) path: String,
    pub(crate) plan: OperationPlan,
}

/// How an operation goes over HTTP.
#[derive(Clone, Debug)]
pub(crate) enum OperationPlan {
    /// One record out, and one back for each status.
    Record {
        plan: Arc<OutboundOperation>,
        /// The whole record that a program gives, for those who have JSON.
        request: Option<Arc<Bind>>,
    },
    /// Structures with data areas, which programs give and take by the Host API.
    Areas(Arc<AreaOperation>),
}

/// A request that is ready to be sent, and what becomes of its answer.
struct Exchange {
    outgoing: Outgoing,
    plan: OperationPlan,
}

impl Requester {
    /// The operation that a call means.
    pub(crate) fn operation(&self, wanted: ApiOperation<'_>) -> Option<&RequesterOperation> {
        match wanted {
            ApiOperation::Named(name) => self.operations.get(name),
            ApiOperation::At { method, path } => {
                let path = percent_encoding::percent_decode_str(path.trim_end()).decode_utf8().ok()?;
                let at = |path: &str| {
                    let method = method.trim_end();
                    self.operations.values().find(|operation| {
                        operation.method.eq_ignore_ascii_case(method) && operation.path == path
                    })
                };
                // Copybooks have the whole path, which may be that of another operation without the base path.
                path.strip_prefix(&self.base_path).and_then(at).or_else(|| at(&path))
            }
        }
    }

    /// Starts a call of one of its operations.
    pub(crate) fn call(&self, call: ApiCall<'_>, request: ApiRequest) -> ApiFuture {
        match self.begin(call, request) {
            Ok(future) => future,
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }

    fn begin(&self, call: ApiCall<'_>, request: ApiRequest) -> Result<ApiFuture, ApiError> {
        self.access.may_call_for(call.caller.map(|caller| caller.groups)).map_err(|refused| {
            let (status, why) = match refused {
                Refused::Unknown => (401, "is called for users who are known alone"),
                _ => (403, "may not be called for this user"),
            };
            let message = format!("the API requester {} {why}", self.name);
            ApiError { kind: ApiErrorKind::Gateway, status, message }
        })?;
        let operation = self.operation(call.operation).ok_or_else(|| {
            let message = format!("the API requester {} has no such operation", self.name);
            ApiError { kind: ApiErrorKind::Gateway, status: 404, message }
        })?;
        let connection = self.connection.clone().ok_or_else(|| {
            let message = format!("there is no connection '{}'", self.connection_name);
            ApiError { kind: ApiErrorKind::Gateway, status: 503, message }
        })?;
        let Exchange { outgoing, plan } = operation.plan.exchange(request)?;
        let caller = call.caller.filter(|_| connection.names_callers()).map(|caller| CallerName::of(&caller));
        let within =
            Call { deadline: Instant::now() + call.time_left.min(self.timeout), caller, token: None };
        Ok(Box::pin(async move {
            let answer =
                connection.exchange(outgoing, &within).await.map_err(|error| in_gateway(error.into()))?;
            plan.answer(&answer)
        }))
    }
}

impl OperationPlan {
    fn exchange(&self, request: ApiRequest) -> Result<Exchange, ApiError> {
        let refused = |kind, message: String| ApiError { kind, status: 400, message };
        let outgoing = match (self, request) {
            (OperationPlan::Record { plan, .. }, ApiRequest { record, areas }) => {
                if let Some(area) = areas.iter().flatten().next() {
                    let message = format!("the operation takes no data areas, found {}", area.name);
                    return Err(refused(ApiErrorKind::Gateway, message));
                }
                // The Host API gives nothing where there is nothing to give; the stub always has an address and a length.
                if areas.is_some() && plan.request.bind.is_none() && !record.is_empty() {
                    let message = format!("the operation takes no record, found {} bytes", record.len());
                    return Err(refused(ApiErrorKind::Gateway, message));
                }
                plan.outgoing(&record).map_err(|error| refused(ApiErrorKind::Gateway, error.message))?
            }
            (OperationPlan::Areas(plan), ApiRequest { record, areas })
                if areas.is_some() || !plan.has_data_areas() =>
            {
                let areas = areas.unwrap_or_default();
                let told = |message: String| {
                    refused(ApiErrorKind::Gateway, format!("the request's structure: {message}"))
                };
                plan.outgoing(record, areas).map_err(told)?
            }
            // Before anything is sent: what comes back would have nowhere to go.
            (OperationPlan::Areas(_), _) => {
                let message = "the operation has data areas: programs call it by BAQEXEC".to_owned();
                return Err(refused(ApiErrorKind::Stub, message));
            }
        };
        Ok(Exchange { outgoing, plan: self.clone() })
    }

    fn answer(&self, answer: &Answer) -> Result<ApiAnswer, ApiError> {
        let status = answer.status.as_u16();
        let made = match self {
            OperationPlan::Record { plan, .. } => plan
                .answer_plan(answer.status)
                .map(|plan| plan.record(answer).map(|record| (record, Vec::new())).map_err(Misfit::from)),
            OperationPlan::Areas(plan) => {
                plan.response(answer.status).map(|response| plan.incoming(response, answer))
            }
        };
        match made {
            None => Err(ApiError { kind: ApiErrorKind::Api, status, message: unplanned(answer) }),
            Some(Ok((record, areas))) => Ok(ApiAnswer { status, record, areas }),
            Some(Err(Misfit { is_too_large, message })) => {
                let error = in_gateway(Error::failed(format!("status {status}: {message}")));
                Err(if is_too_large { ApiError { kind: ApiErrorKind::Stub, ..error } } else { error })
            }
        }
    }
}

/// A failure of ours with the status that says as much.
fn in_gateway(error: Error) -> ApiError {
    let status = match error.kind {
        ErrorKind::Refused => 503,
        ErrorKind::TimedOut => 504,
        _ => 502,
    };
    ApiError { kind: ApiErrorKind::Gateway, status, message: error.message }
}

impl ApiRequester for Live {
    fn call_api(&self, call: ApiCall<'_>, request: ApiRequest) -> ApiFuture {
        let fail = |kind, status, message: String| -> ApiFuture {
            Box::pin(std::future::ready(Err(ApiError { kind, status, message })))
        };
        let api = call.api.trim_end();
        if api.is_empty() {
            return fail(ApiErrorKind::Stub, 400, "the call names no API".to_owned());
        }
        let gateway = self.gateway();
        match gateway.requesters.get(api) {
            None => fail(ApiErrorKind::Gateway, 404, format!("there is no API requester '{api}'")),
            Some(entry) if !entry.switch.is_started() => {
                fail(ApiErrorKind::Gateway, 503, format!("the API requester '{api}' is stopped"))
            }
            Some(entry) => entry.requester.call(call, request),
        }
    }
}

#[cfg(test)]
mod tests;
