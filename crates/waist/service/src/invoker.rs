//! The way out as INVOKE SERVICE sees it: a service by its name and operation, containers in, containers out.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use crate::{Caller, Channel};

/// The container that holds the record of a request, and then that of its answer (CICS web services).
pub const SERVICE_DATA_CONTAINER: &str = "DFHWS-DATA";

/// A call of a service by a program.
#[derive(Clone, Copy, Debug)]
pub struct Invocation<'a> {
    /// The service's name.
    pub service: &'a str,
    /// The operation's name.
    pub operation: &'a str,
    /// The program says by URI or URIMAP where the service is.
    pub names_target: bool,
    /// For whom the program runs; none if nobody needed to be known.
    pub caller: Option<Caller<'a>>,
    /// How long the program waits, from now.
    pub time_left: Duration,
}

/// Why a service gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvokeError {
    /// No service has that name.
    NoService,
    /// The service has no such operation.
    NoOperation,
    /// The service cannot be called so, or not now.
    Refused(String),
    /// The service answered with a fault.
    Fault(String),
    /// Containers could not become a request, or the answer could not become containers.
    Conversion(String),
    /// No answer came in time.
    TimedOut,
}

impl fmt::Display for InvokeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InvokeError::NoService => "no service has that name",
            InvokeError::NoOperation => "the service has no such operation",
            InvokeError::TimedOut => "no answer in time",
            InvokeError::Refused(message)
            | InvokeError::Fault(message)
            | InvokeError::Conversion(message) => message,
        })
    }
}

impl std::error::Error for InvokeError {}

/// The end of a call of a service.
pub type InvokeFuture = Pin<Box<dyn Future<Output = Result<Channel, InvokeError>> + Send>>;

/// Calls services for programs.
pub trait ServiceInvoker: Send + Sync + fmt::Debug {
    /// Calls the service with the containers. The future may be dropped when nobody waits any more.
    fn invoke(&self, invocation: Invocation<'_>, channel: Channel) -> InvokeFuture;
}
