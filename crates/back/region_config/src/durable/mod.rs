//! Definitions of `[region]` for programs: its store, temporary storage, files and transient data queues.

mod files;
mod grants;
mod hint;
mod td;
mod ts;

use std::ops::Range;
use std::path::{Path, PathBuf};

use region::{Definitions, FileDefinition};
use settings::{Files, GANTRY_FILE, user_folder};
use wire::Location;

pub(crate) use files::FileSection;
pub use files::FormatOfRecords;
pub(crate) use grants::QueueGrantSection;
pub use hint::{HINT_BYTES, page_hint};
pub(crate) use td::TdQueueSection;
pub(crate) use ts::{LocationWord, TsModelSection, TsPoolSection};

use toml::Spanned;

use crate::plan::Reader;
use crate::section::RegionSection;
use crate::transactions::TransactionSection;

/// The store of a region: a path of its own, from the configuration's folder if it is relative, or that of the user's state.
fn store_path(files: &Files, given: Option<&Path>, applid: &str) -> PathBuf {
    match given {
        Some(path) => files.folder().map_or_else(|| path.to_owned(), |folder| folder.join(path)),
        None => state_folder().join(format!("{applid}.store")),
    }
}

/// The folder of dumps. An example in the binary has none of its own: it leaves nothing behind.
pub(crate) fn dumps_path(files: &Files, given: Option<&Path>) -> Option<PathBuf> {
    match (files.folder(), given) {
        (Some(folder), given) => Some(folder.join(given.unwrap_or(Path::new(DUMPS_FOLDER)))),
        (None, given) => given.map(Path::to_owned),
    }
}

/// The folder of dumps in a configuration's folder, beside other files that the gateway writes there.
const DUMPS_FOLDER: &str = ".gantry/dumps";

fn state_folder() -> PathBuf {
    let state = user_folder("XDG_STATE_HOME", ".local/state");
    state.unwrap_or_else(|| PathBuf::from("/var/lib")).join("gantry")
}

/// A definition that is wrong: where it is written, and why.
type Fault = (Range<usize>, String);

/// Gathers definitions and faults of one kind, each name once.
fn gather<S, D>(
    written: &[S],
    faults: &mut Vec<Fault>,
    (span, define): (impl Fn(&S) -> Range<usize>, impl Fn(&S) -> Result<D, String>),
    same: impl Fn(&D, &D) -> bool,
) -> Vec<D> {
    let mut defined: Vec<D> = Vec::new();
    for section in written {
        match define(section) {
            Ok(definition) if defined.iter().any(|known| same(known, &definition)) => {
                faults.push((span(section), "there is another definition of the same name".to_owned()));
            }
            Ok(definition) => defined.push(definition),
            Err(message) => faults.push((span(section), message)),
        }
    }
    defined
}

/// All definitions of the section, and their faults.
fn definitions(section: &RegionSection, folder: Option<&Path>) -> (Definitions, Vec<Fault>) {
    let mut faults = Vec::new();
    let sysid = section.sysid.get_ref();
    let queue_models = gather(
        &section.ts_models,
        &mut faults,
        (|written| written.prefix.span(), |written| written.model(sysid)),
        |one, other| one.prefix == other.prefix,
    );
    let pools = gather(
        &section.ts_pools,
        &mut faults,
        (|written| written.name.span(), |written| written.pool(folder)),
        |one, other| one.name == other.name,
    );
    for written in &section.ts_models {
        if let Some(pool) =
            written.pool.as_ref().filter(|pool| pools.iter().all(|known| known.name != **pool))
        {
            faults.push((written.prefix.span(), format!("there is no pool '{pool}' in [[region.tspool]]")));
        }
    }
    let ccsid = *section.ccsid.get_ref();
    let files = gather(
        &section.files,
        &mut faults,
        (|written| written.span(), |written| written.get_ref().definition(ccsid, folder, &section.files)),
        |one, other| one.name == other.name,
    );
    let transients = gather(
        &section.td_queues,
        &mut faults,
        (|written| written.span(), |written| written.get_ref().definition(folder)),
        |one, other| one.name == other.name,
    );
    for written in &section.td_queues {
        let queue = written.get_ref();
        let Some(transaction) = queue.transaction.as_ref() else { continue };
        let is_here = |known: &TransactionSection| known.name == *transaction && known.program.is_some();
        if !section.transaction.iter().any(|known| is_here(known.get_ref())) {
            let message = format!("no [[region.transaction]] with a program has the name '{transaction}'");
            faults.push((written.span(), message));
        }
    }
    let queue_rights = grants::rights(&section.queue_grants, &mut faults);
    let queue_location = match section.ts_location {
        LocationWord::Main => Location::Main,
        LocationWord::Auxiliary => Location::Auxiliary,
    };
    // Definitions of other regions are read with the links.
    let definitions = Definitions {
        queue_models,
        queue_location,
        pools,
        files,
        transients,
        queue_rights,
        ..Definitions::default()
    };
    (definitions, faults)
}

