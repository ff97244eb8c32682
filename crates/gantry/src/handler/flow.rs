//! An operation by expressions is driven to its end: its calls are made, side by side where it allows that, in one time.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use api::{Answer, Failure, Flow, Inputs, Moment, Ready};
use service::Payload;

use super::call::call;
use crate::gateway::Target;
use crate::security::Admitted;

/// A call that is being made.
struct Running<'c> {
    call: usize,
    future: Pin<Box<dyn Future<Output = Result<Payload, Failure>> + Send + 'c>>,
}

/// Runs an operation by expressions. Calls that have begun are waited for, even when another has failed, so that it is
/// known what they did.
pub(super) async fn drive(
    target: &Target,
    flow: &Flow,
    request: &Inputs<'_>,
    admitted: &Admitted<'_>,
) -> Result<Answer, Failure> {
    let caller = admitted.caller();
    let values = flow.values(request, caller)?;
    let deadline = Instant::now() + flow.timeout();
    let mut run = flow.begin(values, moment());
    let mut running: Vec<Running<'_>> = Vec::new();
    loop {
        for Ready { call: position, request } in run.ready() {
            let callee = &target.callees[position];
            let left = deadline.saturating_duration_since(Instant::now());
            let future = call((&*callee.service, &callee.metrics), caller, request, left);
            running.push(Running { call: position, future: Box::pin(future) });
        }
        if running.is_empty() {
            return run.answer();
        }
        let (position, result) = first(&mut running).await;
        let Running { call, .. } = running.swap_remove(position);
        run.ended(call, result);
    }
}

/// Waits until one of the calls has ended: its position, and what it came to.
async fn first(running: &mut [Running<'_>]) -> (usize, Result<Payload, Failure>) {
    poll_fn(|context| {
        let mut calls = running.iter_mut().enumerate();
        let ended = calls.find_map(|(position, running)| match running.future.as_mut().poll(context) {
            Poll::Ready(result) => Some((position, result)),
            Poll::Pending => None,
        });
        ended.map_or(Poll::Pending, Poll::Ready)
    })
    .await
}

/// The time of a request, for its expressions.
fn moment() -> Moment {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now_ms = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
    // Random numbers of expressions are no secrets: the time in nanoseconds is enough to tell requests apart.
    Moment { now_ms, seed: now.as_nanos() as u64 }
}
