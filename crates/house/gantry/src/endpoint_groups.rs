//! Operators' commands to endpoint groups. They are kept together with the stopped objects.

use std::io;

use connector::{Act, Marks};
use switches::Switches;

use crate::live::Live;

/// The commands that outlive the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marked<'s>(pub(crate) &'s Switches);

impl Marks for Marked<'_> {
    fn is(&self, act: Act, name: &str) -> bool {
        self.0.is_marked(&mark(act, name))
    }
}

/// The line for a command to a group, or to an endpoint as `GROUP/ENDPOINT`.
fn mark(act: Act, name: &str) -> String {
    let what = if name.contains('/') { "endpoint" } else { "group" };
    match act {
        Act::Start | Act::Stop => format!("{what} {name}"),
        Act::Quiesce => format!("quiesced {what} {name}"),
    }
}

/// Carries out a command for a group or an endpoint, and keeps it. False if the object does not
/// exist, or if the command does not apply to it.
///
/// # Errors
/// The command cannot be kept. Then nothing has changed.
pub(crate) fn act(live: &Live, act: Act, name: &str) -> io::Result<bool> {
    if !live.groups.has(name) || (act == Act::Quiesce && !name.contains('/')) {
        return Ok(false);
    }
    for kept in [Act::Stop, Act::Quiesce] {
        live.switches.mark(&mark(kept, name), kept == act)?;
    }
    Ok(live.groups.act(act, name))
}
