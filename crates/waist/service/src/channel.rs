//! Channels and containers, for programs whose data is too large or too flexible for a commarea.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The longest name of a container, in characters (CICS TS, "Designing a channel").
pub const CONTAINER_NAME_CHARACTERS_MAX: usize = 16;

/// The content of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Bytes that nobody converts.
    Bit(Vec<u8>),
    /// Text.
    Char {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Their code page.
        ccsid: u16,
    },
}

impl Content {
    /// The bytes of either kind.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Content::Bit(bytes) | Content::Char { bytes, .. } => bytes,
        }
    }

    /// The bytes, by value.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Content::Bit(bytes) | Content::Char { bytes, .. } => bytes,
        }
    }
}

/// A named block of data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    /// Its name, unique in its channel, of at most [`CONTAINER_NAME_CHARACTERS_MAX`] characters.
    pub name: String,
    /// Its content.
    pub content: Content,
}

/// A set of containers that goes to a program, or comes back from it, as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Channel {
    containers: Vec<Container>,
}

/// Up to this number of containers, a search in order is faster than a map.
const FEW_CONTAINERS: usize = 16;

impl Channel {
    /// Puts a container, in place of one that has its name.
    pub fn put(&mut self, container: Container) {
        match self.containers.iter_mut().find(|known| known.name == container.name) {
            Some(known) => *known = container,
            None => self.containers.push(container),
        }
    }

    /// A channel of containers with different names. If several have the same name, the last one is kept, in
    /// the place of the first.
    #[must_use]
    pub fn of(containers: Vec<Container>) -> Self {
        if containers.len() <= FEW_CONTAINERS {
            let mut channel = Self { containers: Vec::with_capacity(containers.len()) };
            containers.into_iter().for_each(|container| channel.put(container));
            return channel;
        }
        let mut places: HashMap<String, usize> = HashMap::with_capacity(containers.len());
        let mut kept: Vec<Container> = Vec::with_capacity(containers.len());
        for container in containers {
            match places.entry(container.name.clone()) {
                Entry::Occupied(place) => kept[*place.get()] = container,
                Entry::Vacant(place) => {
                    place.insert(kept.len());
                    kept.push(container);
                }
            }
        }
        Self { containers: kept }
    }

    /// The container of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Container> {
        self.containers.iter().find(|known| known.name == name)
    }

    /// Takes a container out.
    pub fn delete(&mut self, name: &str) -> Option<Container> {
        let place = self.containers.iter().position(|known| known.name == name)?;
        Some(self.containers.remove(place))
    }

    /// The containers by value, in the order in which they were first put.
    #[must_use]
    pub fn into_containers(self) -> Vec<Container> {
        self.containers
    }

    /// The containers, in the order in which they were first put.
    #[must_use]
    pub fn containers(&self) -> &[Container] {
        &self.containers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bit(name: &str, bytes: &[u8]) -> Container {
        Container { name: name.to_owned(), content: Content::Bit(bytes.to_vec()) }
    }

    #[test]
    fn of_containers_with_one_name_the_last_is_kept() {
        let channel = Channel::of(vec![bit("A", b"1"), bit("B", b"2"), bit("A", b"3")]);
        assert_eq!(channel.containers(), [bit("A", b"3"), bit("B", b"2")]);
        // The same for many containers.
        let names: Vec<String> = (0..=FEW_CONTAINERS).map(|number| format!("C{number}")).collect();
        let twice = || names.iter().map(|name| bit(name, b"1")).chain([bit("C0", b"2")]).collect();
        let channel = Channel::of(twice());
        assert_eq!(channel.containers().len(), names.len());
        assert_eq!(channel.containers()[0], bit("C0", b"2"));
    }

    #[test]
    fn a_container_is_replaced_where_it_stands() {
        let mut channel = Channel::default();
        channel.put(bit("A", b"1"));
        channel.put(bit("B", b"2"));
        channel.put(bit("A", b"3"));
        assert_eq!(channel.containers(), [bit("A", b"3"), bit("B", b"2")]);
        assert_eq!(channel.delete("A"), Some(bit("A", b"3")));
        assert_eq!((channel.get("A"), channel.get("B")), (None, Some(&bit("B", b"2"))));
    }
}
