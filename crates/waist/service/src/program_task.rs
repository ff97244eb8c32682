//! Tasks that run several programs one after the other, as the programs of a pipeline do.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::{CallContext, Channel, Error, SoapFault};

/// Begins tasks of several programs: a region.
pub trait ProgramRunner: Send + Sync + fmt::Debug {
    /// Begins a task for the caller of the context. It has no worker until a program is linked.
    ///
    /// # Errors
    /// The caller may not have it, or there is nobody who runs programs now.
    fn begin(&self, context: CallContext<'_>) -> Result<Arc<dyn ProgramTask>, Error>;

    /// The code page of its programs, by CCSID.
    fn ccsid(&self) -> u16;
}

/// A task whose programs run one after the other, in one unit of work. A service whose context has it and whose program is in
/// the same region runs as one of these programs. Dropped before its [end](Self::end), it is backed out.
pub trait ProgramTask: Any + Send + Sync + fmt::Debug {
    /// Links a program with a channel. A program that is linked while another one runs waits.
    ///
    /// The future has the channel and the fault as the program has left them. It fails if the program has an abend or cannot
    /// be called; the unit of work then has all that was done before, until it is backed out.
    fn link(&self, program: &str, channel: LinkedChannel) -> LinkFuture;

    /// Undoes what was done since the task began or was last backed out. Further programs may follow.
    fn back_out(&self) -> EndFuture;

    /// Commits what was done, and ends the task.
    fn end(&self) -> EndFuture;
}

/// A channel with which a program is linked, or which comes back from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkedChannel {
    /// The channel's name.
    pub name: String,
    /// Its containers.
    pub channel: Channel,
    /// The SOAP fault that programs have made so far.
    pub fault: Option<SoapFault>,
}

/// Why a program has not returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError {
    /// The code of its abend; none if it was not called, or its time was up.
    pub abend: Option<String>,
    /// What has happened.
    pub error: Error,
}

/// The end of a program.
pub type LinkFuture = Pin<Box<dyn Future<Output = Result<LinkedChannel, LinkError>> + Send>>;

/// The end of a task, or of a part of it.
pub type EndFuture = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;
