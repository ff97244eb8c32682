//! The call of a service within its time.

use std::future::Future;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use api::{Code, Failure};
use service::{Outcome, Payload, Service};

use crate::metrics::ServiceMetrics;

/// Calls the service within its own time and that of the caller.
pub(crate) async fn call(
    (service, metrics): (&Service, &ServiceMetrics),
    caller: Option<service::Caller<'_>>,
    request: Payload,
    time_left: Duration,
) -> Result<Payload, Failure> {
    let time = service.timeout.min(time_left);
    let outcome = match metrics.measure(|| service.call(caller, request, time)) {
        Outcome::Ready(result) => result,
        Outcome::Pending(future) => {
            let mut future = future;
            let measured =
                std::future::poll_fn(|context| metrics.measure_more(|| future.as_mut().poll(context)));
            within(time, measured).await.unwrap_or_else(|| Err(service::Error::timed_out()))
        }
    };
    outcome.map_err(|error| {
        let mut failure = Failure::from_service(&error);
        if failure.code == Code::ProviderTimeout {
            failure.details = Some(format!("the limit is {} ms", time.as_millis()));
        }
        failure
    })
}

/// Waits for something; none if it takes longer. A timer is only made if there is any waiting.
pub(super) async fn within<T>(time: Duration, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let first = std::future::poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await;
    match first {
        Poll::Ready(value) => Some(value),
        Poll::Pending => tokio::time::timeout(time, future).await.ok(),
    }
}
