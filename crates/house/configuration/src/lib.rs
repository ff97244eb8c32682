//! The configuration, in two steps: first its written form, then the running parts.
//!
//! It is a crate of its own because it runs at load alone, and is built small.

// It comes first, so that all modules below have its macros.
#[macro_use]
extern crate terminal;

mod api;
mod apis;
mod asset;
mod certificates;
mod containers;
mod contract;
mod elsewhere;
mod kinds;
mod listeners;
mod listening;
mod load;
mod loaded;
mod loader;
mod mcp;
mod messages;
mod messaging;
mod own_programs;
mod project;
mod region;
mod requester;
mod retired;
mod service;
mod services;
mod unserved;
mod uri_maps;
mod written;

pub use ::region::RegionPlan;
pub use listeners::{WORKERS_MAX, addresses};
pub use load::{Settings, StorePlan, load};
pub use loaded::{Fixed, Load, Loaded, Source};
pub use region::file_of;
pub use region_config::FormatOfRecords;
pub use unserved::FOLDERS;
