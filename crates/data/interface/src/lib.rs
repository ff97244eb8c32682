//! Interfaces of records: a copybook's layout, and its form in JSON by the choices of a configuration.
//!
//! An [`InterfaceSection`] has the choices of a service, an API requester or a transformation for a record.
//! The caller reads its copybook. [`InterfaceSection::choose`] finds the record in it, and [`compile`] makes
//! the [`Interface`] and its bind. Errors go to a [`Tell`], with their place in the file's text.
//!
//! Deliberately absent: files, and the users of records.

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
