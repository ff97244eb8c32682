//! A store as participant: it prepares and gets the decision; an operator can decide if no decision comes.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::coordinator::{Coordination, encode};
use super::record::{Record, encode_decision};
use super::{Decision, GlobalId, fault};
use crate::commit::{Finish, Outcome, Room, Submission};
use crate::engine::{Change, Force};
use crate::error::{ErrorKind, Result};
use crate::keys;
use crate::store::{Core, Held, Store};
use crate::unit::Unit;
use crate::writes::Writes;

/// A unit that waits for the decision.
pub(crate) struct PreparedUnit {
    pub(super) held: Held,
    pub(super) writes: Arc<Writes>,
    pub(super) coordinator: String,
    /// The participants below this store. They get the decision that this store gets.
    pub(super) participants: BTreeSet<String>,
    pub(super) state: State,
}

impl PreparedUnit {
    /// True once its record is on disk, until it gets the decision.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.state != State::Preparing
    }
}

/// The data with which a unit prepares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preparation<'p> {
    /// The id of the unit.
    pub id: &'p GlobalId,
    /// The place to ask for the decision.
    pub coordinator: &'p str,
    /// The participants that have prepared below this store, and take the decision from it. If there are any,
    /// the unit must have this id by [`Unit::coordinate`].
    pub participants: &'p [String],
}

/// The state of a prepared unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The record is being written.
    Preparing,
    /// A coordinator is connected that can send the decision.
    Prepared,
    /// Nobody is.
    InDoubt,
    /// The decision is being written. `alone` says whether the unit is in doubt again if this fails.
    Resolving { alone: bool },
}

/// A prepared unit while its decision is being written.
struct Resolving {
    writes: Arc<Writes>,
    participants: BTreeSet<String>,
}

/// The answer of a participant to prepare.
#[derive(Debug)]
pub enum Vote {
    /// It changed nothing, has ended, and needs no decision. See [`Unit::await_decision`].
    ReadOnly,
    /// It will follow the decision.
    Prepared(Prepared),
}

/// A prepared unit, held by the code that brings the decision. If it is dropped, the unit is in doubt: its
/// locks refuse at once instead of letting others wait.
pub struct Prepared {
    core: Arc<Core>,
    id: GlobalId,
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The origin of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority {
    /// The coordinator, whose word is final.
    Coordinator,
    /// An operator, who cannot wait for it. The forced decision is kept, so that a coordinator with another
    /// decision finds out later.
    Operator,
}

/// The result of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// The unit has ended with this decision.
    Done,
    /// The unit is not in doubt: it had a decision before, or never prepared.
    NothingInDoubt,
    /// An operator had forced the same decision.
    AsForced,
    /// An operator had forced the other decision. The stores no longer agree, and people must look.
    Contradicts,
}

/// A unit in doubt, for people to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InDoubt {
    /// Its id.
    pub id: GlobalId,
    /// The coordinator, which knows the decision.
    pub coordinator: String,
    /// The participants that have prepared below this store, and wait for its decision.
    pub participants: Vec<String>,
    /// Records and items that it would change.
    pub writes: usize,
    /// Locks that it keeps.
    pub locks: usize,
    /// True if no coordinator is connected that could send the decision.
    pub alone: bool,
}

impl Unit {
    /// The first phase. When it returns, the unit is on disk, can be committed whatever happens, and keeps
    /// its locks.
    ///
    /// `coordinator` is the place to ask for the decision.
    ///
    /// # Errors
    /// The unit is backed out. `Duplicate` if a unit of this id is prepared here; else as
    /// [`Unit::syncpoint`].
    pub fn prepare(self, id: &GlobalId, coordinator: &str) -> Result<Vote> {
        let core = Arc::clone(&self.held.core);
        let (outcome, vote) = (Outcome::default(), Arc::new(Mutex::new(None)));
        let (told, given) = (outcome.clone(), Arc::clone(&vote));
        let preparation = Preparation { id, coordinator, participants: &[] };
        self.prepare_then(preparation, move |result| {
            let result =
                result.map(|vote| *given.lock().unwrap_or_else(PoisonError::into_inner) = Some(vote));
            told.tell(result);
        });
        core.committer.wait(&outcome)?;
        let vote = vote.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(vote.expect("the vote comes before the outcome"))
    }

