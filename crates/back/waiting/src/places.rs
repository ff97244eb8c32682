//! Places for calls that run at one time. A limited number of calls may wait for a place.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use tokio::sync::{Semaphore, SemaphorePermit};

/// Places for calls. The longest wait gets the next place.
#[derive(Debug)]
pub struct Places {
    free: Semaphore,
    at_once: usize,
    waiting: AtomicUsize,
    waiting_max: usize,
}

/// A place. Its drop frees it.
#[derive(Debug)]
pub struct Place<'p> {
    _permit: SemaphorePermit<'p>,
}

/// Why there was no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPlace {
    /// Too many calls wait already.
    Crowded,
    /// No place became free in time.
    Late,
}

impl Places {
    /// Makes places. `at_once` calls may run, and `waiting_max` may wait.
    #[must_use]
    pub fn new(at_once: usize, waiting_max: usize) -> Self {
        let at_once = at_once.min(Semaphore::MAX_PERMITS);
        Self { free: Semaphore::new(at_once), at_once, waiting: AtomicUsize::new(0), waiting_max }
    }

    /// Places that are in use.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.at_once - self.free.available_permits()
    }

    /// A place, if one is free and no call waits.
    #[must_use]
    pub fn free_place(&self) -> Option<Place<'_>> {
        self.free.try_acquire().ok().map(|permit| Place { _permit: permit })
    }

    /// Waits for a place until a deadline.
    ///
    /// # Errors
    /// Too many calls wait already (at once), or no place became free in time.
    pub async fn wait(&self, until: Instant) -> Result<Place<'_>, NoPlace> {
        let _waiting = Waiting::begin(&self.waiting, self.waiting_max).ok_or(NoPlace::Crowded)?;
        match tokio::time::timeout_at(until.into(), self.free.acquire()).await {
            Ok(Ok(permit)) => Ok(Place { _permit: permit }),
            _ => Err(NoPlace::Late),
        }
    }
}

/// Counts a waiting call until it is dropped.
struct Waiting<'c>(&'c AtomicUsize);

impl<'c> Waiting<'c> {
    fn begin(count: &'c AtomicUsize, most: usize) -> Option<Self> {
        let more = |waiting: usize| (waiting < most).then_some(waiting + 1);
        count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Self(count))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn places_and_those_who_wait_have_a_limit() {
        let places = Places::new(1, 1);
        let first = places.free_place().expect("a place");
        assert!(places.free_place().is_none());
        assert_eq!(places.taken(), 1);
        let until = || Instant::now() + Duration::from_secs(3_600);
        let (second, third) = tokio::join!(places.wait(until()), async {
            let third = places.wait(until()).await.map(|_| ());
            drop(first);
            third
        });
        assert_eq!(third, Err(NoPlace::Crowded));
        let second = second.expect("the place that became free");
        let late = places.wait(Instant::now()).await;
        assert_eq!(late.map(|_| ()), Err(NoPlace::Late));
        drop(second);
        assert_eq!(places.taken(), 0);
        assert!(places.free_place().is_some());
    }
}
