//! Links to other regions at the admin address, units of work in doubt, and operators' commands to
//! end one.

use std::sync::Arc;

use http::StatusCode;
use region::{Decision, GlobalId, Region};
use serde_json::{Value, json};

use super::{answered, hex, later, not_found, refused};
use crate::asked::{Answer, Asked, Pending};

pub(crate) fn links(region: &Region) -> Value {
    let one = |link: &region::LinkState| {
        json!({
            "sysid": link.sysid,
            "connected": link.applid.is_some(),
            "applid": link.applid,
            "sessions": link.sessions,
            "trouble": link.trouble,
        })
    };
    json!({ "links": region.links().iter().map(one).collect::<Vec<_>>() })
}

/// Units of work in doubt, and forced ends that are not confirmed.
pub(crate) fn units(region: &Region) -> Value {
    let one = |unit: &region::InDoubt| {
        json!({
            "id": unit.id.to_string(),
            "idHex": hex(unit.id.bytes()),
            "coordinator": unit.coordinator,
            "decidesFor": unit.participants,
            "changes": unit.writes,
            "locks": unit.locks,
            "connected": !unit.alone,
        })
    };
    let forced = |(id, decision): &(GlobalId, Decision)| json!({ "id": id.to_string(), "idHex": hex(id.bytes()), "decision": word(*decision) });
    json!({
        "units": region.in_doubt().iter().map(one).collect::<Vec<_>>(),
        "forced": region.forced().iter().map(forced).collect::<Vec<_>>(),
    })
}

fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Commit => "commit",
        Decision::Abort => "backout",
    }
}

/// Commits a unit in doubt.
pub(crate) fn commit(asked: Asked<'_>) -> Pending<'_> {
    later(&asked, move |region| end(region, asked.name(), Decision::Commit))
}

/// Backs a unit in doubt out.
pub(crate) fn back_out(asked: Asked<'_>) -> Pending<'_> {
    later(&asked, move |region| end(region, asked.name(), Decision::Abort))
}

/// Ends a unit in doubt. Its id has the form of [`units`], in hexadecimal or not.
async fn end(region: &Arc<Region>, wanted: &str, decision: Decision) -> Answer {
    let in_doubt = region.in_doubt();
    let is_meant = |id: &GlobalId| id.to_string() == wanted || hex(id.bytes()).eq_ignore_ascii_case(wanted);
    let mut meant = in_doubt.iter().map(|unit| &unit.id).filter(|id| is_meant(id));
    let (Some(id), None) = (meant.next(), meant.next()) else {
        let several = in_doubt.iter().filter(|unit| is_meant(&unit.id)).count() > 1;
        return match several {
            true => {
                refused(StatusCode::CONFLICT, &format!("'{wanted}' names two units in doubt: give its idHex"))
            }
            false => not_found(&format!("no unit '{wanted}' is in doubt")),
        };
    };
    let (region, forced) = (region.clone(), id.clone());
    let ended = tokio::task::spawn_blocking(move || region.force(&forced, decision)).await;
    match ended.unwrap_or_else(|error| Err(error.to_string())) {
        Ok(()) => answered(&json!({ "id": wanted, "decision": word(decision) })),
        // The unit may have just ended, or the disk has failed. The unit gives the reason.
        Err(reason) => refused(StatusCode::CONFLICT, &reason),
    }
}
