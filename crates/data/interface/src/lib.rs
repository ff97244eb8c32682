//! Interfaces of records: a copybook's layout, and how JSON sees it by the choices of a configuration.
//!
//! A [`InterfaceSection`] is what a service, an API requester or a transformation says of a record. The caller reads its
//! copybook. [`InterfaceSection::choose`] finds the record in it, and [`compile`] makes the [`Interface`] and its bind. What is
//! wrong goes to a [`Tell`], with its place in the file's text.
//!
//! Deliberately absent: files, and who has the record.

mod read;
mod section;

use std::sync::Arc;

use copybook::Layout;
use record::Options;

pub use read::{IEEE_ORDER_OF_PROGRAMS, Pages, Rules, Tell, as_programs_have, compile, encoding, nothing};
pub use section::{
    BooleanSection, BytesWord, CharacterTables, FieldSection, InterfaceSection, Scalar, WhenSection,
};

/// The layout of a record and how JSON sees it.
#[derive(Clone, Debug)]
pub struct Interface {
    /// The layout.
    pub layout: Arc<Layout>,
    /// Names, limits and policies.
    pub options: Options,
}
