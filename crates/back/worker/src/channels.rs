//! The channels of a task, and which level sees which channel.
//!
//! A channel belongs to the link level that made it; the current channel of a level is the one that the level was linked
//! with (CICS TS, "The scope of a channel").

use wire::Container;

/// A channel.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) name: [u8; 16],
    /// The depth of the level that made it; 0 for the one that the task came with.
    pub(super) owner: usize,
    pub(super) containers: Vec<Container>,
    /// Makes it another than any before it.
    pub(super) id: u32,
}

/// A browse of a channel: the names that there were when it began.
#[derive(Debug)]
pub(super) struct Browse {
    pub(super) token: i32,
    pub(super) names: std::vec::IntoIter<[u8; 16]>,
}

/// All channels of a task.
#[derive(Debug, Default)]
pub(super) struct Channels {
    all: Vec<Channel>,
    next_id: u32,
    pub(super) browses: Vec<Browse>,
    next_token: i32,
}

impl Channels {
    /// Forgets everything, for the next task.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Makes a channel; gives its id.
    pub(super) fn create(&mut self, name: [u8; 16], owner: usize, containers: Vec<Container>) -> u32 {
        self.next_id += 1;
        self.all.push(Channel { name, owner, containers, id: self.next_id });
        self.next_id
    }

    /// All channels, in the order in which they were made.
    pub(super) fn all(&self) -> &[Channel] {
        &self.all
    }

    pub(super) fn get(&mut self, id: u32) -> Option<&mut Channel> {
        self.all.iter_mut().find(|channel| channel.id == id)
    }

    /// The id of a channel that a level of this depth sees by its name.
    pub(super) fn find(&self, name: [u8; 16], depth: usize, current: Option<u32>) -> Option<u32> {
        let seen = |channel: &&Channel| {
            channel.name == name && (channel.owner == depth || Some(channel.id) == current)
        };
        self.all.iter().find(seen).map(|channel| channel.id)
    }

    pub(super) fn delete(&mut self, id: u32) {
        self.all.retain(|channel| channel.id != id);
    }

    /// A level of this depth ends: its channels are deleted, except one that it hands on.
    pub(super) fn leave(&mut self, depth: usize, handed_on: Option<u32>) {
        self.all.retain(|channel| channel.owner < depth || Some(channel.id) == handed_on);
    }

    /// The bytes of all containers.
    pub(super) fn bytes(&self) -> u64 {
        let containers = self.all.iter().flat_map(|channel| &channel.containers);
        containers.map(|container| container.bytes.len() as u64).sum()
    }

    /// Begins a browse; gives its token.
    pub(super) fn browse(&mut self, id: u32) -> i32 {
        let names: Vec<[u8; 16]> = self
            .get(id)
            .map(|channel| channel.containers.iter().map(|container| container.name).collect())
            .unwrap_or_default();
        self.next_token += 1;
        self.browses.push(Browse { token: self.next_token, names: names.into_iter() });
        self.next_token
    }
}
