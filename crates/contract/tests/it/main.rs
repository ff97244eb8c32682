//! Tests of the whole crate: documents in, verdicts on requests and answers out.

mod bodies;
mod parameters;
mod reading;
mod schemas;
mod setting;
