//! What is around a region: services whose requests its programs answer, and what programs reach through it.

pub(crate) mod context;
pub(crate) mod outward;
pub(crate) mod provider;
