//! The configuration, in two steps: what was written, then what runs.

mod api;
mod apis;
mod archives;
mod asset;
mod containers;
mod contract;
mod listeners;
mod load;
mod loader;
mod mcp;
mod own_programs;
mod package_settings;
mod packaged;
mod project;
mod region;
mod requester;
mod retired;
mod service;
mod services;
mod unserved;
mod written;

pub(crate) use ::region::RegionPlan;
pub(crate) use archives::read as read_package;
pub(crate) use load::{Settings, load};
pub(crate) use packaged::FOLDER as PACKAGES;
pub(crate) use region::file_of;
pub(crate) use region_config::FormatOfRecords;
