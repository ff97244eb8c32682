//! The quick path: how a call costs no more than two switches between processes.

pub(crate) mod batch;
pub(crate) mod pace;
pub(crate) mod processors;
