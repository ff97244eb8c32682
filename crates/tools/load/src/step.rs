//! One window of load: clients warm a target up and are counted, while the CPU times around the window are read.

use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CpuSet, sched_setaffinity};

use crate::clock::{as_ns, now_ns, own_cpu_ns};
use crate::driver::{Pace, Shift, drive};
use crate::error::{Error, ErrorKind};
use crate::interrupt::Interrupt;
use crate::metrics;
use crate::plan::{Endpoint, Target};
use crate::process::{self, CoreTicks, CpuSample};
use crate::result::{Round, ServerUse};
use crate::tally::{Tally, Window};

/// From the moment a step is set up to its first request: time for the threads to start.
const SETUP_NS: u64 = 20_000_000;
/// How long the main thread sleeps at most before it looks at the interrupt.
const SLEEP_MAX_NS: u64 = 50_000_000;
/// Descriptors that the process needs beside those of the clients.
const SPARE_DESCRIPTORS: u64 = 64;

/// The settings of one window.
#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    /// The target to call.
    pub target: &'a Target,
    /// How many clients call it.
    pub clients: u32,
    /// Threads that drive the clients.
    pub threads: u32,
    /// From a response to the next request of the same client.
    pub think: Duration,
    /// Requests a second, whether or not there are answers; none if each client waits for its answer.
    pub rate: Option<f64>,
    /// Before the measured window.
    pub warmup: Duration,
    /// The measured window.
    pub duration: Duration,
    /// For one request, with connecting.
    pub timeout: Duration,
    /// How long before an intended start the driver stops sleeping and polls.
    pub spin: Duration,
    /// Whose CPU time is read.
    pub server: Measured,
    /// Where the server tells its provider's CPU time.
    pub metrics: Option<&'a Endpoint>,
    /// The core that the driver runs on, whose busy time is read.
    pub driver_core: Option<usize>,
}

/// Whose CPU time is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    /// Nobody's.
    Nothing,
    /// This process's.
    Process(u32),
    /// That of all processes of the group of this leader, and of all that descend from it.
    Group(u32),
}

/// Binds the calling thread, and the threads and processes that it starts later, to a core.
///
/// # Errors
/// The core does not exist, or the system refuses it.
pub fn run_on(core: usize) -> Result<(), Error> {
    if core >= CpuSet::MAX_CPU {
        return Err(Error::new(ErrorKind::Usage, format!("core {core} does not exist")));
    }
    let mut cores = CpuSet::new();
    cores.set(core);
    sched_setaffinity(None, &cores)
        .map_err(|error| Error::system(format!("cannot run on core {core}"), error))
}

/// Raises the limit of open files of this process so far that this many clients can connect.
///
/// # Errors
/// The system does not allow this number.
pub fn allow_clients(clients: u32) -> Result<(), Error> {
    let wanted = u64::from(clients) + SPARE_DESCRIPTORS;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < wanted) {
        let raised = Rlimit { current: Some(wanted), maximum: limit.maximum };
        setrlimit(Resource::Nofile, raised).map_err(|error| {
            let what = format!("{clients} clients need {wanted} open files, more than the system allows");
            Error::system(what, error)
        })?;
    }
    Ok(())
}

/// Warms up and measures one window; `None` when it was interrupted, because half a window is not a figure.
///
/// # Errors
/// A system call that must work did not, or the server's process is gone.
pub fn measure(step: &Step<'_>, interrupt: &Interrupt) -> Result<Option<Round>, Error> {
    let begin_ns = now_ns() + SETUP_NS;
    let start_ns = begin_ns + as_ns(step.warmup);
    let window = Window { start_ns, end_ns: start_ns + as_ns(step.duration) };
    let probe = Probe { server: step.server, metrics: step.metrics, driver_core: step.driver_core };
    let interrupt = &interrupt.of_window();
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for shift in shifts(step, begin_ns, window, interrupt) {
            let thread = std::thread::Builder::new().name("load-driver".to_owned());
            let spawned = thread.spawn_scoped(scope, move || drive(&shift));
            threads.push(spawned.map_err(|error| Error::system("cannot start a thread", error))?);
        }
        let before = sleep_until(window.start_ns, interrupt).then(|| probe.before()).transpose();
        // The threads must not go on until the end of a window that measures nothing.
        let before = before.inspect_err(|_| interrupt.end_window())?;
        let after = sleep_until(window.end_ns, interrupt).then(|| probe.after()).transpose()?;
        let mut tally = Tally::new(window);
        for thread in threads {
            // Unwrapped: a panic of the driver is a fault of ours and must not look like a measurement.
            tally.add(&thread.join().expect("the driver thread panicked")?);
        }
        let (Some(before), Some(after), false) = (before, after, interrupt.is_set()) else { return Ok(None) };
        Ok(Some(round(&tally, step.duration, &before, &after)))
    })
}

