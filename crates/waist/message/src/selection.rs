//! The message of a queue that a caller wants.

use crate::descriptor::Descriptor;
use crate::id::{CorrelationId, MessageId};

/// The ids that a message must have, as far as they are given. Of the messages that fit, the first in the
/// queue's order is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Selection {
    /// The message id, if it matters. Never [`MessageId::NONE`].
    message_id: Option<MessageId>,
    /// The correlation id, if it matters. Never [`CorrelationId::NONE`].
    correlation_id: Option<CorrelationId>,
}

impl Selection {
    /// Any message.
    pub const ANY: Self = Self { message_id: None, correlation_id: None };

    /// Messages with both ids. An id that is all zero matches any, as in IBM MQ.
    #[must_use]
    pub fn new(message_id: MessageId, correlation_id: CorrelationId) -> Self {
        Self {
            message_id: Some(message_id).filter(|id| !id.is_none()),
            correlation_id: Some(correlation_id).filter(|id| !id.is_none()),
        }
    }

    /// The messages with an id; any message if it is all zero.
    #[must_use]
    pub fn by_message_id(id: MessageId) -> Self {
        Self::new(id, CorrelationId::NONE)
    }

    /// The messages with a correlation id; any message if it is all zero.
    #[must_use]
    pub fn by_correlation_id(id: CorrelationId) -> Self {
        Self::new(MessageId::NONE, id)
    }

    /// The message id that is wanted.
    #[must_use]
    pub fn message_id(&self) -> Option<MessageId> {
        self.message_id
    }

    /// The correlation id that is wanted.
    #[must_use]
    pub fn correlation_id(&self) -> Option<CorrelationId> {
        self.correlation_id
    }

    /// True if any message fits.
    #[must_use]
    pub fn is_any(&self) -> bool {
        *self == Self::ANY
    }

    /// True if a message fits.
    #[must_use]
    pub fn fits(&self, descriptor: &Descriptor) -> bool {
        self.fits_ids(descriptor.message_id, descriptor.correlation_id)
    }

    /// True if a message with these ids fits.
    #[must_use]
    pub fn fits_ids(&self, message_id: MessageId, correlation_id: CorrelationId) -> bool {
        self.message_id.is_none_or(|id| id == message_id)
            && self.correlation_id.is_none_or(|id| id == correlation_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_zeros_match_any() {
        let (one, two) = (MessageId([1; 24]), CorrelationId([2; 24]));
        assert!(Selection::new(MessageId::NONE, CorrelationId::NONE).is_any());
        assert!(Selection::by_message_id(one).fits_ids(one, two));
        assert!(!Selection::by_message_id(one).fits_ids(MessageId([3; 24]), two));
        assert!(Selection::new(one, two).fits_ids(one, two));
        assert!(!Selection::new(one, two).fits_ids(one, CorrelationId::NONE));
    }
}
