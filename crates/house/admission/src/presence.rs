//! Whether the client of a connection is still there.
//!
//! A client may close its side after its last request and still get the answers. So its request
//! runs on. But a request that waits to take something away must not go on after its client has
//! left, because nobody would get the result. While such a request asks, the connection checks
//! whether its client has gone.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::task::{Poll, Waker};

/// The connection's knowledge about its client. HTTP/1.1 has one request at a time, so only one
/// asks.
#[derive(Debug, Default)]
pub struct Presence {
    asked: AtomicBool,
    gone: AtomicBool,
    asking: Mutex<Option<Waker>>,
}

/// A clone starts anew, with no question and no answer.
impl Clone for Presence {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Presence {
    /// Ends when the client has gone, or never. With HTTP/2 it never ends, because a waiting
    /// request is dropped instead.
    pub async fn gone(&self) {
        // The question ends with the wait.
        let _asking = Asking(self);
        poll_fn(|context| {
            *self.waker() = Some(context.waker().clone());
            self.asked.store(true, Ordering::Release);
            if self.gone.load(Ordering::Acquire) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Whether a request asks.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Tells the asking request that the client has gone.
    pub fn set_gone(&self) {
        self.gone.store(true, Ordering::Release);
        if let Some(waker) = self.waker().take() {
            waker.wake();
        }
    }

    fn waker(&self) -> std::sync::MutexGuard<'_, Option<Waker>> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Asking<'p>(&'p Presence);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.asked.store(false, Ordering::Release);
        *self.0.waker() = None;
    }
}

#[cfg(test)]
mod tests {
    use std::task::Context;

    use super::*;

    #[test]
    fn whoever_asks_learns_that_the_client_is_gone() {
        let presence = Presence::default();
        assert!(!presence.is_asked());
        let mut context = Context::from_waker(Waker::noop());
        let mut gone = Box::pin(presence.gone());
        assert!(gone.as_mut().poll(&mut context).is_pending() && presence.is_asked());
        presence.set_gone();
        assert!(gone.as_mut().poll(&mut context).is_ready());
        drop(gone);
        assert!(!presence.is_asked());
    }
}
