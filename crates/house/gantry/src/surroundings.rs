//! The gateway's services for programs of the region: API requesters (directly or as services), and
//! transformations by the binds of services.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Waker};

use queue::Manager;
use region::{QueueManagers, Surroundings, WebClients};
use requesters::WebClient;
use service::{
    ApiCall, ApiError, ApiErrorKind, ApiFuture, ApiOperation, ApiRequest, ApiRequester, Channel, Invocation,
    InvokeError, InvokeFuture, ServiceInvoker, Target, TransformError, Transformation, Transformer,
};

use crate::live::Live;
use gateway::{Front, run};
use gateway::{Gateway, RequesterEntry};

/// The services of a gateway for programs of regions. They do not keep the gateway alive.
pub(crate) fn surroundings(live: &Arc<Live>) -> Surroundings {
    let apis: Weak<dyn ApiRequester> = Arc::downgrade(live) as _;
    let services: Weak<dyn ServiceInvoker> = Arc::downgrade(live) as _;
    let transformers: Weak<dyn Transformer> = Arc::downgrade(live) as _;
    let queues: Weak<dyn QueueManagers> = Arc::downgrade(live) as _;
    let web: Weak<dyn WebClients> = Arc::downgrade(live) as _;
    Surroundings { apis, services, transformers, queues, web }
}

impl QueueManagers for Live {
    fn queue_manager(&self) -> Option<Manager> {
        self.queues.manager()
    }
}

impl WebClients for Live {
    fn web_client(&self) -> Arc<WebClient> {
        Arc::clone(&self.gateway().web_client)
    }
}

impl listeners::Around for Live {
    fn gateway(&self) -> Arc<Gateway> {
        Live::gateway(self)
    }

    fn manager(&self) -> Option<Manager> {
        self.queues.manager()
    }
}

/// A call by a program, as a front for region and stub. Its record exists already. Its target is an
/// API requester, which does the rest: rights of the user, mapping, HTTP. So no step waits before
/// the call begins.
struct ProgramCall<'c> {
    gateway: &'c Gateway,
    call: ApiCall<'c>,
    asked: Asked<'c>,
}

/// The form of a program's call.
enum Asked<'c> {
    /// A call of an API, with its record.
    Api(Option<ApiRequest>),
    /// A call of a service. The record is in the container of CICS's web services.
    Service { channel: &'c Channel, target: Target<'c> },
}

/// A call in progress.
enum Begun {
    Api(ApiFuture),
    Service(InvokeFuture),
}

/// Why a call by a program cannot begin.
enum Unserved {
    /// The API requester does not exist.
    Unknown,
    NoOperation,
    Stopped,
    NoRecord,
    /// A step waited, which must not happen.
    Waited,
}

impl<'c> ProgramCall<'c> {
    /// Begins the call.
    fn begin(mut self) -> Result<Begun, Unserved> {
        let mut context = Context::from_waker(Waker::noop());
        match pin!(run(&mut self)).poll(&mut context) {
            Poll::Ready(begun) => begun,
            Poll::Pending => Err(Unserved::Waited),
        }
    }
}

impl<'c> Front for ProgramCall<'c> {
    type Place = &'c RequesterEntry;
    type Admitted = ();
    type Input = ApiRequest;
    type Output = Begun;
    type Stop = Unserved;
    type Answer = Result<Begun, Unserved>;

    async fn route(&mut self) -> Result<&'c RequesterEntry, Unserved> {
        let entry = self.gateway.requesters.get(self.call.api).ok_or(Unserved::Unknown)?;
        match self.asked {
            Asked::Service { .. } if entry.requester.operation(self.call.operation).is_none() => {
                Err(Unserved::NoOperation)
            }
            _ => Ok(entry),
        }
    }

    /// The API requester decides which users' programs may call.
    async fn admit(&mut self, _entry: &&'c RequesterEntry) -> Result<(), Unserved> {
        Ok(())
    }

    fn check_started(&mut self, entry: &&'c RequesterEntry) -> Result<(), Unserved> {
        if entry.switch.is_started() { Ok(()) } else { Err(Unserved::Stopped) }
    }

    async fn read(&mut self, _entry: &&'c RequesterEntry) -> Result<ApiRequest, Unserved> {
        match &mut self.asked {
            Asked::Api(request) => request.take().ok_or(Unserved::NoRecord),
            // The API requester takes the record out of the channel.
            Asked::Service { .. } => Ok(ApiRequest::default()),
        }
    }

    async fn call(&mut self, entry: &'c RequesterEntry, request: ApiRequest) -> Result<Begun, Unserved> {
        Ok(match self.asked {
            Asked::Api(_) => Begun::Api(entry.requester.call(self.call, request)),
            Asked::Service { channel, target } => {
                Begun::Service(entry.requester.invoke(self.call, target, channel))
            }
        })
    }

    fn succeed(&mut self, begun: Begun) -> Self::Answer {
        Ok(begun)
    }

    fn fail(&mut self, unserved: Unserved) -> Self::Answer {
        Err(unserved)
    }
}

