//! Programs that run once when the gateway starts (`[region] pltpi`): those that fill queues and files for the others.

use region::Settings;
use settings::GANTRY_FILE;
use wire::{Name, name};

use crate::names::check_length;
use crate::plan::Reader;
use crate::section::RegionSection;

impl Reader<'_, '_> {
    /// The programs that run first; none at all if one is not there.
    pub(crate) fn pltpi(&mut self, section: &RegionSection, settings: &Settings) -> Option<Vec<Name<8>>> {
        let before = self.problems.error_count();
        let mut programs = Vec::with_capacity(section.pltpi.len());
        for written in &section.pltpi {
            let program = written.get_ref();
            match check_length("program", program, 8) {
                Err(message) => self.at(GANTRY_FILE, written.span(), message),
                // Its faults are reported; everything else serves.
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
