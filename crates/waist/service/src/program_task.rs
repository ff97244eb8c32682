//! Tasks that run several programs one after the other, like the programs of a pipeline.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::{CallContext, Channel, Error, SoapFault};

/// Begins tasks of several programs: a region.
pub trait ProgramRunner: Send + Sync {
    /// Begins a task for the caller of the context. It has no worker until a program is linked.
    ///
    /// # Errors
    /// The caller has no right to it, or no region can run programs now.
    fn begin(&self, context: CallContext<'_>) -> Result<Arc<dyn ProgramTask>, Error>;

    /// The code page of its programs, by CCSID.
    fn ccsid(&self) -> u16;
}

// A bound by `Debug` would keep the code that shows whole configurations.
impl fmt::Debug for dyn ProgramRunner + '_ {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ProgramRunner")
    }
}

/// A task whose programs run one after the other, in one unit of work. A service with this task in its
/// context, and with its program in the same region, runs as one of these programs. If the task is dropped
/// before its [end](Self::end), it is backed out.
pub trait ProgramTask: Any + Send + Sync {
    /// Links a program with a channel. A program that is linked while another one runs waits.
    ///
    /// The future has the channel and the fault as the program has left them. It fails if the program has an
    /// abend or cannot be called. The unit of work then keeps the earlier changes until it is backed out.
    fn link(&self, program: &str, channel: LinkedChannel) -> LinkFuture;

    /// Undoes all changes since the task began or was last backed out. Further programs may follow.
    fn back_out(&self) -> EndFuture;

    /// Commits the changes, and ends the task.
    fn end(&self) -> EndFuture;
}

// A bound by `Debug` would keep the code that shows whole configurations.
impl fmt::Debug for dyn ProgramTask + '_ {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ProgramTask")
    }
}

/// A channel for linking a program, or one that comes back from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkedChannel {
    /// The channel's name.
    pub name: String,
    /// Its containers.
    pub channel: Channel,
    /// The SOAP fault that programs have made so far.
    pub fault: Option<SoapFault>,
}

/// The reason why a program has not returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError {
    /// The code of its abend; none if it was not called, or its time was up.
    pub abend: Option<String>,
    /// The error.
    pub error: Error,
}

/// The end of a program.
pub type LinkFuture = Pin<Box<dyn Future<Output = Result<LinkedChannel, LinkError>> + Send>>;

/// The end of a task, or of a part of it.
pub type EndFuture = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;
