//! Regions: pools of worker processes that run programs, and the runtime of EXEC CICS in them.
//!
//! A [`Region`] lives in the gateway. It gives each task to one worker, a process of its own (the crate `worker`), through
//! memory that both share ([`wire::area`]), in messages ([`wire`]) that it does not believe. What tasks share with each other,
//! such as temporary storage queues ([`queues`]), is the region's.

mod around;
mod definitions;
pub mod link;
mod quick;
mod region;
mod resources;
mod rights;
mod running;
mod settings;
mod starts;
mod watching;
mod work;

pub use around::context::{CONTEXT_CONTAINERS, ContextContainers, UriForm};
pub use around::outward::Surroundings;
pub use around::provider::{ContainerPart, Interchange, ProgramProvider, STATUS_CONTAINER, Slot};
pub use definitions::{Definitions, Keeping, QueueModel};
pub use link::LinkState;
pub use region::{Failure, Region, Request};
pub use resources::files::{
    ALTERNATE_KEY_MAX_BYTES, Access, Allowed, FileDefinition, FileOrganization, FileStatus, FlatReader,
    Initial, PathDefinition, RECORD_MAX_BYTES, RecordFormat, write_flat,
};
pub use resources::operators::OperatorMessage;
pub use resources::temporary::shared::{PoolAddress, PoolDefinition, PoolPassword};
pub use resources::transient::triggers::Trigger;
pub use resources::transient::{TransientDefinition, TransientPlace, TransientRecovery};
pub use rights::{RULES_MAX, Rights, Rule, TaskCaller, user_id};
pub use settings::{Limits, ProgramLimits, Settings, Transaction};
pub use store::{Collation, Decision, GlobalId, InDoubt};
pub use watching::board::LastAbend;
pub use watching::dumps::{DumpSettings, DumpView};
pub use watching::readable::{hex, readable};
pub use watching::trace::{
    TRACE_RECORDS_MAX, TRACE_SECONDS_MAX, TraceRecord, TraceRequest, TraceSubject, TraceView, condition_name,
};
pub use watching::view::{
    ItemView, ProgramState, ProgramView, QUEUES_SHOWN_MAX, QueuePlace, QueueView, QueuesView, TaskView, View,
    WorkerView,
};
pub use watching::waits::{WAIT_NAME_MAX_BYTES, Waited, WaitsFor};
