//! Guards and records around each call: interceptors and their order, audit records, policies by
//! headers, redaction, and the context of traces.
//!
//! The code here either decides when a configuration is loaded, or turns bytes into bytes.
//! Deliberately absent: files, the network and the clock. The gateway writes records, asks other
//! servers and tells the time.

pub mod chain;
pub mod external;
pub mod otlp;
pub mod policy;
pub mod record;
pub mod redact;
pub mod trace;
