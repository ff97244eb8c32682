//! What a connection does, to tell when it does nothing.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

/// The requests of a connection: an HTTP/2 client may keep it open with pings alone.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    begun: AtomicU64,
    running: AtomicU64,
    /// Of those that run, the ones that wait for the client: its body did not come to its end (counted on the admin
    /// address only), or it does not take the answer.
    receiving: AtomicU64,
    /// With HTTP/1.1: something of a request came, and not all of it.
    receives: AtomicBool,
    /// With HTTP/1.1: something of an answer waits for the client.
    sends: AtomicBool,
}

/// The requests of a connection, counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestCounts {
    /// All that ever began.
    pub(crate) begun: u64,
    /// Those that run now.
    pub(crate) running: u64,
}

/// A request that runs.
pub(crate) struct Running(Arc<Activity>);

impl Activity {
    pub(crate) fn begin(self: &Arc<Self>) -> Running {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.running.fetch_add(1, Ordering::Relaxed);
        Running(Arc::clone(self))
    }

    /// How many requests there are.
    pub(crate) fn counts(&self) -> RequestCounts {
        RequestCounts {
            begun: self.begun.load(Ordering::Relaxed),
            running: self.running.load(Ordering::Relaxed),
        }
    }

    /// Nothing runs here; what only receives its request does not run.
    pub(crate) fn is_idle(&self) -> bool {
        self.running.load(Ordering::Relaxed) <= self.receiving.load(Ordering::Relaxed)
    }

    pub(crate) fn receives(&self, receives: bool) {
        self.receives.store(receives, Ordering::Relaxed);
    }

    pub(crate) fn sends(&self, sends: bool) {
        self.sends.store(sends, Ordering::Relaxed);
    }

    /// No request of HTTP/1.1 runs, and nothing of one is on its way.
    pub(crate) fn is_at_rest(&self) -> bool {
        let none = |flag: &AtomicBool| !flag.load(Ordering::Relaxed);
        self.running.load(Ordering::Relaxed) == 0 && none(&self.receives) && none(&self.sends)
    }

    pub(crate) fn has_no_answer(&self) -> bool {
        self.begun.load(Ordering::Relaxed) == self.running.load(Ordering::Relaxed)
    }

    /// Ends when no request has begun or run for the time, or for up to twice the time: the clock is not read for
    /// every request. While a request runs there is no timer, so that many requests that wait cost nothing. Nothing wakes
    /// the caller when a request ends: it polls this in the task that runs the requests, after them.
    pub(crate) async fn idle(&self, time: Duration) {
        loop {
            let nothing_runs = |_: &mut Context<'_>| match self.running.load(Ordering::Relaxed) {
                0 => Poll::Ready(()),
                _ => Poll::Pending,
            };
            std::future::poll_fn(nothing_runs).await;
            let before = self.begun.load(Ordering::Relaxed);
            tokio::time::sleep(time).await;
            if self.running.load(Ordering::Relaxed) == 0 && self.begun.load(Ordering::Relaxed) == before {
                return;
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A request whose answer waits for its client, which keeps nobody else from a place.
pub(crate) struct Stuck(Arc<Activity>);

impl Stuck {
    pub(crate) fn new(activity: &Arc<Activity>) -> Self {
        activity.receiving.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(activity))
    }
}

impl Drop for Stuck {
    fn drop(&mut self) {
        self.0.receiving.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A request body that tells while it has not come to its end.
pub(crate) struct Receiving<B> {
    body: B,
    activity: Option<Arc<Activity>>,
}

impl<B: Body> Receiving<B> {
    pub(crate) fn new(body: B, activity: &Arc<Activity>) -> Self {
        let activity = (!body.is_end_stream()).then(|| Arc::clone(activity));
        if let Some(activity) = &activity {
            activity.receiving.fetch_add(1, Ordering::Relaxed);
        }
        Self { body, activity }
    }
}

impl<B> Receiving<B> {
    fn ended(&mut self) {
        if let Some(activity) = self.activity.take() {
            activity.receiving.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl<B> Drop for Receiving<B> {
    fn drop(&mut self) {
        self.ended();
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Receiving<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if matches!(frame, Poll::Ready(None | Some(Err(_)))) || self.body.is_end_stream() {
            self.ended();
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use super::*;

    /// Waits until the time is over, and says how often the future was polled meanwhile; none if it has ended.
    async fn polls(mut future: Pin<&mut impl Future<Output = ()>>, time: Duration) -> Option<usize> {
        let mut polls = 0;
        let mut counted = pin!(std::future::poll_fn(|context| {
            polls += 1;
            future.as_mut().poll(context)
        }));
        let is_over = tokio::select! {
            biased;
            () = tokio::time::sleep(time) => true,
            () = counted.as_mut() => false,
        };
        is_over.then_some(polls)
    }

    #[tokio::test]
    async fn a_request_that_waits_needs_no_timer() {
        let activity = Arc::new(Activity::default());
        let running = activity.begin();
        let mut idle = pin!(activity.idle(Duration::from_millis(1)));
        assert_eq!(polls(idle.as_mut(), Duration::from_millis(50)).await, Some(1));
        drop(running);
        assert_eq!(polls(idle, Duration::from_mins(1)).await, None);
    }
}
