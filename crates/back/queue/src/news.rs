//! What an operator should hear of when a unit of work has committed: messages that went elsewhere, reports that got lost.

use std::fmt;
use std::sync::{Arc, PoisonError};

use message::{MessageId, QueueName, Refusal};

use crate::manager::{Core, Manager};

/// What has happened to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// It could not go where it should, and went to the dead-letter queue.
    Dead {
        /// Its id.
        message: MessageId,
        /// The dead-letter queue.
        queue: QueueName,
        /// Why.
        why: Refusal,
    },
    /// It could not go where it should, and was discarded, as its sender wishes (`MQRO_DISCARD_MSG`).
    Discarded {
        /// Its id.
        message: MessageId,
        /// Why.
        why: Refusal,
    },
    /// It was backed out too often, and went to its queue's backout queue.
    BackedOut {
        /// Its id.
        message: MessageId,
        /// Where it was.
        from: QueueName,
        /// Where it is.
        queue: QueueName,
        /// How often it was backed out.
        count: u32,
    },
    /// A report could go neither to the reply-to queue nor to the dead-letter queue.
    ReportLost {
        /// The message that it was about.
        message: MessageId,
        /// The queue of that message.
        queue: QueueName,
        /// What it told.
        feedback: u32,
        /// Why it could not go to the reply-to queue.
        why: Refusal,
    },
}

/// Who hears of it. It does not block.
pub(crate) type Hearing = Arc<dyn Fn(&News) + Send + Sync>;

impl fmt::Display for News {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dead { message, queue, why } => {
                write!(f, "message {message} went to the dead-letter queue {queue}: {why}")
            }
            Self::Discarded { message, why } => {
                write!(f, "message {message} was discarded, as its report options say: {why}")
            }
            Self::BackedOut { message, from, queue, count } => {
                write!(
                    f,
                    "message {message} was backed out too often ({count}), and went from {from} to {queue}"
                )
            }
            Self::ReportLost { message, queue, feedback, why } => {
                write!(f, "the report {feedback} about message {message} of {queue} is lost: {why}")
            }
        }
    }
}

impl Manager {
    /// Says who hears of messages that go to dead-letter and backout queues, and of lost reports. Nobody does at first.
    pub fn set_hearing(&self, hearing: impl Fn(&News) + Send + Sync + 'static) {
        *self.core.hearing.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(hearing));
    }
}

impl Core {
    /// Tells and counts what a committed unit has to tell. Nothing is locked.
    pub(crate) fn tell(&self, news: &[News]) {
        if news.is_empty() {
            return;
        }
        let hearing = self.hearing.read().unwrap_or_else(PoisonError::into_inner).clone();
        for one in news {
            if let News::ReportLost { queue, .. } = one
                && let Some(queue) = self.queue(queue)
            {
                queue.state().counters.reports_lost += 1;
            }
            if let Some(hearing) = &hearing {
                hearing(one);
            }
        }
    }
}
