//! STARTs whose tasks have not begun, at the admin address, and the command to cancel one.

use std::sync::Arc;

use http::StatusCode;
use region::{PendingStart, Region};
use serde_json::{Value, json};

use super::view::unix_seconds;
use super::{answered, hex, later, name, not_found, refused, text};
use crate::asked::{Answer, Asked, Pending};

/// The most STARTs that are listed.
const STARTS_SHOWN_MAX: usize = 10_000;

/// Answers `/region/starts`.
pub(crate) fn all(region: &Region) -> Value {
    let (mut pending, ccsid) = (region.pending_starts(), region.settings().ccsid);
    let is_cut = pending.len() > STARTS_SHOWN_MAX;
    pending.truncate(STARTS_SHOWN_MAX);
    json!({ "starts": pending.iter().map(|start| shown(start, ccsid)).collect::<Vec<_>>(), "isCut": is_cut })
}

fn shown(start: &PendingStart, ccsid: u16) -> Value {
    json!({
        "request": text(&start.request, ccsid).trim_end(),
        "requestHex": hex(&start.request),
        "transaction": name(&start.transaction),
        "user": start.user.map(|user| name(&user)),
        "dueUnixSeconds": unix_seconds(start.due),
        "isDue": start.is_due,
        "dataBytes": start.data_bytes,
        "channelBytes": start.channel_bytes,
        "returnTerminal": start.return_terminal.map(|terminal| name(&terminal)),
        "protected": start.protected,
    })
}

/// Cancels a START.
pub(crate) fn cancel(asked: Asked<'_>) -> Pending<'_> {
    later(&asked, move |region| end(region, asked.name()))
}

/// Cancels the first START of a name, which has the form of [`all`], in hexadecimal or not.
async fn end(region: &Arc<Region>, wanted: &str) -> Answer {
    let ccsid = region.settings().ccsid;
    let is_meant = |start: &PendingStart| {
        text(&start.request, ccsid).trim_end() == wanted || hex(&start.request).eq_ignore_ascii_case(wanted)
    };
    let mut meant: Vec<_> =
        region.pending_starts().iter().filter(|start| is_meant(start)).map(|start| start.request).collect();
    meant.dedup();
    let missing = || not_found(&format!("no START '{wanted}' waits"));
    match meant[..] {
        [] => missing(),
        [request] => match region.cancel_start(request).await {
            Ok(Some(start)) => answered(&shown(&start, ccsid)),
            // It has just begun.
            Ok(None) => missing(),
            Err(reason) => refused(
                StatusCode::INTERNAL_SERVER_ERROR,
                &format!(
                    "the START is not cancelled, because the store keeps it, so it begins at its time: {reason}"
                ),
            ),
        },
        _ => refused(
            StatusCode::CONFLICT,
            &format!("'{wanted}' names STARTs of two names: give its requestHex"),
        ),
    }
}
