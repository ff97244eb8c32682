//! Failures of commands on durable resources, and the conditions that programs get for them.

use program::conditions::{Condition, INVREQ, IOERR, LENGERR, LOCKED, NOSPACE, NOTFND, RECORDBUSY};
use store::ErrorKind;
use wire::Answer;

/// Why something durable could not be read, changed or waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trouble {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
}

/// The abends of tasks that cannot get a lock. They differ by the locked object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LockOf {
    /// A record: AFCF for a deadlock, AFCV when the wait has ended.
    File,
    /// A queue or a name. CICS finds deadlocks on them by the time that they take: AKCS for both.
    Other,
}

impl Trouble {
    /// Nobody is asked to wait, or nobody may.
    pub(crate) fn busy() -> Self {
        Self { kind: ErrorKind::Busy, message: "another task has it".to_owned() }
    }

    pub(crate) fn timed_out(milliseconds: u128) -> Self {
        let message = format!("another task has had it for {milliseconds} ms (lock_wait_max_ms)");
        Self { kind: ErrorKind::TimedOut, message }
    }

    pub(crate) fn disk(message: String) -> Self {
        Self { kind: ErrorKind::Io, message }
    }

    /// The store was lost on the way.
    pub(crate) fn broken(kind: ErrorKind) -> Self {
        Self { kind, message: "the store broke down while it worked for the task".to_owned() }
    }

    /// The answer for the program, if the command has none of its own.
    pub(crate) fn answer(&self, of: LockOf) -> Answer {
        let file = of == LockOf::File;
        let (condition, resp2) = match self.kind {
            ErrorKind::Deadlock => return self.abend(if file { b"AFCF" } else { b"AKCS" }),
            ErrorKind::TimedOut => return self.abend(if file { b"AFCV" } else { b"AKCS" }),
            ErrorKind::Locked => (&LOCKED, 106),
            ErrorKind::NoSpace => (&NOSPACE, 100),
            ErrorKind::NotFound => (&NOTFND, 80),
            ErrorKind::Length => (&LENGERR, 0),
            ErrorKind::Busy => (&RECORDBUSY, 107),
            // Of `Limit`: the unit of work is as large as it may be.
            ErrorKind::Limit | ErrorKind::Misuse => (&INVREQ, 0),
            _ => (&IOERR, 120),
        };
        if condition == &IOERR {
            tracing::error!("{}", self.of_store());
        }
        refused(condition, if file { resp2 } else { 0 })
    }

    /// The text for people who do not know of which store it speaks.
    pub(crate) fn of_store(&self) -> String {
        format!("the region's store: {}", store::without_name(&self.message))
    }

    fn abend(&self, code: &[u8; 4]) -> Answer {
        Answer::Abend { code: *code, message: self.message.clone() }
    }
}

impl From<store::Error> for Trouble {
    fn from(error: store::Error) -> Self {
        Self { kind: error.kind(), message: error.to_string() }
    }
}

/// A condition as an answer.
pub(crate) fn refused(condition: &Condition, resp2: u32) -> Answer {
    Answer::Condition { resp: condition.number, resp2 }
}