    /// The first phase. Calls `then` with the result of [`Unit::prepare`], as [`Unit::syncpoint_then`] does.
    /// A store in the middle has participants of its own. It prepares when all of these have, and they get
    /// its decision.
    ///
    /// # Errors
    /// `Misuse` if the unit coordinates under another id, or has participants and coordinates nothing.
    pub fn prepare_then(
        self,
        preparation: Preparation<'_>,
        then: impl FnOnce(Result<Vote>) + Send + 'static,
    ) {
        let Unit { held, writes, coordination, awaits_decision } = self;
        let Preparation { id, coordinator, participants } = preparation;
        if let Err(error) = check_ids(coordination.as_ref(), preparation) {
            drop((coordination, held));
            return then(Err(error));
        }
        if writes.is_empty() && participants.is_empty() && !awaits_decision {
            drop((coordination, held));
            return then(Ok(Vote::ReadOnly));
        }
        let core = Arc::clone(&held.core);
        let locks = core.locks.held_by(held.unit);
        let record = Record { coordinator: coordinator.to_string(), writes, locks };
        let mut system = vec![Change::Put { key: keys::prepared(id), value: record.encode() }];
        let participants: BTreeSet<String> = participants.iter().cloned().collect();
        if !participants.is_empty() {
            system.push(Change::Put { key: keys::below(id), value: encode(&participants) });
        }
        let writes = Arc::new(record.writes);
        let unit = PreparedUnit {
            held,
            writes: Arc::clone(&writes),
            coordinator: record.coordinator,
            participants,
            state: State::Preparing,
        };
        if let Err(error) = core.admit_prepared(id, unit) {
            return then(Err(error));
        }
        // From here on, a participant that asks finds the prepared unit, which is undecided too.
        drop(coordination);
        let (shared, id) = (Arc::clone(&core), id.clone());
        core.committer.submit(Submission {
            writes: Arc::default(),
            system,
            force: Force::Disk,
            room: Room::Promise(writes),
            finish: Finish::new(move |result| {
                if let Err(error) = &result {
                    let unit = shared.not_prepared(&id, error.kind());
                    drop(unit);
                }
                then(result.map(|()| shared.is_prepared(&id)));
            }),
        });
    }
}

/// Checks that a unit with participants below it has the id by which they ask.
fn check_ids(coordination: Option<&Coordination>, preparation: Preparation<'_>) -> Result<()> {
    let Preparation { id, participants, .. } = preparation;
    match coordination {
        Some(own) if own.id() != id => {
            Err(fault(id, ErrorKind::Misuse, "the unit decides for others under another id"))
        }
        None if !participants.is_empty() => {
            Err(fault(id, ErrorKind::Misuse, "it has participants, and coordinates nothing"))
        }
        _ => Ok(()),
    }
}

impl Prepared {
    /// The unit's id.
    #[must_use]
    pub fn id(&self) -> &GlobalId {
        &self.id
    }

    /// The second phase, if the decision is to commit: as [`Unit::syncpoint`].
    ///
    /// # Errors
    /// The unit is still prepared, and in doubt. `Io`, `Unknown`, `Stopped`; `NoSpace` if the disk itself is full.
    pub fn commit(self) -> Result<Resolution> {
        self.core.resolve(&self.id, Decision::Commit, Authority::Coordinator)
    }

    /// The second phase, if the decision is to abort.
    ///
    /// # Errors
    /// As [`Prepared::commit`].
    pub fn abort(self) -> Result<Resolution> {
        self.core.resolve(&self.id, Decision::Abort, Authority::Coordinator)
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        let mut twophase = self.core.twophase();
        let Some(unit) = twophase.prepared.get_mut(&self.id) else { return };
        match &mut unit.state {
            State::Prepared => unit.state = State::InDoubt,
            State::Resolving { alone } => {
                *alone = true;
                return;
            }
            State::Preparing | State::InDoubt => return,
        }
        let number = unit.held.unit;
        drop(twophase);
        self.core.locks.retain(number);
    }
}

