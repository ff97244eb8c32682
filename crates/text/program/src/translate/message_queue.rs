//! Calls of the Message Queue Interface that the worker does not provide. Only a program with the same name
//! could answer them.

use copybook::{Severity, TokenKind};

use super::Translator;
use super::codes;
use super::units::Region;

/// The calls that the worker does not provide; [`reachable`](crate::reachable) has the others.
const CALLS: &[&str] = &["MQBEGIN", "MQBUFMH", "MQCB", "MQCTL", "MQMHBUF", "MQSTAT"];

/// True for a call of the Message Queue Interface that is not provided.
pub(super) fn is_message_queue(name: &str) -> bool {
    CALLS.iter().any(|known| known.eq_ignore_ascii_case(name.trim_end()))
}

impl Translator<'_> {
    /// Warns of each of them, at its line. When it runs, the missing program ends the task.
    pub(super) fn warn_of_message_queues(&mut self, regions: &[Region]) {
        for (at, region) in regions.iter().enumerate() {
            let [call, name, ..] = &self.tokens[at..] else { return };
            let TokenKind::Text(text) = &name.kind else { continue };
            if matches!(region, Region::Code(_)) && call.is("CALL") && is_message_queue(text) {
                let message =
                    format!("CALL '{}' is not among the calls of IBM MQ that Gantry has", text.trim_end());
                let help = "unless a program of that name is given, the call ends the task with abend 4038";
                self.report(
                    codes::MESSAGE_QUEUE,
                    at..at + 2,
                    (message, Some(help.to_owned())),
                    Severity::Warning,
                );
            }
        }
    }
}
