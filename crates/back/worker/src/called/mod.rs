//! The names that programs CALL: services of Language Environment, the way to remote APIs, the Message Queue
//! Interface, and the translated XML PARSE.

pub(crate) mod api_calls;
pub(crate) mod callable;
pub(crate) mod data_areas;
pub(crate) mod message_calls;
pub(crate) mod xml_parse;
