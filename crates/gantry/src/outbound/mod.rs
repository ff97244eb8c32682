//! The way out as it runs: API requesters with their operations, and the trait by which programs call them.

pub(crate) mod metrics;
mod operation;
mod programs;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use record::Bind;
use requester::{Call, CallerName, Connection, Conversion};
use security::{Access, Refused};
use service::{
    ApiAnswer, ApiCall, ApiError, ApiErrorKind, ApiFuture, ApiOperation, ApiRequest, ApiRequester, Error,
    ErrorKind,
};

use crate::live::Live;

pub(crate) use programs::surroundings;

pub(crate) use operation::{
    AnswerPlan, Body, OutboundOperation, Parameter, RequestPlan, Statuses, unplanned, usual_headers,
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
    pub(crate) plan: Arc<OutboundOperation>,
    /// The whole record that a program gives, for those who have JSON.
    pub(crate) request_bind: Option<Arc<Bind>>,
}

impl Requester {
    /// The operation that a call means.
    pub(crate) fn operation(&self, wanted: ApiOperation<'_>) -> Option<&RequesterOperation> {
        match wanted {
            ApiOperation::Named(name) => self.operations.get(name),
            ApiOperation::At { method, path } => {
                let path = percent_encoding::percent_decode_str(path.trim_end()).decode_utf8().ok()?;
                let below = path.strip_prefix(&self.base_path);
                self.operations.values().find(|operation| {
                    operation.method.eq_ignore_ascii_case(method.trim_end())
                        && (operation.path == path || below == Some(&operation.path))
                })
            }
        }
    }

    /// Starts a call of one of its operations.
    pub(crate) fn call(&self, call: ApiCall<'_>, request: ApiRequest) -> ApiFuture {
        match self.begin(call, &request) {
            Ok(future) => future,
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }

    fn begin(&self, call: ApiCall<'_>, request: &ApiRequest) -> Result<ApiFuture, ApiError> {
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
        if let Some(area) = request.areas.iter().flatten().next() {
            let message = format!("the operation takes no data areas, found {}", area.name);
            return Err(ApiError { kind: ApiErrorKind::Gateway, status: 400, message });
        }
        let plan = Arc::clone(&operation.plan);
        let outgoing = plan.outgoing(&request.record).map_err(|error| ApiError {
            kind: ApiErrorKind::Gateway,
            status: 400,
            message: error.message,
        })?;
        let caller = call.caller.filter(|_| connection.names_callers()).map(|caller| CallerName::of(&caller));
        let within =
            Call { deadline: Instant::now() + call.time_left.min(self.timeout), caller, token: None };
        Ok(Box::pin(async move {
            let answer =
                connection.exchange(outgoing, &within).await.map_err(|error| in_gateway(error.into()))?;
            let status = answer.status.as_u16();
            let Some(answer_plan) = plan.answer_plan(answer.status) else {
                return Err(ApiError { kind: ApiErrorKind::Api, status, message: unplanned(&answer) });
            };
            let record = answer_plan
                .record(&answer)
                .map_err(|message| in_gateway(Error::failed(format!("status {status}: {message}"))))?;
            Ok(ApiAnswer { status, record, areas: Vec::new() })
        }))
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
