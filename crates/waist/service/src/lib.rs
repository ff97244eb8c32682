//! The waist: services, service providers, payloads, errors and deadlines.
//!
//! A front (REST, SOAP) knows a service only as bytes in and bytes out. A back (programs, queues, endpoint groups)
//! knows nothing of JSON, XML or HTTP. Deliberately absent: anything that knows a layout.

mod api_requester;
mod channel;
mod error;
mod invoker;
mod program_task;
mod request;
pub mod simulated;
mod soap_fault;
mod transformer;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

pub use api_requester::{
    ApiAnswer, ApiCall, ApiError, ApiErrorKind, ApiFuture, ApiOperation, ApiRequest, ApiRequester,
    DATA_AREA_NAME_CHARACTERS_MAX, DataArea,
};
pub use channel::{CONTAINER_NAME_CHARACTERS_MAX, Channel, Container, Content};
pub use error::{Error, ErrorKind};
pub use invoker::{
    Invocation, InvokeError, InvokeFault, InvokeFuture, SERVICE_BODY_CONTAINER, SERVICE_DATA_CONTAINER,
    ServiceInvoker, Target,
};
pub use program_task::{EndFuture, LinkError, LinkFuture, LinkedChannel, ProgramRunner, ProgramTask};
pub use request::{Headers, RequestView};
pub use soap_fault::{SoapFault, SoapFaultCode};
pub use transformer::{TransformError, Transformation, Transformer};

/// What goes to a service and comes back from it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Payload {
    /// One record: a commarea, a message, the data of a frame.
    Record(Vec<u8>),
    /// Containers by name.
    Channel(Channel),
    /// One of the two that comes back with a status or a fault.
    Stated(Box<Stated>),
}

/// What a program gives back, with what it says of its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// The record or channel. With a fault it may be an empty record.
    pub payload: Payload,
    /// The status, as the program says it.
    pub status_line: Option<String>,
    /// The fault that is the answer of a SOAP request. The program has done its work.
    pub fault: Option<SoapFault>,
}

impl Payload {
    /// The fault that the program wants the request to be answered with; else the payload.
    ///
    /// # Errors
    /// The fault.
    pub fn without_fault(mut self) -> Result<Self, SoapFault> {
        match &mut self {
            Payload::Stated(stated) => stated.fault.take().map_or(Ok(()), Err),
            _ => Ok(()),
        }?;
        Ok(self)
    }

    /// The record or channel, and what was said of its status, if anything was.
    #[must_use]
    pub fn apart(self) -> (Self, Option<String>) {
        match self {
            Payload::Stated(stated) => (stated.payload, stated.status_line),
            payload => (payload, None),
        }
    }
}

/// Who calls, if that is known: for providers that pass it on, and for those that run under it.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    /// The user's name.
    pub user: &'a str,
    /// The user's groups.
    pub groups: &'a [Box<str>],
}

/// The trace to which a call belongs, as the headers of W3C Trace Context: for providers that pass it on.
#[derive(Clone, Copy, Debug)]
pub struct Trace<'a> {
    /// `traceparent`, with the span of this call.
    pub parent: &'a str,
    /// `tracestate`, if there is one.
    pub state: Option<&'a str>,
}

/// What is known of a call beside its bytes: where it comes from, which service it is for, and how long it may take.
#[derive(Clone, Copy, Debug)]
pub struct CallContext<'a> {
    /// The service's name, which [`Service::call`] sets.
    pub service: &'a str,
    /// Who calls; none if nobody needed to be known.
    pub caller: Option<Caller<'a>>,
    /// How long the caller waits, from now. [`Service::call`] makes it no longer than the service allows.
    pub time_left: Duration,
    /// The id of the request, for logs.
    pub request_id: Option<&'a str>,
    /// What policies set by the request's headers: names and values, `cicsTransId` and its like. No name stands twice.
    pub properties: &'a [(&'a str, &'a str)],
    /// The trace, if the request is traced.
    pub trace: Option<Trace<'a>>,
    /// The request from outside; none if there is none.
    pub request: Option<RequestView<'a>>,
    /// What a SOAP front gives beside the bytes; none for calls of others.
    pub soap: Option<SoapContext<'a>>,
    /// The task of the message that is the request, which the service's program runs in; none for calls of others.
    pub task: Option<&'a Arc<dyn ProgramTask>>,
}

/// What a SOAP front gives to programs beside the bytes.
#[derive(Clone, Copy, Debug)]
pub struct SoapContext<'a> {
    /// Containers for programs with a channel: DFHWS-SOAPLEVEL and others. One that the request has already stays as it is.
    pub containers: &'a [Container],
    /// The task of the request's pipeline, which the service's program runs in; none without a pipeline.
    pub task: Option<&'a Arc<dyn ProgramTask>>,
}

