//! The call of a service within its time limit.

use std::future::Future;
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use failure::{Code, Failure};
use service::{CallContext, Outcome, Payload, Service};

use metrics::ServiceMetrics;

/// A provider that gets the time left may end a call so long before it is over.
const LIMIT_SLACK: Duration = Duration::from_millis(50);

/// A request to a service.
pub(crate) struct Sending {
    pub(crate) request: Payload,
    /// True if the time of the call is wanted.
    pub(crate) timed: bool,
}

/// The result of a call.
pub(crate) struct Sent {
    pub(crate) result: Result<Payload, Failure>,
    /// The begin and the end of the call, if wanted.
    times: Option<(Instant, Instant)>,
}

/// An ended call, for metrics and records.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noted {
    pub(super) times: Option<(Instant, Instant)>,
    pub(super) failure: Option<Code>,
}

impl Sent {
    pub(super) fn noted(&self) -> Noted {
        Noted { times: self.times, failure: self.result.as_ref().err().map(|failure| failure.code) }
    }
}

/// A service, with the metrics of its calls.
#[derive(Clone, Copy)]
pub(crate) struct CountedService<'s> {
    pub(crate) service: &'s Service,
    pub(crate) metrics: &'s ServiceMetrics,
}

impl CountedService<'_> {
    /// Calls the service within its own time limit and the caller's, and counts the call.
    pub(super) async fn call(self, context: CallContext<'_>, sending: Sending) -> Sent {
        let Self { service, metrics } = self;
        let Sending { request, timed } = sending;
        let time = service.time_for(&context);
        let begun = timed.then(Instant::now);
        let mut deadline = None;
        let outcome = match metrics.measure(|| service.call(context, request)) {
            Outcome::Ready(result) => result,
            Outcome::Pending(future) => {
                let mut future = future;
                let measured =
                    std::future::poll_fn(|context| metrics.measure_more(|| future.as_mut().poll(context)));
                deadline = Instant::now().checked_add(time);
                within(time, measured).await.unwrap_or_else(|| Err(service::Error::timed_out()))
            }
        };
        metrics.ended(outcome.as_ref().is_err_and(|error| is_refused(error.kind)));
        let times = begun.map(|begun| (begun, Instant::now()));
        if let Some((begun, ended)) = times {
            metrics.took(ended - begun);
        }
        let result = outcome.map_err(|error| {
            metrics.failed();
            let mut failure = Failure::from_service(&error);
            if failure.code == Code::ProviderTimeout {
                failure.details = Some(match error.kind {
                    // The provider ended the call, perhaps by a shorter limit of its own. The log has it.
                    service::ErrorKind::TimedOutSent => "the request was sent".to_owned(),
                    service::ErrorKind::TimedOutUnsent => "the request was not sent".to_owned(),
                    _ if deadline.is_some_and(|deadline| Instant::now() + LIMIT_SLACK < deadline) => {
                        "the provider has a shorter limit".to_owned()
                    }
                    _ => format!("the limit is {} ms", time.as_millis()),
                });
            }
            failure
        });
        Sent { result, times }
    }
}

/// True if the provider did not take the request.
fn is_refused(kind: service::ErrorKind) -> bool {
    use service::ErrorKind::{NobodyWell, QueueFull, Refused, Stopped, TooMany, Unframeable};
    matches!(kind, Refused | Stopped | QueueFull | TooMany | NobodyWell | Unframeable)
}

/// Waits for a future; none if it takes longer than `time`. It makes a timer only if there is any
/// waiting.
pub(super) async fn within<T>(time: Duration, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let first = std::future::poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await;
    match first {
        Poll::Ready(value) => Some(value),
        Poll::Pending => tokio::time::timeout(time, future).await.ok(),
    }
}
