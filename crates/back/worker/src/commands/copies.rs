//! Channels that go to other tasks, and come back from them, as copies.

use wire::{Container, Interface};

use super::links::channel;
use crate::task::{Fault, Runtime};

/// A copy of the channel of a name that the program sees; an empty one if there is none.
///
/// # Errors
/// CHANNELERR: the channel does not exist.
pub(super) fn copied_channel(runtime: &mut Runtime, name: [u8; 16]) -> Result<Interface, Fault> {
    let id = channel(runtime, name)?;
    let containers = runtime.channels.get(id).map(|channel| channel.containers.clone());
    Ok(Interface::Channel { name, containers: containers.unwrap_or_default() })
}

/// Gives the program a channel of its own with containers of another task.
///
/// # Errors
/// The task would have more bytes in containers than it may have: an abend.
pub(super) fn received_channel(
    runtime: &mut Runtime,
    name: [u8; 16],
    containers: Vec<Container>,
) -> Result<(), Fault> {
    check_room(runtime, &containers)?;
    let (depth, current) = (runtime.levels.len(), runtime.level().channel);
    if let Some(before) = runtime.channels.find(name, depth, current) {
        runtime.channels.delete(before);
    }
    runtime.channels.create(name, depth, containers);
    Ok(())
}

/// Checks that the containers fit beside the existing ones.
pub(super) fn check_room(runtime: &mut Runtime, more: &[Container]) -> Result<(), Fault> {
    let limit = runtime.task.containers_max_bytes;
    let more: u64 = more.iter().map(|container| container.bytes.len() as u64).sum();
    if runtime.channels.bytes() + more > limit {
        let message = format!("expected at most {limit} bytes in all containers of a task");
        return Err(Fault::Abend(runtime.abend(*b"GCON", message)));
    }
    Ok(())
}
