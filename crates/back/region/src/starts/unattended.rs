//! The thread for tasks without a waiting caller: started tasks, and children.
//!
//! A caller's own runtime would end them with the caller. The thread begins with the first of them, and ends with the region.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// Something to be done without a caller.
type Job = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The way to the thread. What is on its way is bounded by those who send it.
#[derive(Debug, Default)]
pub(crate) struct Unattended {
    jobs: Mutex<Option<UnboundedSender<Job>>>,
}

impl Unattended {
    /// Lets the thread do it.
    ///
    /// # Errors
    /// There is no thread, and none can be had.
    pub(crate) fn run(&self, job: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = match &*jobs {
            Some(sender) => sender,
            None => jobs.insert(thread()?),
        };
        sender.send(Box::pin(job)).map_err(|_| io::Error::other("the region's thread for tasks has ended"))
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
    use super::*;

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
}
