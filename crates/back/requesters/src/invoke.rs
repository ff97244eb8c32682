//! Calls of SOAP servers, and INVOKE SERVICE: a program calls an operation with the containers of CICS's web services.

use std::sync::Arc;
use std::time::Instant;

use remote::{CallerName, Reachable};
use service::{
    ApiAnswer, ApiCall, ApiError, ApiErrorKind, ApiFuture, ApiOperation, ApiRequest, CallContext, Channel,
    Container, Content, InvokeError, InvokeFault, InvokeFuture, Payload, ProgramTask, SERVICE_BODY_CONTAINER,
    SERVICE_DATA_CONTAINER, Target,
};
use soap_requester::{CallError, HttpRoute, PipedCall, QueueRoute, RequesterPipeline, Route, Within};

use crate::requester::{OperationPlan, Requester, SoapPlan};

/// UTF-8, in which containers of text are.
const UTF_8: u16 = 1208;

/// The container that has the declarations of prefixes for the one of the body.
const NAMESPACES_CONTAINER: &str = "DFHWS-XMLNS";

/// A call of a SOAP server that may begin.
struct Ready {
    plan: Arc<SoapPlan>,
    route: Route,
    within: Within,
    piped: Option<Piped>,
}

/// The further parts of a call through a pipeline.
struct Piped {
    pipeline: RequesterPipeline,
    task: Option<Arc<dyn ProgramTask>>,
    reachable: Reachable,
    /// Texts for containers.
    known: [(&'static str, String); 3],
}

impl Ready {
    async fn call(self, payload: Payload) -> Result<Payload, CallError> {
        let Ready { plan, route, within, piped } = self;
        let Some(Piped { pipeline, task, reachable, known }) = piped else {
            return plan.operation.call(&payload, route, &within).await;
        };
        let known = known.each_ref().map(|(name, value)| (*name, value.as_str()));
        let call = PipedCall {
            pipeline: &pipeline,
            task,
            operation: &plan.operation,
            route,
            reachable: &reachable,
            within: &within,
        };
        call.run(&payload, &known).await
    }
}

impl Requester {
    /// Starts a call of one of its operations. The record is in the container DFHWS-DATA, out and back; it may name further containers if a
    /// WSDL lays out the messages.
    pub fn invoke(&self, call: ApiCall<'_>, target: Target<'_>, channel: &Channel) -> InvokeFuture {
        self.invoked(call, target, channel).unwrap_or_else(|error| Box::pin(std::future::ready(Err(error))))
    }

    fn invoked(
        &self,
        call: ApiCall<'_>,
        target: Target<'_>,
        channel: &Channel,
    ) -> Result<InvokeFuture, InvokeError> {
        let operation = self.allowed(&call).map_err(not_called)?;
        let data = channel.get(SERVICE_DATA_CONTAINER).ok_or_else(|| {
            InvokeError::Conversion(format!("expected the record in the container {SERVICE_DATA_CONTAINER}"))
        })?;
        match &operation.plan {
            OperationPlan::Soap(plan) => {
                let ready = self.ready(&call, target, plan)?;
                let payload = match plan.operation.takes_channels() {
                    true => Payload::Channel(channel.clone()),
                    false => Payload::Record(data.content.bytes().to_vec()),
                };
                Ok(Box::pin(async move { ready.call(payload).await.map(channel_of).map_err(no_record) }))
            }
            _ if target != Target::Configured => Err(InvokeError::Refused(
                "only the configuration sets the address of a REST API: remove URI and URIMAP".to_owned(),
            )),
            _ => {
                let answer = self.call(call, ApiRequest::from(data.content.bytes().to_vec()));
                Ok(Box::pin(async move {
                    answer.await.map(|answer| data_of(answer.record)).map_err(not_answered)
                }))
            }
        }
    }

    /// A call of an operation by SOAP, as programs call APIs.
    pub(crate) fn call_by_soap(
        &self,
        call: &ApiCall<'_>,
        plan: &Arc<SoapPlan>,
        request: ApiRequest,
    ) -> Result<ApiFuture, ApiError> {
        let in_gateway = |status, message| ApiError { kind: ApiErrorKind::Gateway, status, message };
        if let Some(area) = request.areas.iter().flatten().next() {
            return Err(in_gateway(400, format!("the operation takes no data areas, found {}", area.name)));
        }
        if plan.operation.takes_channels() {
            let message = "the operation has containers: programs call it by INVOKE SERVICE".to_owned();
            return Err(in_gateway(400, message));
        }
        let ready =
            self.ready(call, Target::Configured, plan).map_err(|error| in_gateway(503, error.to_string()))?;
        Ok(Box::pin(async move {
            match ready.call(Payload::Record(request.record)).await {
                Ok(Payload::Record(record)) => Ok(ApiAnswer { status: 200, record, areas: Vec::new() }),
                Ok(_) => Err(in_gateway(502, "expected a record, found containers".to_owned())),
                Err(CallError::Fault { message, .. }) => {
                    Err(ApiError { kind: ApiErrorKind::Api, status: 500, message })
                }
                Err(CallError::Record(message)) => Err(in_gateway(400, message)),
                Err(CallError::Conversion(message)) => Err(in_gateway(502, message)),
                Err(CallError::Refused(message)) => Err(in_gateway(503, message)),
                Err(error @ CallError::TimedOut) => Err(in_gateway(504, error.to_string())),
            }
        }))
    }

    fn ready(
        &self,
        call: &ApiCall<'_>,
        target: Target<'_>,
        plan: &Arc<SoapPlan>,
    ) -> Result<Ready, InvokeError> {
        let route = self.route(target, &plan.operation.path)?;
        let is_named = self.pipeline.is_some() || route.names_callers();
        let caller = call.caller.filter(|_| is_named).map(|caller| CallerName::of(&caller));
        let within = Within { deadline: Instant::now() + call.time_left.min(self.timeout), caller };
        let piped = self.pipeline.as_ref().map(|pipeline| self.piped(call, pipeline)).transpose()?;
        Ok(Ready { plan: Arc::clone(plan), route, within, piped })
    }

    fn piped(&self, call: &ApiCall<'_>, pipeline: &RequesterPipeline) -> Result<Piped, InvokeError> {
        let context =
            CallContext { caller: call.caller, time_left: call.time_left, ..CallContext::default() };
        // Without programs no region is needed.
        let has_programs = pipeline.pipeline.programs().next().is_some();
        let task = has_programs.then(|| pipeline.programs.begin(context)).transpose();
        let task = task.map_err(|error| InvokeError::Refused(error.message))?;
        let operation = match call.operation {
            ApiOperation::Named(name) => name,
            ApiOperation::At { path, .. } => path,
        };
        let user = call.caller.map_or("", |caller| caller.user);
        let known = [
            ("DFHWS-WEBSERVICE", self.name.clone()),
            ("DFHWS-OPERATION", operation.trim_end().to_owned()),
            ("DFHWS-USERID", user.to_owned()),
        ];
        Ok(Piped { pipeline: pipeline.clone(), task, reachable: self.reachable.clone(), known })
    }

    /// Where a call goes.
    fn route(&self, target: Target<'_>, path: &str) -> Result<Route, InvokeError> {
        match target {
            Target::Configured => self.own_route(path),
            // A program may have blanks behind a URI.
            Target::Uri(uri) => {
                let found = self.own_route(path)?.at(uri.trim(), &self.reachable);
                found.map_err(|why| InvokeError::Refused(format!("the URI {why}")))
            }
            Target::UriMap(name) => {
                let connection = Arc::clone(self.reachable.named(name.trim()).ok_or(InvokeError::NoUriMap)?);
                Ok(Route::Http(HttpRoute { connection, path: path.to_owned() }))
            }
        }
    }

    /// Where a call goes that says nothing of that.
    fn own_route(&self, path: &str) -> Result<Route, InvokeError> {
        let path = path.to_owned();
        if let Some((uri, queues)) = &self.queue {
            return Ok(Route::Queue(QueueRoute { uri: Arc::clone(uri), queues: queues.clone(), path }));
        }
        let connection = self.connection.as_ref().ok_or_else(|| not_called(self.no_connection()))?;
        Ok(Route::Http(HttpRoute { connection: Arc::clone(connection), path }))
    }
}

/// The channel of the payload of an answer.
fn channel_of(payload: Payload) -> Channel {
    match payload {
        Payload::Record(record) => data_of(record),
        Payload::Channel(channel) => channel,
        _ => Channel::default(),
    }
}

/// The channel of a record.
fn data_of(record: Vec<u8>) -> Channel {
    let (name, content) = (SERVICE_DATA_CONTAINER.to_owned(), Content::Bit(record));
    Channel::of(vec![Container { name, content }])
}

fn not_called(error: ApiError) -> InvokeError {
    match error.status {
        404 => InvokeError::NoOperation,
        _ => InvokeError::Refused(error.message),
    }
}

fn not_answered(error: ApiError) -> InvokeError {
    match (error.kind, error.status) {
        (ApiErrorKind::Api, _) => {
            InvokeError::Fault(Box::new(InvokeFault { message: error.message, containers: Vec::new() }))
        }
        (_, 504) => InvokeError::TimedOut,
        (_, 400 | 502) => InvokeError::Conversion(error.message),
        _ => InvokeError::Refused(error.message),
    }
}

/// The program's result of a call without a record. A fault gives the body as it was written.
fn no_record(error: CallError) -> InvokeError {
    match error {
        CallError::Record(message) | CallError::Conversion(message) => InvokeError::Conversion(message),
        CallError::Refused(message) => InvokeError::Refused(message),
        CallError::TimedOut => InvokeError::TimedOut,
        CallError::Fault { message, body, namespaces } => {
            let text = |name: &str, text: String| Container {
                name: name.to_owned(),
                content: Content::Char { bytes: text.into_bytes(), ccsid: UTF_8 },
            };
            let containers = vec![text(SERVICE_BODY_CONTAINER, body), text(NAMESPACES_CONTAINER, namespaces)];
            InvokeError::Fault(Box::new(InvokeFault { message, containers }))
        }
    }
}