impl Default for CallContext<'_> {
    /// A call by nobody in particular, who waits as long as the service allows.
    fn default() -> Self {
        Self {
            service: "",
            caller: None,
            time_left: Duration::MAX,
            request_id: None,
            properties: &[],
            trace: None,
            request: None,
            soap: None,
            task: None,
        }
    }
}

impl<'a> CallContext<'a> {
    /// The value of a property that a policy has set.
    #[must_use]
    pub fn property(&self, name: &str) -> Option<&'a str> {
        self.properties.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

/// What stands behind a provider, for audit records: what z/OS Connect calls a system of record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SystemOfRecord<'a> {
    /// Which one: a region, a queue manager, an endpoint group.
    pub identifier: Option<&'a str>,
    /// How it is reached: the name of a connection.
    pub reference: Option<&'a str>,
    /// What of it is called: a program, a queue, a transaction.
    pub resource: Option<&'a str>,
}

/// The end of a call, or the way to it.
pub enum Outcome {
    /// The provider answered at once, without waiting for anything.
    Ready(Result<Payload, Error>),
    /// The answer comes later; the caller drops the future when its time is up.
    Pending(Pin<Box<dyn Future<Output = Result<Payload, Error>> + Send>>),
}

impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Ready(result) => f.debug_tuple("Ready").field(result).finish(),
            Outcome::Pending(_) => f.write_str("Pending"),
        }
    }
}

/// Something that serves: a program, a queue, an endpoint group, another server, a simulation.
///
/// It takes the request's bytes by value and may build its answer in the same buffer.
pub trait ServiceProvider: Send + Sync + fmt::Debug {
    /// Starts the call, and ends it if that needs no waiting.
    fn call(&self, context: CallContext<'_>, request: Payload) -> Outcome;

    /// What kind of provider it is, in one word, for operators.
    fn kind(&self) -> &'static str;

    /// What stands behind it, for audit records.
    fn system_of_record(&self) -> SystemOfRecord<'_> {
        SystemOfRecord::default()
    }
}

/// The provider of a service that has none yet: it refuses every call.
#[derive(Clone, Copy, Debug)]
pub struct Unbound;

impl ServiceProvider for Unbound {
    fn call(&self, context: CallContext<'_>, _request: Payload) -> Outcome {
        Outcome::Ready(Err(Error::refused(format!("service {} has no provider", context.service))))
    }

    fn kind(&self) -> &'static str {
        "unbound"
    }
}

/// One program, queue or endpoint group under a name, with the provider that reaches it.
#[derive(Clone, Debug)]
pub struct Service {
    /// The name by which APIs refer to it.
    pub name: String,
    /// A sentence for people.
    pub description: String,
    /// How long a call may take.
    pub timeout: Duration,
    /// Who serves it.
    pub provider: Arc<dyn ServiceProvider>,
}

impl Service {
    /// How long a call of this service may take, for its caller and for the service.
    #[must_use]
    pub fn time_for(&self, context: &CallContext<'_>) -> Duration {
        self.timeout.min(context.time_left)
    }

    /// Starts a call.
    pub fn call(&self, context: CallContext<'_>, request: Payload) -> Outcome {
        let context = CallContext { service: &self.name, time_left: self.time_for(&context), ..context };
        self.provider.call(context, request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers with what it is told of a call.
    #[derive(Debug)]
    struct Told;

    impl ServiceProvider for Told {
        fn call(&self, context: CallContext<'_>, _request: Payload) -> Outcome {
            let told = format!("{} {} ms", context.service, context.time_left.as_millis());
            Outcome::Ready(Ok(Payload::Record(told.into_bytes())))
        }

        fn kind(&self) -> &'static str {
            "told"
        }
    }

    #[test]
    fn a_call_has_the_name_of_its_service_and_the_shorter_of_two_times() {
        let service = Service {
            name: "shop".to_owned(),
            description: String::new(),
            timeout: Duration::from_millis(500),
            provider: Arc::new(Told),
        };
        let told = |context: CallContext<'_>| match service.call(context, Payload::Record(Vec::new())) {
            Outcome::Ready(Ok(Payload::Record(told))) => String::from_utf8(told).expect("text"),
            other => panic!("{other:?}"),
        };
        assert_eq!(told(CallContext::default()), "shop 500 ms");
        let hurried = CallContext { time_left: Duration::from_millis(20), ..CallContext::default() };
        assert_eq!(told(hurried), "shop 20 ms");
    }
}
