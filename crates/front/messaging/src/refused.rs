//! Refusals of a queue manager as answers: the status of each reason.

use http::StatusCode;
use message::{Reason, Refusal};

use crate::trouble::{Codes, Trouble};

/// Seconds after which a queue that was full, or a manager that had no room, may take a message.
const RETRY_AFTER_S: u32 = 1;

/// The act that was asked for, and its object: `put to` and a queue.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// Words that go before the name.
    pub verb: &'a str,
    /// The queue or topic.
    pub name: &'a str,
}

impl Attempt<'_> {
    fn shown(&self) -> String {
        let name = crate::trouble::shown(self.name.as_bytes());
        format!("{} '{name}'", self.verb)
    }
}

impl Trouble {
    /// A caller who has no right.
    #[must_use]
    pub fn not_authorized(attempt: Attempt<'_>) -> Self {
        let message = format!("Not authorized to {}.", attempt.shown());
        Self {
            action: "Ask for the right, or use another user.",
            codes: Codes::failed(Reason::NotAuthorized.code()),
            ..Self::new(StatusCode::FORBIDDEN, "MQWB0103E", message)
        }
    }

    /// The answer to a refusal. Its text names queues and limits, and no bytes of messages.
    #[must_use]
    pub fn refused(attempt: Attempt<'_>, refusal: &Refusal) -> Self {
        let reason = refusal.reason;
        if reason == Reason::NotAuthorized {
            return Self::not_authorized(attempt);
        }
        let (status, id, retries) = status(reason);
        let message = format!(
            "Could not {}. The MQ reason code was {} : {}.",
            attempt.shown(),
            reason.code(),
            reason.name()
        );
        let action = match status {
            StatusCode::NOT_FOUND => "Use the name of a queue that is defined.",
            StatusCode::METHOD_NOT_ALLOWED => "Try again when the queue allows it.",
            StatusCode::PAYLOAD_TOO_LARGE => "Send a shorter message, or raise the limit.",
            StatusCode::SERVICE_UNAVAILABLE => "Try again later.",
            _ if refusal.outcome_unknown => "Find out whether it was done before you repeat it.",
            _ => "Look up the reason code.",
        };
        Self {
            action,
            codes: Codes::failed(reason.code()),
            retry_after_s: retries.then_some(RETRY_AFTER_S),
            ..Self::new(status, id, message).because(refusal.text.clone())
        }
    }
}

/// The status of a reason, the identifier of its text, and whether the same request may go well later.
fn status(reason: Reason) -> (StatusCode, &'static str, bool) {
    match reason {
        Reason::ManagerName | Reason::UnknownObjectManager => (StatusCode::NOT_FOUND, "MQWB0009E", false),
        Reason::UnknownObjectName
        | Reason::UnknownAliasBaseQueue
        | Reason::UnknownRemoteManager
        | Reason::QueueDeleted => (StatusCode::NOT_FOUND, "GTY0461W", false),
        Reason::GetInhibited | Reason::PutInhibited => (StatusCode::METHOD_NOT_ALLOWED, "GTY0462W", false),
        Reason::MessageTooBigForQueue
        | Reason::MessageTooBigForManager
        | Reason::SyncpointLimitReached
        | Reason::ConvertedMessageTooBig => (StatusCode::PAYLOAD_TOO_LARGE, "GTY0413W", false),
        Reason::QueueFull
        | Reason::QueueSpaceNotAvailable
        | Reason::StorageNotAvailable
        | Reason::PublicationFailure
        | Reason::PageSetFull
        | Reason::BackedOut
        | Reason::ManagerQuiescing
        | Reason::ManagerStopping
        | Reason::ManagerNotAvailable
        | Reason::HostNotAvailable
        | Reason::ConnectionBroken => (StatusCode::SERVICE_UNAVAILABLE, "GTY0516E", true),
        Reason::ObjectAlreadyExists | Reason::QueueNotEmpty | Reason::ObjectInUse | Reason::ObjectChanged => {
            (StatusCode::CONFLICT, "GTY0460W", false)
        }
        Reason::OptionNotValidForType
        | Reason::QueueType
        | Reason::ObjectType
        | Reason::AliasBaseQueueType
        | Reason::PersistentNotAllowed
        | Reason::PriorityExceedsMaximum
        | Reason::Priority
        | Reason::Expiry
        | Reason::PropertyName
        | Reason::TopicString
        | Reason::Selector
        | Reason::NoSubscription => (StatusCode::BAD_REQUEST, "GTY0460W", false),
        _ => (StatusCode::INTERNAL_SERVER_ERROR, "MQWB0303E", false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_their_status() {
        let attempt = Attempt { verb: "put to", name: "Q1" };
        let trouble = |reason| Trouble::refused(attempt, &Refusal::failed(reason, "Q1: why"));
        for (reason, status) in [
            (Reason::UnknownObjectName, 404),
            (Reason::PutInhibited, 405),
            (Reason::MessageTooBigForQueue, 413),
            (Reason::QueueFull, 503),
            (Reason::NotAuthorized, 403),
            (Reason::Unexpected, 500),
            (Reason::ResourceProblem, 500),
        ] {
            let trouble = trouble(reason);
            assert_eq!(trouble.status.as_u16(), status, "{reason:?}");
            assert_eq!(trouble.codes, Codes::failed(reason.code()));
        }
        let answer = trouble(Reason::QueueFull).answer();
        assert_eq!(answer.headers["retry-after"], "1");
        let text = trouble(Reason::QueueFull).message;
        assert_eq!(text, "Could not put to 'Q1'. The MQ reason code was 2053 : MQRC_Q_FULL.");
        let text = trouble(Reason::NotAuthorized).message;
        assert_eq!(text, "Not authorized to put to 'Q1'.");
        let unknown = Trouble::refused(attempt, &Refusal::unknown("the disk failed"));
        assert!(unknown.action.contains("before you repeat") && unknown.retry_after_s.is_none());
    }
}
