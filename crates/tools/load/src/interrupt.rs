//! Ctrl-C: the first one asks the run to stop and keep what it measured, the second one ends the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Error;

/// Tells the driver's threads that the user wants to stop.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Whether the user wants to stop.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Waits for Ctrl-C on a thread of its own from now on. The thread sleeps until then and costs nothing.
    pub(crate) fn on_ctrl_c() -> Result<Interrupt, Error> {
        let interrupt = Interrupt::default();
        let flag = interrupt.0.clone();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()
            .map_err(|error| Error::system("cannot wait for Ctrl-C", error))?;
        let wait = move || {
            runtime.block_on(async {
                if tokio::signal::ctrl_c().await.is_ok() {
                    flag.store(true, Ordering::Relaxed);
                    eprintln!("stopping; the results so far are kept (Ctrl-C again ends at once)");
                }
                if tokio::signal::ctrl_c().await.is_ok() {
                    std::process::exit(130);
                }
            });
        };
        let thread = std::thread::Builder::new().name("load-interrupt".to_owned());
        thread.spawn(wait).map_err(|error| Error::system("cannot start a thread", error))?;
        Ok(interrupt)
    }
}
