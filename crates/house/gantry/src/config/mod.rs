//! The configuration, in two steps: what was written, then what runs.

mod api;
mod apis;
mod archives;
mod asset;
mod commarea;
mod containers;
mod contract;
mod durable;
mod links;
mod listeners;
mod load;
mod loader;
mod mcp;
mod outbound;
mod own_programs;
mod package_settings;
mod packaged;
mod pltpi;
mod programs;
mod project;
mod region;
mod retired;
mod service;
mod services;
mod transactions;
mod unserved;
mod user_ids;
mod written;

pub(crate) use archives::read as read_package;
pub(crate) use durable::{FormatOfRecords, file_of, user_folder};
pub(crate) use listeners::Listener;
pub(crate) use load::{Settings, load};
pub(crate) use packaged::FOLDER as PACKAGES;
pub(crate) use region::RegionPlan;
