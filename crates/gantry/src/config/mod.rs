//! The configuration, in two steps: what was written, then what runs.

mod api;
mod files;
mod load;
mod packaged;
mod problem;
mod service;
mod written;

pub(crate) use files::Files;
pub(crate) use load::{Listener, Settings, TlsFiles, load};
pub(crate) use packaged::FOLDER as PACKAGES;
pub(crate) use problem::Problems;
pub(crate) use service::RunningService;
pub(crate) use written::Limits;
