//! Recovery of distributed units when a store is opened.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::participant::{PreparedUnit, State};
use super::record::{Record, decode_decision};
use super::{GlobalId, coordinator};
use crate::commit::read_header;
use crate::error::{ErrorKind, Result};
use crate::keys::Kind;
use crate::locks::{Patience, Request};
use crate::store::{Core, read_all};

/// Units that had prepared are in doubt, with their locks and their positions in logs. Decisions wait to be
/// sent.
pub(crate) fn recover(core: &Arc<Core>) -> Result<()> {
    let engine = &*core.engine;
    read_all(engine, Kind::Prepared, |id, value| {
        let id = read_id(id)?;
        recover_unit(core, &id, Record::decode(value)?).map_err(|error| error.at(format!("unit {id}")))
    })?;
    read_all(engine, Kind::Below, |id, value| {
        let (id, participants) = (read_id(id)?, coordinator::decode(value)?);
        let mut twophase = core.twophase();
        let unit = twophase.prepared.get_mut(&id).ok_or_else(|| {
            let message = format!("unit {id}: expected the unit that has participants, found none");
            crate::error::Error::new(ErrorKind::Corrupt, message)
        })?;
        unit.participants = participants;
        Ok(())
    })?;
    read_all(engine, Kind::Decision, |id, value| {
        let participants = coordinator::decode(value)?;
        core.twophase().committed.insert(read_id(id)?, participants);
        Ok(())
    })?;
    read_all(engine, Kind::Forced, |id, value| {
        core.twophase().forced.insert(read_id(id)?, decode_decision(value)?);
        Ok(())
    })
}

fn read_id(bytes: &[u8]) -> Result<GlobalId> {
    GlobalId::new(bytes).map_err(|error| {
        crate::error::Error::new(ErrorKind::Corrupt, format!("record of a distributed unit: {error}"))
    })
}

fn recover_unit(core: &Arc<Core>, id: &GlobalId, record: Record) -> Result<()> {
    let engine = &*core.engine;
    let mut held = core.reopen_unit();
    for (resource, mode) in &record.locks {
        let request = Request { unit: held.unit, resource, mode: *mode };
        core.locks.request(request, Patience::Refuse)?;
    }
    for (log, next) in record.writes.appends() {
        // Other units may have committed behind the positions of this unit.
        let committed = read_header(engine, log)?.next;
        core.tails().hold(log, next.max(committed));
        held.tails.insert(log.to_vec());
    }
    core.locks.retain(held.unit);
    let Record { coordinator, writes, .. } = record;
    core.committer.promise(&writes)?;
    core.admit_prepared(
        id,
        PreparedUnit {
            held,
            writes: Arc::new(writes),
            coordinator,
            // The participants have a record of their own.
            participants: BTreeSet::new(),
            state: State::InDoubt,
        },
    )
}
