//! Runs an operation by expressions to its end. Its calls share one time limit, and run side by
//! side where possible.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use api::{Answer, Flow, Moment, Ready};
use failure::Failure;
use service::CallContext;

use super::call::{Sending, Sent};
use super::exchange::{Exchange, caller};
use super::rest::Mapping;
use recording::traces::Leg;

/// A running call.
struct Running<'c> {
    call: usize,
    future: Pin<Box<dyn Future<Output = (Option<Leg>, Sent)> + Send + 'c>>,
}

/// Runs an operation by expressions. It waits for begun calls even when another call has failed, so
/// that their outcome is known.
pub(super) async fn drive(
    exchange: &mut Exchange<'_>,
    flow: &Flow,
    mapping: &Mapping<'_>,
) -> Result<Answer, Failure> {
    let Mapping { target, request, told } = mapping;
    let identity = exchange.identity.clone();
    let values = exchange.request_mapping(|| flow.values(request, caller(identity.as_deref())))?;
    let deadline = Instant::now() + flow.timeout();
    let mut run = flow.begin(values, moment());
    let mut ended = Vec::new();
    {
        let mut running: Vec<Running<'_>> = Vec::new();
        let from = &*exchange;
        loop {
            for Ready { call: position, request } in run.ready() {
                let callee = &target.callees[position];
                let time_left = deadline.saturating_duration_since(Instant::now());
                let sending = Sending { request, timed: from.arrival.gateway.watch.times };
                let leg = from.leg();
                let future = Box::pin(async move {
                    let context = CallContext { time_left, ..from.context(*told, leg.as_ref()) };
                    let sent = callee.counted().call(context, sending).await;
                    (leg, sent)
                });
                running.push(Running { call: position, future });
            }
            if running.is_empty() {
                break;
            }
            let (position, (leg, sent)) = first(&mut running).await;
            let Running { call, .. } = running.swap_remove(position);
            ended.push((call, leg, sent.noted()));
            // The status of a reply counts, not a status that a program sets.
            run.ended(call, sent.result.map(|payload| payload.apart().0));
        }
    }
    for (call, leg, noted) in ended {
        exchange.note_call(call, leg, noted);
    }
    let (answer, failed) = exchange.response_mapping(|| run.answer());
    tell(exchange, flow, &failed);
    let answer = answer?;
    judge(exchange, flow, &answer);
    Ok(answer)
}

/// Logs failed mappings, even if an error response hides the failure from the caller.
fn tell(exchange: &mut Exchange<'_>, flow: &Flow, failed: &[String]) {
    for cause in failed {
        let (api, operation) = (exchange.api_name().unwrap_or_default(), flow.id());
        let id = exchange.shown_id();
        tracing::warn!(id, api, operation, cause, "a mapping failed");
    }
}

/// Logs differences between an answer and its contract, where this is wanted. The answer goes out
/// unchanged. Authors of mappings learn of their faults, and callers suffer no harm.
fn judge(exchange: &mut Exchange<'_>, flow: &Flow, answer: &Answer) {
    for violation in flow.violations(answer) {
        if let Some(entry) = exchange.operation() {
            entry.target.metrics.broke_contract();
        }
        let (api, operation) = (exchange.api_name().unwrap_or_default(), flow.id());
        let (id, status) = (exchange.shown_id(), answer.status.as_u16());
        let (kind, violation) = (violation.kind, violation.to_string());
        // Texts of services are shown escaped, so that they cannot forge log lines.
        tracing::warn!(id, api, operation, status, ?kind, violation, "answer is not as its contract says");
    }
}

/// Waits until one of the calls has ended. Gives its position and its result.
async fn first(running: &mut [Running<'_>]) -> (usize, (Option<Leg>, Sent)) {
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
    // Random numbers of expressions are not secret. The time in nanoseconds is enough to
    // distinguish requests.
    Moment { now_ms, seed: now.as_nanos() as u64 }
}
