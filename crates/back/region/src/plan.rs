//! Regions before they run: started, or taken over from the region that runs, with the programs that run first.

use std::sync::Arc;

use wire::{Interface, Name, name};

use crate::around::provider::Slot;
use crate::region::{Region, Request};
use crate::settings::Settings;

/// The transaction under which CICS runs the programs of its PLTPI.
const TRANSACTION: &str = "CPLT";

/// A region to be started, or taken over.
#[derive(Debug)]
pub struct RegionPlan {
    settings: Settings,
    slot: Arc<Slot>,
    before: Option<Arc<Region>>,
    /// The programs that run first.
    pltpi: Vec<Name<8>>,
}

impl RegionPlan {
    /// A region of these settings. Providers find it in the slot. The programs of `pltpi` run first.
    #[must_use]
    pub fn new(settings: Settings, slot: Arc<Slot>, pltpi: Vec<Name<8>>) -> Self {
        Self { settings, slot, before: None, pltpi }
    }

    /// As it is configured.
    #[must_use]
    pub fn configured(&self) -> &Settings {
        &self.settings
    }

    /// The settings of the region, for a caller that must change them.
    pub fn settings(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// The region that runs: if nothing has changed, it serves on; else its queues go to the next one.
    pub fn inherit(&mut self, before: &Arc<Region>) {
        self.before = Some(before.clone());
    }

    /// Starts the region.
    ///
    /// # Errors
    /// Programs cannot run here: the reason for people.
    pub fn start(self) -> Result<Arc<Region>, String> {
        let is_first = self.before.is_none();
        let region = match self.before {
            Some(before) if *before.settings() == self.settings => before,
            Some(before) => before.successor(self.settings)?,
            None => Region::start(self.settings)?,
        };
        for note in region.notes() {
            tracing::warn!("{note}");
        }
        if !region.keeps_counters() {
            tracing::info!(
                "named counters are in memory and are lost at a restart, because gantry.toml has no [store]"
            );
        }
        region.open_links()?;
        self.slot.fill(region.clone());
        if is_first && !self.pltpi.is_empty() {
            run_first(&region, self.pltpi)?;
        }
        Ok(region)
    }
}

/// Runs programs one after the other and waits for the last. A failure is logged, and the next program runs.
///
/// # Errors
/// The thread for them cannot be started.
fn run_first(region: &Arc<Region>, programs: Vec<Name<8>>) -> Result<(), String> {
    let region = Arc::clone(region);
    // The caller may be within a runtime, where nothing may block on another one.
    let thread = std::thread::Builder::new().name("region-pltpi".to_owned()).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        for program in programs {
            let request = Request {
                program,
                transaction: name(TRANSACTION),
                user: None,
                refused_programs: Vec::new(),
                caller: None,
                until: None,
                interface: Interface::None,
            };
            let shown = String::from_utf8_lossy(&program);
            match runtime.block_on(region.run(request)) {
                Ok(_) => tracing::info!("the program {} has run, as pltpi says", shown.trim_end()),
                Err(failure) => {
                    tracing::error!("the program {}, which pltpi names, failed: {failure}", shown.trim_end());
                }
            }
        }
        Ok(())
    });
    let thread = thread.map_err(|error| error.to_string())?;
    thread.join().unwrap_or_else(|_| Err("the programs of pltpi could not be run".to_owned()))
}