impl Unserved {
    fn into_api_error(self, api: &str) -> ApiError {
        let error = |status, message| ApiError { kind: ApiErrorKind::Gateway, status, message };
        match self {
            Unserved::Unknown => error(404, format!("there is no API requester '{api}'")),
            Unserved::NoOperation => error(404, format!("the API requester {api} has no such operation")),
            Unserved::Stopped => error(503, stopped(api)),
            Unserved::NoRecord | Unserved::Waited => {
                error(500, format!("the API requester '{api}' cannot be called"))
            }
        }
    }

    fn into_invoke_error(self, service: &str) -> InvokeError {
        match self {
            Unserved::Unknown => InvokeError::NoService,
            Unserved::NoOperation => InvokeError::NoOperation,
            Unserved::Stopped => InvokeError::Refused(stopped(service)),
            Unserved::NoRecord | Unserved::Waited => {
                InvokeError::Refused(format!("the service '{service}' cannot be called"))
            }
        }
    }
}

fn stopped(name: &str) -> String {
    format!("the API requester '{name}' is stopped")
}

impl ApiRequester for Live {
    fn call_api(&self, call: ApiCall<'_>, request: ApiRequest) -> ApiFuture {
        let fail = |error| -> ApiFuture { Box::pin(std::future::ready(Err(error))) };
        let api = call.api.trim_end();
        if api.is_empty() {
            let message = "the call names no API".to_owned();
            return fail(ApiError { kind: ApiErrorKind::Stub, status: 400, message });
        }
        let gateway = self.gateway();
        let call = ApiCall { api, ..call };
        let begun = ProgramCall { gateway: &gateway, call, asked: Asked::Api(Some(request)) }.begin();
        match begun {
            Ok(Begun::Api(future)) => future,
            Ok(Begun::Service(_)) => fail(Unserved::Waited.into_api_error(api)),
            Err(unserved) => fail(unserved.into_api_error(api)),
        }
    }
}

impl ServiceInvoker for Live {
    /// Services are API requesters here. The record is in the container of CICS's web services,
    /// both ways.
    fn invoke(&self, invocation: Invocation<'_>, channel: Channel) -> InvokeFuture {
        let Invocation { service, operation, target, caller, time_left } = invocation;
        let call = ApiCall { api: service, operation: ApiOperation::Named(operation), caller, time_left };
        let (gateway, asked) = (self.gateway(), Asked::Service { channel: &channel, target });
        let unserved = match (ProgramCall { gateway: &gateway, call, asked }).begin() {
            Ok(Begun::Service(begun)) => return begun,
            Ok(Begun::Api(_)) => Unserved::Waited,
            Err(unserved) => unserved,
        };
        Box::pin(std::future::ready(Err(unserved.into_invoke_error(service))))
    }
}

impl Transformer for Live {
    fn transform(&self, name: &str, way: Transformation, input: &[u8]) -> Result<Vec<u8>, TransformError> {
        let gateway = self.gateway();
        let bind = gateway.transforms.get(name).ok_or(TransformError::Unknown)?;
        let mut output = Vec::new();
        let done = match way {
            Transformation::DataToJson => bind.decode(input, &mut output),
            Transformation::JsonToData => bind.encode(input, &mut output),
            Transformation::DataToXml => bind.decode_xml(input, &mut output),
            Transformation::XmlToData => bind.encode_xml(input, &mut output),
        };
        match done {
            Ok(()) => Ok(output),
            Err(error) => Err(TransformError::Input(error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests;
