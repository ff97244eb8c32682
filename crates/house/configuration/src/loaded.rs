//! The content of a configuration, and its source for loading it again.

use std::fmt::Debug;
use std::sync::Arc;

use admission::CertificateFiles;
use connector::Plans;
use gateway::GatewaySettings;
use listeners::LoadedListener;
use queue_config::{QueueManagerPlan, QueueSlot};
use region::RegionPlan;
use settings::{Files, Problems};

use crate::load::StorePlan;

/// The settings that only count when the process starts: their keys, each with its value as a text to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed(Vec<(&'static str, String)>);

impl Fixed {
    /// These settings.
    pub(crate) fn of(settings: &[(&'static str, &dyn Debug)]) -> Self {
        Self(settings.iter().map(|(key, value)| (*key, format!("{value:?}"))).collect())
    }

    /// The keys whose values differ.
    #[must_use]
    pub fn changed(&self, other: &Self) -> Vec<&'static str> {
        let pairs = self.0.iter().zip(&other.0);
        pairs.filter(|(one, other)| one != other).map(|((key, _), _)| *key).collect()
    }
}

/// The content of a configuration's files.
#[derive(Debug)]
pub struct Loaded {
    /// The gateway.
    pub gateway: GatewaySettings,
    /// The region for programs, if there are any.
    pub region: Option<RegionPlan>,
    /// The endpoint groups.
    pub groups: Plans,
    /// The store of everything durable.
    pub store: StorePlan,
    /// The queue manager, if there is one.
    pub queue_manager: Option<QueueManagerPlan>,
    /// The targets that messages of queues start.
    pub queue_listeners: Vec<LoadedListener>,
    /// The place where providers find the queues.
    pub queue_slot: Arc<QueueSlot>,
    /// The files of certificates.
    pub certificates: CertificateFiles,
    /// Problems that do not prevent serving.
    pub warnings: Problems,
    /// The part that only counts when the process starts.
    pub fixed: Fixed,
}

/// Loads files, or gives all their faults.
pub type Load = fn(&Files) -> Result<Loaded, Problems>;

/// The source of settings, for loading them again.
#[derive(Debug)]
pub struct Source {
    /// The files.
    pub files: Files,
    /// The fingerprint of the loaded files; none if they changed meanwhile.
    pub loaded: Option<u64>,
    /// The content of the files, without the options of the command line.
    pub fixed: Fixed,
    /// True if a faulty program or package stops the whole configuration.
    pub is_strict: bool,
    /// The function that loads the files.
    pub load: Load,
}
