//! STOP RUN under CICS: its run unit is a link level, so it acts like RETURN.
//!
//! GnuCOBOL's own STOP RUN ends the process, and with it a worker. STOP RUN with a return code is left alone.

use super::Translator;
use super::emit::hex;
use super::frame::Frame;
use super::output::{Edit, Origin};
use super::units::Region;
use crate::commands;
use crate::interface::{ENTRY_POINT, Invocation};

impl Translator<'_> {
    /// Puts RETURN in place of STOP RUN.
    pub(super) fn replace_stop_run(&mut self, regions: &[Region], frames: &mut [Frame]) {
        let Some(command) = commands::find("RETURN", None, |_| false) else { return };
        for (at, region) in regions.iter().enumerate() {
            let Region::Code(unit) = *region else { continue };
            let [first, second, ..] = &self.tokens[at..] else { return };
            if !first.is("STOP") || !second.is("RUN") || self.stops_with_code(at) {
                continue;
            }
            let span = first.span.start..second.span.end;
            let line = self.program.place(&first.span).line;
            let invocation =
                Invocation { function: command.function, no_handle: false, line, options: Vec::new() };
            let Ok(bytes) = invocation.encode() else { continue };
            frames[unit].used = true;
            let call = format!("CALL \"{ENTRY_POINT}\" USING GANTRY-FRAME");
            let lines = [call, hex(&bytes), "RETURNING GANTRY-NEXT GOBACK".to_owned()];
            let origin = Origin::Text(span.start);
            self.edits.push(Edit::lines(span, lines.into_iter().map(|line| (origin, line)).collect()));
        }
    }
}
