//! The report of a failed task: a failure for its caller, an abend for operators.

use std::time::SystemTime;

use codepage::readable::printable;
use wire::shown;

use crate::region::Failure;
use crate::running::process::{KilledFor, explain};
use crate::running::ready::Running;
use crate::settings::TaskLimits;
use crate::watching::board::{LastAbend, TaskLabel};

/// The failure of a task as the last abend of its program.
pub(crate) fn last_abend(failure: &Failure, task: &TaskLabel) -> LastAbend {
    let (code, message) = match failure {
        Failure::Abend { code, message, .. } => (code.clone(), message.clone()),
        // The code and text for the parent of such a child.
        Failure::TimedOut => ("GTIM".to_owned(), failure.to_string()),
        Failure::OutcomeUnknown(_) => ("GUNK".to_owned(), failure.to_string()),
        Failure::NotBegun(_) => ("GNBG".to_owned(), failure.to_string()),
    };
    let program = match failure {
        Failure::Abend { program, .. } if !program.is_empty() => program.clone(),
        _ => shown(&task.program),
    };
    LastAbend { time: SystemTime::now(), task: task.number, program, code, message }
}

/// The failure of a task whose worker is gone, or is no longer trusted.
pub(crate) async fn lost(running: &mut Running, limits: &TaskLimits, reason: &'static str) -> Failure {
    let program = String::new();
    let status = running.line().status.clone();
    let (code, message) = explain(running.gone().await);
    match status.killed_for() {
        KilledFor::Cpu => {
            let limit = limits.cpu_max.as_millis();
            let message = format!("the task used more than {limit} ms of processor time");
            Failure::Abend { code: "AICA".to_owned(), program, message }
        }
        KilledFor::Wall => Failure::TimedOut,
        KilledFor::Memory => {
            let message = format!("the task took more than {} bytes of memory", limits.memory_max_bytes);
            Failure::Abend { code: "GMEM".to_owned(), program, message }
        }
        KilledFor::Nothing => {
            let code = String::from_utf8_lossy(&code).into_owned();
            Failure::Abend { code, program, message: format!("{reason}: {message}") }
        }
    }
}

/// The failure of a task whose worker has reported an abend.
pub(crate) fn abend(code: &[u8; 4], program: &[u8; 8], message: String) -> Failure {
    Failure::Abend { code: shown(code), program: shown(program), message: for_people(message) }
}

/// The most bytes of a message about an abend, as a worker or another region says it.
const MESSAGE_MAX_BYTES: usize = 2_048;

/// A text of somebody who is not believed, for logs, dumps and operators: cut where it is too long, and without control
/// characters, which could pretend to be lines of the log.
pub(crate) fn for_people(mut text: String) -> String {
    if text.len() > MESSAGE_MAX_BYTES {
        text.truncate(text.floor_char_boundary(MESSAGE_MAX_BYTES));
        text.push_str("...");
    }
    match text.contains(char::is_control) {
        true => printable(&text),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_workers_are_short_and_have_one_line() {
        let message = |text: &str| match abend(b"ABCD", b"PROG    ", text.to_owned()) {
            Failure::Abend { message, .. } => message,
            other => panic!("{other:?}"),
        };
        assert_eq!(message("as it is: \u{fc}"), "as it is: \u{fc}");
        assert_eq!(message("one\n2026-01-01 ERROR two\u{1b}[2J"), "one.2026-01-01 ERROR two.[2J");
        let long = message(&"\u{fc}".repeat(1 << 20));
        assert_eq!(long.len(), MESSAGE_MAX_BYTES + 3);
        assert!(long.ends_with("\u{fc}..."));
    }
}
