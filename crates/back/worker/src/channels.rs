//! The channels of a task, and which level sees which channel.
//!
//! A channel belongs to the link level that made it; the current channel of a level is the one that the level was linked
//! with (CICS TS, "The scope of a channel").

use wire::{CONTAINERS_MAX, Container};

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

impl Channel {
    pub(super) fn place(&self, name: [u8; 16]) -> Option<usize> {
        self.containers.iter().position(|container| container.name == name)
    }

    /// Puts a container in place of the one of its name. False if the name is new, and the channel has [`CONTAINERS_MAX`] containers.
    pub(super) fn put(&mut self, container: Container) -> bool {
        match self.place(container.name) {
            Some(place) => self.containers[place] = container,
            None if self.containers.len() >= CONTAINERS_MAX => return false,
            None => self.containers.push(container),
        }
        true
    }
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

    /// Moves a container to another channel, or gives it another name. It replaces a container of that name. False if the container
    /// is not there, or the other channel has [`CONTAINERS_MAX`] containers. Then all stays as it was.
    pub(super) fn move_container(&mut self, (from, name): (u32, [u8; 16]), to: (u32, [u8; 16])) -> bool {
        let target = self.get(to.0).map(|channel| (channel.place(to.1), channel.containers.len()));
        let Some((existing, count)) = target else { return false };
        if from != to.0 && existing.is_none() && count >= CONTAINERS_MAX {
            return false;
        }
        let taken = self.get(from).and_then(|channel| {
            let place = channel.place(name)?;
            Some(channel.containers.remove(place))
        });
        let Some(container) = taken else { return false };
        self.get(to.0).is_some_and(|channel| channel.put(Container { name: to.1, ..container }))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn container(number: usize) -> Container {
        Container { name: wire::name(&format!("C{number}")), ccsid: None, bytes: vec![number as u8] }
    }

    fn names(channels: &mut Channels, id: u32) -> Vec<[u8; 16]> {
        let channel = channels.get(id).expect("a channel");
        channel.containers.iter().map(|container| container.name).collect()
    }

    #[test]
    fn a_channel_gets_no_container_beyond_the_most() {
        let mut channels = Channels::default();
        let full = channels.create(wire::name("FULL"), 0, (0..CONTAINERS_MAX).map(container).collect());
        let from = channels.create(wire::name("FROM"), 0, vec![container(CONTAINERS_MAX)]);
        let (name, other) = (container(CONTAINERS_MAX).name, container(7).name);
        assert!(!channels.move_container((from, name), (full, name)));
        // Nothing is lost.
        assert_eq!(names(&mut channels, from), [name]);
        assert_eq!(names(&mut channels, full).len(), CONTAINERS_MAX);
        assert!(!channels.get(full).expect("a channel").put(container(CONTAINERS_MAX)));
        // In place of another one, or under another name within the channel, it fits.
        assert!(channels.move_container((from, name), (full, other)));
        assert!(channels.move_container((full, other), (full, name)));
        let kept = names(&mut channels, full);
        assert_eq!(kept.len(), CONTAINERS_MAX);
        assert!(kept.contains(&name) && !kept.contains(&other));
        assert_eq!(names(&mut channels, from), [[0; 16]; 0]);
    }

    #[test]
    fn a_container_that_moves_replaces_the_one_of_its_new_name() {
        let mut channels = Channels::default();
        let (first, second) = (vec![container(1), container(2)], vec![container(2)]);
        let first = channels.create(wire::name("FIRST"), 0, first);
        let second = channels.create(wire::name("SECOND"), 0, second);
        let [one, two] = [1, 2].map(|number| container(number).name);
        assert!(channels.move_container((first, one), (second, two)));
        assert_eq!((names(&mut channels, first), names(&mut channels, second)), (vec![two], vec![two]));
        assert_eq!(channels.get(second).expect("a channel").containers[0].bytes, [1]);
        assert!(channels.move_container((first, two), (first, two)));
        assert!(!channels.move_container((first, one), (first, two)));
    }
}
