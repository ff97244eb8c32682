//! Tests of the whole crate: documents in, verdicts on requests and answers out.

mod bodies;
mod documents;
mod parameters;
mod reading;
mod schemas;
mod setting;
