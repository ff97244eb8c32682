//! The files of a region: what is defined of each, and its records in the store.

mod browse;
mod commands;
mod key;
mod load;
#[cfg(test)]
mod property;
mod records;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use store::{Collation, Definition, Keyed, Organization, Recovery};

use crate::durable::Opened;
use crate::trouble::Trouble;
use crate::wire::Name;

pub(crate) use commands::TaskFiles;
pub use load::{Access, FlatReader, RecordFormat, write_flat};
pub(crate) use records::Records;

/// The longest record, in bytes: LENGTH is a halfword.
pub const RECORD_MAX_BYTES: usize = 32_767;

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDefinition {
    /// Its name.
    pub name: Name<8>,
    /// How it finds its records.
    pub organization: FileOrganization,
    /// The length of each record, or the most that one may have.
    pub record_bytes: usize,
    /// All records have that length.
    pub fixed: bool,
    /// Units of work commit and back out what is done to it.
    pub recoverable: bool,
    /// What programs may do.
    pub allowed: Allowed,
    /// Whether they may do anything.
    pub status: FileStatus,
    /// The records that it has when it is made.
    pub initial: Option<Initial>,
}

/// How a file finds its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOrganization {
    /// By a key in them (KSDS).
    KeySequenced {
        /// Where the key is in each record.
        key_offset: usize,
        /// How long it is.
        key_bytes: usize,
        /// The order of the keys.
        collation: Collation,
    },
    /// By the bytes before them (ESDS).
    EntrySequenced,
    /// By their numbers (RRDS).
    Relative,
}

/// What programs may do with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// READ.
    pub read: bool,
    /// WRITE.
    pub add: bool,
    /// READ UPDATE and REWRITE.
    pub update: bool,
    /// DELETE.
    pub delete: bool,
    /// STARTBR.
    pub browse: bool,
}

impl Allowed {
    /// Everything.
    pub const ALL: Allowed = Allowed { read: true, add: true, update: true, delete: true, browse: true };
}

/// Whether a file can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileStatus {
    /// It can.
    Open,
    /// NOTOPEN.
    Closed,
    /// DISABLED.
    Disabled,
}

/// The records that a file has when it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initial {
    /// The file with them.
    pub path: PathBuf,
    /// How it has them.
    pub format: RecordFormat,
}

/// A file of a region that runs.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) definition: FileDefinition,
    pub(crate) records: Records,
}

impl OpenFile {
    pub(crate) fn recovery(&self) -> Recovery {
        recovery(&self.definition)
    }
}

fn recovery(definition: &FileDefinition) -> Recovery {
    match definition.recoverable {
        true => Recovery::Recoverable,
        false => Recovery::NotRecoverable,
    }
}

/// All files of a region that runs.
#[derive(Debug, Default)]
pub(crate) struct Files(HashMap<Name<8>, Arc<OpenFile>>);

impl Files {
    /// Opens all files; those that are new get their records.
    ///
    /// # Errors
    /// The store has one of them otherwise, or its first records cannot be had: the reason for people.
    pub(crate) fn open(definitions: &[FileDefinition], opened: &Opened) -> Result<Self, String> {
        let open = |definition: &FileDefinition| Ok((definition.name, Arc::new(open(definition, opened)?)));
        definitions.iter().map(open).collect::<Result<_, String>>().map(Self)
    }

    pub(crate) fn get(&self, name: Name<8>) -> Option<&Arc<OpenFile>> {
        self.0.get(&name)
    }
}

fn open(definition: &FileDefinition, opened: &Opened) -> Result<OpenFile, String> {
    let shown = String::from_utf8_lossy(&definition.name);
    let at = |message: String| format!("file {}: {message}", shown.trim_end());
    let records = Records::open(definition, opened).map_err(|error| at(error.to_string()))?;
    let file = OpenFile { definition: definition.clone(), records };
    let told = |trouble: Trouble| at(trouble.message);
    let mut unit = opened.store.unit().map_err(|error| at(error.to_string()))?;
    let layouts = layouts(opened).map_err(told)?;
    let layout = layout(definition);
    match unit.read(&layouts, &definition.name).map_err(|error| at(error.to_string()))? {
        Some(known) if known == layout.as_bytes() => return Ok(file),
        Some(known) => {
            let known = String::from_utf8_lossy(&known);
            return Err(at(format!(
                "the store has it as {known}, it is defined as {layout}; unload it, and load it under another name"
            )));
        }
        None => {}
    }
    if let Some(initial) = &definition.initial {
        load::load_initial(&file, initial, &mut unit).map_err(at)?;
    }
    // With the records, so that they are all there or none.
    unit.insert(&layouts, &definition.name, layout.into_bytes()).map_err(|error| at(error.to_string()))?;
    unit.syncpoint().map_err(|error| at(error.to_string()))?;
    Ok(file)
}

/// What must not change as long as there are records.
fn layout(definition: &FileDefinition) -> String {
    let organization = match definition.organization {
        FileOrganization::KeySequenced { key_offset, key_bytes, .. } => {
            format!("key-sequenced with {key_bytes} bytes of key at offset {key_offset}")
        }
        FileOrganization::EntrySequenced => "entry-sequenced".to_owned(),
        FileOrganization::Relative => "relative".to_owned(),
    };
    let records = if definition.fixed { "of" } else { "of at most" };
    format!("{organization}, records {records} {} bytes", definition.record_bytes)
}

fn layouts(opened: &Opened) -> Result<Keyed, Trouble> {
    let organization = Organization::KeySequenced(Collation::Binary);
    let name = "file layouts".to_owned();
    Ok(opened.store.keyed(&Definition { name, organization, recovery: Recovery::Recoverable })?)
}
