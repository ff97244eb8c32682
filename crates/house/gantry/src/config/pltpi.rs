//! Programs that run once when the gateway starts (`[region] pltpi`): those that fill queues and files for the others.

use std::sync::Arc;

use region::{Region, Request, Settings};
use settings::GANTRY_FILE;
use wire::{Interface, Name, name};

use super::loader::Loader;
use super::region::{RegionSection, check_length};

/// The transaction under which CICS runs such programs.
const TRANSACTION: &str = "CPLT";

impl Loader<'_> {
    /// The programs that run first; none at all if one is not there.
    pub(super) fn pltpi(&mut self, section: &RegionSection, settings: &Settings) -> Option<Vec<Name<8>>> {
        let before = self.problems.error_count();
        let mut programs = Vec::with_capacity(section.pltpi.len());
        for written in &section.pltpi {
            let program = written.get_ref();
            match check_length("program", program, 8) {
                Err(message) => self.at(GANTRY_FILE, written.span(), message),
                // Its faults are told; all else serves.
                Ok(()) if settings.definitions.faulty_programs.contains(&name(program)) => {}
                Ok(()) if !settings.has_program(name(program)) => {
                    let message = format!("the program {program} is not in programs/");
                    self.at(GANTRY_FILE, written.span(), message);
                }
                Ok(()) => programs.push(name(program)),
            }
        }
        (self.problems.error_count() == before).then_some(programs)
    }
}

/// Runs programs one after the other, to the end of the last. One that fails is told in the log, and the next one runs.
///
/// # Errors
/// There is no thread for them.
pub(super) fn run(region: &Arc<Region>, programs: Vec<Name<8>>) -> Result<(), String> {
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
