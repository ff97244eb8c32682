//! All groups of a gateway. A new configuration takes them over by name.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::group::Group;
use crate::keeper::keep;
use crate::lending::Wish;
use crate::settings::GroupSettings;
use crate::view::GroupView;

/// The place where a provider finds its group, once the configuration serves.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) settings: GroupSettings,
    group: OnceLock<Arc<Group>>,
}

impl Slot {
    pub(crate) fn new(settings: GroupSettings) -> Arc<Self> {
        Arc::new(Self { settings, group: OnceLock::new() })
    }

    /// The group. If no gateway runs it, the first call makes it.
    pub(crate) fn group(&self) -> &Arc<Group> {
        self.group.get_or_init(|| Group::new(self.settings.clone()))
    }
}

/// The groups of a configuration.
#[derive(Debug, Default)]
pub struct Plans {
    pub(crate) slots: BTreeMap<String, Arc<Slot>>,
}

impl Plans {
    /// The number of groups.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// True if there are no groups.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The highest number of connections of all groups together.
    #[must_use]
    pub fn sockets_max(&self) -> usize {
        let endpoints = self.slots.values().flat_map(|slot| &slot.settings.endpoints);
        endpoints.map(|endpoint| endpoint.max_sockets).sum()
    }
}

/// An operator's command to a group or to one of its endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Start serving.
    Start,
    /// End the requests under way, take no more, and close the connections.
    Stop,
    /// Only for an endpoint: end the requests under way and take no more. The connections stay
    /// open.
    Quiesce,
}

/// The operators' commands, which outlive the process.
pub trait Marks {
    /// Whether this was the last command to a group, or to an endpoint as `GROUP/ENDPOINT`.
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

    /// Runs the groups of a configuration. Groups of known names go on, with connections, figures
    /// and queues. Groups that are no longer configured end after their last request.
    pub fn apply(&self, plans: &Plans, marks: &dyn Marks) {
        let mut running = self.running();
        running.retain(|name, _| plans.slots.contains_key(name));
        for (name, slot) in &plans.slots {
            let group = match running.get(name) {
                Some(group) => {
                    group.apply(slot.settings.clone(), &|endpoint| last_wish(marks, name, endpoint));
                    Arc::clone(group)
                }
                None => {
                    let group = Group::new(slot.settings.clone());
                    running.insert(name.clone(), Arc::clone(&group));
                    restore(&group, &slot.settings, marks);
                    tell_restored(&slot.settings, marks);
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

    /// The state of all groups, by name.
    #[must_use]
    pub fn view(&self) -> Vec<GroupView> {
        let running: Vec<_> = self.running().values().cloned().collect();
        running.iter().map(|group| group.view()).collect()
    }

    /// Whether this group exists, or this endpoint as `GROUP/ENDPOINT`.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        match name.split_once('/') {
            None => self.running().contains_key(name),
            Some((group, endpoint)) => self.get(group).is_some_and(|group| group.lending().has(endpoint)),
        }
    }

    /// Carries out a command for a group, or for an endpoint as `GROUP/ENDPOINT`. False if it does
    /// not exist, or if the command does not apply to it.
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

    /// Resets the figures of a group, or of all groups. False if the group does not exist.
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

/// Logs the operators' earlier commands that still hold.
fn tell_restored(settings: &GroupSettings, marks: &dyn Marks) {
    let group = &settings.name;
    if marks.is(Act::Stop, group) {
        tracing::info!(%group, "the group stays stopped, as an operator said");
    }
    for endpoint in &settings.endpoints {
        let name = format!("{group}/{}", endpoint.name);
        if marks.is(Act::Stop, &name) {
            tracing::info!(endpoint = name, "the endpoint stays stopped, as an operator said");
        } else if marks.is(Act::Quiesce, &name) {
            tracing::info!(endpoint = name, "the endpoint stays quiesced, as an operator said");
        }
    }
}

/// Repeats the operators' earlier commands.
fn restore(group: &Group, settings: &GroupSettings, marks: &dyn Marks) {
    if marks.is(Act::Stop, &settings.name) {
        group.set_stopped(true);
    }
    for endpoint in &settings.endpoints {
        match last_wish(marks, &settings.name, &endpoint.name) {
            Wish::Start => {}
            wish => {
                group.set_wish(&endpoint.name, wish);
            }
        }
    }
}

/// The operators' last wish for an endpoint.
fn last_wish(marks: &dyn Marks, group: &str, endpoint: &str) -> Wish {
    let name = format!("{group}/{endpoint}");
    let last = [Act::Stop, Act::Quiesce].into_iter().find(|act| marks.is(*act, &name));
    last.map_or(Wish::Start, wish)
}
