//! Packages of z/OS Connect in a configuration: archives in the folder `packages/`, and API projects below
//! `apis/`.
//!
//! They stand for text files of ours. [`with_packages`] puts these files over those of the folder, so that
//! other code reads them as if they were there. The crate `packages` knows the formats. This crate knows the
//! places of packages in a configuration, and the files beside them.
//!
//! - `overlay.rs`: all packages of a configuration. It leaves out faulty packages.
//! - `archives.rs`: one package, read with the copybooks of the folder.
//! - `settings_of.rs`: `packages/NAME.toml`, the settings for a package.
//! - `projects.rs`: API projects, found and read once.
//!
//! A **package** is an archive or a folder of another product. An **API project** is the source of one, in
//! folders.

mod archives;
mod overlay;
mod projects;
mod settings_of;

pub use archives::read;
pub use overlay::{FOLDER, LeftOut, Other, with_packages};
pub use projects::{FoundProject, ProjectFiles, Projects, ReadProject};
