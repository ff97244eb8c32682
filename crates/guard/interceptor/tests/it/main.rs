//! Tests of the crate from outside, by subject.

mod chain;
mod external;
mod otlp;
mod policy;
mod record;
mod redact;
mod trace;
