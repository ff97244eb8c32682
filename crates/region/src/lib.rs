//! Regions: pools of worker processes that run programs, and the runtime of EXEC CICS in them.
//!
//! A [`Region`] lives in the gateway. It gives each task to one worker, a process of its own (the crate `worker`), through
//! memory that both share ([`wire::area`]), in messages ([`wire`]) that it does not believe. What tasks share with each other,
//! such as temporary storage queues ([`queues`]), is the region's.

mod batch;
mod board;
mod children;
mod context;
mod conversation;
mod copies;
mod counters;
mod cursors;
mod definitions;
mod dumps;
mod durable;
mod ending;
mod enqueues;
mod files;
mod idle;
pub mod link;
mod memory;
mod operators;
mod output;
mod pace;
mod pool;
mod process;
mod processors;
mod provider;
pub mod queues;
mod readable;
mod ready;
mod region;
mod resources;
mod rights;
mod settings;
mod shared;
mod starts;
mod surroundings;
mod temporary;
mod trace;
mod transient;
mod triggers;
mod trouble;
mod turns;
mod unattended;
mod unit;
mod view;
mod waits;
mod work;

pub use board::LastAbend;
pub use context::{CONTEXT_CONTAINERS, ContextContainers, UriForm};
pub use definitions::{Definitions, Keeping, QueueModel};
pub use dumps::{DumpSettings, DumpView};
pub use files::{
    ALTERNATE_KEY_MAX_BYTES, Access, Allowed, FileDefinition, FileOrganization, FileStatus, FlatReader,
    Initial, PathDefinition, RECORD_MAX_BYTES, RecordFormat, write_flat,
};
pub use link::LinkState;
pub use operators::OperatorMessage;
pub use provider::{ContainerPart, Interchange, ProgramProvider, STATUS_CONTAINER, Slot};
pub use readable::{hex, readable};
pub use region::{Failure, Region, Request};
pub use rights::{RULES_MAX, Rights, Rule, TaskCaller, user_id};
pub use settings::{Limits, ProgramLimits, Settings, Transaction};
pub use shared::{PoolAddress, PoolDefinition, PoolPassword};
pub use store::{Collation, Decision, GlobalId, InDoubt};
pub use surroundings::Surroundings;
pub use trace::{
    TRACE_RECORDS_MAX, TRACE_SECONDS_MAX, TraceRecord, TraceRequest, TraceSubject, TraceView, condition_name,
};
pub use transient::{TransientDefinition, TransientPlace, TransientRecovery};
pub use triggers::Trigger;
pub use view::{
    ItemView, ProgramState, ProgramView, QUEUES_SHOWN_MAX, QueuePlace, QueueView, QueuesView, TaskView, View,
    WorkerView,
};
pub use waits::{WAIT_NAME_MAX_BYTES, Waited, WaitsFor};
