//! Calls of tasks against a queue manager on a store of its own.

mod calls;
mod handles;
mod setup;
mod subscriptions;
mod topics;
