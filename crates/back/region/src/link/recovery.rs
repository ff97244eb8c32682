//! Recovery of a link: two regions exchange the outcome of units of work that were in progress when the link broke.
//!
//! The region that decides does it all. It sends its decisions to commit until they are confirmed, and asks
//! which units still wait for it. Units that it does not know are aborted. The other region only waits, or
//! its operator forces an end.

use std::sync::Arc;
use std::time::Duration;

use store::{Decision, GlobalId, Verdict};
use waiting::{Pauses, random};
use wire::shown;

use super::connection::Connection;
use super::message::{Answer, IN_DOUBT_MAX, Request};
use super::peers::Route;
use super::shared::Shared;
use crate::resources::durable::Opened;

/// When units are looked at again that are being decided: at first, and at most. Usually whoever decides says that he has.
const AGAIN: Pauses = Pauses { first: Duration::from_millis(200), longest: Duration::from_secs(5) };

/// Resolves units in doubt in the other region, whenever there may be some, for as long as the connection lasts.
pub(super) async fn resynchronize(shared: &Arc<Shared>, route: &Route, connection: &Connection) {
    let mut tries = 0;
    loop {
        let some_left = match once(shared, route, connection).await {
            Ok(some_left) => {
                if !connection.is_resolved() {
                    connection.has_resolved();
                    // Tasks with programs of that region could not begin before: locks of units in doubt would refuse them.
                    crate::starts::recall_soon(&shared.resources);
                }
                some_left
            }
            Err(reason) => {
                tracing::warn!("link to {}: units in doubt: {reason}", shown(&route.peer.sysid));
                true
            }
        };
        let again = async {
            match some_left {
                true => tokio::time::sleep(AGAIN.pause(tries, random())).await,
                false => std::future::pending().await,
            }
        };
        tokio::select! {
            () = again => tries += 1,
            () = route.wake.notified() => tries = 0,
        }
    }
}

/// True if some units are left that may be resolved soon.
async fn once(shared: &Arc<Shared>, route: &Route, connection: &Connection) -> Result<bool, String> {
    // A region that never had a store has never decided anything.
    if !shared.resources.durable.exists() {
        return Ok(false);
    }
    let coordinator = shared.coordinator().await.map_err(|trouble| trouble.message)?;
    let opened = shared.resources.durable.get().cloned().ok_or("the store is not open")?;
    let sysid = shown(&route.peer.sysid);
    for decision in opened.store.decisions() {
        if decision.participants.contains(&sysid) {
            tell(&opened, route, connection, &decision.id, Decision::Commit).await?;
        }
    }
    let units = match connection.ask(Request::InDoubt { coordinator }, route.limits.answer_max).await {
        Ok(Answer::InDoubt { units }) => units,
        other => return Err(format!("expected a list of them, found {other:?}")),
    };
    let mut some_left = units.len() == IN_DOUBT_MAX;
    for unit in units {
        let decision = match opened.store.verdict(&unit) {
            Verdict::Committed => Decision::Commit,
            Verdict::Aborted => Decision::Abort,
            Verdict::Undecided => {
                some_left = true;
                continue;
            }
        };
        tell(&opened, route, connection, &unit, decision).await?;
    }
    Ok(some_left)
}

/// Tells a decision; a commit that is confirmed need not be remembered any longer.
pub(super) async fn tell(
    opened: &Arc<Opened>,
    route: &Route,
    connection: &Connection,
    unit: &GlobalId,
    decision: Decision,
) -> Result<(), String> {
    let request = Request::Decide { unit: unit.clone(), decision };
    match connection.ask(request, route.limits.answer_max).await {
        Ok(Answer::Decided { contradicts }) => {
            let sysid = shown(&route.peer.sysid);
            if contradicts {
                tracing::error!(
                    "unit {unit}: an operator of {sysid} has forced another end than {decision:?}"
                );
            }
            if decision == Decision::Commit {
                let (opened, unit) = (opened.clone(), unit.clone());
                tokio::task::spawn_blocking(move || {
                    if let Err(error) = opened.store.acknowledge(&unit, &sysid) {
                        // The decision is sent again after the next start, which does no harm.
                        tracing::warn!("unit {unit}: {error}");
                    }
                });
            }
            Ok(())
        }
        other => Err(format!("the decision was not confirmed: {other:?}")),
    }
}
