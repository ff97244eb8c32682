//! The thread for tasks without a waiting caller: started tasks, and children.
//!
//! A caller's own runtime would end them with the caller. The thread begins with the first of them, and ends with the region.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// Something to be done without a caller.
type Job = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The way to the thread. The senders limit the number of jobs on it.
#[derive(Debug, Default)]
pub(crate) struct Unattended {
    jobs: Mutex<Option<UnboundedSender<Job>>>,
    /// Tasks that run, or that begin as soon as there is a place.
    busy: Arc<AtomicUsize>,
}

/// The task counts as running until this is dropped.
#[derive(Debug)]
pub(crate) struct Busy(Arc<AtomicUsize>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Unattended {
    /// Lets the thread do it.
    ///
    /// # Errors
    /// The thread does not exist and cannot be started.
    pub(crate) fn run(&self, job: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = match &*jobs {
            Some(sender) => sender,
            None => jobs.insert(thread()?),
        };
        sender.send(Box::pin(job)).map_err(|_| io::Error::other("the region's thread for tasks has ended"))
    }

    /// Counts a task as running.
    pub(crate) fn busy(&self) -> Busy {
        self.busy.fetch_add(1, Ordering::AcqRel);
        Busy(self.busy.clone())
    }

    /// How many tasks run, or begin as soon as there is a place.
    pub(crate) fn count(&self) -> usize {
        self.busy.load(Ordering::Acquire)
    }

    /// Lets the thread run tasks, which count from now until their end.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(crate) fn run_task(&self, task: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
        let busy = self.busy();
        self.run(async move {
            task.await;
            drop(busy);
        })
    }
}

fn thread() -> io::Result<UnboundedSender<Job>> {
    let (sender, mut jobs) = unbounded_channel();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name("region-tasks".to_owned()).spawn(move || {
        crate::quick::processors::free_this_thread();
        runtime.block_on(async {
            while let Some(job) = jobs.recv().await {
                tokio::spawn(job);
            }
        });
    })?;
    Ok(sender)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// How long a task that has ended may count, on a slow machine.
    const ENDS_MAX: Duration = Duration::from_secs(20);

    #[test]
    fn jobs_run_side_by_side_on_a_thread_of_their_own() {
        let unattended = Unattended::default();
        let (first, second) = (tokio::sync::oneshot::channel::<()>(), std::sync::mpsc::channel());
        let told = second.0;
        unattended
            .run(async move { told.send(first.1.await.is_ok()).unwrap_or_default() })
            .expect("a thread");
        unattended.run(async move { first.0.send(()).unwrap_or_default() }).expect("the thread");
        assert_eq!(second.1.recv(), Ok(true));
    }

    #[test]
    fn a_task_counts_until_it_has_ended() {
        let unattended = Unattended::default();
        let (end, ends) = tokio::sync::oneshot::channel::<()>();
        unattended.run_task(async move { ends.await.unwrap_or_default() }).expect("a thread");
        assert_eq!(unattended.count(), 1);
        end.send(()).expect("it runs");
        let began = Instant::now();
        while unattended.count() > 0 {
            assert!(began.elapsed() < ENDS_MAX, "the task has ended, and still counts");
            std::thread::yield_now();
        }
    }
}
