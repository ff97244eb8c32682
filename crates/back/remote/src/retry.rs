//! When a request is sent again, and how long it waits before that.

use std::time::Duration;

use http::StatusCode;
use http::header::{HeaderMap, RETRY_AFTER};
use waiting::Pauses;

use crate::error::{Error, ErrorKind};

/// How often and how soon requests are sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    /// How many times more a request may be sent; 0 for never.
    pub retries_max: u32,
    /// The wait before the first of them; each further one waits twice as long.
    pub backoff: Duration,
    /// The longest wait.
    pub backoff_max: Duration,
    /// Statuses that mean that a later try may succeed, for requests that may be sent twice.
    pub statuses: Vec<StatusCode>,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            retries_max: 2,
            backoff: Duration::from_millis(50),
            backoff_max: Duration::from_secs(2),
            statuses: vec![
                StatusCode::BAD_GATEWAY,
                StatusCode::SERVICE_UNAVAILABLE,
                StatusCode::GATEWAY_TIMEOUT,
            ],
        }
    }
}

impl Retry {
    /// True if the request may be sent again after this failure. It may if it was certainly not carried out.
    /// Otherwise only if a second run does no harm.
    pub(crate) fn after_error(&self, error: &Error, idempotent: bool) -> bool {
        match error.kind {
            ErrorKind::Full | ErrorKind::NoToken | ErrorKind::Unsendable | ErrorKind::TooLarge => false,
            ErrorKind::Unreachable | ErrorKind::TimedOut | ErrorKind::Broken => {
                error.retry_is_safe || idempotent
            }
        }
    }

    /// True if a request that was answered so may be sent again.
    pub(crate) fn after_status(&self, status: StatusCode, idempotent: bool) -> bool {
        idempotent && self.statuses.contains(&status)
    }

    /// The wait before the retry of this number, from 0: between half of its longest and its longest, by `random`,
    /// so that callers who failed together do not come back together.
    pub(crate) fn wait(&self, number: u32, random: u32) -> Duration {
        Pauses { first: self.backoff, longest: self.backoff_max }.pause(number, random)
    }
}

/// The time that an answer asks to wait (RFC 9110, section 10.2.3); dates are passed over.
pub(crate) fn asked_wait(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_end() {
        let retry = Retry::default();
        assert_eq!(retry.wait(0, 0), Duration::from_millis(25));
        assert_eq!(retry.wait(0, u32::MAX), Duration::from_millis(50));
        assert_eq!(retry.wait(2, u32::MAX), Duration::from_millis(200));
        assert_eq!(retry.wait(90, u32::MAX), Duration::from_secs(2));
    }

    #[test]
    fn only_what_does_no_harm_is_sent_again() {
        let retry = Retry::default();
        let broken = Error::sent(ErrorKind::Broken, "");
        assert!(retry.after_error(&broken, true) && !retry.after_error(&broken, false));
        let unsent = Error::unsent(ErrorKind::Unreachable, "");
        assert!(retry.after_error(&unsent, false));
        assert!(!retry.after_error(&Error::unsent(ErrorKind::Full, ""), true));
        assert!(retry.after_status(StatusCode::SERVICE_UNAVAILABLE, true));
        assert!(!retry.after_status(StatusCode::SERVICE_UNAVAILABLE, false));
        assert!(!retry.after_status(StatusCode::INTERNAL_SERVER_ERROR, true));
    }
}
