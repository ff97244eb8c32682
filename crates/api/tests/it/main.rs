//! The crate from outside: routes, parameters, failures and their documentation.

mod description;
mod failures;
mod router;
mod setting;
