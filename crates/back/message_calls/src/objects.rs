//! The open objects of a task, and the queues that a task has for itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use message::{QueueName, Reason};
use queue::{HeldQueue, HeldSubscription, Manager, Position};

use crate::options::{Input, Uses};

/// The most objects that a task may have open: no program needs more, and each takes memory.
pub(crate) const OBJECTS_MAX: usize = 256;

/// How many have each queue open for input, in all tasks of a region.
#[derive(Clone, Debug, Default)]
pub struct Opens(Arc<AllOpens>);

#[derive(Debug, Default)]
struct AllOpens {
    counts: Mutex<HashMap<QueueName, Count>>,
    /// Hears when a queue is no longer open for any task.
    manager: Mutex<Option<Manager>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    shared: u32,
    exclusive: bool,
}

/// A queue that is open for input, until this is dropped.
#[derive(Debug)]
struct Claim {
    opens: Opens,
    queue: QueueName,
    input: Input,
}

impl Opens {
    /// Opens a queue for input.
    ///
    /// # Errors
    /// `ObjectInUse` if somebody has it for himself, or wants it so while others have it.
    fn claim(&self, queue: &QueueName, input: Input) -> Result<Claim, Reason> {
        let mut all = self.0.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = all.entry(queue.clone()).or_default();
        if count.exclusive || (input == Input::Exclusive && count.shared > 0) {
            return Err(Reason::ObjectInUse);
        }
        match input {
            Input::Shared => count.shared += 1,
            Input::Exclusive => count.exclusive = true,
        }
        Ok(Claim { opens: self.clone(), queue: queue.clone(), input })
    }

    /// Tells this manager when a queue is no longer open for any task.
    pub fn tell(&self, manager: Manager) {
        *self.0.manager.lock().unwrap_or_else(PoisonError::into_inner) = Some(manager);
    }

    /// How many have a queue open for input.
    #[must_use]
    pub fn inputs(&self, queue: &QueueName) -> u32 {
        let all = self.0.counts.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(queue).map_or(0, |count| count.shared + u32::from(count.exclusive))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut all = self.opens.0.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(count) = all.get_mut(&self.queue) else { return };
        match self.input {
            Input::Shared => count.shared = count.shared.saturating_sub(1),
            Input::Exclusive => count.exclusive = false,
        }
        if count.shared > 0 || count.exclusive {
            return;
        }
        all.remove(&self.queue);
        drop(all);
        let manager = self.opens.0.manager.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(manager) = manager {
            manager.was_closed(&self.queue);
        }
    }
}

/// An open object.
#[derive(Debug)]
pub(crate) enum Object {
    Queue(OpenQueue),
    /// A topic, which is open for output: its whole text.
    Topic(String),
    /// A subscription that the task has made or resumed.
    Subscription(HeldSubscription),
    /// The queue manager, which can be inquired.
    Manager,
}

/// An open queue.
#[derive(Debug)]
pub(crate) struct OpenQueue {
    pub(crate) name: QueueName,
    pub(crate) uses: Uses,
    /// Where the browse of this object is.
    pub(crate) cursor: Option<Position>,
    /// It was made of a model by this open.
    pub(crate) is_made: bool,
    /// It belongs to a durable subscription.
    pub(crate) held: Option<HeldQueue>,
    _claim: Option<Claim>,
}

impl OpenQueue {
    /// Opens a queue. `name` is that of the queue that has the messages.
    pub(crate) fn new((name, is_made): (QueueName, bool), uses: Uses, opens: &Opens) -> Result<Self, Reason> {
        let claim = uses.input.map(|input| opens.claim(&name, input)).transpose()?;
        Ok(Self { name, uses, cursor: None, is_made, held: None, _claim: claim })
    }
}

/// The objects of a task, by their handles.
#[derive(Debug, Default)]
pub(crate) struct Objects(Vec<Option<Object>>);

