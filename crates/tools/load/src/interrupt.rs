//! Ctrl-C: the first one asks the run to stop and keep what it measured, the second one ends the process. SIGTERM and
//! SIGHUP count as Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::Error;

/// Tells the driver's threads that the user wants to stop.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    user: Arc<AtomicBool>,
    /// Ends one window, for example because its server is gone.
    window: Arc<AtomicBool>,
}

impl Interrupt {
    /// Whether the user wants to stop, or the window has ended early.
    pub fn is_set(&self) -> bool {
        self.user.load(Ordering::Relaxed) || self.window.load(Ordering::Relaxed)
    }

    /// The interrupt of one window, which can also end alone.
    pub(crate) fn of_window(&self) -> Interrupt {
        Interrupt { user: Arc::clone(&self.user), window: Arc::default() }
    }

    /// Ends the window.
    pub(crate) fn end_window(&self) {
        self.window.store(true, Ordering::Relaxed);
    }

    /// Waits for Ctrl-C on a thread of its own from now on. The thread sleeps until then and costs nothing.
    ///
    /// # Errors
    /// The system does not let the process wait for signals.
    pub fn on_ctrl_c() -> Result<Interrupt, Error> {
        Interrupt::on_signals(|| {})
    }

    /// As [`Interrupt::on_ctrl_c`]; before the second signal ends the process, `last` runs.
    ///
    /// # Errors
    /// As [`Interrupt::on_ctrl_c`].
    pub fn on_signals(last: impl FnOnce() + Send + 'static) -> Result<Interrupt, Error> {
        let interrupt = Interrupt::default();
        let flag = Arc::clone(&interrupt.user);
        let cannot = |error| Error::system("cannot wait for Ctrl-C", error);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().map_err(cannot)?;
        let mut signals = {
            let _in_runtime = runtime.enter();
            Signals::new().map_err(cannot)?
        };
        let wait = move || {
            runtime.block_on(async {
                signals.next().await;
                flag.store(true, Ordering::Relaxed);
                eprintln!("stopping; the results so far are kept (Ctrl-C again ends at once)");
                signals.next().await;
                last();
                std::process::exit(130);
            });
        };
        let thread = std::thread::Builder::new().name("load-interrupt".to_owned());
        thread.spawn(wait).map_err(|error| Error::system("cannot start a thread", error))?;
        Ok(interrupt)
    }

    /// Stops the run, as a signal would.
    pub fn set(&self) {
        self.user.store(true, Ordering::Relaxed);
    }
}

/// The signals that end a run.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// None under `nohup`, where the run goes on without its terminal.
    hangup: Option<Signal>,
}

impl Signals {
    fn new() -> std::io::Result<Signals> {
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: (!hangup_is_ignored()).then(|| signal(SignalKind::hangup())).transpose()?,
        })
    }

    async fn next(&mut self) {
        let hangup = async {
            match &mut self.hangup {
                Some(signal) => signal.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = hangup => {}
        }
    }
}

/// Whether this process was started with SIGHUP, the first signal, ignored.
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
