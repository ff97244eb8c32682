//! Regions in a configuration: the values of `[region]` in `gantry.toml`, with their defaults and checks.
//!
//! It runs nothing. A region is made in stages. Each stage takes the result of the one before:
//!
//! 1. [`RegionUse::of`] has what services need to know before the region exists: the code page of its
//!    programs. Services that have programs take their providers from it, and it notes these programs.
//! 2. [`RegionSection::check`] checks the section by itself, and gives a [`CheckedRegion`].
//! 3. The programs are translated and compiled, which is not done here.
//! 4. [`CheckedRegion::plan`] joins the section, the programs and the needs of services to a
//!    `region::RegionPlan`.
//! 5. [`check_user_ids`] refuses names of users that programs could not tell apart.
//!
//! # Where to look
//!
//! - `section.rs`: the keys of `[region]` and their defaults.
//! - `provider.rs` and `kind.rs`: `[provider]` with `kind = "program"`.
//! - `programs.rs`, `transactions.rs`, `links.rs`, `durable/`: the sections below `[region]`.
//! - `commarea.rs`: which bytes of a commarea are text, where it goes to another region.
//! - `transforms.rs`: the targets of TRANSFORM.

mod commarea;
mod durable;
mod kind;
mod links;
mod names;
mod plan;
mod pltpi;
mod programs;
mod provider;
mod retired;
mod section;
mod transactions;
mod transforms;
mod user_ids;

pub use durable::{FormatOfRecords, FoundFile, HINT_BYTES, page_hint};
pub use kind::KIND;
pub use plan::{CheckedRegion, InstalledPrograms};
pub use provider::{DEFAULT_CHANNEL, ProgramSection, RegionUse};
pub use retired::retired_keys;
pub use section::RegionSection;
pub use transforms::{Converted, TransformSection, transforms};
pub use user_ids::check_user_ids;
