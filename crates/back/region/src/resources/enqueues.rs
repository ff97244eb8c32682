//! ENQ and DEQ for one task: names that it holds, each as often as it has asked, in the lock table of the store.

use std::collections::HashMap;

use program::conditions::{ENQBUSY, LENGERR};
use store::{ErrorKind, Locking, Unit};
use wire::{Answer, EnqueueAsk, RESOURCE_MAX_BYTES};

use crate::resources::transient::is_end_name;
use crate::resources::trouble::{LockOf, Trouble, refused};
use crate::resources::unit::Waits;
use crate::work::Work;

/// The names that a task holds.
#[derive(Debug, Default)]
pub(crate) struct Enqueues(HashMap<Vec<u8>, Held>);

#[derive(Debug)]
struct Held {
    /// How many DEQs give it up.
    count: u32,
    for_task: bool,
}

impl Enqueues {
    /// A syncpoint has freed the locks of the unit of work.
    pub(crate) fn keep_those_of_the_task(&mut self) {
        self.0.retain(|_, held| held.for_task);
    }
}

impl Work {
    /// Carries out ENQ or DEQ.
    ///
    /// # Errors
    /// The resulting condition or abend.
    pub(crate) async fn enqueue(&mut self, ask: EnqueueAsk) -> Result<Answer, Answer> {
        match ask {
            EnqueueAsk::Enqueue { resource, for_task, waits } => {
                if resource.is_empty() || resource.len() > RESOURCE_MAX_BYTES {
                    return Err(refused(&LENGERR, 1));
                }
                self.hold(resource, for_task, Waits::when(waits)).await?;
            }
            EnqueueAsk::Dequeue { resource } => self.give_up(&resource).await.map_err(told)?,
        }
        Ok(Answer::Done)
    }

    async fn hold(&mut self, resource: Vec<u8>, for_task: bool, waits: Waits) -> Result<(), Answer> {
        // Whatever a second ENQ says, it is held for as long as the first one said.
        if let Some(held) = self.enqueues.0.get_mut(&resource) {
            held.count = held.count.saturating_add(1);
            return Ok(());
        }
        let unit = if for_task { &mut self.for_task } else { &mut self.unit };
        unit.lock(waits, |_, unit| enqueue(unit, &resource)).await.map_err(told)?;
        self.enqueues.0.insert(resource, Held { count: 1, for_task });
        Ok(())
    }

    async fn give_up(&mut self, resource: &[u8]) -> Result<(), Trouble> {
        let Some(held) = self.enqueues.0.get_mut(resource) else { return Ok(()) };
        held.count -= 1;
        if held.count > 0 {
            return Ok(());
        }
        let for_task = held.for_task;
        self.enqueues.0.remove(resource);
        let unit = if for_task { &mut self.for_task } else { &mut self.unit };
        unit.with(|_, unit| {
            dequeue(unit, resource);
            Ok(())
        })
        .await
    }
}

// The ends of transient data queues are names too. A program that gives such bytes means something else.

fn enqueue(unit: &mut Unit, resource: &[u8]) -> store::Result<Locking> {
    match is_end_name(resource) {
        true => unit.enqueue_apart(resource),
        false => unit.enqueue(resource),
    }
}

fn dequeue(unit: &mut Unit, resource: &[u8]) {
    match is_end_name(resource) {
        true => unit.dequeue_apart(resource),
        false => unit.dequeue(resource),
    }
}

fn told(trouble: Trouble) -> Answer {
    match trouble.kind {
        ErrorKind::Busy => refused(&ENQBUSY, 0),
        _ => trouble.answer(LockOf::Other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_a_program_is_never_the_end_of_a_queue() {
        let folder = tempfile::tempdir().expect("a folder");
        let store =
            store::Store::open(folder.path().join("store"), store::Options::default()).expect("a store");
        let mut reader = store.unit().expect("a unit");
        let end = [b"\0td\0".as_slice(), b"ORDR", b"R"].concat();
        assert!(matches!(reader.enqueue(&end), Ok(Locking::Granted)));
        let [mut one, mut other] = [(); 2].map(|()| store.unit().expect("a unit"));
        assert!(matches!(enqueue(&mut one, &end), Ok(Locking::Granted)));
        assert!(matches!(enqueue(&mut other, &end), Ok(Locking::Waiting(_))), "programs share the name");
        dequeue(&mut one, &end);
        dequeue(&mut reader, &end);
        assert!(matches!(store.unit().expect("a unit").enqueue(&end), Ok(Locking::Waiting(_))));
    }
}
