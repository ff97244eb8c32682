//! The named parts of a store: files of records with keys, and logs of items. The definition fixes the
//! guarantees of each.

use std::sync::Arc;

use crate::collation::{Collation, Order};
use crate::error::{Error, ErrorKind, Result};
use crate::fields::{Reader, Writer};
use crate::keys::SpaceId;

/// The way in which a space finds its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Organization {
    /// By a key, in the order of a collation: a key-sequenced file.
    KeySequenced(Collation),
    /// By a number from 1: a relative record file.
    Relative,
    /// By the number of bytes before it. Records are only added: an entry-sequenced file.
    EntrySequenced,
    /// By the name of a log and a position in it: queues.
    Logs(Positions),
}

/// The way in which the items of a log get their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Positions {
    /// 1, 2, 3 without gaps. Only one unit at a time adds, and all items are deleted together: TS queues.
    Dense,
    /// Ascending. Many units add side by side, and a backed-out item leaves a gap: queues of messages.
    Unique,
}

/// Whether changes wait for the syncpoint of the unit that makes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// They wait, and are on disk after it.
    Recoverable,
    /// They are seen at once, stay even if the unit is backed out, and may be lost in a crash.
    NotRecoverable,
}

/// The name and the guarantees of a space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name in this store: 1 to `key_bytes_max` bytes.
    pub name: String,
    /// The way in which it finds its records.
    pub organization: Organization,
    /// Whether units commit and back out its changes.
    pub recovery: Recovery,
}

/// A space that has been defined.
#[derive(Debug)]
pub(crate) struct Space {
    pub(crate) id: SpaceId,
    pub(crate) definition: Definition,
    pub(crate) order: Option<Order>,
}

impl Space {
    /// The definition as the store keeps it. The table of the order is a part of it, so existing records keep
    /// their places even if later versions change a code page.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.u32(self.id);
        writer.byte(u8::from(self.definition.recovery == Recovery::Recoverable));
        match self.definition.organization {
            Organization::KeySequenced(Collation::Binary) => writer.byte(0),
            Organization::KeySequenced(Collation::Page { data_ccsid, order_ccsid }) => {
                writer.byte(1);
                writer.u32(u32::from(data_ccsid));
                writer.u32(u32::from(order_ccsid));
                if let Some(order) = &self.order {
                    writer.raw(&order.forward[..]);
                }
            }
            Organization::Relative => writer.byte(2),
            Organization::EntrySequenced => writer.byte(3),
            Organization::Logs(Positions::Dense) => writer.byte(4),
            Organization::Logs(Positions::Unique) => writer.byte(5),
        }
        writer.finish()
    }

    /// The space that [`Space::encode`] wrote.
    pub(crate) fn decode(name: &[u8], bytes: &[u8]) -> Result<Space> {
        let mut reader = Reader::new("definition of a space", bytes);
        let name = std::str::from_utf8(name).map_err(|_| reader.fault("a name in UTF-8"))?.to_string();
        let id = reader.u32()?;
        let recovery = match reader.byte()? {
            0 => Recovery::NotRecoverable,
            1 => Recovery::Recoverable,
            _ => return Err(reader.fault("0 or 1 before it")),
        };
        let mut order = None;
        let organization = match reader.byte()? {
            0 => Organization::KeySequenced(Collation::Binary),
            1 => {
                let mut ccsid = || {
                    let number = reader.u32()?;
                    u16::try_from(number).map_err(|_| reader.fault("a CCSID before it"))
                };
                let (data_ccsid, order_ccsid) = (ccsid()?, ccsid()?);
                let table = reader.raw(256)?.try_into().expect("exactly this number of bytes");
                order = Some(Order::from_table(table)?);
                Organization::KeySequenced(Collation::Page { data_ccsid, order_ccsid })
            }
            2 => Organization::Relative,
            3 => Organization::EntrySequenced,
            4 => Organization::Logs(Positions::Dense),
            5 => Organization::Logs(Positions::Unique),
            _ => return Err(reader.fault("an organization before it")),
        };
        reader.end()?;
        Ok(Space { id, definition: Definition { name, organization, recovery }, order })
    }

    pub(crate) fn is_recoverable(&self) -> bool {
        self.definition.recovery == Recovery::Recoverable
    }

    /// An error about this space.
    pub(crate) fn fault(&self, kind: ErrorKind, message: &str) -> Error {
        Error::new(kind, format!("{}: {message}", self.definition.name))
    }
}

/// A file of records with keys: key-sequenced or relative.
#[derive(Clone, Debug)]
pub struct Keyed(pub(crate) Arc<Space>);

/// Logs: an entry-sequenced file, which is one log without a name, or queues by name.
#[derive(Clone, Debug)]
pub struct Logs(pub(crate) Arc<Space>);

/// The key of a relative record: its number in the byte order of the store.
#[must_use]
pub fn relative_key(record_number: u32) -> [u8; 4] {
    record_number.to_be_bytes()
}

impl Keyed {
    /// The definition.
    #[must_use]
    pub fn definition(&self) -> &Definition {
        &self.0.definition
    }
}

impl Logs {
    /// The definition.
    #[must_use]
    pub fn definition(&self) -> &Definition {
        &self.0.definition
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_come_back_as_they_were() {
        let collations = [Collation::Binary, Collation::default()].map(Organization::KeySequenced);
        let logs = [Positions::Dense, Positions::Unique].map(Organization::Logs);
        let others = [Organization::Relative, Organization::EntrySequenced];
        for organization in collations.into_iter().chain(logs).chain(others) {
            for recovery in [Recovery::Recoverable, Recovery::NotRecoverable] {
                let definition = Definition { name: "ACCOUNTS".to_string(), organization, recovery };
                let order = match organization {
                    Organization::KeySequenced(collation) => Order::of(collation).unwrap(),
                    _ => None,
                };
                let space = Space { id: 7, definition, order };
                let bytes = space.encode();
                let back = Space::decode(b"ACCOUNTS", &bytes).unwrap();
                assert_eq!((back.id, &back.definition, &back.order), (7, &space.definition, &space.order));
                for cut in 0..bytes.len() {
                    let error = Space::decode(b"ACCOUNTS", &bytes[..cut]).unwrap_err();
                    assert_eq!(error.kind(), ErrorKind::Corrupt);
                }
            }
        }
    }
}
