//! Calls of the Message Queue Interface, as IBM MQ answers them to programs under CICS.

use wire::{MessageAnswer, MessageAsk};

use crate::work::Work;

/// MQRC-ENVIRONMENT-ERROR: MQCMIT and MQBACK are for programs that no other coordinator serves.
const ENVIRONMENT_ERROR: i32 = 2012;
/// MQRC-ADAPTER-NOT-AVAILABLE: the region has no queue manager.
const ADAPTER_NOT_AVAILABLE: i32 = 2204;

impl Work {
    /// Carries out a call. A call that fails is an answer too.
    pub(crate) async fn message(&mut self, ask: MessageAsk) -> MessageAnswer {
        match ask {
            MessageAsk::Commit | MessageAsk::BackOut => MessageAnswer::failed(ENVIRONMENT_ERROR),
            _ => MessageAnswer::failed(ADAPTER_NOT_AVAILABLE),
        }
    }
}
