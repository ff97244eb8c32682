//! A store as coordinator: the log of decisions to commit.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{GlobalId, fault};
use crate::commit::{Outcome, Submission};
use crate::engine::{Change, Force};
use crate::error::{ErrorKind, Result};
use crate::fields::{Reader, Writer};
use crate::keys;
use crate::store::{Core, Store};
use crate::unit::Unit;

/// The answer of a coordinator to a participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Ask again.
    Undecided,
    /// Commit.
    Committed,
    /// Abort: the store has no record of the unit, and will not have one.
    Aborted,
}

/// A decision to commit that some participants have not confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitDecision {
    /// The unit.
    pub id: GlobalId,
    /// The participants that still need the decision.
    pub participants: Vec<String>,
}

/// A unit's right to decide. Dropped without a decision, the unit is aborted.
pub(crate) struct Coordination {
    core: Arc<Core>,
    id: GlobalId,
    /// Nobody knows the outcome until the store is opened again.
    is_unknown: bool,
}

impl Coordination {
    pub(super) fn id(&self) -> &GlobalId {
        &self.id
    }
}

impl Drop for Coordination {
    fn drop(&mut self) {
        if !self.is_unknown {
            self.core.twophase().undecided.remove(&self.id);
        }
    }
}

impl Unit {
    /// Makes this store the coordinator of the unit. Until the decision, participants that ask get the answer
    /// that it is undecided.
    ///
    /// # Errors
    /// `Duplicate` if the store still knows an earlier use of the id; `Misuse` if the unit has one.
    pub fn coordinate(&mut self, id: &GlobalId) -> Result<()> {
        if let Some(coordination) = &self.coordination {
            return Err(fault(&coordination.id, ErrorKind::Misuse, "the unit has this id already"));
        }
        let core = &self.held.core;
        let mut twophase = core.twophase();
        let is_known = twophase.committed.contains_key(id) || twophase.prepared.contains_key(id);
        if is_known || !twophase.undecided.insert(id.clone()) {
            return Err(fault(id, ErrorKind::Duplicate, "this id is in use"));
        }
        drop(twophase);
        self.coordination = Some(Coordination { core: Arc::clone(core), id: id.clone(), is_unknown: false });
        Ok(())
    }

    /// Decides to commit, after all `participants` have prepared: the unit's own changes and the decision are
    /// one write. To abort, drop the unit.
    ///
    /// # Errors
    /// The unit is aborted, except with `Unknown`. Then there is no decision until the store is opened again
    /// and finds one or none. `Misuse` without [`Unit::coordinate`]; else as [`Unit::syncpoint`].
    pub fn decide_commit(self, participants: &[&str]) -> Result<()> {
        let core = Arc::clone(&self.held.core);
        let outcome = Outcome::default();
        let told = outcome.clone();
        self.decide_commit_then(participants, move |result| told.tell(result));
        core.committer.wait(&outcome)
    }

    /// Decides to commit. Calls `then` with the result of [`Unit::decide_commit`], as
    /// [`Unit::syncpoint_then`] does.
    pub fn decide_commit_then(
        self,
        participants: &[impl AsRef<str>],
        then: impl FnOnce(Result<()>) + Send + 'static,
    ) {
        let Unit { held, writes, coordination, .. } = self;
        let Some(coordination) = coordination else {
            drop(held);
            return then(Err(crate::error::Error::new(ErrorKind::Misuse, "unit: it coordinates nothing")));
        };
        let core = Arc::clone(&held.core);
        let participants: BTreeSet<String> =
            participants.iter().map(|name| name.as_ref().to_owned()).collect();
        let mut system = Vec::new();
        if !participants.is_empty() {
            system.push(Change::Put { key: keys::decision(&coordination.id), value: encode(&participants) });
        }
        core.committer.submit(Submission::of_unit(writes, system, move |result| {
            settle(coordination, participants, &result);
            drop(held);
            then(result);
        }));
    }
}

/// From now on participants that ask get the decision.
fn settle(mut coordination: Coordination, participants: BTreeSet<String>, result: &Result<()>) {
    match result {
        Ok(()) if !participants.is_empty() => {
            coordination.core.twophase().committed.insert(coordination.id.clone(), participants);
        }
        // Any answer now could be wrong.
        Err(error) if error.kind() == ErrorKind::Unknown => coordination.is_unknown = true,
        _ => {}
    }
    drop(coordination);
}

impl Store {
    /// The decision of this store as coordinator. A store in the middle, between a coordinator and its own
    /// participants, has the coordinator's decision. While it waits for that, it has none.
    #[must_use]
    pub fn verdict(&self, id: &GlobalId) -> Verdict {
        let twophase = self.core().twophase();
        if twophase.committed.contains_key(id) {
            Verdict::Committed
        } else if twophase.undecided.contains(id) || twophase.prepared.contains_key(id) {
            Verdict::Undecided
        } else {
            Verdict::Aborted
        }
    }

    /// Decisions that some participants have not confirmed. They must be sent again, after a restart too.
    #[must_use]
    pub fn decisions(&self) -> Vec<CommitDecision> {
        let twophase = self.core().twophase();
        let list = twophase.committed.iter();
        list.map(|(id, left)| CommitDecision { id: id.clone(), participants: left.iter().cloned().collect() })
            .collect()
    }

    /// A participant has committed. After the last one, the store forgets the decision.
    ///
    /// Confirmations are not on disk. After a restart all participants get the decision again, which does no
    /// harm.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn acknowledge(&self, id: &GlobalId, participant: &str) -> Result<()> {
        let core = self.core();
        let mut twophase = core.twophase();
        let Some(left) = twophase.committed.get_mut(id) else { return Ok(()) };
        left.remove(participant);
        if !left.is_empty() {
            return Ok(());
        }
        twophase.committed.remove(id);
        drop(twophase);
        core.commit_system(vec![Change::Delete { key: keys::decision(id) }], Force::Lazy)
    }
}

pub(super) fn encode(participants: &BTreeSet<String>) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.count(participants.len());
    participants.iter().for_each(|name| writer.bytes(name.as_bytes()));
    writer.finish()
}

/// The participants of a decision.
pub(super) fn decode(bytes: &[u8]) -> Result<BTreeSet<String>> {
    let mut reader = Reader::new("decision to commit", bytes);
    let mut participants = BTreeSet::new();
    for _ in 0..reader.count()? {
        participants.insert(reader.text()?.to_string());
    }
    reader.end()?;
    Ok(participants)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_come_back_and_cut_ones_do_not() {
        let participants: BTreeSet<String> = ["REGB", "REGC"].map(String::from).into();
        let bytes = encode(&participants);
        assert_eq!(decode(&bytes).unwrap(), participants);
        for cut in 0..bytes.len() {
            assert_eq!(decode(&bytes[..cut]).unwrap_err().kind(), ErrorKind::Corrupt);
        }
    }
}