impl Objects {
    /// Gives an object a handle, from 1 on.
    ///
    /// # Errors
    /// `HandleNotAvailable` if the task has too many.
    pub(crate) fn add(&mut self, object: Object) -> Result<i32, Reason> {
        let free = self.0.iter().position(Option::is_none);
        let place = free.unwrap_or(self.0.len());
        if place >= OBJECTS_MAX {
            return Err(Reason::HandleNotAvailable);
        }
        match free {
            Some(place) => self.0[place] = Some(object),
            None => self.0.push(Some(object)),
        }
        Ok(i32::try_from(place + 1).unwrap_or(i32::MAX))
    }

    /// Checks that a number of objects more can be open.
    ///
    /// # Errors
    /// `HandleNotAvailable`.
    pub(crate) fn check_room(&self, more: usize) -> Result<(), Reason> {
        let open = self.0.iter().flatten().count();
        if open + more <= OBJECTS_MAX { Ok(()) } else { Err(Reason::HandleNotAvailable) }
    }

    /// The object of a handle.
    ///
    /// # Errors
    /// `ObjectHandle`.
    pub(crate) fn get(&mut self, handle: i32) -> Result<&mut Object, Reason> {
        let place = usize::try_from(handle).ok().and_then(|handle| handle.checked_sub(1));
        place.and_then(|place| self.0.get_mut(place)?.as_mut()).ok_or(Reason::ObjectHandle)
    }

    /// The queue of a handle.
    ///
    /// # Errors
    /// `ObjectHandle`; `otherwise` if the object is no queue.
    pub(crate) fn queue(&mut self, handle: i32, otherwise: Reason) -> Result<&mut OpenQueue, Reason> {
        match self.get(handle)? {
            Object::Queue(queue) => Ok(queue),
            Object::Topic(_) | Object::Subscription(_) | Object::Manager => Err(otherwise),
        }
    }

    /// Takes the object of a handle away.
    pub(crate) fn remove(&mut self, handle: i32) -> Result<Object, Reason> {
        let place = usize::try_from(handle).ok().and_then(|handle| handle.checked_sub(1));
        place.and_then(|place| self.0.get_mut(place)?.take()).ok_or(Reason::ObjectHandle)
    }

    /// Takes all objects away.
    pub(crate) fn remove_all(&mut self) -> impl Iterator<Item = Object> + use<> {
        std::mem::take(&mut self.0).into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name() -> QueueName {
        QueueName::new("DEV.QUEUE.1").expect("a name")
    }

    #[test]
    fn an_exclusive_input_keeps_all_others_out() {
        let opens = Opens::default();
        let shared = opens.claim(&name(), Input::Shared).unwrap();
        let second = opens.claim(&name(), Input::Shared).unwrap();
        assert_eq!(opens.claim(&name(), Input::Exclusive).unwrap_err(), Reason::ObjectInUse);
        assert_eq!(opens.inputs(&name()), 2);
        drop((shared, second));
        let exclusive = opens.claim(&name(), Input::Exclusive).unwrap();
        assert_eq!(opens.claim(&name(), Input::Shared).unwrap_err(), Reason::ObjectInUse);
        drop(exclusive);
        assert_eq!(opens.inputs(&name()), 0);
        assert!(opens.0.counts.lock().unwrap().is_empty());
    }

    #[test]
    fn handles_are_used_again_and_end() {
        let mut objects = Objects::default();
        assert_eq!(objects.add(Object::Manager), Ok(1));
        assert_eq!(objects.add(Object::Manager), Ok(2));
        assert!(objects.remove(1).is_ok());
        assert_eq!(objects.remove(1).unwrap_err(), Reason::ObjectHandle);
        for wrong in [1, 0, -1, 3, i32::MAX] {
            assert_eq!(objects.get(wrong).unwrap_err(), Reason::ObjectHandle, "{wrong}");
        }
        assert_eq!(objects.add(Object::Manager), Ok(1));
        for handle in 3..=OBJECTS_MAX {
            assert_eq!(objects.add(Object::Manager), Ok(handle as i32));
        }
        assert_eq!(objects.add(Object::Manager), Err(Reason::HandleNotAvailable));
        assert_eq!(objects.queue(1, Reason::NotOpenForInput).unwrap_err(), Reason::NotOpenForInput);
    }
}
