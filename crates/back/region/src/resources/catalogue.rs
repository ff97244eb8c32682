//! The catalogue of a region: the names that INQUIRE knows, in their order, with their facts of the start.
//!
//! It is made once for each configuration, because the folder of the programs does not change while one serves. So a browse
//! takes the next name without a look at the others, and no command asks the file system.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::DirEntry;
use std::ops::Bound;
use std::path::Path;

use wire::{Name, Wanted, name};

use crate::settings::Settings;

/// Names in their order.
pub(crate) type Names<const N: usize> = BTreeSet<Name<N>>;

/// The programs and transactions that a task of the region can name.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    /// The programs of its folder, with the bytes of their files.
    here: BTreeMap<Name<8>, u32>,
    /// Those and the programs of other regions that are defined by their whole names.
    pub(crate) programs: Names<8>,
    /// Its own transactions, and those of other regions.
    pub(crate) transactions: Names<4>,
}

impl Catalogue {
    pub(crate) fn of(settings: &Settings) -> Self {
        let (definitions, here) = (&settings.definitions, installed(&settings.programs));
        let remote = definitions.remote_programs.iter().filter(|program| program.beginning().is_none());
        let programs = here.keys().copied().chain(remote.map(|program| program.name)).collect();
        let remote = definitions.remote_transactions.iter().map(|transaction| transaction.name);
        let transactions = settings.transactions.keys().copied().chain(remote).collect();
        Self { here, programs, transactions }
    }

    /// The programs that the region has itself.
    pub(crate) fn here(&self) -> impl Iterator<Item = Name<8>> {
        self.here.keys().copied()
    }

    /// True if the region has the program itself.
    pub(crate) fn is_here(&self, program: Name<8>) -> bool {
        self.here.contains_key(&program)
    }

    /// The bytes of the file of a program that the region has itself.
    pub(crate) fn program_bytes(&self, program: Name<8>) -> Option<u32> {
        self.here.get(&program).copied()
    }
}

/// The name that a command wants; a browse passes over the names that are not shown.
pub(crate) fn find<const N: usize>(
    names: &Names<N>,
    wanted: Wanted<N>,
    is_shown: impl Fn(&Name<N>) -> bool,
) -> Option<Name<N>> {
    let first = match wanted {
        Wanted::Named(name) => return names.get(&name).copied(),
        Wanted::From(name) => Bound::Included(name),
        Wanted::After(name) => Bound::Excluded(name),
    };
    names.range((first, Bound::Unbounded)).find(|name| is_shown(name)).copied()
}

/// The programs `NAME.so` of a folder. A folder that cannot be read has none; whoever runs a program gets the
/// error.
fn installed(folder: &Path) -> BTreeMap<Name<8>, u32> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let program = |entry: DirEntry| {
        let file = entry.file_name();
        let text = file.to_str()?.strip_suffix(".so").filter(|text| text.len() <= 8)?;
        let bytes = std::fs::metadata(entry.path()).map_or(0, |file| file.len());
        Some((name(text), u32::try_from(bytes).unwrap_or(u32::MAX)))
    };
    entries.filter_map(program).collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_browse_looks_only_at_the_names_that_it_passes() {
        let names: Names<8> = (0..10_000).map(|number| name(&format!("P{number:06}"))).collect();
        let looked = Cell::new(0);
        let next = |wanted| {
            let refused = name("P000002");
            find(&names, wanted, |name| {
                looked.set(looked.get() + 1);
                *name != refused
            })
        };
        assert_eq!(next(Wanted::From([0; 8])), Some(name("P000000")));
        assert_eq!(next(Wanted::After(name("P000000"))), Some(name("P000001")));
        assert_eq!(looked.get(), 2, "one name for each step");
        assert_eq!(next(Wanted::After(name("P000001"))), Some(name("P000003")), "the refused one is passed");
        assert_eq!(looked.get(), 4);
        assert_eq!(next(Wanted::From(name("P009999"))), Some(name("P009999")));
        assert_eq!(next(Wanted::After(name("P009999"))), None);
        assert_eq!(next(Wanted::Named(name("P000002"))), Some(name("P000002")), "it is there");
        assert_eq!(next(Wanted::Named(name("P"))), None);
    }
}
