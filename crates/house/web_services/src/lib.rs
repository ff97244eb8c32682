//! Web services from the files in `soap/`: their operations, their guards, and their WSDL.
//!
//! [`read`] makes a [`Loaded`] of each file. Each operation gets its own binds, from the layouts
//! and options of its service, with the namespace and the name of its element. An `api::Api`
//! represents the web service in lists, logs, metrics and switches.
//!
//! [`Pipelines`] has the pipeline files of `[[pipeline]]` in `gantry.toml`.
//!
//! [`on_shelves`] finds the bind files that run in pipelines. They act like such files.
//!
//! Deliberately absent: copybooks and providers, which belong to services, and requests.

mod pipelines;
mod read;
mod section;
mod shelf;

pub use pipelines::{NamedPipeline, PipelineSection, Pipelines};
pub use read::{FOLDER, Known, Loaded, read};
pub use shelf::{is_bind_file, on_shelves};
