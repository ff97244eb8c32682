//! The files of a region: their definitions, and their records in the store.

mod browse;
mod commands;
mod key;
mod load;
mod paths;
#[cfg(test)]
mod paths_property;
#[cfg(test)]
pub(crate) mod property;
mod rebuild;
#[cfg(test)]
mod rebuild_tests;
mod records;
mod state;
mod upgrade;

use std::collections::HashMap;
use std::ops::Bound;
use std::path::PathBuf;
use std::sync::Arc;

use store::{Collation, Definition, Direction, Keyed, Organization, Recovery, Unit};

use crate::resources::catalogue::Names;
use crate::resources::durable::Opened;
use crate::resources::trouble::Trouble;

pub(crate) use commands::TaskFiles;
pub use load::{Access, FlatReader, RecordFormat, write_flat};
use paths::Index;
use records::{Found, Records};
pub use state::FileState;
pub(crate) use state::{FileStates, SharedState};
use wire::Name;

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
    /// True if units of work commit and back out its changes.
    pub recoverable: bool,
    /// The commands that programs may use.
    pub allowed: Allowed,
    /// Whether they may do anything.
    pub status: FileStatus,
    /// The records that it has when it is made.
    pub initial: Option<Initial>,
    /// It is a path to the records of another file, which has them as this definition says.
    pub path: Option<PathDefinition>,
}

/// A path: the records of a recoverable file by an alternate key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathDefinition {
    /// The file that has the records.
    pub base: Name<8>,
    /// Where the alternate key is in each record.
    pub key_offset: usize,
    /// How long it is; at most [`ALTERNATE_KEY_MAX_BYTES`] if it is not unique.
    pub key_bytes: usize,
    /// The order of the alternate keys.
    pub collation: Collation,
    /// No two records have the same.
    pub unique: bool,
}

/// The longest alternate key that several records may have.
pub const ALTERNATE_KEY_MAX_BYTES: usize = store::KEY_BYTES_MAX - paths::NUMBER_BYTES;

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

/// The commands that programs may use on a file.
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
    /// All alternate indexes of the records: the upgrade set.
    indexes: Arc<[Index]>,
    /// Which of them it goes by, if it is a path.
    path: Option<usize>,
    /// Whether it is open, and may be used.
    pub(crate) state: SharedState,
}

impl FileDefinition {
    fn is_path_of(&self, file: Name<8>) -> bool {
        self.path.as_ref().is_some_and(|path| path.base == file)
    }
}

impl OpenFile {
    /// The name of the file that has the records: locks are by it.
    pub(crate) fn base(&self) -> Name<8> {
        self.definition.path.as_ref().map_or(self.definition.name, |path| path.base)
    }

    fn index(&self) -> Option<&Index> {
        self.indexes.get(self.path?)
    }

    /// The record of a key, with its alternate key if the file is a path, in which it is the first one.
    fn read(&self, unit: &Unit, key: &[u8]) -> store::Result<Option<Found>> {
        if self.path.is_some() {
            let found = self.browse(unit, Bound::Included(key), Direction::Forward)?;
            return Ok(found.filter(|found| self.id(found) == key));
        }
        let record = self.records.read(unit, key)?;
        Ok(record.map(|record| Found { place: None, key: key.to_vec(), record, more_follow: false }))
    }

    /// The next record in the order of the file or the path, from a place or the beginning of one on.
    fn browse(&self, unit: &Unit, from: Bound<&[u8]>, direction: Direction) -> store::Result<Option<Found>> {
        match self.index() {
            Some(index) => index.browse(unit, &self.records, from, direction),
            None => self.records.browse(unit, from, direction),
        }
    }

    /// The record as it is now; none if it no longer fits the search.
    fn again(&self, unit: &Unit, found: Found) -> store::Result<Option<Found>> {
        let record = match (self.index(), &found.place) {
            (Some(index), Some(place)) => index.record(unit, &self.records, place, &found.key)?,
            _ => self.records.read(unit, &found.key)?,
        };
        Ok(record.map(|record| Found { record, ..found }))
    }

    /// The key by which a program knows a record here.
    fn id<'f>(&self, found: &'f Found) -> &'f [u8] {
        match (self.index(), &found.place) {
            (Some(index), Some(place)) => index.id(place),
            _ => &found.key,
        }
    }

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
pub(crate) struct Files {
    all: HashMap<Name<8>, Arc<OpenFile>>,
    names: Names<8>,
}

impl Files {
    /// Opens all files; those that are new get their records.
    ///
    /// # Errors
    /// The store has one of them otherwise, or its first records cannot be had: the reason for people.
    pub(crate) fn open(definitions: &[FileDefinition], opened: &Opened) -> Result<Self, String> {
        let mut files = HashMap::new();
        for base in definitions.iter().filter(|definition| definition.path.is_none()) {
            let paths: Vec<_> = definitions.iter().filter(|file| file.is_path_of(base.name)).collect();
            for file in open(base, &paths, opened)? {
                files.insert(file.definition.name, Arc::new(file));
            }
        }
        Ok(Self { names: files.keys().copied().collect(), all: files })
    }

