//! A summary of the files and transient data queues of a region. It tells whether something has changed.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Bound;
use std::sync::Arc;

use store::{Direction, Unit};
use wire::Name;

use crate::region::Region;
use crate::resources::durable::Opened;
use crate::resources::files::{Files, OpenFile};
use crate::resources::transient::Transients;
use crate::resources::trouble::Trouble;

/// The contents of files and transient data queues in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// The records of each file, in short. Paths have none of their own.
    pub files: BTreeMap<Name<8>, Digest>,
    /// How many records each intrapartition queue has.
    pub transients: BTreeMap<Name<4>, u64>,
}

/// The records of a file, in short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest {
    /// How many there are.
    pub records: u64,
    /// Differs for different records, except for rare collisions.
    hash: u64,
}

impl Region {
    /// The contents of files and transient data queues. Reads all of their records: for small stores, on a
    /// thread that may wait.
    ///
    /// # Errors
    /// The store cannot be read: the reason.
    pub async fn contents(&self) -> Result<Contents, String> {
        let Some(opened) = self.resources().durable.get().cloned() else { return Ok(Contents::default()) };
        let (files, transients) = (self.defined().files.clone(), self.defined().transients.clone());
        let read = tokio::task::spawn_blocking(move || contents(&opened, &files, &transients));
        read.await.map_err(|error| error.to_string())?.map_err(|trouble| trouble.message)
    }
}

fn contents(opened: &Arc<Opened>, files: &Files, transients: &Transients) -> Result<Contents, Trouble> {
    let unit = opened.store.unit()?;
    let mut contents = Contents::default();
    for file in files.all().filter(|file| file.definition.path.is_none()) {
        contents.files.insert(file.definition.name, digest(file, &unit)?);
    }
    for (name, logs) in transients.in_store() {
        contents.transients.insert(name, unit.extent(logs, &name)?.count);
    }
    Ok(contents)
}

fn digest(file: &OpenFile, unit: &Unit) -> Result<Digest, Trouble> {
    let (mut hasher, mut records, mut last) = (DefaultHasher::new(), 0, None::<Vec<u8>>);
    loop {
        let from = last.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let Some(found) = file.records.browse(unit, from, Direction::Forward)? else { break };
        found.hash(&mut hasher);
        records += 1;
        last = Some(found.into_key());
    }
    Ok(Digest { records, hash: hasher.finish() })
}
