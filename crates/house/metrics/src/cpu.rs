//! CPU time of samples: how often it is measured, and the cost of measuring.

use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// One request in this many has its CPU time measured, and one call of a provider in this many.
pub const CPU_SAMPLE_EVERY: u32 = 16;

/// How often CPU time is measured, and the cost of measuring. Reading the thread's clock twice
/// costs about as much as a simulated call. So only samples are measured, and each represents all.
#[derive(Clone, Copy, Debug)]
pub struct CpuSampling {
    every: u32,
    overhead: Duration,
}

/// Counts possible samples on this thread.
type Turn = std::thread::LocalKey<Cell<u32>>;

thread_local! {
    static CALLS: Cell<u32> = const { Cell::new(0) };
    static REQUESTS: Cell<u32> = const { Cell::new(0) };
}

impl CpuSampling {
    /// Samples one in `every`; 0 samples none.
    pub(super) fn new(every: u32) -> Self {
        Self { every, overhead: clock_overhead() }
    }

    fn is_turn(self, turn: &'static Turn) -> bool {
        if self.every == 0 {
            return false;
        }
        let number = turn.get().wrapping_add(1);
        turn.set(number);
        number.is_multiple_of(self.every)
    }

    /// Runs a part of a provider's call. For a sample, gives the CPU seconds that it represents.
    pub(super) fn call<T>(self, call: impl FnOnce() -> T) -> (T, Option<f64>) {
        if !self.is_turn(&CALLS) {
            return (call(), None);
        }
        let (result, spent) = self.measured(call);
        (result, Some(self.seconds(spent)))
    }

    /// Runs a request to its end. For a sample, gives the CPU seconds that it represents.
    pub async fn request<T>(self, request: impl Future<Output = T>) -> (T, Option<f64>) {
        if !self.is_turn(&REQUESTS) {
            return (request.await, None);
        }
        let mut request = pin!(request);
        let mut spent = Duration::ZERO;
        // While this request waits, the thread works for others. So only this request's own polls
        // count.
        let result = std::future::poll_fn(|context| {
            let (poll, more) = self.measured(|| request.as_mut().poll(context));
            spent += more;
            poll
        })
        .await;
        (result, Some(self.seconds(spent)))
    }

    fn measured<T>(self, run: impl FnOnce() -> T) -> (T, Duration) {
        let start = thread_cpu_time();
        let result = run();
        (result, thread_cpu_time().saturating_sub(start).saturating_sub(self.overhead))
    }

    fn seconds(self, spent: Duration) -> f64 {
        spent.as_secs_f64() * f64::from(self.every)
    }
}

fn thread_cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The time between two readings of the clock without work between them: the median of some.
fn clock_overhead() -> Duration {
    let mut readings: Vec<Duration> = (0..101)
        .map(|_| {
            let start = thread_cpu_time();
            thread_cpu_time().saturating_sub(start)
        })
        .collect();
    readings.sort_unstable();
    readings[readings.len() / 2]
}
