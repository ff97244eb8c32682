//! News for operators after the commit of a unit of work: messages that went to other queues, and
//! lost reports.

use std::fmt;
use std::sync::{Arc, PoisonError};

use message::{MessageId, QueueName, Refusal};

use crate::manager::{Core, Manager};

/// An event of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// It could not reach its queue, and went to the dead-letter queue.
    Dead {
        /// Its id.
        message: MessageId,
        /// The dead-letter queue.
        queue: QueueName,
        /// Why.
        why: Refusal,
    },
    /// It could not reach its queue. It was discarded, as its sender wishes (`MQRO_DISCARD_MSG`).
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
        /// Its old queue.
        from: QueueName,
        /// Its new queue.
        queue: QueueName,
        /// The number of its backouts.
        count: u32,
    },
    /// A report could go neither to the reply-to queue nor to the dead-letter queue.
    ReportLost {
        /// The message of the report.
        message: MessageId,
        /// The queue of that message.
        queue: QueueName,
        /// The feedback of the report.
        feedback: u32,
        /// Why the reply-to queue could not take it.
        why: Refusal,
    },
}

/// Hears the news. It does not block.
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
    /// Sets the function to call for messages on dead-letter and backout queues, and for lost
    /// reports. There is none at first.
    pub fn set_hearing(&self, hearing: impl Fn(&News) + Send + Sync + 'static) {
        *self.core.hearing.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(hearing));
    }
}

impl Core {
    /// Counts and passes on the news of a committed unit. The caller holds no lock.
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
