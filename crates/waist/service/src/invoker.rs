//! Calls by INVOKE SERVICE: a service by its name and operation, containers in, containers out.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use crate::{Caller, Channel, Container};

/// The container that holds the record of a request, and then that of its answer (CICS web services).
pub const SERVICE_DATA_CONTAINER: &str = "DFHWS-DATA";

/// The container with the body of a message. If the server has a fault, it is the answer (CICS web services).
pub const SERVICE_BODY_CONTAINER: &str = "DFHWS-BODY";

/// The program's choice for the address of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// None: the configuration has it.
    Configured,
    /// At this URI.
    Uri(&'a str),
    /// The target of the definition of this name.
    UriMap(&'a str),
}

/// A call of a service by a program.
#[derive(Clone, Copy, Debug)]
pub struct Invocation<'a> {
    /// The service's name.
    pub service: &'a str,
    /// The operation's name.
    pub operation: &'a str,
    /// The program's choice for the address of the service.
    pub target: Target<'a>,
    /// The user of the program; none if nobody needed to be known.
    pub caller: Option<Caller<'a>>,
    /// The time that the program waits, from now.
    pub time_left: Duration,
}

/// The reason why a service gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvokeError {
    /// No service has that name.
    NoService,
    /// The service does not have such an operation.
    NoOperation,
    /// The definition of that name does not exist.
    NoUriMap,
    /// The service cannot be called in this way, or not now.
    Refused(String),
    /// The service answered with a fault.
    Fault(Box<InvokeFault>),
    /// Containers could not become a request, or the answer could not become containers.
    Conversion(String),
    /// No answer came in time.
    TimedOut,
}

/// A fault for the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvokeFault {
    /// For the log.
    pub message: String,
    /// The containers that the program gets in its channel, such as [`SERVICE_BODY_CONTAINER`].
    pub containers: Vec<Container>,
}

impl fmt::Display for InvokeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InvokeError::NoService => "no service has that name",
            InvokeError::NoOperation => "the service does not have this operation",
            InvokeError::NoUriMap => "there is no connection of the name in URIMAP",
            InvokeError::Fault(fault) => &fault.message,
            InvokeError::TimedOut => "no answer in time",
            InvokeError::Refused(message) | InvokeError::Conversion(message) => message,
        })
    }
}

impl std::error::Error for InvokeError {}

/// The end of a call of a service.
pub type InvokeFuture = Pin<Box<dyn Future<Output = Result<Channel, InvokeError>> + Send>>;

/// Calls services for programs.
pub trait ServiceInvoker: Send + Sync {
    /// Calls the service with the containers. The future may be dropped when nobody waits any more.
    fn invoke(&self, invocation: Invocation<'_>, channel: Channel) -> InvokeFuture;
}

// A bound by `Debug` would keep the code that shows whole configurations.
impl fmt::Debug for dyn ServiceInvoker + '_ {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ServiceInvoker")
    }
}
