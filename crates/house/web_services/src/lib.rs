//! Web services from the files in `soap/`: what they take, what guards them, and their WSDL.
//!
//! [`read`] makes a [`Loaded`] of each file. Each operation gets binds of its own, from the layouts and options of its service,
//! with the namespace and the name of its element. An `api::Api` stands for the web service in lists, logs, metrics and
//! switches.
//!
//! [`Pipelines`] are the pipeline files of `[[pipeline]]` in `gantry.toml`.
//!
//! [`on_shelves`] finds the bind files that run in pipelines. They stand for such files.
//!
//! Deliberately absent: copybooks and providers, which belong to services, and requests.

mod pipelines;
mod read;
mod section;
mod shelf;

pub use pipelines::{NamedPipeline, PipelineSection, Pipelines};
pub use read::{FOLDER, Known, Loaded, read};
pub use shelf::{is_bind_file, on_shelves};
