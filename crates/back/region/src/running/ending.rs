//! The report of a failed task: a failure for its caller, an abend for operators.

use std::time::SystemTime;

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
    Failure::Abend { code: shown(code), program: shown(program), message }
}
