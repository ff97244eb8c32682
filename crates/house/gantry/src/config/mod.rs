//! The configuration, in two steps: first its written form, then the running parts.

mod api;
mod apis;
mod asset;
mod certificates;
mod containers;
mod contract;
mod elsewhere;
mod listeners;
mod listening;
mod load;
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

pub(crate) use ::region::RegionPlan;
pub(crate) use listeners::{WORKERS_MAX, addresses};
pub(crate) use load::{Settings, StorePlan, load};
pub(crate) use region::file_of;
pub(crate) use region_config::FormatOfRecords;
pub(crate) use unserved::FOLDERS;
