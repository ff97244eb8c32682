//! The activity of a connection, to tell when it is idle.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

/// The requests of a connection. Bytes alone do not count, because an HTTP/2 client may keep it
/// open with pings.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    begun: AtomicU64,
    running: AtomicU64,
    /// The running requests that wait for the client. Either the body is not complete (counted only
    /// at the admin address), or the client does not take the answer.
    receiving: AtomicU64,
    /// For HTTP/1.1: true if a part of a request has come.
    receives: AtomicBool,
    /// For HTTP/1.1: true if a part of an answer waits for the client.
    sends: AtomicBool,
}

/// Counts of a connection's requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestCounts {
    /// All requests so far.
    pub(crate) begun: u64,
    /// The running requests.
    pub(crate) running: u64,
}

/// A running request.
pub(crate) struct Running(Arc<Activity>);

impl Activity {
    pub(crate) fn begin(self: &Arc<Self>) -> Running {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.running.fetch_add(1, Ordering::Relaxed);
        Running(Arc::clone(self))
    }

    /// The counts of requests.
    pub(crate) fn counts(&self) -> RequestCounts {
        RequestCounts {
            begun: self.begun.load(Ordering::Relaxed),
            running: self.running.load(Ordering::Relaxed),
        }
    }

    /// True if no request runs. A request that is still being received does not count.
    pub(crate) fn is_idle(&self) -> bool {
        self.running.load(Ordering::Relaxed) <= self.receiving.load(Ordering::Relaxed)
    }

    pub(crate) fn receives(&self, receives: bool) {
        self.receives.store(receives, Ordering::Relaxed);
    }

    pub(crate) fn sends(&self, sends: bool) {
        self.sends.store(sends, Ordering::Relaxed);
    }

    /// True if no HTTP/1.1 request runs, and no part of a request or answer is on its way.
    pub(crate) fn is_at_rest(&self) -> bool {
        let none = |flag: &AtomicBool| !flag.load(Ordering::Relaxed);
        self.running.load(Ordering::Relaxed) == 0 && none(&self.receives) && none(&self.sends)
    }

    pub(crate) fn has_no_answer(&self) -> bool {
        self.begun.load(Ordering::Relaxed) == self.running.load(Ordering::Relaxed)
    }

    /// Ends when no request has begun or run for `time`, or up to twice this time, because the
    /// clock is not read for every request. While a request runs there is no timer, so waiting
    /// requests cost nothing. The end of a request does not wake the caller. The caller must poll
    /// this in the task of the requests, after them.
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

/// A request that waits for its client, until this is dropped. It keeps nobody else from a place.
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

/// A request body that calls `end` when its end has come.
pub(crate) struct UntilEnd<B, E> {
    body: B,
    end: E,
    /// A fault of the body is its end, too.
    ends_with_fault: bool,
}

/// A request body that counts as receiving until its end.
pub(crate) fn receiving<B: Body>(body: B, activity: &Arc<Activity>) -> UntilEnd<B, impl FnMut() + Unpin> {
    let mut stuck = (!body.is_end_stream()).then(|| Stuck::new(activity));
    UntilEnd { body, end: move || drop(stuck.take()), ends_with_fault: true }
}

/// A request body. `comes` is true until its end has come, and stays true if the body is dropped before.
pub(crate) fn coming<B: Body>(body: B, comes: &AtomicBool) -> UntilEnd<B, impl FnMut() + Unpin> {
    comes.store(!body.is_end_stream(), Ordering::Relaxed);
    UntilEnd { body, end: || comes.store(false, Ordering::Relaxed), ends_with_fault: false }
}

impl<B: Body<Data = Bytes> + Unpin, E: FnMut() + Unpin> Body for UntilEnd<B, E> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        let is_over = match &frame {
            Poll::Ready(None) => true,
            Poll::Ready(Some(Err(_))) => self.ends_with_fault,
            _ => false,
        };
        if is_over || self.body.is_end_stream() {
            (self.end)();
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

    /// Waits until the time is over, and counts the polls of the future meanwhile; none if the
    /// future has ended.
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
