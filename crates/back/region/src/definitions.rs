//! The definitions for the programs of a region: its files, its transient data queues, and where temporary
//! storage queues are kept.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use message_calls::QueueRights;
use wire::{Location, Name};

use crate::link::definition::{RemoteProgram, RemoteTransaction};
use crate::resources::catalogue::Catalogue;
use crate::resources::durable::Durable;
use crate::resources::files::{FileDefinition, Files};
use crate::resources::temporary::shared::{PoolDefinition, Pools};
use crate::resources::transient::{TransientDefinition, TransientPlace, Transients};
use crate::settings::Settings;

/// All definitions of a region.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definitions {
    /// Rules for temporary storage queues by the beginnings of their names, TSMODELs.
    pub queue_models: Vec<QueueModel>,
    /// Where queues are that no model covers, if WRITEQ TS says neither MAIN nor AUXILIARY.
    pub queue_location: Location,
    /// Pools of shared queues.
    pub pools: Vec<PoolDefinition>,
    /// Files.
    pub files: Vec<FileDefinition>,
    /// Transient data queues.
    pub transients: Vec<TransientDefinition>,
    /// Who may do what with queues of messages.
    pub queue_rights: QueueRights,
    /// Programs of other regions.
    pub remote_programs: Vec<RemoteProgram>,
    /// Transactions of other regions.
    pub remote_transactions: Vec<RemoteTransaction>,
    /// Programs that are there and cannot be used: calls of their services are refused at once.
    pub faulty_programs: BTreeSet<Name<8>>,
}

/// The definitions, and the files and queues that were opened for them.
#[derive(Debug)]
pub(crate) struct Defined {
    pub(crate) definitions: Arc<Definitions>,
    pub(crate) files: Arc<Files>,
    pub(crate) transients: Arc<Transients>,
    pub(crate) pools: Arc<Pools>,
    pub(crate) catalogue: Arc<Catalogue>,
}

impl Defined {
    /// Opens everything that is defined, and the store if a definition needs it.
    ///
    /// # Errors
    /// It cannot be opened: the reason for people.
    pub(crate) fn open(settings: &Settings, durable: &Durable) -> Result<Self, String> {
        let definitions = &settings.definitions;
        let opened = definitions.need_store().then(|| durable.open()).transpose();
        let opened = opened.map_err(|trouble| trouble.of_store())?;
        let files = match opened {
            Some(opened) => Files::open(&definitions.files, opened)?,
            None => Files::default(),
        };
        let transients = Transients::open(&definitions.transients, opened.map(Arc::as_ref))?;
        Ok(Self {
            definitions: Arc::new(definitions.clone()),
            files: Arc::new(files),
            transients: Arc::new(transients),
            pools: Arc::new(Pools::open(&definitions.pools)?),
            catalogue: Arc::new(Catalogue::of(settings)),
        })
    }
}

/// A rule for all temporary storage queues whose names begin alike. The longest prefix wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueModel {
    /// The beginning of the names.
    pub prefix: Vec<u8>,
    /// Where they are kept.
    pub keeping: Keeping,
    /// After how long without use a queue goes. Never, for recoverable and remote ones.
    pub expiry: Option<Duration>,
}

/// Where the queues of a model are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// In memory.
    Main,
    /// In the store.
    Auxiliary {
        /// True if units of work commit and back out its changes.
        recoverable: bool,
    },
    /// In the region of this SYSID.
    Remote(Name<4>),
    /// In the pool of this name, which other regions use, too.
    Shared(String),
}

impl Definitions {
    /// The model of a queue.
    pub(crate) fn queue_model(&self, queue: &[u8]) -> Option<&QueueModel> {
        let covers = |model: &&QueueModel| queue.starts_with(&model.prefix);
        self.queue_models.iter().filter(covers).max_by_key(|model| model.prefix.len())
    }

    /// The definition of a program of another region: the one of its name, or else the longest beginning of it.
    pub(crate) fn remote_program(&self, name: Name<8>) -> Option<Cow<'_, RemoteProgram>> {
        if let Some(program) = self.remote_programs.iter().find(|program| program.name == name) {
            return Some(Cow::Borrowed(program));
        }
        let beginning = |program: &RemoteProgram| program.beginning().map(<[u8]>::len);
        let covers =
            |program: &&RemoteProgram| program.beginning().is_some_and(|start| name.starts_with(start));
        let program = self.remote_programs.iter().filter(covers).max_by_key(|program| beginning(program))?;
        Some(Cow::Owned(RemoteProgram { name, remote_name: name, ..program.clone() }))
    }

    /// The definition of a transaction of another region.
    pub(crate) fn remote_transaction(&self, name: Name<4>) -> Option<&RemoteTransaction> {
        self.remote_transactions.iter().find(|transaction| transaction.name == name)
    }

    /// True if the files that are in both have the same alternate indexes.
    pub(crate) fn has_same_indexes(&self, other: &Self) -> bool {
        let has = |definitions: &Self, base| definitions.files.iter().any(|file| file.name == base);
        let indexes = |definitions: &Self| {
            let paths = definitions.files.iter().filter_map(|file| Some((file.name, file.path.clone()?)));
            let mut paths: Vec<_> =
                paths.filter(|(_, path)| has(self, path.base) && has(other, path.base)).collect();
            paths.sort_by_key(|(name, _)| *name);
            paths
        };
        indexes(self) == indexes(other)
    }

    /// True if queues may expire.
    pub(crate) fn some_expire(&self) -> bool {
        self.queue_models.iter().any(|model| model.expiry.is_some())
    }

    /// True if something that is defined needs the store from the start.
    pub(crate) fn need_store(&self) -> bool {
        let in_store = |model: &QueueModel| matches!(model.keeping, Keeping::Auxiliary { .. });
        let kept = |queue: &TransientDefinition| matches!(queue.place, TransientPlace::Store(_));
        !self.files.is_empty() || self.queue_models.iter().any(in_store) || self.transients.iter().any(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_prefix_wins() {
        let model = |prefix: &str| QueueModel { prefix: prefix.into(), keeping: Keeping::Main, expiry: None };
        let queue_models = vec![model("A"), model("ACC"), model("AC")];
        let definitions = Definitions { queue_models, ..Definitions::default() };
        let found = |queue: &[u8]| definitions.queue_model(queue).map(|model| model.prefix.as_slice());
        assert_eq!(found(b"ACCOUNT"), Some(&b"ACC"[..]));
        assert_eq!(found(b"ACX"), Some(&b"AC"[..]));
        assert_eq!(found(b"B"), None);
    }

    #[test]
    fn a_program_of_another_region_is_found_by_its_name_before_a_beginning() {
        let program = |text: &str, there: &str| RemoteProgram {
            name: wire::name(text),
            sysid: *b"FARR",
            remote_name: wire::name(there),
            transaction: None,
            text: vec![(0, text.len())],
        };
        let remote_programs =
            vec![program("PAY*", "PAY*"), program("PAYX*", "PAYX*"), program("PAYX1", "OTHER")];
        let definitions = Definitions { remote_programs, ..Definitions::default() };
        let found = |text: &str| {
            let found = definitions.remote_program(wire::name(text))?;
            Some((wire::shown(&found.remote_name), found.text[0].1))
        };
        assert_eq!(found("PAYX1"), Some(("OTHER".to_owned(), 5)));
        assert_eq!(found("PAYX2"), Some(("PAYX2".to_owned(), 5)));
        assert_eq!(found("PAY"), Some(("PAY".to_owned(), 4)));
        assert_eq!(found("PA"), None);
    }
}
