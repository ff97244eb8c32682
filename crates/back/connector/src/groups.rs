//! All groups of a gateway, whichever configuration it runs: they are taken over by name.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::group::Group;
use crate::keeper::keep;
use crate::lending::Wish;
use crate::settings::GroupSettings;
use crate::view::GroupView;

/// Where a provider finds its group, once the configuration serves.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) settings: GroupSettings,
    group: OnceLock<Arc<Group>>,
}

impl Slot {
    pub(crate) fn new(settings: GroupSettings) -> Arc<Self> {
        Arc::new(Self { settings, group: OnceLock::new() })
    }

    /// The group. One that no gateway has begins with its first call.
    pub(crate) fn group(&self) -> &Arc<Group> {
        self.group.get_or_init(|| Group::new(self.settings.clone()))
    }
}

/// The groups that a configuration has.
#[derive(Debug, Default)]
pub struct Plans {
    pub(crate) slots: BTreeMap<String, Arc<Slot>>,
}

impl Plans {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The most connections that all of them may have.
    #[must_use]
    pub fn sockets_max(&self) -> usize {
        let endpoints = self.slots.values().flat_map(|slot| &slot.settings.endpoints);
        endpoints.map(|endpoint| endpoint.max_sockets).sum()
    }
}

/// What an operator does to a group or to one of its endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// It serves.
    Start,
    /// It ends its requests and gets no more. Its connections are closed.
    Stop,
    /// An endpoint ends its requests and gets no more. Its connections stay open.
    Quiesce,
}

/// What operators did, where it outlives the process.
pub trait Marks {
    /// Whether this was done last to a group, or to an endpoint as `GROUP/ENDPOINT`.
    fn is(&self, act: Act, name: &str) -> bool;
}

/// The groups that run.
#[derive(Debug, Default)]
pub struct Groups {
    running: Mutex<BTreeMap<String, Arc<Group>>>,
}

impl Groups {
    fn running(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Group>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the groups of a configuration run: those of known names go on, with connections, figures and queues; those that
    /// are gone end when their last request has ended.
    pub fn apply(&self, plans: &Plans, marks: &dyn Marks) {
        let mut running = self.running();
        running.retain(|name, _| plans.slots.contains_key(name));
        for (name, slot) in &plans.slots {
            let group = match running.get(name) {
                Some(group) => {
                    group.apply(slot.settings.clone());
                    Arc::clone(group)
                }
                None => {
                    let group = Group::new(slot.settings.clone());
                    running.insert(name.clone(), Arc::clone(&group));
                    restore(&group, &slot.settings, marks);
                    keep(&group);
                    group
                }
            };
            restore(&group, &slot.settings, marks);
            let _ = slot.group.set(group);
        }
    }

    /// The group of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<Group>> {
        self.running().get(name).cloned()
    }

    /// How all of them stand now, by name.
    #[must_use]
    pub fn view(&self) -> Vec<GroupView> {
        let running: Vec<_> = self.running().values().cloned().collect();
        running.iter().map(|group| group.view()).collect()
    }

    /// Whether there is this group, or this endpoint as `GROUP/ENDPOINT`.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        match name.split_once('/') {
            None => self.running().contains_key(name),
            Some((group, endpoint)) => self.get(group).is_some_and(|group| group.lending().has(endpoint)),
        }
    }

    /// Does something to a group, or to an endpoint as `GROUP/ENDPOINT`. False if it is not there, or cannot be done to it.
    pub fn act(&self, act: Act, name: &str) -> bool {
        let (group, endpoint) = name.split_once('/').map_or((name, None), |(group, one)| (group, Some(one)));
        let Some(group) = self.get(group) else { return false };
        match (endpoint, act) {
            (None, Act::Quiesce) => return false,
            (None, act) => group.set_stopped(act == Act::Stop),
            (Some(endpoint), act) => return group.set_wish(endpoint, wish(act)),
        }
        true
    }

    /// Begins the figures of a group again, or of all. False if there is no such group.
    pub fn clear(&self, name: Option<&str>) -> bool {
        let running = self.running();
        match name {
            None => running.values().for_each(|group| group.clear()),
            Some(name) => match running.get(name) {
                Some(group) => group.clear(),
                None => return false,
            },
        }
        true
    }
}

fn wish(act: Act) -> Wish {
    match act {
        Act::Start => Wish::Start,
        Act::Stop => Wish::Stop,
        Act::Quiesce => Wish::Quiesce,
    }
}

/// What operators did to it before.
fn restore(group: &Group, settings: &GroupSettings, marks: &dyn Marks) {
    if marks.is(Act::Stop, &settings.name) {
        group.set_stopped(true);
    }
    for endpoint in &settings.endpoints {
        let name = format!("{}/{}", settings.name, endpoint.name);
        for act in [Act::Stop, Act::Quiesce] {
            if marks.is(act, &name) {
                group.set_wish(&endpoint.name, wish(act));
            }
        }
    }
}
