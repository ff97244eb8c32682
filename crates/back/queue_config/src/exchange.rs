//! One message to a queue and its reply, for code that makes messages itself, such as SOAP over queues.

use std::sync::Arc;
use std::time::Duration;

use message::{ManagerName, Message, NewMessage, QueueName, ReplyTo, Selection};
use service::Error;

use crate::late::LateReplies;
use crate::provider::{put, waiting, with_id};
use crate::running::QueueSlot;

/// Where requests go, and where their replies come.
#[derive(Clone, Debug)]
pub struct QueueExchange {
    slot: Arc<QueueSlot>,
    destination: QueueName,
    manager: Option<ManagerName>,
    replies: Option<QueueName>,
}

impl QueueExchange {
    /// Requests go to `destination`. Replies come to `replies`; without it there are no replies. A named
    /// manager must be that of the process. Replies that come too late go to the dead-letter queue.
    #[must_use]
    pub fn new(
        slot: Arc<QueueSlot>,
        (destination, manager): (QueueName, Option<ManagerName>),
        replies: Option<QueueName>,
    ) -> Self {
        Self { slot, destination, manager, replies }
    }

    /// The queue of requests.
    #[must_use]
    pub fn destination(&self) -> &QueueName {
        &self.destination
    }

    /// Puts a message that nobody replies to. It is over when the message is committed.
    ///
    /// # Errors
    /// The queue manager refuses it, or does not run.
    pub async fn send(&self, message: NewMessage) -> Result<(), Error> {
        let (session, _) = self.slot.found(self.manager.as_ref())?;
        put(session, &self.destination, message)?.await
    }

    /// Puts a request, and waits for the message whose correlation id is the id of the request. None if no
    /// reply came within `wait`.
    ///
    /// # Errors
    /// The queue manager refuses the request or the wait, or does not run; or there is no queue for replies.
    pub async fn ask(&self, mut message: NewMessage, wait: Duration) -> Result<Option<Message>, Error> {
        let (session, left_waits) = self.slot.found(self.manager.as_ref())?;
        let replies = self.replies.as_ref().ok_or_else(|| Error::refused("there is no queue of replies"))?;
        message.reply_to = Some(ReplyTo { queue: replies.clone(), manager: None });
        // The id must be known before the message is put, so that nobody replies before somebody waits.
        let (message, id) = with_id(session, message, None)?;
        let wanted = Selection::by_correlation_id(id.into());
        let (waiter, woken) = waiting(session, replies, &wanted)?;
        let waiter = left_waits.watched(session, replies, (waiter, wanted), LateReplies::DeadLetter);
        let until = tokio::time::Instant::now() + wait;
        let done = match put(session, &self.destination, message) {
            Ok(put) => put.await,
            Err(error) => Err(error),
        };
        if let Err(error) = done {
            // No reply can come.
            waiter.withdraw();
            return Err(error);
        }
        waiter.reply(woken, until).await
    }
}
