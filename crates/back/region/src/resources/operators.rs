//! Messages of programs to operators: all go to the log, and the last ones stay in memory.

use std::collections::VecDeque;
use std::time::SystemTime;

use codepage::readable::{decoded, printable};
use wire::Name;

/// A message to the operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorMessage {
    /// When it was written.
    pub time: SystemTime,
    /// EIBTASKN of the task that has written it.
    pub task: u32,
    /// The transaction.
    pub transaction: Name<4>,
    /// The user of the task.
    pub user: Name<8>,
    /// The text, without control characters.
    pub text: String,
    /// The routing codes.
    pub routes: Vec<u8>,
    /// What the operator should do: descriptor code 2 at once, 3 when there is time, 11 before long; 0 nothing.
    pub action: u8,
}

/// The last messages, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Operators {
    messages: VecDeque<OperatorMessage>,
}

impl Operators {
    /// Logs a message and keeps it, in place of the oldest one if there are too many.
    pub(crate) fn write(&mut self, message: OperatorMessage, most: usize) {
        let transaction = String::from_utf8_lossy(&message.transaction).trim_end().to_owned();
        match message.action {
            0 => tracing::info!(transaction, task = message.task, "{}", message.text),
            action => tracing::warn!(transaction, task = message.task, action, "{}", message.text),
        }
        self.messages.push_back(message);
        while self.messages.len() > most {
            self.messages.pop_front();
        }
    }

    pub(crate) fn messages(&self) -> Vec<OperatorMessage> {
        self.messages.iter().cloned().collect()
    }
}

/// Text of a program for people, without the blanks at its end.
pub(crate) fn told(text: &[u8], ccsid: u16) -> String {
    printable(decoded(text, ccsid).trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_message_goes_first() {
        let mut operators = Operators::default();
        for task in 1..=3 {
            let (transaction, user, routes) = (*b"TRN1", *b"MAUDE   ", vec![1]);
            let (time, text) = (SystemTime::UNIX_EPOCH, "done".to_owned());
            operators.write(OperatorMessage { time, task, transaction, user, text, routes, action: 0 }, 2);
        }
        assert_eq!(operators.messages().iter().map(|message| message.task).collect::<Vec<_>>(), [2, 3]);
    }

    #[test]
    fn control_characters_do_not_reach_the_log() {
        assert_eq!(told(b"A\n\x1b[2J\xE4  ", 819), "A..[2J\u{e4}");
        assert_eq!(told(b"A", 7), "A");
    }
}
