//! The crate from outside: routes, parameters and their documentation.

mod description;
mod router;
mod setting;
