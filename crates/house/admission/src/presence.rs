//! Whether the client of a connection is still there.
//!
//! A client that has sent all that it will send still gets its answers, so a request runs on when its client has closed its
//! side. A request that waits for something that it takes away must not: nobody would get it. While such a request asks,
//! the connection looks whether its client is gone.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::task::{Poll, Waker};

/// What a connection knows of its client. HTTP/1.1 has one request at a time, so one asks at a time.
#[derive(Debug, Default)]
pub struct Presence {
    asked: AtomicBool,
    gone: AtomicBool,
    asking: Mutex<Option<Waker>>,
}

/// A connection that is looked at again makes a presence of its own.
impl Clone for Presence {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Presence {
    /// Ends when the client is gone, or never. With HTTP/2 it never ends: whoever waits there is dropped instead.
    pub async fn gone(&self) {
        // Whoever no longer waits no longer asks.
        let _asking = Asking(self);
        poll_fn(|context| {
            *self.waker() = Some(context.waker().clone());
            self.asked.store(true, Ordering::Release);
            if self.gone.load(Ordering::Acquire) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Whether somebody asks.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Tells whoever asks that the client is gone.
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
