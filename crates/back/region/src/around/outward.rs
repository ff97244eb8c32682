//! The way from a region's programs to APIs, services and transformations.

use std::sync::{PoisonError, RwLock, Weak};
use std::time::{Duration, SystemTime};

use program::conditions::{Condition, INVREQ, NOTFND, TIMEDOUT};
use queue::Manager;
use service::{
    ApiAnswer, ApiCall, ApiErrorKind, ApiOperation, ApiRequest, ApiRequester, Invocation, InvokeError,
    ServiceInvoker, Target, TransformError, Transformation, Transformer,
};
use wire::{
    Answer, CallAnswer, CallAsk, Container, OPERATOR_ROUTES_MAX, OPERATOR_TEXT_MAX_BYTES, ServiceTarget,
    TransformWay,
};

use crate::around::provider::{from_program, to_program};
use crate::around::web_client::{self, WebClients};
use crate::resources::Resources;
use crate::resources::messages::QueueManagers;
use crate::resources::operators::{OperatorMessage, told};
use crate::work::TaskContext;

/// INVREQ of INVOKE SERVICE: containers or the answer could not be converted.
const RESP2_CONVERSION: u32 = 14;
/// RESP2 of TRANSFORM's INVREQ: the input cannot be transformed.
const RESP2_NOT_FOUND: u32 = 1;

/// BAQ-RETURN-CODE: no answer came in time.
const NO_RESPONSE: u8 = 4;

/// The parts of the gateway that serve a region's programs. The gateway may be gone before the region is.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// BAQCSTUB and the Host API.
    pub apis: Weak<dyn ApiRequester>,
    /// INVOKE SERVICE.
    pub services: Weak<dyn ServiceInvoker>,
    /// TRANSFORM.
    pub transformers: Weak<dyn Transformer>,
    /// Calls of the MQI.
    pub queues: Weak<dyn QueueManagers>,
    /// EXEC CICS WEB, the client side.
    pub web: Weak<dyn WebClients>,
}

/// The surroundings of a region, once it has them.
#[derive(Debug, Default)]
pub(crate) struct Around(RwLock<Option<Surroundings>>);

impl Around {
    pub(crate) fn set(&self, surroundings: Surroundings) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(surroundings);
    }

    /// The queue manager; none if the gateway has none.
    pub(crate) fn queue_manager(&self) -> Option<Manager> {
        self.get()?.queues.upgrade()?.queue_manager()
    }

    fn get(&self) -> Option<Surroundings> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

