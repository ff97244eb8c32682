//! Tests of the whole crate: documents in, verdicts on requests and answers out.

mod bodies;
mod documents;
mod parameters;
mod random;
mod reading;
mod schemas;
mod setting;
mod standalone;
mod yaml;