impl Store {
    /// Units that have prepared and have no decision yet.
    #[must_use]
    pub fn in_doubt(&self) -> Vec<InDoubt> {
        let twophase = self.core().twophase();
        let list = twophase.prepared.iter().filter(|(_, unit)| unit.is_in_doubt());
        list.map(|(id, unit)| InDoubt {
            id: id.clone(),
            coordinator: unit.coordinator.clone(),
            participants: unit.participants.iter().cloned().collect(),
            writes: unit.writes.count(),
            locks: self.core().locks.held_by(unit.held.unit).len(),
            alone: unit.state == State::InDoubt,
        })
        .collect()
    }

    /// Gives a unit in doubt its decision. A coordinator may send it any number of times.
    ///
    /// # Errors
    /// `NotFound` if an operator names a unit that is not in doubt; `Busy` while another decision for it is
    /// being written; else as [`Prepared::commit`].
    pub fn resolve(&self, id: &GlobalId, decision: Decision, authority: Authority) -> Result<Resolution> {
        self.core().resolve(id, decision, authority)
    }

    /// Gives a unit in doubt its decision. Calls `then` with the result of [`Store::resolve`], as
    /// [`Unit::syncpoint_then`] does.
    pub fn resolve_then(
        &self,
        id: &GlobalId,
        decision: Decision,
        authority: Authority,
        then: impl FnOnce(Result<Resolution>) + Send + 'static,
    ) {
        self.core().resolve_then(id, decision, authority, then);
    }

    /// Forced decisions of operators that were neither confirmed nor forgotten.
    #[must_use]
    pub fn forced(&self) -> Vec<(GlobalId, Decision)> {
        self.core().twophase().forced.iter().map(|(id, decision)| (id.clone(), *decision)).collect()
    }

    /// Forgets a forced decision, once people have looked.
    ///
    /// # Errors
    /// `NotFound`; those of the disk.
    pub fn forget_forced(&self, id: &GlobalId) -> Result<()> {
        let core = self.core();
        if !core.twophase().forced.contains_key(id) {
            return Err(fault(id, ErrorKind::NotFound, "nothing was forced"));
        }
        core.commit_system(vec![Change::Delete { key: keys::forced(id) }], Force::Disk)?;
        core.twophase().forced.remove(id);
        Ok(())
    }
}

impl Core {
    pub(super) fn admit_prepared(&self, id: &GlobalId, unit: PreparedUnit) -> Result<()> {
        let mut twophase = self.twophase();
        if twophase.closed {
            drop(twophase);
            return Err(fault(id, ErrorKind::Stopped, "the store has been closed"));
        }
        if twophase.prepared.contains_key(id) {
            drop(twophase);
            return Err(fault(id, ErrorKind::Duplicate, "it is prepared here already"));
        }
        twophase.prepared.insert(id.clone(), unit);
        Ok(())
    }

    /// The unit's record could not be written. Gives its resources back.
    fn not_prepared(&self, id: &GlobalId, kind: ErrorKind) -> Option<PreparedUnit> {
        let mut twophase = self.twophase();
        // The record may be there when the store is opened again. Until then, participants below must not
        // hear of an abort.
        if kind == ErrorKind::Unknown {
            twophase.undecided.insert(id.clone());
        }
        twophase.prepared.remove(id)
    }

    /// The unit's record is on disk.
    fn is_prepared(self: &Arc<Self>, id: &GlobalId) -> Vote {
        if let Some(unit) = self.twophase().prepared.get_mut(id) {
            unit.state = State::Prepared;
        }
        Vote::Prepared(Prepared { core: Arc::clone(self), id: id.clone() })
    }

