//! The fields of a layout one by one: the value of each from its bytes, wherever in a record these lie.
//!
//! A [`crate::Bind`] reads whole records and stops at the first fault. What looks into records (dumps, counters of
//! files without record lengths) needs single fields, every view of a REDEFINES, and a fault for each.

use copybook::{FieldId, Layout};

use crate::error::{Error, ErrorKind};
use crate::fields::slot_of;
use crate::options::Options;
use crate::slot::Slot;
use crate::text::TextTables;

/// Readers for all fields of a layout.
#[derive(Debug)]
pub struct Columns {
    /// By [`FieldId::index`]; why not for what has no value.
    slots: Vec<Result<Slot, String>>,
    tables: TextTables,
}

impl Columns {
    /// Compiles the readers of a layout's elementary fields. Limits of single fields in the options do not count:
    /// what is shown is what the bytes hold.
    #[must_use]
    pub fn new(layout: &Layout, options: &Options) -> Self {
        let tables = TextTables::new(options.encoding);
        let slots = layout.iter().map(|(id, _)| slot_of(layout, id, options, &tables)).collect();
        Self { slots, tables }
    }

    /// The value of a field as text, from its bytes: [`copybook::Field::bytes`] of them. Text is as it is, without
    /// JSON's escapes; numbers are as JSON writes them.
    ///
    /// # Errors
    /// The bytes are no value of the field's type, are not as many as the field has, or the field is of a kind that
    /// has no value (a group, a pointer). The error has no path and no offset of the field.
    pub fn text(&self, id: FieldId, bytes: &[u8]) -> Result<String, Error> {
        let slot = self.slots[id.index()]
            .as_ref()
            .map_err(|message| Error::new(ErrorKind::BadData, message.clone()))?;
        if bytes.len() != slot.bytes {
            let message = format!("expected {} bytes, found {}", slot.bytes, bytes.len());
            return Err(Error::new(ErrorKind::RecordLength, message));
        }
        slot.text_of(bytes, &self.tables)
    }

    /// True if the field has a value of its own: no group, and of a usage that can be read.
    #[must_use]
    pub fn has_value(&self, id: FieldId) -> bool {
        self.slots[id.index()].is_ok()
    }
}
