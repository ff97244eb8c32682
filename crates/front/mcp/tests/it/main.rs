//! The crate from outside: definitions, names, calls, messages.

mod calls;
mod definitions;
mod messages;
mod names;
mod setting;
