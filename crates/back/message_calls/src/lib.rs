//! Calls of the Message Queue Interface by the tasks of a region, as IBM MQ answers them to programs under CICS.
//!
//! [`TaskCalls`] has the open objects and the message handles of a task. [`TaskCalls::call`] carries out a call with the region's
//! queue manager and the task's unit of work ([`Surroundings`]). Its result is a [`Step`]: an answer, a unit
//! of its own that must be committed first, or a wait. The region commits or waits, and comes back with
//! [`TaskCalls::after_wait`] or [`after_commit`].
//!
//! Puts and gets belong to the task's unit unless they say otherwise. MQCMIT and MQBACK are refused, because
//! the region coordinates. A program needs no MQCONN. Reasons are those of [`message::Reason`].
//!
//! Deliberately absent: the storage of programs (crate `worker`), waiting, threads, and who may use which queue.

mod apart;
mod convert;
mod descriptor;
mod handles;
mod inquire;
mod objects;
mod options;
mod properties;
mod property_name;
mod property_value;
mod put;
mod rfh2;
mod rights;
mod subscribe;
mod task;
mod topic;
mod trigger;

pub use apart::{Apart, Changed};
pub use convert::{convert, is_package, soap_to_utf8};
pub use objects::Opens;
pub use rights::{QueueGrant, QueueRight, QueueRights};
pub use task::{Step, Surroundings, TaskCalls, Waiting, after_commit};
pub use trigger::trigger_message;

#[cfg(test)]
mod tests {
    use message::Reason;

    #[test]
    fn reasons_are_those_of_the_copybook() {
        for reason in Reason::ALL {
            let name = reason.name().replace('_', "-");
            if name.starts_with("MQRC-") {
                assert_eq!(mqi::constant(&name), i32::try_from(reason.code()).ok(), "{name}");
            }
        }
    }
}
