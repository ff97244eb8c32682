//! The syncpoint of a unit of work in a region between two others. The region above decides. The regions
//! below, which programs here have called, hear the same decision.

use std::sync::Arc;

use store::{Decision, ErrorKind, GlobalId, Preparation, Vote};
use wire::shown;

use super::partners::Partners;
use crate::work::Work;

impl Work {
    /// The first phase: the regions below prepare, then this one.
    ///
    /// # Errors
    /// The unit is to be backed out: why.
    pub(super) async fn vote(&mut self, unit: &GlobalId, coordinator: &str) -> Result<Vote, String> {
        if let Some(why) = self.partners.doomed.take() {
            return Err(why);
        }
        let mut participants = Vec::new();
        if !self.partners.is_alone() {
            let prepared = self.prepare_partners().await.map_err(|trouble| trouble.message)??;
            participants.extend(prepared.iter().map(|partner| shown(&partner.route.peer.sysid)));
        }
        if self.messages.has_changes() {
            // Messages that are not persistent are not in the store, and wait for the decision all the same.
            let waits = self.unit.with(|_, unit| {
                unit.await_decision();
                Ok(())
            });
            waits.await.map_err(|trouble| trouble.message)?;
        }
        // From now on only the store knows, whatever becomes of this task.
        self.partners.deciding = !participants.is_empty();
        let preparation = Preparation { id: unit, coordinator, participants: &participants };
        self.unit.prepare(preparation).await.map_err(|trouble| {
            self.partners.deciding &= trouble.kind == ErrorKind::Unknown;
            trouble.message
        })
    }
}

impl Partners {
    /// The second phase, after this region's: the regions below hear the decision. The task does not wait for
    /// them. This region's store knows which of them must still hear it, and sends it again when their links
    /// are back.
    pub(super) fn tell_below(mut self, decision: Decision) {
        if self.is_alone() {
            return;
        }
        match decision {
            Decision::Commit => {
                let below = self.with.clone();
                tokio::spawn(async move { self.tell_commit(&below).await });
            }
            Decision::Abort => {
                self.deciding = false;
                self.leave();
            }
        }
    }
}

impl super::shared::Shared {
    /// A unit in doubt has ended: other regions may wait for that.
    pub(crate) fn tell_of_ends(&self) {
        self.all_routes().iter().for_each(|route| route.wake.notify_one());
    }

    /// Admits a unit of work of another region. It may come by one way only; none if it is already here.
    pub(super) fn admit_unit(self: &Arc<Self>, unit: &GlobalId) -> Option<Presence> {
        if self.is_own(unit) {
            return None;
        }
        let is_new = self.present().insert(unit.clone());
        is_new.then(|| Presence { shared: self.clone(), unit: unit.clone() })
    }
}

/// A unit of work of another region is in this one.
#[derive(Debug)]
pub(super) struct Presence {
    shared: Arc<super::shared::Shared>,
    unit: GlobalId,
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.shared.present().remove(&self.unit);
    }
}
