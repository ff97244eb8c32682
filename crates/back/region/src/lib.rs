//! Regions: pools of worker processes that run programs, and all that their tasks share.
//!
//! A [`Region`] lives in the gateway. It gives each task to one worker through memory that both share ([`wire::area`]).
//! A worker is a process of its own (the crate `worker`), started from the same binary. The region does not believe the
//! worker's messages ([`wire`]). The region owns what tasks share with each other, such as temporary storage queues.
//!
//! # Where to look
//!
//! - `running/`: a task in its worker, and the pool of workers.
//! - `quick/`: the quick path, on which a call costs only two switches between processes.
//! - `work.rs`: what the region does for one task. `resources/` has one module for each family of commands.
//! - `starts/`: tasks that programs start, and children.
//! - `around/`: the surroundings of a region: services that its programs answer, and servers that they call.
//! - `watching/`: what operators see.
//! - `link/`: links to other regions.
//!
//! `definitions.rs` holds what was configured. `rights.rs` says who may run what, by whole names, and what programs see
//! of a name ([`user_id`]). The programs that a caller may not run travel with the task. So LINK needs to ask nobody.

mod around;
mod definitions;
pub mod link;
mod plan;
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
pub use around::task::{MessageTask, TaskRunner};
pub use around::web::WebProvider;
pub use around::web_client::WebClients;
pub use definitions::{Definitions, Keeping, QueueModel};
pub use link::LinkState;
pub use message_calls::{QueueGrant, QueueRight, QueueRights};
pub use plan::RegionPlan;
pub use region::{Failure, Region, Request};
pub use resources::files::{
    ALTERNATE_KEY_MAX_BYTES, Access, Allowed, FileDefinition, FileOrganization, FileState, FileStatus,
    FlatReader, Initial, PathDefinition, RECORD_MAX_BYTES, RecordFormat, write_flat,
};
pub use resources::messages::QueueManagers;
pub use resources::operators::OperatorMessage;
pub use resources::temporary::shared::{PoolAddress, PoolDefinition, PoolPassword};
pub use resources::transient::triggers::Trigger;
pub use resources::transient::{TransientDefinition, TransientPlace, TransientRecovery};
pub use rights::{RULES_MAX, Rights, Rule, TaskCaller, user_id};
pub use settings::{Limits, ProgramLimits, Settings, Transaction};
pub use starts::operated::{START_DATA_MAX_BYTES, StartRefused};
pub use starts::pending::PendingStart;
pub use store::{Collation, Decision, GlobalId, InDoubt};
pub use watching::board::LastAbend;
pub use watching::contents::{Contents, Digest};
pub use watching::dumps::{DumpSettings, DumpView};
pub use watching::files::FileView;
pub use watching::trace::{
    TRACE_RECORDS_MAX, TRACE_SECONDS_MAX, TraceRecord, TraceRequest, TraceSubject, TraceView, condition_name,
};
pub use watching::view::{
    ItemView, ProgramState, ProgramView, QUEUES_SHOWN_MAX, QueuePlace, QueueView, QueuesView, TaskView, View,
    WorkerView,
};
pub use watching::waits::{WAIT_NAME_MAX_BYTES, Waited, WaitsFor};