type Done = Result<CallAnswer, (&'static Condition, u32)>;

/// Carries out a call of a task that may take so long.
pub(crate) async fn carry_out(
    ask: CallAsk,
    resources: &Resources,
    task: &TaskContext,
    time_left: Duration,
) -> Answer {
    let caller = task.caller.as_ref().map(|caller| caller.caller());
    let around = resources.around.get();
    let done = match ask {
        CallAsk::Api { api, method, path, record, areas } => {
            let apis = around.and_then(|around| around.apis.upgrade());
            let operation = ApiOperation::At { method: &method, path: &path };
            let call = ApiCall { api: &api, operation, caller, time_left };
            Ok(call_api(apis.as_deref(), call, ApiRequest { record, areas }).await)
        }
        CallAsk::Service { service, operation, target, containers } => {
            let services = around.and_then(|around| around.services.upgrade());
            let target = match &target {
                ServiceTarget::Configured => Target::Configured,
                ServiceTarget::Uri(uri) => Target::Uri(uri),
                ServiceTarget::UriMap(name) => Target::UriMap(name),
            };
            let invocation =
                Invocation { service: &service, operation: &operation, target, caller, time_left };
            invoke(services.as_deref(), invocation, containers).await
        }
        CallAsk::Transform { transformer, way, input } => {
            let transformers = around.and_then(|around| around.transformers.upgrade());
            transform(transformers.as_deref(), &transformer, way, &input)
        }
        CallAsk::Operator { text, mut routes, action } => {
            // They are kept, and a worker may send any number.
            routes.truncate(OPERATOR_ROUTES_MAX);
            routes.shrink_to_fit();
            let message = OperatorMessage {
                time: SystemTime::now(),
                task: task.number,
                transaction: task.transaction,
                user: task.user,
                text: told(&text[..text.len().min(OPERATOR_TEXT_MAX_BYTES)], task.settings.ccsid),
                routes,
                action,
            };
            let most = task.settings.limits.operator_messages_max;
            resources.operators.lock().unwrap_or_else(PoisonError::into_inner).write(message, most);
            Ok(CallAnswer::Written)
        }
        CallAsk::Web(ask) => {
            let client = around.and_then(|around| around.web.upgrade()).map(|web| web.web_client());
            let reply = web_client::carry_out(ask, client.as_deref(), caller, time_left).await;
            reply.map(CallAnswer::Web)
        }
    };
    match done {
        Ok(answer) => Answer::Call(answer),
        Err((condition, resp2)) => Answer::Condition { resp: condition.number, resp2 },
    }
}

async fn call_api(apis: Option<&dyn ApiRequester>, call: ApiCall<'_>, request: ApiRequest) -> CallAnswer {
    let Some(apis) = apis else {
        let message = "the region has no way out to APIs".to_owned();
        return CallAnswer::ApiFailed { place: 3, status: 503, message };
    };
    let time_left = call.time_left;
    match tokio::time::timeout(time_left, apis.call_api(call, request)).await {
        Ok(Ok(ApiAnswer { status, record, areas })) => CallAnswer::Api { status, record, areas },
        Ok(Err(error)) => {
            let place = match error.kind {
                ApiErrorKind::Api => 1,
                ApiErrorKind::Gateway if error.status == 504 => NO_RESPONSE,
                ApiErrorKind::Gateway => 2,
                ApiErrorKind::Stub => 3,
            };
            CallAnswer::ApiFailed { place, status: error.status, message: error.message }
        }
        Err(_) => {
            let message = "no answer in the time of the task".to_owned();
            CallAnswer::ApiFailed { place: NO_RESPONSE, status: 504, message }
        }
    }
}

async fn invoke(
    services: Option<&dyn ServiceInvoker>,
    invocation: Invocation<'_>,
    containers: Vec<Container>,
) -> Done {
    let services = services.ok_or((&NOTFND, 0))?;
    let (time_left, shown) = (invocation.time_left, invocation.service.trim_end().to_owned());
    let channel = service::Channel::of(containers.iter().map(to_program_container).collect());
    let answer = tokio::time::timeout(time_left, services.invoke(invocation, channel)).await;
    let error = match answer {
        Ok(Ok(channel)) => {
            return Ok(CallAnswer::Service(channel.into_containers().into_iter().map(to_program).collect()));
        }
        Ok(Err(error)) => error,
        Err(_) => InvokeError::TimedOut,
    };
    tracing::warn!("INVOKE SERVICE {shown}: {error}");
    Err(match error {
        InvokeError::NoService | InvokeError::NoUriMap => (&NOTFND, 0),
        InvokeError::NoOperation | InvokeError::Refused(_) => (&INVREQ, 0),
        InvokeError::Fault(fault) => {
            return Ok(CallAnswer::ServiceFault(fault.containers.into_iter().map(to_program).collect()));
        }
        InvokeError::Conversion(_) => (&INVREQ, RESP2_CONVERSION),
        InvokeError::TimedOut => (&TIMEDOUT, 0),
    })
}

fn to_program_container(container: &Container) -> service::Container {
    from_program(container.clone())
}

fn transform(transformers: Option<&dyn Transformer>, name: &str, way: TransformWay, input: &[u8]) -> Done {
    let transformers = transformers.ok_or((&NOTFND, RESP2_NOT_FOUND))?;
    let way = match way {
        TransformWay::DataToJson => Transformation::DataToJson,
        TransformWay::JsonToData => Transformation::JsonToData,
        TransformWay::DataToXml => Transformation::DataToXml,
        TransformWay::XmlToData => Transformation::XmlToData,
    };
    match transformers.transform(name, way, input) {
        Ok(output) => Ok(CallAnswer::Transformed(output)),
        Err(TransformError::Unknown) => Err((&NOTFND, RESP2_NOT_FOUND)),
        Err(TransformError::Input(message)) => Ok(CallAnswer::Untransformable(message)),
    }
}

#[cfg(test)]
mod tests {
    use service::{ApiFuture, Channel, InvokeFuture};

    use super::*;

    /// Never answers.
    #[derive(Debug)]
    struct Silent;

    impl ApiRequester for Silent {
        fn call_api(&self, _call: ApiCall<'_>, _request: ApiRequest) -> ApiFuture {
            Box::pin(std::future::pending())
        }
    }

    impl ServiceInvoker for Silent {
        fn invoke(&self, _invocation: Invocation<'_>, _channel: Channel) -> InvokeFuture {
            Box::pin(std::future::pending())
        }
    }

    #[tokio::test]
    async fn who_does_not_answer_in_time_is_not_waited_for() {
        let (caller, time_left) = (None, Duration::ZERO);
        let operation = ApiOperation::Named("get");
        let call = ApiCall { api: "Orders", operation, caller, time_left };
        let answer = call_api(Some(&Silent), call, ApiRequest::default()).await;
        assert!(
            matches!(answer, CallAnswer::ApiFailed { place: NO_RESPONSE, status: 504, .. }),
            "{answer:?}"
        );
        let invocation =
            Invocation { service: "Orders", operation: "get", target: Target::Configured, caller, time_left };
        let refused = invoke(Some(&Silent), invocation, Vec::new()).await.expect_err("no answer");
        assert_eq!(refused, (&TIMEDOUT, 0));
    }
}
