//! The configuration, in two steps: what was written, then what runs.

mod api;
mod asset;
mod commarea;
mod containers;
mod contract;
mod durable;
mod files;
mod interceptors;
mod links;
mod load;
mod mcp;
mod outbound;
mod packaged;
mod problem;
mod programs;
mod project;
mod region;
mod security;
mod service;
mod traces;
mod transactions;
mod vectors;
mod written;

pub(crate) use self::mcp::{McpSettings, Offered};
pub(crate) use durable::{FormatOfRecords, file_of, user_folder};
pub(crate) use files::{FOLDER_DEPTH_MAX, Files, source_text};
pub(crate) use load::{Listener, Settings, load};
pub(crate) use packaged::FOLDER as PACKAGES;
pub(crate) use problem::Problems;
pub(crate) use region::RegionPlan;
pub(crate) use security::TlsFiles;
pub(crate) use service::RunningService;
pub(crate) use written::{Limits, LogFormat};
