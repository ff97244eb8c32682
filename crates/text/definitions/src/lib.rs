//! Definitions of a CICS region, or of a queue manager of IBM MQ, become sections of `gantry.toml` that
//! define the same: texts in, text out.
//!
//! The data path: [`read()`] takes the texts of files and finds out the kind of each one: commands of
//! DFHCSDUP or what its LIST prints, jobs of IDCAMS, overrides of the system initialization table, or a
//! resource of a bundle. It chooses definitions by their groups, and makes [`Section`]s of them, with a
//! [`Note`] for everything without a counterpart. [`merge`] puts the sections into the text of an existing
//! `gantry.toml`. Everything that a person wrote in it stays. [`read_mqsc`] does the same as [`read()`] for
//! scripts of MQSC.
//!
//! - A **definition** is a resource of CICS: kind, name, group, attributes.
//! - A **section** is a table of `gantry.toml`.
//! - A **cluster** is a data set of VSAM. Its keys and lengths stand in the job that defines it, not in the
//!   definition of the file.
//!
//! Deliberately absent: files, which the caller reads and writes, and the meaning of `gantry.toml`, which the
//! loader knows.
//!
//! # Where to look
//!
//! - `csd.rs`, `listing.rs`, `idcams.rs`, `jcl.rs`, `sit.rs`, `bundle.rs`: the languages. They know nothing
//!   of Gantry.
//! - `read.rs`: the kinds of files, and the choice of definitions.
//! - `attributes.rs`: the attributes that count.
//! - `catalog.rs`: data sets by their names, with parts that an installation fills in.
//! - `made/`: from definitions to sections, by kinds of resources.
//! - `mqsc/`: scripts of MQSC. They run on objects, and the objects become sections.
//! - `section.rs`, `merge.rs`: the text that is written.

mod attributes;
mod bundle;
mod cards;
mod catalog;
mod csd;
mod idcams;
mod jcl;
mod limits;
mod listing;
mod made;
mod merge;
mod mqsc;
mod place;
mod read;
mod section;
mod sit;

pub use limits::Limits;
pub use merge::{Difference, Merged, Outcome, merge};
pub use mqsc::{Target, is_mq_name, read_mqsc};
pub use place::{Fault, Note, Place};
pub use read::{Choices, Import, NewFile, OwnProgram, Source, WantedData, read};
pub use section::{Section, Table, Value};
