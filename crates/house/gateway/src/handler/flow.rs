//! An operation by expressions is driven to its end: its calls are made, side by side where it allows that, in one time.

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

/// A call that is being made.
struct Running<'c> {
    call: usize,
    future: Pin<Box<dyn Future<Output = (Option<Leg>, Sent)> + Send + 'c>>,
}

/// Runs an operation by expressions. Calls that have begun are waited for, even when another has failed, so that it is
/// known what they did.
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
            // The status of the answer is that of a reply, whatever a program says of its own.
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

/// Tells the mappings that failed, also where a response for errors hides it from the caller.
fn tell(exchange: &mut Exchange<'_>, flow: &Flow, failed: &[String]) {
    for cause in failed {
        let (api, operation) = (exchange.api_name().unwrap_or_default(), flow.id());
        let id = exchange.shown_id();
        tracing::warn!(id, api, operation, cause, "a mapping failed");
    }
}

/// Tells what in an answer is other than the contract says, where that is wanted. The answer goes out as it is: whoever
/// writes mappings learns of their faults, and whoever calls is none the worse for it.
fn judge(exchange: &mut Exchange<'_>, flow: &Flow, answer: &Answer) {
    for violation in flow.violations(answer) {
        if let Some(entry) = exchange.operation() {
            entry.target.metrics.broke_contract();
        }
        let (api, operation) = (exchange.api_name().unwrap_or_default(), flow.id());
        let (id, status) = (exchange.shown_id(), answer.status.as_u16());
        let (kind, violation) = (violation.kind, violation.to_string());
        // What comes from a service is shown escaped, so that it cannot make a line of its own.
        tracing::warn!(id, api, operation, status, ?kind, violation, "answer is not as its contract says");
    }
}

/// Waits until one of the calls has ended: its position, and what it came to.
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
    // Random numbers of expressions are no secrets: the time in nanoseconds is enough to tell requests apart.
    Moment { now_ms, seed: now.as_nanos() as u64 }
}
