//! The fields of a layout one by one: the value of each field from its bytes, wherever they lie in a record.
//!
//! A [`crate::Bind`] reads whole records and stops at the first fault. Tools that look into records (dumps,
//! counters of files without record lengths) need single fields, every view of a REDEFINES, and a fault for
//! each.

use copybook::{FieldId, Layout};

use crate::error::{Error, ErrorKind};
use crate::fields::slot_of;
use crate::options::Options;
use crate::slot::Slot;
use crate::text::TextTables;

/// Readers for all fields of a layout.
#[derive(Debug)]
pub struct Columns {
    /// By [`FieldId::index`]. A field without a value has the reason.
    slots: Vec<Result<Slot, String>>,
    tables: TextTables,
}

impl Columns {
    /// Compiles the readers of a layout's elementary fields. Limits of single fields in the options do not
    /// count: the text shows the content of the bytes.
    #[must_use]
    pub fn new(layout: &Layout, options: &Options) -> Self {
        let tables = TextTables::new(options.encoding);
        let slots = layout.iter().map(|(id, _)| slot_of(layout, id, options, &tables)).collect();
        Self { slots, tables }
    }

    /// The value of a field as text, from its bytes. Their number is [`copybook::Field::bytes`]. Text is as
    /// it is, without JSON's escapes; numbers are as JSON writes them.
    ///
    /// # Errors
    /// The bytes are not a value of the field's type, their number is wrong, or the field cannot have a value
    /// (a group, a pointer). The error has no path and no offset of the field.
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

    /// True if the field has a value of its own: it is not a group, and its usage can be read.
    #[must_use]
    pub fn has_value(&self, id: FieldId) -> bool {
        self.slots[id.index()].is_ok()
    }
}
