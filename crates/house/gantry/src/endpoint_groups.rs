//! What operators did to endpoint groups, kept with what else they stopped.

use std::io;

use connector::{Act, Marks};
use switches::Switches;

use crate::live::Live;

/// The acts that outlive the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marked<'s>(pub(crate) &'s Switches);

impl Marks for Marked<'_> {
    fn is(&self, act: Act, name: &str) -> bool {
        self.0.is_marked(&mark(act, name))
    }
}

/// The line that says that something was done to a group, or to an endpoint as `GROUP/ENDPOINT`.
fn mark(act: Act, name: &str) -> String {
    let what = if name.contains('/') { "endpoint" } else { "group" };
    match act {
        Act::Start | Act::Stop => format!("{what} {name}"),
        Act::Quiesce => format!("quiesced {what} {name}"),
    }
}

/// Does something to a group or an endpoint, and keeps that. False if it is not there, or cannot be done to it.
///
/// # Errors
/// It cannot be kept; nothing has changed then.
pub(crate) fn act(live: &Live, act: Act, name: &str) -> io::Result<bool> {
    if !live.groups.has(name) || (act == Act::Quiesce && !name.contains('/')) {
        return Ok(false);
    }
    for kept in [Act::Stop, Act::Quiesce] {
        live.switches.mark(&mark(kept, name), kept == act)?;
    }
    Ok(live.groups.act(act, name))
}