    /// The configuration of these files serves from now on, also the status that it gives each.
    pub(crate) fn begin(&self, states: &FileStates) {
        states.begin(self.all().map(|file| (file.definition.name, file.definition.status)));
    }

    pub(crate) fn get(&self, name: Name<8>) -> Option<&Arc<OpenFile>> {
        self.all.get(&name)
    }

    /// Their names, in order.
    pub(crate) fn names(&self) -> &Names<8> {
        &self.names
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<OpenFile>> {
        self.all.values()
    }
}

/// Opens a file, with all paths to it behind it.
fn open(
    definition: &FileDefinition,
    paths: &[&FileDefinition],
    opened: &Opened,
) -> Result<Vec<OpenFile>, String> {
    let base = open_base(definition, opened)?;
    let indexes: Arc<[Index]> = upgrade::open(&base, paths, opened)?.into();
    let paths = paths.iter().enumerate().map(|(number, path)| OpenFile {
        definition: (*path).clone(),
        records: base.records.clone(),
        indexes: indexes.clone(),
        path: Some(number),
        state: opened.file_states.of(path.name, path.status),
    });
    let paths: Vec<_> = paths.collect();
    Ok(std::iter::once(OpenFile { indexes, ..base }).chain(paths).collect())
}

fn open_base(definition: &FileDefinition, opened: &Opened) -> Result<OpenFile, String> {
    let shown = String::from_utf8_lossy(&definition.name);
    let at = |message: String| format!("file {}: {message}", shown.trim_end());
    let layouts = layouts(opened).map_err(|trouble: Trouble| at(trouble.message))?;
    rebuild::as_defined(definition, &layouts, opened).map_err(at)?;
    let records = Records::open(definition, opened).map_err(|error| at(error.to_string()))?;
    opened.use_space(&Records::definition(definition).name);
    let state = opened.file_states.of(definition.name, definition.status);
    let file =
        OpenFile { definition: definition.clone(), records, indexes: Arc::default(), path: None, state };
    let mut unit = opened.store.unit().map_err(|error| at(error.to_string()))?;
    let layout = layout(definition);
    match unit.read(&layouts, &definition.name).map_err(|error| at(error.to_string()))? {
        Some(known) if known == layout.as_bytes() => return Ok(file),
        // The layout of a path that no longer exists.
        Some(known) if known.starts_with(upgrade::PATH_OF.as_bytes()) => {
            unit.delete(&layouts, &definition.name).map_err(|error| at(error.to_string()))?;
        }
        Some(_) => {
            // Records of another length or format: the existing records must already fit.
            load::check_lengths(&file, &unit).map_err(at)?;
            unit.delete(&layouts, &definition.name).map_err(|error| at(error.to_string()))?;
            unit.insert(&layouts, &definition.name, layout.into_bytes())
                .map_err(|error| at(error.to_string()))?;
            unit.syncpoint().map_err(|error| at(error.to_string()))?;
            return Ok(file);
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

/// True if two layouts differ in their records alone.
fn has_same_keys(known: &[u8], layout: &str) -> bool {
    let known = String::from_utf8_lossy(known);
    let keys = |layout: &str| layout.split_once(RECORDS).map(|(keys, _)| keys.to_owned());
    keys(&known).is_some() && keys(&known) == keys(layout)
}

/// Why a file or a path cannot be opened under a name that the store knows otherwise.
fn known_otherwise(known: &[u8], layout: &str) -> String {
    let known = String::from_utf8_lossy(known);
    format!(
        "the store has it as {known}, it is defined as {layout}; unload it, and load it under another name"
    )
}

/// Where the part of a layout begins that is about the lengths of records.
const RECORDS: &str = ", records ";

/// The form of a file's records. Other keys give the records another order; with other lengths all records
/// must fit.
fn layout(definition: &FileDefinition) -> String {
    let organization = match definition.organization {
        FileOrganization::KeySequenced { key_offset, key_bytes, .. } => {
            format!("key-sequenced with {key_bytes} bytes of key at offset {key_offset}")
        }
        FileOrganization::EntrySequenced => "entry-sequenced".to_owned(),
        FileOrganization::Relative => "relative".to_owned(),
    };
    let records = if definition.fixed { "of" } else { "of at most" };
    format!("{organization}{RECORDS}{records} {} bytes", definition.record_bytes)
}

fn layouts(opened: &Opened) -> Result<Keyed, Trouble> {
    let organization = Organization::KeySequenced(Collation::Binary);
    let name = "file layouts".to_owned();
    Ok(opened.store.keyed(&Definition { name, organization, recovery: Recovery::Recoverable })?)
}
