//! What programs CALL by name: services of Language Environment and the way to remote APIs.

pub(crate) mod api_calls;
pub(crate) mod callable;
pub(crate) mod data_areas;
