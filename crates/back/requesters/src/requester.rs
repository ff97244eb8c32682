//! API requesters: the operations of a remote API that programs call, and the path of one call.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use queue_config::QueueExchange;
use record::Bind;
use remote::{Answer, Call, CallerName, Connection, Outgoing, PayloadsOverHttp, Reachable};
use security::{Access, Refused};
use service::{
    ApiAnswer, ApiCall, ApiError, ApiErrorKind, ApiFuture, ApiOperation, ApiRequest, Error, ErrorKind,
    Payload,
};
use soap_requester::{JmsUri, RequesterPipeline, SoapOperation};

use crate::areas::{AreaOperation, Misfit};
use crate::records::{RecordOperation, unplanned};

/// A remote API that programs call.
#[derive(Debug)]
pub struct Requester {
    /// Its name, by which programs call it.
    pub name: String,
    /// Its version, as z/OS Connect's administration shows it.
    pub version: String,
    /// Its purpose, for people.
    pub description: String,
    /// The name of its connection, which may be missing for one from a package; or the address of its queue.
    pub connection_name: String,
    /// The connection to its server.
    pub connection: Option<Arc<Connection>>,
    /// The queue of its server, in place of a connection.
    pub queue: Option<(Arc<JmsUri>, QueueExchange)>,
    /// The servers that a program may name in place of the connection's; none for REST APIs.
    pub reachable: Reachable,
    /// The path before those of all operations; may be empty.
    pub base_path: String,
    /// The programs that see its messages on their way; none if there are none.
    pub pipeline: Option<RequesterPipeline>,
    /// For whom programs may call it.
    pub access: Access,
    /// How long a call may take.
    pub timeout: Duration,
    /// Its operations, by name.
    pub operations: BTreeMap<String, RequesterOperation>,
}

/// One of its operations.
#[derive(Debug)]
pub struct RequesterOperation {
    /// The method, in capitals.
    pub method: String,
    /// Below the base path.
    pub path: String,
    /// How it goes over HTTP.
    pub plan: OperationPlan,
}

/// How an operation goes over HTTP.
#[derive(Clone, Debug)]
pub enum OperationPlan {
    /// One record out, and one back for each status.
    Record {
        /// How the record becomes a request, and answers become records.
        plan: Arc<RecordOperation>,
        /// The program's whole record, for callers that have JSON.
        request: Option<Arc<Bind>>,
    },
    /// Messages of SOAP.
    Soap(Arc<SoapPlan>),
    /// Structures with data areas, which programs give and take by the Host API.
    Areas(Arc<AreaOperation>),
}

/// How an operation goes to a SOAP server.
#[derive(Debug)]
pub struct SoapPlan {
    /// The messages.
    pub operation: SoapOperation,
    /// The program's record, for callers that have JSON.
    pub request: Option<Arc<Bind>>,
    /// The record for the program, for callers that want JSON.
    pub response: Option<Arc<Bind>>,
}

/// A request that is ready to be sent, and the plan for its answer.
struct Ready {
    outgoing: Outgoing,
    plan: OperationPlan,
}

impl Requester {
    /// The operation that a call means.
    pub fn operation(&self, wanted: ApiOperation<'_>) -> Option<&RequesterOperation> {
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
    pub fn call(&self, call: ApiCall<'_>, request: ApiRequest) -> ApiFuture {
        match self.begin(call, request) {
            Ok(future) => future,
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }

    fn begin(&self, call: ApiCall<'_>, request: ApiRequest) -> Result<ApiFuture, ApiError> {
        let operation = self.allowed(&call)?;
        if let OperationPlan::Soap(plan) = &operation.plan {
            return self.call_by_soap(&call, plan, request);
        }
        let connection = self.connection.clone().ok_or_else(|| self.no_connection())?;
        let Ready { outgoing, plan } = operation.plan.ready(request)?;
        let within = self.within(&call, &connection);
        Ok(Box::pin(async move {
            let answer =
                connection.exchange(outgoing, &within).await.map_err(|error| in_gateway(error.into()))?;
            plan.answer(&answer)
        }))
    }
}

impl Requester {
    /// The operation of a call, if the caller may have it.
    pub(crate) fn allowed(&self, call: &ApiCall<'_>) -> Result<&RequesterOperation, ApiError> {
        self.access.may_call_for(call.caller.map(|caller| caller.groups)).map_err(|refused| {
            let (status, why) = match refused {
                Refused::Unknown => (401, "is called for users who are known alone"),
                _ => (403, "may not be called for this user"),
            };
            let message = format!("the API requester {} {why}", self.name);
            ApiError { kind: ApiErrorKind::Gateway, status, message }
        })?;
        self.operation(call.operation).ok_or_else(|| {
            let message = format!("the API requester {} has no such operation", self.name);
            ApiError { kind: ApiErrorKind::Gateway, status: 404, message }
        })
    }

    pub(crate) fn no_connection(&self) -> ApiError {
        let message = format!("there is no connection '{}'", self.connection_name);
        ApiError { kind: ApiErrorKind::Gateway, status: 503, message }
    }

    /// For whom a call is, and until when.
    fn within(&self, call: &ApiCall<'_>, connection: &Connection) -> Call {
        let caller = call.caller.filter(|_| connection.names_callers()).map(|caller| CallerName::of(&caller));
        Call { deadline: Instant::now() + call.time_left.min(self.timeout), caller, token: None }
    }
}

impl OperationPlan {
    fn ready(&self, request: ApiRequest) -> Result<Ready, ApiError> {
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
                let payload = Payload::Record(record);
                plan.outgoing(&payload).map_err(|error| refused(ApiErrorKind::Gateway, error.message))?
            }
            // Those go another way (`call_by_soap`).
            (OperationPlan::Soap(_), _) => {
                return Err(refused(ApiErrorKind::Gateway, "the operation is one of SOAP".to_owned()));
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
            // Checked before the request is sent, because its answer would have no place to go.
            (OperationPlan::Areas(_), _) => {
                let message = "the operation has data areas: programs call it by BAQEXEC".to_owned();
                return Err(refused(ApiErrorKind::Stub, message));
            }
        };
        Ok(Ready { outgoing, plan: self.clone() })
    }

    fn answer(&self, answer: &Answer) -> Result<ApiAnswer, ApiError> {
        let status = answer.status.as_u16();
        let made = match self {
            OperationPlan::Record { plan, .. } => plan
                .responses
                .fit(answer.status)
                .map(|plan| plan.record(answer).map(|record| (record, Vec::new())).map_err(Misfit::from)),
            OperationPlan::Areas(plan) => {
                plan.responses.fit(answer.status).map(|response| plan.incoming(response, answer))
            }
            OperationPlan::Soap(_) => None,
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
