//! The workers that have nothing to do, and the tasks that wait for one, in the order in which they came.
//!
//! A task that is waited for at the bell takes an idle worker at once, before the waiting tasks. It gives the
//! worker back before any of them on its thread can look. Otherwise one moment with all workers busy would
//! make all later callers wait, as long as there are more callers than workers. Each call would cost two more
//! turns of the runtime. Overtaken tasks keep their places in the queue.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// The idle workers of a pool.
#[derive(Debug)]
pub(crate) struct IdleWorkers<W>(Mutex<Inner<W>>);

#[derive(Debug)]
struct Inner<W> {
    workers: Vec<W>,
    /// Oldest first.
    waiting: VecDeque<Waiting>,
    last_ticket: u64,
    is_stopped: bool,
}

#[derive(Debug)]
struct Waiting {
    ticket: u64,
    waker: Waker,
    /// It was woken for a worker, and has not looked since.
    is_woken: bool,
}

/// Whether a task may overtake waiting tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Haste {
    /// It gives its worker back at once.
    Quick,
    /// It may keep its worker for a while.
    Slow,
}

impl<W> Default for IdleWorkers<W> {
    fn default() -> Self {
        Self(Mutex::new(Inner {
            workers: Vec::new(),
            waiting: VecDeque::new(),
            last_ticket: 0,
            is_stopped: false,
        }))
    }
}

impl<W> IdleWorkers<W> {
    fn locked(&self) -> MutexGuard<'_, Inner<W>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A worker, if there is one for this task now.
    pub(crate) fn take(&self, haste: Haste) -> Option<W> {
        let mut inner = self.locked();
        match haste == Haste::Quick || inner.waiting.is_empty() {
            true => inner.workers.pop(),
            false => None,
        }
    }

    /// A worker, as soon as there is one. None if the pool is stopped.
    pub(crate) fn wait(&self) -> Wait<'_, W> {
        Wait { idle: self, ticket: None }
    }

    /// A worker is idle.
    pub(crate) fn put(&self, worker: W) {
        let mut inner = self.locked();
        inner.workers.push(worker);
        let next = inner.next_to_wake();
        drop(inner);
        if let Some(waker) = next {
            waker.wake();
        }
    }

    /// Takes a certain worker out.
    pub(crate) fn take_out(&self, is_meant: impl Fn(&W) -> bool) -> Option<W> {
        let mut inner = self.locked();
        let place = inner.workers.iter().position(is_meant)?;
        Some(inner.workers.swap_remove(place))
    }

    /// Wakes all waiting tasks, which get no worker.
    pub(crate) fn stop(&self) {
        let mut inner = self.locked();
        inner.is_stopped = true;
        let wakers: Vec<Waker> = inner.waiting.iter().map(|waiting| waiting.waker.clone()).collect();
        drop(inner);
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl<W> Inner<W> {
    /// The next task to wake for a worker.
    fn next_to_wake(&mut self) -> Option<Waker> {
        let next = self.waiting.iter_mut().find(|waiting| !waiting.is_woken)?;
        next.is_woken = true;
        Some(next.waker.clone())
    }

    fn place_of(&self, ticket: u64) -> Option<usize> {
        self.waiting.iter().position(|waiting| waiting.ticket == ticket)
    }
}

/// A task that waits for a worker; dropped, it has left the queue.
#[derive(Debug)]
pub(crate) struct Wait<'i, W> {
    idle: &'i IdleWorkers<W>,
    /// None while it is not in the queue.
    ticket: Option<u64>,
}

impl<W> Future for Wait<'_, W> {
    type Output = Option<W>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<W>> {
        let mut inner = self.idle.locked();
        let place = self.ticket.and_then(|ticket| inner.place_of(ticket));
        // Those before it have the first workers.
        let before = place.unwrap_or(inner.waiting.len());
        if inner.is_stopped || before < inner.workers.len() {
            if let Some(place) = place {
                inner.waiting.remove(place);
            }
            let worker = if inner.is_stopped { None } else { inner.workers.pop() };
            drop(inner);
            self.ticket = None;
            return Poll::Ready(worker);
        }
        match place {
            Some(place) => {
                let waiting = &mut inner.waiting[place];
                waiting.is_woken = false;
                waiting.waker.clone_from(context.waker());
            }
            None => {
                inner.last_ticket += 1;
                let ticket = inner.last_ticket;
                inner.waiting.push_back(Waiting { ticket, waker: context.waker().clone(), is_woken: false });
                drop(inner);
                self.ticket = Some(ticket);
            }
        }
        Poll::Pending
    }
}

