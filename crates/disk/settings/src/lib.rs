//! Files of a configuration folder, their faults and the places of the faults, and the rules for reading
//! them.
//!
//! A [`Loader`] reads the [`Files`] of one configuration. It turns each TOML file into the section that a
//! capability describes, and adds every fault to its [`Problems`], with the file and the place in it. The
//! loader itself does not know the sections.
//!
//! - A **problem** is one fault of a configuration, with its place.
//! - A **part** is a program or a package: if it is faulty, everything else is still served.
//! - A **retired key** has become a constant: for one version it is a warning.

pub mod copybooks;
mod files;
mod loader;
mod maps;
mod network;
mod problem;
mod replace;
mod retired;
mod secret;
mod toml_faults;
mod user;

pub use files::{FOLDER_DEPTH_MAX, Files, Folder, is_safe, path_below, source_text};
pub use loader::{CertificateFile, CertificatesOf, GANTRY_FILE, Loader, PlaceOf};
pub use maps::{MAP_ENDINGS, MapIndex};
pub use network::Network;
pub use problem::{Lines, Part, PartNames, PartState, Problem, Problems, Severity, line_at};
pub use replace::{Readers, Replacement, is_torn, replace};
pub use retired::{KeysOf, Retired};
pub use secret::SecretSection;
pub use toml_faults::{explained, plain_words};
pub use user::user_folder;
