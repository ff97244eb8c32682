//! The waist: services, service providers, payloads, errors and deadlines.
//!
//! A front (REST, SOAP) knows a service only as bytes in and bytes out. A back (programs, queues, endpoint
//! groups) knows nothing of JSON, XML or HTTP. Deliberately absent: all code that knows a layout.

mod api_requester;
mod channel;
mod error;
mod invoker;
mod program_task;
mod request;
pub mod simulated;
mod soap_fault;
mod transformer;
mod web;

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
pub use web::{WebAnswer, WebHeader, WebRequest, WebSend, WebServer};

/// The data that goes to a service and comes back from it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Payload {
    /// One record: a commarea, a message, the data of a frame.
    Record(Vec<u8>),
    /// Containers by name.
    Channel(Channel),
    /// A record or channel that comes back with a status or a fault.
    Stated(Box<Stated>),
    /// A request over HTTP, for a program that answers it itself.
    Web(Box<WebRequest>),
    /// The answer of such a program.
    WebAnswer(Box<WebAnswer>),
}

/// The data that a program gives back, with its statements about the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// The record or channel. With a fault it may be an empty record.
    pub payload: Payload,
    /// The status line of the program.
    pub status_line: Option<String>,
    /// The fault that answers a SOAP request. The program has done its work.
    pub fault: Option<SoapFault>,
}

impl Payload {
    /// The payload, unless the program wants to answer with a fault.
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

    /// The record or channel, and the program's status, if it gave one.
    #[must_use]
    pub fn apart(self) -> (Self, Option<String>) {
        match self {
            Payload::Stated(stated) => (stated.payload, stated.status_line),
            payload => (payload, None),
        }
    }
}

/// The caller, if known: for providers that pass it on, and for those that run under it.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    /// The user's name.
    pub user: &'a str,
    /// The user's groups.
    pub groups: &'a [Box<str>],
}

/// The trace of a call, as the headers of W3C Trace Context: for providers that pass it on.
#[derive(Clone, Copy, Debug)]
pub struct Trace<'a> {
    /// `traceparent`, with the span of this call.
    pub parent: &'a str,
    /// `tracestate`, if there is one.
    pub state: Option<&'a str>,
}

/// The facts about a call besides its bytes: its source, its service, and its time.
#[derive(Clone, Copy, Debug)]
pub struct CallContext<'a> {
    /// The service's name, which [`Service::call`] sets.
    pub service: &'a str,
    /// The caller; none if nobody needed to be known.
    pub caller: Option<Caller<'a>>,
    /// The time that the caller waits, from now. [`Service::call`] cuts it to the service's limit.
    pub time_left: Duration,
    /// The id of the request, for logs.
    pub request_id: Option<&'a str>,
    /// The properties that policies have set by the request's headers: names and values, such as
    /// `cicsTransId`. Each name occurs once.
    pub properties: &'a [(&'a str, &'a str)],
    /// The trace, if the request is traced.
    pub trace: Option<Trace<'a>>,
    /// The request from outside; none if there is none.
    pub request: Option<RequestView<'a>>,
    /// The additional data of a SOAP front; none for calls of other fronts.
    pub soap: Option<SoapContext<'a>>,
    /// The task of the request message, in which the service's program runs; none for other calls.
    pub task: Option<&'a Arc<dyn ProgramTask>>,
}

/// The data that a SOAP front gives to programs besides the bytes.
#[derive(Clone, Copy, Debug)]
pub struct SoapContext<'a> {
    /// Containers for programs with a channel: DFHWS-SOAPLEVEL and others. A container of the request is not
    /// replaced.
    pub containers: &'a [Container],
    /// The task of the request's pipeline, in which the service's program runs; none without a pipeline.
    pub task: Option<&'a Arc<dyn ProgramTask>>,
}

impl Default for CallContext<'_> {
    /// A call without a known caller, who waits as long as the service allows.
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

/// The system behind a provider, for audit records. z/OS Connect calls it a system of record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SystemOfRecord<'a> {
    /// The system: a region, a queue manager, an endpoint group.
    pub identifier: Option<&'a str>,
    /// The name of the connection to it.
    pub reference: Option<&'a str>,
    /// The called part of it: a program, a queue, a transaction.
    pub resource: Option<&'a str>,
}

/// The result of a call, or a future for it.
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

/// A server for requests: a program, a queue, an endpoint group, another server, a simulation.
///
/// It takes the request's bytes by value and may build its answer in the same buffer.
pub trait ServiceProvider: Send + Sync {
    /// Starts the call, and also ends it if no waiting is needed.
    fn call(&self, context: CallContext<'_>, request: Payload) -> Outcome;

    /// The kind of the provider, in one word, for operators.
    fn kind(&self) -> &'static str;

    /// The system behind it, for audit records.
    fn system_of_record(&self) -> SystemOfRecord<'_> {
        SystemOfRecord::default()
    }
}

// A bound by `Debug` would keep the code that shows whole configurations.
impl fmt::Debug for dyn ServiceProvider + '_ {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ServiceProvider({})", self.kind())
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
    /// The longest time of a call.
    pub timeout: Duration,
    /// The provider.
    pub provider: Arc<dyn ServiceProvider>,
}

impl Service {
    /// The longest time of a call, by the limits of its caller and of the service.
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

    /// Answers with the facts that it gets about a call.
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
