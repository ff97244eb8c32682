//! Programs are compiled side by side, because each is a process of its own, and a configuration may have hundreds.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use codepage::CodePage;

use crate::compiler::{Compiler, Message, Program};
use crate::{Cache, encoded};

/// The most compilers at one time. Each may take some hundred megabytes.
const COMPILERS_MAX: usize = 8;

/// A translated program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job<'j> {
    pub(crate) name: &'j str,
    pub(crate) text: &'j str,
    /// Its place among the sources.
    pub(crate) number: usize,
}

/// What became of a program.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The object, also if it was in the cache already.
    Made(PathBuf),
    /// The program has these errors.
    Faulty(Vec<Message>),
    /// The compiler could not be run.
    Failed(String),
}

/// Compiles programs. Each job has its outcome at its place. `begins` is called before a program compiles.
pub(crate) fn compile(
    compiler: &Compiler,
    cache: &Cache,
    page: &CodePage,
    jobs: &[Option<Job<'_>>],
    begins: &(impl Fn(&Job<'_>) + Sync),
) -> Vec<Option<Outcome>> {
    in_threads(jobs, &|job| {
        let bytes = match encoded::encode(job.text, page) {
            Ok(bytes) => bytes,
            Err(unknown) => return Outcome::Faulty(vec![unknown.message(page)]),
        };
        let program = Program { name: job.name, text: job.text, bytes: &bytes };
        match compiler.compile(&program, cache, || begins(job)) {
            Ok(Ok(object)) => Outcome::Made(object),
            Ok(Err(messages)) => Outcome::Faulty(messages),
            Err(message) => Outcome::Failed(message),
        }
    })
}

/// Does the work for each job, on a thread for each core, at most [`COMPILERS_MAX`].
fn in_threads<J: Sync, O: Send + Sync>(
    jobs: &[Option<J>],
    work: &(impl Fn(&J) -> O + Sync),
) -> Vec<Option<O>> {
    let outcomes: Vec<OnceLock<O>> = jobs.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let run = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let (Some(job), Some(outcome)) = (jobs.get(at), outcomes.get(at)) else { return };
            if let Some(job) = job {
                let _ = outcome.set(work(job));
            }
        }
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = cores.min(COMPILERS_MAX).min(jobs.iter().flatten().count());
    // This thread works too.
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
    outcomes.into_iter().map(OnceLock::into_inner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_job_has_its_outcome_at_its_place() {
        let jobs: Vec<Option<usize>> = (0..100).map(|number| (number % 3 != 0).then_some(number)).collect();
        let doubled: Vec<Option<usize>> = jobs.iter().map(|job| job.map(|number| 2 * number)).collect();
        assert_eq!(in_threads(&jobs, &|number| 2 * number), doubled);
        assert_eq!(in_threads(&[None::<usize>], &|number| 2 * number), [None]);
        assert!(in_threads::<usize, usize>(&[], &|number| 2 * number).is_empty());
    }

    #[test]
    fn jobs_run_at_the_same_time() {
        if thread::available_parallelism().map_or(1, NonZero::get) < 2 {
            return;
        }
        let barrier = std::sync::Barrier::new(2);
        let met = in_threads(&[Some(()), Some(())], &|()| {
            barrier.wait();
        });
        assert_eq!(met.len(), 2);
    }
}