    fn resolve(
        self: &Arc<Self>,
        id: &GlobalId,
        decision: Decision,
        authority: Authority,
    ) -> Result<Resolution> {
        let (outcome, resolution) = (Outcome::default(), Arc::new(Mutex::new(Resolution::Done)));
        let (told, given) = (outcome.clone(), Arc::clone(&resolution));
        self.resolve_then(id, decision, authority, move |result| {
            told.tell(result.map(|what| *given.lock().unwrap_or_else(PoisonError::into_inner) = what));
        });
        self.committer.wait(&outcome)?;
        Ok(*resolution.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn resolve_then(
        self: &Arc<Self>,
        id: &GlobalId,
        decision: Decision,
        authority: Authority,
        then: impl FnOnce(Result<Resolution>) + Send + 'static,
    ) {
        let Resolving { writes, participants } = match self.begin_to_resolve(id) {
            Ok(Some(found)) => found,
            Ok(None) => return then(self.too_late(id, decision, authority)),
            Err(error) => return then(Err(error)),
        };
        let mut system = vec![Change::Delete { key: keys::prepared(id) }];
        if authority == Authority::Operator {
            system.push(Change::Put { key: keys::forced(id), value: encode_decision(decision) });
        }
        let commits = decision == Decision::Commit;
        if !participants.is_empty() {
            system.push(Change::Delete { key: keys::below(id) });
        }
        if commits && !participants.is_empty() {
            // Participants below get the same decision, whoever made it.
            system.push(Change::Put { key: keys::decision(id), value: encode(&participants) });
        }
        // A full disk may take back what was not forced. By then another unit may have the locks, and has perhaps prepared.
        let force = Force::Disk;
        let (core, id) = (Arc::clone(self), id.clone());
        self.committer.submit(Submission {
            writes: if commits { Arc::clone(&writes) } else { Arc::default() },
            system,
            force,
            room: Room::Promised(writes),
            finish: Finish::new(move |result| {
                match &result {
                    Ok(()) => core.resolved(&id, decision, authority),
                    Err(_) => core.not_resolved(&id),
                }
                then(result.map(|()| Resolution::Done));
            }),
        });
    }

    /// Marks a prepared unit. None if the unit does not exist.
    fn begin_to_resolve(&self, id: &GlobalId) -> Result<Option<Resolving>> {
        let mut twophase = self.twophase();
        // Units in doubt of a closed store come back from its file.
        if twophase.closed {
            return Err(fault(id, ErrorKind::Stopped, "the store has been closed"));
        }
        let Some(unit) = twophase.prepared.get_mut(id) else { return Ok(None) };
        let alone = match unit.state {
            State::Prepared => false,
            State::InDoubt => true,
            State::Preparing | State::Resolving { .. } => {
                return Err(fault(id, ErrorKind::Busy, "it is being prepared or resolved"));
            }
        };
        unit.state = State::Resolving { alone };
        let (writes, participants) = (Arc::clone(&unit.writes), unit.participants.clone());
        Ok(Some(Resolving { writes, participants }))
    }

    /// The decision could not be written.
    fn not_resolved(&self, id: &GlobalId) {
        let mut twophase = self.twophase();
        let Some(unit) = twophase.prepared.get_mut(id) else { return };
        let alone = matches!(unit.state, State::Resolving { alone: true });
        unit.state = if alone { State::InDoubt } else { State::Prepared };
        let number = unit.held.unit;
        drop(twophase);
        if alone {
            self.locks.retain(number);
        }
    }

    /// The decision is on disk.
    fn resolved(&self, id: &GlobalId, decision: Decision, authority: Authority) {
        let mut twophase = self.twophase();
        let mut unit = twophase.prepared.remove(id);
        let below = unit.as_mut().map(|unit| std::mem::take(&mut unit.participants)).unwrap_or_default();
        if decision == Decision::Commit && !below.is_empty() {
            twophase.committed.insert(id.clone(), below);
        }
        if authority == Authority::Operator {
            twophase.forced.insert(id.clone(), decision);
        }
        drop(twophase);
        drop(unit);
    }

    /// The answer to a decision for a unit that is not in doubt.
    fn too_late(&self, id: &GlobalId, decision: Decision, authority: Authority) -> Result<Resolution> {
        let forced = self.twophase().forced.get(id).copied();
        match (authority, forced) {
            (Authority::Operator, _) => Err(fault(id, ErrorKind::NotFound, "it is not in doubt here")),
            (Authority::Coordinator, None) => Ok(Resolution::NothingInDoubt),
            (Authority::Coordinator, Some(forced)) if forced == decision => {
                self.commit_system(vec![Change::Delete { key: keys::forced(id) }], Force::Lazy)?;
                self.twophase().forced.remove(id);
                Ok(Resolution::AsForced)
            }
            (Authority::Coordinator, Some(_)) => Ok(Resolution::Contradicts),
        }
    }
}