impl<W> Drop for Wait<'_, W> {
    fn drop(&mut self) {
        let Some(ticket) = self.ticket else { return };
        let mut inner = self.idle.locked();
        let Some(place) = inner.place_of(ticket) else { return };
        let left = inner.waiting.remove(place);
        // The worker that it was woken for goes to the next task.
        let next = left.filter(|left| left.is_woken).and_then(|_| inner.next_to_wake());
        drop(inner);
        if let Some(waker) = next {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts how often it is woken.
    #[derive(Default)]
    struct Alarm(AtomicUsize);

    impl std::task::Wake for Alarm {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A waiting task.
    struct Waiter<'i> {
        wait: Pin<Box<Wait<'i, u32>>>,
        alarm: Arc<Alarm>,
    }

    impl<'i> Waiter<'i> {
        fn new(idle: &'i IdleWorkers<u32>) -> Self {
            Self { wait: Box::pin(idle.wait()), alarm: Arc::default() }
        }

        fn look(&mut self) -> Poll<Option<u32>> {
            self.wait.as_mut().poll(&mut Context::from_waker(&Waker::from(self.alarm.clone())))
        }

        fn woken(&self) -> usize {
            self.alarm.0.swap(0, Ordering::Relaxed)
        }
    }

    #[test]
    fn workers_go_to_those_who_wait_in_their_order() {
        let idle = IdleWorkers::default();
        let (mut first, mut second) = (Waiter::new(&idle), Waiter::new(&idle));
        assert!(first.look().is_pending() && second.look().is_pending());
        idle.put(1);
        assert_eq!((first.woken(), second.woken()), (1, 0));
        // A task that looks without being woken is not served before, and neither is a new one.
        assert!(second.look().is_pending());
        assert_eq!(idle.take(Haste::Slow), None);
        assert_eq!(first.look(), Poll::Ready(Some(1)));
        idle.put(2);
        assert_eq!((second.woken(), second.look()), (1, Poll::Ready(Some(2))));
        idle.put(3);
        assert_eq!(idle.take(Haste::Slow), Some(3));
    }

    #[test]
    fn who_is_overtaken_keeps_the_place_and_is_told_again() {
        let idle = IdleWorkers::default();
        let (mut first, mut second) = (Waiter::new(&idle), Waiter::new(&idle));
        assert!(first.look().is_pending() && second.look().is_pending());
        idle.put(1);
        assert_eq!((first.woken(), idle.take(Haste::Quick)), (1, Some(1)));
        assert!(first.look().is_pending());
        idle.put(1);
        assert_eq!((first.woken(), second.woken()), (1, 0));
        assert_eq!(first.look(), Poll::Ready(Some(1)));
    }

    #[test]
    fn who_leaves_passes_on_what_it_was_told() {
        let idle = IdleWorkers::default();
        let (mut first, mut second) = (Waiter::new(&idle), Waiter::new(&idle));
        assert!(first.look().is_pending() && second.look().is_pending());
        idle.put(1);
        drop(first);
        assert_eq!((second.woken(), second.look()), (1, Poll::Ready(Some(1))));
        // A task that leaves without being woken wakes no other.
        let (mut third, mut fourth) = (Waiter::new(&idle), Waiter::new(&idle));
        assert!(third.look().is_pending() && fourth.look().is_pending());
        drop(third);
        assert_eq!(fourth.woken(), 0);
    }

    #[test]
    fn all_are_told_of_the_end() {
        let idle = IdleWorkers::default();
        let (mut first, mut second) = (Waiter::new(&idle), Waiter::new(&idle));
        assert!(first.look().is_pending() && second.look().is_pending());
        idle.stop();
        assert_eq!((first.woken(), second.woken()), (1, 1));
        assert_eq!((first.look(), second.look()), (Poll::Ready(None), Poll::Ready(None)));
        assert_eq!(Waiter::new(&idle).look(), Poll::Ready(None));
    }

    #[test]
    fn a_certain_worker_is_taken_out() {
        let idle = IdleWorkers::default();
        (1..=3).for_each(|worker| idle.put(worker));
        assert_eq!(idle.take_out(|worker| *worker == 2), Some(2));
        assert_eq!(idle.take_out(|worker| *worker == 2), None);
        assert_eq!((idle.take(Haste::Slow), idle.take(Haste::Slow)), (Some(3), Some(1)));
    }
}
