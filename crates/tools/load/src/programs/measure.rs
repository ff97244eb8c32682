//! One round of one step: tasks at the door, one after the other, until its time is up.

use std::time::Duration;

use super::Round;
use crate::clock::{as_ns, now_ns};
use crate::door::{Conversion, Door, Transfer};
use crate::error::{Error, ErrorKind};
use crate::interrupt::Interrupt;
use crate::process::{self, CpuSample};

/// Bytes that one task moves, so that what begins and ends it hardly counts.
const TASK_BYTES: usize = 4 << 20;
/// The most and the fewest calls of one task.
const TIMES_MAX: usize = 1_000;
const TIMES_MIN: usize = 4;

/// The work of one task.
#[derive(Debug, Clone, Copy)]
pub(super) enum Task {
    Transfer(Transfer),
    Conversion(Conversion),
}

/// How often one task hands over data of this size.
pub(super) fn times(bytes: usize) -> u32 {
    (TASK_BYTES / bytes).clamp(TIMES_MIN, TIMES_MAX) as u32
}

/// Runs tasks for that long; none if the user stopped the run.
pub(super) fn round(
    door: &mut dyn Door,
    interrupt: &Interrupt,
    task: Task,
    duration: Duration,
) -> Result<Option<Round>, Error> {
    // The first one loads programs and fills caches.
    run(door, task)?;
    let (begin_ns, before) = (now_ns(), samples(door)?);
    let mut calls = 0;
    loop {
        calls += u64::from(run(door, task)?);
        if interrupt.is_set() {
            return Ok(None);
        }
        if now_ns() - begin_ns >= as_ns(duration) {
            break;
        }
    }
    let (end_ns, after) = (now_ns(), samples(door)?);
    let ticks_per_s = rustix::param::clock_ticks_per_second();
    // Of a process that is not there any more, or was not there yet, nothing is known.
    let pairs = before.iter().filter_map(|(pid, before)| {
        let (_, after) = after.iter().find(|(known, _)| known == pid)?;
        Some(process::used(before, after, ticks_per_s).cpu_ns)
    });
    let cpu_ns: u64 = pairs.sum();
    Ok(Some(Round { calls, seconds: (end_ns - begin_ns) as f64 / 1e9, cpu_s: cpu_ns as f64 / 1e9 }))
}

/// Runs one task; how many calls it was.
fn run(door: &mut dyn Door, task: Task) -> Result<u32, Error> {
    let (done, times) = match task {
        Task::Transfer(transfer) => (door.transfer(transfer), transfer.times),
        Task::Conversion(conversion) => (door.convert(conversion), conversion.times),
    };
    match done {
        Ok(()) => Ok(times),
        Err(reason) => Err(Error::new(ErrorKind::Server, format!("a task failed: {reason}"))),
    }
}

/// The processor time of the driver's own process, which is the gateway's here, and of those that the door names.
fn samples(door: &dyn Door) -> Result<Vec<(u32, CpuSample)>, Error> {
    let own = std::iter::once(std::process::id());
    let all = own.chain(door.processes()).map(|pid| Ok((pid, process::sample(pid, now_ns())?)));
    all.collect()
}
