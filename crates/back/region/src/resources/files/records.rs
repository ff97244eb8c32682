//! The records of a file in the store, alike for all organizations: each has a key as bytes, in the order of the file.
//!
//! That key is the record's own key, its number in 4 bytes, or the bytes before it in 8, the highest byte first.

use std::ops::Bound;

use store::{Definition, Direction, Keyed, Locking, Logs, Mode, Organization, Result, Unit, relative_key};

use super::{FileDefinition, FileOrganization, recovery};
use crate::resources::durable::Opened;

/// Where the records are.
#[derive(Clone, Debug)]
pub(crate) enum Records {
    Keyed(Keyed),
    Entries(Logs),
}

/// A record that was found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Found {
    /// Where it is in the order of an alternate index; none in the file's own.
    pub(super) place: Option<Vec<u8>>,
    /// Its key in the file.
    pub(super) key: Vec<u8>,
    pub(super) record: Vec<u8>,
    /// The next record has the same alternate key.
    pub(super) more_follow: bool,
}

impl Found {
    fn own((key, record): (Vec<u8>, Vec<u8>)) -> Self {
        Self { place: None, key, record, more_follow: false }
    }

    /// Its key in the file.
    pub(crate) fn into_key(self) -> Vec<u8> {
        self.key
    }

    /// Where it is in the order in which it was found.
    pub(super) fn place(&self) -> &[u8] {
        self.place.as_deref().unwrap_or(&self.key)
    }
}

/// The name of the one log of an entry-sequenced file.
const ENTRIES: &[u8] = b"";

/// The key of an address in an entry-sequenced file.
pub(crate) fn address_key(address: u64) -> Vec<u8> {
    address.to_be_bytes().to_vec()
}

/// The key of the record of a number.
pub(crate) fn number_key(number: u32) -> Vec<u8> {
    relative_key(number).to_vec()
}

fn address(key: &[u8]) -> u64 {
    key.iter().fold(0, |address, byte| address << 8 | u64::from(*byte))
}

impl Records {
    pub(super) fn open(definition: &FileDefinition, opened: &Opened) -> Result<Self> {
        Self::of(&Self::definition(definition), opened)
    }

    /// How the store keeps the records of a file.
    pub(super) fn definition(file: &FileDefinition) -> Definition {
        let organization = match file.organization {
            FileOrganization::KeySequenced { collation, .. } => Organization::KeySequenced(collation),
            FileOrganization::EntrySequenced => Organization::EntrySequenced,
            FileOrganization::Relative => Organization::Relative,
        };
        let name = format!("file.{}", String::from_utf8_lossy(&file.name).trim_end());
        Definition { name, organization, recovery: recovery(file) }
    }

    /// The records that the store keeps so.
    pub(super) fn of(defined: &Definition, opened: &Opened) -> Result<Self> {
        match defined.organization {
            Organization::EntrySequenced => opened.store.logs(defined).map(Records::Entries),
            _ => opened.store.keyed(defined).map(Records::Keyed),
        }
    }

    /// How the store finds them.
    pub(super) fn organization(&self) -> Organization {
        match self {
            Records::Keyed(file) => file.definition().organization,
            Records::Entries(file) => file.definition().organization,
        }
    }

    /// How many records there are, if the store counts them.
    pub(crate) fn count(&self, unit: &Unit) -> Result<Option<u64>> {
        match self {
            Records::Keyed(_) => Ok(None),
            Records::Entries(file) => unit.extent(file, ENTRIES).map(|extent| Some(extent.count)),
        }
    }

    /// The name under which the store has them.
    pub(crate) fn space(&self) -> &str {
        match self {
            Records::Keyed(file) => &file.definition().name,
            Records::Entries(file) => &file.definition().name,
        }
    }

    pub(crate) fn read(&self, unit: &Unit, key: &[u8]) -> Result<Option<Vec<u8>>> {
        match self {
            Records::Keyed(file) => unit.read(file, key),
            Records::Entries(file) => unit.item(file, ENTRIES, address(key)),
        }
    }

    /// The next record from a key on.
    pub(crate) fn browse(
        &self,
        unit: &Unit,
        from: Bound<&[u8]>,
        direction: Direction,
    ) -> Result<Option<Found>> {
        match self {
            Records::Keyed(file) => {
                let found = unit.browse(file, from, direction)?;
                Ok(found.map(|record| Found::own((record.key, record.value))))
            }
            Records::Entries(file) => {
                let found = unit.browse_items(file, ENTRIES, from.map(address), direction)?;
                Ok(found.map(|item| Found::own((address_key(item.position), item.value))))
            }
        }
    }

    pub(crate) fn lock(&self, unit: &mut Unit, key: &[u8], mode: Mode) -> Result<Locking> {
        match self {
            Records::Keyed(file) => unit.lock(file, key, mode),
            Records::Entries(file) => unit.lock_item(file, ENTRIES, address(key), mode),
        }
    }

    /// Gives the lock up if the unit has not changed the record.
    pub(crate) fn unlock(&self, unit: &mut Unit, key: &[u8]) -> Result<()> {
        match self {
            Records::Keyed(file) => unit.unlock(file, key),
            Records::Entries(file) => unit.unlock_item(file, ENTRIES, address(key)),
        }
    }

    /// Adds a record; in an entry-sequenced file at the end, whatever the key. Gives the key that it has.
    pub(crate) fn insert(&self, unit: &mut Unit, key: &[u8], value: Vec<u8>) -> Result<Vec<u8>> {
        match self {
            Records::Keyed(file) => unit.insert(file, key, value).map(|()| key.to_vec()),
            Records::Entries(file) => unit.append(file, ENTRIES, value).map(address_key),
        }
    }

    pub(crate) fn rewrite(&self, unit: &mut Unit, key: &[u8], value: Vec<u8>) -> Result<()> {
        match self {
            Records::Keyed(file) => unit.rewrite(file, key, value),
            Records::Entries(file) => unit.replace(file, ENTRIES, address(key), value),
        }
    }

    /// Deletes a record. `Misuse` for entry-sequenced files, whose records stay.
    pub(crate) fn delete(&self, unit: &mut Unit, key: &[u8]) -> Result<()> {
        match self {
            Records::Keyed(file) => unit.delete(file, key),
            Records::Entries(file) => unit.remove(file, ENTRIES, address(key)),
        }
    }
}
