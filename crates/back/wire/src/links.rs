//! Requests of programs to other regions with LINK, and the data that go there and back.

use std::collections::{HashMap, HashSet};

use super::bytes::{Reader, put_bytes, put_optional_name};
use super::{BadMessage, COMMAREA_MAX_BYTES, CONTAINERS_MAX, Container, Interface, Name};

/// A commarea or a channel on its way to another region, or back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cargo {
    /// Nothing.
    #[default]
    None,
    /// A commarea: its first bytes, and how long it is with the zeros that follow them.
    Commarea {
        /// Bytes of the whole commarea.
        length: u32,
        /// The first of them; the others are zeros.
        data: Vec<u8>,
    },
    /// The containers of a channel; on the way back only changed ones.
    Channel {
        /// The channel's name.
        name: Name<16>,
        /// The containers.
        containers: Vec<Container>,
        /// On the way back: the deleted containers.
        deleted: Vec<Name<16>>,
    },
}

/// LINK to a program of another region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkAsk {
    /// The region, if the command names one; else the program's definition does.
    pub sysid: Option<Name<4>>,
    /// The program.
    pub program: Name<8>,
    /// The transaction that it runs under, if the command names one.
    pub transaction: Option<Name<4>>,
    /// SYNCONRETURN: the program's changes are committed when it returns, whatever happens to this task.
    pub sync_on_return: bool,
    /// The data for the program.
    pub cargo: Cargo,
}

impl Cargo {
    /// A commarea of this length with its first bytes; zeros at its end do not travel.
    #[must_use]
    pub fn commarea(length: usize, mut data: Vec<u8>) -> Self {
        let used = data.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        data.truncate(used.min(length));
        Cargo::Commarea { length: length as u32, data }
    }

    /// Everything that a program gets or gives back.
    #[must_use]
    pub fn of(interface: Interface) -> Self {
        match interface {
            // A program of another region never gets a request over HTTP.
            Interface::None | Interface::Web(_) | Interface::WebAnswer(_) => Cargo::None,
            Interface::Commarea(bytes) => Cargo::commarea(bytes.len(), bytes),
            Interface::Channel { name, containers } => {
                Cargo::Channel { name, containers, deleted: Vec::new() }
            }
        }
    }

    /// The changes of a program that got `given`: the whole commarea, or the changed containers of the
    /// channel.
    #[must_use]
    pub fn changes(given: &[Container], answer: Interface) -> Self {
        let Interface::Channel { name, mut containers } = answer else { return Cargo::of(answer) };
        // By name: a channel may have very many containers.
        let left: HashSet<Name<16>> = containers.iter().map(|now| now.name).collect();
        let before: HashMap<Name<16>, &Container> =
            given.iter().map(|before| (before.name, before)).collect();
        let gone = given.iter().filter(|before| !left.contains(&before.name));
        let deleted = gone.map(|before| before.name).collect();
        containers.retain(|now| before.get(&now.name).is_none_or(|before| *before != now));
        Cargo::Channel { name, containers, deleted }
    }

    /// As a program gets it.
    #[must_use]
    pub fn into_interface(self) -> Interface {
        match self {
            Cargo::None => Interface::None,
            Cargo::Commarea { length, mut data } => {
                data.resize(length as usize, 0);
                Interface::Commarea(data)
            }
            Cargo::Channel { name, containers, .. } => Interface::Channel { name, containers },
        }
    }

    /// Adds its bytes.
    pub fn encode(&self, to: &mut Vec<u8>) {
        match self {
            Cargo::None => to.push(0),
            Cargo::Commarea { length, data } => {
                to.push(1);
                to.extend(length.to_le_bytes());
                put_bytes(to, data);
            }
            Cargo::Channel { name, containers, deleted } => {
                to.push(2);
                super::put_channel(to, name, containers);
                to.extend((deleted.len() as u32).to_le_bytes());
                deleted.iter().for_each(|name| to.extend(name));
            }
        }
    }

    /// Reads it.
    pub fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            0 => Ok(Cargo::None),
            1 => {
                let (length, data) = (from.u32()?, from.bytes()?);
                match length as usize <= COMMAREA_MAX_BYTES && data.len() <= length as usize {
                    true => Ok(Cargo::Commarea { length, data }),
                    false => Err(BadMessage("expected a commarea of at most 32,763 bytes")),
                }
            }
            2 => {
                let (name, containers) = super::take_channel(from)?;
                let count = from.u32()? as usize;
                if count > CONTAINERS_MAX {
                    return Err(BadMessage("expected at most 65,535 containers"));
                }
                let mut deleted = Vec::new();
                for _ in 0..count {
                    deleted.push(from.array()?);
                }
                Ok(Cargo::Channel { name, containers, deleted })
            }
            _ => Err(BadMessage("expected a commarea, a channel or nothing")),
        }
    }
}

impl LinkAsk {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        put_optional_name(to, self.sysid);
        to.extend(self.program);
        put_optional_name(to, self.transaction);
        to.push(u8::from(self.sync_on_return));
        self.cargo.encode(to);
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        Ok(LinkAsk {
            sysid: from.optional_name()?,
            program: from.array()?,
            transaction: from.optional_name()?,
            sync_on_return: from.flag()?,
            cargo: Cargo::decode(from)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn container(name: &str, bytes: &[u8]) -> Container {
        Container { name: super::super::name(name), ccsid: None, bytes: bytes.to_vec() }
    }

    #[test]
    fn only_what_has_changed_comes_back() {
        let given = [container("SAME", b"1"), container("CHANGED", b"2"), container("GONE", b"3")];
        let containers = vec![container("SAME", b"1"), container("CHANGED", b"4"), container("NEW", b"5")];
        let name = super::super::name("CHANNEL");
        let Cargo::Channel { containers, deleted, .. } =
            Cargo::changes(&given, Interface::Channel { name, containers })
        else {
            panic!("expected a channel")
        };
        assert_eq!(containers, [container("CHANGED", b"4"), container("NEW", b"5")]);
        assert_eq!(deleted, [super::super::name::<16>("GONE")]);
    }

    #[test]
    fn zeros_at_the_end_of_a_commarea_do_not_travel() {
        let cargo = Cargo::of(Interface::Commarea(vec![1, 0, 2, 0, 0]));
        assert_eq!(cargo, Cargo::Commarea { length: 5, data: vec![1, 0, 2] });
        assert_eq!(cargo.into_interface(), Interface::Commarea(vec![1, 0, 2, 0, 0]));
        // Bytes beyond the length that the program gives do not travel either.
        assert_eq!(Cargo::commarea(2, vec![1, 1, 1]), Cargo::Commarea { length: 2, data: vec![1, 1] });
    }
}