/// Divides the clients over the threads of the driver.
fn shifts<'a>(step: &Step<'a>, begin_ns: u64, window: Window, interrupt: &Interrupt) -> Vec<Shift<'a>> {
    let clients = step.clients;
    let threads = step.threads.min(clients);
    let first = |thread: u32| (u64::from(clients) * u64::from(thread) / u64::from(threads)) as u32;
    let shift = |thread: u32| Shift {
        target: step.target,
        first_client: first(thread),
        own_clients: first(thread + 1) - first(thread),
        all_clients: clients,
        think_ns: as_ns(step.think),
        pace: step.rate.map(|rate| Pace {
            first_ns: begin_ns + (1e9 / rate * f64::from(thread)) as u64,
            interval_ns: 1e9 / rate * f64::from(threads),
        }),
        timeout_ns: as_ns(step.timeout),
        spin_ns: as_ns(step.spin),
        begin_ns,
        window,
        interrupt: interrupt.clone(),
    };
    (0..threads).map(shift).collect()
}

/// Sleeps until the time; false when the user stopped the run before.
fn sleep_until(time_ns: u64, interrupt: &Interrupt) -> bool {
    loop {
        if interrupt.is_set() {
            return false;
        }
        let left = time_ns.saturating_sub(now_ns());
        if left == 0 {
            return true;
        }
        std::thread::sleep(Duration::from_nanos(left.min(SLEEP_MAX_NS)));
    }
}

/// Reads the CPU times around the window. The metrics page is fetched outside the interval of the server's CPU
/// time, because answering it costs the server, too.
pub(crate) struct Probe<'a> {
    pub(crate) server: Measured,
    pub(crate) metrics: Option<&'a Endpoint>,
    pub(crate) driver_core: Option<usize>,
}

pub(crate) struct Reading {
    at_ns: u64,
    driver_cpu_ns: u64,
    driver_core: Option<CoreTicks>,
    memory_mib: Option<f64>,
    server: Option<CpuSample>,
    provider_cpu_s: Option<f64>,
}

impl Probe<'_> {
    pub(crate) fn before(&self) -> Result<Reading, Error> {
        let provider_cpu_s = self.provider_cpu_s()?;
        Ok(Reading { provider_cpu_s, ..self.cpu()? })
    }

    pub(crate) fn after(&self) -> Result<Reading, Error> {
        let reading = self.cpu()?;
        let memory_mib = match self.server {
            Measured::Nothing => None,
            Measured::Process(pid) => process::memory_mib(&[pid]),
            Measured::Group(leader) => process::memory_mib(&process::group(leader)),
        };
        Ok(Reading { provider_cpu_s: self.provider_cpu_s()?, memory_mib, ..reading })
    }

    fn cpu(&self) -> Result<Reading, Error> {
        // Finding the members takes its time, which would lie between the time and the readings.
        let members = match self.server {
            Measured::Group(leader) => process::group(leader),
            Measured::Nothing | Measured::Process(_) => Vec::new(),
        };
        let at_ns = now_ns();
        let server = match self.server {
            Measured::Nothing => None,
            Measured::Process(pid) => Some(process::sample(pid, at_ns)?),
            Measured::Group(leader) => Some(process::sample_group(leader, &members, at_ns)?),
        };
        Ok(Reading {
            at_ns,
            driver_cpu_ns: own_cpu_ns(),
            driver_core: self.driver_core.and_then(process::core_ticks),
            memory_mib: None,
            server,
            provider_cpu_s: None,
        })
    }

    fn provider_cpu_s(&self) -> Result<Option<f64>, Error> {
        self.metrics.map_or(Ok(None), metrics::provider_cpu_s)
    }
}

/// The figures of a window.
pub(crate) fn round(tally: &Tally, duration: Duration, before: &Reading, after: &Reading) -> Round {
    let provider_cpu_s =
        before.provider_cpu_s.zip(after.provider_cpu_s).map(|(before, after)| after - before);
    let ticks_per_s = rustix::param::clock_ticks_per_second();
    let server = before.server.as_ref().zip(after.server.as_ref()).map(|(first, last)| {
        let used = process::used(first, last, ticks_per_s);
        ServerUse {
            cpu_s: used.cpu_ns as f64 / 1e9,
            waiting_s: used.waiting_ns as f64 / 1e9,
            memory_mib: after.memory_mib,
            core_busy_pct: used.core_busy_pct,
            provider_cpu_s,
        }
    });
    Round {
        server,
        driver_cpu_s: after.driver_cpu_ns.saturating_sub(before.driver_cpu_ns) as f64 / 1e9,
        driver_core_busy_pct: before
            .driver_core
            .zip(after.driver_core)
            .and_then(|(before, after)| process::busy_pct(before, after)),
        cpu_interval_s: after.at_ns.saturating_sub(before.at_ns) as f64 / 1e9,
        ..Round::of(tally, duration.as_secs_f64())
    }
}