impl Reader<'_, '_> {
    /// The region's definitions for its programs; none if one has a fault.
    pub(crate) fn definitions(&mut self, section: &RegionSection) -> Option<Definitions> {
        let (definitions, faults) = definitions(section, self.files.folder());
        let whole = faults.is_empty();
        for (span, message) in faults {
            self.at(GANTRY_FILE, span, message);
        }
        self.warn_of_first_records(section, &definitions);
        whole.then_some(definitions)
    }
}

impl Reader<'_, '_> {
    /// Warns of first records that seem to be in EBCDIC, and of files of first records that do not exist. Such a file is an
    /// error of the load, not of the check: a store that has the records does not need it.
    fn warn_of_first_records(&mut self, section: &RegionSection, definitions: &Definitions) {
        for file in &definitions.files {
            let Some(initial) = &file.initial else { continue };
            let Some(message) = hint::of_file(&initial.path) else { continue };
            let is_it = |written: &&Spanned<FileSection>| {
                written.get_ref().name.to_uppercase().as_bytes() == file.name.trim_ascii_end()
            };
            if let Some(written) = section.files.iter().find(is_it) {
                self.warn_at(GANTRY_FILE, written.span(), message);
            }
        }
    }
}

/// A file that a configuration defines, for tools.
#[derive(Debug)]
pub struct FoundFile {
    /// The store that has it.
    pub store: PathBuf,
    /// Its definition.
    pub definition: FileDefinition,
    /// All paths to it.
    pub paths: Vec<FileDefinition>,
}

impl RegionSection {
    /// A file of the region, by its name in either case.
    ///
    /// # Errors
    /// The reason for people, with its place if it has one: a definition has a fault, the file does not
    /// exist, or it is a path.
    pub fn file(&self, files: &Files, wanted: &str) -> Result<FoundFile, (Option<Range<usize>>, String)> {
        let (definitions, faults) = definitions(self, files.folder());
        if let Some((span, message)) = faults.into_iter().next() {
            return Err((Some(span), message));
        }
        let name = wanted.to_uppercase();
        let found = definitions.files.iter().find(|file| file.name.trim_ascii_end() == name.as_bytes());
        let missing = || (None, format!("there is no [[region.file]] named {name}"));
        let definition = found.ok_or_else(missing)?.clone();
        if let Some(path) = &definition.path {
            let base = String::from_utf8_lossy(&path.base);
            return Err((None, format!("{name} is a path: its records are in {}", base.trim_end())));
        }
        let is_path =
            |file: &FileDefinition| file.path.as_ref().is_some_and(|path| path.base == definition.name);
        let paths = definitions.files.iter().filter(|file| is_path(file)).cloned().collect();
        Ok(FoundFile { store: self.store_path(files), definition, paths })
    }

    /// The file of everything durable: as it is written here or in `[store]`, or one of the user's state.
    #[must_use]
    pub fn store_path(&self, files: &Files) -> PathBuf {
        let given = self.store.as_ref().map(|store| store.get_ref().as_path());
        store_path(files, given, &self.applid.get_ref().to_uppercase())
    }

    /// Takes the file that `[store]` names. Returns where this section names one, too.
    pub fn take_store(&mut self, path: Option<PathBuf>) -> Option<Range<usize>> {
        let own = self.store.as_ref().map(Spanned::span);
        if let Some(path) = path {
            self.store = Some(Spanned::new(0..0, path));
        }
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_store_is_in_the_folder_of_the_configuration() {
        let files = Files::at("/etc/shop");
        let path = |given: &str| store_path(&files, Some(Path::new(given)), "SHOP");
        assert_eq!(path(".state/shop.store"), Path::new("/etc/shop/.state/shop.store"));
        assert_eq!(path("/var/lib/shop.store"), Path::new("/var/lib/shop.store"));
        assert!(store_path(&files, None, "SHOP").ends_with("gantry/SHOP.store"));
    }
}
